r"""AdaGrad: a rate of its own for each weight (Duchi, Hazan and Singer 2011).

Problem
    min sum_i -ln p(y_i | x_i), p by a linear model, one example at a time and each only once.
Given
    X (M, J) in the order of the examples, y in 0..K-1, a rate.
Returned
    W (J, R) and b (R,) after the last example, and the scores (M, R) that each one was met with,
    before its own step; R = 1 for two classes, else K.

Step, with g the gradient of the loss of the example at hand:
    G <- G + g^2,   w <- w - rate g / (sqrt(G) + tiny),   each weight by itself

The intercept is the weight of one more feature that is always 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linnet.reference.common import FloatArray, IntArray

__all__ = ["AdaGradResult", "adagrad"]

TINY = 1e-10  # a weight whose gradients are all 0 stays where it is


@dataclass(frozen=True)
class AdaGradResult:
    """Last weights and intercepts, and the scores of each example before its step."""

    weights: FloatArray
    intercept: FloatArray
    scores: FloatArray


def adagrad(X: FloatArray, y: IntArray, n_classes: int, *, rate: float = 0.3) -> AdaGradResult:
    """Take one step for each example on its log loss.

    Examples
    --------
    >>> result = adagrad(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1, 0]), 2, rate=0.5)
    >>> result.weights[:, 0].round(3).tolist(), result.scores[:, 0].round(3).tolist()
    ([0.5, -0.5], [0.0, 0.5])
    """
    X = np.hstack([X, np.ones((len(X), 1))])
    columns = 1 if n_classes == 2 else n_classes
    W, G = np.zeros((X.shape[1], columns)), np.zeros((X.shape[1], columns))
    met = []
    for x, gold in zip(X, y, strict=True):
        scores = x @ W
        met.append(scores)
        if n_classes == 2:
            residual = 1.0 / (1.0 + np.exp(-scores)) - gold
        else:
            residual = np.exp(scores - np.logaddexp.reduce(scores)) - np.eye(n_classes)[gold]
        gradient = np.outer(x, residual)
        G += gradient**2
        W -= rate * gradient / (np.sqrt(G) + TINY)
    return AdaGradResult(W[:-1], W[-1], np.array(met).reshape(len(y), columns))
