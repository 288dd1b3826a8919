"""The perceptron at work: its line as the rounds go by, and one update as a vector addition.

SPEC P-04 and P-18. An example with y w·x ≤ 0 is a mistake; the update w + y x turns the normal
vector towards a positive example and away from a negative one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError, ParameterError
from linnet.explain.boundaries import boundary_lines
from linnet.explain.plots.points import plot_simple_data
from linnet.explain.style import (
    COLOURS,
    INK,
    QUIET,
    draw_arrow,
    draw_points,
    legend_below,
    new_panels,
    plane_points,
    write_near,
    write_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from linnet.data.gaussian import SimpleDataSet

__all__ = [
    "PerceptronUpdate",
    "perceptron_lines",
    "perceptron_update",
    "plot_perceptron_lines",
    "plot_perceptron_update",
]

Array = NDArray[np.float64]


def perceptron_lines(
    data: SimpleDataSet, every: int = 5, rounds: int = 20, random_state: int | None = 0
) -> dict[int, Array]:
    """Return the perceptron's last weights after every few rounds.

    Parameters
    ----------
    data : SimpleDataSet
    every, rounds : int
        How often to look, and when to stop.
    random_state : int or None
        Seed of the order of the examples.

    Returns
    -------
    dict
        Round to parameters of shape (3, 2), bias first.

    Examples
    --------
    >>> from linnet.data import SimpleDataSet
    >>> list(perceptron_lines(SimpleDataSet()))
    [5, 10, 15, 20]
    """
    from linnet.learn.perceptron import Perceptron

    model = Perceptron(
        max_iter=rounds,
        average=False,
        snapshot_every=every,
        stop_when_clean=False,
        random_state=random_state,
    ).fit(data.train_X, data.train_y)
    lines = {}
    for snapshot in model.snapshots_:
        column = np.concatenate([snapshot.last_intercept, snapshot.last_coef[0]])[:, None]
        lines[snapshot.round] = np.hstack([-column, column]) / 2
    return lines


def plot_perceptron_lines(
    data: SimpleDataSet, every: int = 5, rounds: int = 20, random_state: int | None = 0
) -> tuple[Figure, Axes]:
    """Plot the perceptron's line after every few rounds, the later the darker (SPEC P-04).

    Parameters are those of :func:`perceptron_lines`.

    Examples
    --------
    >>> from linnet.data import SimpleDataSet
    >>> fig, axis = plot_perceptron_lines(SimpleDataSet(), rounds=10)
    >>> [line.get_label() for line in axis.lines][-2:]
    ['after round 5', 'after round 10']
    """
    from matplotlib import colormaps

    fig, axis = plot_simple_data(data)
    write_title(axis, "The perceptron's line as it learns")
    lines = perceptron_lines(data, every, rounds, random_state)
    shades = colormaps["Blues"](np.linspace(0.45, 1.0, len(lines)))
    for shade, (number, params) in zip(shades, lines.items(), strict=True):
        segments = boundary_lines(params, axis.get_xlim(), axis.get_ylim())
        ends = segments[0] if len(segments) else np.full((1, 2), np.nan)
        away = "" if len(segments) else " (outside the plot)"
        width = 1.2 + 1.4 * number / max(lines)
        axis.plot(*ends.T, color=tuple(shade), linewidth=width, label=f"after round {number}{away}")
    return legend_below(fig, axis)


@dataclass(frozen=True)
class PerceptronUpdate:
    """One correction: ``after = before + label * example``.

    ``mistakes`` counts the wrong examples of the whole data before and after it.
    """

    index: int
    example: Array
    label: int
    before: Array
    after: Array
    mistakes: tuple[int, int]


def perceptron_update(X: ArrayLike, y: ArrayLike, weights: ArrayLike) -> PerceptronUpdate:
    """Find the first mistake of a line through the origin and correct it.

    Parameters
    ----------
    X : array of shape (n, 2)
    y : array of shape (n,)
        Labels -1 and 1.
    weights : array of shape (2,)

    Raises
    ------
    DataError
        When there is no mistake.

    Examples
    --------
    >>> update = perceptron_update([[2, 1], [-1, 2]], [1, 1], [1, 0])
    >>> update.index, update.after.tolist(), update.mistakes
    (1, [0.0, 2.0], (1, 0))
    """
    points, labels = plane_points(X, y)
    before = np.asarray(weights, dtype=np.float64)
    if before.shape != (2,) or not np.isfinite(before).all():
        raise ParameterError("weights must be two finite numbers.")
    if not np.isin(labels, (-1, 1)).all():
        raise DataError("The labels of the binary perceptron are -1 and 1.")
    wrong = np.flatnonzero(labels * (points @ before) <= 0)
    if not len(wrong):
        raise DataError("These weights make no mistake, so there is nothing to correct.")
    index = int(wrong[0])
    after = before + labels[index] * points[index]
    left = int((labels * (points @ after) <= 0).sum())
    return PerceptronUpdate(
        index, points[index], int(labels[index]), before, after, (len(wrong), left)
    )


def plot_perceptron_update(
    X: ArrayLike, y: ArrayLike, weights: ArrayLike
) -> tuple[Figure, list[Axes]]:
    """Plot a correction in three panels: before, vector addition, after (SPEC P-18).

    Parameters are those of :func:`perceptron_update`.

    Examples
    --------
    >>> fig, axes = plot_perceptron_update([[2, 1], [-1, 2], [1, -2]], [1, 1, -1], [1, 0])
    >>> [axis.get_title(loc="left") for axis in axes]
    ['before: 2 mistakes', 'w + x', 'after: 0 mistakes']
    """
    update = perceptron_update(X, y, weights)
    points, labels = plane_points(X, y)
    added = update.label * update.example
    reach = 1.15 * float(np.abs(np.vstack([points, update.before, update.after, added])).max())
    fig, axes = new_panels(3, 3.2, 3.7)
    counts = update.mistakes
    before, middle, after = axes
    for axis, vector, name, count in (
        (before, update.before, "before", counts[0]),
        (after, update.after, "after", counts[1]),
    ):
        draw_points(axis, points, labels, {-1: "−", 1: "+"})
        _line_of(axis, vector, reach)
        _arrow(axis, np.zeros(2), vector, "w" if axis is before else "w′", "red")
        axis.plot(
            *update.example, "o", markersize=14, fillstyle="none", color=INK,
            label="the example corrected",
        )  # fmt: skip
        write_title(axis, f"{name}: {count} mistake{'s' * (count != 1)}")
    sign = "+" if update.label > 0 else "−"
    inside = (update.before + update.after) / 3
    _arrow(middle, np.zeros(2), update.before, "w", "red", inside)
    _arrow(middle, update.before, update.after, f"{sign}x", "orange", inside)
    _arrow(middle, np.zeros(2), update.after, "w′", "purple", inside)
    near = 1.4 * float(np.abs([update.before, update.after]).max())
    write_title(middle, f"w {sign} x")
    for axis in axes:
        end = near if axis is middle else reach
        axis.set(xlim=(-end, end), ylim=(-end, end), aspect="equal", xlabel="$x_1$")
        axis.plot(0, 0, "+", color=QUIET, markersize=8)
    before.set_ylabel("$x_2$")
    legend_below(fig, before)
    return fig, axes


def _line_of(axis: Axes, weights: Array, reach: float) -> None:
    params = np.column_stack([np.zeros(3), [0.0, *weights]])
    for ends in boundary_lines(params, (-reach, reach), (-reach, reach)):
        axis.plot(*ends.T, color=INK, linewidth=1.4, zorder=1)


def _arrow(
    axis: Axes,
    start: Array,
    end: Array,
    name: str,
    colour: str,
    inside: Array | None = None,
) -> None:
    """Draw a named arrow; the name stands on the side away from `inside`."""
    shade = COLOURS[colour][0]
    draw_arrow(axis, start, end, shade)
    along = end - start
    side = np.array([-along[1], along[0]]) / max(float(np.linalg.norm(along)), 1e-12)
    place = start + 0.6 * along
    if inside is not None and side @ (inside - place) > 0:
        side = -side
    write_near(axis, name, place, 10 * side, shade, fontsize=11, style="italic")
