"""The dual perceptron: the lecture's numbers, the plain twin, the primal run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linnet
from linnet import feature_maps
from linnet.errors import DataError, ParameterError
from linnet.reference import kernel_perceptron as plain

XOR = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
SIGNS = np.array([1, -1, -1, 1])


def integers(rows: int = 60, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Return examples whose scores are exact in floating point."""
    rng = np.random.default_rng(rows + classes)
    X = rng.integers(-3, 4, size=(rows, 5)).astype(float)
    return X, np.argmax(X @ rng.normal(size=(5, classes)) + rng.normal(size=classes), axis=1)


def in_order(**options: Any) -> linnet.KernelPerceptron:
    return linnet.KernelPerceptron(shuffle=False, **options)


@pytest.mark.spec("F-08", "M-40")
def test_xor_is_learnt_with_two_mistakes() -> None:
    model = in_order(kernel="quadratic", average=False).fit(XOR, SIGNS)
    assert model.alpha_.tolist() == [1, 1, 0, 0]
    assert model.intercept_.tolist() == [0.0]
    assert model.mistakes_.tolist() == [2, 0]
    assert model.decision_function(XOR).tolist() == [4.0, -4.0, -4.0, 4.0]


@pytest.mark.spec("F-08")
def test_a_linear_perceptron_never_learns_xor() -> None:
    model = in_order(kernel="linear", max_iter=200).fit(XOR, SIGNS)
    assert model.n_iter_ == 200 and (model.mistakes_ > 0).all()


@pytest.mark.spec("M-39", "M-41", "A-29", "A-30")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("average", [False, True])
def test_the_dual_run_equals_the_primal_run(classes: int, average: bool) -> None:
    X, y = integers(classes=classes)
    dual = in_order(kernel="linear", average=average).fit(X, y)
    primal = linnet.Perceptron(shuffle=False, average=average).fit(X, y)
    np.testing.assert_allclose(dual.dual_coef_ @ dual.support_vectors_, primal.coef_, rtol=1e-12)
    np.testing.assert_allclose(dual.intercept_, primal.intercept_, rtol=1e-12)
    np.testing.assert_array_equal(dual.mistakes_, primal.mistakes_)
    assert dual.alpha_.sum() == dual.mistakes_.sum()


@pytest.mark.spec("M-39")
def test_the_dual_run_meets_the_examples_in_the_order_of_the_primal_run() -> None:
    X, y = integers()
    dual = linnet.KernelPerceptron(kernel="linear", random_state=5).fit(X, y)
    primal = linnet.Perceptron(random_state=5).fit(X, y)
    np.testing.assert_array_equal(dual.mistakes_, primal.mistakes_)
    other = linnet.KernelPerceptron(kernel="linear", random_state=6).fit(X, y)
    assert (other.alpha_ != dual.alpha_).any()


@pytest.mark.spec("M-40")
def test_a_kernel_run_equals_the_primal_run_on_the_explicit_map() -> None:
    X, y = integers()
    dual = in_order(kernel="quadratic", average=False).fit(X, y)
    primal = linnet.Perceptron(shuffle=False, average=False).fit(feature_maps.quadratic(X), y)
    np.testing.assert_array_equal(dual.mistakes_, primal.mistakes_)
    np.testing.assert_array_equal(
        dual.decision_function(X), primal.decision_function(feature_maps.quadratic(X))
    )


@pytest.mark.spec("M-41")
@pytest.mark.parametrize("classes", [2, 4])
def test_the_run_equals_the_plain_twin(classes: int) -> None:
    X, y = integers(40, classes)
    gram = (X @ X.T + 1.0) ** 2
    if classes == 2:
        twin = plain.binary(gram, np.where(y == 1, 1, -1), n_rounds=6)
    else:
        twin = plain.multiclass(gram, y, classes, n_rounds=6)
    options = {"kernel": "polynomial", "degree": 2, "gamma": 1.0, "coef0": 1.0, "max_iter": 6}
    for average, dual, b in (
        (False, twin.dual, twin.intercept),
        (True, twin.mean_dual, twin.mean_intercept),
    ):
        model = in_order(average=average, **options).fit(X, y)
        full = np.zeros((len(X), model.dual_coef_.shape[0]))
        full[model.support_] = model.dual_coef_.T
        np.testing.assert_allclose(full, dual.reshape(full.shape), atol=1e-12)
        np.testing.assert_allclose(model.intercept_, np.atleast_1d(b), atol=1e-12)
        assert tuple(model.mistakes_) == twin.mistakes


def test_precomputed_and_function_kernels_give_the_same_run() -> None:
    X, y = integers()
    options = {"average": False, "max_iter": 3}
    named = in_order(kernel="quadratic", **options).fit(X, y)
    table = in_order(kernel="precomputed", **options).fit((X @ X.T) ** 2, y)
    function = in_order(kernel=lambda A, B: (A @ B.T) ** 2, **options).fit(X, y)
    for other in (table, function):
        np.testing.assert_array_equal(named.alpha_, other.alpha_)
    np.testing.assert_array_equal(named.predict(X), function.predict(X))
    np.testing.assert_array_equal(named.predict(X), table.predict((X @ X.T) ** 2))


def test_the_rule_for_ties_decides_about_a_score_of_zero() -> None:
    X, y = [[1.0], [-1.0]], [1, 0]
    assert in_order(kernel="linear", tie="nonpositive").fit(X, y).mistakes_[0] == 2
    assert in_order(kernel="linear", tie="sign").fit(X, y).mistakes_[0] == 1
    assert in_order(kernel="linear", tie="strict").fit(X, y).mistakes_.tolist() == [0]
    assert in_order(kernel="linear", tie="strict").fit(X, y).predict(X).tolist() == [1, 1]


def test_strings_are_learnt() -> None:
    X = ["abab", "baba", "cdcd", "dcdc"]
    model = linnet.KernelPerceptron(kernel="string_subsequence", length=2, random_state=0)
    assert model.fit(X, [0, 0, 1, 1]).predict(["ababab", "cd"]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"kernel": "cosine"}, ParameterError),
        ({"tie": "never"}, ParameterError),
        ({"max_iter": 0}, ParameterError),
        ({"max_iter": 1.5}, ParameterError),
        ({"average": "before"}, ParameterError),
        ({"kernel": "precomputed"}, DataError),
    ],
)
def test_bad_settings_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        linnet.KernelPerceptron(**options).fit(XOR[:, :1], SIGNS)
