"""Scores with their uncertainty: learning curves, and learners as points with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError
from linnet.explain.style import (
    COLOURS,
    FAINT,
    INK,
    QUIET,
    draw_curve,
    draw_grid,
    legend_below,
    name_ticks,
    new_figure,
    write_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "ForestRow",
    "LearningCurve",
    "forest_rows",
    "learning_curve",
    "plot_forest",
    "plot_learning_curves",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LearningCurve:
    """Mean score for each training size, and the least and the greatest of the repeats."""

    sizes: Array
    mean: Array
    low: Array
    high: Array


def learning_curve(sizes: ArrayLike, scores: ArrayLike) -> LearningCurve:
    """Summarise scores by training size.

    Parameters
    ----------
    sizes : array of shape (n,)
    scores : array of shape (n,) or (n, repeats)

    Examples
    --------
    >>> curve = learning_curve([10, 100], [[0.5, 0.7], [0.8, 0.9]])
    >>> curve.mean.round(3).tolist(), curve.low.tolist()
    ([0.6, 0.85], [0.5, 0.8])
    """
    across, table = np.asarray(sizes, np.float64), np.asarray(scores, np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if across.ndim != 1 or table.ndim != 2 or len(table) != len(across) or not table.size:
        raise DataError(f"{across.shape} sizes do not fit scores of shape {table.shape}.")
    order = np.argsort(across, kind="stable")
    across, table = across[order], table[order]
    return LearningCurve(across, table.mean(axis=1), table.min(axis=1), table.max(axis=1))


def plot_learning_curves(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]], ylabel: str = "test accuracy"
) -> tuple[Figure, Axes]:
    """Plot scores against training size, the range of the repeats as a band.

    Parameters
    ----------
    curves : mapping
        Name to sizes and scores, as :func:`learning_curve` takes them.
    ylabel : str

    Examples
    --------
    >>> fig, axis = plot_learning_curves({"SVM": ([10, 100], [[0.5, 0.7], [0.8, 0.9]])})
    >>> axis.get_xscale()
    'log'
    """
    fig, axis = new_figure(5.4, 3.7)
    for number, (name, (sizes, scores)) in enumerate(curves.items()):
        curve = learning_curve(sizes, scores)
        look = draw_curve(axis, number, curve.sizes, curve.mean, name, markersize=5)
        if (curve.high > curve.low).any():
            axis.fill_between(
                curve.sizes, curve.low, curve.high, color=look.colour, alpha=0.1, linewidth=0
            )
    draw_grid(axis)
    axis.set(xlabel="training examples", ylabel=ylabel, xscale="log")
    write_title(axis, "What more examples bring")
    name_ticks(axis, np.concatenate([np.ravel(np.asarray(sizes)) for sizes, _ in curves.values()]))
    return legend_below(fig, axis)


@dataclass(frozen=True)
class ForestRow:
    """One line of a comparison: an estimate and its interval."""

    name: str
    estimate: float
    low: float
    high: float


def forest_rows(
    names: Sequence[str], estimates: ArrayLike, low: ArrayLike, high: ArrayLike
) -> list[ForestRow]:
    """Return estimates with their intervals, the best first.

    Raises
    ------
    DataError
        When lengths differ or an estimate lies outside its interval.

    Examples
    --------
    >>> rows = forest_rows(["NB", "SVM"], [0.8, 0.9], [0.75, 0.86], [0.85, 0.93])
    >>> [row.name for row in rows]
    ['SVM', 'NB']
    """
    table = [np.asarray(part, np.float64) for part in (estimates, low, high)]
    if any(part.shape != (len(names),) for part in table) or not len(names):
        raise DataError("Every name needs one estimate, one lower and one upper end.")
    rows = [
        ForestRow(name, *map(float, values)) for name, *values in zip(names, *table, strict=True)
    ]
    for row in rows:
        if not row.low <= row.estimate <= row.high:
            raise DataError(f"{row.name}: {row.estimate} is not between {row.low} and {row.high}.")
    return sorted(rows, key=lambda row: -row.estimate)


def plot_forest(
    names: Sequence[str],
    estimates: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    reference: float | None = None,
    xlabel: str = "accuracy, 95 % interval",
) -> tuple[Figure, Axes]:
    """Plot learners as points with intervals, the best on top.

    Parameters
    ----------
    names, estimates, low, high
        As :func:`forest_rows` takes them.
    reference : float, optional
        A value to compare with, drawn as a vertical line: 0 for differences, say.
    xlabel : str

    Examples
    --------
    >>> fig, axis = plot_forest(["NB", "SVM"], [0.8, 0.9], [0.75, 0.86], [0.85, 0.93])
    >>> [label.get_text() for label in axis.get_yticklabels()]
    ['SVM', 'NB']
    """
    rows = forest_rows(names, estimates, low, high)
    fig, axis = new_figure(5.6, 1.1 + 0.36 * len(rows))
    if reference is not None:
        axis.axvline(reference, color=QUIET, linestyle=(0, (4, 2)), linewidth=1.0, zorder=0)
    for place, row in enumerate(rows):
        axis.plot([row.low, row.high], [place, place], color=INK, linewidth=1.6, zorder=1)
        axis.plot(row.estimate, place, "o", color=COLOURS["blue"][0], markersize=7, zorder=2)
        axis.annotate(
            f"{row.estimate:.3f}  [{row.low:.3f}, {row.high:.3f}]", (1.01, place),
            xycoords=("axes fraction", "data"), va="center", fontsize=8.5, color=INK,
        )  # fmt: skip
    axis.set_yticks(range(len(rows)), [row.name for row in rows])
    axis.set(xlabel=xlabel, ylim=(len(rows) - 0.5, -0.5))
    write_title(axis, "Estimates and their intervals")
    axis.spines["left"].set_visible(False)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", color=FAINT, linewidth=0.6)
    return fig, axis
