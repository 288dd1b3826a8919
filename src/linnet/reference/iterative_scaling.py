r"""Iterative scaling: GIS and IIS, with or without a Gaussian prior (M-60).

Problem
    max w.t - (1/M) sum_i ln Z_i(w) - lambda/2 ||w||^2,  Z_i(w) = sum_k exp(w.f(x_i, k))
    With t = (1/M) sum_i f(x_i, y_i) this is form (a) of M-53, negated. At its optimum, and
    lambda = 0, the model means E_d equal the targets t_d; with M = 1 and the outcomes as
    classes it is the maximum entropy principle itself (M-70).
Given
    F (M, K, D) non-negative joint features f(x_i, k), targets t (D,).
Returned
    w (D,), and the objective after each iteration, which never decreases.

GIS, with C = max over i, k of f#(i, k) = sum_d F_ikd and the slack feature C - f#:
    w_d <- w_d + (1/C) ln(t_d / E_d)
IIS: w_d <- w_d + delta_d, where delta_d solves
    (1/M) sum_ik p(k | x_i) F_ikd exp(delta_d f#(i, k)) = t_d
With the prior, - lambda (w_d + delta_d) is added on the right, and GIS solves
    E_d exp(C delta_d) = t_d - lambda (w_d + delta_d)
The slack feature is then left out: the bound behind GIS only needs f# <= C, and a slack weight
would change what the prior prefers. Each one-variable equation is solved by Newton's method.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linnet.errors import DataError
from linnet.reference.common import FloatArray, IntArray
from linnet.reference.losses import log_sum_exp, softmax

__all__ = ["ScalingResult", "generalised", "improved", "targets"]


@dataclass(frozen=True)
class ScalingResult:
    """Weights (D,) and the objective at the start and after each iteration."""

    weights: FloatArray
    objective: tuple[float, ...]


def targets(F: FloatArray, y: IntArray) -> FloatArray:
    """Observed means (1/M) sum_i f(x_i, y_i) of joint features F (M, K, D).

    Examples
    --------
    >>> targets(np.array([[[1.0], [2.0]], [[3.0], [4.0]]]), np.array([0, 1]))
    array([2.5])
    """
    observed: FloatArray = F[np.arange(len(y)), y].mean(axis=0)
    return observed


def _check(F: FloatArray, t: FloatArray, lam: float) -> None:
    if (F < 0).any():
        raise DataError("iterative scaling needs non-negative features")
    if lam == 0 and (t[F.any(axis=(0, 1))] <= 0).any():
        raise DataError("a feature is never observed, its weight would be -infinity: use lam > 0")


def _solve(
    increasing: Callable[[FloatArray], tuple[FloatArray, FloatArray]], n: int, C: float
) -> FloatArray:
    """Roots of n increasing functions; each Newton step is cut to 2/C to avoid overflow."""
    delta = np.zeros(n)
    for _ in range(200):
        value, slope = increasing(delta)
        change = -value / np.where(slope > 0, slope, 1.0)
        delta = delta + np.clip(change, -2 / C, 2 / C)
        if np.abs(change).max(initial=0.0) <= 1e-14 / C:
            break
    return delta


def _iterate(
    F: FloatArray,
    t: FloatArray,
    lam: float,
    change: Callable[[FloatArray, FloatArray], FloatArray],
    n_iter: int,
    tolerance: float,
) -> ScalingResult:
    """Add change(w, P) to w, where P (M, K) is the model, until no weight moves much."""

    def objective(w: FloatArray) -> float:
        return float(w @ t - log_sum_exp(F @ w).mean() - 0.5 * lam * (w @ w))

    w = np.zeros(F.shape[2])
    record = [objective(w)]
    for _ in range(n_iter):
        delta = change(w, softmax(F @ w))
        w = w + delta
        record.append(objective(w))
        if np.abs(delta).max(initial=0.0) <= tolerance:
            break
    return ScalingResult(w, tuple(record))


def generalised(
    F: FloatArray,
    t: FloatArray,
    *,
    lam: float = 0.0,
    n_iter: int = 10_000,
    tolerance: float = 1e-10,
) -> ScalingResult:
    """GIS. The slack feature's weight is folded back: w.f + v (C - f#) = (w - v).f + v C.

    Examples
    --------
    >>> F = np.array([[[1.0], [0.0]]])
    >>> generalised(F, np.array([0.75])).weights.round(6)
    array([1.098612])
    """
    _check(F, t, lam)
    total = F.sum(axis=2)
    C = float(total.max())
    if lam > 0:

        def damped(w: FloatArray, P: FloatArray) -> FloatArray:
            means = np.einsum("mk,mkd->d", P, F) / len(F)

            def equation(delta: FloatArray) -> tuple[FloatArray, FloatArray]:
                grown = means * np.exp(C * delta)
                return grown - t + lam * (w + delta), C * grown + lam

            return _solve(equation, len(w), C)

        return _iterate(F, t, lam, damped, n_iter, tolerance)

    with_slack = np.concatenate([F, (C - total)[:, :, None]], axis=2)
    goal = np.append(t, C - t.sum())

    def step(w: FloatArray, P: FloatArray) -> FloatArray:
        means = np.einsum("mk,mkd->d", P, with_slack) / len(F)
        moved = (means > 0) & (goal > 0)
        ratio = np.divide(goal, means, out=np.ones_like(means), where=moved)
        delta: FloatArray = np.log(ratio) / C
        return delta

    result = _iterate(with_slack, goal, 0.0, step, n_iter, tolerance)
    return ScalingResult(result.weights[:-1] - result.weights[-1], result.objective)


def improved(
    F: FloatArray,
    t: FloatArray,
    *,
    lam: float = 0.0,
    n_iter: int = 10_000,
    tolerance: float = 1e-10,
) -> ScalingResult:
    """IIS: one equation a feature, no slack feature.

    Examples
    --------
    >>> F = np.array([[[1.0], [0.0]]])
    >>> improved(F, np.array([0.75])).weights.round(6)
    array([1.098612])
    """
    _check(F, t, lam)
    total = F.sum(axis=2)
    C = float(total.max())

    def step(w: FloatArray, P: FloatArray) -> FloatArray:
        mass = P[:, :, None] * F / len(F)

        def equation(delta: FloatArray) -> tuple[FloatArray, FloatArray]:
            grown = mass * np.exp(delta * total[:, :, None])
            left = grown.sum(axis=(0, 1)) - t + lam * (w + delta)
            return left, (grown * total[:, :, None]).sum(axis=(0, 1)) + lam

        return _solve(equation, len(w), C)

    return _iterate(F, t, lam, step, n_iter, tolerance)
