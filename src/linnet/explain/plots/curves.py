"""Curves of training: objectives on one axis, and how far optimisers are from the optimum.

SPEC P-05 and P-21. With f* the optimum, or the smallest value any of the runs has reached, the
relative gap of a run after some seconds is (f − f*) / |f*|.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError, ParameterError
from linnet.explain.style import draw_curve, draw_grid, legend_below, new_figure, write_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "objective_curves",
    "plot_curves",
    "plot_objectives",
    "plot_optimisers",
    "relative_gaps",
]

Array = NDArray[np.float64]
Histories = Mapping[str, Mapping[str, ArrayLike]]


def objective_curves(
    histories: Histories, by: Literal["iteration", "seconds"] = "iteration"
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
        x, y = (np.asarray(history[key], np.float64) for key in (by, "objective"))
        if x.ndim != 1 or x.shape != y.shape:
            raise DataError(f"The history of {name} has {x.size} {by}s and {y.size} objectives.")
        curves[name] = (x, y)
    return curves


def plot_objectives(
    histories: Histories, by: Literal["iteration", "seconds"] = "iteration"
) -> tuple[Figure, Axes]:
    """Plot how fits brought their objective down, all on one axis (SPEC P-05).

    Parameters are those of :func:`objective_curves`.

    Examples
    --------
    >>> fig, axis = plot_objectives({"L-BFGS": {"iteration": [0, 1], "objective": [5.0, 3.0]}})
    >>> axis.get_ylabel()
    'objective'
    """
    fig, axis = plot_curves(objective_curves(histories, by), "The objective while training")
    axis.set(xlabel=by, ylabel="objective")
    return fig, axis


def relative_gaps(
    histories: Histories,
    by: Literal["iteration", "seconds"] = "seconds",
    optimum: float | None = None,
) -> dict[str, tuple[Array, Array]]:
    """Return how far each fit was from the optimum, relative to it, against time.

    Parameters
    ----------
    histories : mapping
        Name to the ``history_`` of a learner.
    by : {"iteration", "seconds"}
    optimum : float, optional
        f*; without it the smallest objective any of the fits has reached.

    Returns
    -------
    dict
        Name to times and gaps (f − f*) / |f*|, or f − f* when f* is 0. Points at or below the
        optimum, which a logarithmic axis cannot show, are left out.

    Examples
    --------
    >>> runs = {"slow": {"seconds": [0, 1, 2], "objective": [8.0, 4.0, 3.0]},
    ...         "fast": {"seconds": [0, 1, 2], "objective": [8.0, 2.0, 2.0]}}
    >>> {name: gap.tolist() for name, (_, gap) in relative_gaps(runs).items()}
    {'slow': [3.0, 1.0, 0.5], 'fast': [3.0]}
    """
    curves = objective_curves(histories, by)
    if optimum is None:
        values = [float(np.nanmin(y)) for _, y in curves.values() if len(y)]
        optimum = min(values, default=0.0)
    if not np.isfinite(optimum):
        raise ParameterError(f"optimum must be finite, got {optimum}.")
    gaps = {}
    for name, (x, y) in curves.items():
        gap = (y - optimum) / (abs(optimum) or 1.0)
        above = gap > 0
        gaps[name] = (x[above], gap[above])
    return gaps


def plot_optimisers(
    histories: Histories,
    by: Literal["iteration", "seconds"] = "seconds",
    optimum: float | None = None,
) -> tuple[Figure, Axes]:
    """Plot relative distance from the optimum against time, on a logarithmic scale (SPEC P-21).

    Parameters are those of :func:`relative_gaps`.

    Examples
    --------
    >>> runs = {"slow": {"seconds": [0, 1, 2], "objective": [8.0, 4.0, 3.0]}}
    >>> fig, axis = plot_optimisers(runs, optimum=2.0)
    >>> axis.get_yscale()
    'log'
    """
    gaps = relative_gaps(histories, by, optimum)
    fig, axis = plot_curves(gaps, "How soon each solver is how near")
    axis.set(xlabel=by, ylabel="relative distance from the optimum", yscale="log")
    return fig, axis


def plot_curves(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]], title: str = "", markers: bool = True
) -> tuple[Figure, Axes]:
    """Plot named curves, each given as its x and y values, on one axis.

    Markers say that values were measured; a curve that is known everywhere has none.

    Examples
    --------
    >>> fig, axis = plot_curves({"SVM": ([10, 100], [0.8, 0.9]), "MaxEnt": ([10, 100], [0.7, 0.9])})
    >>> len(axis.lines)
    2
    """
    fig, axis = new_figure(5.4, 3.7)
    for number, (name, (x, y)) in enumerate(curves.items()):
        every = max(1, len(np.asarray(x)) // 12)
        marked = {"markersize": 4.5, "markevery": every} if markers else {}
        draw_curve(axis, number, x, y, name, **marked)
    draw_grid(axis)
    write_title(axis, title)
    return legend_below(fig, axis)
