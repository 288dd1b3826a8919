"""Points, the least-squares line, and what is left over (SPEC P-13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError
from linnet.explain.style import (
    COLOURS,
    INK,
    QUIET,
    draw_grid,
    legend_inside,
    new_figure,
    write_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["RegressionLine", "plot_regression", "regression_line"]


@dataclass(frozen=True)
class RegressionLine:
    """y = intercept + slope x; its residuals at the points, and the sum of their squares."""

    slope: float
    intercept: float
    residuals: NDArray[np.float64]
    squared_error: float


def regression_line(x: ArrayLike, y: ArrayLike) -> RegressionLine:
    """Fit a line by least squares.

    Examples
    --------
    >>> line = regression_line([4, 3, 2, 2, 1, 0], [0, 1000, 1500, 6000, 14000, 18000])
    >>> round(line.slope), round(line.intercept), round(line.squared_error)
    (-4900, 16550, 45775000)
    """
    from linnet.learn.regression import LinearRegression

    across, up = np.ravel(np.asarray(x, np.float64)), np.asarray(y, np.float64)
    if across.shape != up.shape:
        raise DataError(f"x has {across.size} values and y {up.size}.")
    model = LinearRegression().fit(across[:, None], up)
    residuals = up - model.predict(across[:, None])
    return RegressionLine(
        float(model.coef_[0]), float(model.intercept_), residuals, float(residuals @ residuals)
    )


def plot_regression(
    x: ArrayLike, y: ArrayLike, xlabel: str = "x", ylabel: str = "y"
) -> tuple[Figure, Axes]:
    """Plot points, their least-squares line and the residuals (SPEC P-13).

    Examples
    --------
    >>> fig, axis = plot_regression([0, 1, 2], [1, 3, 5])
    >>> axis.lines[0].get_label()
    'y = 1 + 2 x'
    """
    line = regression_line(x, y)
    across, up = np.ravel(np.asarray(x, np.float64)), np.asarray(y, np.float64)
    fig, axis = new_figure(5.4, 3.9)
    ends = np.array([across.min(), across.max()])
    ends += np.array([-0.06, 0.06]) * np.ptp(ends)
    sign = "+" if line.slope >= 0 else "−"
    name = f"y = {_short(line.intercept)} {sign} {_short(abs(line.slope))} x"
    axis.plot(ends, line.intercept + line.slope * ends, color=INK, linewidth=1.8, label=name)
    axis.vlines(
        across, up - line.residuals, up, color=QUIET, linestyle=(0, (2, 1.5)), linewidth=1.1,
        label="residuals",
    )  # fmt: skip
    axis.plot(across, up, "o", color=COLOURS["blue"][0], markersize=7, label="data")
    draw_grid(axis)
    axis.set(xlabel=xlabel, ylabel=ylabel)
    write_title(axis, "Least squares")
    legend_inside(axis)
    return fig, axis


def _short(value: float) -> str:
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
