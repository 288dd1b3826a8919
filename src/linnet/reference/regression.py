r"""Linear regression by least squares (M-93, M-94).

Problem
    min_w sum_i (w.x_i - y_i)^2 + ridge ||w||^2
Given
    X (M, J), with a column of ones if a bias is wanted (once, A-71), and real targets y (M,).
Returned
    w, the solution of (X^T X + ridge I) w = X^T y; the one of least norm when there are many.

S1, S3 "Linear Regression", "Learning linear regression"; the vague-adjective example is W-20.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linnet.reference.common import FloatArray

__all__ = ["Line", "least_squares", "line", "squared_error"]


@dataclass(frozen=True)
class Line:
    """y = slope x + intercept, and the squared error that is left."""

    slope: float
    intercept: float
    squared_error: float


def line(x: FloatArray, y: FloatArray) -> Line:
    """Fit a line: slope = cov(x, y)/var(x), through the point of means.

    Examples
    --------
    >>> line(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]))
    Line(slope=2.0, intercept=1.0, squared_error=0.0)
    """
    centred = x - x.mean()
    spread = float(centred @ centred)
    slope = float(centred @ y) / spread if spread > 0 else 0.0
    intercept = float(y.mean() - slope * x.mean())
    residual = y - slope * x - intercept
    return Line(slope, intercept, float(residual @ residual))


def least_squares(X: FloatArray, y: FloatArray, ridge: float = 0.0) -> FloatArray:
    """Fit w (J,). The penalty is the same as J more rows sqrt(ridge) e_j with target 0.

    Examples
    --------
    >>> least_squares(np.array([[1.0, 1.0], [2.0, 1.0]]), np.array([3.0, 5.0])).round(9)
    array([2., 1.])
    """
    if ridge > 0:
        X = np.vstack([X, np.sqrt(ridge) * np.eye(X.shape[1])])
        y = np.concatenate([y, np.zeros(X.shape[1])])
    return np.asarray(np.linalg.lstsq(X, y, rcond=None)[0], dtype=np.float64)


def squared_error(w: FloatArray, X: FloatArray, y: FloatArray) -> tuple[float, FloatArray]:
    """Sum of squares and its gradient, for the optimisers.

    Examples
    --------
    >>> squared_error(np.zeros(1), np.ones((2, 1)), np.array([1.0, 3.0]))
    (10.0, array([-8.]))
    """
    residual = X @ w - y
    return float(residual @ residual), 2 * X.T @ residual
