"""The nearest mean.

Problem: argmin over the labels k of |x - mu_k|^2, mu_k being the mean of the examples of k.
Given: X (M, J) and y in 0..K-1. Returned: W (J, K) and b (K,) with the same answer as
argmax of x W + b, since |x|^2 is common to all labels:

    argmin |x - mu|^2 = argmax  mu.x - 1/2 |mu|^2
"""

from __future__ import annotations

import numpy as np

from linnet.reference.common import FloatArray, IntArray

__all__ = ["nearest_mean"]


def nearest_mean(X: FloatArray, y: IntArray, n_classes: int) -> tuple[FloatArray, FloatArray]:
    """Return W (J, K) and b (K,) from X (M, J) and y in 0..K-1.

    Examples
    --------
    >>> W, b = nearest_mean(np.array([[0.0], [2.0], [4.0]]), np.array([0, 1, 1]), 2)
    >>> W.tolist(), b.tolist()
    ([[0.0, 3.0]], [-0.0, -4.5])
    """
    means = np.array([X[y == k].mean(axis=0) for k in range(n_classes)])
    return means.T, -0.5 * (means**2).sum(axis=1)
