"""Stochastic and batch subgradients reach the optimum that the certified solvers find."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from linnet import SVM, MaxEnt
from linnet.data import SentimentCorpus, make_gaussians
from linnet.learn.shared.schedules import Power

Model = MaxEnt | SVM


def clouds(classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points of overlapping classes."""
    return make_gaussians(120, [[-1, -1], [1, 1], [1.5, -1]][:classes], seed=1)


def optimum(model: Model, X: np.ndarray, y: np.ndarray) -> float:
    """Return the least objective, certified to 1e-9."""
    best = clone(model).set_params(solver="auto", tol=1e-9, max_iter=100_000).fit(X, y)
    assert best.optimality_ <= 1e-9
    return float(best.history_["objective"][-1])


@pytest.mark.spec("M-92", "M-62", "M-75", "C-09", "C-24")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        MaxEnt(0.1),
        MaxEnt(0.1, multi_class="ovr"),
        SVM(0.1),
        SVM(0.1, multi_class="ovr"),
        SVM(0.1, loss="squared_hinge", multi_class="ovr"),
    ],
    ids=["log", "log ovr", "hinge", "hinge ovr", "squared hinge ovr"],
)
def test_the_mean_of_stochastic_steps_comes_within_1e_4_of_the_optimum(
    model: Model, classes: int
) -> None:
    X, y = clouds(classes)
    best = optimum(model, X, y)
    sgd = clone(model).set_params(solver="sgd", average=True, max_iter=2000, tol=0.0)
    sgd.set_params(random_state=0).fit(X, y)
    assert best * (1 - 1e-9) <= sgd.history_["objective"][-1] <= best * (1 + 1e-4)


def batch_subgradient(C: float, eta: float, rounds: int, n: int) -> SVM:
    """Return a machine whose every step sees all examples, with steps eta / sqrt(t)."""
    return SVM(
        C, solver="sgd", batch_size=n, schedule=Power(eta, 0.5), max_iter=rounds, tol=0.0,
        shuffle=False,
    )  # fmt: skip


@pytest.mark.spec("M-87")
def test_batch_subgradients_with_falling_steps_reach_the_optimum() -> None:
    X, y = clouds(2)
    best = optimum(SVM(0.1), X, y)
    values = batch_subgradient(0.1, 1.0, 2000, len(y)).fit(X, y).history_["objective"]
    assert best * (1 - 1e-9) <= values.min() <= values[-1] <= best * (1 + 1e-4)


@pytest.mark.spec("M-87", "R-05")
def test_batch_subgradients_on_amazon_books_reach_the_reference_optimum(
    data_dir: Callable[[str], Path],
) -> None:
    corpus = SentimentCorpus(folder=data_dir("amazon_books"), cutoff_on="all")
    n = len(corpus.train_y)
    model = batch_subgradient(2 / n, 0.1, 1000, n).fit(corpus.train_X, corpus.train_y)
    mean_form = model.history_["objective"] / 2.0  # λ/2 |W|² + mean hinge, λ = 1
    assert 0.715133293 - 1e-8 <= mean_form[-1] <= 0.715133293 * (1 + 1e-3)
    assert mean_form[-1] < 0.1 * 0.715133293 + 0.9 * mean_form[300]  # it still comes nearer
