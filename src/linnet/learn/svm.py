r"""Support vector machines: linear, two or more classes (SPEC M-73–M-76, M-82–M-92).

.. math:: \min_W\ \tfrac12 \lVert W \rVert^2 + C \sum_i \ell(x_i W, y_i)

with the hinge :math:`\max(0, 1 - y\,w \cdot x)` or its square for two classes. For more there is
the joint hinge of Crammer and Singer,
:math:`\max_{y'} (w_{y'} \cdot x + \rho(y', y)) - w_y \cdot x` with a cost ρ, or one machine for
each class (one-vs-rest) or each pair of classes (one-vs-one).
"""

from __future__ import annotations

from dataclasses import field, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.flat.label_blocks import LabelBlocks
from linnet.learn.flat.regularised import RegularisedClassifier, cost_matrix
from linnet.learn.flat.regularised_risk import BATCH_SOLVERS, Task, minimize, pairwise
from linnet.learn.shared.checks import check_choice, check_positive, seed_from
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.history import History
from linnet.learn.shared.inputs import Features
from linnet.learn.shared.parameters import parameters
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.solvers import solver_name, stochastic
from linnet.stored import Fields, Number

__all__ = ["SVM", "votes"]

_CERTIFYING = ("auto", "dual_cd", "smo", "primal_cd", "newton_cd", *BATCH_SOLVERS)

#: Fast, and the best on texts.
_SUITED = {"loss": "squared_hinge", "multi_class": "ovr", "tol": 1e-3}


@parameters
class SVM(RegularisedClassifier):
    """Support vector machine: the separating hyperplane of largest margin.

    Parameters
    ----------
    C : float or "svmlight", default=1.0
        Weight of the losses against the penalty; larger tolerates fewer violations. "svmlight" is
        that program's default, 1 / mean(x·x) over the training rows (SPEC E-01).
    regularizer : float, optional
        The lectures' λ, instead of C: minimise λ/2 ‖W‖² plus the mean of the losses, where W has a
        column for each class (S0 Eq 1.35, SPEC A-36). That is C = 1/(λM) for M rows, and 2/(λM)
        for two classes, whose columns are -w/2 and w/2.
    loss_sum : bool, default=False
        With ``regularizer``: the sum of the losses, as the equation prints it, not their mean; that
        is λ/M for λ.
    loss : {"hinge", "squared_hinge"}, default="hinge"
    multi_class : {"crammer_singer", "ovr", "ovo"}, default="crammer_singer"
        What more than two classes mean; two classes are one machine in any case.
    cost : array of shape (K, K), optional
        cost[gold, guess] for "crammer_singer": zero diagonal, not negative; 0/1 by default.
    penalty : {"l2", "l1"}, default="l2"
        "l1" needs the squared hinge and "ovr".
    solver : str, SGD or PegasosSGD, default="auto"
        "dual_cd" (any), "smo" (hinge), "primal_cd", "newton_cd", "newton", "lbfgs",
        "gradient_descent" (settings :class:`linnet.GradientDescent`), "conjugate_gradient"
        (all squared hinge), these but the first without "crammer_singer"; "sgd" (stochastic
        subgradients, any; settings :class:`linnet.SGD`), "pegasos" (hinge, two classes or "ovr";
        settings :class:`linnet.PegasosSGD`). All but the last two, and descent by given
        steps, certify their distance from the optimum. A free intercept
        (``penalize_intercept=False``) with the hinge takes "smo", which moves pairs of dual
        variables.

    Attributes
    ----------
    C_ : float
        The weight of the losses in use.
    support_ : array of int
        The support vectors: rows of X whose dual variable is not zero ("dual_cd" and "smo" only).

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
    solvers: ClassVar[tuple[str, ...]] = (*_CERTIFYING, "sgd", "pegasos")

    stored: ClassVar[Fields] = {"C_": Number(float)}

    C: Any = field(default=1.0, kw_only=False)
    regularizer: float | None = None
    loss_sum: bool = False
    loss: str = "hinge"
    multi_class: str = "crammer_singer"
    cost: Any = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("loss", self.loss, ("hinge", "squared_hinge"))
        check_choice("multi_class", self.multi_class, ("crammer_singer", "ovr", "ovo"))

    def _check_strength(self) -> None:
        if self.regularizer is not None:
            check_positive(regularizer=self.regularizer)
        elif self.loss_sum:
            raise ParameterError("loss_sum=True needs regularizer=; C weighs a sum in any case.")
        if self.C != "svmlight":
            super()._check_strength()

    def _strength(self, features: Features, weights: NDArray[np.float64]) -> float:
        """Return C, which may depend on the rows."""
        if self.regularizer is not None:
            total = 1.0 if self.loss_sum else float(weights.sum())
            return (2.0 if len(self.classes_) == 2 else 1.0) / (self.regularizer * total)
        if self.C != "svmlight":
            return float(self.C)
        norms = np.empty(features.rows)
        _core.squared_norms(features.matrix, 0.0, norms, self._threads())
        if not norms.any():
            raise DataError("C='svmlight' is 1 / mean(x·x), but all rows are zero.")
        return 1.0 / float(norms.mean())

    def _minimise(self, X: Any, y: Any, sample_weight: Any, history: History) -> bool:
        self.__dict__.pop("support_", None)
        task = self._task(X, y, sample_weight)
        self._check_task(task)
        if self.multi_class == "ovo" and task.n_classes > 2:
            converged = self._fit_pairs(task, history)
        else:
            converged = self._solve(task, history)
        if self.dual_coef_ is not None:
            self.support_ = np.flatnonzero((self.dual_coef_ != 0).any(axis=1))
        return converged

    def _loss(self) -> tuple[str, bool]:
        if self.multi_class == "ovo" or self.cost is not None:
            raise ParameterError("multi_class='ovo' and cost need all rows; leave them out.")
        return self.loss, self.multi_class == "crammer_singer"

    def _task(self, X: Any, y: Any, sample_weight: Any) -> Task:
        features, gold, weights, kept = self._read_examples(X, y, sample_weight)
        n_classes = len(self.classes_)
        margins = cost_matrix(self.cost, n_classes)
        if margins is not None and (n_classes == 2 or self.multi_class != "crammer_singer"):
            raise ParameterError("cost needs multi_class='crammer_singer' and more than 2 classes.")
        l1, l2 = self._penalties()
        self.C_ = self._strength(features, weights)
        return Task(
            features=features,
            gold=gold,
            n_classes=n_classes,
            cost=self.C_ * weights,
            loss=self.loss,
            form="joint" if self.multi_class == "crammer_singer" and n_classes > 2 else "columns",
            bias=self._bias(),
            penalize_bias=self.penalize_intercept,
            l1=l1,
            l2=l2,
            margins=margins,
            kept=kept,
        )

    def by_blocks(
        self, X: Any, gold: NDArray[np.int32], sample_weight: Any, n_labels: int
    ) -> LabelBlocks | None:
        """Return who learns one-vs-rest some labels at a time; None where labels compete.

        Parameters
        ----------
        X : sparse matrix of shape (n, J)
        gold : array of shape (n,)
            Numbers of labels, of which there are `n_labels`.
        sample_weight : array of shape (n,) or None
        """
        if self.multi_class != "ovr":
            return None
        self._check_parameters()
        task = self._task(X, gold, sample_weight)
        kept = slice(None) if task.kept is None else task.kept
        return LabelBlocks(self, replace(task, gold=gold[kept]), n_labels)

    def _check_task(self, task: Task) -> None:
        if task.l1 and not task.is_smooth:
            raise ParameterError(
                "penalty='l1' needs loss='squared_hinge' and, for more than 2 classes, "
                "multi_class='ovr'."
            )
        settings = stochastic(self.solver)
        if settings is not None and settings.name == "pegasos":
            if self.loss != "hinge" or task.form == "joint":
                raise ParameterError(
                    "solver='pegasos' needs loss='hinge' and two classes or 'ovr'."
                )
        elif settings is None and task.form == "joint" and task.bias and not task.penalize_bias:
            raise ParameterError(
                "multi_class='crammer_singer' with penalize_intercept=False has no certifying "
                "solver here. Use multi_class='ovr' or 'ovo', or keep the intercept penalised and "
                "make that negligible with intercept_scaling=100."
            )

    def _fit_pairs(self, task: Task, history: History) -> bool:
        """One machine for each pair of classes, on the rows of those two only (SPEC M-89)."""
        check_choice("solver with multi_class='ovo'", solver_name(self.solver), _CERTIFYING)
        seed, threads = seed_from(self.random_state), self._threads()
        machines, totals = [], {"objective": 0.0, "gap": 0.0}
        rounds, converged = 1, True
        for first, second in combinations(range(task.n_classes), 2):
            part, _ = pairwise(task, first, second)
            record = History()
            solution = minimize(
                part, self.solver, tol=float(self.tol), max_iter=int(self.max_iter), seed=seed,
                threads=threads, history=record,
            )  # fmt: skip
            machines.append(solution.weights)
            rounds = max(rounds, int(record.last("iteration")))
            converged = converged and solution.converged
            for key in totals:
                totals[key] += record.last(key)
        self.dual_coef_ = None
        self._set_weights(np.hstack(machines), task.bias)
        history.watch(lambda model: model)
        history.follow(self)
        history.record(rounds, totals["objective"], totals["gap"], 0.0, 0.0)
        return converged

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
