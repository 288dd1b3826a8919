from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from linnet.errors import ParameterError
from linnet.reference import mira, perceptron

from .corpora import random_classes, random_orders


def solve_step_by_qp(lam: float, x: np.ndarray) -> tuple[np.ndarray, float]:
    """S0 Eq. 1.23 from W = 0 with gold 1 and guess 0, variables (w_0, w_1, xi)."""
    J = len(x)

    def margin(v):
        return v[J : 2 * J] @ x - v[:J] @ x - 1 + v[-1]

    solution = minimize(
        lambda v: v[-1] + lam / 2 * (v[:-1] @ v[:-1]),
        np.zeros(2 * J + 1),
        bounds=[(None, None)] * (2 * J) + [(0, None)],
        constraints=[{"type": "ineq", "fun": margin}],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return solution.x, float(solution.fun)


@pytest.mark.spec("F-02", "M-47")
@pytest.mark.parametrize(
    ("lam", "eta", "margin", "objective"),
    [(1, 0.1, 1.0, 0.05), (5, 0.1, 1.0, 0.25), (20, 0.05, 0.5, 0.75)],
)
def test_one_step_solves_its_quadratic_problem(lam, eta, margin, objective):
    x = np.array([1.0, 2.0])
    result = mira.multiclass(x[None], np.array([1]), 2, C=1 / lam, n_rounds=1, trace=True)
    W = result.last
    assert result.updates[0].guess == 0 and result.updates[0].size == pytest.approx(eta)
    np.testing.assert_allclose(W[:, 1], eta * x)
    np.testing.assert_allclose(W[:, 0], -eta * x)
    assert x @ (W[:, 1] - W[:, 0]) == pytest.approx(margin)
    slack = max(0.0, 1 - margin)
    assert slack + lam / 2 * (W**2).sum() == pytest.approx(objective)
    solution, value = solve_step_by_qp(lam, x)
    assert value == pytest.approx(objective, abs=1e-6)
    np.testing.assert_allclose(solution[:4], W.T.ravel(), atol=1e-5)


@pytest.mark.spec("F-02", "M-47", "M-26")
@pytest.mark.parametrize("decode", ["predicted", "augmented"])
@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
@pytest.mark.parametrize("average", [False, "before", "after", "listing", "mistakes"])
def test_single_vector_is_the_difference_of_the_two_columns(variant, decode, average):
    X, y = random_classes(30, 4, 2)
    if decode == "predicted":
        X = np.round(X)  # whole numbers bring exact ties; augmented losses would be 0 or 1e-16
    options = {
        "C": 0.3,
        "variant": variant,
        "decode": decode,
        "average": average,
        "n_rounds": 3,
        "orders": random_orders(30, 3),
        "cost": np.array([[0.0, 1.5], [0.5, 0.0]]),
    }
    binary = mira.binary(X, 2 * y - 1, **options)
    joint = mira.multiclass(X, y, 2, **options)
    assert binary.mistakes == joint.mistakes
    difference = joint.weights[:, 1] - joint.weights[:, 0]
    np.testing.assert_allclose(binary.weights, difference, atol=1e-12)


@pytest.mark.spec("M-47")
def test_unclipped_step_meets_its_constraint_exactly():
    X, y = random_classes(20, 5, 4, seed=1)
    rho = np.array([[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0.0]])
    result = mira.multiclass(X, y, 4, variant="pa", cost=rho, n_rounds=2, trace=True)
    for update in result.updates:
        gold = y[update.example]
        scores = X[update.example] @ update.weights
        assert scores[gold] - scores[update.guess] == pytest.approx(rho[update.guess, gold])


@pytest.mark.spec("M-47")
def test_steps_of_size_one_would_be_the_perceptron():
    X, y = random_classes(30, 4, 3, seed=2)
    # with a cost beyond every loss the cap C = 1 is always reached
    huge = 1e6 * mira.zero_one_cost(3)
    capped = mira.multiclass(X, y, 3, C=1.0, cost=huge, n_rounds=3)
    plain = perceptron.multiclass(X, y, 3, n_rounds=3, average=True, stop_when_clean=False)
    assert capped.mistakes == plain.mistakes
    np.testing.assert_allclose(capped.weights, plain.weights, atol=1e-12)


@pytest.mark.spec("M-49")
def test_a_large_cap_turns_pa1_and_pa2_into_pa():
    X, y = random_classes(30, 4, 3, seed=3)
    pa, pa1, pa2 = (
        mira.multiclass(X, y, 3, C=1e12, variant=v).weights for v in ("pa", "pa1", "pa2")
    )
    np.testing.assert_array_equal(pa, pa1)
    np.testing.assert_allclose(pa, pa2, rtol=1e-6)


@pytest.mark.spec("M-48")
def test_scaling_the_cost_scales_the_unclipped_solution():
    X, y = random_classes(30, 4, 3, seed=4)
    one = mira.multiclass(X, y, 3, variant="pa")
    four = mira.multiclass(X, y, 3, variant="pa", cost=4 * mira.zero_one_cost(3))
    np.testing.assert_allclose(four.weights, 4 * one.weights, rtol=1e-9)


@pytest.mark.spec("M-48")
@pytest.mark.parametrize("cost", [np.eye(2), np.array([[0, -1], [1, 0.0]]), np.zeros((3, 3))])
def test_illegal_costs_are_refused(cost):
    with pytest.raises(ParameterError, match="zero diagonal"):
        mira.multiclass(np.ones((1, 1)), np.array([0]), 2, cost=cost)


@pytest.mark.spec("A-62")
def test_an_empty_example_changes_nothing():
    X, y = np.zeros((1, 3)), np.array([1])
    assert not mira.multiclass(X, y, 2).weights.any()
    assert not mira.binary(X, y).weights.any()


def test_unknown_variant_is_refused():
    with pytest.raises(ParameterError, match="variant"):
        mira.binary(np.ones((1, 1)), np.array([1]), variant="pa3")
