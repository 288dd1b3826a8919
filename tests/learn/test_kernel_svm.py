"""Kernel support vector machines: the lectures' numbers, other kernels, hard cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

import linnet
from linnet import feature_maps, kernels
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.learn.svm import votes

from .kernel_cloud import TIGHT, cloud, full_dual

PAIR = [[1.0, 1.0], [-1.0, -1.0]], [1, -1]


# --- the lectures ------------------------------------------------------------------------------


@pytest.mark.spec("F-03", "M-78", "M-80", "A-31")
@pytest.mark.parametrize("penalize", [False, True])
@pytest.mark.parametrize(
    ("C", "w", "alpha", "value"),
    [(0.1, 0.2, 0.1, 0.16), (0.25, 0.5, 0.25, 0.25), (7, 0.5, 0.25, 0.25)],
)
def test_two_points(C: float, w: float, alpha: float, value: float, penalize: bool) -> None:
    model = linnet.KernelSVM(C, kernel="linear", penalize_intercept=penalize, tol=TIGHT).fit(*PAIR)
    np.testing.assert_allclose(model.coef_, [[w, w]], rtol=1e-7)
    np.testing.assert_allclose(np.abs(model.dual_coef_), [[alpha, alpha]], rtol=1e-7)
    assert model.certificate_["primal"] == pytest.approx(value)
    assert model.certificate_["dual"] == pytest.approx(value)
    assert model.intercept_[0] == pytest.approx(0.0, abs=1e-7)


@pytest.mark.spec("F-03", "M-77", "A-35")
def test_the_hard_margin_of_two_points_is_2_828427_wide() -> None:
    model = linnet.KernelSVM(np.inf, kernel="linear", tol=TIGHT).fit(*PAIR)
    assert 2 / np.linalg.norm(model.coef_) == pytest.approx(2.828427, abs=1e-6)


@pytest.mark.spec("M-77")
@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
def test_support_vectors_of_a_hard_margin_have_margin_one(kernel: str) -> None:
    X, y = load_iris(return_X_y=True)
    X, sign = X[:100], np.where(y[:100] == 1, 1, -1)
    model = linnet.KernelSVM(np.inf, kernel=kernel, tol=1e-7).fit(X, sign)
    margins = sign * model.decision_function(X)
    assert margins.min() > 1 - 1e-5
    np.testing.assert_allclose(margins[model.support_], 1.0, atol=1e-5)
    assert model.optimality_ < 1e-5
    soft = linnet.KernelSVM(1e6, kernel=kernel, tol=1e-7).fit(X, sign)
    np.testing.assert_allclose(soft.decision_function(X), model.decision_function(X), atol=1e-4)


@pytest.mark.spec("M-77")
@pytest.mark.parametrize("penalize", [False, True])
@pytest.mark.parametrize(
    "X",
    [
        [[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]],  # XOR
        [[0.0], [1.0], [2.0], [3.0]],
        [[2.0], [2.0], [2.0], [2.0]],
        np.random.default_rng(3).normal(size=(100, 2)),
    ],
    ids=["xor", "line", "equal", "noise"],
)
def test_no_hard_margin_is_an_error_that_names_the_classes(X: Any, penalize: bool) -> None:
    y = np.resize(["b", "a"], len(X))
    model = linnet.KernelSVM(np.inf, kernel="linear", penalize_intercept=penalize)
    with pytest.raises(DataError, match="'a' and 'b' cannot be separated"):
        model.fit(X, y)


@pytest.mark.spec("M-81", "F-08")
def test_xor_is_separated_by_the_quadratic_kernel() -> None:
    X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, 0, 0, 1]
    model = linnet.KernelSVM(10.0, kernel="quadratic", tol=TIGHT).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), [1, -1, -1, 1], atol=1e-6)


@pytest.mark.spec("M-80")
@pytest.mark.parametrize("penalize", [False, True])
@pytest.mark.parametrize("kernel", ["linear", "quadratic", "polynomial", "gaussian"])
def test_the_duality_gap_vanishes(kernel: str, penalize: bool) -> None:
    X, y = cloud()
    model = linnet.KernelSVM(2.0, kernel=kernel, penalize_intercept=penalize, tol=1e-9).fit(X, y)
    assert 0 <= model.optimality_ < 1e-6
    beta = full_dual(model, len(X))[0]
    sign = np.where(y == 1, 1.0, -1.0)
    assert ((beta * sign >= 0) & (beta * sign <= 2.0)).all()
    if not penalize:
        assert abs(beta.sum()) < 1e-9
    # the objective of weights and intercept, from the scores alone
    scores = model.decision_function(X)
    norm = beta @ (scores - model.intercept_) + (model.intercept_[0] ** 2 if penalize else 0.0)
    primal = 0.5 * norm + 2.0 * np.maximum(0, 1 - sign * scores).sum()
    assert primal == pytest.approx(model.certificate_["primal"], rel=1e-6)


@pytest.mark.spec("M-79")
def test_a_penalised_intercept_is_one_more_feature() -> None:
    X, y = cloud()
    folded = linnet.KernelSVM(kernel="linear", penalize_intercept=True, tol=TIGHT).fit(X, y)
    ones = np.hstack([X, np.ones((len(X), 1))])
    plain = linnet.KernelSVM(kernel="linear", fit_intercept=False, tol=TIGHT).fit(ones, y)
    np.testing.assert_allclose(
        np.hstack([folded.coef_, folded.intercept_[None]]), plain.coef_, atol=1e-6
    )
    few = np.r_[np.flatnonzero(y == 0)[:5], np.flatnonzero(y == 1)]  # a large intercept
    free, folded = (
        linnet.KernelSVM(0.01, kernel="linear", penalize_intercept=penalize).fit(X[few], y[few])
        for penalize in (False, True)
    )
    assert abs(free.intercept_[0] - folded.intercept_[0]) > 0.01
    assert free.certificate_["primal"] < folded.certificate_["primal"]


@pytest.mark.spec("M-79", "M-82")
def test_the_linear_kernel_agrees_with_the_linear_machine() -> None:
    X, y = cloud(200)
    ours = linnet.KernelSVM(kernel="linear", penalize_intercept=True, tol=TIGHT).fit(X, y)
    linear = linnet.SVM(tol=1e-8, max_iter=100_000, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.coef_, linear.coef_, atol=1e-4)
    assert ours.certificate_["primal"] == pytest.approx(linear.history_["objective"][-1], rel=1e-6)


@pytest.mark.spec("M-80")
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("classes", [2, 4])
def test_scores_from_the_duals_are_scores_from_the_weights(classes: int, multi_class: str) -> None:
    X, y = cloud(150, classes)
    model = linnet.KernelSVM(kernel="linear", multi_class=multi_class).fit(X, y)
    scores = X @ model.coef_.T + model.intercept_
    if classes == 2:
        np.testing.assert_allclose(model.decision_function(X), scores[:, 0], atol=1e-10)
    elif multi_class == "ovr":
        np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-10)
    else:
        np.testing.assert_allclose(model.pair_scores(X), scores, atol=1e-10)


@pytest.mark.spec("M-90")
def test_an_example_that_is_no_support_vector_can_be_taken_away() -> None:
    X, y = cloud(120)
    options = {"kernel": "gaussian", "gamma": 0.2, "tol": 1e-10}
    model = linnet.KernelSVM(1.0, **options).fit(X, y)
    assert 0 < len(model.support_) < len(X)
    left = linnet.KernelSVM(1.0, **options).fit(X[model.support_], y[model.support_])
    np.testing.assert_allclose(left.decision_function(X), model.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])


@pytest.mark.spec("M-40", "M-81")
def test_the_kernel_and_its_map_are_one_machine() -> None:
    X, y = cloud()
    by_kernel = linnet.KernelSVM(kernel="quadratic", tol=TIGHT).fit(X, y)
    mapped = feature_maps.quadratic(X)
    by_map = linnet.KernelSVM(kernel="linear", tol=TIGHT).fit(mapped, y)
    np.testing.assert_allclose(
        by_kernel.decision_function(X), by_map.decision_function(mapped), atol=1e-5
    )


@pytest.mark.spec("M-89")
def test_five_classes_make_ten_pairs_each_trained_on_its_two_classes() -> None:
    X, y = cloud(150, 5)
    model = linnet.KernelSVM(tol=TIGHT, gamma=0.3).fit(X, y)
    assert model.pair_scores(X).shape == (150, 10)
    rows = np.isin(y, (1, 3))
    pair = linnet.KernelSVM(tol=TIGHT, gamma=0.3).fit(X[rows], y[rows])
    np.testing.assert_allclose(model.pair_scores(X)[:, 5], pair.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(model.decision_function(X), votes(model.pair_scores(X), 5))


@pytest.mark.spec("M-88")
def test_one_against_the_rest_is_one_machine_a_class() -> None:
    X, y = cloud(100, 3)
    model = linnet.KernelSVM(multi_class="ovr", gamma=0.3, tol=TIGHT).fit(X, y)
    for k in range(3):
        one = linnet.KernelSVM(gamma=0.3, tol=TIGHT).fit(X, y == k)
        np.testing.assert_allclose(
            model.decision_function(X)[:, k], one.decision_function(X), atol=1e-5
        )


# --- other kernels -----------------------------------------------------------------------------


def test_a_function_and_its_gram_matrix_are_one_kernel() -> None:
    X, y = cloud(60, 3)

    def laplace(A: Any, B: Any) -> Any:
        return np.exp(-np.abs(A[:, None] - B[None]).sum(axis=2))

    by_function = linnet.KernelSVM(kernel=laplace, tol=1e-6).fit(X, y)
    by_table = linnet.KernelSVM(kernel="precomputed", tol=1e-6).fit(laplace(X, X), y)
    Z = X[::-1] + 0.1
    np.testing.assert_allclose(
        by_function.pair_scores(Z), by_table.pair_scores(laplace(Z, X)), atol=1e-12
    )


def test_strings_are_classified_by_their_subsequences() -> None:
    X = ["science is organized", "wisdom is organized life", "cats and dogs", "dogs chase cats"]
    model = linnet.KernelSVM(10.0, kernel="string_subsequence", length=3).fit(X, list("ssdd"))
    assert model.predict(["organized science", "a cat and a dog"]).tolist() == ["s", "d"]
    assert all(vector in X for vector in model.support_vectors_)


def test_a_kernel_that_is_not_positive_semi_definite_still_ends() -> None:
    X, y = cloud(200)
    model = linnet.KernelSVM(100.0, kernel="sigmoid", gamma=2.0, coef0=-1.0).fit(X, y)
    assert np.linalg.eigvalsh(kernels.sigmoid(X, gamma=2.0, coef0=-1.0))[0] < -1
    assert model.certificate_["violation"] <= 1e-3
    assert np.isfinite(model.decision_function(X)).all()
    negative = linnet.KernelSVM(kernel="precomputed").fit(-np.eye(4), [0, 1, 0, 1])
    assert np.isfinite(negative.dual_coef_).all()


def test_a_huge_gamma_remembers_the_examples() -> None:
    X, y = cloud(50)
    model = linnet.KernelSVM(gamma=1e12).fit(X, y)
    assert len(model.support_) == 50
    assert (model.predict(X) == y).all()
    assert np.isfinite(model.decision_function(X + 1)).all()


def test_far_away_rows_keep_their_small_distances() -> None:
    X, y = cloud(80)
    near = linnet.KernelSVM(gamma=1.0, tol=1e-5).fit(X, y)
    far = linnet.KernelSVM(gamma=1.0, tol=1e-5).fit(X + 1e4, y)
    np.testing.assert_allclose(far.decision_function(X + 1e4), near.decision_function(X), atol=1e-3)


def test_contradictory_examples_stay_at_their_bounds() -> None:
    model = linnet.KernelSVM(3.0).fit([[1.0]] * 4, [0, 1, 0, 1])
    assert np.abs(model.dual_coef_).tolist() == [[3.0] * 4]
    assert model.decision_function([[1.0]]).tolist() == [0.0]


@pytest.mark.parametrize(
    ("options", "X", "y", "error"),
    [
        ({}, [[np.nan], [1.0]], [0, 1], DataError),
        ({}, [[1.0], [2.0]], [1, 1], DataError),
        ({}, np.empty((0, 2)), [], DataError),
        ({"kernel": "precomputed"}, np.empty((0, 0)), [], DataError),
        ({"kernel": "precomputed"}, np.ones((2, 3)), [0, 1], DataError),
        ({"kernel": "precomputed"}, [[1.0, 2.0], [0.0, 1.0]], [0, 1], DataError),
        ({"kernel": "precomputed"}, [[1.0, np.nan], [np.nan, 1.0]], [0, 1], DataError),
        ({"kernel": lambda a, b: np.ones((1, 1))}, [[1.0], [2.0]], [0, 1], DataError),
        ({"kernel": "string_subsequence"}, [1.0, 2.0], [0, 1], DataError),
        ({"kernel": "string_subsequence"}, np.ones((2, 2)), [0, 1], DataError),
        ({"kernel": "polynomial", "degree": 99, "gamma": 1.0}, [[1e5], [2e5]], [0, 1], DataError),
        ({"kernel": "rbf"}, [[1.0], [2.0]], [0, 1], ParameterError),
        ({"C": 0.0}, [[1.0], [2.0]], [0, 1], ParameterError),
        ({"C": float("nan")}, [[1.0], [2.0]], [0, 1], ParameterError),
        ({"gamma": "big"}, [[1.0], [2.0]], [0, 1], ParameterError),
        ({"gamma": -1.0}, [[1.0], [2.0]], [0, 1], ParameterError),
        ({"sigma": 0.0}, [[1.0], [2.0]], [0, 1], ParameterError),
        ({"multi_class": "crammer_singer"}, [[1.0], [2.0]], [0, 1], ParameterError),
        ({"cache_mb": 0}, [[1.0], [2.0]], [0, 1], ParameterError),
        ({"tol": 0.0}, [[1.0], [2.0]], [0, 1], ParameterError),
    ],
)
def test_what_cannot_work_is_refused(
    options: dict[str, Any], X: Any, y: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        linnet.KernelSVM(**options).fit(X, y)


def test_weights_exist_for_the_linear_kernel_only() -> None:
    X, y = cloud(20)
    assert not hasattr(linnet.KernelSVM().fit(X, y), "coef_")
    with pytest.raises(NotFittedError):
        linnet.KernelSVM().predict(X)
