"""The estimator half of regularised risk minimisation, shared by MaxEnt and SVM.

It reads parameters and data into a :class:`~linnet.learn.flat.regularised_risk.Task`, solves it,
and leaves the record of the fit: ``history_``, ``n_iter_`` and ``optimality_``.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import LinearClassifier
from linnet.learn.flat.regularised_risk import Solution, Task, minimize
from linnet.learn.shared.checks import (
    check_choice,
    check_positive,
    check_tolerance,
    seed_from,
    warn_unless_converged,
)
from linnet.learn.shared.history import History
from linnet.learn.shared.inputs import (
    Features,
    checked_features,
    encode_labels,
    example_weights,
    require_two_classes,
)
from linnet.learn.shared.sgd import fit_sgd
from linnet.stored import Array, Fields, Sizes


class RegularizedClassifier(LinearClassifier):
    """Weights that minimise penalty plus C times the sum of losses.

    Attributes
    ----------
    history_ : dict of arrays
        One entry for each recorded iteration: ``iteration``, ``objective``, ``gap`` (certified
        bound on objective minus optimum), ``gradient_norm``, ``step``, ``seconds``.
    optimality_ : float
        The last gap as a share of the objective: how far from the optimum the fit may be.
    n_iter_ : int
    dual_coef_ : array of shape (rows, columns) or None
        The dual variables, where the solver has them.
    """

    C: float
    solver: str
    fit_intercept: bool
    penalize_intercept: bool
    intercept_scaling: float
    max_iter: int
    tol: float
    schedule: Any
    average: bool | str
    shuffle: bool
    class_weight: Any
    warm_start: bool
    random_state: Any
    verbose: int
    stored: ClassVar[Fields] = {
        "dual_coef_": Array("f8", None, optional=True),
        "support_": Array("i8", "s", low=0, optional=True),
    }
    history_: dict[str, NDArray[np.float64]]
    optimality_: float
    n_iter_: int
    dual_coef_: NDArray[np.float64] | None

    def _stored_sizes(self) -> Sizes:
        n_classes = len(self.classes_)
        pairs = n_classes > 2 and getattr(self, "multi_class", None) == "ovo"
        return {"R": n_classes * (n_classes - 1) // 2} if pairs else super()._stored_sizes()

    def _check_common(self) -> None:
        check_positive(C=self.C, intercept_scaling=self.intercept_scaling)
        check_tolerance(self.tol, zero=self.solver in ("sgd", "pegasos"))
        check_positive(max_iter=self.max_iter)
        if int(self.max_iter) != self.max_iter:
            raise ParameterError(f"max_iter must be an integer, got {self.max_iter!r}.")

    def _read_examples(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Features, NDArray[np.int32], NDArray[np.float64], NDArray[np.bool_] | None]:
        """Return features, gold labels, weights and, if some weights are 0, which rows are kept."""
        if y is None:
            raise DataError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        features = self._read(X, reset=True)
        self.classes_, gold = encode_labels(y, features.rows)
        require_two_classes(self.classes_, type(self).__name__)
        weights = example_weights(sample_weight, self.class_weight, self.classes_, gold)
        kept = weights > 0
        if kept.all():
            return features, gold, weights, None
        features = checked_features(features.csr[kept], self._threads())
        return features, np.ascontiguousarray(gold[kept]), weights[kept], kept

    def _bias(self) -> float:
        return float(self.intercept_scaling) if self.fit_intercept else 0.0

    def _solve(self, task: Task, solver: str) -> Self:
        history = History(self.verbose, type(self).__name__)
        solution = minimize(
            task,
            solver,
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            seed=seed_from(self.random_state),
            threads=self._threads(),
            history=history,
            start=self._previous(task),
        )
        warn_unless_converged(type(self).__name__, history, self.tol, solution.converged)
        self._keep_record(history)
        return self._keep_solution(task, solution.weights, solution.alpha)

    def _fit_sgd(self, task: Task, rule: str, **options: Any) -> None:
        """Minimise by steps on single examples; ``options`` are those of one learner only."""
        run = fit_sgd(
            task,
            rule=rule,
            schedule=self.schedule,
            max_iter=int(self.max_iter),
            tol=float(self.tol),
            average=self.average,
            shuffle=self.shuffle,
            seed=seed_from(self.random_state),
            threads=self._threads(),
            verbose=self.verbose,
            start=self._previous(task),
            **options,
        )
        self._keep_record(run.history)
        self._keep_solution(task, run.weights, None)

    def _keep_record(self, history: History) -> None:
        self.history_ = history.as_dict()
        self.n_iter_ = max(1, int(history.last("iteration")))
        self.optimality_ = history.last("gap") / max(abs(history.last("objective")), 1e-300)

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
        alpha = self.dual_coef_
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


__all__ = ["RegularizedClassifier", "check_choice", "cost_matrix"]
