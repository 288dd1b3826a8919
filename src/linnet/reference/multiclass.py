"""Several classes from binary learners: one-vs-rest and one-vs-one (M-88, M-89).

Problem
    Reduce K classes to two.
Given
    a binary learner, X and y in {+1, -1} -> w (J,), and labels 0..K-1.
Returned
    one-vs-rest: W (J, K), column k trained on "k" against "not k"; the largest score wins.
    one-vs-one: K(K-1)/2 vectors, the pair a < b trained only on its two classes with b positive;
    the most votes win, then the larger sum of scores, then the lowest index.

S1 "Multiclass classification with SVM".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np

from linnet.reference.common import FloatArray, IntArray, check_classes

__all__ = ["BinaryLearner", "one_vs_one", "one_vs_rest", "vote"]

BinaryLearner = Callable[[FloatArray, FloatArray], FloatArray]
Pairs = Mapping[tuple[int, int], FloatArray]


def one_vs_rest(X: FloatArray, y: IntArray, n_classes: int, learner: BinaryLearner) -> FloatArray:
    """Train K models; predict with the argmax of X @ W.

    Examples
    --------
    >>> mean_difference = lambda X, y: X.T @ y
    >>> one_vs_rest(np.array([[1.0], [3.0]]), np.array([0, 1]), 2, mean_difference)
    array([[-2.,  2.]])
    """
    check_classes(X, y, n_classes)
    columns = [learner(X, np.where(y == k, 1.0, -1.0)) for k in range(n_classes)]
    return np.stack(columns, axis=1)


def one_vs_one(
    X: FloatArray, y: IntArray, n_classes: int, learner: BinaryLearner
) -> dict[tuple[int, int], FloatArray]:
    """Train one model for each pair of classes.

    Examples
    --------
    >>> models = one_vs_one(np.eye(3), np.arange(3), 3, lambda X, y: X.T @ y)
    >>> models[0, 2]
    array([-1.,  0.,  1.])
    """
    check_classes(X, y, n_classes)
    models = {}
    for a, b in combinations(range(n_classes), 2):
        rows = (y == a) | (y == b)
        models[a, b] = learner(X[rows], np.where(y[rows] == b, 1.0, -1.0))
    return models


def vote(X: FloatArray, models: Pairs, n_classes: int) -> IntArray:
    """Predict by majority over the pairwise models; a score of 0 votes for the higher index.

    Examples
    --------
    >>> models = one_vs_one(np.eye(3), np.arange(3), 3, lambda X, y: X.T @ y)
    >>> vote(np.eye(3), models, 3)
    array([0, 1, 2])
    """
    votes, sums = np.zeros((len(X), n_classes)), np.zeros((len(X), n_classes))
    for (a, b), w in models.items():
        scores = X @ w
        votes[:, b] += scores >= 0
        votes[:, a] += scores < 0
        sums[:, b] += scores
        sums[:, a] -= scores
    leading = votes == votes.max(axis=1, keepdims=True)
    winners: IntArray = np.argmax(np.where(leading, sums, -np.inf), axis=1)
    return winners
