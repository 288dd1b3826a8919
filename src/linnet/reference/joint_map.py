r"""The joint feature map f(x, y), and learners over any such map (M-25, C-08).

Problem
    guess(x) = argmax_k w.f(x, k), with one vector w (D,) for all classes    S0 Eq. 1.15-1.19
Given
    F (M, K, D): F[i, k] = f(x_i, k), any features that look at x and k together; y in 0..K-1.
Returned
    w (D,).

The usual map puts g(x) in the slot of the class, f(x, k) = e_k (x) g(x), D = J K: then
w.f(x, k) = w_k.g(x) and ||f(x, k) - f(x, k')||^2 = 2 ||g(x)||^2, and the learners here make the
same steps as the perceptron, MIRA and MaxEnt with one vector a class.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np

from linnet.reference.common import FloatArray, IntArray
from linnet.reference.losses import log_sum_exp, softmax
from linnet.reference.mira import Decode, Variant, check_cost, step_size
from linnet.reference.online import (
    AVERAGED,
    UNTIL_CLEAN,
    Correction,
    OnlineResult,
    Rounds,
    run,
)
from linnet.reference.optimum import Function

__all__ = ["columns", "features", "flatten", "maxent", "mira", "perceptron"]


def features(X: FloatArray, n_classes: int) -> FloatArray:
    """f(x, k) = e_k (x) g(x): slot k holds the row of X, (M, K, K J).

    Examples
    --------
    >>> features(np.array([[5.0, 7.0]]), 2)
    array([[[5., 7., 0., 0.],
            [0., 0., 5., 7.]]])
    """
    return np.stack([np.kron(np.eye(n_classes), x) for x in X])


def flatten(W: FloatArray) -> FloatArray:
    """One vector from one column a class: (J, K) to (K J,).

    Examples
    --------
    >>> flatten(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([1., 3., 2., 4.])
    """
    return W.T.ravel()


def columns(w: FloatArray, n_classes: int) -> FloatArray:
    """Inverse of `flatten`: (K J,) to (J, K).

    Examples
    --------
    >>> columns(np.array([1.0, 3.0, 2.0, 4.0]), 2)
    array([[1., 2.],
           [3., 4.]])
    """
    return w.reshape(n_classes, -1).T


def perceptron(
    F: FloatArray,
    y: IntArray,
    **how: Unpack[Rounds],
) -> OnlineResult:
    """S1's generic perceptron: w <- w + f(x, gold) - f(x, guess).

    Examples
    --------
    >>> perceptron(np.array([[[1.0, 0.0], [0.0, 2.0]]]), np.array([1])).weights
    array([-1.,  2.])
    """

    def rule(w: FloatArray, i: int) -> Correction | None:
        scores, gold = F[i] @ w, int(y[i])
        guess = int(np.argmax(scores))
        if guess == gold:
            return None
        return Correction(w + F[i, gold] - F[i, guess], scores, guess, 1.0)

    return run(rule, np.zeros(F.shape[2]), len(F), **(UNTIL_CLEAN | how))


def mira(
    F: FloatArray,
    y: IntArray,
    *,
    C: float = 1.0,
    cost: FloatArray | None = None,
    variant: Variant = "pa1",
    decode: Decode = "predicted",
    **how: Unpack[Rounds],
) -> OnlineResult:
    """MIRA with the true norm of f(x, gold) - f(x, guess) (S0 Alg. 3).

    Examples
    --------
    >>> mira(np.array([[[1.0, 0.0], [0.0, 2.0]]]), np.array([1]), n_rounds=1).last
    array([-0.2,  0.4])
    """
    rho = check_cost(cost, F.shape[1])

    def rule(w: FloatArray, i: int) -> Correction | None:
        scores, gold = F[i] @ w, int(y[i])
        guess = int(np.argmax(scores + rho[:, gold] if decode == "augmented" else scores))
        change = F[i, gold] - F[i, guess]
        loss = float(scores[guess] - scores[gold] + rho[guess, gold])
        if guess == gold or loss <= 0 or not change.any():
            return None
        eta = step_size(loss, float(change @ change), C, variant)
        return Correction(w + eta * change, scores, guess, eta)

    return run(rule, np.zeros(F.shape[2]), len(F), **(AVERAGED | how))


def maxent(F: FloatArray, y: IntArray, lam: float = 1.0) -> Function:
    """S0 Eq. 1.31 and 1.32: mean loss plus lambda/2 ||w||^2, with its gradient.

    Examples
    --------
    >>> value, gradient = maxent(np.array([[[1.0], [0.0]]]), np.array([0]))(np.zeros(1))
    >>> round(value, 6), gradient
    (0.693147, array([-0.5]))
    """
    gold = F[np.arange(len(y)), y]

    def objective(w: FloatArray) -> tuple[float, FloatArray]:
        scores = F @ w
        loss = float((log_sum_exp(scores) - gold @ w).mean())
        model = np.einsum("mk,mkd->d", softmax(scores), F) / len(F)
        return loss + 0.5 * lam * float(w @ w), model - gold.mean(axis=0) + lam * w

    return objective
