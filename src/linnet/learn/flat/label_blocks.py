"""One-vs-rest over many labels, some labels at a time.

Each label asks a question of its own, so the weights, shape (J, K), and the dual variables, shape
(n, K), of all K labels need not be in memory together: a block of labels is solved, its weights are
taken by who asked, and the next block is solved in the same space. How the labels are cut depends
on the size of the data alone, so the result is the same on any machine and number of threads.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.learn.flat.regularised_risk import (
    FeaturesElsewhere,
    Solution,
    Task,
    choose_solver,
    minimize,
)
from linnet.learn.shared.checks import seed_from, warn_unless_converged
from linnet.learn.shared.history import History
from linnet.learn.shared.watching import stage

__all__ = ["Block", "LabelBlocks"]

Floats = NDArray[np.float64]
_TOGETHER = 32  # columns that the solver sweeps together
_ROOM = 1 << 29  # bytes of weights and dual variables of one block


@dataclass(frozen=True)
class Block:
    """What was learnt of some labels: the numbers first to last - 1."""

    first: int
    last: int
    weights: Floats  # (J, labels)
    intercept: Floats  # (labels,)
    alpha: Floats  # (n, labels), the dual variables
    history: History


class LabelBlocks:
    """Who solves the questions of some labels.

    Parameters
    ----------
    learner : RegularisedClassifier
        Says how: solver, tolerance, seed.
    task : Task
        The objective of all labels; its gold labels are numbers of them.
    n_labels : int
        K, which may be more than occur.
    """

    def __init__(self, learner: Any, task: Task, n_labels: int) -> None:
        self._learner, self._task, self.n_labels = learner, task, n_labels

    @property
    def suits(self) -> bool:
        """Whether each label is a question that dual coordinate descent solves by itself."""
        task, solver = self._task, self._learner.solver
        if isinstance(task.features, FeaturesElsewhere):
            return False
        if solver not in ("auto", "dual_cd") or task.loss == "log" or task.scale is not None:
            return False
        by_dual = solver == "dual_cd" or choose_solver(task) == "dual_cd"
        return task.form == "columns" and task.is_dual and by_dual

    def bounds(self) -> list[tuple[int, int]]:
        """Return the first label of each block and that of the next, sizes as equal as can be."""
        features = self._task.features
        room = _ROOM // (2 * 8 * (features.rows + features.cols + 1))  # the solver has a copy
        width = max(_TOGETHER, room // _TOGETHER * _TOGETHER)
        count = -(-self.n_labels // width)
        cuts = [block * self.n_labels // count for block in range(count + 1)]
        return list(itertools.pairwise(cuts))

    def solve(
        self,
        bounds: Sequence[tuple[int, int]],
        starts: Iterator[Floats] | None = None,
        tol: float | None = None,
    ) -> Iterator[Block]:
        """Yield the blocks, one after another.

        Parameters
        ----------
        bounds : list of pairs
            The first label of each block and that of the next: :meth:`bounds`, of these rows or
            of more.
        starts : iterator of arrays of shape (n, labels), optional
            Where the dual variables of each block begin.
        tol : float, optional
            In place of the learner's. Then the fit is on the way to something else, and how far
            from the optimum it stops is not news.
        """
        work = "fit" if tol is None else "calibrate"
        for first, last in bounds:
            with stage(f"{work} labels {first + 1:,} to {last:,} of {self.n_labels:,}, round"):
                yield self._block(first, last, None if starts is None else next(starts), tol)

    def _block(self, first: int, last: int, alpha: Floats | None, tol: float | None) -> Block:
        learner, task = self._learner, self._task
        inside = (task.gold >= first) & (task.gold < last)
        gold = np.where(inside, task.gold - first, last - first).astype(np.int32)
        wanted = float(learner.tol if tol is None else tol)
        history = History(
            learner.verbose, type(learner).__name__, limit=int(learner.max_iter), tol=wanted
        )
        found = minimize(
            replace(task, gold=gold, n_classes=last - first), "dual_cd", tol=wanted,
            max_iter=int(learner.max_iter), seed=seed_from(learner.random_state),
            threads=learner._threads(), history=history,
            start=None if alpha is None else Solution(np.empty(0), alpha, False),
        )  # fmt: skip
        if tol is None and not history.stopped:
            warn_unless_converged(type(learner).__name__, history, wanted, found.converged)
        weights, intercept = found.weights, np.zeros(last - first)
        if task.bias:
            weights, intercept = weights[:-1], task.bias * weights[-1]
        assert found.alpha is not None
        return Block(first, last, weights, intercept, found.alpha, history)
