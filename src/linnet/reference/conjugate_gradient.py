r"""Conjugate gradient: non-linear, and for linear systems (M-58, M-61).

Problem
    min f(x), or A x = b with A symmetric positive definite.
Given
    f with its gradient and a first point, or the product v -> A v and b.
Returned
    the minimiser, or the solution.

Non-linear, Polak-Ribiere+ (decision of M-58): with g_t the gradient,
    beta_t = max(0, g_t.(g_t - g_{t-1}) / g_{t-1}.g_{t-1})
    d_t = -g_t + beta_t d_{t-1};   x <- x + eta_t d_t
beta = 0, a restart, every D steps and whenever d_t is not a descent direction. With an exact line
search a quadratic in D dimensions takes at most D steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linnet.reference.common import FloatArray
from linnet.reference.line_search import wolfe
from linnet.reference.optimum import Function, Optimum, dot, largest

__all__ = ["LineSearch", "conjugate_gradient", "solve"]

LineSearch = Callable[[Function, FloatArray, float, FloatArray, FloatArray], float]
"""(f, x, value, gradient, direction) -> step."""


def _tight_wolfe(
    f: Function, x: FloatArray, value: float, gradient: FloatArray, direction: FloatArray
) -> float:
    """Wolfe search with a strict curvature condition, close to the exact minimum."""
    return wolfe(f, x, value, gradient, direction, c2=0.1)


def conjugate_gradient(
    f: Function,
    start: FloatArray,
    *,
    n_iter: int = 10_000,
    tolerance: float = 1e-6,
    line_search: LineSearch = _tight_wolfe,
) -> Optimum:
    """Minimise f, until the gradient's largest entry meets `tolerance`.

    Examples
    --------
    >>> conjugate_gradient(lambda x: (float(x @ x), 2 * x), np.ones(2)).converged
    True
    """
    x = start
    value, gradient = f(x)
    values, direction = [value], -gradient
    for t in range(1, n_iter + 1):
        if largest(gradient) <= tolerance:
            break
        if dot(gradient, direction) >= 0:
            direction = -gradient
        step = line_search(f, x, value, gradient, direction)
        if step == 0.0:
            break
        x = x + step * direction
        old, (value, gradient) = gradient, f(x)
        values.append(value)
        beta = max(0.0, dot(gradient, gradient - old) / dot(old, old))
        direction = -gradient + (0.0 if t % x.size == 0 else beta) * direction
    return Optimum(x, tuple(values), gradient, largest(gradient) <= tolerance)


def solve(
    product: Callable[[FloatArray], FloatArray],
    b: FloatArray,
    *,
    tolerance: float = 1e-10,
    n_iter: int | None = None,
) -> FloatArray:
    """Solve A x = b from products with A alone, until ||A x - b|| <= tolerance ||b||.

    Examples
    --------
    >>> solve(lambda v: np.array([2.0, 4.0]) * v, np.array([2.0, 2.0])).round(12)
    array([1. , 0.5])
    """
    x = np.zeros_like(b)
    residual = b.copy()
    direction, squared = residual, dot(residual, residual)
    target = tolerance**2 * squared
    for _ in range(10 * b.size if n_iter is None else n_iter):
        if squared <= target:
            break
        image = product(direction)
        step = squared / dot(direction, image)
        x = x + step * direction
        residual = residual - step * image
        squared, before = dot(residual, residual), squared
        direction = residual + (squared / before) * direction
    return x
