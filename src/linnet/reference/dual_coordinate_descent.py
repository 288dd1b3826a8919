r"""Dual coordinate descent (M-69, M-84): one dual variable, or one example's block, at a time.

Problem
    Maximise the duals D of `svm` by exact steps along single coordinates, keeping w = w(alpha).
Given
    X (M, J), y, C, the order of the examples in each round.
Returned
    w, alpha, and after each round the dual objective (never decreasing) and the duality gap.

L1- and L2-loss SVM (the 2008 paper behind S4 slide 79), no shrinking:
    G = y_i w.x_i - 1 + d alpha_i
    alpha_i <- clip(alpha_i - G / (||x_i||^2 + d), 0, U)
    L1-loss: d = 0, U = C;   L2-loss: d = 1/(2C), U = infinity
Logistic regression: the best alpha_i = C sigma(z) solves
    z + y_i w.x_i + ||x_i||^2 (C sigma(z) - alpha_i) = 0, an increasing function of z.
Crammer-Singer: for example i the row a = A_i solves
    min 1/2 ||x_i||^2 ||a||^2 + b.a,   b_k = w_k.x_i + rho(k, y_i) - ||x_i||^2 A_ik
    s.t. sum_k a_k = 0, a_k <= C [k = y_i];   so a_k = min(cap_k, (beta - b_k)/||x_i||^2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import linnet.reference.svm as objectives
from linnet.errors import ParameterError
from linnet.reference.common import (
    FloatArray,
    IntArray,
    Orders,
    check_binary,
    check_classes,
    rounds,
)
from linnet.reference.losses import sigmoid
from linnet.reference.mira import check_cost

__all__ = ["DualResult", "crammer_singer", "logistic", "svm"]


@dataclass(frozen=True)
class DualResult:
    """Primal weights, dual variables, and dual objective and gap after each round."""

    weights: FloatArray
    alpha: FloatArray
    dual: tuple[float, ...]
    gap: tuple[float, ...]


def _descend(
    step: Callable[[int], None],
    objective: Callable[[], tuple[float, float]],
    orders: list[IntArray],
    tolerance: float,
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Run rounds of steps until the gap is at most `tolerance` times the primal objective."""
    duals, gaps = [], []
    for order in orders:
        for i in order:
            step(int(i))
        primal, dual = objective()
        duals.append(dual)
        gaps.append(primal - dual)
        if primal - dual <= tolerance * abs(primal):
            break
    return tuple(duals), tuple(gaps)


def _binary(
    X: FloatArray,
    sign: FloatArray,
    best: Callable[[float, float, float], float],
    C: float,
    loss: objectives.DualLoss,
    orders: list[IntArray],
    tolerance: float,
) -> DualResult:
    """Shared loop; `best(alpha_i, y_i w.x_i, ||x_i||^2)` is the exact new alpha_i."""
    w, alpha = np.zeros(X.shape[1]), np.zeros(len(X))

    def step(i: int) -> None:
        nonlocal w
        new = best(float(alpha[i]), float(sign[i] * (w @ X[i])), float(X[i] @ X[i]))
        w = w + (new - alpha[i]) * sign[i] * X[i]
        alpha[i] = new

    def objective() -> tuple[float, float]:
        primal, _ = objectives.binary_primal(w, X, sign, C, loss)
        return primal, objectives.binary_dual(alpha, X, sign, C, loss)

    dual, gap = _descend(step, objective, orders, tolerance)
    return DualResult(w, alpha, dual, gap)


def svm(
    X: FloatArray,
    y: FloatArray | IntArray,
    *,
    C: float = 1.0,
    loss: objectives.DualLoss = "hinge",
    n_rounds: int = 1000,
    orders: Orders = None,
    tolerance: float = 1e-14,
) -> DualResult:
    """Solve the L1-loss ("hinge") or L2-loss ("squared_hinge") SVM.

    Examples
    --------
    >>> svm(np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1, -1])).weights
    array([0.5, 0.5])
    """
    if loss not in ("hinge", "squared_hinge"):
        raise ParameterError(f"loss={loss!r}: use 'hinge' or 'squared_hinge'")
    diagonal, cap = (0.0, C) if loss == "hinge" else (1 / (2 * C), np.inf)

    def best(alpha: float, margin: float, squared_norm: float) -> float:
        gradient, curvature = margin - 1 + diagonal * alpha, squared_norm + diagonal
        if curvature == 0:  # x = 0 and L1-loss: the dual is linear in alpha, with slope 1
            return cap
        return min(max(alpha - gradient / curvature, 0.0), cap)

    listed = list(rounds(len(X), n_rounds, orders))
    return _binary(X, check_binary(X, y), best, C, loss, listed, tolerance)


def _logistic_root(margin: float, squared_norm: float, alpha: float, C: float) -> float:
    """Root z of z + margin + squared_norm (C sigma(z) - alpha): Newton, kept inside a bracket."""
    low = -margin - squared_norm * (C - alpha)
    high = -margin + squared_norm * alpha
    z = 0.5 * (low + high)
    for _ in range(100):
        p = float(sigmoid(z))
        value = z + margin + squared_norm * (C * p - alpha)
        low, high = (z, high) if value < 0 else (low, z)
        newton = z - value / (1 + squared_norm * C * p * (1 - p))
        new = newton if low <= newton <= high else 0.5 * (low + high)
        if abs(new - z) <= 1e-15 * (1 + abs(z)):
            break
        z = new
    return z


def logistic(
    X: FloatArray,
    y: FloatArray | IntArray,
    *,
    C: float = 1.0,
    n_rounds: int = 1000,
    orders: Orders = None,
    tolerance: float = 1e-14,
) -> DualResult:
    """Solve 1/2 ||w||^2 + C sum ln(1 + exp(-y w.x)) through its dual (M-69).

    Examples
    --------
    >>> logistic(np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1, -1])).weights.round(6)
    array([0.521298, 0.521298])
    """

    def best(alpha: float, margin: float, squared_norm: float) -> float:
        return C * float(sigmoid(_logistic_root(margin, squared_norm, alpha, C)))

    listed = list(rounds(len(X), n_rounds, orders))
    return _binary(X, check_binary(X, y), best, C, "logistic", listed, tolerance)


def _block(b: FloatArray, cap: FloatArray, squared_norm: float) -> FloatArray:
    """Minimise 1/2 squared_norm ||a||^2 + b.a subject to sum a = 0 and a <= cap.

    a_k(beta) = min(cap_k, (beta - b_k)/squared_norm) grows with beta; class k is below its cap
    while beta < b_k + squared_norm cap_k, so sort those breakpoints and find the piece where the
    sum is 0.
    """
    breakpoints = b + squared_norm * cap
    order = np.argsort(-breakpoints)
    free_b, capped = 0.0, float(cap.sum())
    beta = float(breakpoints[order[0]])
    for n_free, k in enumerate(order, start=1):
        free_b += float(b[k])
        capped -= float(cap[k])
        beta = (free_b - squared_norm * capped) / n_free
        if n_free == len(b) or beta >= breakpoints[order[n_free]]:
            break
    return np.minimum(cap, (beta - b) / squared_norm)


def crammer_singer(
    X: FloatArray,
    y: IntArray,
    n_classes: int,
    *,
    C: float = 1.0,
    cost: FloatArray | None = None,
    n_rounds: int = 1000,
    orders: Orders = None,
    tolerance: float = 1e-14,
) -> DualResult:
    """Solve the K-class SVM of Crammer and Singer, one example's K variables at a time.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> crammer_singer(X, np.array([0, 1]), 2).weights
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    check_classes(X, y, n_classes)
    rho = check_cost(cost, n_classes)
    W, A = np.zeros((X.shape[1], n_classes)), np.zeros((len(X), n_classes))

    def step(i: int) -> None:
        nonlocal W
        squared_norm, costs = float(X[i] @ X[i]), rho[:, y[i]]
        cap = np.where(np.arange(n_classes) == y[i], C, 0.0)
        if squared_norm > 0:
            new = _block(X[i] @ W + costs - squared_norm * A[i], cap, squared_norm)
        else:  # x = 0: put all of C on the dearest mistake
            new = cap - C * (np.arange(n_classes) == np.argmax(costs))
        W = W + np.outer(X[i], new - A[i])
        A[i] = new

    def objective() -> tuple[float, float]:
        primal, _ = objectives.crammer_singer_primal(W, X, y, C, cost)
        return primal, objectives.crammer_singer_dual(A, X, y, C, cost)

    dual, gap = _descend(step, objective, list(rounds(len(X), n_rounds, orders)), tolerance)
    return DualResult(W, A, dual, gap)
