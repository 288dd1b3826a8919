r"""Margins, and the perceptron's mistake bound (M-37, M-38, M-43).

    functional margin   y_i w.x_i                     grows with w
    geometric margin    y_i w.x_i / ||w||             does not

Novikoff: if some u has geometric margin gamma > 0 on every example, and ||x_i|| <= R, then the
perceptron makes at most (R/gamma)^2 updates, in any order and any number of rounds; with margin
theta at most (R^2 + 2 theta)/gamma^2. Over a joint map the same holds with x_i replaced by the
differences f(x_i, y_i) - f(x_i, k), k != y_i. S0 Section 1.4.1; S4 slides 28, 33.
"""

from __future__ import annotations

import numpy as np

from linnet.errors import DataError
from linnet.reference.common import FloatArray, IntArray, check_binary

__all__ = ["functional_margins", "geometric_margins", "joint_mistake_bound", "mistake_bound"]


def functional_margins(w: FloatArray, X: FloatArray, y: FloatArray | IntArray) -> FloatArray:
    """y_i w.x_i of every example.

    Examples
    --------
    >>> functional_margins(np.array([3.0, 4.0]), np.array([[1.0, 1.0]]), np.array([-1]))
    array([-7.])
    """
    return check_binary(X, y) * (X @ w)


def geometric_margins(w: FloatArray, X: FloatArray, y: FloatArray | IntArray) -> FloatArray:
    """Signed distance of every example to the hyperplane w.x = 0.

    Examples
    --------
    >>> geometric_margins(np.array([3.0, 4.0]), np.array([[1.0, 1.0]]), np.array([-1]))
    array([-1.4])
    """
    return functional_margins(w, X, y) / float(np.linalg.norm(w))


def mistake_bound(
    u: FloatArray, X: FloatArray, y: FloatArray | IntArray, margin: float = 0.0
) -> float:
    """(R^2 + 2 theta)/gamma^2 for a separating u.

    Examples
    --------
    >>> mistake_bound(np.array([1.0]), np.array([[1.0], [-2.0]]), np.array([1, -1]))
    4.0
    """
    gamma = float(geometric_margins(u, X, y).min())
    if gamma <= 0:
        raise DataError("u does not separate the data, so it bounds nothing")
    radius = float((X**2).sum(axis=1).max())
    return (radius + 2 * margin) / gamma**2


def joint_mistake_bound(u: FloatArray, F: FloatArray, y: IntArray) -> float:
    """(R/gamma)^2 over the differences f(x, gold) - f(x, k) of joint features F (M, K, D).

    Examples
    --------
    >>> F = np.array([[[1.0, 0.0], [0.0, 1.0]]])
    >>> round(joint_mistake_bound(np.array([1.0, -1.0]), F, np.array([0])), 9)
    1.0
    """
    differences = F[np.arange(len(y)), y][:, None, :] - F
    others = np.arange(F.shape[1]) != np.asarray(y)[:, None]
    vectors = differences[others]
    return mistake_bound(u, vectors, np.ones(len(vectors)))
