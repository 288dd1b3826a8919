"""MaxEnt on distributions: the cross-entropy's optimum, certified, and one-hot rows are labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import linnet
from linnet.errors import DataError
from linnet.reference.maxent import soft_objective

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
T = RNG.dirichlet(np.ones(3) / 2, 40)
T[0] = [1.0, 0.0, 0.0]


def weights_of(model: linnet.MaxEnt) -> Any:
    return np.vstack([model.coef_.T, model.intercept_])


def test_the_gradient_of_the_reference_is_that_of_finite_differences() -> None:
    W = RNG.normal(size=(5, 3))
    _, gradient = soft_objective(W, X, T, 0.7)
    for j, k in ((0, 0), (3, 1), (4, 2)):
        step = np.zeros_like(W)
        step[j, k] = 1e-5
        rise = soft_objective(W + step, X, T, 0.7)[0] - soft_objective(W - step, X, T, 0.7)[0]
        assert rise / 2e-5 == pytest.approx(gradient[j, k], rel=1e-6)


@pytest.mark.parametrize("solver", ["auto", "dual_cd", "newton", "lbfgs"])
def test_every_solver_finds_the_optimum_of_the_reference(solver: str) -> None:
    model = linnet.MaxEnt(C=2.0, solver=solver, tol=1e-9, max_iter=5000).fit(X, T)
    value, gradient = soft_objective(weights_of(model), np.hstack([X, np.ones((40, 1))]), T, 2.0)
    assert np.abs(gradient).max() < 1e-3
    assert model.optimality_ <= 1e-9
    assert model.history_["objective"][-1] == pytest.approx(value, rel=1e-7)
    assert model.classes_.tolist() == [0, 1, 2]


def test_two_classes_and_weights() -> None:
    two = np.column_stack([T[:, 0], 1 - T[:, 0]])
    often = np.tile([1.0, 2.0], 20)
    weighted = linnet.MaxEnt(tol=1e-8).fit(X, two, often)
    repeated = linnet.MaxEnt(tol=1e-8).fit(np.vstack([X, X[1::2]]), np.vstack([two, two[1::2]]))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-3)
    assert weighted.coef_.shape == (1, 5)


def test_rows_of_one_class_are_labels() -> None:
    gold = np.arange(40) % 3
    soft = linnet.MaxEnt(classes=["a", "b", "c"], tol=1e-8).fit(csr_matrix(X), np.eye(3)[gold])
    hard = linnet.MaxEnt(tol=1e-8).fit(X, np.array(["a", "b", "c"])[gold])
    np.testing.assert_allclose(soft.coef_, hard.coef_, atol=1e-4)
    assert soft.predict(X).tolist() == hard.predict(X).tolist()


def test_columns_of_a_data_frame_are_the_classes() -> None:
    pandas = pytest.importorskip("pandas")
    model = linnet.MaxEnt().fit(X, pandas.DataFrame(T, columns=["x", "y", "z"]))
    assert model.classes_.tolist() == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("targets", "says"),
    [
        (T * 2, "Row 0 of the targets is no distribution"),
        (np.where(T == T[5, 0], -T, T), "Row 5"),
        (T[:-1], "has 39"),
        (np.column_stack([T, np.zeros(40)]), "any probability"),
        (np.where(T == T[7, 1], np.nan, T), "Row 7"),
    ],
)
def test_what_is_no_distribution_is_refused(targets: Any, says: str) -> None:
    with pytest.raises(DataError, match=says):
        linnet.MaxEnt().fit(X, targets)
    with pytest.raises(DataError, match="2 labels"):
        linnet.MaxEnt(classes=["a", "b"]).fit(X, T)
