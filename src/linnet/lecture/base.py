"""What the classifiers of S0's lab share: their calls, and their objective in linnet's terms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError
from linnet.evaluate.metrics import accuracy
from linnet.explain.boundaries import linear_parameters
from linnet.learn.shared.inputs import check_structure
from linnet.learn.shared.schedules import Power
from linnet.learn.shared.solvers import SGD
from linnet.reference.conversions import lambda_to_c

__all__ = ["Array", "LinearClassifier", "MeanLoss", "StochasticClassifier", "class_labels"]

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


class LinearClassifier(ABC):
    """What all classifiers of the lab share (S0 Section 1.3).

    Given parameters W of shape (J + 1, K), row 0 the bias, an input g(x) gets the label

        argmax_k  W_0k + sum_j g_j(x) W_jk                                   S0 Eq. 1.18, 1.19

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
    classes = np.unique(labels)
    if len(classes) < 2 or not np.array_equal(classes, np.arange(len(classes))):
        raise DataError(f"The lab's labels are 0..K-1 with at least two of them, found {classes}.")
    return labels.astype(np.int64), len(classes)


class MeanLoss:
    """S0's objective for one training set in terms of linnet's (SPEC M-53, A-36, A-41).

        S0      F(W) = lambda/2 ||W||^2 + (1/M) sum_m loss_m(W)        W (J + 1, K)
        linnet  f(w) = 1/2 ||w||^2 + C sum_m loss_m(w)

    K > 2: the weights are the same with C = 1/(lambda M). K = 2: linnet has the single vector
    w = W_1 - W_0, the columns of S0's optimum are -w/2 and +w/2, and C = 2/(lambda M). In both
    cases F = f/(C M). With ``loss_sum`` F has the sum of the losses, as S0 Eq. 1.35 prints it. A
    step of size eta on W moves that single vector by 2 eta times its gradient, so S0's rates are
    doubled for it.

    Examples
    --------
    >>> MeanLoss([0, 1, 1, 0], regularizer=1.0).C, MeanLoss([0, 1, 2, 0], regularizer=1.0).C
    (0.5, 0.25)
    """

    def __init__(self, y: ArrayLike, regularizer: float, *, loss_sum: bool = False) -> None:
        self.gold, self.n_classes = class_labels(y)
        self._single = self.n_classes == 2
        # lambda/2 |w|^2 + sum is M times (lambda/M)/2 |w|^2 + mean
        self._factor = len(self.gold) if loss_sum else 1
        regularizer = regularizer / self._factor
        self.C = lambda_to_c(regularizer, len(self.gold), two_columns=self._single)

    def rates(self, initial_step: float, alpha: float) -> Power:
        """Return linnet's schedule for S0's steps initial_step * t ** -alpha."""
        return Power(initial_step * (2.0 if self._single else 1.0), alpha)

    def parameters(self, model: Any) -> Array:
        """Return a fitted learner's weights as S0's parameters (J + 1, K)."""
        return linear_parameters(model)

    def objectives(self, model: Any) -> Array:
        """Return a fitted learner's recorded objectives as values of S0's F."""
        return self._factor * np.asarray(model.history_["objective"]) / (self.C * len(self.gold))


@dataclass(eq=False)
class StochasticClassifier(LinearClassifier):
    """Minimise regularizer/2 ||w||^2 + (1/M) sum_m loss_m(w), one example a step (Remark 1.3).

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
    nr_epochs: int = 10
    initial_step: float = 1.0
    alpha: float = 1.0
    regularizer: float = 1.0
    seed: int = 0

    def train(self, x: Any, y: ArrayLike) -> Array:
        """Return the parameters after the last step, shape (J + 1, K)."""
        problem = self._problem(y)
        model = self._learner(
            problem.C,
            solver=SGD(problem.rates(self.initial_step, self.alpha)),
            max_iter=self.nr_epochs,
            tol=0.0,  # all epochs, even if the objective rests
            random_state=self.seed,
        ).fit(x, problem.gold)
        self.objectives = problem.objectives(model)
        self.trained = True
        return problem.parameters(model)

    def _problem(self, y: ArrayLike) -> MeanLoss:
        return MeanLoss(y, self.regularizer)
