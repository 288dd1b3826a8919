"""Stochastic gradient descent: every lecture's update, step for step."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core
from linnet.data import count_words
from linnet.learn.flat.online_run import Examples, FlatRun
from linnet.learn.shared.inputs import bag_vocabulary, bags_to_csr, checked_features
from linnet.learn.shared.online_run import Rule
from linnet.learn.shared.schedules import Constant, Pegasos, Power
from linnet.reference import pegasos as pegasos_reference
from linnet.reference import sgd as reference
from linnet.reference.losses import LOSSES

from .risks import fit_sgd, task_of

KYOTO = ("A site , located in Maizuru , Kyoto", "Shoken , monk born in Kyoto")


def noisy(seed: int, n: int = 30, d: int = 7, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    return X, rng.integers(0, k, n)


def orders(seed: int, n: int, rounds: int) -> list[np.ndarray]:
    out = [np.empty(n, np.int64) for _ in range(rounds)]
    for number, order in enumerate(out):
        _core.permutation(order, seed, number)
    return out


AVERAGE = st.sampled_from([False, "before", "after"])


@pytest.mark.spec("M-62", "M-63", "C-14", "C-23", "A-73")
@given(seed=st.integers(0, 1000), lam=st.sampled_from([0.0, 0.3, 1.0]), average=AVERAGE)
@settings(max_examples=30, deadline=None)
def test_maxent_steps_equal_the_reference(seed: int, lam: float, average: bool | str) -> None:
    X, y = noisy(seed, k=4)
    run = fit_sgd(
        task_of(X, y, lam, "joint"), rule="log", schedule=Power(), max_iter=3, seed=seed,
        average=average,
    )  # fmt: skip
    expected = reference.maxent(
        X, y, int(y.max()) + 1, lam=lam, n_rounds=3, orders=orders(seed, len(X), 3), average=average
    )
    np.testing.assert_allclose(run.weights, expected.weights, atol=1e-11)
    assert run.n_steps == 3 * len(X)


@pytest.mark.spec("M-67", "C-23")
@given(seed=st.integers(0, 1000), lam=st.sampled_from([0.0, 0.3]), average=AVERAGE)
@settings(max_examples=20, deadline=None)
def test_truncated_maxent_steps_equal_the_reference(
    seed: int, lam: float, average: bool | str
) -> None:
    X, y = noisy(seed, k=3)
    run = fit_sgd(
        task_of(X, y, lam, "joint"), rule="log", schedule=Power(0.5), max_iter=3, seed=seed,
        truncate=0.01, average=average,
    )  # fmt: skip
    expected = reference.maxent(
        X, y, int(y.max()) + 1, lam=lam, n_rounds=3, orders=orders(seed, len(X), 3),
        truncation=0.01, average=average, schedule=lambda t: 0.5 / t,
    )  # fmt: skip
    np.testing.assert_allclose(run.weights, expected.weights, atol=1e-11)


@pytest.mark.spec("M-75", "A-63", "C-16")
@given(seed=st.integers(0, 1000), average=AVERAGE, priced=st.booleans())
@settings(max_examples=30, deadline=None)
def test_multiclass_hinge_steps_equal_the_reference(
    seed: int, average: bool | str, priced: bool
) -> None:
    X, y = noisy(seed, k=4)
    k = int(y.max()) + 1
    cost = np.random.default_rng(seed).random((k, k)) * (1 - np.eye(k)) if priced else None
    run = fit_sgd(
        task_of(X, y, 0.3, "joint", margins=cost), rule="hinge", schedule=Power(), max_iter=3,
        seed=seed, average=average,
    )  # fmt: skip
    expected = reference.multiclass_hinge(
        X, y, k, lam=0.3, cost=None if cost is None else cost.T, n_rounds=3,
        orders=orders(seed, len(X), 3), average=average,
    )  # fmt: skip
    np.testing.assert_allclose(run.weights, expected.weights, atol=1e-11)


@pytest.mark.spec("M-64", "A-23")
@pytest.mark.parametrize("rule", ["probability", "log"])
def test_binary_logistic_steps_equal_the_reference(rule: str) -> None:
    X, y = noisy(1)
    run = fit_sgd(task_of(X, y, 0.0), rule=rule, schedule=1.0, max_iter=2, shuffle=False)
    learner = reference.probability if rule == "probability" else reference.logistic
    np.testing.assert_allclose(run.weights[:, 0], learner(X, 2 * y - 1, n_rounds=2).weights)


@pytest.mark.spec("W-07", "A-22", "A-23")
def test_the_two_kyoto_sentences_give_the_slides_logistic_updates() -> None:
    bags = [count_words(text) for text in KYOTO]
    vocabulary = bag_vocabulary(bags)
    task = task_of(bags_to_csr(bags, vocabulary), np.array([0, 1]), 0.0)
    start = task.zeros()

    def weights(rule: str) -> dict[str, float]:
        run = fit_sgd(task, rule=rule, schedule=Constant(1.0), max_iter=1, shuffle=False)
        assert not start.any()
        return dict(zip(vocabulary, run.weights[:, 0].tolist(), strict=True))

    slide = weights("probability")
    factor = np.e / (1 + np.e) ** 2
    assert slide["A"] == slide["site"] == slide["located"] == slide["Maizuru"] == -0.25
    assert slide["Shoken"] == slide["monk"] == pytest.approx(factor, abs=1e-12)
    assert (slide[","], slide["in"]) == pytest.approx((factor - 0.5, factor - 0.25), abs=1e-12)
    assert (slide[","], slide["in"], slide["born"]) == pytest.approx(
        (-0.304, -0.054, 0.196), abs=1e-3
    )
    log = weights("log")
    assert (log[","], log["in"], log["born"]) == pytest.approx(
        (-0.119203, 0.380797, 0.880797), abs=1e-6
    )


@pytest.mark.spec("M-86", "A-37", "F-11")
def test_binary_hinge_with_rate_one_over_t_equals_the_reference_and_tends_to_the_optimum() -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(-1, 1, (20, 2)), rng.normal(1, 1, (20, 2))])
    X, y = np.hstack([X, np.ones((40, 1))]), np.repeat([0, 1], 20)
    task = task_of(X, y, 1 / (0.1 * 40), loss="hinge")
    lam = 1 / (0.1 * 40)
    run = fit_sgd(task, rule="hinge", schedule=Pegasos(lam), max_iter=5, shuffle=False)
    expected = reference.hinge(X, 2 * y - 1, C=0.1, n_rounds=5)
    np.testing.assert_allclose(run.weights[:, 0], expected.weights, atol=1e-11)
    long = fit_sgd(task, rule="hinge", schedule=Pegasos(lam), max_iter=4000, average=True)
    assert long.history.last("objective") == pytest.approx(1.043490, abs=2e-4)
    np.testing.assert_allclose(long.weights[:, 0], [0.611107, 0.453072, -0.083560], atol=0.02)


@pytest.mark.spec("M-76", "E-05")
@given(
    seed=st.integers(0, 1000), batch=st.sampled_from([1, 4, 7]), project=st.booleans(),
    lam=st.sampled_from([0.05, 0.5]),
)  # fmt: skip
@settings(max_examples=30, deadline=None)
def test_pegasos_equals_the_reference(seed: int, batch: int, project: bool, lam: float) -> None:
    X, y = noisy(seed)
    run = fit_sgd(
        task_of(X, y, lam, loss="hinge"), rule="hinge", pegasos=True, projection=project,
        batch_size=batch, max_iter=3, seed=seed,
    )  # fmt: skip
    batches = [
        order[first : first + batch]
        for order in orders(seed, len(X), 3)
        for first in range(0, len(X), batch)
    ]
    expected = pegasos_reference.pegasos(X, 2 * y - 1, batches, lam=lam, project=project)
    np.testing.assert_allclose(run.weights[:, 0], expected.weights, atol=1e-10)
    assert not project or np.linalg.norm(run.weights) <= 1 / np.sqrt(lam) + 1e-9
    assert run.n_steps == len(batches)


@pytest.mark.spec("M-87")
def test_one_batch_of_everything_is_batch_subgradient_descent() -> None:
    X, y = noisy(2)
    C = 0.05
    lam = 1 / (C * len(X))
    run = fit_sgd(
        task_of(X, y, lam, loss="hinge"), rule="hinge", batch_size=len(X), max_iter=50,
        schedule=Power(1 / lam, 0.5), shuffle=False,
    )  # fmt: skip
    expected = reference.batch_subgradient(X, 2 * y - 1, C=C, n_iter=50)
    np.testing.assert_allclose(run.weights[:, 0], expected.x, atol=1e-10)


@pytest.mark.spec("M-62", "M-75", "M-126")
@pytest.mark.parametrize(("rule", "form", "k"), [
    ("log", "joint", 4), ("hinge", "joint", 4), ("probability", "joint", 4), ("log", "columns", 2),
    ("hinge", "columns", 2), ("squared_hinge", "columns", 2), ("squared_hinge", "columns", 4),
    ("log", "columns", 4), ("perceptron", "columns", 2),
])  # fmt: skip
def test_a_step_is_minus_the_rate_times_the_gradient(rule: str, form: str, k: int) -> None:
    X, y = noisy(3, k=k)
    rng = np.random.default_rng(4)
    start = rng.normal(size=(X.shape[1], 1 if k == 2 else k))
    examples = Examples(checked_features(X), y.astype(np.int32), np.eye(len(X))[5])
    run = FlatRun(Rule(rule, form, k, tie="strict"), start, bias=0.0)

    def loss(weights: np.ndarray) -> float:
        return run.loss_at(examples, weights, 1)

    gradient = np.zeros_like(start)
    for at in np.ndindex(*start.shape):
        shift = np.zeros_like(start)
        shift[at] = 1e-6
        gradient[at] = (loss(start + shift) - loss(start - shift)) / 2e-6
    run.go(examples, np.array([5]), np.array([0.1]))
    np.testing.assert_allclose(run.last_weights() - start, -0.1 * gradient, atol=1e-7)


@pytest.mark.spec("M-126")
@given(m=st.floats(-5, 5), other=st.floats(-5, 5))
@settings(max_examples=50, deadline=None)
def test_binary_steps_are_subgradients(m: float, other: float) -> None:
    for rule in ("hinge", "squared_hinge", "log", "perceptron"):
        run = FlatRun(Rule(rule, "columns", 2), np.array([[m]]), bias=0.0)
        examples = Examples(checked_features([[1.0]]), np.ones(1, np.int32), np.ones(1))
        run.go(examples, np.zeros(1, np.int64), np.ones(1))
        slope = m - float(run.last_weights()[0, 0])
        loss = LOSSES["logistic" if rule == "log" else rule].value
        bound = loss(np.array(m)) + slope * (other - m)
        assert loss(np.array(other)) >= bound - 1e-9


@pytest.mark.spec("C-23", "M-34")
def test_averages_stay_exact_when_the_scale_is_folded_or_becomes_zero() -> None:
    X, y = noisy(5, n=200, k=3)
    for schedule in (Pegasos(0.9), Constant(1 / 0.9), Constant(1.0)):  # factors 0, 0, 0.1
        for average in (False, "before", "after"):
            run = fit_sgd(
                task_of(X, y, 0.9, "joint"), rule="log", schedule=schedule, max_iter=2,
                average=average, shuffle=False,
            )  # fmt: skip
            expected = reference.maxent(
                X, y, 3, lam=0.9, n_rounds=2, average=average,
                schedule=lambda t, s=schedule: float(s.rates(t - 1, 1)[0]),
            )  # fmt: skip
            np.testing.assert_allclose(run.weights, expected.weights, atol=1e-11)


@pytest.mark.spec("M-24", "A-40")
@pytest.mark.parametrize("average", [False, "before", "after"])
def test_an_unpenalised_intercept_does_not_decay(average: bool | str) -> None:
    X, y = noisy(6)
    task = task_of(X, y, 0.5, bias=2.0, penalize_bias=False)
    run = fit_sgd(task, rule="log", schedule=0.3, max_iter=2, shuffle=False, average=average)
    w, vectors = np.zeros(8), []
    padded = np.hstack([X, np.full((len(X), 1), 2.0)])
    decay = np.array([1 - 0.5 * 0.3] * 7 + [1.0])
    for i in [*range(len(X))] * 2:
        sign = 2 * y[i] - 1
        before, w = w, decay * w + 0.3 * sign * padded[i] / (1 + np.exp(sign * padded[i] @ w))
        vectors.append(before if average == "before" else w)
    expected = np.mean(vectors, axis=0) if average else w
    np.testing.assert_allclose(run.weights[:, 0], expected, atol=1e-12)


@pytest.mark.spec("C-23")
@pytest.mark.parametrize("average", [False, "after"])
def test_an_update_touches_the_rows_of_its_features_only(average: bool | str) -> None:
    rng = np.random.default_rng(0)
    X = sp.random(40, 500, 0.02, format="csr", random_state=0)
    y = rng.integers(0, 2, 40)
    examples = Examples(checked_features(X), y.astype(np.int32), np.ones(40))
    run = FlatRun(Rule("log", "columns", 2), (500, 1), bias=0.0, decay=0.1, average=average)
    for i in range(40):
        before = run._weights.copy(), None if run._sums is None else run._sums.copy()
        run.go(examples, np.array([i]), np.array([0.5]))
        others = np.setdiff1d(np.arange(500), X[i].indices)
        # the penalty of all weights is one number, so that what is stored elsewhere stays
        np.testing.assert_array_equal(run._weights[others], before[0][others])
        if before[1] is not None:
            np.testing.assert_array_equal(run._sums[others], before[1][others])
        assert (run._weights[X[i].indices] != before[0][X[i].indices]).any()
