"""The flat structure of regularised learning, shared by MaxEnt and SVM.

It reads parameters and data into a :class:`~linnet.learn.flat.regularised_risk.Task`, solves it,
and takes the solution in the terms of the user's data.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import LinearClassifier
from linnet.learn.flat.incremental import Incremental
from linnet.learn.flat.narrow import Narrow
from linnet.learn.flat.regularised_risk import Solution, Task, minimize
from linnet.learn.flat.sgd import fit_sgd
from linnet.learn.flat.stream_solvers import by_steps
from linnet.learn.shared.checks import check_positive, seed_from
from linnet.learn.shared.history import History
from linnet.learn.shared.inputs import (
    Features,
    checked_features,
    encode_labels,
    example_weights,
    require_two_classes,
)
from linnet.learn.shared.parameters import parameters
from linnet.learn.shared.regularised import SolverChoice
from linnet.learn.shared.solvers import stochastic
from linnet.stored import Array, Fields, Sizes

__all__ = ["RegularisedClassifier", "cost_matrix"]


@parameters
class RegularisedClassifier(SolverChoice, LinearClassifier):
    """A linear classifier whose weights minimise penalty plus C times the sum of losses.

    Parameters
    ----------
    fit_intercept, penalize_intercept : bool, default=True
        The intercept is the weight of an extra feature of value ``intercept_scaling``.
    intercept_scaling : float, default=1.0
    class_weight : dict, "balanced" or None
    classes : list of labels, optional
        The labels in the order in which ``classes_``, scores and probabilities have them; sorted by
        default. Ties go to the first of them.
    random_state : int, RandomState or None
        Of the orders of "dual_cd" and of the stochastic solvers.

    Attributes
    ----------
    coef_, intercept_ : arrays
        See :class:`linnet.learn.flat.base.LinearClassifier`.
    dual_coef_ : array of shape (rows, columns) or None
        The dual variables, where the solver has them. They make ``coef_``; the intercept is what
        they make of it within the certified gap.
    """

    stored: ClassVar[Fields] = {
        "dual_coef_": Array("f8", None, optional=True),
        "support_": Array("i8", "s", low=0, optional=True),
    }

    fit_intercept: bool = True
    penalize_intercept: bool = True
    intercept_scaling: float = 1.0
    class_weight: Any = None
    classes: Any = None
    random_state: Any = None

    def _stored_sizes(self) -> Sizes:
        n_classes = len(self.classes_)
        pairs = n_classes > 2 and getattr(self, "multi_class", None) == "ovo"
        return {"R": n_classes * (n_classes - 1) // 2} if pairs else super()._stored_sizes()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive(intercept_scaling=self.intercept_scaling)

    def _may_go_on(self) -> bool:
        return stochastic(self.solver) is not None

    def _read_examples(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Features, NDArray[np.int32], NDArray[np.float64], NDArray[np.bool_] | None]:
        """Return features, gold labels, weights and, if some weights are 0, which rows are kept."""
        if y is None:
            raise DataError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        features = self._read(X, reset=True)
        self.classes_, gold = encode_labels(y, features.rows, self.classes)
        require_two_classes(self.classes_, type(self).__name__)
        weights = example_weights(sample_weight, self.class_weight, self.classes_, gold)
        kept = weights > 0
        if kept.all():
            return features, gold, weights, None
        features = checked_features(features.csr[kept], self._threads())
        return features, np.ascontiguousarray(gold[kept]), weights[kept], kept

    def incremental(
        self, n_features: int, n_classes: int = 2, examples: int | None = None
    ) -> Incremental:
        """Return who learns rows block by block; see :mod:`linnet.learn.flat.incremental`.

        Parameters
        ----------
        n_features, n_classes : int
        examples : int, optional
            How many rows there will be in a pass, for the penalty that C stands for; None goes
            without a penalty.
        """
        loss, joint = self._loss()
        return by_steps(self, loss, joint, n_features, n_classes, examples)

    def _loss(self) -> tuple[str, bool]:
        """Return the name of the loss, and whether several classes compete in it."""
        raise ParameterError(f"{type(self).__name__} cannot learn from a stream.")

    def _bias(self) -> float:
        return float(self.intercept_scaling) if self.fit_intercept else 0.0

    def _solve(self, task: Task, history: History) -> bool:
        """Minimise the task by the solver asked for; return whether that converged."""
        start, seed, threads = self._previous(task), seed_from(self.random_state), self._threads()
        tol, max_iter = float(self.tol), int(self.max_iter)
        settings, whole = stochastic(self.solver), task
        history.watch(lambda weights: copy(self)._keep_solution(whole, weights, None))
        if settings is None:
            solution = minimize(
                task, self.solver, tol=tol, max_iter=max_iter, seed=seed,
                threads=threads, history=history, start=start,
            )  # fmt: skip
            self._keep_solution(task, solution.weights, solution.alpha)
            return solution.converged
        if settings.loss is not None:
            task = replace(task, loss=settings.loss)
        run = fit_sgd(
            task, settings, rule=task.loss, tol=tol, max_iter=max_iter, seed=seed,
            threads=threads, history=history, start=start,
        )  # fmt: skip
        self._keep_solution(task, run.weights, None)
        return True  # as far as it was asked to go

    def _keep_solution(
        self, task: Task, weights: NDArray[np.float64], alpha: NDArray[np.float64] | None
    ) -> Self:
        """Take weights and dual variables of a task in the terms of the user's data.

        A weight of a column that was multiplied by s scores the column itself when multiplied by s
        too; a row that was left out for its zero weight has a dual variable of 0.
        """
        self.dual_coef_ = alpha
        if task.kept is not None and alpha is not None:
            self.dual_coef_ = np.zeros((len(task.kept), alpha.shape[1]))
            self.dual_coef_[task.kept] = alpha
        self._set_weights(weights, task.bias)
        if task.scale is not None:
            self.coef_ = self.coef_ * task.scale
        return self

    def begin_at(self, other: RegularisedClassifier, seen: NDArray[np.intp], rows: int) -> Self:
        """Take what another one learnt, so that a warm start on more rows goes on from there.

        Parameters
        ----------
        other : RegularisedClassifier
            Fitted on some of the rows.
        seen : array of int
            Which of them.
        rows : int
            How many there are in all; a row that was not seen has a dual variable of 0.
        """
        self.classes_, self.coef_, self.intercept_ = other.classes_, other.coef_, other.intercept_
        self.dual_coef_ = None
        if other.dual_coef_ is not None:
            self.dual_coef_ = np.zeros((rows, other.dual_coef_.shape[1]))
            self.dual_coef_[seen] = other.dual_coef_
        self.n_features_in_ = other.n_features_in_
        return self

    def knows_products(self) -> bool:
        """Tell whether a fit depends on rows by their products alone, x_i · x_k.

        Examples
        --------
        >>> from linnet import MaxEnt
        >>> MaxEnt().knows_products(), MaxEnt(penalty="l1").knows_products()
        (True, False)
        """
        spread = getattr(self, "prior_variance", None) is None
        return spread and self.penalty == "l2" and stochastic(self.solver) is None

    def widen(self, narrow: Narrow) -> Self:
        """Take what was fitted to a narrower matrix as fitted to the one that it stands for.

        Weights of features that no row has are 0, as the penalty makes them.

        Examples
        --------
        >>> import scipy.sparse as sp
        >>> from linnet import SVM
        >>> from linnet.learn.flat.narrow import narrowed
        >>> X = sp.csr_matrix(([-1.0, 1.0], ([0, 1], [2, 2])), (2, 1 << 18), np.float32)
        >>> narrow = narrowed(X, SVM(), 1)
        >>> clf = SVM(random_state=0).fit(narrow.matrix, ["no", "yes"])
        >>> clf.coef_.shape, clf.widen(narrow).coef_.shape
        ((1, 1), (1, 262144))
        """
        self.coef_ = narrow.widened(self.coef_.T, np.float64).T
        self.n_features_in_ = narrow.n_features
        return self

    def _previous(self, task: Task) -> Solution | None:
        """Return the last fit in the terms of the task when ``warm_start`` asks to go on from it.

        This is the inverse of :meth:`_keep_solution`.
        """
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        weights = self.coef_.T
        if task.scale is not None and len(task.scale) == len(weights):
            weights = weights / task.scale[:, None]
        if task.bias:
            weights = np.vstack([weights, self.intercept_[None, :] / task.bias])
        if weights.shape != task.zeros().shape:
            return None
        alpha: NDArray[np.float64] | None = self.dual_coef_
        if alpha is not None and task.kept is not None and len(alpha) == len(task.kept):
            alpha = alpha[task.kept]
        return Solution(np.ascontiguousarray(weights), alpha, False)


def cost_matrix(cost: Any, n_classes: int) -> NDArray[np.float64] | None:
    """Check a cost matrix cost[gold, guess] (SPEC M-48); None means 0/1 cost.

    Examples
    --------
    >>> cost_matrix([[0, 2], [1, 0]], 2)
    array([[0., 2.],
           [1., 0.]])
    """
    if cost is None:
        return None
    try:
        table = np.ascontiguousarray(cost, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(f"cost must be a table of numbers: {error}.") from None
    if table.shape != (n_classes, n_classes):
        raise ParameterError(f"cost must have shape ({n_classes}, {n_classes}), got {table.shape}.")
    if not np.isfinite(table).all() or (table < 0).any():
        raise ParameterError("cost must be finite and not negative.")
    if np.diagonal(table).any():
        raise ParameterError("cost must have a zero diagonal: a right guess costs nothing.")
    return table
