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
from functools import cached_property
from itertools import repeat
from numbers import Real
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.shared.attribute_columns import Column, columns_of
from linnet.stored import Anything, Each, Fields, Text, Texts

__all__ = ["MISSING", "UNSEEN", "AttributeTable", "Attributes", "Kind", "Kinds", "is_missing"]

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

    stored: ClassVar[Fields] = {
        "names": Texts("J"),
        "kinds": Each(Text(("symbolic", "numeric")), "J"),
        "values": Each(Anything(list), "J"),
    }
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
        parts = zip(self.names, self.kinds, self._codes, columns, strict=True)
        read = [
            _codes(name, codes, column) if kind == "symbolic" else _numbers(name, column)
            for name, kind, codes, column in parts
        ]
        return AttributeTable(len(read[0]), list(self.kinds), read)

    def check(self) -> None:
        """Refuse what a forged file may hold: a value twice, or values of a numeric column."""
        for name, kind, values in zip(self.names, self.kinds, self.values, strict=True):
            known = all(isinstance(value, (str, int, float)) for value in values)
            if not known or len(set(values)) != len(values) or bool(values) != (kind == "symbolic"):
                raise DataError(f"the values of column {name} are not those of a {kind} one")

    @cached_property
    def _codes(self) -> list[dict[Any, int]]:
        return [{value: code for code, value in enumerate(values)} for values in self.values]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_codes"}


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
    elif not isinstance(kinds, Iterable):
        raise ParameterError(f"kinds must be None, a kind, a list or a dictionary, got {kinds!r}.")
    else:
        given = list(kinds)
        if len(given) != len(names):
            raise ParameterError(f"kinds has {len(given)} values for {len(names)} columns.")
    for kind in given:
        if kind not in (None, "symbolic", "numeric"):
            raise ParameterError(f"a kind is 'symbolic' or 'numeric', got {kind!r}.")
    return given


def _kind(column: Column) -> Kind:
    if isinstance(column, np.ndarray):
        return "symbolic" if column.dtype.kind == "b" else "numeric"
    present = {type(value) for value in column}
    if all(issubclass(t, Real) and not issubclass(t, bool) for t in present - {type(None)}):
        return "numeric"
    values = (value for value in column if not is_missing(value))
    number = all(isinstance(v, (Real, np.number)) and not isinstance(v, bool) for v in values)
    return "numeric" if number else "symbolic"


def is_missing(value: object) -> bool:
    """Tell None, NaN, NaT and NA: the last is neither equal to itself nor not so."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


# --- values ------------------------------------------------------------------------------------


def _distinct(name: str, column: Column) -> list[Any]:
    """Return the values of a symbolic column in order of first appearance."""
    values = column.tolist() if isinstance(column, np.ndarray) else column
    try:
        distinct = [value for value in dict.fromkeys(values) if not is_missing(value)]
    except TypeError:
        raise DataError(_unhashable(name, values)) from None
    if not distinct:
        raise DataError(_only_missing(name))
    return [value.item() if isinstance(value, np.generic) else value for value in distinct]


def _only_missing(name: str) -> str:
    return f"Column {name} has no value at all, only missing ones (NaN or None); leave it out."


def _codes(name: str, number: dict[Any, int], column: Column) -> NDArray[np.int32]:
    read = column.tolist() if isinstance(column, np.ndarray) else column
    try:
        codes = np.fromiter(map(number.get, read, repeat(UNSEEN)), np.int32, len(read))
    except TypeError:
        raise DataError(_unhashable(name, read)) from None
    for row in np.flatnonzero(codes == UNSEEN).tolist():
        if type(read[row]) is not str and is_missing(read[row]):
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


def _numbers(name: str, column: Column) -> NDArray[np.float64]:
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
    if is_missing(value):
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            f"Column {name}, row {row}: {value!r} is not a number, but the column is numeric. "
            'Set kinds to "symbolic" for this column if it holds names.'
        ) from None
