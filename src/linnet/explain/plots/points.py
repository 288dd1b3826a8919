"""The lecture's first figures: points of two classes, the best boundary, learnt lines.

SPEC P-01, P-02 and P-03. The twins are the data set itself, :func:`~linnet.explain.bayes_boundary`
and :func:`~linnet.explain.boundary_lines`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from linnet.errors import DataError
from linnet.explain.boundaries import bayes_boundary, boundary_lines
from linnet.explain.style import (
    COLOURS,
    legend_below,
    limits_of,
    line_style,
    new_figure,
    write_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from linnet.data.gaussian import SimpleDataSet

__all__ = ["add_line", "plot_simple_data"]


def plot_simple_data(data: SimpleDataSet, bayes: bool = True) -> tuple[Figure, Axes]:
    """Plot two-dimensional points: training squares, test circles, red and blue classes.

    Parameters
    ----------
    data : SimpleDataSet
    bayes : bool
        Draw the best possible boundary too (:func:`~linnet.explain.bayes_boundary`).

    Returns
    -------
    fig, axis
        :func:`add_line` adds more boundaries.

    Examples
    --------
    >>> from linnet.data import SimpleDataSet
    >>> fig, axis = plot_simple_data(SimpleDataSet())
    >>> axis.get_xlabel()
    '$x_1$'
    """
    points = np.vstack([data.train_X, data.test_X])
    if points.shape[1] != 2 or not len(points):
        raise DataError(f"Only points in the plane can be plotted, got shape {points.shape}.")
    fig, axis = new_figure(5.4, 5.0)
    for part, marker in (("train", "s"), ("test", "o")):
        X, y = getattr(data, f"{part}_X"), getattr(data, f"{part}_y")
        for label, colour in enumerate(("red", "blue")):
            axis.plot(
                *X[y == label].T,
                marker=marker,
                linestyle="none",
                color=COLOURS[colour][0],
                fillstyle="full" if label == 0 else "none",
                markersize=5,
                alpha=0.6,
                label=f"class {label + 1}, {part}",
            )
    axis.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    write_title(axis, "Two classes and the best boundary" if bayes else "Two classes")
    axis.set(**limits_of(points))
    if bayes:
        line = bayes_boundary(data, axis.get_xlim(), axis.get_ylim())
        name = "Bayes optimal" if len(line) else "Bayes optimal: one class"
        axis.plot(*line.T, color="#bbbbbb", linewidth=4, zorder=1, label=name)
    return legend_below(fig, axis)


def add_line(
    fig: Figure, axis: Axes, params: ArrayLike, name: str, colour: str
) -> tuple[Figure, Axes]:
    """Add the boundary of a linear classifier to a plot.

    Parameters
    ----------
    fig, axis
        From :func:`plot_simple_data`.
    params : array of shape (3, K)
        Row 0 is the bias, one column a class.
    name : str
        For the legend.
    colour : str
        "red" (naive Bayes), "blue" (perceptron), "green" (MIRA), "orange" (maximum entropy),
        "purple" (SVM) are the lecture's; any other colour of matplotlib will do. The lecture prints
        "orange" for the SVM too: a second orange line becomes purple (SPEC A-67).

    Examples
    --------
    >>> from linnet.data import SimpleDataSet
    >>> data = SimpleDataSet()
    >>> fig, axis = plot_simple_data(data, bayes=False)
    >>> fig, axis = add_line(fig, axis, [[0, 0], [-1, 1], [0, 0]], "vertical", "green")
    >>> abs(axis.lines[-1].get_xdata()).tolist()
    [0.0, 0.0]
    """
    orange = line_style("orange")[0]
    if colour == "orange" and orange in {line.get_color() for line in axis.lines}:
        colour = "purple"
    shade, style = line_style(colour)
    segments = boundary_lines(params, axis.get_xlim(), axis.get_ylim())
    if not len(segments):
        name = f"{name} (outside the plot)"
    path = np.full((max(1, 3 * len(segments)), 2), np.nan)  # NaN lifts the pen between segments
    path[: 3 * len(segments)].reshape(-1, 3, 2)[:, :2] = segments
    path = path[:-1] if len(segments) else path
    axis.plot(*path.T, color=shade, linestyle=style, linewidth=1.8, label=name)
    return legend_below(fig, axis)
