r"""MIRA, the margin infused relaxed algorithm (M-47..M-49).

Problem, at each example (S0 Eq. 1.23-1.25, with the cap C = 1/lambda)
    min_{w, xi >= 0}  1/2 ||w - w_t||^2 + C xi
    s.t.              w.f(x, gold) >= w.f(x, guess) + rho(guess, gold) - xi
Given
    X (M, J), y, the cap C, a cost matrix rho[guess, gold] with zero diagonal.
Returned
    W (J, K), or w (J,) for two classes; by default the mean of the vectors after each step.

Closed form (S0 Alg. 3): with Delta = f(x, gold) - f(x, guess), ||Delta||^2 = 2 ||x||^2,
    loss = w.f(x, guess) - w.f(x, gold) + rho(guess, gold)
    "pa1"  eta = min(C, loss / ||Delta||^2)        MIRA, passive-aggressive I
    "pa"   eta = loss / ||Delta||^2                no cap
    "pa2"  eta = loss / (||Delta||^2 + 1/(2C))
    w <- w + eta Delta
`decode="predicted"` takes guess = argmax w.f(x, k) (S0); "augmented" adds rho(k, gold) to the
scores first. Nothing changes when guess = gold or ||x|| = 0 (A-62).

Two classes run on the one vector w = w_1 - w_0: a step of the joint map moves it by 2 eta y x, and
a score of 0 guesses class 0, the lowest index (F-02).
"""

from __future__ import annotations

from typing import Literal, Unpack

import numpy as np

from linnet.errors import ParameterError
from linnet.reference.common import FloatArray, IntArray, check_binary, check_classes
from linnet.reference.online import AVERAGED, Correction, OnlineResult, Rounds, pushed, run

__all__ = ["Decode", "Variant", "binary", "check_cost", "multiclass", "step_size", "zero_one_cost"]

Variant = Literal["pa", "pa1", "pa2"]
Decode = Literal["predicted", "augmented"]


def zero_one_cost(n_classes: int) -> FloatArray:
    """Cost 1 for every wrong guess (S0 Eq. 1.26).

    Examples
    --------
    >>> zero_one_cost(2)
    array([[0., 1.],
           [1., 0.]])
    """
    return 1.0 - np.eye(n_classes)


def check_cost(cost: FloatArray | None, n_classes: int) -> FloatArray:
    """Return the K x K cost matrix, 0/1 by default; refuse an illegal one (M-48)."""
    if cost is None:
        return zero_one_cost(n_classes)
    if cost.shape != (n_classes, n_classes) or (cost < 0).any() or np.diag(cost).any():
        raise ParameterError(
            f"cost must be a {n_classes} x {n_classes} matrix, non-negative, with a zero diagonal"
        )
    return cost


def step_size(loss: float, squared_norm: float, C: float, variant: Variant = "pa1") -> float:
    """Length of the step along Delta, whose squared norm is given.

    Examples
    --------
    >>> step_size(1.0, 10.0, C=1.0), step_size(1.0, 10.0, C=0.05)
    (0.1, 0.05)
    """
    match variant:
        case "pa":
            return loss / squared_norm
        case "pa1":
            return min(C, loss / squared_norm)
        case "pa2":
            return loss / (squared_norm + 1 / (2 * C))
    raise ParameterError(f"variant={variant!r}: use 'pa', 'pa1' or 'pa2'")


def multiclass(
    X: FloatArray,
    y: IntArray,
    n_classes: int,
    *,
    C: float = 1.0,
    cost: FloatArray | None = None,
    variant: Variant = "pa1",
    decode: Decode = "predicted",
    **how: Unpack[Rounds],
) -> OnlineResult:
    """Train on class indices 0..K-1, by default for ten rounds, all weights averaged.

    Examples
    --------
    >>> multiclass(np.array([[1.0, 2.0]]), np.array([1]), 2, n_rounds=1).last
    array([[-0.1,  0.1],
           [-0.2,  0.2]])
    """
    check_classes(X, y, n_classes)
    rho = check_cost(cost, n_classes)

    def rule(W: FloatArray, i: int) -> Correction | None:
        scores, gold = X[i] @ W, int(y[i])
        guess = int(np.argmax(scores + rho[:, gold] if decode == "augmented" else scores))
        loss = float(scores[guess] - scores[gold] + rho[guess, gold])
        squared_norm = 2.0 * float(X[i] @ X[i])
        if guess == gold or loss <= 0 or squared_norm == 0:
            return None
        eta = step_size(loss, squared_norm, C, variant)
        return Correction(pushed(W, X[i], gold, guess, eta), scores, guess, eta)

    return run(rule, np.zeros((X.shape[1], n_classes)), len(X), **(AVERAGED | how))


def binary(
    X: FloatArray,
    y: FloatArray | IntArray,
    *,
    C: float = 1.0,
    cost: FloatArray | None = None,
    variant: Variant = "pa1",
    decode: Decode = "predicted",
    **how: Unpack[Rounds],
) -> OnlineResult:
    """Train on labels +1 (class 1) and -1 (class 0), on the single vector w_1 - w_0.

    Examples
    --------
    >>> binary(np.array([[1.0, 2.0]]), np.array([1]), n_rounds=1).last
    array([0.2, 0.4])
    """
    sign = check_binary(X, y)
    rho = check_cost(cost, 2)

    def rule(w: FloatArray, i: int) -> Correction | None:
        score = float(w @ X[i])
        gold = int(sign[i] > 0)
        loss = float(rho[1 - gold, gold] - sign[i] * score)
        wrong = loss > 0 if decode == "augmented" else (score > 0) != (gold == 1)
        squared_norm = 2.0 * float(X[i] @ X[i])
        if not wrong or loss <= 0 or squared_norm == 0:
            return None
        eta = step_size(loss, squared_norm, C, variant)
        change = 2.0 * eta * sign[i] * X[i]
        return Correction(w + change, np.array([score]), 1 - 2 * gold, eta)

    return run(rule, np.zeros(X.shape[1]), len(X), **(AVERAGED | how))
