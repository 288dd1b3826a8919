"""The averaged perceptron (S0 Section 1.4.1, Alg. 2, Exercise 1.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.learn import perceptron
from linnet.lecture.linear_classifier import LinearClassifier, class_labels

__all__ = ["Perceptron"]


class Perceptron(LinearClassifier):
    """w += f(x, y) - f(x, guess) after each wrong guess, examples shuffled each round.

    Parameters
    ----------
    nr_rounds : int
        Passes over the data.
    averaged : bool
        Return the mean of the weights after each step rather than the last weights (SPEC A-16).
    seed : int
        Of the shuffling.

    Attributes
    ----------
    params_per_round : list of arrays of shape (J + 1, K)
        The last weights of each round, before averaging: the "intermediate weight vectors".

    Examples
    --------
    >>> perc = Perceptron(nr_rounds=5)
    >>> params = perc.train([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    >>> perc.test([[-3.0], [3.0]], params).tolist()
    [0, 1]
    """

    params_per_round: list[NDArray[np.float64]]

    def __init__(self, nr_rounds: int = 10, averaged: bool = True, seed: int = 0) -> None:
        self.nr_rounds = nr_rounds
        self.averaged = averaged
        self.seed = seed

    def train(self, x: Any, y: ArrayLike) -> NDArray[np.float64]:
        """Return the parameters, shape (J + 1, K)."""
        gold, n_classes = class_labels(y)
        # A tie goes to label 0 in the lecture's argmax and to the second class of linnet's single
        # score, so label 0 is made the second class.
        model = perceptron.Perceptron(
            max_iter=self.nr_rounds,
            average=self.averaged,
            tie="sign",
            stop_when_clean=False,
            snapshot_every=1,
            random_state=self.seed,
        ).fit(x, 1 - gold if n_classes == 2 else gold)
        self.params_per_round = [_columns(s.last_coef, s.last_intercept) for s in model.snapshots_]
        self.trained = True
        return _columns(model.coef_, model.intercept_)


def _columns(coef: NDArray[np.float64], intercept: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return parameters; each update of two classes adds to one column what the other loses."""
    weights = np.vstack([intercept, coef.T])
    return np.hstack([weights, -weights]) if weights.shape[1] == 1 else weights
