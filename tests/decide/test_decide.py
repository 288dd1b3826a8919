"""Decisions are those of least expected loss, whatever the actions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import linnet
from linnet import BayesDecision, GaussianBayes, GaussianNB, MaxEnt
from linnet.data import load_iris
from linnet.decide import (
    conditional_risk,
    dichotomiser,
    discriminants,
    posterior,
    randomised_risk,
    zero_one_loss,
)
from linnet.errors import DataError, ModelFileError, NotFittedError, ParameterError
from linnet.reference import decision_theory as reference

F07 = [[0, 10], [1, 0], [0.5, 0.5]]


def binary() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    return rng.normal(size=(200, 2)) + 1.5 * y[:, None], np.array(["no", "yes"])[y]


@pytest.mark.spec("M-01")
def test_posteriors_sum_to_one_and_keep_the_order_of_the_joint() -> None:
    rng = np.random.default_rng(0)
    likelihood, prior = rng.exponential(size=(500, 4)), rng.dirichlet(np.ones(4))
    p = posterior(likelihood, prior)
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_array_equal(p.argmax(axis=1), (likelihood * prior).argmax(axis=1))
    scaled = posterior(likelihood * np.exp(rng.normal(0, 100, (500, 1))), prior)
    np.testing.assert_allclose(scaled, p, rtol=1e-10)
    np.testing.assert_allclose(p[0], reference.posterior(likelihood[0], prior))
    with pytest.raises(DataError, match="Row 1 has probability 0 under every class"):
        posterior([[1, 1], [0, 0]], [0.5, 0.5])


@pytest.mark.spec("M-02", "F-07")
def test_the_third_action_is_best_in_the_fixture() -> None:
    risks = conditional_risk([0.7, 0.3], F07)
    np.testing.assert_allclose(risks, [3.0, 0.7, 0.5])
    assert risks.argmin() == 2
    np.testing.assert_allclose(risks, reference.risks(np.array(F07), np.array([0.7, 0.3])))


@pytest.mark.spec("M-02")
def test_costs_ten_and_one_move_the_threshold_to_ten_elevenths() -> None:
    loss = [[0, 10], [1, 0]]  # saying the first class wrongly costs 10
    for p, action in ((10 / 11 + 1e-9, 0), (10 / 11 - 1e-9, 1)):
        assert conditional_risk([p, 1 - p], loss).argmin() == action
    assert 10 / 11 == pytest.approx(0.909091, abs=1e-6)


@pytest.mark.spec("M-03")
def test_zero_one_loss_chooses_the_most_probable_class() -> None:
    p = np.random.default_rng(1).dirichlet(np.ones(5), 1000)
    risks = conditional_risk(p, zero_one_loss(5))
    np.testing.assert_allclose(risks, 1 - p, atol=1e-12)
    np.testing.assert_array_equal(risks.argmin(axis=1), p.argmax(axis=1))


@pytest.mark.spec("M-04", "W-26", "X-09")
def test_matching_the_posterior_costs_more_than_the_best_action() -> None:
    p = [0.7, 0.3]
    assert randomised_risk([1, 0], p) == pytest.approx(0.30)
    assert randomised_risk(p, p) == pytest.approx(0.42)
    assert reference.randomised_risk(reference.zero_one(2), np.array(p), np.array(p)) == (
        pytest.approx(0.42)
    )


@pytest.mark.spec("M-04")
@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 5), st.integers(2, 5))
def test_chance_never_helps(seed: int, actions: int, classes: int) -> None:
    rng = np.random.default_rng(seed)
    loss, p = rng.exponential(size=(actions, classes)), rng.dirichlet(np.ones(classes), 7)
    least = conditional_risk(p, loss).min(axis=1)
    rule = rng.dirichlet(np.ones(actions), 7)
    assert randomised_risk(rule, p, loss) > least.mean()  # some mass is on a worse action
    best = np.eye(actions)[conditional_risk(p, loss).argmin(axis=1)]
    assert randomised_risk(best, p, loss) == pytest.approx(least.mean())
    tied = np.vstack([loss[0]] * actions)
    assert randomised_risk(rule, p, tied) == pytest.approx(conditional_risk(p, tied)[:, 0].mean())


@pytest.mark.spec("M-05", "A-45")
def test_all_forms_of_a_discriminant_give_the_same_labels() -> None:
    iris = load_iris()
    for model in (GaussianNB(), GaussianBayes(), GaussianBayes("pooled")):
        model.fit(iris.X, iris.y)
        labels = model.predict(iris.X)
        for form in ("posterior", "joint", "log_joint"):
            g = discriminants(model, iris.X, form)
            for increasing in (g, g**3, 3 * g - 1):
                np.testing.assert_array_equal(model.classes_[increasing.argmax(axis=1)], labels)
            assert (model.classes_[(-g).argmax(axis=1)] != labels).all()
            np.testing.assert_array_equal(model.classes_[(-g).argmin(axis=1)], labels)
    with pytest.raises(ParameterError, match="MaxEnt has no joint densities"):
        discriminants(MaxEnt().fit(iris.X, iris.y), iris.X, "log_joint")


@pytest.mark.spec("M-06", "A-17")
def test_both_dichotomisers_have_the_same_sign() -> None:
    X, y = binary()
    model = GaussianBayes().fit(X, y)
    difference, ratio = dichotomiser(model, X, "posterior"), dichotomiser(model, X)
    np.testing.assert_array_equal(np.sign(difference), np.sign(ratio))
    np.testing.assert_array_equal(model.predict(X), model.classes_[(ratio >= 0).astype(int)])
    np.testing.assert_allclose(ratio, model.decision_function(X))
    iris = load_iris()
    with pytest.raises(DataError, match="two classes apart, the model has 3"):
        dichotomiser(GaussianBayes().fit(iris.X, iris.y), iris.X)


@pytest.mark.spec("M-02", "M-03")
@pytest.mark.parametrize("model", [MaxEnt(), GaussianBayes(), LogisticRegression()], ids=str)
def test_decisions_sit_on_top_of_any_probabilistic_model(model: Any) -> None:
    X, y = binary()
    plain = BayesDecision(model).fit(X, y)
    np.testing.assert_array_equal(plain.predict(X), plain.model_.predict(X))
    assert not hasattr(model, "classes_")
    assert plain.risk(X, y) == pytest.approx((plain.predict(X) != y).mean())
    costly = BayesDecision(model, loss=[[0, 1], [20, 0]]).fit(X, y)
    p = costly.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(costly.predict(X) == "yes", p > 20 / 21)
    assert costly.risk(X) == pytest.approx(np.minimum(p, 20 * (1 - p)).mean())


@pytest.mark.spec("M-02")
def test_rejecting_is_an_action_like_others() -> None:
    X, y = binary()
    model = MaxEnt().fit(X, y)
    decision = BayesDecision(model, reject=0.2)
    top = model.predict_proba(X).max(axis=1)
    answers = decision.predict(X)
    np.testing.assert_array_equal(np.array([a is None for a in answers]), top < 0.8)
    assert set(answers[top >= 0.8]) <= {"no", "yes"}
    named = BayesDecision(model, F07, actions=["no", "yes", "ask"])
    assert set(named.predict(X)) == {"no", "yes", "ask"}
    both = BayesDecision(model, F07, actions=["no", "yes", "ask"], reject=0.4, reject_label="?")
    assert "ask" not in both.predict(X) and "?" in both.predict(X)
    lower = decision.risk(X, y)
    assert lower <= BayesDecision(model).risk(X, y) + 1e-12 or lower < 0.2


def test_decisions_are_cloned_with_their_parameters() -> None:
    decision = BayesDecision(MaxEnt(C=3.0), reject=0.1)
    twin = clone(decision)
    assert twin.model.C == 3.0 and twin.reject == 0.1
    assert decision.set_params(model__C=2.0).model.C == 2.0


def test_what_does_not_fit_together_is_refused() -> None:
    X, y = binary()
    with pytest.raises(NotFittedError, match="not fitted"):
        BayesDecision(MaxEnt()).predict(X)
    with pytest.raises(ParameterError, match="has no probabilities"):
        BayesDecision(linnet.SVM()).fit(X, y)
    with pytest.raises(ParameterError, match="must be a classifier"):
        BayesDecision().fit(X, y)
    fitted = MaxEnt().fit(X, y)
    for setting, what in (
        ({"loss": np.ones((2, 3))}, "3 columns, but there are 2 classes"),
        ({"loss": F07}, "name the actions"),
        ({"loss": F07, "actions": ["a"]}, "1 actions, but loss has 3 rows"),
        ({"loss": [[0, np.inf], [1, 0]]}, "must be finite"),
        ({"loss": "x"}, "table of numbers"),
        ({"reject": np.nan}, "cost of rejecting"),
    ):
        with pytest.raises(ParameterError, match=what):
            BayesDecision(fitted, **setting).predict(X)
    decision = BayesDecision(fitted)
    with pytest.raises(DataError, match="'perhaps', which is not among the classes"):
        decision.risk(X[:1], ["perhaps"])
    with pytest.raises(DataError, match="y has shape"):
        decision.risk(X, y[:3])
    for bad in ([0.5, 0.6], [-0.5, 1.5], [[[1.0]]]):
        with pytest.raises(DataError):
            conditional_risk(bad, F07)
    with pytest.raises(DataError, match="different numbers of rows"):
        randomised_risk(np.full((2, 2), 0.5), np.full((3, 2), 0.5))


@pytest.mark.spec("C-28")
def test_a_decision_comes_back_from_its_file(tmp_path: Path) -> None:
    X, y = binary()
    path = tmp_path / "d.linnet"
    for decision in (
        BayesDecision(MaxEnt().fit(X, y), F07, actions=["no", "yes", "ask"]),
        BayesDecision(GaussianBayes(), reject=0.2).fit(X, y),
    ):
        linnet.save(decision, path)
        twin = linnet.load(path)
        assert twin.predict(X).tolist() == decision.predict(X).tolist()
        np.testing.assert_array_equal(twin.conditional_risk(X), decision.conditional_risk(X))
    with pytest.raises(ModelFileError, match="cannot be saved"):
        linnet.save(BayesDecision(LogisticRegression().fit(X, y)), path)
