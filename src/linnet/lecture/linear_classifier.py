"""A linear classifier in S0's style: ``train``, ``test``, ``evaluate`` (S0 Section 1.3).

Given parameters W of shape (J + 1, K), row 0 the bias, an input g(x) gets the label

    argmax_k  W_0k + sum_j g_j(x) W_jk                                       S0 Eq. 1.18, 1.19
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError
from linnet.evaluate.metrics import accuracy
from linnet.learn.inputs import check_structure

__all__ = ["LinearClassifier", "class_labels"]

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


class LinearClassifier(ABC):
    """What all classifiers of the lab share.

    Attributes
    ----------
    trained : bool
        Whether ``train`` has been called.
    """

    trained: bool = False

    @abstractmethod
    def train(self, x: Any, y: ArrayLike) -> Array:
        """Return parameters (J + 1, K) learnt from inputs x (M, J) and labels y in 0..K-1."""

    def get_scores(self, x: Any, params: Array) -> Array:
        """Return the scores, shape (M, K), of inputs x (M, J).

        A parameter of -inf, the logarithm of an unseen word's probability, makes the score -inf
        where its feature is not 0 and changes nothing elsewhere.
        """
        if sp.issparse(x):
            check_structure(x)
        inputs = sp.csr_matrix(x) if sp.issparse(x) else np.asarray(x, dtype=np.float64)
        if inputs.ndim != 2 or inputs.shape[1] + 1 != len(params):
            raise DataError(
                f"x has shape {inputs.shape}, but the parameters are for {len(params) - 1} "
                "features."
            )
        impossible = np.isneginf(params[1:])
        scores = params[0] + inputs @ np.where(impossible, 0.0, params[1:])
        if impossible.any():
            scores[(inputs != 0).astype(np.float64) @ impossible > 0] = -np.inf
        return np.asarray(scores)

    def test(self, x: Any, params: Array) -> Labels:
        """Return the label of largest score for each input; ties go to the lowest label."""
        return np.asarray(self.get_scores(x, params).argmax(axis=1))

    def evaluate(self, truth: ArrayLike, predicted: ArrayLike) -> float:
        """Return the accuracy, the share of labels predicted right."""
        return accuracy(np.ravel(truth), np.ravel(predicted))


def class_labels(y: ArrayLike) -> tuple[Labels, int]:
    """Return the labels as a flat array and their number K; every one of 0..K-1 must occur.

    Examples
    --------
    >>> class_labels([[0], [2], [1]])
    (array([0, 2, 1]), 3)
    """
    labels = np.ravel(y)
    found = np.unique(labels)
    if len(found) < 2 or not np.array_equal(found, np.arange(len(found))):
        raise DataError(f"The lab's labels are 0..K-1 with at least two of them, found {found}.")
    return labels.astype(np.int64), len(found)
