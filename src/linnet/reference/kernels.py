"""Kernels (M-40): inner products in a feature space that need not be built.

    linear      x·z
    quadratic   (x·z)^2                          S1 Eq. 42
    polynomial  (gamma x·z + r)^d
    gaussian    exp(-gamma |x - z|^2)
    sigmoid     tanh(gamma x·z + r)              not positive semi-definite in general
    subsequence sum over subsequences u of n symbols and their occurrences i in s and j in t
                of decay^(extent of i + extent of j)      Lodhi et al. 2002

Given two sets of rows (or two strings), returned is the matrix of all values (or the value).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations

import numpy as np

from linnet.reference.common import FloatArray

__all__ = ["gaussian", "linear", "polynomial", "quadratic", "sigmoid", "subsequence"]


def linear(X: FloatArray, Z: FloatArray) -> FloatArray:
    """Return x·z for all pairs of rows.

    Examples
    --------
    >>> linear(np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]]))
    array([[1.]])
    """
    return X @ Z.T


def polynomial(
    X: FloatArray, Z: FloatArray, degree: int, gamma: float = 1.0, coef0: float = 0.0
) -> FloatArray:
    """Return (gamma x·z + coef0)^degree.

    Examples
    --------
    >>> polynomial(np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]]), 3, coef0=1.0)
    array([[8.]])
    """
    return np.asarray((gamma * linear(X, Z) + coef0) ** degree)


def quadratic(X: FloatArray, Z: FloatArray) -> FloatArray:
    """Return (x·z)^2.

    Examples
    --------
    >>> quadratic(np.array([[1.0, 2.0]]), np.array([[0.0, -1.0]]))
    array([[4.]])
    """
    return polynomial(X, Z, 2)


def gaussian(X: FloatArray, Z: FloatArray, gamma: float) -> FloatArray:
    """Return exp(-gamma |x - z|^2), with the differences written out.

    Examples
    --------
    >>> gaussian(np.array([[0.0]]), np.array([[0.0], [2.0]]), 0.25).round(4)
    array([[1.    , 0.3679]])
    """
    squares = ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)
    return np.asarray(np.exp(-gamma * squares))


def sigmoid(X: FloatArray, Z: FloatArray, gamma: float, coef0: float = 0.0) -> FloatArray:
    """Return tanh(gamma x·z + coef0).

    Examples
    --------
    >>> sigmoid(np.array([[1.0]]), np.array([[0.0]]), 2.0)
    array([[0.]])
    """
    return np.asarray(np.tanh(gamma * linear(X, Z) + coef0))


def subsequence(s: Sequence[Hashable], t: Sequence[Hashable], length: int, decay: float) -> float:
    """Return the gap-weighted subsequence kernel by listing every occurrence.

    Examples
    --------
    >>> subsequence("cat", "car", 2, 0.5)
    0.0625
    """
    total = 0.0
    for i in combinations(range(len(s)), length):
        for j in combinations(range(len(t)), length):
            if [s[a] for a in i] == [t[b] for b in j]:
                total += decay ** (i[-1] - i[0] + 1 + j[-1] - j[0] + 1)
    return total
