r"""L-BFGS, and its orthant-wise form for L1 (M-59, M-66).

Problem
    min f(x), or min f(x) + lambda ||x||_1, f smooth.
Given
    f with its gradient, a first point, the number of pairs to remember.
Returned
    the minimiser.

The last `history` pairs s = x' - x, u = g' - g define an approximate inverse Hessian H; the
two-loop recursion computes H g without forming it. Step sizes obey the Wolfe conditions.

Orthant-wise, for L1: the pseudo-gradient is the one-sided derivative of least size,
    pg_j = g_j + lambda sign(x_j),  or at x_j = 0  g_j - lambda sign(g_j) if |g_j| > lambda, else 0
The direction -H pg is cut to the signs of -pg; each trial point is projected on the orthant of x
(of -pg where x_j = 0), so weights become exactly 0. At the optimum pg = 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.reference.common import FloatArray
from linnet.reference.line_search import wolfe
from linnet.reference.optimum import Function, Optimum, dot, largest

__all__ = ["lbfgs", "orthant_wise", "pseudo_gradient", "two_loop"]

Pairs = Sequence[tuple[FloatArray, FloatArray]]


def two_loop(gradient: FloatArray, pairs: Pairs) -> FloatArray:
    """Multiply the approximate inverse Hessian of the pairs (s, u), oldest first, by `gradient`.

    Examples
    --------
    >>> two_loop(np.array([4.0]), [(np.array([1.0]), np.array([2.0]))])
    array([2.])
    """
    q, coefficients = gradient, []
    for s, u in reversed(pairs):
        coefficients.append(dot(s, q) / dot(s, u))
        q = q - coefficients[-1] * u
    if pairs:
        s, u = pairs[-1]
        q = (dot(s, u) / dot(u, u)) * q
    for (s, u), a in zip(pairs, reversed(coefficients), strict=True):
        q = q + (a - dot(u, q) / dot(s, u)) * s
    return q


def _remember(
    pairs: list[tuple[FloatArray, FloatArray]], s: FloatArray, u: FloatArray, history: int
) -> None:
    """Keep the pair when its curvature is safely positive; forget the oldest."""
    if dot(s, u) > 1e-10 * dot(s, s):
        pairs.append((s, u))
        del pairs[:-history]


def lbfgs(
    f: Function,
    start: FloatArray,
    *,
    history: int = 10,
    n_iter: int = 10_000,
    tolerance: float = 1e-6,
) -> Optimum:
    """Minimise a smooth f, until the gradient's largest entry meets `tolerance`.

    Examples
    --------
    >>> lbfgs(lambda x: (float(x @ x), 2 * x), np.ones(2)).x
    array([0., 0.])
    """
    x = start
    value, gradient = f(x)
    values, pairs = [value], list[tuple[FloatArray, FloatArray]]()
    for _ in range(n_iter):
        if largest(gradient) <= tolerance:
            break
        direction = -two_loop(gradient, pairs)
        first = 1.0 if pairs else min(1.0, 1.0 / largest(gradient))
        step = wolfe(f, x, value, gradient, direction, first=first)
        if step == 0.0:
            break
        old_x, old_gradient = x, gradient
        x = x + step * direction
        value, gradient = f(x)
        values.append(value)
        _remember(pairs, x - old_x, gradient - old_gradient, history)
    return Optimum(x, tuple(values), gradient, largest(gradient) <= tolerance)


def pseudo_gradient(x: FloatArray, gradient: FloatArray, lam: float) -> FloatArray:
    """Smallest one-sided derivative of f + lam ||x||_1, given the gradient of f.

    Examples
    --------
    >>> pseudo_gradient(np.array([1.0, 0.0, 0.0]), np.array([2.0, 2.0, 0.5]), 1.0)
    array([3., 1., 0.])
    """
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - lam, 0.0)
    return np.where(x == 0, at_zero, gradient + lam * np.sign(x))


def orthant_wise(
    f: Function,
    start: FloatArray,
    lam: float,
    *,
    history: int = 10,
    n_iter: int = 10_000,
    tolerance: float = 1e-6,
) -> Optimum:
    """Minimise f(x) + lam ||x||_1, until the pseudo-gradient meets `tolerance`.

    Examples
    --------
    >>> shifted = lambda x: (float((x - 1) @ (x - 1)), 2 * (x - 1))
    >>> orthant_wise(shifted, np.zeros(1), 1.0).x.round(6), orthant_wise(shifted, np.ones(1), 2.0).x
    (array([0.5]), array([0.]))
    """
    x, pairs = start, list[tuple[FloatArray, FloatArray]]()
    smooth, gradient = f(x)
    values = [smooth + lam * float(np.abs(x).sum())]
    pseudo = pseudo_gradient(x, gradient, lam)
    for _ in range(n_iter):
        if largest(pseudo) <= tolerance:
            break
        direction = -two_loop(pseudo, pairs)
        direction = np.where(direction * pseudo < 0, direction, 0.0)
        first = 1.0 if pairs else min(1.0, 1.0 / largest(pseudo))
        new = _project_search(f, x, values[-1], pseudo, direction, lam, first)
        if new is None:
            break
        old_x, old_gradient = x, gradient
        x, (smooth, gradient) = new, f(new)
        values.append(smooth + lam * float(np.abs(x).sum()))
        _remember(pairs, x - old_x, gradient - old_gradient, history)
        pseudo = pseudo_gradient(x, gradient, lam)
    return Optimum(x, tuple(values), pseudo, largest(pseudo) <= tolerance)


def _project_search(
    f: Function,
    x: FloatArray,
    value: float,
    pseudo: FloatArray,
    direction: FloatArray,
    lam: float,
    step: float,
) -> FloatArray | None:
    """Backtrack along the direction, projecting on the orthant; None when nothing decreases."""
    orthant = np.where(x != 0, np.sign(x), -np.sign(pseudo))
    for _ in range(60):
        trial = x + step * direction
        trial = np.where(trial * orthant > 0, trial, 0.0)
        total = f(trial)[0] + lam * float(np.abs(trial).sum())
        slack = 4 * np.finfo(float).eps * abs(value)
        if total <= value + 1e-4 * dot(pseudo, trial - x) + slack:
            return trial
        step *= 0.5
    return None
