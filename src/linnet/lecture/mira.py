"""MIRA, the margin infused relaxed algorithm (S0 Section 1.4.2, Alg. 3, Exercise 1.5)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import ParameterError
from linnet.explain.boundaries import linear_parameters
from linnet.learn.mira import MIRA
from linnet.lecture.linear_classifier import LinearClassifier, class_labels

__all__ = ["Mira"]


class Mira(LinearClassifier):
    """After each wrong guess, the smallest change that gains a margin, up to 1/regularizer.

    Parameters
    ----------
    nr_rounds : int
        Passes over the data, shuffled each time.
    regularizer : float
        The lecture's lambda: steps are at most 1/lambda long.
    averaged : bool
        Return the mean of the weights after each step rather than the last weights.
    seed : int
        Of the shuffling.

    Examples
    --------
    >>> mira = Mira(regularizer=1.0)
    >>> params = mira.train([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    >>> mira.test([[-3.0], [3.0]], params).tolist()
    [0, 1]
    """

    def __init__(
        self, nr_rounds: int = 10, regularizer: float = 1.0, averaged: bool = True, seed: int = 0
    ) -> None:
        self.nr_rounds = nr_rounds
        self.regularizer = regularizer
        self.averaged = averaged
        self.seed = seed

    def train(self, x: Any, y: ArrayLike) -> NDArray[np.float64]:
        """Return the parameters, shape (J + 1, K)."""
        if not self.regularizer > 0:
            raise ParameterError(f"regularizer must be positive, got {self.regularizer}.")
        gold, _ = class_labels(y)
        model = MIRA(
            C=1.0 / self.regularizer,
            max_iter=self.nr_rounds,
            average=self.averaged,
            stop_when_clean=False,
            random_state=self.seed,
        ).fit(x, gold)
        self.trained = True
        return linear_parameters(model)
