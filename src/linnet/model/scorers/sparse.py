"""Linear scores from few weights: of each feature only the labels for which it matters.

Scores are summed in the core, over the stored weights alone. NumPy and the core are all that is
imported here, so a saved model starts fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.learn.shared.decision import winners
from linnet.learn.shared.sparse_weights import SparseWeights, ascends
from linnet.model.decision import Decision
from linnet.model.scorers.flat import FlatScorer, narrowed
from linnet.stored import Array, Fields, check
from linnet.text.extractor import Rows
from linnet.threads import thread_count

__all__ = ["SparseScorer"]

Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]
_TABLE = 1 << 20  # scores at a time
_STORED: Fields = {
    "weight_start": Array("i8", "J+1", 0, "N", order="starts"),
    "weight_label": Array("i4", "N", 0, "R-1"),
    "weights": Array("f4 f2", "N"),
    "intercept": Array("f8", "R"),
}


@dataclass
class SparseScorer(FlatScorer):
    """Scores that are linear in the features, with few weights.

    Attributes
    ----------
    weights : SparseWeights
    intercept : array of shape (R,)
    """

    weights: SparseWeights
    intercept: Floats
    name = "sparse"
    rule = "the label of largest score"
    keys = ()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_by_label"}

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.weights.shape[0]

    def scores(self, reader: Any, X: Any, threads: int | None) -> Floats:
        """Return the scores of examples, shape (n, labels)."""
        return self._scores(reader.rows(X, threads), threads)

    def _scores(self, rows: Rows, threads: int | None) -> Floats:
        found = self.weights.scores(rows.start, rows.index, rows.value, thread_count(threads))
        found += self.intercept
        return found

    def predict(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> NDArray[Any]:
        """Return the label of each example.

        Scores of thousands of labels fill the memory, so some examples are scored at a time; their
        probabilities are not needed.
        """
        if decision.multilabel or decision.abstain is not None:
            return super().predict(reader, X, decision, threads)
        rows = reader.rows(X, threads)
        step, best = max(1, _TABLE // self.weights.columns), [np.empty(0, np.intp)]
        for first in range(0, len(rows.start) - 1, step):
            start = rows.start[first : first + step + 1]
            part = slice(start[0], start[-1])
            some = Rows(start - start[0], rows.index[part], rows.value[part])
            best.append(winners(self._scores(some, threads)))
        return np.asarray(decision.classes[np.concatenate(best)])

    def explained(self, reader: Any, batch: Any, column: int, verdict: Any) -> float:
        """Return the score of one example that its explanation sums to: of exact feature values."""
        index, value, _ = reader.terms(batch)
        return float(value @ self.weights[index, column] + self.intercept[column])

    @cached_property
    def _by_label(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Where the weights of each label begin, their features, and the weights."""
        order = np.argsort(self.weights.label, kind="stable")
        feature = np.repeat(np.arange(self.n_features), np.diff(self.weights.start))[order]
        counts = np.bincount(self.weights.label, minlength=self.weights.columns)
        return np.concatenate([[0], np.cumsum(counts)]), feature, self.weights.value[order]

    def weights_of(self, k: int, n_classes: int) -> Floats:
        """Return the weights that speak for class number k, shape (J,)."""
        two = self.weights.columns < n_classes
        start, feature, value = self._by_label
        part = slice(start[0 if two else k], start[(0 if two else k) + 1])
        column = np.zeros(self.n_features)
        column[feature[part]] = value[part]
        return -column if two and k == 0 else column

    def pruned(self, reader: Any, n: int) -> tuple[Any, SparseScorer]:
        """Return reader and scorer of the n features of largest weight in any class."""
        strength, weights = np.zeros(self.n_features), self.weights
        used = np.flatnonzero(np.diff(weights.start))
        if len(used):
            strength[used] = np.maximum.reduceat(np.abs(weights.value), weights.start[used])
        if reader.scale is not None:
            strength = strength * np.abs(reader.scale)
        kept = np.sort(np.argpartition(-strength, n - 1)[:n])
        return reader.pruned(kept), replace(self, weights=weights.take(kept))

    def to_file(self, dtype: str) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the scorer."""
        weights = self.weights
        return {}, {
            "weight_start": weights.start,
            "weight_label": weights.label,
            "weights": narrowed(weights.value, dtype),
            "intercept": self.intercept,
        }

    @classmethod
    def from_file(
        cls, config: Mapping[str, Any], arrays: Arrays, reader: Any, decision: Decision
    ) -> SparseScorer:
        """Return the scorer of a file, after checking it."""
        if decision.sharpness is None or reader.kind == "row":
            raise DataError("a model of weights needs a sharpness, and reads no rows")
        values = arrays.get("weights")
        n = 0 if values is None else values.size
        sizes = {"J": reader.n_features, "R": decision.columns, "N": n}
        check({name: arrays.get(name) for name in _STORED}, _STORED, sizes)
        start = np.ascontiguousarray(arrays["weight_start"])
        label = np.ascontiguousarray(arrays["weight_label"])
        if not ascends(start, label):
            raise DataError("weight_label does not ascend within a feature")
        value = np.ascontiguousarray(arrays["weights"], np.float32)
        return cls(
            SparseWeights(start, label, value, decision.columns),
            np.ascontiguousarray(arrays["intercept"]),
        )
