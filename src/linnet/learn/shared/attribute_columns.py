"""Columns of attribute values from what users pass: lists of rows, dictionaries, arrays, frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

__all__ = ["Column", "columns_of"]

Column: TypeAlias = list[Any] | NDArray[Any]


def columns_of(X: Any, names: list[str] | None) -> tuple[list[str], list[Column]]:
    """Return names and columns of X; with `names`, those of the training rows, in their order."""
    if hasattr(X, "columns") and hasattr(X, "shape"):  # a data frame
        found, columns = [str(name) for name in X.columns], [_series(X[c]) for c in X.columns]
    elif isinstance(X, Sequence) and not isinstance(X, str) and len(X) and _is_mapping(X[0]):
        found, columns = _from_dictionaries(X, names)
    else:
        columns = _from_rows(X)
        found = [f"x{j}" for j in range(len(columns))] if names is None else names
    n_rows = len(columns[0]) if columns else len(X)
    if not columns:
        shape = f"({n_rows}, 0)"
        raise DataError(f"X has 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
    if n_rows == 0:
        raise DataError("X has 0 samples; at least one row is needed.")
    if names is not None and len(columns) != len(names):
        raise DataError(f"X has {len(columns)} features, but the training rows have {len(names)}.")
    return found, columns


def _is_mapping(row: object) -> bool:
    return isinstance(row, Mapping)


def _series(column: Any) -> Column:
    """Return a column of a data frame as an array of numbers or a list of values."""
    kind = getattr(getattr(column, "dtype", None), "kind", "O")
    if kind in "iufb":
        plain: NDArray[Any] = np.asarray(column)
        if plain.dtype.kind in "iufb":  # not so for nullable types
            return plain
    return list(np.asarray(column, dtype=object).tolist())


def _from_dictionaries(X: Sequence[Any], names: list[str] | None) -> tuple[list[str], list[Any]]:
    """Return columns by name; a row without a name misses its value."""
    for number, row in enumerate(X):
        if not isinstance(row, Mapping):
            raise DataError(f"Row {number} is a {type(row).__name__}, not a dictionary.")
    found = names if names is not None else list(dict.fromkeys(name for row in X for name in row))
    return [str(name) for name in found], [[row.get(name) for row in X] for name in found]


def _from_rows(X: Any) -> list[Column]:
    if hasattr(X, "toarray"):
        raise DataError(
            "X is sparse; attributes are dense rows. Use X.toarray(), or a learner and a metric "
            "for sparse vectors."
        )
    if hasattr(X, "__array__") and not isinstance(X, (list, tuple)):
        return _from_array(np.asarray(X))
    if isinstance(X, str) or not isinstance(X, Iterable):
        raise DataError(f"X must hold rows of attributes, got a {type(X).__name__}.")
    rows = list(X)
    if rows and all(isinstance(row, np.ndarray) and row.dtype.kind in "iufb" for row in rows):
        return _from_array(np.array(rows)) if len({row.shape for row in rows}) == 1 else []
    if set(map(type, rows)) <= {list, tuple} and len(set(map(len, rows))) == 1:
        return [list(column) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        if isinstance(row, str) or not isinstance(row, Iterable):
            raise DataError(
                f"Row {number} is a {type(row).__name__}, not a row of attributes. Expected 2D "
                "data. Reshape your data: one list of values for each example; texts are for "
                "linnet.TextClassifier."
            )
    rows = [row if isinstance(row, (list, tuple)) else list(row) for row in rows]
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise DataError(f"Row {number} has {len(row)} values, row 0 has {len(rows[0])}.")
    return [list(column) for column in zip(*rows, strict=True)]


def _from_array(X: NDArray[Any]) -> list[Column]:
    if X.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {X.ndim}D array instead. Reshape your data: one row for "
            "each example, one column for each attribute."
        )
    if X.dtype.kind == "c":
        raise DataError("Complex data not supported: attributes are symbols or real numbers.")
    if X.dtype.kind in "iufb":
        return list(np.ascontiguousarray(X.T))
    return [column.tolist() for column in X.T]
