r"""Newton's method, with a dense solve or truncated by conjugate gradient (M-61, M-85).

Problem
    min f(x), f twice differentiable and convex.
Given
    f with its gradient, and either its Hessian H(x) (D, D) or products H(x) v.
Returned
    the minimiser.

    x <- x - eta H(x)^{-1} grad f(x)

eta = 1 unless Armijo's rule asks for less; near the optimum the error squares at every step. The
truncated form solves H d = -g only to the relative accuracy min(1/2, sqrt ||g||), from products
with H alone, so H is never formed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linnet.reference.common import FloatArray
from linnet.reference.conjugate_gradient import solve
from linnet.reference.line_search import armijo
from linnet.reference.optimum import Function, Optimum, dot, largest

__all__ = ["newton", "truncated_newton"]


def _descend(
    f: Function,
    start: FloatArray,
    direction_at: Callable[[FloatArray, FloatArray], FloatArray],
    n_iter: int,
    tolerance: float,
) -> Optimum:
    """Follow direction_at(x, gradient) with step 1, or less by Armijo's rule.

    Once the promised decrease is below the rounding error of f, the full step is taken as is.
    """
    x = start
    value, gradient = f(x)
    values = [value]
    for _ in range(n_iter):
        if largest(gradient) <= tolerance:
            break
        direction = direction_at(x, gradient)
        tiny = -dot(gradient, direction) <= 1e-14 * abs(value)
        step = 1.0 if tiny else armijo(f, x, value, gradient, direction)
        if step == 0.0:
            break
        x = x + step * direction
        value, gradient = f(x)
        values.append(value)
    return Optimum(x, tuple(values), gradient, largest(gradient) <= tolerance)


def newton(
    f: Function,
    hessian: Callable[[FloatArray], FloatArray],
    start: FloatArray,
    *,
    n_iter: int = 100,
    tolerance: float = 1e-10,
) -> Optimum:
    """Newton steps by solving with the Hessian of the flattened x.

    Examples
    --------
    >>> newton(lambda x: (float(x @ x), 2 * x), lambda x: 2 * np.eye(2), np.ones(2)).n_iter
    1
    """

    def direction(x: FloatArray, gradient: FloatArray) -> FloatArray:
        step = np.linalg.solve(hessian(x), gradient.ravel())
        return np.asarray(-step.reshape(x.shape), dtype=np.float64)

    return _descend(f, start, direction, n_iter, tolerance)


def truncated_newton(
    f: Function,
    hessian_vector: Callable[[FloatArray, FloatArray], FloatArray],
    start: FloatArray,
    *,
    n_iter: int = 200,
    tolerance: float = 1e-10,
) -> Optimum:
    """Newton steps from products hessian_vector(x, v), v shaped like x.

    Examples
    --------
    >>> square = lambda x: (float(x @ x), 2 * x)
    >>> truncated_newton(square, lambda x, v: 2 * v, np.ones(2)).x
    array([0., 0.])
    """

    def direction(x: FloatArray, gradient: FloatArray) -> FloatArray:
        accuracy = min(0.5, float(np.sqrt(np.sqrt(dot(gradient, gradient)))))
        return -solve(lambda v: hessian_vector(x, v), gradient, tolerance=accuracy)

    return _descend(f, start, direction, n_iter, tolerance)
