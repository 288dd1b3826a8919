"""Plots of the lecture: points, boundaries, all learners in one figure, objectives over time.

They are drawn with pyplot, so they appear in a notebook or by ``plt.show()``, and need no display
to be saved. Red, blue, green, orange and purple are the lecture's colours in shades that readers
with any colour vision tell apart; each has a line style of its own, and each class its own fill,
so that the plots survive a black-and-white printer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError, ParameterError
from linnet.explain.boundaries import bayes_boundary, boundary_lines, linear_parameters

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from linnet.data.gaussian import SimpleDataSet

__all__ = [
    "COLOURS",
    "Boundary",
    "add_line",
    "compare_all",
    "compare_all_data",
    "objective_curves",
    "plot_curves",
    "plot_objectives",
    "plot_simple_data",
]

Array = NDArray[np.float64]

#: Shade and dash pattern of each colour; ``()`` is an unbroken line.
COLOURS: dict[str, tuple[str, tuple[float, ...]]] = {
    "red": ("#cc3311", ()),
    "blue": ("#0077bb", (6, 2)),
    "green": ("#117733", (6, 2, 1.5, 2)),
    "orange": ("#ee7733", (2, 1.2)),
    "purple": ("#882288", (9, 2, 1.5, 2, 1.5, 2)),
    "black": ("#333333", (1, 1.5)),
}
_LINES = tuple(COLOURS)
_CLASSES = ("red", "blue")


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
    fig, axis = _subplots()
    for part, marker in (("train", "s"), ("test", "o")):
        X, y = getattr(data, f"{part}_X"), getattr(data, f"{part}_y")
        for label, colour in enumerate(_CLASSES):
            axis.plot(
                *X[y == label].T,
                marker=marker,
                linestyle="none",
                color=COLOURS[colour][0],
                fillstyle="full" if label == 0 else "none",
                markersize=5,
                alpha=0.55,
                label=f"class {label + 1}, {part}",
            )
    axis.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal", **_limits(points))
    if bayes:
        line = bayes_boundary(data, axis.get_xlim(), axis.get_ylim())
        name = "Bayes optimal" if len(line) else "Bayes optimal: one class"
        axis.plot(*line.T, color="#bbbbbb", linewidth=4, zorder=1, label=name)
    return _with_legend(fig, axis)


def _limits(points: Array) -> dict[str, tuple[float, float]]:
    """Return limits with the same margin on every side of the points."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.06 * float((high - low).max()) or 1.0
    return {
        "xlim": (float(low[0] - margin), float(high[0] + margin)),
        "ylim": (float(low[1] - margin), float(high[1] + margin)),
    }


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
        "purple" (SVM) are the lecture's; any other colour of matplotlib will do.

    Examples
    --------
    >>> from linnet.data import SimpleDataSet
    >>> data = SimpleDataSet()
    >>> fig, axis = plot_simple_data(data, bayes=False)
    >>> fig, axis = add_line(fig, axis, [[0, 0], [-1, 1], [0, 0]], "vertical", "green")
    >>> abs(axis.lines[-1].get_xdata()).tolist()
    [0.0, 0.0]
    """
    shade, style = _style(colour)
    segments = boundary_lines(params, axis.get_xlim(), axis.get_ylim())
    if not len(segments):
        name = f"{name} (outside the plot)"
    path = np.full((max(1, 3 * len(segments)), 2), np.nan)  # NaN lifts the pen between segments
    path[: 3 * len(segments)].reshape(-1, 3, 2)[:, :2] = segments
    path = path[:-1] if len(segments) else path
    axis.plot(*path.T, color=shade, linestyle=style, linewidth=1.8, label=name)
    return _with_legend(fig, axis)


@dataclass(frozen=True)
class Boundary:
    """One learner on one data set; ``params`` (J + 1, K) has the bias in row 0."""

    name: str
    colour: str
    params: Array
    train_accuracy: float
    test_accuracy: float


def compare_all_data(
    data: SimpleDataSet, learners: Mapping[str, Any] | None = None
) -> list[Boundary]:
    """Train all learners on one data set: what :func:`compare_all` draws.

    Parameters
    ----------
    data : SimpleDataSet
    learners : mapping, optional
        Name to estimator, any linear one; by default the five of the lecture.

    Examples
    --------
    >>> from linnet.data import SimpleDataSet
    >>> rows = compare_all_data(SimpleDataSet())
    >>> [(row.name, row.colour) for row in rows][:2]
    [('naive Bayes', 'red'), ('perceptron', 'blue')]
    """
    from sklearn.base import clone

    rows = []
    for number, (name, learner) in enumerate((learners or _lecture_learners()).items()):
        model = clone(learner).fit(data.train_X, data.train_y)
        rows.append(
            Boundary(
                name=name,
                colour=_LINES[number % len(_LINES)],
                params=linear_parameters(model),
                train_accuracy=float(model.score(data.train_X, data.train_y)),
                test_accuracy=float(model.score(data.test_X, data.test_y)),
            )
        )
    return rows


def _lecture_learners() -> dict[str, Any]:
    from linnet.learn.maxent import MaxEnt
    from linnet.learn.mira import MIRA
    from linnet.learn.naive_bayes import GaussianNB
    from linnet.learn.perceptron import Perceptron
    from linnet.learn.svm import SVM

    return {
        "naive Bayes": GaussianNB(variance="shared"),
        "perceptron": Perceptron(random_state=0),
        "MIRA": MIRA(random_state=0),
        "MaxEnt": MaxEnt(),
        "SVM": SVM(random_state=0),
    }


def compare_all(
    data: SimpleDataSet, learners: Mapping[str, Any] | None = None
) -> tuple[Figure, list[Boundary]]:
    """Plot the boundaries of all learners on one data set, their accuracies in the legend.

    This is the function that S0's Exercise 1.8 calls "xx". Parameters are those of
    :func:`compare_all_data`, whose result is returned beside the figure.

    Examples
    --------
    >>> from linnet.data import SimpleDataSet
    >>> fig, rows = compare_all(SimpleDataSet())
    >>> len(rows), len(fig.axes)
    (5, 1)
    """
    rows = compare_all_data(data, learners)
    fig, axis = plot_simple_data(data)
    for row in rows:
        label = f"{row.name}: {row.train_accuracy:.3f} / {row.test_accuracy:.3f}"
        add_line(fig, axis, row.params, label, row.colour)
    axis.set_title("Decision boundaries, with training / test accuracy", fontsize="medium")
    return fig, rows


def objective_curves(
    histories: Mapping[str, Mapping[str, ArrayLike]],
    by: Literal["iteration", "seconds"] = "iteration",
) -> dict[str, tuple[Array, Array]]:
    """Return the objective of each fit against its iterations or seconds.

    Parameters
    ----------
    histories : mapping
        Name to the ``history_`` of a learner.
    by : {"iteration", "seconds"}

    Examples
    --------
    >>> curves = objective_curves({"L-BFGS": {"iteration": [0, 1], "objective": [5.0, 3.0]}})
    >>> curves["L-BFGS"][1].tolist()
    [5.0, 3.0]
    """
    if by not in ("iteration", "seconds"):
        raise ParameterError(f"by must be 'iteration' or 'seconds', got {by!r}.")
    curves = {}
    for name, history in histories.items():
        if by not in history or "objective" not in history:
            raise DataError(f"The history of {name} has no {by!r} and 'objective' to plot.")
        curves[name] = tuple(np.asarray(history[key], np.float64) for key in (by, "objective"))
    return curves  # type: ignore[return-value]  # tuples of two


def plot_objectives(
    histories: Mapping[str, Mapping[str, ArrayLike]],
    by: Literal["iteration", "seconds"] = "iteration",
) -> tuple[Figure, Axes]:
    """Plot how fits brought their objective down, all on one axis (SPEC P-05).

    Parameters are those of :func:`objective_curves`.

    Examples
    --------
    >>> fig, axis = plot_objectives({"L-BFGS": {"iteration": [0, 1], "objective": [5.0, 3.0]}})
    >>> axis.get_ylabel()
    'objective'
    """
    fig, axis = plot_curves(objective_curves(histories, by))
    axis.set(xlabel=by, ylabel="objective")
    return fig, axis


def plot_curves(curves: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> tuple[Figure, Axes]:
    """Plot named curves, each given as its x and y values, on one axis.

    Examples
    --------
    >>> fig, axis = plot_curves({"SVM": ([10, 100], [0.8, 0.9]), "MaxEnt": ([10, 100], [0.7, 0.9])})
    >>> len(axis.lines)
    2
    """
    fig, axis = _subplots()
    for number, (name, (x, y)) in enumerate(curves.items()):
        shade, style = _style(_LINES[number % len(_LINES)])
        axis.plot(x, y, color=shade, linestyle=style, marker=".", label=name)
    axis.grid(color="#dddddd", linewidth=0.6)
    return _with_legend(fig, axis)


def _style(colour: str) -> tuple[str, Any]:
    """Return matplotlib's colour and line style for a colour of the lecture, or any other."""
    shade, dashes = COLOURS.get(colour, (colour, ()))
    return shade, (0, dashes) if dashes else "solid"


def _subplots() -> tuple[Figure, Axes]:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "Plots need matplotlib, which is not installed: pip install linnet[plot]"
        ) from None
    fig, axis = plt.subplots(figsize=(8.0, 5.0), layout="constrained", dpi=120)
    axis.spines[["top", "right"]].set_visible(False)
    return fig, axis


def _with_legend(fig: Figure, axis: Axes) -> tuple[Figure, Axes]:
    """Put the legend, or a new one, beside the axis, where it hides nothing."""
    for old in fig.legends:
        old.remove()
    fig.legend(
        handles=axis.lines,
        loc="outside right center",
        frameon=False,
        handlelength=3.4,
        fontsize=9.5,
    )
    return fig, axis
