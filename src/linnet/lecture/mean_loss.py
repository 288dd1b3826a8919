r"""S0's objective in terms of linnet's (SPEC M-53, A-36, A-41).

    S0      F(W) = lambda/2 ||W||^2 + (1/M) sum_m loss_m(W)        W (J + 1, K)
    linnet  f(w) = 1/2 ||w||^2 + C sum_m loss_m(w)

K > 2: the weights are the same with C = 1/(lambda M). K = 2: linnet has the single vector
w = W_1 - W_0, the columns of S0's optimum are -w/2 and +w/2, and C = 2/(lambda M). In both cases
F = f/(C M). A step of size eta on W moves that single vector by 2 eta times its gradient, so S0's
rates are doubled for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.explain.boundaries import linear_parameters
from linnet.learn.schedules import Power
from linnet.lecture.linear_classifier import class_labels
from linnet.reference.conversions import lambda_to_c

__all__ = ["MeanLoss"]


class MeanLoss:
    """The translation for one training set.

    Examples
    --------
    >>> MeanLoss([0, 1, 1, 0], regularizer=1.0).C, MeanLoss([0, 1, 2, 0], regularizer=1.0).C
    (0.5, 0.25)
    """

    def __init__(self, y: ArrayLike, regularizer: float) -> None:
        self.gold, self.n_classes = class_labels(y)
        self._single = self.n_classes == 2
        self.C = lambda_to_c(regularizer, len(self.gold), two_columns=self._single)

    def rates(self, initial_step: float, alpha: float) -> Power:
        """Return linnet's schedule for S0's steps initial_step * t ** -alpha."""
        return Power(initial_step * (2.0 if self._single else 1.0), alpha)

    def parameters(self, model: Any) -> NDArray[np.float64]:
        """Return a fitted learner's weights as S0's parameters (J + 1, K)."""
        return linear_parameters(model)

    def objectives(self, model: Any) -> NDArray[np.float64]:
        """Return a fitted learner's recorded objectives as values of S0's F."""
        return np.asarray(model.history_["objective"]) / (self.C * len(self.gold))
