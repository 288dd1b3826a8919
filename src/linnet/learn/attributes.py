"""Attribute-value rows: from what users pass to columns of codes and numbers (SPEC D-11, M-98).

Memory-based learning and decision trees need no vectors. An example is a row of attributes, each
of them symbolic (equal or different) or numeric (ordered, with differences). X may be a list of
rows, a list of dictionaries, an array of any type, or a data frame. :class:`Attributes` remembers
the columns of the training data, :class:`AttributeTable` holds rows read with it:

===========  ==========================================================================
symbolic     int32 codes 0, 1, ... in order of first appearance in the training rows;
             :data:`UNSEEN` (-1) for other values; :data:`MISSING` (-2)
numeric      float64; NaN is missing
===========  ==========================================================================

Missing are None, NaN and the NA and NaT of data frames. A column is numeric when each of its
values is a number; truth values and text are symbolic, also the text "12".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError

__all__ = ["MISSING", "UNSEEN", "AttributeTable", "Attributes", "Kind", "Kinds", "columns_of"]

Kind: TypeAlias = Literal["symbolic", "numeric"]
Kinds: TypeAlias = Kind | Sequence[Kind] | Mapping[str, Kind] | None

UNSEEN = -1
MISSING = -2


@dataclass(frozen=True)
class AttributeTable:
    """Rows of attributes, column by column.

    Attributes
    ----------
    n_rows : int
    kinds : list of {"symbolic", "numeric"}
    columns : list of arrays of shape (n_rows,)
        int32 codes of a symbolic, float64 numbers of a numeric column.
    """

    n_rows: int
    kinds: list[Kind]
    columns: list[NDArray[Any]]

    def has_missing(self, column: int) -> bool:
        """Tell whether a value of the column is missing."""
        values = self.columns[column]
        if self.kinds[column] == "numeric":
            return bool(np.isnan(values).any())
        return bool((values == MISSING).any())


@dataclass(frozen=True)
class Attributes:
    """The columns of training rows: names, kinds, and the values of the symbolic ones.

    Attributes
    ----------
    names : list of str
        From a data frame or dictionaries; else x0, x1, ….
    kinds : list of {"symbolic", "numeric"}
    values : list of lists
        The values of each symbolic column in order of first appearance; empty for a numeric one.

    Examples
    --------
    >>> rows = [["sunny", 21.5], ["rain", 12], ["sunny", None]]
    >>> attributes = Attributes.fit(rows)
    >>> attributes.kinds, attributes.values
    (['symbolic', 'numeric'], [['sunny', 'rain'], []])
    >>> attributes.transform([["rain", 3.0], ["snow", None], [None, 1.0]]).columns
    [array([ 1, -1, -2], dtype=int32), array([ 3., nan,  1.])]
    """

    names: list[str]
    kinds: list[Kind]
    values: list[list[Any]]

    @classmethod
    def fit(cls, X: Any, kinds: Kinds = None) -> Attributes:
        """Learn names, kinds and values from rows.

        Parameters
        ----------
        X : list of rows, list of dictionaries, array or data frame
        kinds : None, "symbolic", "numeric", list of these, or dict from name to one of these
            None lets the values of each column decide; a dictionary does so for what it leaves
            out.
        """
        names, columns = columns_of(X, None)
        chosen = [
            kind or _kind(values)
            for kind, values in zip(_given_kinds(kinds, names), columns, strict=True)
        ]
        found: list[list[Any]] = []
        for name, kind, column in zip(names, chosen, columns, strict=True):
            if kind == "symbolic":
                found.append(_distinct(name, column))
            else:
                if np.isnan(_numbers(name, column)).all():
                    raise DataError(_only_missing(name))
                found.append([])
        return cls(names, chosen, found)

    def transform(self, X: Any) -> AttributeTable:
        """Read rows with the columns of the training data."""
        _, columns = columns_of(X, self.names)
        parts = zip(self.names, self.kinds, self.values, columns, strict=True)
        read = [
            _codes(name, values, column) if kind == "symbolic" else _numbers(name, column)
            for name, kind, values, column in parts
        ]
        return AttributeTable(len(read[0]), list(self.kinds), read)


# --- columns -----------------------------------------------------------------------------------

_Column: TypeAlias = list[Any] | NDArray[Any]


def columns_of(X: Any, names: list[str] | None) -> tuple[list[str], list[_Column]]:
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


def _series(column: Any) -> _Column:
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


def _from_rows(X: Any) -> list[_Column]:
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
                "data. Reshape your data: one list of values for each example."
            )
    rows = [row if isinstance(row, (list, tuple)) else list(row) for row in rows]
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise DataError(f"Row {number} has {len(row)} values, row 0 has {len(rows[0])}.")
    return [list(column) for column in zip(*rows, strict=True)]


def _from_array(X: NDArray[Any]) -> list[_Column]:
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


# --- kinds -------------------------------------------------------------------------------------


def _given_kinds(kinds: Kinds, names: list[str]) -> list[Kind | None]:
    given: list[Any]
    if kinds is None or isinstance(kinds, str):
        given = [kinds] * len(names)
    elif isinstance(kinds, Mapping):
        unknown = [name for name in kinds if name not in names]
        if unknown:
            raise ParameterError(f"kinds names columns that X does not have: {unknown}.")
        given = [kinds.get(name) for name in names]
    else:
        given = list(kinds)
        if len(given) != len(names):
            raise ParameterError(f"kinds has {len(given)} values for {len(names)} columns.")
    for kind in given:
        if kind not in (None, "symbolic", "numeric"):
            raise ParameterError(f"a kind is 'symbolic' or 'numeric', got {kind!r}.")
    return given


def _kind(column: _Column) -> Kind:
    if isinstance(column, np.ndarray):
        return "symbolic" if column.dtype.kind == "b" else "numeric"
    present = {type(value) for value in column}
    if all(issubclass(t, Real) and not issubclass(t, bool) for t in present - {type(None)}):
        return "numeric"
    values = (value for value in column if not _is_missing(value))
    number = all(isinstance(v, (Real, np.number)) and not isinstance(v, bool) for v in values)
    return "numeric" if number else "symbolic"


def _is_missing(value: object) -> bool:
    """Tell None, NaN, NaT and NA: the last is neither equal to itself nor not so."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


# --- values ------------------------------------------------------------------------------------


def _distinct(name: str, column: _Column) -> list[Any]:
    """Return the values of a symbolic column in order of first appearance."""
    values = column.tolist() if isinstance(column, np.ndarray) else column
    try:
        distinct = [value for value in dict.fromkeys(values) if not _is_missing(value)]
    except TypeError:
        raise DataError(_unhashable(name, values)) from None
    if not distinct:
        raise DataError(_only_missing(name))
    return [value.item() if isinstance(value, np.generic) else value for value in distinct]


def _only_missing(name: str) -> str:
    return f"Column {name} has no value at all, only missing ones (NaN or None); leave it out."


def _codes(name: str, values: list[Any], column: _Column) -> NDArray[np.int32]:
    read = column.tolist() if isinstance(column, np.ndarray) else column
    number = {value: code for code, value in enumerate(values)}
    try:
        codes = np.fromiter(map(number.get, read, repeat(UNSEEN)), np.int32, len(read))
    except TypeError:
        raise DataError(_unhashable(name, read)) from None
    for row in np.flatnonzero(codes == UNSEEN).tolist():
        if _is_missing(read[row]):
            codes[row] = MISSING
    return codes


def _unhashable(name: str, values: list[Any]) -> str:
    for row, value in enumerate(values):
        try:
            hash(value)
        except TypeError:
            kind = type(value).__name__
            return f"Column {name}, row {row}: a {kind} cannot be the value of an attribute."
    raise AssertionError("every value is hashable")


def _numbers(name: str, column: _Column) -> NDArray[np.float64]:
    if isinstance(column, np.ndarray):
        numbers = column.astype(np.float64)
    else:
        numbers = np.empty(len(column))
        for row, value in enumerate(column):
            numbers[row] = _number(name, row, value)
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        raise DataError(
            f"Input X contains infinity: column {name}, row {row}; replace it, or leave it missing."
        )
    return numbers


def _number(name: str, row: int, value: Any) -> float:
    if _is_missing(value):
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            f"Column {name}, row {row}: {value!r} is not a number, but the column is numeric. "
            'Set kinds to "symbolic" for this column if it holds names.'
        ) from None
