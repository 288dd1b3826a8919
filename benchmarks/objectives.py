"""The objectives the solvers are compared on, recomputed in NumPy from weights alone.

Every tool minimises 1/2 |W|^2 + C * sum of losses without an intercept; under L1 the penalty is
the sum of the weights without their signs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from matrices import Split

Weights = NDArray[np.float64]  # [J, columns]


def _binary(y: NDArray[np.int64], n_classes: int) -> NDArray[np.float64]:
    """Return the ±1 labels of each column: one for two classes, else one-vs-rest."""
    if n_classes == 2:
        return np.where(y == 1, 1.0, -1.0)[:, None]
    return np.where(y[:, None] == np.arange(n_classes), 1.0, -1.0)


def log_columns(scores: Weights, y: NDArray[np.int64], k: int) -> float:
    return float(np.logaddexp(0.0, -_binary(y, k) * scores).sum())


def squared_hinge_columns(scores: Weights, y: NDArray[np.int64], k: int) -> float:
    return float((np.maximum(0.0, 1.0 - _binary(y, k) * scores) ** 2).sum())


def hinge_columns(scores: Weights, y: NDArray[np.int64], k: int) -> float:
    return float(np.maximum(0.0, 1.0 - _binary(y, k) * scores).sum())


def multinomial(scores: Weights, y: NDArray[np.int64], k: int) -> float:
    gold = scores[np.arange(len(y)), y]
    return float((np.logaddexp.reduce(scores, axis=1) - gold).sum())


def crammer_singer(scores: Weights, y: NDArray[np.int64], k: int) -> float:
    gold = scores[np.arange(len(y)), y]
    augmented = scores + 1.0
    augmented[np.arange(len(y)), y] -= 1.0
    return float((augmented.max(axis=1) - gold).sum())


LOSSES: dict[str, Callable[[Weights, NDArray[np.int64], int], float]] = {
    "logistic": log_columns,
    "L2-loss": squared_hinge_columns,
    "hinge": hinge_columns,
    "multinomial": multinomial,
    "Crammer–Singer": crammer_singer,
    "L1 logistic": log_columns,
    "L1 L2-loss": squared_hinge_columns,
}


def objective(name: str, data: Split, weights: Weights) -> float:
    """Return penalty + C * the losses; weights have one column a class, or one for two."""
    losses = LOSSES[name](data.X @ weights, data.y, data.n_classes)
    sparse = name.startswith("L1 ")
    penalty = np.abs(weights).sum() if sparse else 0.5 * (weights**2).sum()
    return float(penalty) + data.C * losses
