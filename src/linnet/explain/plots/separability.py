"""What no hyperplane separates may be separated in a space with one more feature.

SPEC P-12, W-28. A line of points gets x² beside x; a plane of points gets x1² + x2² as its height.
In the lifted space the hyperplane is that of the widest margin; seen from the old space its
boundary is a pair of thresholds, or a circle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError
from linnet.explain.boundaries import boundary_lines
from linnet.explain.plots.margin import maximum_margin
from linnet.explain.style import (
    FAINT,
    INK,
    QUIET,
    draw_points,
    legend_below,
    limits_of,
    new_panels,
    write_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Lift", "lift", "plot_lift"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Lift:
    """Points before and after a feature is added.

    Attributes
    ----------
    points, lifted : arrays of shape (n, d) and (n, d + 1)
    labels : array of shape (n,)
    separable : bool
        Whether a hyperplane separates the points before.
    weights, bias
        The hyperplane w·z + b = 0 that separates the lifted points.
    """

    points: Array
    lifted: Array
    labels: NDArray[Any]
    separable: bool
    weights: Array
    bias: float


def lift(X: ArrayLike, y: ArrayLike) -> Lift:
    """Add the squared distance from the origin as a feature and separate.

    Parameters
    ----------
    X : array of shape (n,), (n, 1) or (n, 2)
    y : array of shape (n,)
        Two labels.

    Raises
    ------
    DataError
        When the lifted points cannot be separated either.

    Examples
    --------
    >>> raised = lift([-3, -2, -1, 0, 1, 2, 3], [1, 1, 0, 0, 0, 1, 1])
    >>> raised.separable, raised.weights.round(4).tolist(), round(raised.bias, 4)
    (False, [0.0, 0.6667], -1.6667)
    """
    points = np.asarray(X, dtype=np.float64)
    points = points[:, None] if points.ndim == 1 else points
    if points.ndim != 2 or points.shape[1] not in (1, 2):
        raise DataError(f"Points of a line or a plane are needed, got shape {points.shape}.")
    lifted = np.column_stack([points, (points**2).sum(axis=1)])
    try:
        maximum_margin(points, y)
        separable = True
    except DataError:
        separable = False
    margin = maximum_margin(lifted, y)
    return Lift(points, lifted, np.asarray(y), separable, margin.weights + 0.0, margin.bias)


def plot_lift(X: ArrayLike, y: ArrayLike) -> tuple[Figure, list[Axes]]:
    """Plot points before and after the lift, with the separating hyperplane (SPEC P-12).

    Parameters are those of :func:`lift`.

    Examples
    --------
    >>> fig, axes = plot_lift([-3, -2, -1, 0, 1, 2, 3], [1, 1, 0, 0, 0, 1, 1])
    >>> [axis.get_title(loc="left") for axis in axes]
    ['x: not separable', '(x, x²): separable']
    """
    raised = lift(X, y)
    before = "separable" if raised.separable else "not separable"
    draw = _from_line if raised.points.shape[1] == 1 else _from_plane
    return draw(raised, before)


def _from_line(raised: Lift, before: str) -> tuple[Figure, list[Axes]]:
    fig, axes = new_panels(2, 3.9, 3.4)
    left, right = axes
    draw_points(left, np.column_stack([raised.points, np.zeros(len(raised.points))]), raised.labels)
    left.axhline(0, color=QUIET, linewidth=0.8, zorder=0)
    limits = limits_of(raised.lifted, 0.12)
    for threshold in np.roots([raised.weights[1], raised.weights[0], raised.bias]):
        if np.isreal(threshold):
            left.axvline(float(threshold.real), color=INK, linestyle=(0, (5, 2)), linewidth=1.2)
    left.set(xlim=limits["xlim"], ylim=(-1, 1), yticks=[], xlabel="x")
    left.spines["left"].set_visible(False)
    write_title(left, f"x: {before}")
    curve = np.linspace(*limits["xlim"], 200)
    right.plot(curve, curve**2, color=QUIET, linewidth=0.8, zorder=0)
    draw_points(right, raised.lifted, raised.labels)
    params = np.column_stack([np.zeros(3), [raised.bias, *raised.weights]])
    for ends in boundary_lines(params, limits["xlim"], limits["ylim"]):
        right.plot(*ends.T, color=INK, label="hyperplane")
    right.set(xlabel="x", ylabel="x²")
    right.set(**limits)
    write_title(right, "(x, x²): separable")
    legend_below(fig, right)
    return fig, axes


def _from_plane(raised: Lift, before: str) -> tuple[Figure, list[Axes]]:
    fig, [left, flat] = new_panels(2, 4.4, 3.9, width_ratios=[1, 1.2])
    where = flat.get_subplotspec()
    flat.remove()
    space: Any = fig.add_subplot(where, projection="3d")
    draw_points(left, raised.points, raised.labels)
    limits = limits_of(raised.points, 0.08)
    left.set(aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
    left.set(**limits)
    grid = np.meshgrid(np.linspace(*limits["xlim"], 201), np.linspace(*limits["ylim"], 201))
    w, height = raised.weights, grid[0] ** 2 + grid[1] ** 2
    scores = w[0] * grid[0] + w[1] * grid[1] + w[2] * height + raised.bias
    left.contour(*grid, scores, [0], colors=[INK], linestyles="dashed", linewidths=1.2)
    write_title(left, f"$(x_1, x_2)$: {before}")
    coarse = np.meshgrid(np.linspace(*limits["xlim"], 9), np.linspace(*limits["ylim"], 9))
    plane = -(w[0] * coarse[0] + w[1] * coarse[1] + raised.bias) / w[2]
    for side in (space.xaxis, space.yaxis, space.zaxis):
        side.set_pane_color("white")
        side._axinfo["grid"].update(color=FAINT, linewidth=0.6)
    space.plot_surface(*coarse, plane, color=QUIET, alpha=0.35, edgecolor="white", linewidth=0.4)
    draw_points(space, raised.lifted, raised.labels, markersize=5.0)
    space.set(xlabel="$x_1$", ylabel="$x_2$", zlabel="$x_1^2 + x_2^2$")
    space.tick_params(labelsize=7.5, pad=0)
    space.view_init(elev=12, azim=-62)
    space.set_box_aspect((1.0, 1.0, 0.95), zoom=1.12)
    write_title(space, "one more feature: separable")
    legend_below(fig, left)
    return fig, [left, space]
