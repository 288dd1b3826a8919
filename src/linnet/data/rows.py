"""Rows of attribute values: how a file of them is read, and what it holds (SPEC D-11)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.formats.common import NUMBER
from linnet.errors import DataError, FormatError

__all__ = ["ROW_FORMATS", "RowFile", "RowPlan", "RowTable", "numbers_of"]

ROW_FORMATS = ("c45", "columns", "table")

_NUMBER = re.compile(NUMBER)


@dataclass(frozen=True)
class RowPlan:
    """How a file of rows is read, by training and by those who use the model.

    Attributes
    ----------
    format : {"c45", "columns", "table"}
    mark : str
        The separator; a blank stands for any white space.
    quoting : bool
        Whether cells may be quoted.
    names : tuple of str
        All columns of the file: those of its header, else c1, c2, ….
    label : str or None
        The column of the class.
    ignored : tuple of str
        Columns that are not read.
    decisions : tuple of str
    """

    format: str
    mark: str
    quoting: bool
    names: tuple[str, ...]
    label: str | None
    ignored: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()

    @property
    def header(self) -> bool:
        """Whether the file begins with the names of its columns."""
        return self.format == "table"

    @property
    def used(self) -> list[str]:
        """The columns to learn from."""
        return [name for name in self.names if name != self.label and name not in self.ignored]

    def columns_of(self, cells: Sequence[str], file: str) -> list[str]:
        """Return which columns a line has; the class, and what is ignored, may be absent.

        Parameters
        ----------
        cells : sequence of str
            The header, or the first row of a file without one.
        file : str
            For messages.

        Examples
        --------
        >>> RowPlan("c45", ",", False, ("c1", "c2", "c3"), "c3").columns_of(["a", "b"], "new.data")
        ['c1', 'c2']
        """
        if self.header:
            absent = [name for name in self.used if name not in cells]
            if absent:
                listed = ", ".join(cells)
                raise FormatError(
                    f"there is no column {absent[0]!r}, which the model reads; there are {listed}",
                    file=file,
                    line=1,
                )
            return list(cells)
        without = [name for name in self.names if name != self.label]
        for columns in (list(self.names), without, self.used):
            if len(cells) == len(columns):
                return columns
        raise FormatError(
            f"the row has {len(cells)} values; the model reads {len(self.used)}, with the class "
            f"{len(self.names)} in all",
            file=file,
            line=1,
        )


@dataclass(frozen=True, repr=False)
class RowTable:
    """Named columns of equal length: as much of a data frame as learners of rows need.

    Attributes
    ----------
    names : list of str
    values : list of columns
        Lists of text, with None for what is missing, or arrays of numbers with NaN.

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

    def take(self, rows: Sequence[int] | NDArray[np.intp]) -> RowTable:
        """Return some of the rows."""
        kept = np.asarray(rows, dtype=np.intp)
        parts = [
            column[kept] if isinstance(column, np.ndarray) else [column[i] for i in kept.tolist()]
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
