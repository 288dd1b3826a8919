r"""Probabilities from scores, calibrated by one number.

.. math:: p(k \mid x) = \frac{e^{a s_k}}{\sum_{k'} e^{a s_{k'}}}, \qquad
          p(1 \mid x) = \frac{1}{1 + e^{-a s}}\ \text{for two classes}

The factor a > 0 is fitted on examples that the weights have not seen, to the least log loss
(temperature scaling). It never changes which label is largest, only how sure the model claims to
be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["fit_sharpness", "log_loss", "probabilities"]

Floats = NDArray[np.float64]
_SEARCH = (-7.0, 7.0)  # of ln a


def probabilities(scores: Floats, sharpness: float, *, multilabel: bool) -> Floats:
    """Return p(class | x) from scores of shape (n, columns).

    One column means two classes, and the result has two; with `multilabel` every column is a
    question of its own.

    Examples
    --------
    >>> probabilities(np.array([[0.0], [2.0]]), 1.0, multilabel=False).round(3).tolist()
    [[0.5, 0.5], [0.119, 0.881]]
    """
    scaled = sharpness * scores
    if multilabel:
        return _sigmoid(scaled)
    if scores.shape[1] == 1:
        return np.hstack([_sigmoid(-scaled), _sigmoid(scaled)])
    scaled = scaled - scaled.max(axis=1, keepdims=True, initial=-np.inf)
    exponentials = np.exp(scaled)
    return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))


def _sigmoid(z: Floats) -> Floats:
    small = np.exp(-np.abs(z))
    return np.asarray(np.where(z >= 0, 1.0, small) / (1.0 + small))


def log_loss(scores: Floats, gold: NDArray[np.int32], sharpness: float) -> float:
    """Return the mean of -ln p(gold), softened as if two more examples were undecided.

    `gold` holds class numbers, or for several labels a row a table of 0 and 1 (n, columns).

    Examples
    --------
    >>> round(log_loss(np.array([[0.0]]), np.array([1], np.int32), 1.0), 4)
    0.6931
    """
    scaled = sharpness * scores
    n = len(gold)
    if scores.shape[1] == 1 or gold.ndim == 2:
        sign = 2.0 * gold.reshape(n, -1) - 1.0
        right = np.logaddexp(0.0, -sign * scaled)
        wrong = np.logaddexp(0.0, sign * scaled)
        share = 1.0 / (n + 2.0)
        return float(np.mean((1.0 - share) * right + share * wrong))
    top = scaled.max(axis=1)
    partition = top + np.log(np.exp(scaled - top[:, None]).sum(axis=1))
    share = 1.0 / (n + 2.0)
    target = (1.0 - share) * scaled[np.arange(n), gold] + share * scaled.mean(axis=1)
    return float(np.mean(partition - target))


def fit_sharpness(scores: Floats, gold: NDArray[np.int32]) -> float:
    """Return the factor a of least log loss; the loss is convex in a.

    Examples
    --------
    >>> scores = np.array([[4.0]] * 4)  # claims 98 %, and is right three times of four
    >>> round(fit_sharpness(scores, np.array([1, 1, 1, 0], np.int32)), 2)
    0.17
    """
    low, high = _SEARCH
    ratio = (5.0**0.5 - 1.0) / 2.0  # golden section: one evaluation a step
    inner = [high - ratio * (high - low), low + ratio * (high - low)]
    loss = [log_loss(scores, gold, float(np.exp(point))) for point in inner]
    for _ in range(24):
        if loss[0] <= loss[1]:
            high, inner, loss = inner[1], [0.0, inner[0]], [0.0, loss[0]]
            inner[0] = high - ratio * (high - low)
            loss[0] = log_loss(scores, gold, float(np.exp(inner[0])))
        else:
            low, inner, loss = inner[0], [inner[1], 0.0], [loss[1], 0.0]
            inner[1] = low + ratio * (high - low)
            loss[1] = log_loss(scores, gold, float(np.exp(inner[1])))
    return float(np.exp(inner[0] if loss[0] <= loss[1] else inner[1]))
