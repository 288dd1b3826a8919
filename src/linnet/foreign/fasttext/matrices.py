"""The input matrix of a fastText model: dense, or quantised.

Quantised, each row is cut into parts of a few columns; a part is one byte, the number of one of 256
centroids, and a row may have a norm, one of 256 too, that multiplies all its parts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.model.scorers.flat import narrowed
from linnet.stored import Array, Fields, Number, check

__all__ = ["MOST", "Dense", "Quantised", "stored_matrix"]

Arrays = dict[str, NDArray[Any]]
Values = NDArray[np.float32]
_BLOCK = 1 << 18  # numbers of a block: a few megabytes, which stay in a processor's cache
_WRITTEN_OUT = 1 << 24  # numbers that a quantised matrix is written out to, for speed
#: The largest number of a matrix: products of such, and their sums, are numbers of 32 bits still.
MOST = 1e6
_DENSE: Fields = {"input": Array("f4 f2", "J D", -MOST, MOST)}
_QUANTISED: Fields = {
    "code": Array("u1", "J P"),
    "centroid": Array("f4", "C", -MOST, MOST),
    "norm_code": Array("u1", "J", optional=True),
    "norm": Array("f4", "256", -MOST, MOST, optional=True),
}


class _Matrix(ABC):
    shape: tuple[int, int]

    @abstractmethod
    def block(self, first: int, last: int) -> Values:
        """Return some rows."""

    def blocks(self) -> Iterator[tuple[int, Values]]:
        """Yield all rows, some at a time, with the number of the first."""
        rows, dim = self.shape
        step = max(1, _BLOCK // dim)
        for first in range(0, rows, step):
            yield first, self.block(first, min(rows, first + step))


@dataclass(frozen=True)
class Dense(_Matrix):
    """A matrix of 32-bit numbers, perhaps a view of a file."""

    values: Values

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """The numbers of rows and of columns."""
        return self.values.shape[0], self.values.shape[1]

    def block(self, first: int, last: int) -> Values:
        """Return some rows."""
        return self.values[first:last]

    def take(self, rows: NDArray[Any]) -> Values:
        """Return rows by their numbers."""
        return np.asarray(self.values[rows])

    def for_core(self, *output: Any) -> Any:
        """Return the matrix and what follows it as the core takes them."""
        values = self.values
        if not values.flags.aligned or not values.flags.c_contiguous:
            values = np.array(values)  # a file may have it between two words
        return _core.FastTextMatrices(values, *output)

    def to_file(self, dtype: str) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the matrix."""
        return {"width": 0}, {"input": narrowed(self.values, dtype)}


@dataclass(frozen=True)
class Quantised(_Matrix):
    """A matrix of codes: [rows, parts], centroids [parts, 256, width], and norms of rows."""

    code: NDArray[np.uint8]
    centroid: Values
    width: int
    norm_code: NDArray[np.uint8] | None = None
    norm: Values | None = None

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """The numbers of rows and of columns."""
        return len(self.code), len(self.centroid) // 256

    @cached_property
    def _parts(self) -> list[Values]:
        """The centroids of each part, shape (256, width); the last may be narrower."""
        dim, width = self.shape[1], self.width
        starts = range(0, dim, width)
        return [
            self.centroid[256 * at : 256 * min(dim, at + width)].reshape(256, -1) for at in starts
        ]

    def block(self, first: int, last: int) -> Values:
        """Return some rows, written out."""
        return self.take(slice(first, last))

    def take(self, rows: NDArray[Any] | slice) -> Values:
        """Return rows by their numbers, written out."""
        code = self.code[rows]
        values = np.empty((len(code), self.shape[1]), np.float32)
        for m, part in enumerate(self._parts):
            values[:, m * self.width : (m + 1) * self.width] = part[code[:, m]]
        if self.norm is not None and self.norm_code is not None:
            values *= self.norm[self.norm_code[rows]][:, None]
        return values

    def without_norms(self) -> Quantised:
        """Return the matrix before its rows are multiplied by their norms."""
        return replace(self, norm_code=None, norm=None)

    def for_core(self, *output: Any) -> Any:
        """Return the matrix and what follows it as the core takes them."""
        rows, dim = self.shape
        if rows * dim <= _WRITTEN_OUT:
            return Dense(self.block(0, rows)).for_core(*output)
        code = np.ascontiguousarray(self.code)
        return _core.FastTextMatrices(
            code, self.norm_code, self.centroid, self.norm, self.width, *output
        )

    def to_file(self, dtype: str) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the matrix."""
        arrays: Arrays = {"code": self.code, "centroid": self.centroid}
        if self.norm is not None and self.norm_code is not None:
            arrays |= {"norm_code": self.norm_code, "norm": self.norm}
        return {"width": self.width}, arrays


def stored_matrix(config: Mapping[str, Any], arrays: Arrays, rows: int) -> Dense | Quantised:
    """Return the matrix of a file, after checking it."""
    width = config["width"]
    if "input" in arrays:
        check({"input": arrays["input"]}, _DENSE, {"J": rows})
        return Dense(np.ascontiguousarray(arrays["input"], np.float32))
    check({name: arrays.get(name) for name in _QUANTISED}, _QUANTISED, {"J": rows})
    Number(int, low=1, high=1 << 24).check("width", width, {})
    dim, parts = len(arrays["centroid"]) // 256, arrays["code"].shape[1]
    if dim < 1 or 256 * dim != len(arrays["centroid"]) or parts != -(-dim // width):
        raise DataError(f"{parts} parts of width {width} do not make {dim} columns")
    if ("norm" in arrays) != ("norm_code" in arrays):
        raise DataError("norms need codes and values")
    return Quantised(
        arrays["code"], arrays["centroid"], width, arrays.get("norm_code"), arrays.get("norm")
    )
