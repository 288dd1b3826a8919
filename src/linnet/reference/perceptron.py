"""The perceptron (M-29..M-37, M-42, M-45, M-46).

Problem
    Find w with y_i w.x_i > 0 for every example, one example at a time.
Given
    X (M, J), y in {+1, -1} or 0..K-1, a number of rounds and the order of the examples.
Returned
    w (J,) or W (J, K), plain or averaged, with the mistakes of each round.

Binary (S1 "Fixed increment online perceptron", S2, S3, S4 slides 29-36): start from w = 0; when
example i is wrong, w <- w + eta y_i x_i. What counts as wrong:

    tie="nonpositive"   y s <= margin                              M-29, M-37
    tie="sign"          sign(s) != y, with sign(0) = +1            M-30 (margin > 0: as above)
    tie="strict"        y s < margin                               S4 slides 35-36, A-19

Several classes (S0 Alg. 2, S2 Alg. 1): guess = argmax_k w_k.x, lowest index on ties; when the
guess is wrong, w_gold <- w_gold + eta x and w_guess <- w_guess - eta x. With margin > 0 the best
*other* class is corrected whenever gold - other <= margin.
"""

from __future__ import annotations

from typing import Literal, Unpack

import numpy as np

from linnet.errors import ParameterError
from linnet.reference.common import (
    FloatArray,
    IntArray,
    Orders,
    check_binary,
    check_classes,
    example_sequence,
)
from linnet.reference.online import UNTIL_CLEAN, Correction, OnlineResult, Rounds, pushed, run

__all__ = [
    "Tie",
    "binary",
    "efficient_average",
    "is_mistake",
    "multiclass",
    "predict",
    "truncate",
    "wrong_guess",
]

Tie = Literal["nonpositive", "sign", "strict"]


def truncate(w: FloatArray, c: float) -> FloatArray:
    """Shrink every weight towards 0 by c; below c in size it becomes 0 (M-45, F-10).

    Examples
    --------
    >>> truncate(np.array([0.05, 0.5, -0.5]), 0.25)
    array([ 0.  ,  0.25, -0.25])
    """
    return np.where(np.abs(w) < c, 0.0, w - np.sign(w) * c)


def is_mistake(y: float, score: float, tie: Tie, margin: float) -> bool:
    """Say whether the binary perceptron must correct an example with this score.

    Examples
    --------
    >>> [is_mistake(+1.0, 0.0, tie, 0.0) for tie in ("nonpositive", "sign", "strict")]
    [True, False, False]
    """
    if tie == "strict":
        return y * score < margin
    if tie == "nonpositive" or margin > 0:
        return y * score <= margin
    if tie == "sign":
        return (1.0 if score >= 0 else -1.0) != y
    raise ParameterError(f"tie={tie!r}: use 'nonpositive', 'sign' or 'strict'")


def wrong_guess(scores: FloatArray, gold: int, margin: float) -> int | None:
    """Class that the multiclass perceptron must push down, or None when gold is far enough ahead.

    Examples
    --------
    >>> wrong_guess(np.array([1.0, 2.0]), 1, 0.0), wrong_guess(np.array([1.0, 2.0]), 1, 1.0)
    (None, 0)
    """
    if margin <= 0:
        guess = int(np.argmax(scores))
        return None if guess == gold else guess
    rival = int(np.argmax(np.where(np.arange(len(scores)) == gold, -np.inf, scores)))
    return rival if scores[gold] - scores[rival] <= margin else None


def binary(
    X: FloatArray,
    y: FloatArray | IntArray,
    *,
    tie: Tie = "nonpositive",
    margin: float = 0.0,
    eta: float = 1.0,
    truncation: float = 0.0,
    truncate_last: bool = True,
    **how: Unpack[Rounds],
) -> OnlineResult:
    """Train on labels +1 and -1, by default for ten rounds at most and until one is clean.

    `truncation` is M-45's c, applied to the old weights at each update just before the addition;
    `truncate_last=False` spares the last weight, for a bias that is kept apart (A-26).

    Examples
    --------
    >>> binary(np.array([[2.0, 1.0], [-1.0, 1.0]]), np.array([1, -1])).weights
    array([2., 1.])
    """
    sign = check_binary(X, y)

    def rule(w: FloatArray, i: int) -> Correction | None:
        score = float(w @ X[i])
        if not is_mistake(sign[i], score, tie, margin):
            return None
        kept = truncate(w, truncation) if truncation > 0 else w.copy()
        if not truncate_last:
            kept[-1] = w[-1]
        guess = 1 if score >= 0 else -1
        return Correction(kept + eta * sign[i] * X[i], np.array([score]), guess, eta)

    return run(rule, np.zeros(X.shape[1]), len(X), **(UNTIL_CLEAN | how))


def multiclass(
    X: FloatArray,
    y: IntArray,
    n_classes: int,
    *,
    margin: float = 0.0,
    eta: float = 1.0,
    **how: Unpack[Rounds],
) -> OnlineResult:
    """Train on class indices 0..K-1 (M-32), by default as long as :func:`binary`.

    Examples
    --------
    >>> multiclass(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1]), 2).weights
    array([[ 0.,  0.],
           [-1.,  1.]])
    """
    check_classes(X, y, n_classes)

    def rule(W: FloatArray, i: int) -> Correction | None:
        scores, gold = X[i] @ W, int(y[i])
        guess = wrong_guess(scores, gold, margin)
        if guess is None:
            return None
        return Correction(pushed(W, X[i], gold, guess, eta), scores, guess, eta)

    return run(rule, np.zeros((X.shape[1], n_classes)), len(X), **(UNTIL_CLEAN | how))


def efficient_average(
    X: FloatArray, y: FloatArray | IntArray, *, n_rounds: int, orders: Orders = None
) -> FloatArray:
    """Average by the counter trick of S1 and S3, line by line (M-35, rule y s <= 0).

    The counter c starts at 1 and grows with every example; at an update w_a receives c y x. The
    result w - w_a/c is n/(n+1) times average B (A-14).

    Examples
    --------
    >>> efficient_average(np.array([[2.0], [-4.0]]), np.array([1, -1]), n_rounds=1)
    array([1.33333333])
    """
    sign = check_binary(X, y)
    w, w_a, c = np.zeros(X.shape[1]), np.zeros(X.shape[1]), 1
    for i in example_sequence(len(X), n_rounds, orders):
        if sign[i] * (w @ X[i]) <= 0:
            w += sign[i] * X[i]
            w_a += c * sign[i] * X[i]
        c += 1
    return w - w_a / c


def predict(X: FloatArray, w: FloatArray) -> IntArray:
    """Label the rows of X: +1 or -1 for w (J,), 0 going to +1; a class index for W (J, K).

    Examples
    --------
    >>> predict(np.array([[1.0], [-1.0]]), np.array([2.0]))
    array([ 1, -1])
    """
    scores = X @ w
    return np.where(scores >= 0, 1, -1) if w.ndim == 1 else np.argmax(scores, axis=1)
