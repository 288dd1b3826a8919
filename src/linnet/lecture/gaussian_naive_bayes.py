"""Gaussian naive Bayes with one known variance (S0 Section 1.2.1, Exercises 1.1 and 1.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.learn.naive_bayes import GaussianNB
from linnet.lecture.linear_classifier import class_labels
from linnet.lecture.naive_bayes import NaiveBayes

__all__ = ["GaussianNaiveBayes"]


class GaussianNaiveBayes(NaiveBayes):
    """Estimate a mean for each class and feature; the variance is given.

    Parameters
    ----------
    variance : float
        The variance of every feature in every class (SPEC A-11).

    Attributes
    ----------
    means : array of shape (K, J)
    prior : array of shape (K,)

    Examples
    --------
    >>> gnb = GaussianNaiveBayes()
    >>> gnb.train([[-1.0, 0.0], [1.0, 0.0]], [0, 1]).round(4).tolist()
    [[-1.1931, -1.1931], [-1.0, 1.0], [0.0, 0.0]]
    """

    means: NDArray[np.float64]

    def __init__(self, variance: float = 1.0) -> None:
        self.variance = variance

    def train(self, x: Any, y: ArrayLike) -> NDArray[np.float64]:
        """Return w_y = means_y / variance and b_y = ln prior_y - ||means_y||^2 / (2 variance)."""
        gold, _ = class_labels(y)
        model = GaussianNB(variance=self.variance).fit(x, gold)
        self.means, self.prior = model.theta_, np.exp(model.class_log_prior_)
        self.trained = True
        bias = model.class_log_prior_ - (self.means**2).sum(axis=1) / (2 * self.variance)
        return np.vstack([bias, self.means.T / self.variance])
