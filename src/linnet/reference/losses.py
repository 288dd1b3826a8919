r"""The loss zoo (M-44, M-50, M-73, M-91): values and (sub)gradients.

Binary losses are functions of the margin m = y w.x, with d loss/dw = loss'(m) y x:

    zero_one        1[m < 0]                   not optimised; derivative 0
    perceptron      max(0, -m)                 S3
    hinge           max(0, 1 - m)              S4 slides 51, 60; margin delta instead of 1: M-44
    squared_hinge   max(0, 1 - m)^2            S4 slide 60
    logistic        ln(1 + e^{-m})             S4 slide 60
    squared         (1 - m)^2                  = (y - w.x)^2
    probability     1 - sigma(m)               its gradient is S2's ascent on P(y|x), M-64

Losses over scores s (K,) return the value and the residual d loss/ds, a vector like s:

    multiclass_perceptron   max_k s_k - s_gold
    multiclass_hinge        max_k [s_k + rho(k, gold)] - s_gold          S0 Eq. 1.34
    multiclass_log          ln sum_k e^{s_k} - s_gold                    S0 Eq. 1.31
    joint_log               -s_gold, with s_k = ln p(x, k)               naive Bayes, S2

At a kink any element of the subdifferential will do (M-126). Chosen here: the perceptron and the
hinge take the side that updates (S4 slide 84: y w.x <= 1); the multiclass losses prefer the gold
class, then the lowest index (A-63).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linnet.reference.common import FloatArray

__all__ = [
    "LOSSES",
    "MarginLoss",
    "hinge_with_margin",
    "joint_log",
    "log_sum_exp",
    "logit",
    "multiclass_hinge",
    "multiclass_log",
    "multiclass_perceptron",
    "sigmoid",
    "softmax",
]


def sigmoid(z: FloatArray | float) -> FloatArray:
    """Logistic function sigma(z) = e^z / (1 + e^z), without overflow at either end (M-50).

    Examples
    --------
    >>> sigmoid(np.array([-1e4, 0.0, 1e4]))
    array([0. , 0.5, 1. ])
    """
    small = np.exp(-np.abs(z))
    return np.where(np.asarray(z) >= 0, 1.0, small) / (1.0 + small)


def logit(p: FloatArray | float) -> FloatArray:
    """Inverse of the logistic function.

    Examples
    --------
    >>> float(logit(0.5))
    0.0
    """
    return np.asarray(np.log(p) - np.log1p(-np.asarray(p)))


def log_sum_exp(scores: FloatArray) -> FloatArray:
    """Return ln sum_k e^{s_k} over the last axis.

    Examples
    --------
    >>> float(log_sum_exp(np.array([1e4, 1e4]))) - 1e4 < 0.694
    True
    """
    top = scores.max(axis=-1, keepdims=True)
    total: FloatArray = top[..., 0] + np.log(np.exp(scores - top).sum(axis=-1))
    return total


def softmax(scores: FloatArray) -> FloatArray:
    """Return e^{s_k} / sum e^{s_k'} over the last axis.

    Examples
    --------
    >>> softmax(np.array([0.0, 0.0]))
    array([0.5, 0.5])
    """
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


@dataclass(frozen=True)
class MarginLoss:
    """A loss of the margin m: `value(m)` and `derivative(m)`, elementwise."""

    value: Callable[[FloatArray], FloatArray]
    derivative: Callable[[FloatArray], FloatArray]


def hinge_with_margin(delta: float) -> MarginLoss:
    """Return max(0, delta - m): hinge at delta = 1, perceptron criterion at 0 (A-24).

    Examples
    --------
    >>> hinge_with_margin(1.0).value(np.array([0.25, 2.0]))
    array([0.75, 0.  ])
    """
    return MarginLoss(
        value=lambda m: np.maximum(0.0, delta - m),
        derivative=lambda m: np.where(m <= delta, -1.0, 0.0),
    )


LOSSES: dict[str, MarginLoss] = {
    "zero_one": MarginLoss(lambda m: np.where(m < 0, 1.0, 0.0), lambda m: np.zeros_like(m)),
    "perceptron": hinge_with_margin(0.0),
    "hinge": hinge_with_margin(1.0),
    "squared_hinge": MarginLoss(
        lambda m: np.maximum(0.0, 1.0 - m) ** 2, lambda m: -2.0 * np.maximum(0.0, 1.0 - m)
    ),
    "logistic": MarginLoss(lambda m: np.logaddexp(0.0, -m), lambda m: -sigmoid(-m)),
    "squared": MarginLoss(lambda m: (1.0 - m) ** 2, lambda m: -2.0 * (1.0 - m)),
    "probability": MarginLoss(lambda m: sigmoid(-m), lambda m: -sigmoid(m) * sigmoid(-m)),
}


def multiclass_hinge(
    scores: FloatArray, gold: int, cost: FloatArray | None = None
) -> tuple[float, FloatArray]:
    """Value and residual 1[guess] - 1[gold] at the cost-augmented guess; `cost` is rho[:, gold].

    Examples
    --------
    >>> multiclass_hinge(np.array([0.5, 0.0]), 0)
    (0.5, array([-1.,  1.]))
    """
    augmented = scores + (np.arange(len(scores)) != gold if cost is None else cost)
    guess = gold if augmented[gold] == augmented.max() else int(np.argmax(augmented))
    residual = np.zeros(len(scores))
    residual[guess] += 1.0
    residual[gold] -= 1.0
    return float(augmented[guess] - scores[gold]), residual


def multiclass_perceptron(scores: FloatArray, gold: int) -> tuple[float, FloatArray]:
    """Multiclass hinge without any cost.

    Examples
    --------
    >>> multiclass_perceptron(np.array([0.5, 2.0]), 0)
    (1.5, array([-1.,  1.]))
    """
    return multiclass_hinge(scores, gold, np.zeros(len(scores)))


def multiclass_log(scores: FloatArray, gold: int) -> tuple[float, FloatArray]:
    """Negative log-likelihood and residual p - 1[gold].

    Examples
    --------
    >>> value, residual = multiclass_log(np.zeros(2), 0)
    >>> round(value, 6), residual
    (0.693147, array([-0.5,  0.5]))
    """
    residual = softmax(scores)
    residual[gold] -= 1.0
    return float(log_sum_exp(scores) - scores[gold]), residual


def joint_log(scores: FloatArray, gold: int) -> tuple[float, FloatArray]:
    """Negative joint log-likelihood of a generative model whose scores are ln p(x, k).

    Examples
    --------
    >>> joint_log(np.array([-2.0, -3.0]), 1)
    (3.0, array([ 0., -1.]))
    """
    residual = np.zeros(len(scores))
    residual[gold] = -1.0
    return float(-scores[gold]), residual
