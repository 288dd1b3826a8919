"""Curves over probabilities: what a threshold buys, and what abstaining buys.

*Thresholds.* Say yes where P(positive) ≥ t. Lowering t past each distinct probability gives
precision, recall and F1, and the share of false alarms among the negatives.

*Abstaining.* Answer only where the largest probability is ≥ t. The coverage is the share of rows
answered, the accuracy that of the answers; the area is the mean error over coverages, each row's
error rate among the rows at least as sure as itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError
from linnet.evaluate.metrics import wilson_interval
from linnet.evaluate.rows import plain
from linnet.evaluate.units import are_sentences, are_sets, as_units

__all__ = [
    "AbstentionCurve",
    "ThresholdCurve",
    "abstention_curve",
    "answered_curve",
    "threshold_curve",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ThresholdCurve:
    """Scores of "yes where the probability is at least the threshold", thresholds falling.

    All arrays have one entry a distinct probability; `false_alarms` is the share of negatives
    taken for positive, 0 where there are none.
    """

    threshold: Floats
    precision: Floats
    recall: Floats
    f1: Floats
    false_alarms: Floats

    def best(self) -> tuple[float, float]:
        """Return the threshold of largest F1 and that F1; among equals the highest threshold."""
        at = int(self.f1.argmax())
        return float(self.threshold[at]), float(self.f1[at])


@dataclass(frozen=True)
class AbstentionCurve:
    """Coverage and accuracy of "answer where the best probability is at least the threshold".

    All arrays have one entry a distinct confidence, thresholds falling, so coverage rises to 1;
    `area` is the mean error over all coverages (less is better).
    """

    threshold: Floats
    coverage: Floats
    accuracy: Floats
    area: float
    n: int

    def threshold_for(self, accuracy: float, level: float | None = None) -> float | None:
        """Return the threshold of largest coverage that reaches an accuracy; None if none does.

        Parameters
        ----------
        accuracy : float
        level : float, optional
            Ask that the lower end of the Wilson interval at this level reaches it.
        """
        reached = self.accuracy >= accuracy
        if level is not None:
            answered = np.rint(self.coverage * self.n).astype(int).tolist()
            right = np.rint(self.accuracy * answered).astype(int).tolist()
            pairs = zip(right, answered, strict=True)
            low = np.array([wilson_interval(hits, n, level)[0] for hits, n in pairs])
            reached = low >= accuracy
        places = np.flatnonzero(reached)
        return float(self.threshold[places[-1]]) if len(places) else None


def threshold_curve(gold: Sequence[Any], probability: ArrayLike, positive: Any) -> ThresholdCurve:
    """Return precision, recall and F1 of one label at every threshold.

    Parameters
    ----------
    gold : sequence of n labels
    probability : array of shape (n,)
        Of the label `positive`, or any score that grows with it.
    positive : label

    Examples
    --------
    >>> curve = threshold_curve(["+", "-", "+", "-"], [0.9, 0.6, 0.7, 0.2], "+")
    >>> curve.best(), curve.recall.tolist()
    ((0.7, 1.0), [0.5, 1.0, 1.0, 1.0])
    """
    yes = np.array([label == positive for label in plain(gold)], bool)
    p = _numbers(probability, (len(yes),))
    order = np.argsort(-p, kind="stable")
    ends = _last_of_equal(p[order])
    hits = np.cumsum(yes[order])[ends].astype(np.float64)
    called = ends + 1.0
    positives, negatives = int(yes.sum()), int((~yes).sum())
    return ThresholdCurve(
        threshold=p[order][ends],
        precision=hits / called,
        recall=hits / max(positives, 1),
        f1=2 * hits / (called + positives),
        false_alarms=(called - hits) / max(negatives, 1),
    )


def abstention_curve(
    gold: Sequence[Any], probabilities: Any, classes: Sequence[Any]
) -> AbstentionCurve:
    """Return how the accuracy rises as a model answers only what it is sure of.

    Parameters
    ----------
    gold : sequence of n labels, or of lists of tags
        Every token of a sentence is a question of its own.
    probabilities : array of shape (n, K); of sentences a list of arrays of shape (tokens, K)
    classes : sequence of K labels

    Examples
    --------
    >>> p = [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]
    >>> curve = abstention_curve(["a", "a", "b"], p, ["a", "b"])
    >>> curve.accuracy.round(2).tolist(), curve.threshold_for(1.0)
    ([1.0, 1.0, 0.67], 0.8)
    """
    if are_sets(gold, are_sentences(probabilities)):
        raise DataError("a model of several labels a row has no single answer to hold back")
    units = as_units(gold, probabilities, classes)
    return answered_curve(units.sure, ~units.wrong)


def answered_curve(confidence: ArrayLike, right: ArrayLike) -> AbstentionCurve:
    """Return the same for answers whose confidence and correctness are known.

    Parameters
    ----------
    confidence : array of shape (n,)
        Anything that grows with certainty; equal confidences are answered together.
    right : array of shape (n,)

    Examples
    --------
    >>> curve = answered_curve([0.9, 0.5, 0.9, 0.7], [1, 0, 1, 1])
    >>> curve.coverage.tolist(), curve.accuracy.tolist()
    ([0.5, 0.75, 1.0], [1.0, 1.0, 0.75])
    """
    hit = np.asarray(right).astype(bool)
    sure = _numbers(confidence, hit.shape, "confidences")
    order = np.argsort(-sure, kind="stable")
    ends = _last_of_equal(sure[order])
    answered = ends + 1.0
    accuracy = np.cumsum(hit[order])[ends] / answered
    share = np.diff(answered, prepend=0.0) / len(hit)
    return AbstentionCurve(
        threshold=sure[order][ends],
        coverage=answered / len(hit),
        accuracy=accuracy,
        area=float(((1.0 - accuracy) * share).sum()),
        n=len(hit),
    )


def _last_of_equal(falling: Floats) -> NDArray[np.int64]:
    """Return the last place of every run of equal numbers."""
    return np.flatnonzero(np.append(falling[1:] != falling[:-1], True))


def _numbers(values: ArrayLike, shape: tuple[int, ...], what: str = "probabilities") -> Floats:
    table = np.asarray(values, np.float64)
    if table.shape != shape or table.ndim != 1:
        raise DataError(f"{what} must have the shape {shape}, got {table.shape}")
    if not shape[0]:
        raise DataError("there is nothing to draw a curve of; pass at least one example")
    if not np.isfinite(table).all():
        raise DataError(f"{what} must be finite numbers")
    return table
