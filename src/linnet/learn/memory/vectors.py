"""Stored vectors of a memory-based learner: by rows, and by columns as an inverted index."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.learn.shared.inputs import Features
from linnet.stored import Array, Fields, Number

__all__ = ["MemoryVectors"]

Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

_LARGEST_FLOAT = float(np.finfo(np.float32).max)
_LARGE = 2.0**400  # lengths up to it, and down to its inverse, can be squared and multiplied


@dataclass(frozen=True)
class MemoryVectors:
    """N vectors with their classes.

    Attributes
    ----------
    start, index, value : arrays
        The vectors by rows.
    norm : array of shape (N,)
        Their lengths.
    first, row, posting : arrays
        The rows that have each column, with their values; divided by the length for cosine.
    label : array of shape (N,)
    frequency : array of shape (K,)
    cosine : bool
    """

    stored: ClassVar[Fields] = {
        "index": Array("i4", "stored", 0, "J-1"),
        "value": Array("f8", "stored"),
        "start": Array("i8", "n+1", 0, "stored", order="starts"),
        "norm": Array("f8", "n", low=0),
        "row": Array("i4", "stored", 0, "n-1"),
        "posting": Array("f4", "stored"),
        "first": Array("i8", "J+1", 0, "stored", order="starts"),
        "label": Array("i4", "n", 0, "K-1"),
        "frequency": Array("f8", "K", low=0),
        "cosine": Number(bool),
    }
    start: Longs
    index: Ints
    value: Floats
    norm: Floats
    first: Longs
    row: Ints
    posting: NDArray[np.float32]
    label: Ints
    frequency: Floats
    cosine: bool

    @classmethod
    def store(cls, features: Features, gold: Ints, *, cosine: bool) -> MemoryVectors:
        """Keep vectors with classes `gold`, numbered by first appearance."""
        start, index, value, norm = _rows(features, cosine=cosine)
        of_row = np.repeat(np.arange(features.rows, dtype=np.int32), np.diff(start))
        by_column = np.argsort(index, kind="stable")
        first = np.zeros(features.cols + 1, np.int64)
        np.cumsum(np.bincount(index, minlength=features.cols), out=first[1:])
        row = of_row[by_column]
        posting = value[by_column]
        if cosine:
            posting = posting / np.where(norm > 0, norm, 1.0)[row]
        narrow = np.clip(posting, -_LARGEST_FLOAT, _LARGEST_FLOAT).astype(np.float32)
        frequency = np.bincount(gold).astype(np.float64)
        return cls(start, index, value, norm, first, row, narrow, gold, frequency, cosine)

    def check(self) -> None:
        """Refuse what a forged file may hold: lengths that the vectors have not."""
        _, norm = _lengths(self.start, self.value, self.cosine)
        if not np.allclose(norm, self.norm, rtol=1e-12, atol=0.0):
            raise DataError("the lengths of the stored vectors are wrong")
        _ = self._core  # it checks the rest, and is needed anyway

    def elect(
        self, features: Features, settings: _core.MemorySettings, threads: int
    ) -> tuple[Ints, Floats]:
        """Return the class of each vector, by first appearance, and the votes of all classes."""
        winner = np.empty(features.rows, np.int32)
        votes = np.empty((features.rows, len(self.frequency)))
        queries = _core.Vectors(*_rows(features, cosine=self.cosine))
        _core.classify_by_vectors(self._core, queries, settings, winner, votes, threads)
        return winner, votes

    def nearest(self, features: Features, k: int, threads: int) -> tuple[Floats, Ints]:
        """Return distances and rows of the k nearest stored vectors, each of shape (n, k)."""
        rows, distances = np.empty((features.rows, k), np.int32), np.empty((features.rows, k))
        queries = _core.Vectors(*_rows(features, cosine=self.cosine))
        _core.nearest_vectors(self._core, queries, rows, distances, threads)
        return distances, rows

    @cached_property
    def _core(self) -> _core.VectorMemory:
        """What the core searches; made and checked once, and not part of the stored state."""
        stored = _core.Vectors(self.start, self.index, self.value, self.norm)
        return _core.VectorMemory(
            stored, self.first, self.row, self.posting, self.label, self.frequency, self.cosine
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_core"}


def _rows(features: Features, *, cosine: bool) -> tuple[Longs, Ints, Floats, Floats]:
    csr = features.csr
    start = csr.indptr.astype(np.int64)
    value = csr.data[: start[-1]].astype(np.float64)
    index = csr.indices[: start[-1]].astype(np.int32)
    value, norm = _lengths(start, value, cosine)
    return start, index, value, norm


def _lengths(start: Longs, value: Floats, cosine: bool) -> tuple[Floats, Floats]:
    """Return values and the length of each row.

    Rows whose squares cannot be held are divided by a power of two before they are squared. Angles
    do not depend on it, so for cosine they stay as they are then.
    """
    rows = len(start) - 1
    of_row = np.repeat(np.arange(rows), np.diff(start))
    with np.errstate(over="ignore", under="ignore"):
        norm = np.sqrt(np.bincount(of_row, weights=value * value, minlength=rows))
    extreme = ~((norm > 1 / _LARGE) & (norm < _LARGE))
    if not extreme[of_row].any():
        return value, norm
    largest = np.zeros(rows)
    np.maximum.at(largest, of_row, np.abs(value))
    power = np.where(extreme, np.frexp(largest)[1], 0)
    shrunk = np.ldexp(value, -power[of_row])
    norm = np.sqrt(np.bincount(of_row, weights=shrunk * shrunk, minlength=rows))
    if cosine:
        return shrunk, norm
    with np.errstate(over="ignore"):
        return value, np.minimum(np.ldexp(norm, power), np.finfo(np.float64).max)
