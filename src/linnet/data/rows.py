"""Rows of attribute values, and the names file that may declare them (SPEC D-11)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.files import Source, source_name
from linnet.data.formats.blocks import read_lines
from linnet.data.formats.common import NUMBER, Mistake
from linnet.errors import DataError, FormatError

__all__ = [
    "ROW_FORMATS",
    "NamesFile",
    "RowFile",
    "RowTable",
    "names_beside",
    "numbers_of",
    "parse_names",
]

ROW_FORMATS = ("c45", "columns", "table")

_NUMBER = re.compile(NUMBER)


@dataclass(frozen=True, repr=False)
class RowTable:
    """Named columns of equal length: as much of a data frame as learners of rows need.

    Attributes
    ----------
    names : list of str
    values : list of columns
        Lists of text, with None for what is missing, or arrays of numbers with NaN; of a
        classifier of columns also a TextColumn.

    Examples
    --------
    >>> table = RowTable(["outlook", "degrees"], [["sunny", "rain"], np.array([21.0, 12.0])])
    >>> len(table), table.row(1)
    (2, ['rain', 12.0])
    """

    names: list[str]
    values: list[Any]

    def __len__(self) -> int:
        return len(self.values[0]) if self.values else 0

    def __repr__(self) -> str:
        shown = self.names if len(self.names) <= 8 else [*self.names[:8], "…"]
        return f"RowTable({len(self)} rows of {', '.join(shown)})"

    @property
    def columns(self) -> list[str]:
        """The names, as a data frame calls them."""
        return self.names

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), len(self.names)

    def __getitem__(self, name: str) -> Any:
        return self.values[self.names.index(name)]

    def row(self, number: int) -> list[Any]:
        """Return one row as plain values."""
        cells = (column[number] for column in self.values)
        return [cell.item() if isinstance(cell, np.generic) else cell for cell in cells]

    def rows(self) -> Iterator[list[Any]]:
        """Yield the rows one by one."""
        return (self.row(number) for number in range(len(self)))

    @property
    def kinds(self) -> dict[str, str]:
        """What each column holds, "numeric" or "symbolic"."""
        numeric = (isinstance(column, np.ndarray) for column in self.values)
        named = zip(self.names, numeric, strict=True)
        return {name: "numeric" if is_numeric else "symbolic" for name, is_numeric in named}

    def take(self, rows: Sequence[int] | NDArray[np.intp]) -> RowTable:
        """Return some of the rows."""
        kept = np.asarray(rows, dtype=np.intp)
        parts = [
            column[kept]
            if isinstance(column, (np.ndarray, TextColumn))
            else [column[i] for i in kept.tolist()]
            for column in self.values
        ]
        return replace(self, values=parts)


@dataclass(frozen=True, repr=False)
class RowFile:
    """The rows of a file.

    Attributes
    ----------
    table : RowTable
    labels : list of str, or None where the file has none
    lines : int64 array of shape (rows,)
        The line each row starts on, from 1.
    decisions : tuple of str
        What was found out about the file, a sentence each.
    file : str
    """

    table: RowTable
    labels: list[str] | None
    lines: NDArray[np.int64]
    decisions: tuple[str, ...]
    file: str

    def __len__(self) -> int:
        return len(self.lines)

    def __repr__(self) -> str:
        return f"RowFile({self.file!r}: {self.table!r})"

    def with_numbers(self, kinds: dict[str, str] | None = None) -> RowFile:
        """Return the file with numbers instead of text in its numeric columns.

        Parameters
        ----------
        kinds : dict from name to "numeric" or "symbolic", optional
            By default a column is numeric when each value that it has is a number.

        Raises
        ------
        FormatError
            With file and line, for text in a column that `kinds` calls numeric.
        """
        columns = []
        for name, column in zip(self.table.names, self.table.values, strict=True):
            kind = None if kinds is None else kinds[name]
            numbers = None if kind == "symbolic" else numbers_of(column)
            if numbers is None and kind == "numeric":
                raise self._no_number(name, column)
            columns.append(column if numbers is None else numbers)
        return replace(self, table=replace(self.table, values=columns))

    def _no_number(self, name: str, column: Any) -> FormatError:
        rows = enumerate(column)
        row = next((i for i, v in rows if v is not None and not _NUMBER.fullmatch(v)), None)
        if row is None:
            raise DataError(f"{self.file}: column {name} has no value at all, only missing ones.")
        return FormatError(
            f"column {name} holds numbers, but the value here is {column[row]!r}; correct it, or "
            "write ? for a missing value",
            file=self.file,
            line=int(self.lines[row]),
        )


def numbers_of(column: Sequence[Any]) -> NDArray[np.float64] | None:
    """Return the numbers of a column of text, NaN where missing; None when some are none.

    Examples
    --------
    >>> numbers_of(["1", None, "2.5e1"]), numbers_of(["1", "one"]), numbers_of([None])
    (array([ 1., nan, 25.]), None, None)
    """
    if isinstance(column, np.ndarray) and column.dtype.kind == "f":
        return column
    there = [value for value in column if value is not None]
    if not there or not all(isinstance(v, str) and _NUMBER.fullmatch(v) for v in there):
        return None
    numbers = np.array([np.nan if value is None else float(value) for value in column])
    return None if np.isinf(numbers).any() else numbers


@dataclass(frozen=True)
class NamesFile:
    """What a C4.5 ``.names`` file declares.

    Attributes
    ----------
    classes : list of str
    attributes : dict
        From name to the allowed values; empty for continuous and discrete ones.
    kinds : dict
        From name to "numeric", "symbolic" or "ignore".
    """

    classes: list[str]
    attributes: dict[str, list[str]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)

    def row(self, values: list[Any]) -> list[Any]:
        """Return the values of a row as the file declares them."""
        if len(values) != len(self.kinds):
            raise Mistake(
                f"the names file declares {len(self.kinds)} attributes, the row has {len(values)}"
            )
        read: list[Any] = []
        for value, (name, kind) in zip(values, self.kinds.items(), strict=True):
            if kind == "ignore":
                continue
            allowed = self.attributes[name]
            if value is not None and kind == "numeric":
                try:
                    value = float(value)
                except ValueError:
                    raise Mistake(
                        f"attribute {name!r} is continuous, but the value is {value!r}"
                    ) from None
            elif value is not None and allowed and value not in allowed:
                raise Mistake(f"attribute {name!r} has no value {value!r}")
            read.append(value)
        return read

    def label(self, value: str) -> str:
        """Return a class that the file declares; a full stop after it may be dropped."""
        for label in (value, value.removesuffix(".")):
            if label in self.classes:
                return label
        raise Mistake(f"there is no class {value!r} in the names file")


def names_beside(source: Source) -> str | None:
    """Return the names file beside a ``.data`` or ``.test`` file, if there is one."""
    if not isinstance(source, (str, PathLike)):
        return None
    path = Path(fspath(source))
    beside = path.with_suffix(".names")
    return str(beside) if path.suffix in (".data", ".test") and beside.is_file() else None


def parse_names(source: Source) -> NamesFile:
    """Read a C4.5 names file: the classes, then ``attribute: values.`` one after the other."""
    name = source_name(source)
    names: NamesFile | None = None
    for number, line in read_lines(source):
        text = line.split("|", 1)[0].strip()
        if not text:
            continue
        text = text.removesuffix(".")
        if names is None:
            names = NamesFile([value.strip() for value in text.split(",")])
            continue
        attribute, colon, declared = text.partition(":")
        values = [value.strip() for value in declared.split(",") if value.strip()]
        if not colon or not attribute.strip() or not values:
            raise FormatError("expected attribute: value, value, ...", file=name, line=number)
        key, kind = attribute.strip(), "symbolic"
        if len(values) == 1 and values[0].split()[0] in ("continuous", "discrete", "ignore"):
            kind = {"continuous": "numeric", "discrete": "symbolic", "ignore": "ignore"}[
                values[0].split()[0]
            ]
            values = []
        if key in names.kinds:
            raise FormatError(f"attribute {key!r} is declared twice", file=name, line=number)
        names.attributes[key], names.kinds[key] = values, kind
    if names is None:
        raise FormatError("the file is empty; expected the classes", file=name)
    return names
