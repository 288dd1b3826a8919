"""What MaxEnt_online and SVM share: one example a step (S0 Algs. 5 and 6, Remark 1.3)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.lecture.linear_classifier import LinearClassifier
from linnet.lecture.mean_loss import MeanLoss

__all__ = ["StochasticClassifier"]


class StochasticClassifier(LinearClassifier):
    """Minimise regularizer/2 ||w||^2 + (1/M) sum_m loss_m(w), one example a step.

    Parameters
    ----------
    nr_epochs : int
        Passes over the data, shuffled each time.
    initial_step, alpha : float
        Step t has size initial_step * t ** -alpha.
    regularizer : float
        The lecture's lambda.
    seed : int
        Of the shuffling.

    Attributes
    ----------
    objectives : array of shape (nr_epochs,)
        The objective at the end of each epoch.
    """

    _learner: ClassVar[Any]
    objectives: NDArray[np.float64]

    def __init__(
        self,
        nr_epochs: int = 10,
        initial_step: float = 1.0,
        alpha: float = 1.0,
        regularizer: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.nr_epochs = nr_epochs
        self.initial_step = initial_step
        self.alpha = alpha
        self.regularizer = regularizer
        self.seed = seed

    def train(self, x: Any, y: ArrayLike) -> NDArray[np.float64]:
        """Return the parameters after the last step, shape (J + 1, K)."""
        problem = MeanLoss(y, self.regularizer)
        model = self._learner(
            problem.C,
            solver="sgd",
            schedule=problem.rates(self.initial_step, self.alpha),
            max_iter=self.nr_epochs,
            tol=0.0,  # all epochs, even if the objective rests
            random_state=self.seed,
        ).fit(x, problem.gold)
        self.objectives = problem.objectives(model)
        self.trained = True
        return problem.parameters(model)
