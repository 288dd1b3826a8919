"""One visual style for all plots: colours, markers, dashes, sizes.

Colours are the lecture's (SPEC P-03) in shades chosen so that any two stay apart (CIE distance
above 25) for readers with normal vision and with each of the three colour-vision deficiencies, and
so that no two have the same lightness: a greyscale print keeps them apart as well. Each also has a
dash pattern and a marker of its own, so colour never carries a meaning alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "FAINT",
    "INK",
    "MARKERS",
    "QUIET",
    "Series",
    "draw_arrow",
    "draw_curve",
    "draw_grid",
    "draw_points",
    "legend_below",
    "legend_inside",
    "limits_of",
    "line_style",
    "name_ticks",
    "new_figure",
    "new_panels",
    "plane_points",
    "series",
    "write_near",
    "write_title",
]

#: Shade and dash pattern of each colour; ``()`` is an unbroken line.
COLOURS: dict[str, tuple[str, tuple[float, ...]]] = {
    "red": ("#941809", ()),
    "blue": ("#2293ff", (6, 2)),
    "green": ("#1c6e55", (6, 2, 1.5, 2)),
    "orange": ("#f7981b", (2, 1.2)),
    "purple": ("#5f0c64", (9, 2, 1.5, 2, 1.5, 2)),
    "black": ("#212121", (1, 1.5)),
}
#: One marker for each colour.
MARKERS = ("o", "^", "D", "v", "P", "X")
#: Text and the line that matters; what stands back; grids and fills.
INK, QUIET, FAINT = "#212121", "#767676", "#dddddd"

_NAMES = tuple(COLOURS)
_TEXT = 9.0
_BELOW: Any = "outside lower center"
_BELOW_LEFT: Any = "outside lower left"
_TELEPHONE = 420 / 72  # inches: wider figures are moved sideways there
_SEEN_FIRST = 0.52  # share of their width
_SETTINGS: Any = {
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.labelsize": 10.0,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": _TEXT,
}


@dataclass(frozen=True)
class Series:
    """How the curve or class of one number looks."""

    name: str
    colour: str
    linestyle: Any
    marker: str


def series(number: int) -> Series:
    """Return the look of curve or class `number`; after six they begin again.

    Examples
    --------
    >>> series(0).name, series(7).name, series(7).marker
    ('red', 'blue', '^')
    """
    name = _NAMES[number % len(_NAMES)]
    return Series(name, *line_style(name), MARKERS[number % len(MARKERS)])


def line_style(colour: str) -> tuple[str, Any]:
    """Return matplotlib's colour and line style for a colour of the lecture, or any other.

    Examples
    --------
    >>> line_style("orange"), line_style("gold")
    (('#f7981b', (0, (2, 1.2))), ('gold', 'solid'))
    """
    shade, dashes = COLOURS.get(colour, (colour, ()))
    return shade, (0, dashes) if dashes else "solid"


def new_figure(width: float = 6.4, height: float = 4.2) -> tuple[Figure, Axes]:
    """Return an empty figure with one axis; sizes are in inches."""
    fig, [axis] = new_panels(1, width, height)
    return fig, axis


def new_panels(
    count: int, width: float = 3.4, height: float = 3.5, **options: Any
) -> tuple[Figure, list[Axes]]:
    """Return a figure with `count` axes in a row, each of the given size in inches."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "Plots need matplotlib, which is not installed: pip install linnet[plot]"
        ) from None
    with plt.rc_context(_SETTINGS):
        fig, grid = plt.subplots(
            1, count, figsize=(width * count, height), layout="constrained", dpi=120,
            squeeze=False, **options,
        )  # fmt: skip
    fig.get_layout_engine().set(w_pad=0.07, h_pad=0.07)
    axes = list(grid[0])
    for axis in axes:
        axis.tick_params(labelsize=_TEXT, color=QUIET, labelcolor=INK, length=3, width=0.8)
        axis.set_axisbelow(True)
    return fig, axes


def legend_below(fig: Figure, axis: Axes) -> tuple[Figure, Axes]:
    """Put the legend of an axis, or a new one, below all panels, where it hides nothing.

    It has as many columns as the figure is wide enough for, so that the figure stays narrow enough
    for a telephone, and the figure grows by its height. Below panels that a telephone shows one
    after the other it stands at the left, no wider than what is seen first.
    """
    inches = fig.get_figwidth()
    loc, widest = _BELOW, 0.97 * inches
    if inches > _TELEPHONE:
        loc, widest = _BELOW_LEFT, _SEEN_FIRST * inches
    height = fig.get_figheight()
    for old in fig.legends:
        height -= old.get_window_extent().height / fig.dpi
        old.remove()
    handles, names = axis.get_legend_handles_labels()
    for columns in range(len(names), 0, -1):
        legend = fig.legend(
            handles, names, loc=loc, ncols=columns, frameon=False, handlelength=3.0,
            columnspacing=1.4, fontsize=_TEXT,
        )  # fmt: skip
        extent = legend.get_window_extent()
        if columns == 1 or extent.width <= widest * fig.dpi:
            fig.set_figheight(height + extent.height / fig.dpi)
            break
        legend.remove()
    return fig, axis


def legend_inside(axis: Axes, loc: Any = "best") -> None:
    """Put a legend on the axis, on a background that keeps it readable over lines."""
    axis.legend(
        loc=loc,
        handlelength=3.0,
        fontsize=_TEXT,
        framealpha=0.85,
        edgecolor="none",
        borderpad=0.3,
    )


def name_ticks(axis: Axes, values: ArrayLike) -> None:
    """Put the ticks across at the given values, unless there are too many of them to be read."""
    places = np.unique(np.asarray(values, dtype=np.float64))
    if len(places) <= 8:
        axis.set_xticks(places.tolist(), [f"{value:g}" for value in places])
        axis.set_xticks([], minor=True)


def plane_points(X: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return points of the plane and their labels as arrays.

    Raises
    ------
    DataError
        When the points are not finite rows of two numbers, or labels are missing.
    """
    points, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise DataError(f"Only points in the plane can be plotted, got shape {points.shape}.")
    if labels.shape != (len(points),):
        raise DataError(f"{len(points)} points need as many labels, got shape {labels.shape}.")
    if not np.isfinite(points).all():
        raise DataError("Points must be finite to be plotted.")
    return points, labels


def limits_of(points: NDArray[np.float64], share: float = 0.06) -> dict[str, tuple[float, float]]:
    """Return limits with the same margin on every side of the points.

    Examples
    --------
    >>> limits_of(np.array([[0.0, 0.0], [1.0, 2.0]]), 0.5)
    {'xlim': (-1.0, 2.0), 'ylim': (-1.0, 3.0)}
    """
    low, high = points.min(axis=0), points.max(axis=0)
    margin = share * float((high - low).max()) or 1.0
    return {
        "xlim": (float(low[0] - margin), float(high[0] + margin)),
        "ylim": (float(low[1] - margin), float(high[1] + margin)),
    }


def draw_grid(axis: Axes) -> None:
    """Draw faint lines behind a plot, to read values off."""
    axis.grid(color=FAINT, linewidth=0.6)


def draw_curve(
    axis: Axes, number: int, x: ArrayLike, y: ArrayLike, name: str, **options: Any
) -> Series:
    """Draw the curve with that number in its colour and dashes; return its looks.

    Without the option ``markersize`` it has no markers.
    """
    look = series(number)
    if "markersize" in options:
        options = {"marker": look.marker, **options}
    chosen = {"linewidth": 1.8, **options}
    axis.plot(x, y, color=look.colour, linestyle=look.linestyle, label=name, **chosen)
    return look


def draw_points(
    axis: Axes, X: ArrayLike, y: ArrayLike, names: Mapping[Any, str] | None = None, **options: Any
) -> None:
    """Draw the points of each label in its colour and marker, with a name for the legend."""
    points, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    for number, label in enumerate(np.unique(labels).tolist()):
        look = series(number)
        chosen = {
            "linestyle": "none", "markersize": 6.0, "markeredgecolor": "white",
            "markeredgewidth": 0.6, **options,
        }  # fmt: skip
        axis.plot(
            *points[labels == label].T,
            marker=look.marker,
            color=look.colour,
            label=(names or {}).get(label, str(label)),
            **chosen,
        )


def draw_arrow(axis: Axes, start: ArrayLike, end: ArrayLike, colour: str) -> None:
    """Draw an arrow between two points of the plot."""
    arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0}
    axis.annotate("", _pair(end), _pair(start), arrowprops=arrow)


def write_title(axis: Axes, text: str, size: float = 10.5) -> None:
    """Write a title flush left above an axis."""
    axis.set_title(text, loc="left", fontsize=size, color=INK)


def write_near(
    axis: Axes, text: str, place: ArrayLike, shift: ArrayLike, colour: str = INK, **options: Any
) -> None:
    """Write a text around the point that is `shift` typographic points away from `place`."""
    chosen = {"ha": "center", "va": "center", "fontsize": _TEXT, **options}
    axis.annotate(
        text, _pair(place), _pair(shift), textcoords="offset points", color=colour, **chosen
    )


def _pair(point: ArrayLike) -> tuple[float, float]:
    x, y = np.asarray(point, dtype=np.float64).tolist()
    return x, y
