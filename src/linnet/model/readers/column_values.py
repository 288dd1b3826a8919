"""Rows of several columns: what users pass, column by column as a model reads it.

A row may come in a list of dictionaries, a data frame, an Arrow table or a dictionary of columns.
Whatever it is, a column becomes texts, categories spelled as text, or numbers. What is missing
(None, NaN, an empty text) stays missing and counts for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.formats.common import Mistake
from linnet.data.inputs import category_text
from linnet.data.rows import RowTable
from linnet.errors import DataError, ParameterError
from linnet.learn.shared.attributes import is_missing
from linnet.text.blocks import Block, parse_blocks
from linnet.text.texts import as_texts

__all__ = [
    "MOST_COLUMNS", "column_kinds", "parse_columns", "table_of"
]  # fmt: skip

MOST_COLUMNS = 1000


def parse_columns(columns: Any) -> dict[str, str | tuple[Block, ...]]:
    """Return what each column holds: "category", "number", or the blocks of a column of texts.

    Examples
    --------
    >>> parse_columns({"title": "words:1", "source": "category"})
    {'title': (Block(tokenizer='token', ngrams=(1, 1)),), 'source': 'category'}
    """
    if not isinstance(columns, Mapping) or not 1 <= len(columns) <= MOST_COLUMNS:
        raise ParameterError(
            "columns must be a dictionary of 1 to 1,000 names and what each column holds, such as "
            f"{{'title': 'words:1-2', 'source': 'category', 'price': 'number'}}; got "
            f"{columns!r:.80}."
        )
    parsed: dict[str, str | tuple[Block, ...]] = {}
    for name, held in columns.items():
        if not isinstance(name, str):
            raise ParameterError(f"the names of columns must be texts, got {name!r}.")
        if isinstance(held, str) and held in ("category", "number"):
            parsed[name] = held
            continue
        try:
            parsed[name] = parse_blocks(held)
        except ParameterError as error:
            raise ParameterError(
                f"column {name!r} holds 'category', 'number' or a text, of which features are "
                f"named; {error}"
            ) from None
    return parsed


def column_kinds(columns: Any) -> dict[str, str]:
    """Return of each column whether it holds a text, a category or a number.

    Examples
    --------
    >>> column_kinds({"title": ["words:1-2", "char_wb:2-5"], "price": "number"})
    {'title': 'text', 'price': 'number'}
    """
    parsed = parse_columns(columns)
    return {name: held if isinstance(held, str) else "text" for name, held in parsed.items()}


def table_of(X: Any, kinds: Mapping[str, str]) -> RowTable:
    """Return some columns of rows in any form: texts, categories as text, arrays of numbers.

    Examples
    --------
    >>> table_of([{"a": "x", "b": 1}, {"a": None, "b": 2}], {"a": "text", "b": "category"}).values
    [['x', ''], ['1', '2']]
    >>> table_of({"a": ["x", "y"], "b": [1, None]}, {"b": "number"}).values
    [array([ 1., nan])]
    """
    table = _columns(X, list(kinds))
    read: dict[str, Callable[[str, Any], Any]] = {
        "text": _texts, "category": _categories, "number": _numbers,
    }  # fmt: skip
    values = [
        read[kind](name, column)
        for (name, kind), column in zip(kinds.items(), table.values, strict=True)
    ]
    return RowTable(table.names, values)


def _columns(X: Any, names: list[str]) -> RowTable:
    """Return some columns as they are."""
    if isinstance(X, Mapping):
        return _of_columns(X, names)
    if type(X).__module__.partition(".")[0] == "pyarrow" and hasattr(X, "schema"):
        present = list(X.schema.names)
        columns = {name: X.column(name) for name in names if name in present}
        return _of_columns(columns, names, present)
    if hasattr(X, "columns") and hasattr(X, "shape"):
        present = [str(name) for name in X.columns]
        return _of_columns({name: X[name] for name in names if name in present}, names, present)
    if isinstance(X, (str, bytes)) or not isinstance(X, Iterable):
        raise DataError(
            "X must hold rows with names: a list of dictionaries, a data frame, an Arrow table or "
            f"a dictionary of columns; got {type(X).__name__}."
        )
    return _of_rows(list(X), names)


def _of_columns(columns: Mapping[str, Any], names: Sequence[str], present: Any = None) -> RowTable:
    absent = next((name for name in names if name not in columns), None)
    if absent is not None:
        listed = ", ".join(map(str, columns if present is None else present))
        raise DataError(f"X has no column {absent!r}; it has {listed or 'none'}.")
    values = [columns[name] for name in names]
    for name, column in zip(names, values, strict=True):
        if isinstance(column, (str, bytes)) or not hasattr(column, "__len__"):
            raise DataError(
                f"X is a dictionary of columns, but {name!r} is a {type(column).__name__}; a row "
                "by itself goes in a list: [row]."
            )
        if len(column) != len(values[0]):
            raise DataError(
                f"Column {names[0]!r} has {len(values[0])} values, column {name!r} has "
                f"{len(column)}."
            )
    return RowTable(list(names), values)


def _of_rows(rows: list[Any], names: Sequence[str]) -> RowTable:
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise DataError(
                f"Row {number} is a {type(row).__name__}; with columns each row is a dictionary "
                f"with {', '.join(names[:10])}."
            )
    try:
        return RowTable(list(names), [[row[name] for row in rows] for name in names])
    except KeyError as error:
        name = error.args[0]
        number = next(number for number, row in enumerate(rows) if name not in row)
        listed = ", ".join(map(str, rows[number])) or "none"
        raise DataError(
            f"Row {number} has no column {name!r}; it has {listed}. None says that a value is "
            "missing."
        ) from None


def _texts(name: str, column: Any) -> Any:
    """Return a column of texts; a missing text is an empty one."""
    try:
        if _is_arrow(column):
            column = TextColumn.from_arrow(column, nulls="empty")
        elif not isinstance(column, TextColumn):
            column = ["" if type(v) is not str and is_missing(v) else v for v in _listed(column)]
        as_texts(column)  # refuses what is not a text
        return column
    except DataError as error:
        raise DataError(f"Column {name!r}: {error}") from None


def _categories(name: str, column: Any) -> list[str | None]:
    """Return the categories of a column as text; None where one is missing."""
    spelled: list[str | None] = []
    for row, value in enumerate(_listed(column)):
        try:
            missing = type(value) is not str and is_missing(value)
            spelled.append(None if missing else category_text(value))
        except Mistake as mistake:
            raise DataError(f"Column {name!r}, row {row}: {mistake}.") from None
    return spelled


def _numbers(name: str, column: Any) -> NDArray[np.float64]:
    """Return the numbers of a column; NaN where one is missing."""
    if getattr(getattr(column, "dtype", None), "kind", "O") not in "iufb":
        column = [_number(name, row, value) for row, value in enumerate(_listed(column))]
    numbers = np.asarray(column, np.float64)
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        raise DataError(f"Column {name!r}, row {row}: the number is infinite or too large.")
    return numbers


def _number(name: str, row: int, value: Any) -> float:
    if is_missing(value):
        return np.nan
    try:
        if isinstance(value, Real) or hasattr(value, "as_tuple"):  # a Decimal
            return float(value)
    except OverflowError:
        return np.inf
    raise DataError(
        f"Column {name!r}, row {row}: {value!r:.60} is not a number; convert the column, or call "
        "it a category."
    )


def _is_arrow(column: Any) -> bool:
    """Tell a column that Arrow holds, or can be asked for, without Python objects."""
    kind = type(column).__module__.partition(".")[0]
    return kind in ("pyarrow", "polars") or (kind == "pandas" and str(column.dtype) != "object")


def _listed(column: Any) -> Any:
    for name in ("tolist", "to_pylist", "to_list"):
        if hasattr(column, name):
            return getattr(column, name)()
    return column
