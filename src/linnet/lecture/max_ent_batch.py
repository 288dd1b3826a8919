"""Maximum entropy by L-BFGS (S0 Section 1.5.1, Exercise 1.6)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.learn.maxent import MaxEnt
from linnet.lecture.linear_classifier import LinearClassifier
from linnet.lecture.mean_loss import MeanLoss

__all__ = ["MaxEntBatch", "MaxEnt_batch"]


class MaxEntBatch(LinearClassifier):
    """Minimise regularizer/2 ||w||^2 - (1/M) sum_m ln p_w(y_m | x_m) (S0 Eq. 1.31).

    Parameters
    ----------
    regularizer : float
        The lecture's lambda.

    Attributes
    ----------
    objectives : array
        The objective of each iteration, from w = 0 on.

    Examples
    --------
    >>> me_lbfgs = MaxEntBatch(regularizer=0.1)
    >>> params = me_lbfgs.train([[-1.0], [0.0], [1.0]], [0, 0, 1])
    >>> me_lbfgs.test([[-2.0], [2.0]], params).tolist()
    [0, 1]
    """

    objectives: NDArray[np.float64]

    def __init__(self, regularizer: float = 1.0) -> None:
        self.regularizer = regularizer

    def train(self, x: Any, y: ArrayLike) -> NDArray[np.float64]:
        """Return the optimal parameters, shape (J + 1, K)."""
        problem = MeanLoss(y, self.regularizer)
        model = MaxEnt(problem.C, solver="lbfgs", tol=1e-8).fit(x, problem.gold)
        self.objectives = problem.objectives(model)
        self.trained = True
        return problem.parameters(model)


MaxEnt_batch = MaxEntBatch  # the lecture's spelling
