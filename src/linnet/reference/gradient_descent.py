r"""Gradient descent (M-56, M-57, M-124).

Problem
    min f(x).
Given
    f with its gradient (`optimum.Function`), a first point, step sizes eta_t.
Returned
    the last point and the value at every iteration.

    x <- x - eta_t grad f(x)

S3 "Gradient descent example" runs it on theta^2; S0 Eq. 1.33 and Alg. 4 on MaxEnt, where for
form (a) it reads W <- (1 - lambda eta) W + (eta/M) sum_i [f(x_i, y_i) - E f(x_i, Y)]. `with_armijo`
chooses eta_t by backtracking, so f never increases.
"""

from __future__ import annotations

from collections.abc import Callable

from linnet.reference.common import FloatArray
from linnet.reference.line_search import armijo
from linnet.reference.optimum import Function, Optimum, largest

__all__ = ["gradient_descent", "scalar", "with_armijo"]


def scalar(
    derivative: Callable[[float], float], start: float, eta: float, n_iter: int
) -> list[float]:
    """Descend on a function of one number; all points visited, the first included.

    Examples
    --------
    >>> [round(theta, 3) for theta in scalar(lambda theta: 2 * theta, -1.0, 0.2, 3)]
    [-1.0, -0.6, -0.36, -0.216]
    """
    points = [start]
    for _ in range(n_iter):
        points.append(points[-1] - eta * derivative(points[-1]))
    return points


def gradient_descent(
    f: Function,
    start: FloatArray,
    schedule: Callable[[int], float],
    n_iter: int,
    tolerance: float = 0.0,
) -> Optimum:
    """Take `n_iter` steps of size schedule(1), schedule(2), ... (S0 Alg. 4).

    Examples
    --------
    >>> import numpy as np
    >>> gradient_descent(lambda x: (float(x @ x), 2 * x), np.ones(2), lambda t: 0.25, 3).x
    array([0.125, 0.125])
    """
    x = start
    value, gradient = f(x)
    values = [value]
    for t in range(1, n_iter + 1):
        if largest(gradient) <= tolerance:
            break
        x = x - schedule(t) * gradient
        value, gradient = f(x)
        values.append(value)
    return Optimum(x, tuple(values), gradient, largest(gradient) <= tolerance)


def with_armijo(
    f: Function,
    start: FloatArray,
    *,
    n_iter: int = 10_000,
    tolerance: float = 1e-6,
    first: float = 1.0,
    c1: float = 1e-4,
    shrink: float = 0.5,
) -> Optimum:
    """Gradient descent with Armijo's rule, until the gradient's largest entry meets `tolerance`.

    Examples
    --------
    >>> import numpy as np
    >>> with_armijo(lambda x: (float(x @ x), 2 * x), np.ones(2)).x
    array([0., 0.])
    """
    x = start
    value, gradient = f(x)
    values = [value]
    for _ in range(n_iter):
        if largest(gradient) <= tolerance:
            break
        step = armijo(f, x, value, gradient, -gradient, first=first, c1=c1, shrink=shrink)
        if step == 0.0:
            break
        x = x - step * gradient
        value, gradient = f(x)
        values.append(value)
    return Optimum(x, tuple(values), gradient, largest(gradient) <= tolerance)
