"""Learning rows that come block by block, when neither all rows nor all labels are known yet.

An :class:`Incremental` meets each row once, answers it before it learns from it, and can be put
aside and taken up again at any row to the same bits. A learner makes one by its method
``incremental``: the perceptron and MIRA, and MaxEnt and SVM by SGD, are one run of the core
(:class:`Stepwise`), MaxEnt and SVM by AdaGrad another (:class:`Adaptive`), and naive Bayes counts
(:mod:`linnet.learn.flat.counting`).

Classes are numbers in the order in which they were first met. As long as there are two or fewer,
one column of weights holds the score of the second against the first. A third class opens a column
for each: what the one column said is divided among the first two, so that no decision changes, and
the new one begins at zero.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import ParameterError
from linnet.learn.flat.online_run import Examples, FlatRun
from linnet.learn.shared.online_run import Floats, Rule, Trace
from linnet.text.extractor import Rows

__all__ = ["Adaptive", "Arrays", "Gold", "Incremental", "Met", "Stepwise", "rows_between"]

Gold = NDArray[np.int32]
Arrays = dict[str, NDArray[Any]]
#: Rows the core meets in one call; so few that it never shares a row between two threads, which
#: would make the sums depend on where blocks begin.
_ROWS = 512


class Met(NamedTuple):
    """What rows met: the sum of their losses, wrong answers, and their scores, shape (n, R).

    All are at the weights before the row itself, with naive Bayes before its block.
    """

    loss: float
    wrong: int
    scores: Floats


class Incremental(ABC):
    """Weights of rows on their way.

    Parameters
    ----------
    n_features : int
    n_classes : int
        So far; two or fewer share a column.
    """

    def __init__(self, n_features: int, n_classes: int) -> None:
        self.n_features = n_features
        self.n_classes = max(2, n_classes)

    @property
    def columns(self) -> int:
        """The number of columns of weights."""
        return 1 if self.n_classes == 2 else self.n_classes

    @abstractmethod
    def meet(self, rows: Rows, gold: Gold, weights: Floats | None = None) -> Met:
        """Answer each row, then learn from it."""

    @abstractmethod
    def widen(self, n_classes: int) -> None:
        """Make room for more classes."""

    def begin_at(self, weights: NDArray[Any], intercept: Floats) -> None:
        """Begin at the weights of a model, shape (J, R), and its intercepts, shape (R,)."""
        raise ParameterError(
            "this learner needs what it has met before, of which weights say nothing; a model is "
            "continued by MIRA or Perceptron."
        )

    @abstractmethod
    def weights(self) -> tuple[NDArray[Any], Floats]:
        """Return weights of shape (J, R) and intercepts of shape (R,)."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return all that changes while it learns; filling them in goes on from there."""

    def restore(self, arrays: Arrays) -> None:
        """Go on from what :meth:`arrays` returned."""
        for name, array in self.arrays().items():
            array[...] = arrays[name]

    @staticmethod
    def bytes_for(n_features: int, n_classes: int) -> int:
        """Return the memory that the weights need."""
        return n_features * (1 if n_classes <= 2 else n_classes) * 16


def split(column: NDArray[Any], columns: int, share: float) -> NDArray[Any]:
    """Return a column of two classes as columns of several, the first two opposed.

    Examples
    --------
    >>> split(np.array([[2.0], [-4.0]]), 3, 0.5)
    array([[-1.,  1.,  0.],
           [ 2., -2.,  0.]])
    """
    wide = np.zeros((len(column), columns), column.dtype)
    wide[:, 0] = -share * column[:, 0]
    wide[:, 1] = share * column[:, 0]
    return wide


def _widened(table: NDArray[Any], columns: int, share: float) -> NDArray[Any]:
    if table.shape[1] == 1:
        return split(table, columns, share)
    return np.pad(table, ((0, 0), (0, columns - table.shape[1])))


def _table(rows: int, columns: int) -> NDArray[np.float32]:
    """Return zeros in large pages of memory, which NumPy asks for where it does not zero itself.

    Weights are looked up all over the table, so that with small pages most of the time would go
    into finding the pages.
    """
    table = np.empty((rows, columns), np.float32)
    table[...] = 0.0
    return table


class Adaptive(Incremental):
    """A loss minimised by AdaGrad (core/solvers/adagrad.hpp).

    Parameters
    ----------
    rule_of : function
        From a number of classes to the rule of the core.
    rate : float
        How far a weight moves at its first step.
    bias : float
        Value of the feature of the intercept, 0 for none.
    """

    def __init__(
        self,
        rule_of: Callable[[int], Rule],
        n_features: int,
        n_classes: int,
        *,
        rate: float,
        bias: float,
    ) -> None:
        super().__init__(n_features, n_classes)
        self._rule_of, self._rate, self._bias = rule_of, rate, bias
        self._rule = rule_of(self.n_classes)
        self._table = _table(n_features + 1, 2 * self.columns)

    @staticmethod
    def bytes_for(n_features: int, n_classes: int) -> int:
        """Return the memory that weights and their sums of squares need."""
        return n_features * (1 if n_classes <= 2 else n_classes) * 8

    def meet(self, rows: Rows, gold: Gold, weights: Floats | None = None) -> Met:
        """Answer each row, then take a step on its loss."""
        rule = self._rule.core()
        scores = np.empty((len(gold), rule.width))
        cost = np.ones(len(gold)) if weights is None else weights
        matrix = _core.Matrix(*rows, self.n_features)
        loss, _, wrong = _core.adagrad_pass(
            matrix, gold, cost, rule, self._rate, self._table, self._bias, scores
        )
        return Met(loss, wrong, scores)

    def widen(self, n_classes: int) -> None:
        """Open columns; squared gradients of two classes are those of both."""
        columns, self.n_classes = self.columns, max(2, n_classes)
        self._rule = self._rule_of(self.n_classes)
        if self.columns == columns:
            return
        weights, squares = self._table[:, :columns], self._table[:, columns:]
        wide = np.zeros((len(self._table), 2 * self.columns), np.float32)
        wide[:, : self.columns] = _widened(weights, self.columns, share_of(self._rule))
        wide[:, self.columns : self.columns + max(2, columns)] = squares
        self._table = wide

    def weights(self) -> tuple[NDArray[Any], Floats]:
        """Return the last weights."""
        table = self._table[:, : self.columns]
        return table[:-1], self._bias * table[-1].astype(np.float64)

    def arrays(self) -> Arrays:
        """Return weights and sums of squares."""
        return {"table": self._table}


class Stepwise(Incremental):
    """A run of the core: perceptron, MIRA, or a loss minimised by SGD.

    Parameters
    ----------
    rule_of : function
        From a number of classes to the rule.
    rates : function
        From the steps made and those to come to their rates.
    options : settings of :class:`~linnet.learn.flat.online_run.FlatRun`
    """

    def __init__(
        self,
        rule_of: Callable[[int], Rule],
        n_features: int,
        n_classes: int,
        *,
        rates: Callable[[int, int], Floats],
        bias: float,
        **options: Any,
    ) -> None:
        super().__init__(n_features, n_classes)
        self._rule_of, self._rates, self._bias = rule_of, rates, bias
        self._options = options
        self._run = self._fresh()

    def _fresh(self) -> FlatRun:
        shape = (self.n_features + bool(self._bias), self.columns)
        return FlatRun(self._rule_of(self.n_classes), shape, bias=self._bias, **self._options)

    def meet(self, rows: Rows, gold: Gold, weights: Floats | None = None) -> Met:
        """Answer each row, then take the step that its answer asks for."""
        cost = np.ones(len(gold)) if weights is None else weights
        parts = [
            self._meet(rows_between(rows, first, first + _ROWS), gold[first : first + _ROWS],
                       cost[first : first + _ROWS])
            for first in range(0, len(gold), _ROWS)
        ]  # fmt: skip
        scores = np.concatenate([part.scores for part in parts])
        return Met(sum(part.loss for part in parts), sum(part.wrong for part in parts), scores)

    def _meet(self, rows: Rows, gold: Gold, cost: Floats) -> Met:
        run, n = self._run, len(gold)
        matrix = _core.Matrix(*rows, self.n_features)
        norms = np.empty(n)
        _core.squared_norms(matrix, self._bias, norms, 1)
        trace = Trace.empty(n, n, run.rule.core().width)
        block: Any = _Block(matrix)
        seen = run.go(
            Examples(block, gold, cost, norms), np.arange(n), self._rates(run.steps, n), trace
        )
        return Met(seen.loss, seen.wrong, trace.scores)

    def widen(self, n_classes: int) -> None:
        """Open columns in the weights and in their running sums."""
        columns, self.n_classes = self.columns, max(2, n_classes)
        before, self._run = self._run, self._fresh()
        self._run._state = before._state
        share = share_of(self._run.rule)
        for name in ("_weights", "_sums"):
            table = getattr(before, name)
            if table is not None:
                same = self.columns == columns
                setattr(self._run, name, table if same else _widened(table, self.columns, share))

    def begin_at(self, weights: NDArray[Any], intercept: Floats) -> None:
        """Begin at the weights of a model, which count into the mean as those after them do."""
        table = self._run._weights
        table[: self.n_features] = weights
        if self._bias:
            table[-1] = intercept / self._bias
        elif intercept.any():
            raise ParameterError("the model has intercepts; continue it with fit_intercept=True.")

    def weights(self) -> tuple[NDArray[Any], Floats]:
        """Return the mean of the weights that the run was asked for, or the last."""
        table = self._run.average_weights()
        if not self._bias:
            return table, np.zeros(self.columns)
        return table[:-1], self._bias * table[-1]

    def arrays(self) -> Arrays:
        """Return weights, running sums and the numbers of the run."""
        run = self._run
        arrays = {"weights": run._weights, "numbers": np.array(list(vars(run._state).values()))}
        return arrays if run._sums is None else {**arrays, "sums": run._sums}

    def restore(self, arrays: Arrays) -> None:
        """Go on from what :meth:`arrays` returned."""
        super().restore(arrays)
        for name, number in zip(vars(self._run._state), arrays["numbers"].tolist(), strict=True):
            setattr(self._run._state, name, number)


@dataclass(frozen=True)
class _Block:
    """Rows as the core reads them."""

    matrix: Any

    def threads(self, asked: int, columns: int = 1) -> int:
        """Return the threads asked for: who streams has others for all else there is to do."""
        return asked


def rows_between(rows: Rows, first: int, last: int) -> Rows:
    """Return some of the rows, one after the other; of all of them no copy is made."""
    start = rows.start[first : last + 1]
    cells = slice(int(start[0]), int(start[-1]))
    return Rows(start - start[0], rows.index[cells], rows.value[cells])


def share_of(rule: Rule) -> float:
    """Return what each of two classes gets of their one column, when there come to be more.

    The column is the difference of two, except with the perceptron, which moves both by a whole
    step, and where each class is told from all others.
    """
    return 1.0 if rule.name == "perceptron" or rule.form == "columns" else 0.5
