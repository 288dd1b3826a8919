"""Ideas that hold for all learners, and decisions where the lectures leave a choice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linnet
from linnet import FeatureWeights, kernels
from linnet.learn.rerank import Reranker
from linnet.reference import maxent, newton

from .chains import sentences
from .risks import clouds

CLASSIFIERS = [
    linnet.MultinomialNB(), linnet.BernoulliNB(), linnet.GaussianNB(), linnet.GaussianBayes(),
    linnet.ParzenWindows(), linnet.Perceptron(random_state=0), linnet.MIRA(random_state=0),
    linnet.MaxEnt(), linnet.SVM(random_state=0), linnet.SVM(multi_class="ovr", random_state=0),
    linnet.KernelPerceptron(random_state=0), linnet.KernelSVM(multi_class="ovr"),
]  # fmt: skip
TAGGERS = [
    linnet.MEMM(), linnet.CRF(tol=1e-2), linnet.StructuredPerceptron(random_state=0),
    linnet.StructuredMIRA(random_state=0), linnet.StructuredSVM(random_state=0),
]  # fmt: skip


def shown(learner: Any) -> str:
    return repr(learner)[:40]


# --- one argmax, one kernel, five tasks ----------------------------------------------------------


@pytest.mark.spec("C-06")
@pytest.mark.parametrize("learner", CLASSIFIERS, ids=shown)
@pytest.mark.parametrize("classes", [2, 4])
def test_a_classifier_answers_the_argmax_of_its_scores(learner: Any, classes: int) -> None:
    X, y = clouds(rows=90, classes=classes, seed=3)
    X = np.abs(X)
    model = learner.fit(X, y)
    scores = model.decision_function(X)
    best = (scores >= 0).astype(int) if classes == 2 else scores.argmax(axis=1)
    np.testing.assert_array_equal(model.predict(X), model.classes_[best])


@pytest.mark.spec("C-06")
@pytest.mark.parametrize("learner", TAGGERS, ids=shown)
def test_a_tagger_answers_the_argmax_over_labellings(learner: Any) -> None:
    X, y = sentences(0, 25, longest=4)
    model = learner.fit(X, y)
    for guess, listed in zip(model.predict(X), model.predict_nbest(X, 3), strict=True):
        scores = [score for score, _ in listed]
        assert scores == sorted(scores, reverse=True)
        assert guess == list(listed[0][1])


@pytest.mark.spec("C-17", "M-40", "M-81")
@pytest.mark.parametrize("learner", [linnet.KernelPerceptron, linnet.KernelSVM])
def test_both_kernel_machines_take_a_kernel_by_name_as_a_function_or_as_a_matrix(
    learner: Any,
) -> None:
    X, y = clouds(rows=40, seed=5)
    more = {"random_state": 0} if learner is linnet.KernelPerceptron else {"tol": 1e-9}
    named = learner(kernel="polynomial", degree=2, gamma=0.5, coef0=1.0, **more).fit(X, y)

    def polynomial(A: Any, B: Any) -> Any:
        return (0.5 * np.asarray(A) @ np.asarray(B).T + 1.0) ** 2

    given = learner(kernel=polynomial, **more).fit(X, y)
    table = learner(kernel="precomputed", **more).fit(polynomial(X, X), y)
    scores = named.decision_function(X)
    np.testing.assert_allclose(given.decision_function(X), scores, atol=1e-5)
    np.testing.assert_allclose(table.decision_function(polynomial(X, X)), scores, atol=1e-5)
    np.testing.assert_allclose(
        kernels.polynomial(X, X, degree=2, gamma=0.5, coef0=1.0), polynomial(X, X), rtol=1e-12
    )


@pytest.mark.spec("C-25", "M-95")
def test_memory_based_learning_stores_every_example_and_forgets_none() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 1000, (60, 3)).astype(str).tolist()
    labels = rng.integers(0, 5, 60)
    model = linnet.MemoryBased(1).fit(rows, labels)
    distances, nearest = model.kneighbors(rows, k=1)
    assert [int(found[0]) for found in nearest] == list(range(60))
    assert all(distance[0] == 0 for distance in distances)
    relabelled = linnet.MemoryBased(1).fit(rows, labels[::-1])  # nothing but the store has changed
    np.testing.assert_array_equal(relabelled.predict(rows), labels[::-1])


@pytest.mark.spec("C-29")
def test_there_is_a_learner_for_every_kind_of_task() -> None:
    X, y = clouds(rows=60, seed=2)
    assert set(linnet.MaxEnt().fit(X, y).predict(X)) == {0, 1}  # binary
    X, y = clouds(rows=60, classes=3, seed=2)
    assert set(linnet.MaxEnt().fit(X, y).predict(X)) == {0, 1, 2}  # several classes
    line = linnet.LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    assert line.predict([[3.0]]).tolist() == pytest.approx([7.0])  # a number
    words, tags = sentences(1, 20)
    assert [len(t) for t in linnet.CRF().fit(words, tags).predict(words)] == [
        len(x) for x in words
    ]  # a sequence
    candidates = [[["bad"], ["good"]], [["good"], ["bad"], ["worse"]]]
    assert Reranker(random_state=0).fit(candidates, [1, 0]).predict(candidates) == [1, 0]  # GEN(x)


# --- decisions -----------------------------------------------------------------------------------


@pytest.mark.spec("A-16", "M-33")
def test_the_default_average_is_that_after_every_step_and_its_listing_has_the_same_labels() -> None:
    X, y = clouds(rows=120, classes=3, seed=4)
    default, after, listing = (
        linnet.Perceptron(random_state=0, **more).fit(X, y)
        for more in ({}, {"average": "after"}, {"average": "listing"})
    )
    assert default.coef_.tobytes() == after.coef_.tobytes()
    np.testing.assert_array_equal(default.predict(X), listing.predict(X))
    assert not np.allclose(default.coef_, listing.coef_)


@pytest.mark.spec("A-33", "M-80")
def test_the_intercept_is_the_mean_over_free_support_vectors() -> None:
    X, y = clouds(rows=70, seed=6)
    C = 0.7
    model = linnet.KernelSVM(C, kernel="linear", tol=1e-9).fit(X, y)
    alpha = np.abs(model.dual_coef_[0])
    free = (alpha > 1e-7) & (alpha < C - 1e-7)
    assert free.any() and (alpha > C - 1e-7).any()
    support = model.support_[free]
    each = np.where(y[support] == 1, 1, -1) - X[support] @ model.coef_[0]
    assert model.intercept_[0] == pytest.approx(each.mean(), abs=1e-7)
    bound = model.support_[~free]
    wrong = np.where(y[bound] == 1, 1, -1) - X[bound] @ model.coef_[0]
    assert np.abs(wrong - each.mean()).max() > 0.1  # what the printed equation would give


@pytest.mark.spec("A-33")
def test_without_a_free_support_vector_the_intercept_is_the_middle_of_its_interval() -> None:
    X, y = np.array([[-1.0], [0.0], [3.0]]), [-1, -1, 1]
    model = linnet.KernelSVM(0.01, kernel="linear", tol=1e-10).fit(X, [-1, -1, 1])
    beta = np.zeros(3)
    beta[model.support_] = model.dual_coef_[0]
    assert np.isin(np.abs(beta).round(9), [0.0, 0.01]).all()  # all at their bounds
    slope = np.array(y) - X @ model.coef_[0]
    can_rise = ((np.array(y) == 1) & (beta < 0.005)) | ((np.array(y) == -1) & (beta < -0.005))
    can_fall = ((np.array(y) == 1) & (beta > 0.005)) | ((np.array(y) == -1) & (beta > -0.005))
    low, high = slope[can_rise].max(), slope[can_fall].min()
    assert model.intercept_[0] == pytest.approx((low + high) / 2, abs=1e-8)


@pytest.mark.spec("A-34")
def test_an_intercept_for_all_classes_changes_nothing_but_one_for_each_does() -> None:
    X, y = clouds(rows=120, classes=3, seed=7)
    y[: len(y) // 3] = 0  # classes of different sizes
    model = linnet.SVM(random_state=0).fit(X, y)
    assert len(model.intercept_) == 3 and np.ptp(model.intercept_) > 0.01
    before = model.predict(X)
    model.intercept_ = model.intercept_ + 5.0
    np.testing.assert_array_equal(model.predict(X), before)
    model.intercept_ = model.intercept_ + np.array([9.0, 0.0, 0.0])
    assert (model.predict(X) == 0).sum() > (before == 0).sum()


@pytest.mark.spec("A-47", "M-100", "M-101")
def test_empty_cells_add_no_entropy_gain_is_in_bits_and_a_constant_has_no_ratio() -> None:
    certain = FeatureWeights.from_table([[8, 0], [0, 8]])
    assert certain.information_gain.tolist() == [1.0]  # one bit, not ln 2
    assert certain.gain_ratio.tolist() == [1.0]
    constant = FeatureWeights.from_data([["x"]] * 6, [0, 1] * 3)
    assert constant.information_gain.tolist() == [0.0]
    assert constant.gain_ratio.tolist() == [0.0]  # not 0/0


@pytest.mark.spec("A-49", "M-102")
def test_cells_without_expectation_are_passed_over_by_chi2() -> None:
    with_empty = FeatureWeights.from_table([[4, 996, 0], [100, 900, 0]])
    assert with_empty.chi2 == pytest.approx([93.476144], abs=5e-7)
    assert FeatureWeights.from_table([[5, 3], [0, 0]]).chi2.tolist() == [0.0]


@pytest.mark.spec("E-04", "M-53", "M-65")
@pytest.mark.parametrize(("classes", "C"), [(3, 1.0), (2, 2.0)])
def test_a_prior_of_variance_one_gives_the_probabilities_of_that_convention(
    classes: int, C: float
) -> None:
    X, y = clouds(rows=90, classes=classes, seed=8)
    ones = np.column_stack([X, np.ones(len(X))])
    problem = maxent.gaussian_prior(ones, y, classes, 1.0)  # a column for each class
    best = newton.newton(problem, problem.hessian, np.zeros(problem.shape), tolerance=1e-12)
    model = linnet.MaxEnt(C=C, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba(X), maxent.probabilities(ones, best.x), atol=1e-3
    )


@pytest.mark.spec("A-44")
def test_sums_run_over_every_example_and_every_class() -> None:
    X, y = clouds(rows=30, classes=3, seed=2)
    model = linnet.MaxEnt(C=0.5, tol=1e-12).fit(X, y)
    residual = model.predict_proba(X) - np.eye(3)[y]
    np.testing.assert_allclose(model.coef_ + 0.5 * residual.T @ X, 0.0, atol=1e-5)
    single = [-model.predict_log_proba(X)[i, y[i]] for i in range(30)]
    penalty = 0.5 * ((model.coef_**2).sum() + (model.intercept_**2).sum())
    assert model.history_["objective"][-1] == pytest.approx(penalty + 0.5 * sum(single))
    means = linnet.GaussianNB().fit(X, y).theta_
    np.testing.assert_allclose(means, [sum(X[y == k]) / np.sum(y == k) for k in range(3)])
    loss = np.array([[0.0, 2.0, 5.0], [1.0, 0.0, 1.0], [4.0, 3.0, 0.0]])
    rule = linnet.BayesDecision(linnet.MaxEnt(), loss=loss).fit(X, y)
    p = rule.model_.predict_proba(X)
    np.testing.assert_allclose(
        rule.conditional_risk(X), [[sum(loss[a] * row) for a in range(3)] for row in p]
    )
    for edge in (0, 29):  # without the first, or the last, all of them differ
        kept = np.ones(30)
        kept[edge] = 0.0
        other = linnet.MaxEnt(C=0.5, tol=1e-12).fit(X, y, sample_weight=kept)
        assert np.abs(other.coef_ - model.coef_).max() > 1e-4
        assert np.abs(linnet.GaussianNB().fit(X, y, sample_weight=kept).theta_ - means).max() > 1e-4
