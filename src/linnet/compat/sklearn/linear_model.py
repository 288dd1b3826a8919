r"""``sklearn.linear_model``: ``SGDClassifier`` and ``LogisticRegression``.

.. math:: \min_w\ \alpha\,R(w) + \tfrac1M \sum_i \ell(w \cdot x_i + b, y_i)

is what ``SGDClassifier`` comes near to by stochastic steps, one class against the rest, the
intercept free; here it is minimised, as :math:`C = 1 / (\alpha M)` times the sum of the losses.
With the hinge the intercept is one weight more, penalised like the others: on the TF-IDF of 20
newsgroups that moves the objective by about 0.1 per mille, and takes a sixtieth of the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.compat.sklearn.classifier import Translated, refused
from linnet.errors import ParameterError
from linnet.learn.maxent import MaxEnt
from linnet.learn.shared.checks import check_positive
from linnet.learn.svm import SVM

__all__ = ["LogisticRegression", "SGDClassifier"]

_LOSSES = ("hinge", "squared_hinge", "log_loss")
_ENOUGH = 10_000  # iterations: max_iter of SGDClassifier counts passes, which are not made here


class _Probable(Translated):
    """A classifier that has probabilities if its learner has."""

    def _probability(self) -> MaxEnt:
        learner = self._fitted()
        if not isinstance(learner, MaxEnt):
            raise AttributeError("probability estimates are not available for this loss")
        return learner

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return P(class | row), shape (n, K)."""
        return self._probability().predict_proba(X)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return ln P(class | row), shape (n, K)."""
        return self._probability().predict_log_proba(X)


class SGDClassifier(_Probable):
    """``sklearn.linear_model.SGDClassifier``: its objective, at the optimum.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "log_loss"}, default="hinge"
    penalty : {"l2", "l1", "elasticnet", None}, default="l2"
        "l1" and "elasticnet" as :class:`linnet.SVM` and :class:`linnet.MaxEnt` take them.
    alpha : float, default=0.0001
        Weight of the penalty against the mean loss.
    l1_ratio : float, default=0.15
    fit_intercept : bool, default=True
    class_weight : dict, "balanced" or None
    random_state, verbose, warm_start : optional
    max_iter, tol, shuffle, epsilon, n_jobs, learning_rate, eta0, power_t, early_stopping, \
validation_fraction, n_iter_no_change, average : optional
        Those that steer the stochastic steps are taken and not used.

    Examples
    --------
    >>> from linnet.compat.sklearn.linear_model import SGDClassifier
    >>> clf = SGDClassifier(loss="hinge", alpha=1e-3, random_state=42, max_iter=5, tol=None)
    >>> clf.fit([[0.0], [1.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]).predict([[0.5], [3.5]])
    array(['no', 'yes'], dtype='<U3')
    """

    def __init__(
        self,
        loss: str = "hinge",
        *,
        penalty: str | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        epsilon: float = 0.1,
        n_jobs: int | None = None,
        random_state: Any = None,
        learning_rate: str = "optimal",
        eta0: float = 0.01,
        power_t: float = 0.5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
        average: bool | int = False,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average

    @property
    def partial_fit(self) -> Any:
        """Not here, as ``hasattr`` says: an optimum is one of all examples together."""
        raise AttributeError(
            "there is no partial_fit here: the optimum is that of all examples together. "
            "linnet.Perceptron and linnet.MIRA have one, and so has scikit-learn's own class."
        )

    def _learner(self, n_rows: int) -> SVM | MaxEnt:
        if self.loss == "perceptron":
            raise ParameterError(
                "zero weights minimise loss='perceptron'; linnet.Perceptron makes its steps"
            )
        if self.loss not in _LOSSES:
            raise refused("loss", self.loss, _LOSSES)
        check_positive(alpha=self.alpha)
        shared: dict[str, Any] = {
            "C": 1.0 / (self.alpha * max(n_rows, 1)), "penalty": self.penalty, "multi_class": "ovr",
            "max_iter": _ENOUGH, "fit_intercept": self.fit_intercept, "penalize_intercept": False,
            "class_weight": self.class_weight, "random_state": self.random_state,
            "verbose": self.verbose,
        }  # fmt: skip
        if self.loss == "log_loss":
            return MaxEnt(**shared, l1_ratio=self.l1_ratio)
        if self.penalty == "elasticnet":
            raise ParameterError("penalty='elasticnet' needs loss='log_loss' here; try 'l2'.")
        return SVM(**{**shared, "penalize_intercept": self.loss == "hinge"}, loss=self.loss)


class LogisticRegression(_Probable):
    """``sklearn.linear_model.LogisticRegression``: maximum entropy with a free intercept.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet", None}, default="l2"
    C : float, default=1.0
    l1_ratio : float, optional
        Of "elasticnet"; with "l2" and no other word, 1 is "l1" and what lies between both of them.
    tol : float, default=1e-4
    fit_intercept : bool, default=True
    class_weight : dict, "balanced" or None
    random_state, verbose, max_iter : optional
    dual, intercept_scaling, solver, warm_start, n_jobs : optional
        Those that steer the search are taken and not used: all solvers have one optimum.

    Examples
    --------
    >>> from linnet.compat.sklearn.linear_model import LogisticRegression
    >>> clf = LogisticRegression(C=10.0).fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> clf.predict_proba([[2.0]]).round(2).tolist()
    [[0.5, 0.5]]
    """

    def __init__(
        self,
        penalty: str | None = "l2",
        *,
        C: float = 1.0,
        l1_ratio: float | None = None,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        random_state: Any = None,
        solver: str = "lbfgs",
        max_iter: int = 1000,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def _learner(self, n_rows: int) -> MaxEnt:
        penalty, ratio = self.penalty, self.l1_ratio
        if penalty == "l2" and ratio:
            penalty = "l1" if ratio == 1 else "elasticnet"
        return MaxEnt(
            self.C, penalty=penalty, l1_ratio=0.5 if ratio is None else ratio, tol=self.tol,
            max_iter=_ENOUGH, fit_intercept=self.fit_intercept, penalize_intercept=False,
            class_weight=self.class_weight, random_state=self.random_state, verbose=self.verbose,
        )  # fmt: skip
