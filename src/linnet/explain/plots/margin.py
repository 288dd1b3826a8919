"""The widest margin, who holds it, and what C does to it.

SPEC P-11 and P-19. With y = ±1 the margin of min ½|w|² + C Σ max(0, 1 − y(w·x + b)) lies between
the lines w·x + b = ±1 and is 2/|w| wide; its support vectors are the examples on or inside it.
C = ∞ allows none inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.explain.boundaries import boundary_lines
from linnet.explain.style import (
    FAINT,
    INK,
    QUIET,
    draw_points,
    legend_below,
    limits_of,
    new_figure,
    new_panels,
    plane_points,
    write_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Margin", "effect_of_c", "maximum_margin", "plot_effect_of_c", "plot_margin"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Margin:
    """The margin of a support vector machine.

    Attributes
    ----------
    C : float
    weights, bias
        The line w·x + b = 0; the second label is on its positive side.
    width : float
        2/|w|.
    support : array of int
        Rows of the support vectors, ascending.
    mistakes : int
        Training examples on the wrong side.
    """

    C: float
    weights: Array
    bias: float
    width: float
    support: NDArray[np.intp]
    mistakes: int


def maximum_margin(X: ArrayLike, y: ArrayLike, C: float = np.inf) -> Margin:
    """Return the widest margin between two classes, of any number of features.

    Parameters
    ----------
    X : array of shape (n, J)
    y : array of shape (n,)
        Two labels.
    C : float
        Price of a violation; infinite allows none.

    Raises
    ------
    DataError
        When C is infinite and no hyperplane separates the classes.

    Examples
    --------
    >>> margin = maximum_margin([[1, 1], [-1, -1], [3, 3]], [1, -1, 1])
    >>> margin.weights.round(6).tolist(), round(margin.width, 4), margin.support.tolist()
    ([0.5, 0.5], 2.8284, [0, 1])
    """
    from linnet.learn.kernel import KernelSVM

    points = np.asarray(X, dtype=np.float64)
    model = KernelSVM(C=C, kernel="linear", tol=1e-8).fit(points, y)
    weights = np.asarray(model.coef_, dtype=np.float64)[0]
    length = float(np.linalg.norm(weights))
    return Margin(
        C=float(C),
        weights=weights,
        bias=float(model.intercept_[0]),
        width=2 / length if length else np.inf,
        support=np.sort(np.asarray(model.support_, dtype=np.intp)),
        mistakes=int((model.predict(points) != np.asarray(y)).sum()),
    )


def plot_margin(
    X: ArrayLike, y: ArrayLike, C: float = np.inf, axis: Axes | None = None
) -> tuple[Figure, Axes]:
    """Plot the line with the widest margin and ring its support vectors (SPEC P-11).

    Parameters
    ----------
    X : array of shape (n, 2)
    y : array of shape (n,)
    C : float
    axis : matplotlib axes, optional

    Examples
    --------
    >>> fig, axis = plot_margin([[1, 1], [-1, -1], [3, 3]], [1, -1, 1])
    >>> axis.get_title(loc="left")
    'margin 2/|w| = 2.83'
    """
    points, labels = plane_points(X, y)
    margin = maximum_margin(points, labels, C)
    fig = None
    if axis is None:
        fig, axis = new_figure(5.2, 4.8)
    _draw(axis, points, labels, margin)
    write_title(axis, f"margin 2/|w| = {margin.width:.3g}")
    if fig is not None:
        legend_below(fig, axis)
    return axis.figure, axis  # type: ignore[return-value]


def _draw(axis: Axes, points: Array, labels: NDArray[np.generic], margin: Margin) -> None:
    axis.set(aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
    axis.set(**limits_of(points, 0.12))
    xlim, ylim = axis.get_xlim(), axis.get_ylim()
    grid = np.meshgrid(np.linspace(*xlim, 161), np.linspace(*ylim, 161))
    scores = margin.weights[0] * grid[0] + margin.weights[1] * grid[1] + margin.bias
    axis.contourf(*grid, scores, [-1, 1], colors=[FAINT], alpha=0.55, zorder=0)
    for level, style, name in ((0, "solid", "boundary"), (-1, (0, (5, 2)), None), (1, None, None)):
        params = np.column_stack([np.zeros(3), [margin.bias - level, *margin.weights]])
        for ends in boundary_lines(params, xlim, ylim):
            axis.plot(
                *ends.T,
                color=INK if level == 0 else QUIET,
                linestyle=style or (0, (5, 2)),
                linewidth=1.8 if level == 0 else 1.2,
                label=name or "_margin",
                zorder=1,
            )
    draw_points(axis, points, labels)
    axis.plot(
        *points[margin.support].T, "o", markersize=12, fillstyle="none", color=INK,
        markeredgewidth=1.1, label="support vectors",
    )  # fmt: skip


def effect_of_c(
    X: ArrayLike, y: ArrayLike, values: Sequence[float] = (0.01, 0.1, 1.0, 100.0)
) -> list[Margin]:
    """Return the margin for each C.

    Examples
    --------
    >>> X, y = [[-1.0, 0], [1, 0], [0.2, 1], [2, 2]], [0, 1, 0, 1]
    >>> wide, narrow = effect_of_c(X, y, [0.1, 100])
    >>> wide.width > narrow.width
    True
    """
    return [maximum_margin(X, y, C) for C in values]


def plot_effect_of_c(
    X: ArrayLike, y: ArrayLike, values: Sequence[float] = (0.01, 0.1, 1.0, 100.0)
) -> tuple[Figure, list[Axes]]:
    """Plot boundary and margin for small to large C, side by side (SPEC P-19).

    Parameters are those of :func:`effect_of_c`.

    Examples
    --------
    >>> X, y = [[-1.0, 0], [1, 0], [0.2, 1], [2, 2]], [0, 1, 0, 1]
    >>> fig, axes = plot_effect_of_c(X, y, [0.1, 100])
    >>> len(axes)
    2
    """
    points, labels = plane_points(X, y)
    fig, axes = new_panels(len(values), 2.9, 3.9, sharey=True)
    for axis, margin in zip(axes, effect_of_c(points, labels, values), strict=True):
        _draw(axis, points, labels, margin)
        write_title(
            axis,
            f"C = {margin.C:g}\nmargin {margin.width:.3g}, {len(margin.support)} support vectors",
            size=9.5,
        )
        if axis is not axes[0]:
            axis.set_ylabel("")
    legend_below(fig, axes[0])
    return fig, axes
