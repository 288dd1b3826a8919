r"""Stochastic gradient descent on single examples (M-62..M-64, M-67, M-75, M-86, M-87).

Problem
    min lambda/2 ||w||^2 + (1/M) sum_i loss_i(w), one example at a time.
Given
    X, y, a schedule eta_1, eta_2, ..., the order of the examples.
Returned
    the last w (S0 Alg. 5 and 6), or the mean of the vectors after each step.

    w <- (1 - lambda eta_t) w + eta_t d_i(w),   d_i = -grad loss_i

What differs between learners is only d_i (S0 Remark 1.3, C-14):

    maxent           f(x, y) - E_w f(x, Y)          S0 Alg. 5; lambda = 0 is S3's residual form
    multiclass_hinge f(x, y) - f(x, guess)          S0 Alg. 6, cost-augmented guess
    logistic         y sigma(-m) x                  m = y w.x, ascent on ln P(y|x)
    probability      y sigma(m) sigma(-m) x         S2, ascent on P(y|x) itself (A-23)
    hinge            C M y x  if m <= 1, else 0     S4 slides 81-84, lambda = 1 (A-37)

`truncation` is M-67: the shrink step of M-45 on all weights before each gradient step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linnet.reference.averaging import Average, mean_weights
from linnet.reference.common import (
    FloatArray,
    IntArray,
    Orders,
    check_binary,
    check_classes,
    example_sequence,
)
from linnet.reference.gradient_descent import gradient_descent
from linnet.reference.losses import multiclass_hinge as hinge_of_scores
from linnet.reference.losses import multiclass_log, sigmoid
from linnet.reference.mira import check_cost
from linnet.reference.optimum import Optimum
from linnet.reference.perceptron import truncate
from linnet.reference.schedules import Schedule, constant, power
from linnet.reference.svm import binary_primal

__all__ = [
    "Direction",
    "SgdResult",
    "batch_subgradient",
    "hinge",
    "logistic",
    "maxent",
    "multiclass_hinge",
    "probability",
    "stochastic",
]

Direction = Callable[[FloatArray, int], FloatArray]
"""(w, example) -> minus the gradient of that example's loss."""


@dataclass(frozen=True)
class SgdResult:
    """Weights (averaged if asked), the last vector, and the number of steps."""

    weights: FloatArray
    last: FloatArray
    n_steps: int


def stochastic(
    direction: Direction,
    start: FloatArray,
    sequence: IntArray,
    schedule: Schedule,
    *,
    lam: float = 0.0,
    truncation: float = 0.0,
    average: Average = False,
) -> SgdResult:
    """Take one step for each example index in `sequence`.

    Examples
    --------
    >>> towards_one = lambda w, i: 1.0 - w
    >>> stochastic(towards_one, np.zeros(1), np.array([0, 0]), constant(0.5)).weights
    array([0.75])
    """
    vectors, w = [start], start
    for t, i in enumerate(sequence, start=1):
        eta = schedule(t)
        if truncation > 0:
            w = truncate(w, truncation)
        w = (1 - lam * eta) * w + eta * direction(w, int(i))
        if average:
            vectors.append(w)
    n = len(sequence)
    mean = mean_weights(vectors, [True] * n, average) if average else w
    return SgdResult(mean, w, n)


def maxent(
    X: FloatArray,
    y: IntArray,
    n_classes: int,
    *,
    lam: float = 1.0,
    schedule: Schedule | None = None,
    n_rounds: int = 10,
    orders: Orders = None,
    truncation: float = 0.0,
    average: Average = False,
) -> SgdResult:
    """MaxEnt by SGD (M-62); with lam=0 the residual form of S3 (M-63). Default rate 1/t.

    Examples
    --------
    >>> maxent(np.array([[2.0]]), np.array([1]), 2, lam=0.0, n_rounds=1).weights
    array([[-1.,  1.]])
    """
    check_classes(X, y, n_classes)

    def direction(W: FloatArray, i: int) -> FloatArray:
        _, residual = multiclass_log(X[i] @ W, int(y[i]))
        return -np.outer(X[i], residual)

    start = np.zeros((X.shape[1], n_classes))
    options = {"lam": lam, "truncation": truncation}
    sequence = example_sequence(len(X), n_rounds, orders)
    return stochastic(direction, start, sequence, schedule or power(), average=average, **options)


def multiclass_hinge(
    X: FloatArray,
    y: IntArray,
    n_classes: int,
    *,
    lam: float = 1.0,
    cost: FloatArray | None = None,
    schedule: Schedule | None = None,
    n_rounds: int = 10,
    orders: Orders = None,
    average: Average = False,
) -> SgdResult:
    """Multiclass SVM by stochastic subgradient (M-75). Default rate 1/t.

    Examples
    --------
    >>> multiclass_hinge(np.array([[2.0]]), np.array([1]), 2, n_rounds=1).weights
    array([[-2.,  2.]])
    """
    check_classes(X, y, n_classes)
    rho = check_cost(cost, n_classes)

    def direction(W: FloatArray, i: int) -> FloatArray:
        _, residual = hinge_of_scores(X[i] @ W, int(y[i]), rho[:, y[i]])
        return -np.outer(X[i], residual)

    start = np.zeros((X.shape[1], n_classes))
    sequence = example_sequence(len(X), n_rounds, orders)
    return stochastic(direction, start, sequence, schedule or power(), lam=lam, average=average)


def _binary(
    X: FloatArray,
    y: FloatArray | IntArray,
    slope: Callable[[float], float],
    schedule: Schedule,
    n_rounds: int,
    orders: Orders,
    lam: float = 0.0,
    truncation: float = 0.0,
) -> SgdResult:
    """SGD on a single vector with d_i = slope(m) y x."""
    sign = check_binary(X, y)

    def direction(w: FloatArray, i: int) -> FloatArray:
        change: FloatArray = slope(float(sign[i] * (w @ X[i]))) * sign[i] * X[i]
        return change

    sequence = example_sequence(len(X), n_rounds, orders)
    start = np.zeros(X.shape[1])
    return stochastic(direction, start, sequence, schedule, lam=lam, truncation=truncation)


def logistic(
    X: FloatArray,
    y: FloatArray | IntArray,
    *,
    lam: float = 0.0,
    schedule: Schedule | None = None,
    n_rounds: int = 1,
    orders: Orders = None,
    truncation: float = 0.0,
) -> SgdResult:
    """Ascend ln P(y | x), labels +1 and -1. Default rate 1.

    Examples
    --------
    >>> logistic(np.array([[2.0]]), np.array([-1])).weights
    array([-1.])
    """
    rate = schedule or constant(1.0)
    return _binary(X, y, lambda m: float(sigmoid(-m)), rate, n_rounds, orders, lam, truncation)


def probability(
    X: FloatArray,
    y: FloatArray | IntArray,
    *,
    schedule: Schedule | None = None,
    n_rounds: int = 1,
    orders: Orders = None,
    truncation: float = 0.0,
) -> SgdResult:
    """Ascend P(y | x) as S2 does (M-64), labels +1 and -1. Default rate 1.

    Examples
    --------
    >>> probability(np.array([[2.0]]), np.array([-1])).weights
    array([-0.5])
    """

    def slope(m: float) -> float:
        return float(sigmoid(m) * sigmoid(-m))

    rate = schedule or constant(1.0)
    return _binary(X, y, slope, rate, n_rounds, orders, truncation=truncation)


def hinge(
    X: FloatArray,
    y: FloatArray | IntArray,
    *,
    C: float = 1.0,
    schedule: Schedule | None = None,
    n_rounds: int = 10,
    orders: Orders = None,
    scale_by_examples: bool = True,
) -> SgdResult:
    """Binary L1-loss SVM by stochastic subgradient (M-86). Default rate 1/t.

    `scale_by_examples=False` drops the factor M, as the slide seems to print it; it then
    approaches the optimum for C/M instead of C (A-37, F-11).

    Examples
    --------
    >>> hinge(np.array([[2.0]]), np.array([-1]), n_rounds=1).weights
    array([-2.])
    """
    weight = C * (len(X) if scale_by_examples else 1)

    def slope(m: float) -> float:
        return weight if m <= 1 else 0.0

    return _binary(X, y, slope, schedule or power(), n_rounds, orders, lam=1.0)


def batch_subgradient(
    X: FloatArray,
    y: FloatArray | IntArray,
    *,
    C: float = 1.0,
    schedule: Schedule | None = None,
    n_iter: int = 1000,
) -> Optimum:
    """Full subgradient of 1/2 ||w||^2 + C sum hinge at each step (M-87). Default rate 1/sqrt(t).

    Examples
    --------
    >>> X, y = np.array([[1.0], [-1.0]]), np.array([1, -1])
    >>> batch_subgradient(X, y, C=0.25, n_iter=1).x
    array([0.5])
    """
    rate = schedule or power(1.0, 0.5)
    return gradient_descent(lambda w: binary_primal(w, X, y, C), np.zeros(X.shape[1]), rate, n_iter)
