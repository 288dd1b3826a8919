r"""Step sizes along a descent direction d (M-57, A-65).

Problem
    Given f, x, its value and gradient g, and d with g.d < 0, find a step eta > 0 such that
    sufficient decrease   f(x + eta d) <= f(x) + c1 eta g.d                 (Armijo)
    and, for Wolfe,       grad f(x + eta d).d >= c2 g.d                     (curvature)
Returned
    the step; 0 when d does not descend, or rounding leaves no step that decreases f.

Armijo shrinks eta from its first value. Wolfe brackets: a step that fails to decrease becomes the
upper end, one that is still too steep the lower end; try the middle, or double while no upper end
is known.
"""

from __future__ import annotations

import numpy as np

from linnet.reference.common import FloatArray
from linnet.reference.optimum import Function, dot

__all__ = ["armijo", "wolfe"]


def armijo(
    f: Function,
    x: FloatArray,
    value: float,
    gradient: FloatArray,
    direction: FloatArray,
    *,
    first: float = 1.0,
    c1: float = 1e-4,
    shrink: float = 0.5,
    n_tries: int = 60,
) -> float:
    """Largest of first, first*shrink, first*shrink^2, ... with sufficient decrease.

    Examples
    --------
    >>> square = lambda x: (float(x @ x), 2 * x)
    >>> armijo(square, np.ones(1), 1.0, 2 * np.ones(1), -8 * np.ones(1))
    0.125
    """
    slope, step = dot(gradient, direction), first
    if slope >= 0:
        return 0.0
    for _ in range(n_tries):
        if f(x + step * direction)[0] <= value + c1 * step * slope:
            return step
        step *= shrink
    return 0.0


def wolfe(
    f: Function,
    x: FloatArray,
    value: float,
    gradient: FloatArray,
    direction: FloatArray,
    *,
    first: float = 1.0,
    c1: float = 1e-4,
    c2: float = 0.9,
    n_tries: int = 60,
) -> float:
    """Find a step with sufficient decrease and curvature.

    Decrease is tested up to the rounding error of f, so that the curvature condition can guide the
    last iterations, where f no longer changes.

    Examples
    --------
    >>> square = lambda x: (float(x @ x), 2 * x)
    >>> wolfe(square, np.ones(1), 1.0, 2 * np.ones(1), -0.01 * np.ones(1))
    16.0
    """
    slope, slack = dot(gradient, direction), 4 * np.finfo(float).eps * abs(value)
    low, high, step = 0.0, np.inf, first
    if slope >= 0:
        return 0.0
    for _ in range(n_tries):
        new_value, new_gradient = f(x + step * direction)
        if not new_value <= value + c1 * step * slope + slack:
            high = step
        elif dot(new_gradient, direction) < c2 * slope:
            low = step
        else:
            return step
        step = 2 * low if np.isinf(high) else 0.5 * (low + high)
    return low
