"""A line, its normal vector and its distance; many lines that separate the same points.

SPEC P-10. The hyperplane w·x + b = 0 is orthogonal to w, which points to its positive side; the
point of it nearest to the origin is −b w/|w|², at the distance |b|/|w|.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError, ParameterError
from linnet.explain.boundaries import Limits, boundary_lines
from linnet.explain.style import (
    COLOURS,
    INK,
    QUIET,
    draw_arrow,
    draw_points,
    legend_below,
    limits_of,
    new_figure,
    plane_points,
    series,
    write_near,
    write_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "Hyperplane",
    "hyperplane",
    "plot_hyperplane",
    "plot_separating_lines",
    "separating_lines",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Hyperplane:
    """A line of the plane.

    Attributes
    ----------
    normal : array of shape (2,)
        w/|w|; it points to the positive side.
    foot : array of shape (2,)
        The point of the line nearest to the origin.
    distance : float
        |b|/|w|, of the origin from the line.
    """

    normal: Array
    foot: Array
    distance: float


def hyperplane(weights: ArrayLike, bias: float) -> Hyperplane:
    """Return normal vector, nearest point and distance of the line w·x + b = 0.

    Examples
    --------
    >>> line = hyperplane([3.0, 4.0], -10.0)
    >>> line.normal.tolist(), line.foot.round(12).tolist(), line.distance
    ([0.6, 0.8], [1.2, 1.6], 2.0)
    """
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != (2,) or not (np.isfinite(w).all() and np.isfinite(bias)):
        raise ParameterError("A line of the plane has two finite weights and a finite bias.")
    length = float(np.hypot(*w))
    if length == 0:
        raise ParameterError("Weights of zero have no direction, so there is no line.")
    normal = w / length
    return Hyperplane(normal, -bias / length * normal + 0.0, abs(bias) / length)


def plot_hyperplane(
    weights: ArrayLike, bias: float, xlim: Limits = (-3, 3), ylim: Limits = (-3, 3)
) -> tuple[Figure, Axes]:
    """Plot a line with its normal vector and its distance from the origin (SPEC P-10).

    Parameters
    ----------
    weights : array of shape (2,)
    bias : float
    xlim, ylim : (low, high)

    Examples
    --------
    >>> fig, axis = plot_hyperplane([1.0, 1.0], -2.0)
    >>> len(axis.lines)
    3
    """
    line = hyperplane(weights, bias)
    w = np.asarray(weights, dtype=np.float64)
    fig, axis = new_figure(5.0, 5.0)
    grid = np.meshgrid(np.linspace(*xlim, 201), np.linspace(*ylim, 201))
    scores = w[0] * grid[0] + w[1] * grid[1] + bias
    axis.contourf(*grid, scores, [0, np.inf], colors=[COLOURS["blue"][0]], alpha=0.12)
    params = np.column_stack([np.zeros(3), [bias, *w]])
    for ends in boundary_lines(params, xlim, ylim):
        axis.plot(*ends.T, color=INK, linewidth=2)
    axis.plot(0, 0, "o", color=QUIET, markersize=5)
    axis.plot(*np.array([[0.0, 0.0], line.foot]).T, color=QUIET, linestyle=(0, (3, 2)))
    tip = line.foot + 0.2 * (xlim[1] - xlim[0]) * line.normal
    draw_arrow(axis, line.foot, tip, COLOURS["red"][0])
    write_near(axis, "w", tip, 12 * line.normal, COLOURS["red"][0], style="italic", fontsize=13)
    side = np.array([-line.normal[1], line.normal[0]])
    if line.distance > 0:
        text = f"|b|/|w| = {line.distance:.3g}"
        write_near(axis, text, line.foot / 2, 40 * side, QUIET)
    place = line.foot + 0.3 * (xlim[1] - xlim[0]) * side
    write_near(axis, "w·x + b > 0", place, 24 * line.normal, INK)
    write_near(axis, "w·x + b < 0", place, -24 * line.normal, INK)
    axis.set(xlim=xlim, ylim=ylim, aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
    write_title(axis, "A hyperplane and its normal vector")
    return fig, axis


def separating_lines(X: ArrayLike, y: ArrayLike, count: int = 5) -> Array:
    """Return different lines that separate two classes: perceptrons with different orders.

    Parameters
    ----------
    X : array of shape (n, 2)
    y : array of shape (n,)
        Two labels.
    count : int
        How many lines to look for.

    Returns
    -------
    array of shape (m, 3), m <= count
        Rows (b, w1, w2); w·x + b > 0 for the second label and < 0 for the first.

    Raises
    ------
    DataError
        When a thousand rounds find no line.

    Examples
    --------
    >>> lines = separating_lines([[0, 0], [0, 1], [3, 3], [4, 2]], [0, 0, 1, 1], 3)
    >>> lines.shape
    (3, 3)
    """
    from linnet.learn.perceptron import Perceptron

    points, labels = plane_points(X, y)
    lines: list[Array] = []
    for seed in range(20 * count):
        model = Perceptron(average=False, max_iter=1000, random_state=seed).fit(points, labels)
        if model.optimality_ > 0:
            raise DataError("No line was found that separates these points.")
        line = np.array([*model.intercept_, *model.coef_[0]]) / np.linalg.norm(model.coef_)
        if all(np.abs(line - other).max() > 0.02 for other in lines):
            lines.append(line)
        if len(lines) == count:
            break
    return np.array(lines).reshape(-1, 3)


def plot_separating_lines(X: ArrayLike, y: ArrayLike, count: int = 5) -> tuple[Figure, Axes]:
    """Plot several lines that all separate the same points (SPEC P-10).

    Parameters are those of :func:`separating_lines`.

    Examples
    --------
    >>> fig, axis = plot_separating_lines([[0, 0], [0, 1], [3, 3], [4, 2]], [0, 0, 1, 1], 3)
    >>> axis.lines[-1].get_label()
    'line 3'
    """
    points, labels = plane_points(X, y)
    lines = separating_lines(points, labels, count)
    fig, axis = new_figure(5.0, 4.6)
    draw_points(axis, points, labels)
    axis.set(aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
    axis.set(**limits_of(points, 0.12))
    write_title(axis, "Many lines separate these points")
    for number, line in enumerate(lines):
        look = series(number)
        params = np.column_stack([np.zeros(3), line])
        for ends in boundary_lines(params, axis.get_xlim(), axis.get_ylim()):
            axis.plot(
                *ends.T, color=look.colour, linestyle=look.linestyle, label=f"line {number + 1}"
            )
    return legend_below(fig, axis)
