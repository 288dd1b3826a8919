r"""Support vector machines: primal and dual objectives (M-73, M-74, M-82, M-83).

Problem, two classes (S4 slides 51, 60), y in {+1, -1}, with the bias folded into w
    P(w) = 1/2 ||w||^2 + C sum_i loss(y_i w.x_i)
    L1-loss: max(0, 1-m)        D(a) = sum_i a_i - 1/2 ||w(a)||^2,                0 <= a_i <= C
    L2-loss: max(0, 1-m)^2      D(a) = sum_i [a_i - a_i^2/(4C)] - 1/2 ||w(a)||^2,     0 <= a_i
    logistic: ln(1+e^{-m})      D(a) = sum_i C H(a_i/C) - 1/2 ||w(a)||^2,         0 <= a_i <= C
with w(a) = sum_i a_i y_i x_i and H the binary entropy in nats (M-69).

Problem, K classes (Crammer and Singer; S0 Eq. 1.34-1.37), cost rho[guess, gold]
    P(W) = 1/2 ||W||^2 + C sum_i max_k [w_k.x_i + rho(k, y_i)] - w_{y_i}.x_i
    D(A) = -1/2 ||W(A)||^2 - sum_ik A_ik rho(k, y_i),   W(A) = X^T A
    rows of A (M, K) sum to 0, A_ik <= C for the gold class and <= 0 for the others.

P(w) >= D(a) for every feasible pair, with equality at the optimum: the gap measures how far a
solver has to go. S0's default lambda/2 ||W||^2 + mean loss is P with C = 1/(lambda M), times lambda
(A-36).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from linnet.errors import ParameterError
from linnet.reference.common import FloatArray, IntArray, check_binary, check_classes
from linnet.reference.losses import LOSSES, multiclass_hinge
from linnet.reference.mira import check_cost

__all__ = [
    "DualLoss",
    "binary_dual",
    "binary_primal",
    "crammer_singer_dual",
    "crammer_singer_primal",
    "dual_to_primal",
    "mean_hinge",
    "slacks",
]

DualLoss = Literal["hinge", "squared_hinge", "logistic"]


def slacks(w: FloatArray, X: FloatArray, y: FloatArray | IntArray) -> FloatArray:
    """Slacks xi_i = max(0, 1 - y_i w.x_i), the least slack that satisfies each constraint.

    Examples
    --------
    >>> slacks(np.array([1.0]), np.array([[0.25], [2.0]]), np.array([1, 1]))
    array([0.75, 0.  ])
    """
    return LOSSES["hinge"].value(check_binary(X, y) * (X @ w))


def binary_primal(
    w: FloatArray,
    X: FloatArray,
    y: FloatArray | IntArray,
    C: float = 1.0,
    loss: DualLoss = "hinge",
) -> tuple[float, FloatArray]:
    """P(w) and a (sub)gradient; the hinge counts examples with y w.x <= 1.

    Examples
    --------
    >>> X, y = np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1, -1])
    >>> binary_primal(np.array([0.5, 0.5]), X, y)[0]
    0.25
    """
    sign, zoo = check_binary(X, y), LOSSES[loss]
    margins = sign * (X @ w)
    value = 0.5 * float(w @ w) + C * float(zoo.value(margins).sum())
    return value, w + C * X.T @ (sign * zoo.derivative(margins))


def dual_to_primal(alpha: FloatArray, X: FloatArray, y: FloatArray | IntArray) -> FloatArray:
    """Return w = sum_i alpha_i y_i x_i (S1 Eq. 51).

    Examples
    --------
    >>> dual_to_primal(np.array([2.0]), np.array([[1.0, 3.0]]), np.array([-1]))
    array([-2., -6.])
    """
    return X.T @ (alpha * check_binary(X, y))


def _x_log_x(x: FloatArray) -> FloatArray:
    """Return x ln x with 0 ln 0 = 0."""
    return x * np.log(x, out=np.zeros_like(x), where=x > 0)


def binary_dual(
    alpha: FloatArray,
    X: FloatArray,
    y: FloatArray | IntArray,
    C: float = 1.0,
    loss: DualLoss = "hinge",
) -> float:
    """D(alpha); -inf where alpha is not feasible.

    Examples
    --------
    >>> X, y = np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1, -1])
    >>> binary_dual(np.array([0.125, 0.125]), X, y), binary_dual(np.array([0.25, 0.25]), X, y)
    (0.1875, 0.25)
    """
    if (alpha < 0).any() or (loss != "squared_hinge" and (alpha > C).any()):
        return float("-inf")
    match loss:
        case "hinge":
            gain = alpha
        case "squared_hinge":
            gain = alpha - alpha**2 / (4 * C)
        case "logistic":
            gain = -C * (_x_log_x(alpha / C) + _x_log_x(1 - alpha / C))
        case _:
            raise ParameterError(f"loss={loss!r}: use 'hinge', 'squared_hinge' or 'logistic'")
    w = dual_to_primal(alpha, X, y)
    return float(gain.sum()) - 0.5 * float(w @ w)


def crammer_singer_primal(
    W: FloatArray, X: FloatArray, y: IntArray, C: float = 1.0, cost: FloatArray | None = None
) -> tuple[float, FloatArray]:
    """P(W) and a subgradient (J, K); ties prefer the gold class, then the lowest index.

    Examples
    --------
    >>> crammer_singer_primal(np.zeros((1, 3)), np.ones((2, 1)), np.array([0, 2]))[0]
    2.0
    """
    check_classes(X, y, W.shape[1])
    rho = check_cost(cost, W.shape[1])
    value, gradient = 0.5 * float((W**2).sum()), W.copy()
    for x, gold in zip(X, y, strict=True):
        loss, residual = multiclass_hinge(x @ W, int(gold), rho[:, gold])
        value += C * loss
        gradient += C * np.outer(x, residual)
    return value, gradient


def crammer_singer_dual(
    A: FloatArray, X: FloatArray, y: IntArray, C: float = 1.0, cost: FloatArray | None = None
) -> float:
    """D(A); -inf where A is not feasible (rows must sum to 0 within 1e-9 C).

    Examples
    --------
    >>> crammer_singer_dual(np.array([[0.5, -0.5]]), np.ones((1, 1)), np.array([0]))
    0.25
    """
    rho = check_cost(cost, A.shape[1])
    cap = np.where(np.arange(A.shape[1]) == np.asarray(y)[:, None], C, 0.0)
    if (A > cap).any() or (np.abs(A.sum(axis=1)) > 1e-9 * C).any():
        return float("-inf")
    W = X.T @ A
    return -0.5 * float((W**2).sum()) - float((A * rho.T[y]).sum())


def mean_hinge(
    W: FloatArray,
    X: FloatArray,
    y: IntArray,
    lam: float = 1.0,
    *,
    cost: FloatArray | None = None,
    loss_sum: bool = False,
) -> tuple[float, FloatArray]:
    """S0's objective lambda/2 ||W||^2 + mean hinge and a subgradient (M-74).

    `loss_sum=True` is Eq. 1.35 as printed, with the sum in place of the mean.

    Examples
    --------
    >>> mean_hinge(np.zeros((1, 2)), np.ones((4, 1)), np.array([0, 1, 1, 0]))[0]
    1.0
    """
    C = 1.0 / (lam * (1 if loss_sum else len(X)))
    value, gradient = crammer_singer_primal(W, X, y, C, cost)
    return lam * value, lam * gradient
