"""Naive Bayes over rows that come block by block: what is counted, and the class it came with.

A block is answered by the counts before it. The counts are whole numbers, so the model at the end
is bit for bit that of memory, whatever the blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.flat.incremental import Arrays, Gold, Incremental, Met
from linnet.learn.shared.decision import winners
from linnet.learn.shared.online_run import Floats
from linnet.text.extractor import Rows

__all__ = ["Counting", "CountingPresence"]

_LARGEST = 1e6


class Counting(Incremental):
    """Naive Bayes: what is counted, and the class it was counted with.

    Parameters
    ----------
    estimated : function
        From counts (K, J'), a sum (K,) over all features, examples (K,) and J to weights and
        intercepts. The sum is that of :meth:`_totals`.
    """

    def __init__(
        self,
        estimated: Callable[[Floats, Floats, Floats, int], tuple[Floats, Floats]],
        n_features: int,
        n_classes: int,
    ) -> None:
        super().__init__(n_features, n_classes)
        self._estimated = estimated
        self._counts = np.zeros((n_features, self.n_classes))
        self._examples = np.zeros(self.n_classes)

    def _totals(self) -> Floats:
        """Return the sum of the counts of each class."""
        sums: Floats = self._counts.sum(axis=0)
        return sums

    @staticmethod
    def bytes_for(n_features: int, n_classes: int) -> int:
        """Return the memory that the counts need, and the estimates made of them."""
        return n_features * max(2, n_classes) * 32

    def meet(self, rows: Rows, gold: Gold, weights: Floats | None = None) -> Met:
        """Answer the block by the counts so far, then count it."""
        used, index = np.unique(rows.index, return_inverse=True)
        scores = self._scores(used, rows._replace(index=index.astype(np.int32)))
        wrong = int((winners(scores) != gold).sum())
        both = np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores
        top = both.max(axis=1)
        total = top + np.log(np.exp(both - top[:, None]).sum(axis=1))
        loss = float((total - both[np.arange(len(gold)), gold]).sum())
        self._count(rows, gold, np.ones(len(gold)) if weights is None else weights)
        return Met(loss, wrong, scores)

    def _scores(self, used: NDArray[Any], rows: Rows) -> Floats:
        if not self._examples.any():
            return np.zeros((len(rows.start) - 1, self.columns))
        W, b = self._estimated(
            self._counts[used].T, self._totals(), self._examples, self.n_features
        )
        out = np.zeros((len(rows.start) - 1, len(b)))
        if len(used):
            matrix = _core.Matrix(rows.start, rows.index, rows.value, len(used))
            _core.scores(matrix, np.ascontiguousarray(W.T), 0.0, out, 1)
        # a class without examples has no probability yet, and losses stay finite
        return np.clip(out + b, -_LARGEST, _LARGEST)

    def _count(self, rows: Rows, gold: Gold, weights: Floats) -> None:
        sizes = np.diff(rows.start)
        values = rows.value * np.repeat(weights, sizes)
        cells = rows.index.astype(np.int64) * self.n_classes + np.repeat(gold, sizes)
        np.add.at(self._counts.reshape(-1), cells, values)
        np.add.at(self._examples, gold, weights)

    def widen(self, n_classes: int) -> None:
        """Open columns of zeros."""
        more = max(2, n_classes) - self.n_classes
        self._counts = np.pad(self._counts, ((0, 0), (0, more)))
        self._examples = np.pad(self._examples, (0, more))
        self.n_classes += more

    def weights(self) -> tuple[NDArray[Any], Floats]:
        """Return the logarithms of the estimates, as a linear model."""
        W, b = self._estimated(self._counts.T, self._totals(), self._examples, self.n_features)
        return W.T, b

    def arrays(self) -> Arrays:
        """Return the counts."""
        return {"counts": self._counts, "examples": self._examples}


class CountingPresence(Counting):
    """Naive Bayes of what is absent, too: every feature has a part in the intercepts.

    Parameters
    ----------
    estimated : as for :class:`Counting`
    absent : function
        From counts (K, J') and examples (K,) to ln(1 - p), shape (K, J').
    """

    def __init__(
        self,
        estimated: Callable[[Floats, Floats, Floats, int], tuple[Floats, Floats]],
        absent: Callable[[Floats, Floats], Floats],
        n_features: int,
        n_classes: int,
    ) -> None:
        super().__init__(estimated, n_features, n_classes)
        self._absent = absent
        self._spread = self._how_many(self._counts)

    @staticmethod
    def bytes_for(n_features: int, n_classes: int) -> int:
        """Return the memory that the counts need, and the three tables made of them."""
        return n_features * max(2, n_classes) * 48

    def _how_many(self, counts: Floats) -> list[NDArray[np.int64]]:
        """Return for each class how many features have been counted 0, 1, 2, ... times."""
        return [np.bincount(column.astype(np.int64)) for column in counts.T]

    def _totals(self) -> Floats:
        """Return the sum of ln(1 - p) over all features, equal counts in one go."""
        sums = np.zeros(self.n_classes)
        for k, spread in enumerate(self._spread):
            times = np.flatnonzero(spread)
            counts = np.zeros((self.n_classes, len(times)))
            counts[k] = times
            sums[k] = self._absent(counts, self._examples)[k] @ spread[times]
        return sums

    def _count(self, rows: Rows, gold: Gold, weights: Floats) -> None:
        used = np.unique(rows.index)
        before = self._how_many(self._counts[used])
        super()._count(rows, gold, weights)
        after = self._how_many(self._counts[used])
        for k, (old, new) in enumerate(zip(before, after, strict=True)):
            size = max(len(self._spread[k]), len(new))
            spread = np.pad(self._spread[k], (0, size - len(self._spread[k])))
            spread[: len(old)] -= old
            spread[: len(new)] += new
            self._spread[k] = spread

    def widen(self, n_classes: int) -> None:
        """Open columns of zeros."""
        super().widen(n_classes)
        self._spread += self._how_many(self._counts[:, len(self._spread) :])

    def weights(self) -> tuple[NDArray[Any], Floats]:
        """Return the linear model, with the sums in the order in which memory makes them."""
        counts = np.ascontiguousarray(self._counts.T)
        totals = self._absent(counts, self._examples).sum(axis=1)
        W, b = self._estimated(counts, totals, self._examples, self.n_features)
        return W.T, b

    def restore(self, arrays: Arrays) -> None:
        """Go on from what :meth:`arrays` returned."""
        super().restore(arrays)
        self._spread = self._how_many(self._counts)
