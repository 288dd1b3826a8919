from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from linnet.errors import ParameterError
from linnet.reference import dual_coordinate_descent as dcd
from linnet.reference.conversions import lambda_to_c
from linnet.reference.lbfgs import lbfgs
from linnet.reference.maxent import binary_objective
from linnet.reference.svm import crammer_singer_primal

from .corpora import random_classes, random_orders, two_clouds, two_points


@pytest.mark.spec("F-03", "M-84", "M-82", "M-83", "M-69")
@pytest.mark.parametrize(
    ("solve", "C", "weight", "value"),
    [
        (lambda X, y, C: dcd.svm(X, y, C=C), 0.1, 0.2, 0.16),
        (lambda X, y, C: dcd.svm(X, y, C=C), 0.25, 0.5, 0.25),
        (lambda X, y, C: dcd.svm(X, y, C=C), 10.0, 0.5, 0.25),
        (lambda X, y, C: dcd.svm(X, y, C=C, loss="squared_hinge"), 0.1, 2 / 9, 1 / 9),
        (lambda X, y, C: dcd.svm(X, y, C=C, loss="squared_hinge"), 1.0, 4 / 9, 2 / 9),
        (lambda X, y, C: dcd.logistic(X, y, C=C), 0.1, 0.090932, 0.129537),
        (lambda X, y, C: dcd.logistic(X, y, C=C), 0.25, 0.200529, 0.296507),
        (lambda X, y, C: dcd.logistic(X, y, C=C), 1.0, 0.521298, 0.875718),
    ],
)
def test_two_points_give_the_fixture(solve, C, weight, value):
    X, y = two_points()
    found = solve(X, y, C)
    np.testing.assert_allclose(found.weights, weight, atol=1e-6)
    assert found.dual[-1] == pytest.approx(value, abs=1e-6)
    assert found.gap[-1] == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(found.alpha.sum(), weight, atol=1e-6)


@pytest.mark.spec("M-84", "M-69", "M-80")
@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.parametrize(
    "solve",
    [
        lambda X, y, **o: dcd.svm(X, y, **o),
        lambda X, y, **o: dcd.svm(X, y, loss="squared_hinge", **o),
        lambda X, y, **o: dcd.logistic(X, y, **o),
        lambda X, y, **o: dcd.crammer_singer(X, (y > 0).astype(int), 2, **o),
    ],
    ids=["hinge", "squared hinge", "logistic", "crammer-singer"],
)
def test_dual_never_decreases_and_the_gap_closes(solve, C):
    X, y = two_clouds()
    found = solve(X, y, C=C, orders=random_orders(40, 3000), n_rounds=3000, tolerance=1e-9)
    assert (np.diff(found.dual) >= -1e-12).all()
    assert min(found.gap) >= -1e-12
    assert found.gap[-1] <= 1e-8 * abs(found.dual[-1] + found.gap[-1])


@pytest.mark.spec("M-69")
def test_logistic_dual_finds_the_primal_optimum():
    X, y = two_clouds()
    primal = lbfgs(lambda w: binary_objective(w, X, y, 2.0), np.zeros(3), tolerance=1e-9)
    found = dcd.logistic(X, y, C=2.0)
    np.testing.assert_allclose(found.weights, primal.x, atol=1e-7)
    assert ((found.alpha > 0) & (found.alpha < 2.0)).all()


@pytest.mark.spec("M-74", "A-36")
def test_two_columns_equal_the_single_vector_with_twice_the_c():
    X, y = two_clouds()
    lam = 0.1
    joint = dcd.crammer_singer(X, (y > 0).astype(int), 2, C=lambda_to_c(lam, 40))
    single = dcd.svm(X, y, C=lambda_to_c(lam, 40, two_columns=True))
    difference = joint.weights[:, 1] - joint.weights[:, 0]
    np.testing.assert_allclose(difference, single.weights, atol=1e-6)
    np.testing.assert_allclose(joint.weights.sum(axis=1), 0, atol=1e-12)


@pytest.mark.spec("M-74", "M-84")
@pytest.mark.parametrize("seed", range(5))
def test_block_step_solves_its_quadratic_problem(seed):
    rng = np.random.default_rng(seed)
    b, squared_norm = rng.normal(size=4), rng.uniform(0.1, 3.0)
    cap = np.where(np.arange(4) == seed % 4, rng.uniform(0.1, 2.0), 0.0)
    found = dcd._block(b, cap, squared_norm)
    assert found.sum() == pytest.approx(0, abs=1e-12) and (found <= cap).all()
    by_qp = minimize(
        lambda a: 0.5 * squared_norm * a @ a + b @ a,
        np.zeros(4),
        bounds=[(None, c) for c in cap],
        constraints=[{"type": "eq", "fun": np.sum}],
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    np.testing.assert_allclose(found, by_qp.x, atol=1e-6)


@pytest.mark.spec("M-74", "M-48")
def test_crammer_singer_with_costs_is_optimal():
    X, y = random_classes(25, 3, 3, seed=4)
    cost = np.array([[0, 1, 4], [1, 0, 1], [2, 1, 0.0]])
    found = dcd.crammer_singer(X, y, 3, C=0.2, cost=cost, n_rounds=3000, tolerance=1e-9)
    value = crammer_singer_primal(found.weights, X, y, 0.2, cost)[0]
    assert found.gap[-1] <= 1e-8 * value
    rng = np.random.default_rng(0)
    for _ in range(100):
        other = found.weights + 0.05 * rng.normal(size=(3, 3))
        assert crammer_singer_primal(other, X, y, 0.2, cost)[0] >= value - 1e-8


@pytest.mark.spec("M-84")
def test_empty_examples_leave_no_gap():
    X, y = np.array([[1.0], [0.0], [-1.0]]), np.array([1, 1, -1])
    assert dcd.svm(X, y).gap[-1] == pytest.approx(0, abs=1e-12)
    assert dcd.svm(X, y, loss="squared_hinge").gap[-1] == pytest.approx(0, abs=1e-12)
    assert dcd.logistic(X, y).gap[-1] == pytest.approx(0, abs=1e-12)
    assert dcd.crammer_singer(X, (y > 0).astype(int), 2).gap[-1] == pytest.approx(0, abs=1e-12)


def test_logistic_is_not_an_svm_loss():
    X, y = two_points()
    with pytest.raises(ParameterError, match="squared_hinge"):
        dcd.svm(X, y, loss="logistic")
