"""How far from the optimum any weights may be, for solvers that do not know it themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from linnet.learn.regularised_risk import Task


def subgradient_gap(task: Task, weights: NDArray[np.float64]) -> float:
    """Return a bound on objective minus optimum at weights[(J + 1), columns].

    The residuals d loss / d scores are, with the sign turned, a feasible dual point at which the
    losses contribute nothing to the duality gap: what remains is half the squared norm of the
    (sub)gradient. It is infinite where a weight has no quadratic penalty.
    """
    if task.l1 or task.l2 != 1.0 or (task.bias and not task.penalize_bias):
        return float("inf")
    matrix, cols = task.features.csr, task.features.cols
    scores = matrix @ weights[:cols]
    if task.bias:
        scores += task.bias * weights[cols]
    shape = (len(task.gold), task.n_classes if task.form == "grouped" else task.columns)
    residual = _residual(task, scores.reshape(shape)) * task.cost[:, None]
    residual = residual.reshape(scores.shape)
    gradient = weights.copy()
    gradient[:cols] += matrix.T @ residual
    if task.bias:
        gradient[cols] += task.bias * residual.sum(axis=0)
    return 0.5 * float(np.einsum("jk,jk->", gradient, gradient))


def _residual(task: Task, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return d loss / d scores of each row, shape (rows, width)."""
    if scores.shape[1] == 1 or task.form == "columns":
        positive = np.array([1]) if scores.shape[1] == 1 else np.arange(scores.shape[1])
        sign = np.where(task.gold[:, None] == positive, 1.0, -1.0)
        return sign * _slope(task.loss, sign * scores)
    rows = np.arange(len(scores))
    if task.loss == "log":
        residual = np.array(softmax(scores, axis=1), dtype=np.float64)
    else:
        zero_one = 1.0 - np.eye(task.n_classes)
        augmented = scores + (zero_one if task.margins is None else task.margins)[task.gold]
        residual = np.zeros_like(scores)
        residual[rows, augmented.argmax(axis=1)] = 1.0
    residual[rows, task.gold] -= 1.0
    return residual


def _slope(loss: str, margin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the derivative of a binary loss in its margin."""
    if loss == "log":
        return -np.asarray(expit(-margin), dtype=np.float64)
    if loss == "hinge":
        return -(margin < 1.0).astype(np.float64)
    return -2.0 * np.maximum(0.0, 1.0 - margin)
