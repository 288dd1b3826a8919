r"""Support vector machines: linear, two or more classes (SPEC M-73–M-76, M-82–M-92).

.. math:: \min_W\ \tfrac12 \lVert W \rVert^2 + C \sum_i \ell(x_i W, y_i)

with the hinge :math:`\max(0, 1 - y\,w \cdot x)` or its square for two classes. For more there is
the joint hinge of Crammer and Singer,
:math:`\max_{y'} (w_{y'} \cdot x + \rho(y', y)) - w_y \cdot x` with a cost ρ, or one machine for
each class (one-vs-rest) or each pair of classes (one-vs-one).
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.learn.flat.regularised_risk import BATCH_SOLVERS, Task, minimize, pairwise
from linnet.learn.flat.regularized import RegularizedClassifier, cost_matrix
from linnet.learn.shared.checks import check_choice, seed_from, warn_unless_converged
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.history import History
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.restore import restored_on_error

SOLVERS = ("auto", "dual_cd", *BATCH_SOLVERS, "sgd", "pegasos")

#: Fast, and the best on texts.
_SUITED = {"loss": "squared_hinge", "multi_class": "ovr", "tol": 1e-3}


class SVM(RegularizedClassifier):
    """Support vector machine: the separating hyperplane of largest margin.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the penalty; larger tolerates fewer violations.
    loss : {"hinge", "squared_hinge"}, default="hinge"
    multi_class : {"crammer_singer", "ovr", "ovo"}, default="crammer_singer"
        What more than two classes mean; two classes are one machine in any case.
    cost : array of shape (K, K), optional
        cost[gold, guess] for "crammer_singer": zero diagonal, not negative; 0/1 by default.
    penalty : {"l2", "l1"}, default="l2"
        "l1" needs the squared hinge and "ovr".
    solver : str, default="auto"
        "dual_cd" (any), "newton", "lbfgs", "gradient_descent", "conjugate_gradient" (squared hinge
        without "crammer_singer"), "sgd" (stochastic subgradients, any), "pegasos" (hinge, two
        classes or "ovr"). All but the last two certify their distance from the optimum.
    fit_intercept, penalize_intercept : bool, default=True
        The intercept is the weight of an extra feature of value ``intercept_scaling``.
    tol : float, default=1e-4
        Stop when the objective is certified to be within this share of its optimum.
    max_iter : int, default=1000
    schedule, average, shuffle, batch_size, projection
        For "sgd" and "pegasos" only.
    class_weight : dict, "balanced" or None
    warm_start : bool, default=False
    n_threads : int, optional
        None uses all cores. The result does not depend on it.
    random_state : int, RandomState or None
    verbose : int, default=0

    Attributes
    ----------
    support_ : array of int
        The support vectors: rows of X whose dual variable is not zero ("dual_cd" only).

    Examples
    --------
    >>> import linnet
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
    >>> svm = linnet.SVM(C=10.0, tol=1e-6).fit(X, y)
    >>> svm.coef_.round(3).tolist(), svm.intercept_.round(3).tolist(), svm.support_.tolist()
    ([[1.0]], [-2.0], [1, 2])
    """

    properties: ClassVar[Properties] = discriminative(training="fair")
    declaration: ClassVar[Declaration] = Declaration(
        place=50,
        convex=True,
        strengths=(0.1, 0.3, 1.0, 3.0, 10.0),
        texts=_SUITED,
        rows=_SUITED,
        compared=_SUITED,
        grid=tried("C", 1.0, 0.3, 3.0, 0.1, 10.0, 0.03, 30.0),
        shown={
            "SVM, hinge": {"max_iter": 10_000, "random_state": 0},
            "SVM, squared hinge": {
                "loss": "squared_hinge",
                "multi_class": "ovr",
                "random_state": 0,
            },
        },
    )

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str = "hinge",
        multi_class: str = "crammer_singer",
        cost: Any = None,
        penalty: str = "l2",
        solver: str = "auto",
        fit_intercept: bool = True,
        penalize_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 1000,
        tol: float = 1e-4,
        schedule: Any = None,
        average: bool | str = False,
        shuffle: bool = True,
        batch_size: int = 1,
        projection: bool = True,
        class_weight: Any = None,
        warm_start: bool = False,
        n_threads: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.loss = loss
        self.multi_class = multi_class
        self.cost = cost
        self.penalty = penalty
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.intercept_scaling = intercept_scaling
        self.max_iter = max_iter
        self.tol = tol
        self.schedule = schedule
        self.average = average
        self.shuffle = shuffle
        self.batch_size = batch_size
        self.projection = projection
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_threads = n_threads
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the weights.

        Parameters
        ----------
        X : array, sparse matrix, data frame or list of feature dictionaries, shape (rows, J)
        y : array of shape (rows,)
        sample_weight : array of shape (rows,), optional
        """
        with restored_on_error(self):
            return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        self.__dict__.pop("support_", None)
        features, gold, weights, kept = self._read_examples(X, y, sample_weight)
        n_classes = len(self.classes_)
        margins = cost_matrix(self.cost, n_classes)
        if margins is not None and (n_classes == 2 or self.multi_class != "crammer_singer"):
            raise ParameterError("cost needs multi_class='crammer_singer' and more than 2 classes.")
        task = Task(
            features=features,
            gold=gold,
            n_classes=n_classes,
            cost=self.C * weights,
            loss=self.loss,
            form="joint" if self.multi_class == "crammer_singer" and n_classes > 2 else "columns",
            bias=self._bias(),
            penalize_bias=self.penalize_intercept,
            l1=1.0 if self.penalty == "l1" else 0.0,
            l2=0.0 if self.penalty == "l1" else 1.0,
            margins=margins,
            kept=kept,
        )
        self._check_task(task)
        if self.multi_class == "ovo" and n_classes > 2:
            self._fit_pairs(task)
        elif self.solver in ("sgd", "pegasos"):
            self._fit_stochastic(task)
        else:
            self._solve(task, self.solver)
        if self.dual_coef_ is not None:
            self.support_ = np.flatnonzero((self.dual_coef_ != 0).any(axis=1))
        return self

    def _check_parameters(self) -> None:
        self._check_common()
        check_choice("loss", self.loss, ("hinge", "squared_hinge"))
        check_choice("multi_class", self.multi_class, ("crammer_singer", "ovr", "ovo"))
        check_choice("penalty", self.penalty, ("l2", "l1"))
        check_choice("solver", self.solver, SOLVERS)

    def _check_task(self, task: Task) -> None:
        if task.l1 and not task.is_smooth:
            raise ParameterError(
                "penalty='l1' needs loss='squared_hinge' and, for more than 2 classes, "
                "multi_class='ovr'."
            )
        exact = self.solver not in ("sgd", "pegasos")
        if exact and task.bias and not task.penalize_bias and not task.is_smooth:
            raise ParameterError(
                f"loss={self.loss!r} with penalize_intercept=False has no certifying solver here. "
                "Use loss='squared_hinge' with multi_class='ovr', or keep the intercept penalised "
                "and make that negligible with intercept_scaling=100."
            )

    def _fit_pairs(self, task: Task) -> None:
        """One machine for each pair of classes, on the rows of those two only (SPEC M-89)."""
        check_choice("solver with multi_class='ovo'", self.solver, SOLVERS[:-2])
        seed, threads = seed_from(self.random_state), self._threads()
        machines, totals = [], {"objective": 0.0, "gap": 0.0}
        rounds, converged = 1, True
        history = History(self.verbose, "SVM")
        for first, second in combinations(range(task.n_classes), 2):
            part, _ = pairwise(task, first, second)
            own = History()
            solution = minimize(
                part, self.solver, tol=float(self.tol), max_iter=int(self.max_iter), seed=seed,
                threads=threads, history=own,
            )  # fmt: skip
            machines.append(solution.weights)
            rounds = max(rounds, int(own.last("iteration")))
            converged = converged and solution.converged
            for key in totals:
                totals[key] += own.last(key)
        history.record(rounds, totals["objective"], totals["gap"], 0.0, 0.0)
        warn_unless_converged("SVM", history, self.tol, converged)
        self._keep_record(history)
        self.dual_coef_ = None
        self._set_weights(np.hstack(machines), task.bias)

    def _fit_stochastic(self, task: Task) -> None:
        if self.penalty != "l2":
            raise ParameterError(f"solver={self.solver!r} needs penalty='l2'.")
        pegasos = self.solver == "pegasos"
        if pegasos and (self.loss != "hinge" or task.form == "joint"):
            raise ParameterError("solver='pegasos' needs loss='hinge' and two classes or 'ovr'.")
        self._fit_sgd(
            task,
            self.loss,
            pegasos=pegasos,
            batch_size=self.batch_size,
            projection=self.projection,
        )

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores: shape (n,) for two classes, else (n, K).

        With "ovo" the score of a class is its number of won pairs, plus less than a half for the
        sum of its pair scores, which so breaks ties between votes.
        """
        scores = super().decision_function(X)
        if self.multi_class == "ovo" and len(self.classes_) > 2:
            return votes(scores, len(self.classes_))
        return scores


def votes(pair_scores: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Count the pairs each class wins; ties go to the larger sum of scores (SPEC M-89).

    Parameters
    ----------
    pair_scores : array of shape (n, K (K - 1) / 2)
        Positive for the second class of each pair, pairs in lexicographic order.
    """
    won = np.zeros((len(pair_scores), n_classes))
    total = np.zeros_like(won)
    for column, (first, second) in enumerate(combinations(range(n_classes), 2)):
        score = pair_scores[:, column]
        won[:, first] += score < 0
        won[:, second] += score >= 0
        total[:, first] -= score
        total[:, second] += score
    return won + total / (3.0 * (np.abs(total) + 1.0))
