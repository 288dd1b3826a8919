"""Least squares: the lecture's line, the normal equations, the solution of least norm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression as SklearnLinearRegression
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import check_estimator

from linnet.data import load_vague_adjectives
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.learn import regression
from linnet.learn.regression import LinearRegression
from linnet.reference.common import add_bias
from linnet.reference.regression import least_squares, line

Data = tuple[NDArray[np.float64], NDArray[np.float64]]


def problem(seed: int = 0, rows: int = 40, cols: int = 5) -> Data:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, cols)) + 1.0
    return X, X @ rng.normal(size=cols) + rng.normal(size=rows) + 3.0


@pytest.fixture(params=["factorisation", "lsqr"])
def each_solver(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with both ways to solve, whatever the size."""
    if request.param == "lsqr":
        monkeypatch.setattr(regression, "DENSE_LIMIT", 0)
    return str(request.param)


@pytest.mark.spec("W-20", "M-93")
def test_vague_adjectives_have_the_line_of_the_textbook(each_solver: str) -> None:
    X, y = load_vague_adjectives()
    model = LinearRegression().fit(X, y)
    assert model.coef_[0] == pytest.approx(-4900, rel=1e-12)
    assert model.intercept_ == pytest.approx(16550, rel=1e-12)
    assert model.history_["objective"][-1] == pytest.approx(45_775_000, rel=1e-12)
    expected = line(X[:, 0], y)
    assert (expected.slope, expected.intercept) == pytest.approx((model.coef_[0], model.intercept_))


@pytest.mark.spec("M-94", "A-71")
@pytest.mark.parametrize("ridge", [0.0, 0.7])
@pytest.mark.parametrize("penalize_intercept", [True, False])
def test_the_normal_equations_hold(
    each_solver: str, ridge: float, penalize_intercept: bool
) -> None:
    X, y = problem()
    weights = np.random.default_rng(1).random(len(y))
    model = LinearRegression(ridge, penalize_intercept=penalize_intercept).fit(X, y, weights)
    error = weights * (model.predict(X) - y)
    bias = ridge * model.intercept_ if penalize_intercept else 0.0
    np.testing.assert_allclose(X.T @ error + ridge * model.coef_, 0, atol=1e-8)
    assert error.sum() + bias == pytest.approx(0, abs=1e-8)
    assert model.optimality_ <= 1e-8


@pytest.mark.spec("M-94", "A-71")
@pytest.mark.parametrize("ridge", [0.0, 0.7])
@pytest.mark.parametrize("cols", [5, 60])
def test_a_column_of_ones_gives_the_weights_of_the_reference(
    each_solver: str, ridge: float, cols: int
) -> None:
    X, y = problem(cols=cols)
    model = LinearRegression(ridge, penalize_intercept=True).fit(X, y)
    expected = least_squares(add_bias(X), y, ridge)
    np.testing.assert_allclose([*model.coef_, model.intercept_], expected, atol=1e-8)
    plain = LinearRegression(ridge, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(plain.coef_, least_squares(X, y, ridge), atol=1e-8)
    assert plain.intercept_ == 0.0


@pytest.mark.spec("A-71", "M-94")
def test_many_solutions_give_the_one_of_least_norm(each_solver: str) -> None:
    X, y = problem(cols=3)
    double = np.hstack([X, X, np.ones((len(y), 1))])
    model = LinearRegression().fit(double, y)
    single = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, [*single.coef_ / 2, *single.coef_ / 2, 0], atol=1e-9)
    limit = LinearRegression(ridge=1e-6).fit(double, y)
    np.testing.assert_allclose(model.coef_, limit.coef_, atol=1e-6)
    assert model.optimality_ <= 1e-8


@pytest.mark.parametrize("cols", [5, 60])
def test_weights_are_those_of_scikit_learn(each_solver: str, cols: int) -> None:
    X, y = problem(2, cols=cols)
    weights = np.random.default_rng(2).random(len(y))
    for ours, twin in (
        (LinearRegression(), SklearnLinearRegression()),
        (LinearRegression(ridge=0.3), Ridge(alpha=0.3, solver="svd")),
    ):
        ours.fit(X, y, weights)
        twin.fit(X, y, weights)
        np.testing.assert_allclose(ours.coef_, twin.coef_, atol=1e-7)
        assert ours.intercept_ == pytest.approx(twin.intercept_, abs=1e-7)


@pytest.mark.spec("C-05")
def test_dense_sparse_and_dictionary_input_give_the_same_model(each_solver: str) -> None:
    X, y = problem(3)
    X[np.abs(X) < 0.5] = 0.0
    dense = LinearRegression().fit(X, y)
    for other in (sp.csr_matrix(X), [{f"f{j}": v for j, v in enumerate(row)} for row in X]):
        model = LinearRegression().fit(other, y)
        np.testing.assert_allclose(model.coef_, dense.coef_, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(model.predict(other), dense.predict(X), atol=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.floats(0, 10))
def test_no_other_weights_have_a_smaller_objective(seed: int, ridge: float) -> None:
    X, y = problem(seed, rows=15)
    model = LinearRegression(ridge).fit(X, y)
    rng = np.random.default_rng(seed)
    for scale in (1e-3, 1e-1):
        coef = model.coef_ + scale * rng.normal(size=5)
        error = X @ coef + model.intercept_ + scale * rng.normal() - y
        assert error @ error + ridge * coef @ coef >= model.history_["objective"][-1]


@pytest.mark.spec("M-94")
def test_the_sign_of_the_prediction_is_a_classifier() -> None:
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([-1, -1, 1, 1])
    model = LinearRegression().fit(X, y)
    assert model.predict_sign(X).tolist() == y.tolist()
    assert model.predict_sign([[0.0]]).tolist() == [1]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan], "NaN"),
        ([1.0], "inconsistent"),
        (["a", "b"], "number"),
        ([[1.0, 2.0], [3.0, 4.0]], "one number a row"),
        (None, "requires y"),
    ],
)
def test_targets_that_cannot_be_used_are_refused(y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        LinearRegression().fit([[1.0], [2.0]], y)


def test_wrong_parameters_and_early_use_are_refused() -> None:
    wrong: list[Any] = [-1.0, np.inf, "strong"]
    for ridge in wrong:
        with pytest.raises(ParameterError, match="ridge"):
            LinearRegression(ridge).fit(*problem())
    with pytest.raises(NotFittedError):
        LinearRegression().predict([[1.0]])


def test_a_fit_that_is_refused_leaves_the_model_as_it_was() -> None:
    X, y = problem()
    model = LinearRegression().fit(X, y)
    before = model.predict(X)
    with pytest.raises(DataError):
        model.fit(np.ones((len(y), 50)), np.full(len(y), np.nan))
    np.testing.assert_array_equal(model.predict(X), before)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "model",
    [LinearRegression(), LinearRegression(0.5), LinearRegression(0.5, penalize_intercept=True)],
)
def test_the_estimator_keeps_the_contract_of_scikit_learn(model: LinearRegression) -> None:
    check_estimator(model)
