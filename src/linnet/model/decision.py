r"""Probabilities from scores, calibrated by one number.

.. math:: p(k \mid x) = \frac{e^{a s_k}}{\sum_{k'} e^{a s_{k'}}}, \qquad
          p(1 \mid x) = \frac{1}{1 + e^{-a s}}\ \text{for two classes}

The factor a > 0 is fitted on examples that the weights have not seen, to the least log loss
(temperature scaling). It never changes which label is largest, only how sure the model claims to
be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["fit_sharpness", "log_loss", "probabilities"]

Floats = NDArray[np.float64]
_WIDTH = 16.0  # the search for ln a ends so far on either side of scores of size 1
_STEPS = 60


def probabilities(scores: Floats, sharpness: float, *, multilabel: bool) -> Floats:
    """Return p(class | x) from scores of shape (n, columns).

    One column means two classes, and the result has two; with `multilabel` every column is a
    question of its own.

    Examples
    --------
    >>> probabilities(np.array([[0.0], [2.0]]), 1.0, multilabel=False).round(3).tolist()
    [[0.5, 0.5], [0.119, 0.881]]
    """
    with np.errstate(over="ignore", under="ignore"):
        if multilabel:
            return _sigmoid(sharpness * scores)
        if scores.shape[1] == 1:
            return np.hstack([_sigmoid(-sharpness * scores), _sigmoid(sharpness * scores)])
        below = scores - scores.max(axis=1, keepdims=True, initial=-np.inf)
        exponentials = np.exp(sharpness * below)
        return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))


def _sigmoid(z: Floats) -> Floats:
    small = np.exp(-np.abs(z))
    return np.asarray(np.where(z >= 0, 1.0, small) / (1.0 + small))


class _Choices(NamedTuple):
    """Questions with c answers each: scores below the best one (m, c), and what was wanted."""

    below: Floats
    wanted: Floats  # (m,): the score of the truth, softened
    weights: Floats | None


def log_loss(
    scores: Floats, gold: NDArray[np.int32], sharpness: float, weights: Floats | None = None
) -> float:
    """Return the mean of -ln p(gold), softened as if two more examples were undecided.

    Parameters
    ----------
    scores : array of shape (n, columns)
    gold : array of shape (n,), or (n, columns)
        Class numbers; or, for several labels a row, a table of 0 and 1.
    weights : array of shape (n,), optional
        Of the examples.

    Examples
    --------
    >>> round(log_loss(np.array([[0.0]]), np.array([1], np.int32), 1.0), 4)
    0.6931
    """
    return _loss(_choices(scores, gold, weights), sharpness)[0]


def fit_sharpness(scores: Floats, gold: NDArray[np.int32], weights: Floats | None = None) -> float:
    """Return the factor a of least log loss.

    The loss is convex in a: Newton's steps in ln a, kept inside a bracket, find its one minimum.

    Examples
    --------
    >>> scores = np.array([[4.0]] * 8)  # claims 98 %, and is right six times of eight
    >>> round(fit_sharpness(scores, np.array([1, 1, 1, 0] * 2, np.int32)), 2)
    0.21
    """
    choices = _choices(scores, gold, weights)
    size = float(np.sqrt(np.mean(choices.below**2)))
    if not np.isfinite(size) or size == 0.0:
        return 1.0  # all scores are equal: any factor gives the same
    low, high, at = -_WIDTH, _WIDTH, 0.0
    for _ in range(_STEPS):
        _, slope, curve = _loss(choices, float(np.exp(at)) / size)
        low, high = (at, high) if slope < 0 else (low, at)
        step = -slope / curve if curve > 0 else np.inf
        new = at + step if low < at + step < high else (low + high) / 2.0
        if abs(new - at) < 1e-7:
            break
        at = new
    return float(np.exp(at)) / size


def _choices(scores: Floats, gold: NDArray[np.int32], weights: Floats | None) -> _Choices:
    n = len(gold)
    if gold.ndim == 2 or scores.shape[1] == 1:  # each column is a question with two answers
        if weights is not None and gold.ndim == 2:
            weights = np.repeat(weights, gold.shape[1])
        flat = scores.reshape(-1, 1)
        scores, gold = np.hstack([-flat / 2.0, flat / 2.0]), gold.reshape(-1)
    below = scores - scores.max(axis=1, keepdims=True)
    share = 2.0 / (n + 2.0)
    truth = below[np.arange(len(gold)), gold]
    return _Choices(below, (1.0 - share) * truth + share * below.mean(axis=1), weights)


def _loss(choices: _Choices, sharpness: float) -> tuple[float, float, float]:
    """Return the loss at a, and its slope and curvature (Gauss-Newton) in ln a."""
    below, wanted, weights = choices
    with np.errstate(under="ignore"):
        chance = np.exp(sharpness * below)
    total = chance.sum(axis=1)
    chance /= total[:, None]
    expected = np.einsum("ij,ij->i", chance, below)
    spread = np.einsum("ij,ij,ij->i", chance, below, below) - expected**2
    loss = np.average(np.log(total) - sharpness * wanted, weights=weights)
    slope = sharpness * np.average(expected - wanted, weights=weights)
    curve = sharpness**2 * np.average(spread, weights=weights) + slope
    return float(loss), float(slope), float(curve)
