"""All learners of the lecture on one data set, and as the data set changes.

SPEC P-06 and P-07: `compare_all` is the function that S0's Exercise 1.8 calls "xx", for linnet's
learners as they come (:func:`linnet.lecture.compare_all` takes the lab's, with its settings);
`accuracy_sweep` repeats it while the variance of the classes, their balance or the number of points
varies, over several samples each, beside the accuracy 1 − Bayes error that no classifier exceeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.explain.boundaries import linear_parameters
from linnet.explain.plots.curves import plot_curves
from linnet.explain.plots.points import add_line, plot_simple_data
from linnet.explain.style import legend_below, name_ticks, series, write_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from linnet.data.gaussian import SimpleDataSet

__all__ = [
    "Boundary",
    "Sweep",
    "accuracy_sweep",
    "compare_all",
    "compare_all_data",
    "plot_accuracy_sweep",
    "plot_boundaries",
]

Array = NDArray[np.float64]
Quantity = Literal["variance", "balance", "points"]


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
                colour=series(number).name,
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

    Parameters are those of :func:`compare_all_data`, whose result is returned beside the figure.

    Examples
    --------
    >>> from linnet.data import SimpleDataSet
    >>> fig, rows = compare_all(SimpleDataSet())
    >>> len(rows), len(fig.axes)
    (5, 1)
    """
    rows = compare_all_data(data, learners)
    return plot_boundaries(data, rows), rows


def plot_boundaries(data: SimpleDataSet, rows: Iterable[Boundary]) -> Figure:
    """Plot a data set with the boundaries of some learners, their accuracies in the legend."""
    fig, axis = plot_simple_data(data)
    for row in rows:
        label = f"{row.name}: {row.train_accuracy:.3f} / {row.test_accuracy:.3f}"
        add_line(fig, axis, row.params, label, row.colour)
    write_title(axis, "Decision boundaries, with training / test accuracy")
    return fig


@dataclass(frozen=True)
class Sweep:
    """Test accuracies while one property of the data varies.

    Attributes
    ----------
    quantity : {"variance", "balance", "points"}
    values : array of shape (n,)
    accuracy : dict
        Name of a learner to an array of shape (n, samples).
    best : array of shape (n,)
        1 − Bayes error, exact.
    """

    quantity: str
    values: Array
    accuracy: dict[str, Array]
    best: Array


def accuracy_sweep(
    quantity: Quantity,
    values: Iterable[float],
    learners: Mapping[str, Any] | None = None,
    samples: int = 5,
    test_points: int = 2000,
) -> Sweep:
    """Measure test accuracy while the variance, the balance or the number of points varies.

    Parameters
    ----------
    quantity : {"variance", "balance", "points"}
        What varies; the others stay at variance 1, balance 0.5 and 100 training points.
    values : numbers
        The settings to try.
    learners : mapping, optional
        Name to estimator, any linear one; by default the five of the lecture.
    samples : int
        Data sets drawn for each setting, with seeds 0, 1, ...
    test_points : int

    Examples
    --------
    >>> sweep = accuracy_sweep("variance", [0.25, 4.0], samples=2)
    >>> sweep.best.round(4).tolist(), sweep.accuracy["SVM"].shape
    ([0.9977, 0.7602], (2, 2))
    """
    if quantity not in ("variance", "balance", "points"):
        raise ParameterError(
            f"quantity must be 'variance', 'balance' or 'points', got {quantity!r}."
        )
    if samples < 1 or test_points < 1:
        raise ParameterError("samples and test_points must be at least 1.")
    settings = [float(value) for value in values]
    accuracy: dict[str, list[list[float]]] = {}
    best = []
    for value in settings:
        accuracies: dict[str, list[float]] = {}
        for seed in range(samples):
            data = _drawn(quantity, value, test_points, seed)
            for row in compare_all_data(data, learners):
                accuracies.setdefault(row.name, []).append(row.test_accuracy)
        best.append(1 - data.bayes_error())
        for name, shares in accuracies.items():
            accuracy.setdefault(name, []).append(shares)
    tables = {name: np.array(rows) for name, rows in accuracy.items()}
    return Sweep(quantity, np.array(settings), tables, np.array(best))


def _drawn(quantity: str, value: float, test_points: int, seed: int) -> SimpleDataSet:
    from linnet.data.gaussian import SimpleDataSet

    setting = {"points": 100.0, "variance": 1.0, "balance": 0.5, quantity: value}
    points, variance = int(setting["points"]), setting["variance"]
    total = points + test_points
    return SimpleDataSet(
        nr_examples=total,
        g1=[[-1, -1], variance],
        g2=[[1, 1], variance],
        balance=setting["balance"],
        split=[points / total, 0, test_points / total],
        seed=seed,
    )


def plot_accuracy_sweep(sweep: Sweep) -> tuple[Figure, Axes]:
    """Plot mean test accuracies against the property that varied (SPEC P-07).

    Examples
    --------
    >>> fig, axis = plot_accuracy_sweep(accuracy_sweep("points", [10, 100], samples=2))
    >>> axis.get_xlabel(), axis.get_xscale()
    ('training points', 'log')
    """
    means = {name: (sweep.values, table.mean(axis=1)) for name, table in sweep.accuracy.items()}
    fig, axis = plot_curves(means, "All learners as the data vary, with the range of the samples")
    for number, table in enumerate(sweep.accuracy.values()):
        low, high = table.min(axis=1), table.max(axis=1)
        axis.fill_between(
            sweep.values, low, high, color=series(number).colour, alpha=0.08, linewidth=0
        )
    axis.plot(
        sweep.values, sweep.best, color="#bbbbbb", linewidth=4, zorder=1, label="best possible"
    )
    samples = next(iter(sweep.accuracy.values())).shape[1]
    axis.set(
        xlabel={"points": "training points", "balance": "share of the first class"}.get(
            sweep.quantity, sweep.quantity
        ),
        ylabel=f"test accuracy (mean of {samples})",
        xscale="linear" if sweep.quantity == "balance" else "log",
    )
    name_ticks(axis, sweep.values)
    return legend_below(fig, axis)
