"""Several columns of a table that are looked at: texts, categories and numbers.

A table of CSV has only texts, one of JSON or Arrow also numbers and truths. Here they become alike:
a :class:`~linnet.data.columns.TextColumn` of texts, a list of categories spelled as text, an array
of numbers. A value that is missing (an empty cell, null) is an empty text, None, or NaN.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.formats.common import NUMBER, Mistake, Plan, Wishes
from linnet.data.rows import RowTable
from linnet.errors import DataError, FormatError, ParameterError

__all__ = [
    "KINDS", "category_text", "cells_of_object", "checked_kinds", "joined_tables", "number_column",
    "refuse_columns", "spelled_column", "table_of_cells", "table_of_texts",
]  # fmt: skip

KINDS = ("text", "category", "number")
_TABLES = ("csv", "tsv", "jsonl", "parquet", "arrow")
_NUMBER = re.compile(NUMBER)


def checked_kinds(columns: Mapping[str, str]) -> dict[str, str]:
    """Return what columns hold, after checking it.

    Examples
    --------
    >>> checked_kinds({"title": "text", "price": "number"})
    {'title': 'text', 'price': 'number'}
    """
    wrong = next((kind for kind in columns.values() if kind not in KINDS), None)
    if wrong is not None or not columns:
        raise ParameterError(
            f"columns names columns and what each holds, one of {', '.join(KINDS)}; got {columns!r}"
        )
    return dict(columns)


def refuse_columns(plan: Plan, wishes: Wishes) -> None:
    """Refuse a file without columns where some are asked for."""
    if wishes.columns is not None and plan.format not in _TABLES:
        raise FormatError(
            f"columns are those of a table ({', '.join(_TABLES)}), and this is read as "
            f"{plan.format}; name the format, or the delimiter",
            file=plan.file,
        )


def category_text(value: Any) -> str | None:
    """Return a category as it is spelled in all formats; None for a value that is missing.

    Raises
    ------
    Mistake
        For what is neither text, nor number, nor truth value.

    Examples
    --------
    >>> [category_text(value) for value in ("uk", 3, 3.0, 2.5, True, "", None, float("nan"))]
    ['uk', '3', '3', '2.5', 'true', None, None, None]
    """
    if isinstance(value, str):
        return value or None
    if value is None or value != value:
        return None
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if not isinstance(value, Real):
        raise Mistake(f"a category is a text, a number or a truth value, not {value!r:.60}")
    number = float(value)
    return str(int(number)) if number.is_integer() else repr(number)


def table_of_texts(texts: Sequence[TextColumn], lines: NDArray[np.int64], plan: Plan) -> RowTable:
    """Return the columns of cells that are all text, as those of CSV are."""
    columns: list[Any] = []
    for (name, kind), column in zip(plan.inputs, texts, strict=True):
        if kind == "number":
            columns.append(number_column(name, column.interned(), lines, plan.file))
        elif kind == "category":
            columns.append([text or None for text in column.interned()])
        else:
            columns.append(column)
    return RowTable([name for name, _ in plan.inputs], columns)


def cells_of_object(row: Mapping[str, Any], plan: Plan) -> list[Any]:
    """Return the values of an object, which must have them all."""
    cells = []
    for name, kind in plan.inputs:
        if name not in row:
            keys = ", ".join(row) or "(none)"
            raise Mistake(
                f"there is no key {name!r}, which the model looks at; write null where its value "
                f"is missing (the keys are {keys})"
            )
        value = row[name]
        if kind == "text" and not isinstance(value, (str, type(None))):
            raise Mistake(f"the text (key {name!r}) must be a string or null, not {value!r:.60}")
        cells.append((value or "") if kind == "text" else value)
    return cells


def table_of_cells(rows: Sequence[Sequence[Any]], lines: NDArray[np.int64], plan: Plan) -> RowTable:
    """Return the columns of rows of values, as those of JSON are."""
    columns: list[Any] = []
    for (name, kind), values in zip(plan.inputs, zip(*rows, strict=True), strict=True):
        if kind == "number":
            columns.append(number_column(name, values, lines, plan.file))
        elif kind == "category":
            columns.append(spelled_column(name, values, lines, plan.file))
        else:
            columns.append(_texts(name, values, lines, plan.file))
    return RowTable([name for name, _ in plan.inputs], columns)


def _texts(name: str, values: Sequence[str], lines: NDArray[np.int64], file: str) -> TextColumn:
    try:
        return TextColumn.from_strings(list(values))
    except DataError as error:  # a lone surrogate, written as \\ud800
        message = f"column {name!r}, counted from 0 from this line on: {error}"
        raise FormatError(message, file=file, line=int(lines[0])) from None


def spelled_column(
    name: str, values: Sequence[Any], lines: NDArray[np.int64], file: str
) -> list[str | None]:
    """Return categories as they are spelled."""
    spelled: list[str | None] = []
    for row, value in enumerate(values):
        try:
            spelled.append(category_text(value))
        except Mistake as mistake:
            message = f"column {name!r}: {mistake}"
            raise FormatError(message, file=file, line=int(lines[row])) from None
    return spelled


def number_column(
    name: str, values: Sequence[Any], lines: NDArray[np.int64], file: str
) -> NDArray[np.float64]:
    """Return numbers, NaN where a value is missing; a number may be written as text."""
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        numbers[row] = _number(value)
        if np.isinf(numbers[row]):
            raise FormatError(
                f"column {name!r} holds numbers, but the value here is {value!r:.60}; correct it, "
                "or leave it empty (null) where it is missing",
                file=file,
                line=int(lines[row]),
            )
    return numbers


def _number(value: Any) -> float:
    """Return a finite number, NaN for a value that is missing, else infinity."""
    if isinstance(value, str):
        value = value.strip()
        if value and not _NUMBER.fullmatch(value):
            return np.inf
    if value is None or value == "":
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return np.inf


def joined_tables(parts: Sequence[RowTable]) -> RowTable:
    """Return the rows of several tables of the same columns as one."""
    columns: list[Any] = []
    for pieces in zip(*(part.values for part in parts), strict=True):
        if isinstance(pieces[0], TextColumn):
            columns.append(TextColumn.concatenate(pieces))
        elif isinstance(pieces[0], np.ndarray):
            columns.append(np.concatenate(pieces))
        else:
            columns.append([value for piece in pieces for value in piece])
    return RowTable(parts[0].names, columns)
