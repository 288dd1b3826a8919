"""Where a plane's linear classifiers change their minds (SPEC M-07, A-10, P-23).

A classifier with parameters (3, K), row 0 the bias, gives the point x = (x1, x2) to the class of
the largest score s_k(x) = p_0k + p_1k x1 + p_2k x2. Two classes i and j meet on the line
s_i = s_j, on that part of it where no other class scores higher: a line cut by half-planes. The
sides of the plot are four half-planes more.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError

if TYPE_CHECKING:
    from linnet.data.gaussian import SimpleDataSet

__all__ = ["Limits", "bayes_boundary", "boundary_lines", "linear_parameters"]

Array = NDArray[np.float64]
Limits = tuple[float, float]


def linear_parameters(model: Any) -> Array:
    """Return a fitted linear classifier as parameters (J + 1, K), row 0 the bias.

    The single column of a two-class model, which speaks for the second class, is halved between
    the two: column 0 gets its negative.

    Examples
    --------
    >>> from linnet.learn.naive_bayes import GaussianNB
    >>> model = GaussianNB(variance=1.0).fit([[-1.0], [1.0]], [0, 1])
    >>> linear_parameters(model)[1].tolist()
    [-1.0, 1.0]
    """
    if not hasattr(model, "coef_"):
        raise DataError(f"{type(model).__name__} has no linear weights (coef_); fit it first.")
    if getattr(model, "multi_class", None) == "ovo" and len(model.classes_) > 2:
        raise DataError("A machine for each pair of classes (ovo) has no weights for each class.")
    weights = np.vstack([np.atleast_1d(model.intercept_), np.atleast_2d(model.coef_).T])
    return np.hstack([-weights, weights]) / 2 if weights.shape[1] == 1 else weights


def boundary_lines(params: ArrayLike, xlim: Limits, ylim: Limits) -> Array:
    """Return the decision boundary inside a rectangle as segments of shape (n, 2, 2).

    Parameters
    ----------
    params : array of shape (3, K)
        Scores of K >= 2 classes, row 0 the bias.
    xlim, ylim : (low, high)

    Returns
    -------
    array of shape (n, 2, 2)
        segments[i] = [[x1, x2], [x1', x2']]; n = 0 when no boundary crosses the rectangle.

    Examples
    --------
    >>> boundary_lines([[0.5, 0.0], [-1.0, 0.0], [0.0, 0.0]], (-1, 1), (-2, 2)).tolist()
    [[[0.5, -2.0], [0.5, 2.0]]]
    """
    table = np.asarray(params, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != 3 or table.shape[1] < 2:
        raise DataError(f"params must have shape (3, K), bias first, got {table.shape}.")
    if not np.isfinite(table).all():
        raise DataError("params must be finite to have a boundary.")
    sides = np.array(  # each column >= 0 inside the rectangle
        [[-xlim[0], xlim[1], -ylim[0], ylim[1]], [1, -1, 0, 0], [0, 0, 1, -1]], dtype=np.float64
    )
    segments = []
    for i, j in combinations(range(table.shape[1]), 2):
        others = np.delete(table, (i, j), axis=1)
        inside = np.hstack([sides, table[:, [i]] - others])
        segment = _cut_line(table[:, j] - table[:, i], inside.T)
        if segment is not None:
            segments.append(segment)
    return np.array(segments).reshape(-1, 2, 2)


def _cut_line(line: Array, half_planes: Iterable[Array]) -> Array | None:
    """Return the ends of the part of `line` = 0 on which all of `half_planes` are >= 0."""
    normal = line[1:]
    if not normal.any():
        return None
    foot = -line[0] * normal / (normal @ normal)
    along = np.array([-normal[1], normal[0]]) / np.linalg.norm(normal)
    begin, end = -np.inf, np.inf
    for bias, *slope in half_planes:
        at_foot, change = bias + np.dot(slope, foot), np.dot(slope, along)
        if abs(change) <= 1e-12 * np.linalg.norm(slope):  # parallel: all of the line or nothing
            if at_foot < 0:
                return None
        elif change > 0:
            begin = max(begin, -at_foot / change)
        else:
            end = min(end, -at_foot / change)
    if not begin < end:
        return None
    ends = np.array([foot + begin * along, foot + end * along])
    return ends[np.lexsort(ends.T[::-1])]


def bayes_boundary(data: SimpleDataSet, xlim: Limits, ylim: Limits) -> Array:
    """Return the best possible boundary of two Gaussian classes as a line of shape (n, 2).

    It is a straight line when both variances are equal and a circle otherwise (A-10); a circle is
    returned whole, whatever the rectangle. No points mean that one class owns all of it.

    Examples
    --------
    >>> from linnet.data import SimpleDataSet
    >>> bayes_boundary(SimpleDataSet(), (-3, 3), (-3, 3)).tolist()
    [[-3.0, 3.0], [3.0, -3.0]]
    """
    mu, v = data.means, data.variances
    if not data.priors.all():
        return np.empty((0, 2))
    if v[0] == v[1]:
        bias = np.log(data.priors) - (mu**2).sum(axis=1) / (2 * v)
        return boundary_lines(np.vstack([bias, mu.T / v]), xlim, ylim).reshape(-1, 2)
    # (|x - m0|^2 / v0 - |x - m1|^2 / v1) / 2 = ln(p0 v1 / (p1 v0)), completed to a square
    bend = 1 / v[0] - 1 / v[1]
    centre = (mu[0] / v[0] - mu[1] / v[1]) / bend
    level = 2 * np.log(data.priors[0] * v[1] / (data.priors[1] * v[0]))
    square = (mu**2).sum(axis=1) / v
    radius2 = (level - square[0] + square[1]) / bend + centre @ centre
    if radius2 <= 0:
        return np.empty((0, 2))
    angles = np.linspace(0, 2 * np.pi, 361)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    return np.asarray(centre + np.sqrt(radius2) * circle)
