"""From rows of attribute values to what a learner takes: the rows themselves, or vectors.

A symbol becomes an indicator ``column=value`` (SPEC M-72), a number stays a number. Beside symbols
numbers are divided by their range in training, as :class:`linnet.MemoryBased` does, so that a
column of prices does not drown the indicators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import RowTable
from linnet.errors import DataError, ParameterError
from linnet.learn.attribute_columns import columns_of
from linnet.learn.attributes import Attributes
from linnet.learn.density import GaussianBayes, ParzenWindows
from linnet.learn.naive_bayes import GaussianNB

__all__ = ["RowVectors", "as_table", "one_row", "takes_numbers", "takes_rows"]


def takes_rows(learner: Any) -> bool:
    """Tell whether a learner compares attribute values itself, and needs no vectors.

    Examples
    --------
    >>> import linnet
    >>> takes_rows(linnet.DecisionTree()), takes_rows(linnet.MemoryBased(metric="cosine"))
    (True, False)
    """
    return bool(learner.__sklearn_tags__().input_tags.categorical)


def takes_numbers(learner: Any) -> bool:
    """Tell whether a learner is about densities of numbers, where indicators make no sense."""
    return isinstance(learner, (GaussianBayes, GaussianNB, ParzenWindows))


def as_table(X: Any, names: list[str] | None = None) -> RowTable:
    """Return rows in any form as a table; with `names`, those columns in that order.

    Columns of data frames, dictionaries and tables are found by their names, those of plain rows
    by their places.

    Examples
    --------
    >>> as_table([["sunny", 21.0], ["rain", 12.0]]).names
    ['x0', 'x1']
    >>> as_table([{"b": 1, "a": "x", "c": 2}], ["a", "b"]).row(0)
    ['x', 1]
    """
    if hasattr(X, "rows") and hasattr(X, "names") and isinstance(X.rows, list):
        X = RowTable(list(X.names), [list(column) for column in zip(*X.rows, strict=True)])
    if isinstance(X, (str, bytes, Mapping)):
        raise DataError("X must hold many rows, this is a single one; pass a list of rows.")
    if hasattr(X, "columns") and hasattr(X, "shape"):
        found, columns = columns_of(X, None)
        if names is not None:
            absent = [name for name in names if name not in found]
            if absent:
                raise DataError(f"X has no column {absent[0]!r}; it has {', '.join(found)}.")
            columns, found = [columns[found.index(name)] for name in names], names
        return RowTable(found, list(columns))
    if isinstance(X, Sequence) and len(X) and isinstance(X[0], str):
        raise DataError("Each row must be a list of values; for texts use TextClassifier.")
    return RowTable(*columns_of(X, names))


def one_row(row: Any, names: list[str]) -> RowTable:
    """Return one row, given as values, a dictionary or a data frame of one row, as a table."""
    if isinstance(row, RowTable) or (hasattr(row, "columns") and hasattr(row, "shape")):
        table = as_table(row, names)
        if len(table) != 1:
            raise DataError(f"explain takes one row, got {len(table)}.")
        return table
    if isinstance(row, str):
        raise DataError("A row is a list of values, not a string.")
    return as_table([row], names)


@dataclass(frozen=True)
class RowVectors:
    """Attribute values as vectors.

    Attributes
    ----------
    attributes : Attributes
        The columns, and the values of the symbolic ones.
    divisor : array of shape (columns,)
        By which numbers are divided; 1 when there are only numbers.

    Examples
    --------
    >>> rows = as_table([["a", 2.0], ["b", 6.0]])
    >>> vectors = RowVectors.fit(rows, None)
    >>> vectors.names(), vectors.matrix(rows).toarray().tolist()
    (['x0=a', 'x0=b', 'x1'], [[1.0, 0.0, 0.5], [0.0, 1.0, 1.5]])
    """

    attributes: Attributes
    divisor: NDArray[np.float64]

    @classmethod
    def fit(cls, table: RowTable, kinds: Any) -> RowVectors:
        """Learn the columns of training rows."""
        attributes = Attributes.fit(table, kinds)
        divisor = np.ones(len(attributes.names))
        if "symbolic" in attributes.kinds:
            read = attributes.transform(table)
            for j, column in enumerate(read.columns):
                spread = np.ptp(column[~np.isnan(column)]) if column.dtype.kind == "f" else 0.0
                divisor[j] = spread or 1.0
        return cls(attributes, divisor)

    @property
    def width(self) -> int:
        """The number of features."""
        return sum(map(len, self._parts()))

    def names(self) -> list[str]:
        """Return the name of each feature."""
        return [name for part in self._parts() for name in part]

    def _parts(self) -> list[list[str]]:
        own = self.attributes
        return [
            [name] if kind == "numeric" else [f"{name}={value}" for value in values]
            for name, kind, values in zip(own.names, own.kinds, own.values, strict=True)
        ]

    def require_numbers(self, learner: str) -> None:
        """Refuse symbolic columns for a learner that is about numbers."""
        for name, kind in zip(self.attributes.names, self.attributes.kinds, strict=True):
            if kind == "symbolic":
                raise ParameterError(
                    f"{learner} takes numbers, and column {name} holds symbols; leave the column "
                    "out, or use MemoryBased, DecisionTree, KernelSVM or a linear learner."
                )

    def matrix(self, table: RowTable) -> Any:
        """Return the vectors of rows as a sparse matrix; values not seen in training are 0."""
        from scipy.sparse import csr_matrix

        read = self.attributes.transform(table)
        rows, index, value, first = [], [], [], 0
        for j, (name, column) in enumerate(zip(self.attributes.names, read.columns, strict=True)):
            if column.dtype.kind == "f":
                if np.isnan(column).any():
                    row = int(np.flatnonzero(np.isnan(column))[0])
                    raise DataError(
                        f"Input X contains NaN: column {name}, row {row} is missing, and a vector "
                        "needs all its numbers; fill it, or use MemoryBased or DecisionTree."
                    )
                there = np.flatnonzero(column)
                index.append(np.full(len(there), first))
                value.append(column[there] / self.divisor[j])
                first += 1
            else:
                there = np.flatnonzero(column >= 0)
                index.append(first + column[there])
                value.append(np.ones(len(there)))
                first += len(self.attributes.values[j])
            rows.append(there)
        cells = (np.concatenate(value), (np.concatenate(rows), np.concatenate(index)))
        return csr_matrix(cells, shape=(read.n_rows, first))
