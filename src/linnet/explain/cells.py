"""The cells of the nearest neighbour (SPEC P-08, M-105).

Problem: given points p_1 … p_n, cell i holds what is nearer to p_i than to any other point. It is
the rectangle of the plot cut by the half-planes |x − p_i| ≤ |x − p_j|, that is, on the near side
of the perpendicular bisector of p_i and p_j. Returned: the corners of each cell, exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import ParameterError
from linnet.explain.boundaries import Limits
from linnet.explain.style import (
    INK,
    draw_points,
    legend_below,
    new_figure,
    plane_points,
    series,
    write_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_voronoi", "voronoi_cells"]

Array = NDArray[np.float64]


def voronoi_cells(X: ArrayLike, xlim: Limits, ylim: Limits) -> list[Array]:
    """Return the cell of each point as a polygon inside a rectangle.

    Parameters
    ----------
    X : array of shape (n, 2)
        Of equal points the first gets the cell, as with ties of the nearest neighbour; the others
        get an empty one.
    xlim, ylim : (low, high)

    Returns
    -------
    list of arrays of shape (corners, 2)

    Examples
    --------
    >>> left, right = voronoi_cells([[0, 0], [2, 0]], (-1, 3), (0, 1))
    >>> left.tolist()
    [[-1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [-1.0, 1.0]]
    """
    points, _ = plane_points(X, np.zeros(len(np.asarray(X))))
    for low, high in (xlim, ylim):
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise ParameterError(f"limits must be (low, high), got {(low, high)}.")
    (left, right), (bottom, top) = xlim, ylim
    corners = np.array([[left, bottom], [right, bottom], [right, top], [left, top]], np.float64)
    return [_cell(points, i, corners) for i in range(len(points))]


def _cell(points: Array, i: int, cell: Array) -> Array:
    order = np.argsort(((points - points[i]) ** 2).sum(axis=1), kind="stable")
    for j in order[order != i].tolist():
        normal = points[j] - points[i]
        if not normal.any():
            if j < i:
                return np.empty((0, 2))
            continue
        near = normal @ (points[i] + points[j]) / 2 - cell @ normal  # >= 0 on the side of i
        cell = _cut(cell, near)
        if not len(cell):
            break
    return cell


def _cut(cell: Array, near: Array) -> Array:
    """Return the part of a convex polygon on which `near`, given at its corners, is >= 0."""
    if (near >= 0).all():
        return cell
    kept = []
    for k in range(len(cell)):
        after = (k + 1) % len(cell)
        if near[k] >= 0:
            kept.append(cell[k])
        if near[k] * near[after] < 0:
            share = near[k] / (near[k] - near[after])
            kept.append(cell[k] + share * (cell[after] - cell[k]))
    return np.array(kept).reshape(-1, 2)


def plot_voronoi(X: ArrayLike, y: ArrayLike, xlim: Limits, ylim: Limits) -> tuple[Figure, Axes]:
    """Plot the cells of the nearest neighbour, tinted by the label of their point (SPEC P-08).

    Examples
    --------
    >>> fig, axis = plot_voronoi([[0, 0], [2, 0], [1, 2]], ["a", "b", "b"], (-1, 3), (-1, 3))
    >>> len(axis.patches)
    3
    """
    from matplotlib.patches import Polygon

    points, labels = plane_points(X, y)
    fig, axis = new_figure(5.4, 4.4)
    names: list[Any] = np.unique(labels).tolist()
    for cell, label in zip(voronoi_cells(points, xlim, ylim), labels.tolist(), strict=True):
        if len(cell):
            colour = series(names.index(label)).colour
            axis.add_patch(Polygon(cell, facecolor=colour, alpha=0.2, edgecolor="none"))
            axis.plot(*np.vstack([cell, cell[:1]]).T, color=INK, linewidth=0.7, label="_cell")
    draw_points(axis, points, labels)
    axis.set(xlim=xlim, ylim=ylim, aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
    write_title(axis, "The cell of each example")
    return legend_below(fig, axis)
