"""Multinomial naive Bayes for documents (S0 Section 1.2.2, Exercise 1.2)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.learn.naive_bayes import MultinomialNB
from linnet.lecture.linear_classifier import class_labels
from linnet.lecture.naive_bayes import NaiveBayes

__all__ = ["MultinomialNaiveBayes"]


class MultinomialNaiveBayes(NaiveBayes):
    """Estimate a distribution over the words for each class.

    Parameters
    ----------
    smoothing : float
        Added to every count: 0 is maximum likelihood (part 2 of the exercise), 1 its part 3.
    normalizer : {"tokens", "documents"}
        What counts are divided by: the number of words in the class, which makes a distribution,
        or the number of its documents, as the lecture prints it (SPEC A-01, A-02).

    Attributes
    ----------
    likelihood : array of shape (J, K)
        Probability of each word in each class.
    prior : array of shape (K,)

    Examples
    --------
    >>> mnb = MultinomialNaiveBayes(smoothing=1.0)
    >>> params = mnb.train([[2, 0], [0, 1]], [0, 1])
    >>> mnb.likelihood.round(3).tolist(), mnb.test([[1, 0], [0, 1]], params).tolist()
    ([[0.75, 0.333], [0.25, 0.667]], [0, 1])
    """

    likelihood: NDArray[np.float64]

    def __init__(
        self, smoothing: float = 0.0, normalizer: Literal["tokens", "documents"] = "tokens"
    ) -> None:
        self.smoothing = smoothing
        self.normalizer = normalizer

    def train(self, x: Any, y: ArrayLike) -> NDArray[np.float64]:
        """Return b_y = ln prior_y and w_yj = ln likelihood_jy (S0 Eq. 1.20); -inf is legal."""
        gold, _ = class_labels(y)
        model = MultinomialNB(alpha=self.smoothing, normalizer=self.normalizer).fit(x, gold)
        self.prior = np.exp(model.class_log_prior_)
        self.likelihood = np.exp(model.feature_log_prob_).T
        self.trained = True
        return np.vstack([model.class_log_prior_, model.feature_log_prob_.T])
