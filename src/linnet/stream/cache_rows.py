"""A matrix whose rows lie on disk: CSR arrays that are mapped, not read.

Learners take it as any sparse matrix, and the core sees views of the mapped arrays. What SciPy
would copy into memory stays on disk or is done in pieces: choosing rows writes another file, one
without a name, and multiplying goes through the rows block by block.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.data.columns import offsets, runs

__all__ = ["MappedRows", "row_blocks"]

_ENTRIES = 1 << 20  # stored values that are in memory at once


class MappedRows(sp.csr_matrix):  # type: ignore[misc]
    """CSR over mapped arrays.

    Parameters
    ----------
    start : int64 array of shape (rows + 1,)
    index : int32 array, ascending in each row
    value : float32 array
    columns : int
    folder : path
        Where chosen rows are written.
    """

    def __init__(
        self,
        start: NDArray[np.int64],
        index: NDArray[np.int32],
        value: NDArray[np.float32],
        columns: int,
        folder: str | os.PathLike[str],
    ) -> None:
        super().__init__((len(start) - 1, columns), dtype=np.float32)
        # Set and not handed to SciPy, which would look at every value and widen the columns.
        self.indptr = start.astype(np.int32) if start[-1] < 2**31 else start
        self.indices, self.data = index, value
        self.has_sorted_indices = self.has_canonical_format = True
        self.folder = folder

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, np.ndarray) and key.ndim == 1:
            return self._chosen(np.flatnonzero(key) if key.dtype == bool else key)
        if isinstance(key, slice) and key.step in (None, 1):
            first, last, _ = key.indices(self.shape[0])
            return self._stretch(first, max(first, last))
        raise TypeError("rows on disk are chosen by an array of numbers, or by a slice")

    def __matmul__(self, other: Any) -> NDArray[Any]:
        """Return the product with a dense array."""
        edges = row_blocks(self.indptr, _ENTRIES)
        return np.concatenate([np.asarray(self._stretch(a, b) @ other) for a, b in edges])

    def _stretch(self, first: int, last: int) -> sp.csr_matrix:
        """Return consecutive rows, in memory."""
        low, high = self.indptr[first], self.indptr[last]
        start = self.indptr[first : last + 1] - low
        parts = (np.array(self.data[low:high]), np.array(self.indices[low:high]), start)
        return sp.csr_matrix(parts, shape=(last - first, self.shape[1]))

    def _chosen(self, rows: NDArray[np.integer[Any]]) -> Self:
        """Return some rows, on disk."""
        sizes = np.diff(self.indptr)[rows].astype(np.int64)
        start, places = offsets(sizes), self.indptr[rows].astype(np.int64)
        stored = int(start[-1])
        with TemporaryFile(dir=self.folder) as file:
            for array in (self.indices, self.data):
                for a, b in row_blocks(start, _ENTRIES):
                    file.write(array[runs(places[a:b], sizes[a:b])].data)
            file.write(b"\0" * 4)  # a file of no bytes cannot be mapped
            file.flush()
            words = np.memmap(file, np.int32, "r")
        index, value = np.asarray(words[:stored]), np.asarray(words[stored : 2 * stored])
        columns = self.shape[1]
        return type(self)(start, index, value.view(np.float32), columns, self.folder)


def row_blocks(start: NDArray[Any], entries: int) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of stretches of rows with about so many entries, at least one row each.

    Examples
    --------
    >>> list(row_blocks(np.array([0, 2, 3, 9, 10]), 4))
    [(0, 2), (2, 3), (3, 4)]
    """
    first, rows = 0, len(start) - 1
    while first < rows:
        last = int(np.searchsorted(start, start[first] + entries, side="right")) - 1
        last = min(max(last, first + 1), rows)
        yield first, last
        first = last
