"""Bias and variance of a learner, from fits to resampled training data (SPEC C-13).

Let h_1, ..., h_R be the answers to x after fits to R training sets of the same size, drawn from
the given one with replacement. The main answer m is the most frequent of them. For gold y and the
zero-one loss (Domingos 2000):

    bias      1[m ≠ y]                 what the learner gets wrong however it is trained
    variance  share of r with h_r ≠ m  how much its answer depends on the training set

Averaged over examples, and with two classes, error = bias + variance where m is right − variance
where m is wrong. A smaller C, smoothing, averaging and early stopping usually lower the variance;
too much of them raises the bias.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError

__all__ = ["Spread", "prediction_spread"]


@dataclass(frozen=True)
class Spread:
    """What resampled training sets do to the answers of a learner.

    Attributes
    ----------
    main : array of shape (n,)
        The most frequent answer to each example; of equally frequent ones the first in order.
    variance : array of shape (n,)
        Share of the fits that answer otherwise.
    bias : array of shape (n,)
        1 where the main answer is wrong, else 0.
    error : array of shape (n,)
        Share of the fits that are wrong.
    """

    main: NDArray[Any]
    variance: NDArray[np.float64]
    bias: NDArray[np.float64]
    error: NDArray[np.float64]

    def __str__(self) -> str:
        return (
            f"error {self.error.mean():.4f}, bias {self.bias.mean():.4f}, "
            f"variance {self.variance.mean():.4f}"
        )


def prediction_spread(
    learner: Any, X: Any, y: Any, X_test: Any, y_test: Any, *, rounds: int = 20, seed: int = 0
) -> Spread:
    """Fit a learner to training sets drawn with replacement, and see how its answers spread.

    Parameters
    ----------
    learner : classifier
        It is cloned, and not changed.
    X, y : array of shape (m, J) or sparse matrix, and m labels
    X_test, y_test : the same kind, n rows
        Examples that are answered by every fit.
    rounds : int
        Number of fits.
    seed : int
        Decides which examples are drawn.

    Examples
    --------
    >>> from linnet import DecisionTree, MaxEnt
    >>> from linnet.data import SimpleDataSet
    >>> data = SimpleDataSet(nr_examples=400)
    >>> parts = data.train_X, data.train_y, data.test_X, data.test_y
    >>> line, tree = (prediction_spread(model, *parts) for model in (MaxEnt(), DecisionTree()))
    >>> bool(line.variance.mean() < tree.variance.mean())
    True
    """
    from sklearn.base import clone

    if rounds < 2:
        raise ParameterError(f"rounds must be at least 2, got {rounds}.")
    labels, gold = np.asarray(y), np.asarray(y_test)
    if X.shape[0] != len(labels) or X_test.shape[0] != len(gold):
        raise DataError("There must be as many labels as examples, in both parts.")
    if not len(labels) or not len(gold):
        raise DataError("Both parts need an example or more.")
    rng = np.random.default_rng(seed)
    answers = []
    for _ in range(rounds):
        drawn = _draw(rng, labels)
        answers.append(clone(learner).fit(X[drawn], labels[drawn]).predict(X_test))
    return _spread(np.array(answers), gold)


def _draw(rng: np.random.Generator, labels: NDArray[Any]) -> NDArray[np.int64]:
    """Draw as many examples as there are, again if that leaves a learner but one label."""
    least = min(2, len(np.unique(labels)))
    while True:
        drawn = rng.integers(len(labels), size=len(labels))
        if len(np.unique(labels[drawn])) >= least:
            return drawn


def _spread(answers: NDArray[Any], gold: NDArray[Any]) -> Spread:
    """Return bias and variance from answers (rounds, n) and gold (n,)."""
    kinds, codes = np.unique(answers, return_inverse=True)
    codes = codes.reshape(answers.shape)
    counts = np.stack([(codes == k).sum(axis=0) for k in range(len(kinds))])
    main = counts.argmax(axis=0)
    return Spread(
        kinds[main],
        1 - counts.max(axis=0) / len(answers),
        (kinds[main] != gold).astype(np.float64),
        (answers != gold).mean(axis=0),
    )
