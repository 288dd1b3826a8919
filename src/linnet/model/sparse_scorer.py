"""Linear scores from few weights: of each feature only the labels for which it matters.

The weights of feature j are ``value[start[j]:start[j + 1]]``, for the labels at the same places of
``label``; all others are 0. Scores are summed in the core, over the stored weights alone. NumPy and
the core are all that is imported here, so a saved model starts fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.model.decision import Decision
from linnet.model.scorers import FlatScorer, narrowed
from linnet.stored import Array, Fields, check
from linnet.threads import thread_count

__all__ = ["SparseScorer", "SparseWeights"]

Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]
_CACHED = ("_pairs", "_wide", "_by_label")
_BLOCK = 1 << 22  # weights looked at together
_STORED: Fields = {
    "weight_start": Array("i8", "J+1", 0, "N", order="starts"),
    "weight_label": Array("i4", "N", 0, "R-1"),
    "weights": Array("f4 f2", "N"),
    "intercept": Array("f8", "R"),
}


@dataclass(frozen=True)
class SparseWeights:
    """A table of weights, shape (J, R), of which few are not 0.

    Attributes
    ----------
    start : int64 array of shape (J + 1,)
    label : int32 array of shape (N,), ascending within a feature
    value : float32 array of shape (N,)
    columns : int
        R, the number of labels; 1 for two.

    Examples
    --------
    >>> weights = SparseWeights.of(np.array([[0.0, 2.0], [0.1, -3.0]], np.float32), 0.5)
    >>> weights.shape, len(weights.value), weights[np.array([1, 0]), 1].tolist()
    ((2, 2), 2, [-3.0, 2.0])
    """

    start: NDArray[np.int64]
    label: NDArray[np.int32]
    value: NDArray[np.float32]
    columns: int

    @classmethod
    def of(cls, weights: NDArray[Any], least: float) -> SparseWeights:
        """Return what a table holds that is at least so large, whatever its sign, and not 0."""
        step = max(1, _BLOCK // weights.shape[1])
        start, labels, values = np.zeros(len(weights) + 1, np.int64), [], []
        for first in range(0, len(weights), step):
            part = weights[first : first + step]
            size = np.abs(part)
            row, label = np.nonzero((size >= least) & (size > 0))
            start[first + 1 : first + 1 + len(part)] = np.bincount(row, minlength=len(part))
            labels.append(label.astype(np.int32))
            values.append(part[row, label].astype(np.float32))
        empty = (np.empty(0, np.int32), np.empty(0, np.float32))
        return cls(
            np.cumsum(start), np.concatenate([empty[0], *labels]),
            np.concatenate([empty[1], *values]), weights.shape[1],
        )  # fmt: skip

    @property
    def shape(self) -> tuple[int, int]:
        """The number of features and of labels."""
        return len(self.start) - 1, self.columns

    def __getitem__(self, place: tuple[NDArray[Any], int]) -> NDArray[np.float32]:
        """Return the weights of some features for one label."""
        features, label = place
        found = np.zeros(len(features), np.float32)
        for number, j in enumerate(np.asarray(features).tolist()):
            first, last = self.start[j], self.start[j + 1]
            at = first + np.searchsorted(self.label[first:last], label)
            if at < last and self.label[at] == label:
                found[number] = self.value[at]
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the whole table, with its zeros."""
        table = np.zeros(self.shape, np.float32)
        table[np.repeat(np.arange(self.shape[0]), np.diff(self.start)), self.label] = self.value
        return table if dtype is None else table.astype(dtype)

    def astype(self, dtype: Any) -> NDArray[Any]:
        """Return the whole table in another type, for who needs it so."""
        return self.__array__(dtype)

    def take(self, kept: NDArray[np.intp]) -> SparseWeights:
        """Return the weights of some features."""
        lengths = np.diff(self.start)[kept]
        start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = np.repeat(self.start[kept] - start[:-1], lengths) + np.arange(start[-1])
        return SparseWeights(start, self.label[at], self.value[at], self.columns)


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
        return {name: value for name, value in vars(self).items() if name not in _CACHED}

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.weights.shape[0]

    @cached_property
    def _pairs(self) -> Any:
        return _core.Pairs(self.weights.start, self.weights.label, self.weights.columns)

    @cached_property
    def _wide(self) -> Floats:
        return self.weights.value.astype(np.float64)

    def scores(self, reader: Any, X: Any, threads: int | None) -> Floats:
        """Return the scores of examples, shape (n, labels)."""
        rows = reader.rows(X, threads)
        n = len(rows.start) - 1
        out = np.zeros((n, self.weights.columns))
        if n and len(self._wide):
            matrix = _core.Matrix(rows.start, rows.index, rows.value, self.n_features)
            each = _core.Chain(matrix, np.arange(n + 1), self._pairs)
            _core.state_scores(each, self._wide, out, thread_count(threads))
        out += self.intercept
        if not np.isfinite(out).all():
            raise DataError("A score is too large for a number of 64 bits; rescale the features.")
        return out

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
        scale = None if reader.extractor is None else reader.extractor.scale
        if scale is not None:
            strength = strength * np.abs(scale)
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
        rising = np.ones(n, bool)
        rising[1:] = label[1:] > label[:-1]
        rising[start[:-1][start[:-1] < n]] = True  # a feature's first
        if not rising.all():
            raise DataError("weight_label does not ascend within a feature")
        value = np.ascontiguousarray(arrays["weights"], np.float32)
        return cls(
            SparseWeights(start, label, value, decision.columns),
            np.ascontiguousarray(arrays["intercept"]),
        )
