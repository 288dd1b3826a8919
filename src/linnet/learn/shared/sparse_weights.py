"""A table of weights of which few are not 0: stored by feature, scored in the core.

The weights of feature j are ``value[start[j]:start[j + 1]]``, for the labels at the same places of
``label``; all others are 0. NumPy and the core are all that is imported here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError

__all__ = ["SparseWeights", "ascends"]

Floats = NDArray[np.float64]
_BLOCK = 1 << 22  # weights looked at together
_CACHED = ("_pairs", "_wide")


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

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _CACHED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    @cached_property
    def _pairs(self) -> Any:
        return _core.Pairs(self.start, self.label, self.columns)

    @cached_property
    def _wide(self) -> Floats:
        return self.value.astype(np.float64)

    def scores(
        self, start: NDArray[Any], index: NDArray[Any], value: NDArray[Any], threads: int
    ) -> Floats:
        """Return the products of the rows of a CSR matrix with the weights, shape (n, labels).

        Only stored weights are looked at, and the order of the sums is that of the columns.
        """
        n = len(start) - 1
        out = np.zeros((n, self.columns))
        if n and len(self.value):
            matrix = _core.Matrix(
                np.ascontiguousarray(start, np.int64), np.ascontiguousarray(index, np.int32),
                np.ascontiguousarray(value), self.shape[0],
            )  # fmt: skip
            each = _core.Chain(matrix, np.arange(n + 1), self._pairs)
            _core.state_scores(each, self._wide, out, threads)
        if not np.isfinite(out).all():
            raise DataError("A score is too large for a number of 64 bits; rescale the features.")
        return out


def ascends(start: NDArray[np.int64], label: NDArray[np.int32]) -> bool:
    """Tell whether the labels ascend within each feature.

    Examples
    --------
    >>> ascends(np.array([0, 2, 3]), np.array([0, 4, 1]))
    True
    >>> ascends(np.array([0, 2]), np.array([1, 0]))
    False
    """
    rising = np.ones(len(label), bool)
    rising[1:] = label[1:] > label[:-1]
    rising[start[:-1][start[:-1] < len(label)]] = True  # a feature's first
    return bool(rising.all())
