"""Which label each point of a plane gets, and where the labels change (SPEC M-07, P-08).

Problem: a model labels the points of a rectangle; region k is where it says k, the boundary is
where two regions meet. Given: any fitted model of two features. Returned: the labels on a grid, and
the boundary as segments. Each grid edge whose ends have different labels is halved until the change
is known to the last digits, so the points of the boundary are exact whatever the grid; only
regions smaller than a cell can be missed. No derivative and no score is needed: the same function
serves lines, conics, windows, neighbours and trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.explain.boundaries import Limits
from linnet.explain.style import INK, legend_inside, new_figure, series, write_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Regions", "decision_regions", "plot_regions"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True)
class Regions:
    """The decisions of a model on a rectangle.

    Attributes
    ----------
    x, y : arrays of shape (nx,) and (ny,)
        The coordinates of the grid.
    labels : array of shape (ny, nx)
        The label of each grid point.
    points : array of shape (n, 2)
        Where the label changes, on the edges of the grid.
    segments : array of shape (m, 2, 2)
        The boundary: segments between such points, or from one to the middle of a cell in which
        more than two regions meet.
    """

    x: Array
    y: Array
    labels: NDArray[Any]
    points: Array
    segments: Array


def decision_regions(model: Any, xlim: Limits, ylim: Limits, steps: int = 100) -> Regions:
    """Return the label map and the boundary of a fitted model of two features.

    Parameters
    ----------
    model : object with ``predict``
    xlim, ylim : (low, high)
    steps : int, default 100
        Cells along each side.

    Examples
    --------
    >>> from linnet.learn.density import GaussianBayes
    >>> model = GaussianBayes.from_parameters([[-1, -1], [1, 1]], 1.0, [0.5, 0.5])
    >>> regions = decision_regions(model, (-3, 3), (-3, 3), steps=7)
    >>> regions.labels[0, 0], regions.labels[-1, -1]
    (np.int64(0), np.int64(1))
    >>> bool(abs(regions.points.sum(axis=1)).max() < 1e-9)
    True
    """
    if not isinstance(steps, int) or steps < 1:
        raise ParameterError(f"steps must be a positive integer, got {steps!r}.")
    for low, high in (xlim, ylim):
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise ParameterError(f"limits must be (low, high), got {(low, high)}.")
    if getattr(model, "n_features_in_", 2) != 2:
        raise DataError(f"A plane has 2 features, the model has {model.n_features_in_}.")
    x, y = np.linspace(*xlim, steps + 1), np.linspace(*ylim, steps + 1)
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    labels = np.asarray(model.predict(grid.reshape(-1, 2))).reshape(grid.shape[:2])
    across, up = _crossings(model, grid, labels), _crossings(model, _turned(grid), labels.T)
    up = up.transpose(1, 0, 2)
    points = np.vstack([part[~np.isnan(part[..., 0])] for part in (across, up)])
    return Regions(x, y, labels, points, _segments(across, up, x, y))


def _turned(grid: Array) -> Array:
    return np.ascontiguousarray(grid.transpose(1, 0, 2))


def _crossings(model: Any, grid: Array, labels: NDArray[Any]) -> Array:
    """Return where the label changes on each edge from [i, j] to [i, j + 1]; NaN where not."""
    out = np.full((*labels[:, 1:].shape, 2), np.nan)
    changes = labels[:, 1:] != labels[:, :-1]
    if not changes.any():
        return out
    low, high, label = grid[:, :-1][changes], grid[:, 1:][changes], labels[:, :-1][changes]
    for _ in range(60):
        middle = low + (high - low) / 2
        if ((middle == low) | (middle == high)).all():
            break
        same = (np.asarray(model.predict(middle)) == label)[:, None]
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    out[changes] = low + (high - low) / 2
    return out


def _segments(across: Array, up: Array, x: Array, y: Array) -> Array:
    """Join the changes on the four sides of each cell."""
    sides = np.stack([across[:-1], across[1:], up[:, :-1], up[:, 1:]], axis=2)
    marked = ~np.isnan(sides[..., 0])
    count = marked.sum(axis=2)
    segments = [sides[cell][marked[cell]] for cell in map(tuple, np.argwhere(count == 2))]
    for i, j in np.argwhere(count > 2).tolist():
        middle = np.array([(x[j] + x[j + 1]) / 2, (y[i] + y[i + 1]) / 2])
        segments.extend(np.stack([point, middle]) for point in sides[i, j][marked[i, j]])
    return np.array(segments).reshape(-1, 2, 2)


def plot_regions(
    model: Any,
    xlim: Limits,
    ylim: Limits,
    steps: int = 100,
    axis: Axes | None = None,
    legend: bool = True,
) -> tuple[Figure, Axes]:
    """Draw what :func:`decision_regions` returns: a tint for each label, and the boundary.

    Returns
    -------
    fig, axis

    Examples
    --------
    >>> from linnet.learn.density import GaussianBayes
    >>> model = GaussianBayes.from_parameters([[-1, -1], [1, 1]], 1.0, [0.5, 0.5])
    >>> fig, axis = plot_regions(model, (-3, 3), (-3, 3), steps=10)
    >>> axis.get_xlim()
    (np.float64(-3.0), np.float64(3.0))
    """
    regions = decision_regions(model, xlim, ylim, steps)
    if axis is None:
        _, axis = new_figure(5.4, 4.6)
        write_title(axis, "What the model says where")
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgb

    names, codes = np.unique(regions.labels.astype(str), return_inverse=True)
    tints = np.array([to_rgb(series(code).colour) for code in range(len(names))])
    axis.imshow(
        tints[codes.reshape(regions.labels.shape)],
        origin="lower",
        extent=_pixels(regions),
        aspect="auto",
        alpha=0.22,
        interpolation="nearest",
    )
    axis.add_collection(LineCollection(list(regions.segments), colors=INK, linewidths=1.2))
    for code, name in enumerate(names.tolist()):
        if legend:
            axis.plot([], [], "s", color=series(code).colour, alpha=0.4, markersize=9, label=name)
    axis.set(xlim=xlim, ylim=ylim, xlabel="$x_1$", ylabel="$x_2$")
    if legend:
        legend_inside(axis, "upper right")
    return axis.figure, axis  # type: ignore[return-value]


def _pixels(regions: Regions) -> tuple[float, float, float, float]:
    """Return the edges of an image whose pixels have the grid points as their middles."""
    across, up = (float(line[1] - line[0]) / 2 for line in (regions.x, regions.y))
    x, y = regions.x, regions.y
    return float(x[0]) - across, float(x[-1]) + across, float(y[0]) - up, float(y[-1]) + up
