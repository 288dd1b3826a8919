"""Support vector machines: the lectures' numbers, several classes, support vectors, real data."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import normalize

import linnet
from linnet.data import SentimentCorpus
from linnet.learn.svm import SVM, votes
from linnet.reference import conversions, margins, multiclass, svm

from .risks import Floats, clouds, folded, losses, objective, words

PAIR = [[1.0, 1.0], [-1.0, -1.0]], [1, -1]
SMOOTH = ["newton", "lbfgs", "conjugate_gradient", "gradient_descent"]


def exact(**settings: Any) -> SVM:
    return SVM(**{"tol": 1e-10, "max_iter": 100_000, "random_state": 0, **settings})


# --- numbers of the lectures -------------------------------------------------------------------


@pytest.mark.spec("F-03", "M-82", "M-84", "A-80")
@pytest.mark.parametrize("multi_class", ["crammer_singer", "ovr", "ovo"])
@pytest.mark.parametrize(
    ("C", "weight", "alpha", "value"),
    [(0.1, 0.2, 0.1, 0.16), (0.25, 0.5, 0.25, 0.25), (1.0, 0.5, 0.25, 0.25), (50, 0.5, 0.25, 0.25)],
)
def test_two_points_give_the_worked_hinge_optimum(
    multi_class: str, C: float, weight: float, alpha: float, value: float
) -> None:
    clf = exact(C=C, fit_intercept=False, multi_class=multi_class).fit(*PAIR)
    np.testing.assert_allclose(clf.coef_, [[weight, weight]], atol=1e-9)
    assert clf.dual_coef_ is not None
    assert clf.dual_coef_.sum() == pytest.approx(2 * alpha)
    assert clf.history_["objective"][-1] == pytest.approx(value)
    assert svm.binary_dual(clf.dual_coef_[:, 0], *map(np.array, PAIR), C) == pytest.approx(value)


@pytest.mark.spec("F-03", "M-83", "M-85")
@pytest.mark.parametrize("solver", ["dual_cd", *SMOOTH])
@pytest.mark.parametrize(("C", "weight", "value"), [(0.1, 2 / 9, 0.111111), (1.0, 4 / 9, 0.222222)])
def test_two_points_give_the_worked_squared_hinge_optimum(
    solver: str, C: float, weight: float, value: float
) -> None:
    clf = exact(C=C, loss="squared_hinge", solver=solver, fit_intercept=False, tol=1e-12).fit(*PAIR)
    np.testing.assert_allclose(clf.coef_, [[weight, weight]], atol=1e-6)
    assert weight == pytest.approx(4 * C / (1 + 8 * C))
    assert clf.history_["objective"][-1] == pytest.approx(value, abs=1e-6)


@pytest.mark.spec("F-03", "M-38", "M-77", "M-79", "W-29", "A-35")
def test_the_margin_is_two_over_the_norm_of_the_weights() -> None:
    clf = exact(C=1e3).fit(*PAIR)
    X, y = np.array(PAIR[0]), np.array(PAIR[1])
    assert clf.intercept_ == pytest.approx(0.0, abs=1e-9)
    assert 2 / np.linalg.norm(clf.coef_) == pytest.approx(2.828427, abs=1e-6)
    np.testing.assert_allclose(y * clf.decision_function(X), 1.0)
    np.testing.assert_allclose(margins.geometric_margins(clf.coef_[0], X, y), np.sqrt(2))
    # scaling (w, b) scales the functional margin and leaves the geometric one
    np.testing.assert_allclose(margins.functional_margins(3 * clf.coef_[0], X, y), 3.0)
    np.testing.assert_allclose(margins.geometric_margins(3 * clf.coef_[0], X, y), np.sqrt(2))


@pytest.mark.spec("F-01", "M-77")
def test_a_large_c_finds_the_widest_margin_of_the_perceptron_example() -> None:
    X = [[2, 1], [-1, -2], [1, -1], [-2, 1], [0.5, -2]]
    clf = exact(C=1e4).fit(X, [1, -1, 1, -1, -1])
    np.testing.assert_allclose(clf.intercept_, 9 / 14, atol=1e-5)
    np.testing.assert_allclose(clf.coef_, [[22 / 14, 17 / 14]], atol=1e-5)


@pytest.fixture(scope="module")
def books(data_dir: Callable[[str], Path]) -> SentimentCorpus:
    return SentimentCorpus(folder=data_dir("amazon_books"), cutoff_on="all")


@pytest.mark.spec("R-05", "M-74", "A-36")
@pytest.mark.parametrize(
    ("lam", "optimum", "train", "test"),
    [(1.0, 0.715133293, 0.8850, 0.8175), (0.1, 0.283750096, 0.9900, 0.8650),
     (0.01, 0.042058147, 1.0, 0.8400), (0.001, 0.004215984, 1.0, 0.8400)],
)  # fmt: skip
def test_amazon_books_reach_the_reference_optimum_of_the_mean_hinge(
    books: SentimentCorpus, lam: float, optimum: float, train: float, test: float
) -> None:
    C = conversions.lambda_to_c(lam, len(books.train_y), two_columns=True)
    clf = exact(C=C, tol=1e-7).fit(books.train_X, books.train_y)
    assert clf.history_["objective"][-1] * lam / 2 == pytest.approx(optimum, rel=1e-5)
    assert clf.score(books.train_X, books.train_y) == train
    assert clf.score(books.test_X, books.test_y) == test


@pytest.mark.spec("R-05", "M-82", "M-83", "M-84", "M-85")
@pytest.mark.parametrize(
    ("loss", "C", "optimum", "test"),
    [("hinge", 0.001, 1.200830425, 0.8025), ("hinge", 0.01, 5.170796645, 0.8600),
     ("hinge", 0.1, 8.377785340, 0.8425), ("hinge", 1.0, 8.43196699, 0.8400),
     ("hinge", 2.0, 8.43196699, 0.8400),
     ("squared_hinge", 0.001, 0.978112907, 0.8375), ("squared_hinge", 0.01, 3.793906465, 0.8625),
     ("squared_hinge", 0.1, 7.156336095, 0.8475), ("squared_hinge", 1.0, 8.26661126, 0.8400)],
)  # fmt: skip
def test_amazon_books_reach_the_reference_optimum_at_c(
    books: SentimentCorpus, loss: str, C: float, optimum: float, test: float
) -> None:
    for solver in ("dual_cd", "newton") if loss == "squared_hinge" else ("dual_cd",):
        clf = exact(C=C, loss=loss, solver=solver, tol=1e-7).fit(books.train_X, books.train_y)
        assert clf.history_["objective"][-1] == pytest.approx(optimum, rel=1e-5)
        assert clf.score(books.test_X, books.test_y) == test


# --- several classes ---------------------------------------------------------------------------


@pytest.mark.spec("M-73", "M-74")
def test_the_joint_hinge_bounds_the_cost_of_the_guess() -> None:
    X, y = words(classes=4, rows=120)
    clf = exact(C=0.05).fit(X, y)
    loss = losses(clf, X, y)
    assert (loss >= 0).all()
    assert (loss >= (clf.predict(X) != y)).all()
    scores = clf.decision_function(X)
    own = scores[np.arange(len(y)), y]
    others = np.where(np.arange(4) == y[:, None], -np.inf, scores).max(axis=1)
    np.testing.assert_allclose(loss, np.maximum(0.0, others + 1 - own), atol=1e-12)
    np.testing.assert_array_equal(loss == 0, own - others >= 1)


@pytest.mark.spec("M-73", "M-74", "M-48", "C-16")
@pytest.mark.parametrize("cost", [None, [[0, 1, 4], [2, 0, 1], [1, 3, 0]]])
def test_the_joint_hinge_reaches_the_value_of_the_reference_primal(cost: Any) -> None:
    X, y = words(classes=3, rows=60, cols=40)
    clf = exact(C=0.05, cost=cost, tol=1e-9).fit(X, y)
    W = np.vstack([clf.coef_.T, clf.intercept_])
    rho = None if cost is None else np.array(cost, dtype=float).T  # the reference: [guess, gold]
    primal, _ = svm.crammer_singer_primal(W, folded(X), y, 0.05, rho)
    assert clf.history_["objective"][-1] == pytest.approx(primal, rel=1e-12)
    assert clf.dual_coef_ is not None
    dual = svm.crammer_singer_dual(clf.dual_coef_, folded(X), y, 0.05, rho)
    assert 0 <= primal - dual <= 2e-9 * primal


@pytest.mark.spec("M-48")
def test_a_cost_that_doubles_is_the_same_machine_on_half_the_scale() -> None:
    X, y = words(classes=3, rows=60, cols=40)
    doubled = exact(C=0.1, cost=2 * (1 - np.eye(3))).fit(X, y)
    plain = exact(C=0.05).fit(X, y)  # W/2 has 1/4 of the penalty and 1/2 of the loss
    np.testing.assert_allclose(doubled.coef_, 2 * plain.coef_, atol=1e-4)


@pytest.mark.spec("M-88")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_one_vs_rest_is_one_machine_for_each_class(loss: str) -> None:
    X, y = words(classes=11, rows=200)
    together = exact(C=0.1, loss=loss, multi_class="ovr").fit(X, y)
    assert together.coef_.shape == (11, 400)
    for k in range(11):
        alone = exact(C=0.1, loss=loss).fit(X, y == k)
        np.testing.assert_allclose(together.coef_[k], alone.coef_[0], atol=1e-4)
    scores = together.decision_function(X)
    np.testing.assert_array_equal(together.predict(X), scores.argmax(axis=1))


@pytest.mark.spec("M-88", "M-26")
@pytest.mark.parametrize("multi_class", ["crammer_singer", "ovo"])
def test_two_classes_are_one_machine_whatever_the_scheme(multi_class: str) -> None:
    X, y = words()
    one = exact(multi_class="ovr").fit(X, y)
    other = exact(multi_class=multi_class).fit(X, y)
    np.testing.assert_array_equal(one.coef_, other.coef_)


@pytest.mark.spec("M-89")
def test_one_vs_one_trains_each_pair_on_its_own_rows_and_votes() -> None:
    X, y = clouds(rows=120, classes=5)
    clf = exact(C=0.5, multi_class="ovo", tol=1e-9).fit(X, y)
    assert clf.coef_.shape == (10, 4)
    pairs = {}
    for row, (a, b) in enumerate(combinations(range(5), 2)):
        chosen = (y == a) | (y == b)
        alone = exact(C=0.5, tol=1e-9).fit(X[chosen], y[chosen])
        np.testing.assert_allclose(clf.coef_[row], alone.coef_[0], atol=1e-3)
        pairs[a, b] = np.append(clf.coef_[row], clf.intercept_[row])
    np.testing.assert_array_equal(clf.predict(X), multiclass.vote(folded(X), pairs, 5))
    assert clf.decision_function(X).shape == (120, 5)


@pytest.mark.spec("M-89", "C-04")
def test_tied_votes_go_to_the_larger_sum_of_scores_and_then_to_the_lowest_class() -> None:
    cycle = np.array([[-1.0, 1.0, -1.0], [-1.0, 1.0, -2.0], [-1.0, 3.0, -1.0]])
    assert votes(cycle, 3).argmax(axis=1).tolist() == [0, 1, 2]


# --- support vectors ---------------------------------------------------------------------------


@pytest.mark.spec("M-90")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("classes", [2, 3])
def test_examples_that_support_nothing_can_be_removed(loss: str, classes: int) -> None:
    X, y = words(classes=classes, rows=200, cols=50)
    X = normalize(X)
    clf = exact(C=3.0, loss=loss, solver="dual_cd", tol=1e-13).fit(X, y)
    assert 0 < len(clf.support_) < len(y)
    rest = exact(C=3.0, loss=loss, solver="dual_cd", tol=1e-13)
    rest.fit(X[clf.support_], y[clf.support_])
    np.testing.assert_allclose(rest.coef_, clf.coef_, atol=1e-6)


@pytest.mark.spec("M-90")
def test_support_vectors_lie_on_the_margin_or_inside_it() -> None:
    X, y = clouds(rows=100)
    clf = exact(C=1.0, tol=1e-12).fit(X, y)
    margin = np.where(y == 1, 1, -1) * clf.decision_function(X)
    assert clf.dual_coef_ is not None
    alpha = clf.dual_coef_[:, 0]
    assert clf.support_.tolist() == np.flatnonzero(alpha).tolist()
    assert (margin[alpha == 0] >= 1 - 1e-5).all()
    assert (margin[alpha == 1.0] <= 1 + 1e-5).all()
    np.testing.assert_allclose(margin[(alpha > 0) & (alpha < 1)], 1.0, atol=1e-4)


def test_rows_of_weight_zero_have_a_dual_variable_of_zero() -> None:
    X, y = clouds()
    weight = (np.arange(len(y)) % 3 > 0) * 1.0
    clf = exact(C=1.0).fit(X, y, sample_weight=weight)
    assert clf.dual_coef_ is not None and clf.dual_coef_.shape == (80, 1)
    assert not clf.dual_coef_[weight == 0].any()
    alone = exact(C=1.0).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(clf.coef_, alone.coef_)


@pytest.mark.spec("M-66", "M-92")
def test_l1_with_the_squared_hinge_is_sparse_and_certified() -> None:
    X, y = words(classes=3)
    settings: dict[str, Any] = {"C": 0.1, "loss": "squared_hinge", "multi_class": "ovr"}
    sparse = exact(penalty="l1", tol=1e-8, **settings).fit(X, y)
    dense = exact(tol=1e-8, **settings).fit(X, y)
    assert sparse.n_nonzero_ < 0.6 * dense.n_nonzero_
    assert sparse.optimality_ <= 1e-8
    assert sparse.history_["objective"][-1] == pytest.approx(objective(sparse, X, y), rel=1e-10)


def test_the_squared_hinge_takes_a_free_intercept() -> None:
    X, y = clouds(classes=3)
    free = exact(loss="squared_hinge", multi_class="ovr", penalize_intercept=False, tol=1e-8)
    free.fit(X + 5, y)
    residual: Floats = 2 * np.maximum(
        0.0, 1 - np.where(np.arange(3) == y[:, None], 1, -1) * free.decision_function(X + 5)
    )
    signs = np.where(np.arange(3) == y[:, None], 1, -1)
    np.testing.assert_allclose((signs * residual).sum(axis=0), 0.0, atol=1e-6)


@pytest.mark.spec("M-88")
@pytest.mark.parametrize(
    "learner",
    [linnet.Perceptron(random_state=0), linnet.MIRA(random_state=0), linnet.MultinomialNB(),
     linnet.KernelPerceptron(random_state=0), linnet.DecisionTree(), linnet.SVM(random_state=0)],
    ids=lambda learner: type(learner).__name__,
)  # fmt: skip
def test_one_against_the_rest_takes_any_binary_learner(learner: Any) -> None:
    X, y = clouds(rows=90, classes=3)
    X = np.abs(X)
    rest = OneVsRestClassifier(learner).fit(X, y)
    assert len(rest.estimators_) == 3
    alone = [linnet.estimator.clone(learner).fit(X, (y == k).astype(int)) for k in range(3)]
    if hasattr(alone[0], "decision_function"):
        scores = np.column_stack([model.decision_function(X) for model in alone])
    else:
        scores = np.column_stack([model.predict_proba(X)[:, 1] for model in alone])
    np.testing.assert_array_equal(rest.predict(X), scores.argmax(axis=1))
    two = y < 2
    binary = OneVsRestClassifier(learner).fit(X[two], y[two])
    assert len(binary.estimators_) == 1
    single = linnet.estimator.clone(learner).fit(X[two], y[two])
    np.testing.assert_array_equal(binary.predict(X[two]), single.predict(X[two]))
