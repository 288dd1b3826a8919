"""Whether confidence can be trusted, and what is gained by letting a classifier abstain.

A calibrated model is right in a share p of the cases to which it gives probability p: its points
lie on the diagonal. A model that answers only where its confidence is at least t answers a share of
the questions, its coverage, and is right in a share of those, its accuracy: the abstention curve.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError
from linnet.evaluate.calibration import confidence_bins, merged
from linnet.evaluate.curves import AbstentionCurve, answered_curve
from linnet.evaluate.metrics import wilson_interval
from linnet.explain.style import (
    QUIET,
    draw_curve,
    draw_grid,
    legend_below,
    new_figure,
    write_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["abstention_curve", "plot_abstention", "plot_calibration", "reliability"]

Array = NDArray[np.float64]


def reliability(
    confidence: ArrayLike, correct: ArrayLike, bins: int = 10, fewest: int = 1
) -> Array:
    """Return how sure and how often right the answers of each confidence bin are.

    Parameters
    ----------
    confidence : array of shape (n,)
        Probability given to each answer, between 0 and 1.
    correct : array of shape (n,)
        Whether the answer was right.
    bins : int
        Bins of equal width; empty ones are left out.
    fewest : int
        Answers that a bin must have; one with fewer is joined with its neighbour.

    Returns
    -------
    array of shape (m, 3)
        Mean confidence, share of right answers, number of answers.

    Examples
    --------
    >>> reliability([0.9, 0.8, 0.15], [True, False, False], bins=2).round(3).tolist()
    [[0.15, 0.0, 1.0], [0.85, 0.5, 2.0]]
    """
    sure, right = _answers(confidence, correct)
    if sure.min() < 0 or sure.max() > 1:
        raise DataError("Confidences must be probabilities, between 0 and 1.")
    _, filled = confidence_bins(sure, right, bins)
    kept = merged(filled, fewest)
    return np.array([(one.confidence, one.accuracy, one.n) for one in kept], dtype=np.float64)


def plot_calibration(curves: Mapping[str, ArrayLike]) -> tuple[Figure, Axes]:
    """Plot share of right answers against confidence; the diagonal is perfect.

    Parameters
    ----------
    curves : mapping
        Name to an array of shape (m, 3): mean confidence, share right and number of each bin, as
        :func:`reliability` returns them. The area of a marker grows with the number; the line
        through it is Wilson's 95 % interval.

    Examples
    --------
    >>> fig, axis = plot_calibration({"MaxEnt": [[0.6, 0.5, 20], [0.9, 0.95, 80]]})
    >>> axis.get_xlabel()
    'confidence'
    """
    tables = {name: np.asarray(rows, dtype=np.float64) for name, rows in curves.items()}
    for name, table in tables.items():
        if table.ndim != 2 or table.shape[1] != 3:
            raise DataError(f"{name}: rows (confidence, accuracy, number) are needed.")
    fig, axis = new_figure(5.0, 4.6)
    axis.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=3, zorder=0, label="calibrated")
    for number, (name, table) in enumerate(tables.items()):
        x, y = table[:, 0], table[:, 1]
        look = draw_curve(axis, number, x, y, name, linewidth=1.6, markersize=3.5)
        share = table[:, 2] / max(table[:, 2].max(), 1.0)
        area = 12 + 130 * share
        axis.scatter(x, y, area, look.colour, alpha=0.35, linewidth=0)
        for sure, right, n in table.tolist():
            if n >= 1:
                ends = wilson_interval(round(n * right), int(n))
                axis.vlines(sure, *ends, look.colour, linewidth=0.9, alpha=0.7)
    draw_grid(axis)
    axis.set(xlabel="confidence", ylabel="share of right answers", aspect="equal")
    low = min((float(table[:, :2].min()) for table in tables.values() if len(table)), default=0.0)
    floor = max(0.0, 0.1 * np.floor(10 * low - 0.5))
    axis.set(xlim=(floor, 1.02), ylim=(floor, 1.02))
    write_title(axis, "Calibration, with 95 % intervals")
    return legend_below(fig, axis)


def abstention_curve(confidence: ArrayLike, correct: ArrayLike) -> AbstentionCurve:
    """Return what is answered, and how often rightly, for every threshold of confidence.

    Parameters
    ----------
    confidence : array of shape (n,)
        Anything that grows with certainty; equal confidences are answered together.
    correct : array of shape (n,)

    Examples
    --------
    >>> curve = abstention_curve([0.9, 0.5, 0.9, 0.7], [1, 0, 1, 1])
    >>> curve.coverage.tolist(), curve.accuracy.tolist()
    ([0.5, 0.75, 1.0], [1.0, 1.0, 0.75])
    """
    return answered_curve(*_answers(confidence, correct))


def plot_abstention(
    answers: Mapping[str, tuple[ArrayLike, ArrayLike]],
) -> tuple[Figure, Axes]:
    """Plot accuracy against the share of the questions answered.

    Parameters
    ----------
    answers : mapping
        Name to confidence and correctness, as :func:`abstention_curve` takes them.

    Examples
    --------
    >>> fig, axis = plot_abstention({"MaxEnt": ([0.9, 0.5, 0.9, 0.7], [1, 0, 1, 1])})
    >>> axis.get_ylabel()
    'accuracy of the answers'
    """
    fig, axis = new_figure(5.4, 3.7)
    for number, (name, (confidence, correct)) in enumerate(answers.items()):
        curve = abstention_curve(confidence, correct)
        look = draw_curve(axis, number, curve.coverage, curve.accuracy, name)
        axis.plot(
            curve.coverage[-1], curve.accuracy[-1], look.marker, color=look.colour, markersize=6
        )
    axis.axvline(1.0, color=QUIET, linewidth=0.8, zorder=0)
    draw_grid(axis)
    axis.set(xlabel="share of the questions answered", ylabel="accuracy of the answers")
    axis.set(xlim=(0, 1.02))
    write_title(axis, "Answering only when sure")
    return legend_below(fig, axis)


def _answers(confidence: ArrayLike, correct: ArrayLike) -> tuple[Array, NDArray[np.bool_]]:
    sure, right = np.asarray(confidence, np.float64), np.asarray(correct).astype(bool)
    if sure.ndim != 1 or sure.shape != right.shape or not len(sure):
        raise DataError(f"{sure.shape} confidences do not fit answers of shape {right.shape}.")
    if not np.isfinite(sure).all():
        raise DataError("Confidences must be finite.")
    return sure, right
