"""MIRA: the fixture, the quadratic programme it solves, the reference weight for weight."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.utils.estimator_checks import check_estimator

from linnet import _core
from linnet.errors import ParameterError
from linnet.learn.mira import MIRA
from linnet.learn.perceptron import Perceptron
from linnet.reference import mira as reference

PLAIN: dict[str, Any] = {"average": False, "shuffle": False}


def noisy(seed: int, n: int = 40, d: int = 9, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    return X, (X @ rng.normal(size=(d, k)) + rng.normal(size=(n, k))).argmax(axis=1)


def with_ones(X: np.ndarray) -> np.ndarray:
    return np.hstack([X, np.ones((len(X), 1))])


def orders(seed: int, n: int, rounds: int) -> list[np.ndarray]:
    out = [np.empty(n, np.int64) for _ in range(rounds)]
    for number, order in enumerate(out):
        _core.permutation(order, seed, number)
    return out


@pytest.mark.spec("F-02", "M-47", "A-62")
@pytest.mark.parametrize(
    ("lam", "eta", "margin"), [(1.0, 0.1, 1.0), (5.0, 0.1, 1.0), (20.0, 0.05, 0.5)]
)
def test_one_step_is_the_fixtures(lam: float, eta: float, margin: float) -> None:
    model = MIRA(1 / lam, fit_intercept=False, max_iter=1, **PLAIN)
    first, second = model.steps([[1, 2], [0, 0]], [1, 0])
    assert (first.guess, first.loss) == (0, 1.0)
    assert first.step_size == pytest.approx(eta)
    np.testing.assert_allclose(model.coef_, [[2 * eta, 4 * eta]])  # w_1 - w_0
    assert model.decision_function([[1, 2]])[0] == pytest.approx(margin)
    assert second.step_size == 0.0  # |x| = 0: nothing to change


@pytest.mark.spec("M-47", "F-02")
@given(seed=st.integers(0, 1000), cap=st.sampled_from([0.05, 0.3, 5.0]))
@settings(max_examples=15, deadline=None)
def test_each_step_solves_its_quadratic_programme(seed: int, cap: float) -> None:
    rng = np.random.default_rng(seed)
    x, W = rng.normal(size=3), rng.normal(size=(3, 3))
    scores = x @ W
    guess, gold = int(scores.argmax()), int(scores.argmin())
    new = W.copy()
    eta = reference.step_size(scores[guess] - scores[gold] + 1, 2 * float(x @ x), cap)
    new[:, gold] += eta * x
    new[:, guess] -= eta * x

    def primal(flat: np.ndarray) -> float:
        V = flat.reshape(3, 3)
        slack = max(0.0, 1 - x @ (V[:, gold] - V[:, guess]))
        return 0.5 * float(((V - W) ** 2).sum()) + cap * slack

    best = primal(new.ravel())
    assert best <= minimize(primal, new.ravel(), method="Nelder-Mead").fun + 1e-6
    assert best <= min(primal((new + 1e-3 * rng.normal(size=(3, 3))).ravel()) for _ in range(50))


@pytest.mark.spec("M-47", "M-48", "M-49", "C-16")
@given(
    seed=st.integers(0, 10_000),
    variant=st.sampled_from(["pa", "pa1", "pa2"]),
    decode=st.sampled_from(["predicted", "augmented"]),
    average=st.sampled_from([False, "before", "after", "listing", "mistakes"]),
    priced=st.booleans(),
    k=st.sampled_from([2, 4]),
)
@settings(max_examples=60, deadline=None)
def test_it_equals_the_reference(
    seed: int, variant: str, decode: str, average: bool | str, priced: bool, k: int
) -> None:
    X, y = noisy(seed, k=k)
    classes, gold = np.unique(y, return_inverse=True)
    # after an unclipped step the augmented loss is 0 but for rounding, so updates cannot be counted
    counted = decode == "predicted"
    if len(classes) != k or (average == "mistakes" and not counted):
        return
    cost = np.random.default_rng(seed).random((k, k)) * 2 * (1 - np.eye(k)) if priced else None
    model = MIRA(
        0.3, cost=cost, variant=variant, decode=decode, average=average, max_iter=3,
        random_state=seed, stop_when_clean=False,
    ).fit(X, y)  # fmt: skip
    options: dict[str, Any] = {
        "C": 0.3, "cost": None if cost is None else cost.T, "variant": variant, "decode": decode,
        "average": average, "n_rounds": 3, "orders": orders(seed, len(X), 3),
    }  # fmt: skip
    if k == 2:
        expected = reference.binary(with_ones(X), 2 * gold - 1, **options)
    else:
        expected = reference.multiclass(with_ones(X), gold, k, **options)
    weights = expected.weights.reshape(X.shape[1] + 1, -1)
    assert not counted or tuple(model.mistakes_) == expected.mistakes
    np.testing.assert_allclose(model.coef_.T, weights[:-1], atol=1e-11)
    np.testing.assert_allclose(model.intercept_, weights[-1], atol=1e-11)


@pytest.mark.spec("M-47", "M-26")
def test_two_classes_are_the_two_column_run_in_one_vector() -> None:
    X, y = noisy(3)
    one = MIRA(0.2, max_iter=3, **PLAIN).fit(X, y)
    two = reference.multiclass(with_ones(X), y, 2, C=0.2, n_rounds=3, average=False)
    difference = two.weights[:, 1] - two.weights[:, 0]
    np.testing.assert_allclose(one.coef_[0], difference[:-1], atol=1e-12)


@pytest.mark.spec("M-47")
def test_an_unclipped_step_makes_the_margin_against_the_guess_equal_to_the_cost() -> None:
    X, y = noisy(4, k=3)
    cost = np.array([[0, 2, 1], [3, 0, 1], [1, 1, 0]])
    model = MIRA(1e9, cost=cost, fit_intercept=False, max_iter=1, random_state=0)
    for step in model.steps(X, y):
        if step.step_size:
            scores = X[step.example] @ step.weights
            ahead = scores[step.label] - scores[step.guess]
            assert ahead == pytest.approx(cost[step.label, step.guess])


@pytest.mark.spec("M-47")
def test_with_a_small_cap_every_step_is_the_cap_as_in_a_perceptron() -> None:
    X, y = noisy(5, k=3)
    mira = MIRA(1e-6, random_state=0).fit(X, y)
    perceptron = Perceptron(learning_rate=1e-6, random_state=0).fit(X, y)
    np.testing.assert_allclose(mira.coef_, perceptron.coef_, rtol=1e-9, atol=1e-18)


@pytest.mark.spec("M-49")
def test_without_a_cap_that_binds_pa1_is_pa() -> None:
    X, y = noisy(6)
    capped = MIRA(1e12, variant="pa1", random_state=0).fit(X, y)
    free = MIRA(1.0, variant="pa", random_state=0).fit(X, y)
    np.testing.assert_array_equal(capped.coef_, free.coef_)


@pytest.mark.spec("M-48", "C-16")
@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ([[0, 1], [1, 1]], "zero diagonal"),
        ([[0, -1], [1, 0]], "not negative"),
        ([[0, 1, 1], [1, 0, 1]], "shape"),
        ([[0, np.inf], [1, 0]], "finite"),
    ],
)
def test_an_illegal_cost_matrix_is_refused(cost: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        MIRA(cost=cost).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.spec("M-48")
def test_scaling_the_cost_scales_the_unclipped_solution() -> None:
    X, y = noisy(7, k=3)
    cost = 1.0 - np.eye(3)
    one = MIRA(variant="pa", cost=cost, random_state=0).fit(X, y)
    four = MIRA(variant="pa", cost=4 * cost, random_state=0).fit(X, y)
    np.testing.assert_allclose(four.coef_, 4 * one.coef_, rtol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0.0}, "C must be positive"),
        ({"variant": "pa3"}, "variant must be one of 'pa1', 'pa', 'pa2'"),
        ({"decode": "both"}, "decode must be one of"),
    ],
)
def test_a_bad_parameter_is_refused_with_its_name(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        MIRA(**parameters).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("k", [2, 4])
def test_steps_reach_exactly_the_weights_of_fit(k: int) -> None:
    X, y = noisy(8, k=k)
    fitted, watched = MIRA(random_state=3).fit(X, y), MIRA(random_state=3)
    assert sum(step.step_size > 0 for step in watched.steps(X, y)) == fitted.mistakes_.sum()
    np.testing.assert_array_equal(watched.coef_, fitted.coef_)


@pytest.mark.spec("C-10")
def test_partial_fit_in_rounds_equals_fit() -> None:
    X, y = noisy(9, k=3)
    whole = MIRA(max_iter=3, random_state=1, stop_when_clean=False).fit(X, y)
    parts = MIRA(random_state=1)
    for _ in range(3):
        parts.partial_fit(X, y)
    np.testing.assert_array_equal(parts.coef_, whole.coef_)
    for other in (pickle.loads(pickle.dumps(parts)), copy.deepcopy(parts)):
        np.testing.assert_array_equal(other.predict(X), parts.predict(X))


NOT_EQUIVALENT = "a weight scales one step; a repeated example takes two steps"
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": NOT_EQUIVALENT,
    "check_sample_weight_equivalence_on_sparse_data": NOT_EQUIVALENT,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("variant", ["pa1", "pa2"])
def test_the_estimator_keeps_the_scikit_learn_contract(variant: str) -> None:
    check_estimator(MIRA(variant=variant), expected_failed_checks=EXPECTED_FAILURES, on_skip=None)
