"""The dual perceptron with a kernel (M-39, M-40, M-41).

Given
    the Gram matrix K (M, M) of the examples and their labels;
problem
    find alpha with the signs of sum_i alpha_i y_i K(i, k) + b right for every k;
rule
    alpha = 0, b = 0; for example k: if y_k (sum_i alpha_i y_i K(i, k) + b) <= 0
    then alpha_k += 1 and b += y_k (S1 "Dual Perceptron training", index corrected by A-29).

alpha_k counts the mistakes on example k (A-30). Several classes have a column of signed
coefficients each. The average is over the coefficients after every step (M-34), stored literally.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linnet.reference.common import FloatArray, IntArray, Orders, check_binary, rounds

__all__ = ["DualResult", "binary", "multiclass"]


@dataclass(frozen=True)
class DualResult:
    """Coefficients y alpha (M,) or (M, K), intercept, their averages, and mistakes a round."""

    dual: FloatArray
    intercept: FloatArray
    mean_dual: FloatArray
    mean_intercept: FloatArray
    mistakes: tuple[int, ...]


def binary(
    gram: FloatArray, y: IntArray, *, n_rounds: int = 10, orders: Orders = None
) -> DualResult:
    """Train on labels +1 and -1; stops after a round without mistake.

    Examples
    --------
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> binary((X @ X.T) ** 2, np.array([1, -1, -1, 1])).dual
    array([ 1., -1.,  0.,  0.])
    """
    sign = check_binary(gram, y)

    def correction(beta: FloatArray, b: FloatArray, k: int) -> FloatArray | None:
        return np.array(sign[k]) if sign[k] * (beta @ gram[:, k] + b) <= 0 else None

    return _run(correction, np.zeros(len(gram)), np.zeros(()), n_rounds, orders)


def _run(
    correction: Callable[[FloatArray, FloatArray, int], FloatArray | None],
    beta: FloatArray,
    b: FloatArray,
    n_rounds: int,
    orders: Orders,
) -> DualResult:
    """Add each correction to its example's beta and to b, until a round needs none."""
    betas, intercepts, mistakes = list[FloatArray](), list[FloatArray](), list[int]()
    for order in rounds(len(beta), n_rounds, orders):
        mistakes.append(0)
        for k in order:
            change = correction(beta, b, int(k))
            if change is not None:
                beta = beta.copy()
                beta[k] += change
                b = b + change
                mistakes[-1] += 1
            betas.append(beta)
            intercepts.append(b)
        if mistakes[-1] == 0:
            break
    mean_b = np.array(np.mean(intercepts, axis=0))
    return DualResult(beta, np.array(b), np.mean(betas, axis=0), mean_b, tuple(mistakes))


def multiclass(
    gram: FloatArray, y: IntArray, n_classes: int, *, n_rounds: int = 10, orders: Orders = None
) -> DualResult:
    """Train on class indices 0..K-1: the gold class gains, a wrong guess loses.

    Examples
    --------
    >>> multiclass(np.eye(3), np.array([0, 1, 2]), 3, n_rounds=1).mistakes
    (2,)
    """

    def correction(beta: FloatArray, b: FloatArray, k: int) -> FloatArray | None:
        guess = int(np.argmax(gram[k] @ beta + b))
        if guess == y[k]:
            return None
        change = np.zeros(n_classes)
        change[y[k]], change[guess] = 1.0, -1.0
        return change

    start = np.zeros((len(gram), n_classes))
    return _run(correction, start, np.zeros(n_classes), n_rounds, orders)
