r"""Bayes decision theory (M-01 to M-06).

Problem
    Of A actions take the one of least expected loss, when P(k | x) is known.
Given
    Posteriors (K,), losses (A, K): loss[a][k] is the cost of action a in class k.
Returned
    Conditional risks (A,), an action, or the risk of a rule.

    R(a | x) = sum_k loss[a][k] P(k | x)                          S1 "Loss function and risk"
    zero-one loss:  R(k | x) = 1 - P(k | x)                       S1 Eq. 3-6
    a rule that takes a with probability q_a costs sum_a q_a R(a | x) >= min_a R(a | x)

The last inequality holds because an average is never below the least of its terms; it is an
equality only when all of q is on actions of least risk. So chance never helps.
"""

from __future__ import annotations

import numpy as np

from linnet.errors import DataError
from linnet.reference.common import FloatArray

__all__ = ["bayes_action", "posterior", "randomised_risk", "risks", "zero_one"]


def posterior(likelihood: FloatArray, prior: FloatArray) -> FloatArray:
    """Return P(k | x) = p(x | k) P(k) / sum_j p(x | j) P(j).

    Examples
    --------
    >>> posterior(np.array([0.5, 0.25]), np.array([0.2, 0.8])).round(6)
    array([0.333333, 0.666667])
    """
    joint = likelihood * prior
    if joint.sum() <= 0:
        raise DataError("x has probability 0 under every class: it has no posterior")
    answer: FloatArray = joint / joint.sum()
    return answer


def zero_one(n_classes: int) -> FloatArray:
    """Return the loss that is 0 for the right class and 1 for any other."""
    return 1.0 - np.eye(n_classes)


def risks(loss: FloatArray, p: FloatArray) -> FloatArray:
    """Return R(a | x) for each action, term by term.

    Examples
    --------
    >>> risks(np.array([[0, 10], [1, 0], [0.5, 0.5]]), np.array([0.7, 0.3]))
    array([3. , 0.7, 0.5])
    """
    answer = np.zeros(len(loss))
    for a, row in enumerate(loss):
        for k, cost in enumerate(row):
            answer[a] += cost * p[k]
    return answer


def bayes_action(loss: FloatArray, p: FloatArray) -> int:
    """Return the action of least risk, the lowest index on ties.

    Examples
    --------
    >>> bayes_action(np.array([[0, 10], [1, 0], [0.5, 0.5]]), np.array([0.7, 0.3]))
    2
    """
    return int(np.argmin(risks(loss, p)))


def randomised_risk(loss: FloatArray, p: FloatArray, q: FloatArray) -> float:
    """Return the risk of taking action a with probability q[a] (M-04).

    Examples
    --------
    >>> p = np.array([0.7, 0.3])
    >>> round(randomised_risk(zero_one(2), p, p), 6)
    0.42
    """
    return float(sum(q[a] * risk for a, risk in enumerate(risks(loss, p))))
