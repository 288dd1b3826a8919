"""Maximum entropy: the lectures' numbers, the model, the gradient, priors, real data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import logsumexp

from linnet import _core
from linnet.data import SentimentCorpus, count_words, tiny
from linnet.learn.maxent import MaxEnt
from linnet.learn.shared.inputs import checked_features
from linnet.reference import conversions, maxent, newton

from .risks import clouds, folded, words

REVIEWS = [count_words(text) for text in tiny.REVIEWS.texts]
LABELS = list(tiny.REVIEWS.labels)
TEST = [count_words(tiny.REVIEW_TEST)]
ALL_SOLVERS = [
    "dual_cd", "newton", "lbfgs", "gradient_descent", "conjugate_gradient", "gis", "iis"
]  # fmt: skip


def exact(**settings: Any) -> MaxEnt:
    return MaxEnt(**{"tol": 1e-12, "max_iter": 100_000, "random_state": 0, **settings})


# --- numbers of the lectures -------------------------------------------------------------------


@pytest.mark.spec("F-04", "M-53", "M-59", "C-15", "C-24")
@pytest.mark.parametrize("solver", ALL_SOLVERS)
@pytest.mark.parametrize(
    ("lam", "optimum", "negative"),
    [(1.0, 0.5334190474, 0.584834), (0.1, 0.2525300417, 0.714473), (0.01, 0.0704367368, 0.833080)],
)
def test_the_five_reviews_give_the_worked_optimum(
    solver: str, lam: float, optimum: float, negative: float
) -> None:
    C = conversions.lambda_to_c(lam, len(REVIEWS), two_columns=True)
    clf = exact(C=C, solver=solver).fit(REVIEWS, LABELS)
    assert clf.classes_.tolist() == ["+", "-"]
    assert clf.history_["objective"][-1] * lam / 2 == pytest.approx(optimum, abs=1e-9)
    assert clf.predict_proba(TEST)[0, 1] == pytest.approx(negative, abs=1e-6)


@pytest.mark.spec("F-04", "A-41")
def test_the_five_reviews_give_the_worked_weights() -> None:
    clf = exact(C=0.4, tol=1e-13).fit(REVIEWS, LABELS)
    assert clf.intercept_[0] / 2 == pytest.approx(0.047870, abs=1e-6)
    predictable = list(clf.get_feature_names()).index("predictable")
    assert clf.coef_[0, predictable] / 2 == pytest.approx(0.060777, abs=1e-6)


@pytest.mark.spec("F-04", "M-53")
def test_the_objective_at_zero_is_the_log_of_the_number_of_classes() -> None:
    X, y = words(classes=5)
    start = exact(C=1.0, solver="newton").fit(X, y).history_["objective"][0]
    assert start / len(y) == pytest.approx(np.log(5), rel=1e-14)


@pytest.mark.spec("F-03", "M-51")
@pytest.mark.parametrize("solver", ["dual_cd", "newton", "lbfgs"])
@pytest.mark.parametrize(
    ("C", "weight", "value"),
    [(0.1, 0.090932, 0.129537), (0.25, 0.200529, 0.296507), (1.0, 0.521298, 0.875718)],
)
def test_two_points_give_the_worked_logistic_optimum(
    solver: str, C: float, weight: float, value: float
) -> None:
    clf = exact(C=C, solver=solver, fit_intercept=False).fit([[1, 1], [-1, -1]], [1, -1])
    np.testing.assert_allclose(clf.coef_, [[weight, weight]], atol=1e-6)
    assert clf.history_["objective"][-1] == pytest.approx(value, abs=1e-6)


@pytest.mark.spec("R-04", "M-59", "M-61", "M-69")
@pytest.mark.parametrize(
    ("cutoff_on", "lam", "optimum", "train", "test"),
    [
        ("all", 1.0, 0.622402779, 0.858125, 0.7900),
        ("all", 0.1, 0.442729462, 0.955625, 0.8350),
        ("all", 0.01, 0.206444386, 0.998125, 0.8425),
        ("all", 0.001, 0.061551004, 1.0, 0.8600),
        ("all", 1e-4, 0.013429005, 1.0, 0.8475),
        ("train", 1.0, 0.623100382, 0.855625, 0.7875),
        ("train", 0.1, 0.445200797, None, 0.8350),
        ("train", 0.01, 0.209659635, None, 0.8400),
        ("train", 0.001, 0.063122622, None, 0.8500),
        ("train", 1e-4, 0.013856243, None, 0.8425),
    ],
)
def test_amazon_books_reach_the_reference_optimum(
    books: Callable[[str], SentimentCorpus],
    cutoff_on: str, lam: float, optimum: float, train: float | None, test: float,
) -> None:  # fmt: skip
    data = books(cutoff_on)
    C = conversions.lambda_to_c(lam, len(data.train_y), two_columns=True)
    clf = exact(C=C, tol=1e-9).fit(data.train_X, data.train_y)
    assert clf.history_["objective"][-1] * lam / 2 == pytest.approx(optimum, rel=1e-5)
    assert train is None or clf.score(data.train_X, data.train_y) == train
    assert clf.score(data.test_X, data.test_y) == test


@pytest.fixture(scope="module")
def books(data_dir: Callable[[str], Path]) -> Callable[[str], SentimentCorpus]:
    folder, read = data_dir("amazon_books"), {}

    def corpus(cutoff_on: Any) -> SentimentCorpus:
        if cutoff_on not in read:
            read[cutoff_on] = SentimentCorpus(folder=folder, cutoff_on=cutoff_on)
        return read[cutoff_on]

    return corpus


# --- the model ---------------------------------------------------------------------------------


@pytest.mark.spec("M-50", "M-51", "W-24", "W-27", "C-01", "C-18")
def test_the_logistic_function_is_exact_from_end_to_end() -> None:
    clf = exact(fit_intercept=False).fit([[1.0], [-1.0]], [1, 0])
    z = np.array([-np.inf, -1e4, -1.0, 0.0, 1.0, 1e4, np.inf])[1:-1]
    scores = clf.decision_function((z / clf.coef_[0, 0])[:, None])
    p = clf.predict_proba((z / clf.coef_[0, 0])[:, None])
    np.testing.assert_allclose(scores, z, rtol=1e-12)
    assert (p[0, 1], p[2, 1], p[-1, 1]) == (0.0, 0.5, 1.0)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-15)
    log_p = clf.predict_log_proba((z / clf.coef_[0, 0])[:, None])
    assert log_p[0, 1] == pytest.approx(-1e4) and log_p[-1, 0] == pytest.approx(-1e4)


@pytest.mark.spec("M-51", "M-26", "W-24", "C-04", "A-20", "A-80")
def test_the_label_is_the_one_with_probability_above_a_half_and_a_tie_is_positive() -> None:
    X, y = clouds()
    clf = exact(fit_intercept=False).fit(X, y)
    p = clf.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(clf.predict(X), p >= 0.5)
    np.testing.assert_array_equal(clf.predict(X), clf.decision_function(X) >= 0)
    assert clf.predict(np.zeros((1, 4))) == [1]


@pytest.mark.spec("M-52", "C-04")
def test_the_multinomial_is_the_softmax_of_the_scores() -> None:
    X, y = clouds(classes=4)
    clf = exact().fit(X, y)
    scores = clf.decision_function(X)
    expected = scores - logsumexp(scores, axis=1, keepdims=True)
    np.testing.assert_allclose(clf.predict_log_proba(X), expected, atol=1e-12)
    np.testing.assert_allclose(clf.predict_proba(X), np.exp(expected), atol=1e-14)
    shifted = exact().fit(X, y)
    shifted.coef_ = clf.coef_ + np.arange(4.0)  # the same vector added to every class
    np.testing.assert_allclose(shifted.predict_proba(X), clf.predict_proba(X), atol=1e-12)


@pytest.mark.spec("F-04", "M-52")
def test_the_class_columns_of_the_optimum_sum_to_zero() -> None:
    X, y = words(classes=4)
    for solver in ("dual_cd", "newton", "lbfgs"):
        clf = exact(solver=solver).fit(X, y)
        np.testing.assert_allclose(clf.coef_.sum(axis=0), 0.0, atol=1e-6)


def test_one_vs_rest_probabilities_are_normalised_even_far_from_the_data() -> None:
    X, y = clouds(classes=3)
    clf = MaxEnt(multi_class="ovr").fit(X, y)
    far = 1e6 * X
    assert np.isfinite(clf.predict_proba(far)).all()
    np.testing.assert_allclose(clf.predict_proba(far).sum(axis=1), 1.0)
    assert np.isfinite(clf.predict_log_proba(far)).all()
    np.testing.assert_allclose(np.exp(clf.predict_log_proba(X)), clf.predict_proba(X))


@pytest.mark.spec("M-25", "M-52")
def test_a_joint_map_that_copies_the_features_is_the_plain_model() -> None:
    words_of, tags = [["a", "b"], ["b"], ["c", "a"], ["c"], ["b", "c"]], [0, 1, 2, 2, 1]

    def f(x: list[str], y: int) -> dict[str, float]:
        return {f"{word}&{y}": 1.0 for word in x}

    joint = exact(joint_map=f).fit(words_of, tags)
    plain = exact(fit_intercept=False).fit([dict.fromkeys(x, 1.0) for x in words_of], tags)
    bags = [dict.fromkeys(x, 1.0) for x in words_of]
    np.testing.assert_allclose(joint.predict_proba(words_of), plain.predict_proba(bags), atol=1e-6)
    assert joint.coef_.shape == (1, 9) and list(joint.get_feature_names()[:2]) == ["a&0", "a&1"]
    np.testing.assert_array_equal(joint.predict(words_of), plain.predict(bags))
    two = exact(joint_map=f).fit(words_of, np.minimum(tags, 1))
    assert two.decision_function(words_of).shape == (5,)


# --- gradient and optimum ----------------------------------------------------------------------


@pytest.mark.spec("M-54", "M-65", "M-83", "M-91", "C-30")
@pytest.mark.parametrize("penalize_bias", [True, False])
@pytest.mark.parametrize("values", ["ones", "floats", "doubles"])
@pytest.mark.parametrize(
    ("loss", "form", "classes"),
    [("log", "columns", 2), ("log", "joint", 5), ("log", "columns", 5), ("log", "grouped", 3),
     ("squared_hinge", "columns", 2), ("squared_hinge", "columns", 4), ("squared", "columns", 2)],
)  # fmt: skip
def test_the_gradient_agrees_with_central_differences(
    loss: str, form: str, classes: int, values: str, penalize_bias: bool
) -> None:
    rng = np.random.default_rng(0)
    dense = (rng.random((30, 7)) < 0.4) * 1.0
    dense *= {"ones": 1.0, "floats": 0.5, "doubles": 0.1}[values]
    features = checked_features(dense)
    count = 10 if form == "grouped" else 30
    gold = rng.integers(0, classes, count).astype(np.int32)
    columns = 1 if classes == 2 or form == "grouped" else classes
    weights = rng.normal(size=(8, columns))
    cost = rng.random(count)

    def value(w: NDArray[np.float64], out: NDArray[np.float64]) -> float:
        return _core.objective(
            x=features.matrix, gold=gold, cost=cost, classes=classes, weights=w, loss=loss,
            form=form, bias=0.7, penalize_bias=penalize_bias, l2=0.3, gradient=out, threads=1,
        )  # fmt: skip

    gradient, unused = np.empty_like(weights), np.empty_like(weights)
    value(weights, gradient)
    for index in np.ndindex(*weights.shape):
        step = np.zeros_like(weights)
        step[index] = 1e-5
        slope = (value(weights + step, unused) - value(weights - step, unused)) / 2e-5
        assert gradient[index] == pytest.approx(slope, rel=1e-6, abs=1e-7)


@pytest.mark.spec("M-61", "M-85")
def test_newton_converges_quadratically() -> None:
    X, y = words(classes=3)
    clf = exact(solver="newton", tol=1e-15).fit(X, y)
    norms = clf.history_["gradient_norm"]
    late = norms[norms > 1e-7][-3:]
    assert (late[1:] <= 0.5 * late[:-1] ** 2).all()


@pytest.mark.spec("M-61", "C-30")
@pytest.mark.parametrize("classes", [2, 4])
def test_the_optimum_is_that_of_the_reference(classes: int) -> None:
    X, y = clouds(classes=classes)
    problem = maxent.summed_loss(folded(X), y, classes, C=0.7)
    optimum = newton.newton(problem, problem.hessian, np.zeros(problem.shape))
    # two columns pay twice for what one column pays once
    clf = exact(C=0.7 if classes > 2 else 1.4, tol=1e-14).fit(X, y)
    columns = optimum.x if classes > 2 else optimum.x[:, 1:] - optimum.x[:, :1]
    np.testing.assert_allclose(clf.coef_, columns[:-1].T, atol=1e-7)
    np.testing.assert_allclose(clf.intercept_, columns[-1], atol=1e-7)


@pytest.mark.spec("M-55", "M-71")
@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_without_a_penalty_the_model_matches_the_observed_feature_means(solver: str) -> None:
    X, y = clouds(rows=200, classes=3)
    clf = exact(penalty=None, solver=solver).fit(X, y)
    p = clf.predict_proba(X)
    observed = maxent.observations(folded(X), y, 3)
    np.testing.assert_allclose(folded(X).T @ p / len(y), observed, atol=1e-6)


@pytest.mark.spec("M-55", "M-71")
def test_with_a_penalty_the_means_differ_by_the_weights_over_c_and_m() -> None:
    X, y = clouds(rows=200, classes=3)
    clf = exact(C=0.3, tol=1e-14).fit(X, y)
    gap = maxent.observations(folded(X), y, 3) - folded(X).T @ clf.predict_proba(X) / len(y)
    weights = np.vstack([clf.coef_.T, clf.intercept_])
    np.testing.assert_allclose(gap, weights / (0.3 * len(y)), atol=1e-8)
