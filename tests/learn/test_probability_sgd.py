"""The gradient of P by name, beside that of its logarithm (SPEC M-64, A-23)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linnet import SVM, MaxEnt, ProbabilitySGD
from linnet.errors import ParameterError
from linnet.reference import sgd as reference

from .risks import clouds

KYOTO = ("A site , located in Maizuru , Kyoto", "Shoken , monk born in Kyoto")
BAGS = [{word: float(text.split().count(word)) for word in text.split()} for text in KYOTO]
AS_PRINTED: dict[str, Any] = {
    "penalty": None, "fit_intercept": False, "max_iter": 1, "tol": 0.0,
}  # fmt: skip


@pytest.mark.spec("W-07", "M-64", "A-22", "A-23")
def test_the_two_kyoto_sentences_give_the_slides_weights_by_the_named_rule() -> None:
    clf = MaxEnt(solver=ProbabilitySGD(1.0, shuffle=False), **AS_PRINTED).fit(BAGS, [-1, 1])
    w = dict(zip(clf.get_feature_names(), clf.coef_[0].tolist(), strict=True))
    factor = np.e / (1 + np.e) ** 2
    assert w["A"] == w["site"] == w["Maizuru"] == -0.25
    assert (w[","], w["in"], w["born"]) == pytest.approx((factor - 0.5, factor - 0.25, factor))
    assert clf.predict_proba(BAGS)[1, 1] == pytest.approx(0.544797, abs=1e-6)


@pytest.mark.spec("M-64", "A-23")
def test_a_step_is_the_probability_times_the_step_of_its_logarithm() -> None:
    X, y = clouds(rows=1)
    X, y = np.vstack([X, -X]), [0, 1]
    one = {**AS_PRINTED, "warm_start": True}
    for weight in ([1, 0], [0, 1]):
        by_log = MaxEnt(solver="sgd", **one).set_params(solver__schedule=1.0)
        by_p = MaxEnt(solver="probability_sgd", **one).set_params(solver__schedule=1.0)
        both = [clf.fit(X, y) for clf in (by_log, by_p)]
        for clf in both:  # from the same point, where P is not a half
            clf.coef_[:] = 0.3
        before = both[0].predict_proba(X)[np.arange(2), y] @ np.array(weight)
        steps = [clf.fit(X, y, sample_weight=weight).coef_ - 0.3 for clf in both]
        np.testing.assert_allclose(steps[1], before * steps[0], rtol=1e-9)


@pytest.mark.spec("M-64")
def test_several_rounds_equal_the_reference() -> None:
    X, y = clouds(rows=40)
    clf = MaxEnt(solver=ProbabilitySGD(1.0, shuffle=False), **{**AS_PRINTED, "max_iter": 3})
    weights = reference.probability(X, 2 * y - 1, n_rounds=3).weights
    np.testing.assert_allclose(clf.fit(X, y).coef_[0], weights, rtol=1e-9)


@pytest.mark.spec("M-64", "M-127")
@pytest.mark.parametrize("classes", [2, 3])
def test_the_record_is_the_sum_of_one_minus_p_and_certifies_nothing(classes: int) -> None:
    X, y = clouds(rows=60, classes=classes)
    clf = MaxEnt(2.0, solver="probability_sgd", max_iter=5, tol=0.0, random_state=0).fit(X, y)
    p = clf.predict_proba(X)[np.arange(len(y)), y]
    penalty = 0.5 * ((clf.coef_**2).sum() + (clf.intercept_**2).sum())
    assert clf.history_["objective"][-1] == pytest.approx(penalty + 2.0 * (1 - p).sum())
    assert clf.optimality_ == np.inf


@pytest.mark.spec("A-23")
def test_a_badly_wrong_example_hardly_moves_the_gradient_of_p() -> None:
    X, y = [[30.0], [-1.0]], ["no", "yes"]
    clf = MaxEnt(solver=ProbabilitySGD(1.0), warm_start=True, **AS_PRINTED).fit(X, y)
    clf.coef_[:] = 1.0
    assert clf.fit(X, y, sample_weight=[1, 0]).coef_[0, 0] == pytest.approx(1.0, abs=1e-10)


def test_only_learners_of_probabilities_have_the_rule() -> None:
    X, y = clouds(rows=20)
    with pytest.raises(ParameterError, match="solver"):
        SVM(solver=ProbabilitySGD()).fit(X, y)
