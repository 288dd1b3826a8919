"""What the naive Bayes classifiers of the lab share: a prior for each class (S0 Section 1.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.lecture.linear_classifier import LinearClassifier

__all__ = ["NaiveBayes"]


class NaiveBayes(LinearClassifier):
    """Base of :class:`GaussianNaiveBayes` and :class:`MultinomialNaiveBayes`.

    Attributes
    ----------
    prior : array of shape (K,)
        Relative frequencies of the labels, known after ``train``.
    """

    prior: NDArray[np.float64]
