"""Sequential minimal optimisation for kernel support vector machines (M-77 to M-81).

Given the Gram matrix K, signs y and costs C (infinite for a hard margin), with beta = y alpha:

    maximise  y·beta - 1/2 beta' K beta
    such that  0 <= y_t beta_t <= C_t, and sum_t beta_t = 0 when the intercept is free.

F = y - K beta is the slope of the objective. At the optimum no beta_i that may grow has a larger
slope than a beta_j that may shrink; as long as one has, moving both by the same amount keeps the
sum and gains. The pair: i of the largest slope, j whose best step gains most (Fan, Chen and Lin
2005). With a penalised or absent intercept there is no sum to keep: one variable moves at a time.

Returned are beta, the intercept (mean slope of the free support vectors, else the middle of what
the bounds allow, A-33), and both objectives: primal minus dual bounds the distance to the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linnet.errors import DataError
from linnet.reference.common import FloatArray, IntArray, check_binary

__all__ = ["KernelMachine", "objectives", "solve"]


@dataclass(frozen=True)
class KernelMachine:
    """A solution: coefficients y alpha, intercept, primal and dual objective, steps made."""

    dual: FloatArray
    intercept: float
    primal_objective: float
    dual_objective: float
    steps: int


def objectives(
    gram: FloatArray, sign: FloatArray, cost: FloatArray, beta: FloatArray, intercept: float
) -> tuple[float, float]:
    """Return primal and dual objective of beta (finite costs).

    Examples
    --------
    >>> gram, sign = np.array([[2.0, -2.0], [-2.0, 2.0]]), np.array([1.0, -1.0])
    >>> np.round(objectives(gram, sign, np.full(2, 0.1), 0.1 * sign, 0.0), 6).tolist()
    [0.16, 0.16]
    """
    norm = float(beta @ gram @ beta)
    hinge = np.maximum(0.0, 1.0 - sign * (gram @ beta + intercept))
    return 0.5 * norm + float(cost @ hinge), float(sign @ beta) - 0.5 * norm


def solve(
    gram: FloatArray,
    y: IntArray,
    cost: float | FloatArray = 1.0,
    *,
    free_intercept: bool = True,
    tol: float = 1e-6,
    max_steps: int = 100_000,
) -> KernelMachine:
    """Maximise the dual; for a penalised intercept add 1 to the Gram matrix first (M-79).

    Examples
    --------
    >>> solve(np.array([[2.0, -2.0], [-2.0, 2.0]]), np.array([1, -1]), 10.0).dual
    array([ 0.25, -0.25])
    """
    sign = check_binary(gram, y)
    costs = np.broadcast_to(np.asarray(cost, dtype=np.float64), sign.shape)
    lower, upper = np.where(sign > 0, 0.0, -costs), np.where(sign > 0, costs, 0.0)
    beta, slope = np.zeros(len(sign)), sign.copy()
    steps = 0
    while steps < max_steps:
        up = np.where(beta < upper, slope, -np.inf)
        low = np.where(beta > lower, slope, np.inf)
        i, least = int(up.argmax()), int(low.argmin())
        gap = up[i] - low[least] if free_intercept else max(up[i], -low[least])
        if gap <= tol:
            break
        if free_intercept:
            j, best = _partner(gram, up, low, i)
            size = float(min(best, upper[i] - beta[i], beta[j] - lower[j]))
            moved = {i: size, j: -size}
        else:
            i = i if up[i] >= -low[least] else least
            target = beta[i] + slope[i] / max(gram[i, i], 1e-12)
            moved = {i: float(np.clip(target, lower[i], upper[i]) - beta[i])}
        for t, size in moved.items():
            beta[t] = np.clip(beta[t] + size, lower[t], upper[t])
            slope = slope - size * gram[:, t]
        steps += 1
    else:
        raise DataError(f"no solution within {max_steps} steps; are the classes separable?")
    intercept = _intercept(up, low) if free_intercept else 0.0
    finite = np.where(np.isfinite(costs), costs, 0.0)
    primal, dual = objectives(gram, sign, finite, beta, intercept)
    return KernelMachine(beta, intercept, primal, dual, steps)


def _partner(gram: FloatArray, up: FloatArray, low: FloatArray, i: int) -> tuple[int, float]:
    """The j with which i gains most, by the second-order estimate, and the best step for both."""
    diagonal = np.diagonal(gram)
    curve = np.maximum(diagonal[i] + diagonal - 2 * gram[i], 1e-12)
    gain = np.where(low < up[i], np.maximum(up[i] - low, 0.0) ** 2 / curve, -1.0)
    j = int(gain.argmax())
    return j, float((up[i] - low[j]) / curve[j])


def _intercept(up: FloatArray, low: FloatArray) -> float:
    free = np.isfinite(up) & np.isfinite(low)
    return float(up[free].mean() if free.any() else (up.max() + low.min()) / 2)
