"""Reading rows of attribute values by a plan; :mod:`linnet.data.recognise_rows` makes plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from linnet.data.files import Source, source_name
from linnet.data.formats.blocks import lines_in, text_blocks
from linnet.data.formats.c45 import parse_rows
from linnet.data.formats.cells import parse_cells
from linnet.data.formats.common import Plan
from linnet.data.hidden import parsed
from linnet.data.recognise_rows import sniff_rows
from linnet.data.rows import RowFile, RowTable, names_beside, parse_names
from linnet.errors import FormatError

__all__ = ["declared_kinds", "read_rows", "rows_by_plan"]

_MISSING = ("?", "")


def read_rows(
    source: Source,
    *,
    format: Literal["c45", "columns", "table"] | None = None,
    label: str | None = None,
    ignore: Sequence[str] | None = None,
    encoding: str = "utf-8",
    errors: str = "strict",
) -> RowFile:
    """Read the rows of a file and find out which column is the class.

    Parameters
    ----------
    source : path or file
        Plain, ``.gz`` or ``.zst``; ``-`` is standard input.
    format : {"c45", "columns", "table"}, optional
        Values between commas, between blanks, or a table with a header; found out by default.
    label : str, optional
        The column of the class: a name, or a number from 1, negative from the end. By default a
        column called like a class, else the last one.
    ignore : sequence of str, optional
        Columns to leave out, named in the same way. By default a running number in front.
    encoding, errors : str
        As for :func:`read_examples`.

    Returns
    -------
    RowFile
        Numbers where all values of a column are numbers, else text; ``?`` and empty cells are
        missing.

    Raises
    ------
    FormatError
        With file and line, for rows of different lengths or a file without rows.

    Examples
    --------
    >>> import io
    >>> weather = read_rows(io.BytesIO(b"outlook,degrees,play\\nsunny,21,yes\\nrain,?,no\\n"),
    ...                     format="table")
    >>> weather.table.names, weather.table.row(0), weather.labels
    (['outlook', 'degrees'], ['sunny', 21.0], ['yes', 'no'])
    """
    block, name = _whole(source, encoding, errors), source_name(source)
    plan = sniff_rows(block, name, format=format, label=label, ignore=ignore)
    if plan is None:
        raise FormatError(
            "this does not look like rows of values; pass format='c45', 'columns' or 'table'",
            file=name,
        )
    return _read(block, name, plan).with_numbers(declared_kinds(source, plan))


def rows_by_plan(
    source: Source, plan: Plan, *, encoding: str = "utf-8", errors: str = "strict"
) -> RowFile:
    """Read a file like the one that the plan was made for; the class may be absent.

    All values stay text: see :meth:`RowFile.with_numbers`.
    """
    return _read(_whole(source, encoding, errors), source_name(source), plan)


def declared_kinds(source: Any, plan: Plan) -> dict[str, str] | None:
    """Return what a C4.5 names file beside the data says about the columns, if there is one."""
    beside = names_beside(source) if plan.format == "c45" else None
    if beside is None:
        return None
    kinds = list(parse_names(beside).kinds.values())
    if len(kinds) != plan.width - 1:
        raise FormatError(
            f"it declares {len(kinds)} attributes, {source_name(source)} has {plan.width - 1}",
            file=beside,
        )
    declared = dict(zip([n for n in plan.columns if n != plan.label], kinds, strict=True))
    return {name: "numeric" if declared[name] == "numeric" else "symbolic" for name in plan.used}


def _whole(source: Source, encoding: str, errors: str) -> bytes:
    block = b"".join(part for _, part in text_blocks(source, None, encoding, errors))
    if not block.strip():
        what = "the file is empty" if not block else "the file holds only blank lines"
        raise FormatError(what, file=source_name(source))
    return block


def _read(block: bytes, name: str, plan: Plan) -> RowFile:
    return parsed(block, 1, name, lambda lines: _parsed(lines, name, plan))


def _parsed(block: bytes, name: str, plan: Plan) -> RowFile:
    numbers, rows = _records(block, name, plan)
    first = int(plan.header)
    if len(rows) <= first:
        raise FormatError("the file has a header but no rows", file=name)
    present = _columns_of(plan, rows[0], name)
    columns = list(zip(*rows[first:], strict=True))
    lines = np.array(numbers[first:], dtype=np.int64)
    labels = None
    if plan.label in present:
        labels = list(columns[present.index(plan.label)])
        if "" in labels or "?" in labels:
            row = next(i for i, label in enumerate(labels) if label in _MISSING)
            raise FormatError(
                f"the class (column {plan.label}) is missing; give the row one, or remove it",
                file=name,
                line=int(lines[row]),
            )
    values = [_with_missing(columns[present.index(used)]) for used in plan.used]
    return RowFile(RowTable(plan.used, values), labels, lines, plan.decisions, name)


def _with_missing(column: tuple[str, ...]) -> list[str | None]:
    if not any(mark in column for mark in _MISSING):
        return list(column)
    return [None if value in _MISSING else value for value in column]


def _columns_of(plan: Plan, cells: list[str], file: str) -> list[str]:
    """Return which columns a header or first row has; class and ignored ones may be absent."""
    if plan.header:
        absent = [name for name in plan.used if name not in cells]
        if absent:
            listed = ", ".join(cells)
            raise FormatError(
                f"there is no column {absent[0]!r}, which the model reads; there are {listed}",
                file=file,
                line=1,
            )
        return cells
    without = [name for name in plan.columns if name != plan.label]
    for columns in (list(plan.columns), without, plan.used):
        if len(cells) == len(columns):
            return columns
    raise FormatError(
        f"the row has {len(cells)} values; the model reads {len(plan.used)}, with the class "
        f"{plan.width} in all",
        file=file,
        line=1,
    )


def _records(block: bytes, name: str, plan: Plan) -> tuple[Sequence[int], list[list[str]]]:
    """Return line numbers and values of the rows, the header included; all have the same width."""
    mark = plan.delimiter or ","
    if not plan.quoting and plan.format != "table" and mark in ", ":
        separator = "columns" if mark == " " else "comma"
        return parse_rows(lines_in(block), name, separator)
    cells = parse_cells(block, 1, name, mark, plan.quoting, final=True)
    uneven = np.flatnonzero(cells.widths != cells.widths[:1])
    if len(uneven):
        width, first = int(cells.widths[uneven[0]]), int(cells.widths[0])
        raise FormatError(
            f"the row has {width} values, the first one {first}; put quotes around a value that "
            "holds the separator",
            file=name,
            line=int(cells.lines[uneven[0]]),
        )
    return cells.lines.tolist(), [[cell.strip() for cell in row] for row in cells.rows()]
