"""Do probabilities mean what they say? Expected calibration error, Brier score, log loss.

Each row's confidence is the probability of its most probable label. Rows are put into bins of
equal width by confidence; in a calibrated model the share of right answers in a bin equals its
mean confidence. With B bins of n_b rows the expected calibration error is

    Σ_b n_b / n · |accuracy_b − confidence_b|.

With several labels a row, every label is a yes-or-no question with its own probability.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.evaluate.metrics import wilson_interval

__all__ = ["Bin", "Calibration", "calibrate", "confidence_bins", "merged"]

_SMALLEST = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Bin:
    """The rows whose confidence lies in (low, high]: how many, how sure, how often right."""

    low: float
    high: float
    n: int
    confidence: float
    accuracy: float

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share that is right."""
        return wilson_interval(round(self.n * self.accuracy), self.n)

    def joined(self, other: Bin) -> Bin:
        """Return this bin and the one above it as one."""
        n = self.n + other.n
        confidence = (self.n * self.confidence + other.n * other.confidence) / n
        accuracy = (self.n * self.accuracy + other.n * other.accuracy) / n
        return Bin(self.low, other.high, n, confidence, accuracy)


@dataclass(frozen=True)
class Calibration:
    """How far probabilities can be trusted.

    ``error`` is the expected calibration error; ``brier`` the mean squared distance of the
    probabilities from 0 and 1 (summed over labels, halved for two); ``log_loss`` the mean of
    −log of the probability of the truth, in nats, cut at the smallest step of a float.
    """

    error: float
    brier: float
    log_loss: float
    bins: tuple[Bin, ...]


def calibrate(
    probabilities: NDArray[np.float64],
    target: NDArray[np.generic],
    n_bins: int = 15,
    best: NDArray[np.intp] | None = None,
) -> Calibration:
    """Compare probabilities with what is true.

    Parameters
    ----------
    probabilities : array of shape (n, K)
        Between 0 and 1.
    target : array of shape (n,) or (n, K)
        Column of the true label, -1 for a label without a column; or a truth value for every
        label.
    n_bins : int
        Number of bins; empty ones are left out of the result.
    best : array of shape (n,), optional
        Column of the answer where several labels are equally probable; the first of them by
        default.

    Examples
    --------
    >>> import numpy as np
    >>> calibration = calibrate(np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0, 1]))
    >>> round(calibration.error, 3), round(calibration.brier, 3), round(calibration.log_loss, 3)
    (0.15, 0.025, 0.164)
    """
    p = np.minimum(probabilities, 1.0)
    if target.ndim == 2:
        yes = target.astype(bool)
        brier = float(np.mean((p - yes) ** 2)) if p.size else 0.0
        log_loss = _mean_log(np.where(yes, p, 1.0 - p).ravel())
        error, bins = confidence_bins(p.ravel(), yes.ravel(), n_bins)
        return Calibration(error, brier, log_loss, bins)
    rows = np.arange(len(p))
    column = target.astype(np.int64)
    known = column >= 0
    of_truth = np.where(known, p[rows, np.maximum(column, 0)], 0.0)
    squares = (p**2).sum(axis=1) - 2.0 * of_truth + 1.0
    brier = float(squares.mean()) / (2.0 if p.shape[1] == 2 else 1.0)
    answer = p.argmax(axis=1) if best is None else best
    error, bins = confidence_bins(p[rows, answer], answer == column, n_bins)
    return Calibration(error, brier, _mean_log(of_truth), bins)


def _mean_log(p: NDArray[np.float64]) -> float:
    if not p.size:
        return 0.0
    return float(-np.log(np.clip(p, _SMALLEST, 1.0)).mean())


def confidence_bins(
    confidence: NDArray[np.float64], right: NDArray[np.bool_], n_bins: int = 15
) -> tuple[float, tuple[Bin, ...]]:
    """Return the expected calibration error of answers, and the bins that are not empty.

    Parameters
    ----------
    confidence : array of shape (n,)
        Between 0 and 1.
    right : array of shape (n,)
    n_bins : int

    Examples
    --------
    >>> error, bins = confidence_bins(np.array([0.9, 0.8]), np.array([True, False]), 2)
    >>> round(error, 3), bins[0].n, bins[0].accuracy
    (0.35, 2, 0.5)
    """
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    place = np.clip(np.searchsorted(edges, confidence, side="left") - 1, 0, n_bins - 1)
    size = np.bincount(place, minlength=n_bins)
    sure = np.bincount(place, weights=confidence, minlength=n_bins)
    hits = np.bincount(place, weights=right, minlength=n_bins)
    error = float(np.abs(hits - sure).sum() / max(len(confidence), 1))
    bins = tuple(
        Bin(
            low=float(edges[b]),
            high=float(edges[b + 1]),
            n=int(size[b]),
            confidence=float(sure[b] / size[b]),
            accuracy=float(hits[b] / size[b]),
        )
        for b in np.flatnonzero(size)
    )
    return error, bins


def merged(bins: Iterable[Bin], fewest: int) -> tuple[Bin, ...]:
    """Return bins of at least so many rows, where there are so many: neighbours are joined.

    The share of right answers among two or three rows says nothing, and draws a zigzag.

    Examples
    --------
    >>> few = [Bin(0.0, 0.5, 1, 0.4, 1.0), Bin(0.5, 0.9, 9, 0.8, 0.8), Bin(0.9, 1.0, 2, 0.9, 1.0)]
    >>> [(one.low, one.high, one.n) for one in merged(few, 10)]
    [(0.0, 1.0, 12)]
    """
    result: list[Bin] = []
    for one in bins:
        if result and result[-1].n < fewest:
            result[-1] = result[-1].joined(one)
        else:
            result.append(one)
    if len(result) > 1 and result[-1].n < fewest:
        last = result.pop()
        result[-1] = result[-1].joined(last)
    return tuple(result)
