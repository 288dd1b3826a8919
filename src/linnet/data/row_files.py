"""Reading files of attribute values: C4.5 and TiMBL lines, columns, tables with a header."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from linnet.data.files import Source, source_name
from linnet.data.formats._cells import parse_cells
from linnet.data.formats.blocks import text_blocks
from linnet.data.formats.c45 import names_beside, parse_names, parse_rows
from linnet.data.rows import RowFile, RowTable
from linnet.data.sniff_rows import RowPlan, columns_given, sniff_rows
from linnet.errors import FormatError

__all__ = ["read_rows", "rows_by_plan"]

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
    >>> found = read_rows(io.BytesIO(b"outlook,degrees,play\\nsunny,21,yes\\nrain,?,no\\n"),
    ...                   format="table")
    >>> found.table.names, found.table.row(0), found.labels
    (['outlook', 'degrees'], ['sunny', 21.0], ['yes', 'no'])
    """
    block, name = _whole(source, encoding, errors), source_name(source)
    plan = sniff_rows(block, name, format=format, label=label, ignore=ignore)
    if plan is None:
        raise FormatError(
            "this does not look like rows of values; pass format='c45', 'columns' or 'table'",
            file=name,
        )
    found = _read(block, name, plan)
    kinds = declared_kinds(source, plan)
    return found.with_numbers(kinds)


def rows_by_plan(
    source: Source, plan: RowPlan, *, encoding: str = "utf-8", errors: str = "strict"
) -> RowFile:
    """Read a file like the one that the plan was made for; the class may be absent.

    All values stay text: see :meth:`RowFile.with_numbers`.
    """
    return _read(_whole(source, encoding, errors), source_name(source), plan)


def declared_kinds(source: Any, plan: RowPlan) -> dict[str, str] | None:
    """Return what a C4.5 names file beside the data says about the columns, if there is one."""
    beside = names_beside(source) if plan.format == "c45" else None
    if beside is None:
        return None
    kinds = list(parse_names(beside).kinds.values())
    if len(kinds) != len(plan.names) - 1:
        raise FormatError(
            f"it declares {len(kinds)} attributes, {source_name(source)} has {len(plan.names) - 1}",
            file=beside,
        )
    given = dict(zip([n for n in plan.names if n != plan.label], kinds, strict=True))
    return {name: "numeric" if given[name] == "numeric" else "symbolic" for name in plan.used}


def _whole(source: Source, encoding: str, errors: str) -> bytes:
    block = b"".join(part for _, part in text_blocks(source, None, encoding, errors))
    if not block.strip():
        what = "the file is empty" if not block else "the file holds only blank lines"
        raise FormatError(what, file=source_name(source))
    return block


def _read(block: bytes, name: str, plan: RowPlan) -> RowFile:
    rows = list(_records(block, name, plan))
    names = rows.pop(0)[1] if plan.header else rows[0][1] if rows else []
    if not rows:
        raise FormatError("the file has a header but no rows", file=name)
    given = columns_given(plan, names, name)
    columns = list(zip(*(values for _, values in rows), strict=True))
    lines = np.array([line for line, _ in rows], dtype=np.int64)
    labels = None
    if plan.label in given:
        labels = list(columns[given.index(plan.label)])
        if "" in labels or "?" in labels:
            row = next(i for i, label in enumerate(labels) if label in _MISSING)
            raise FormatError(
                f"the class (column {plan.label}) is missing; give the row one, or remove it",
                file=name,
                line=int(lines[row]),
            )
    values = [
        [None if value in _MISSING else value for value in columns[given.index(used)]]
        for used in plan.used
    ]
    return RowFile(RowTable(plan.used, values), labels, lines, plan.decisions, name)


def _records(block: bytes, name: str, plan: RowPlan) -> list[tuple[int, list[str]]]:
    """Return line number and values of each row, the header included; all have the same width."""
    if not plan.quoting and plan.format != "table" and plan.mark in ", ":
        file = io.BytesIO(block)
        file.name = name
        lines, values = parse_rows(file, "columns" if plan.mark == " " else "comma")
        return list(zip(lines, values, strict=True))
    cells = parse_cells(block, 1, name, plan.mark, plan.quoting, final=True)
    spans = iter(zip(cells.start.tolist(), cells.end.tolist(), strict=True))
    found: list[tuple[int, list[str]]] = []
    for line, width in zip(cells.lines.tolist(), cells.widths.tolist(), strict=True):
        texts = [cells.block[a:b].decode().strip() for a, b in (next(spans) for _ in range(width))]
        if found and width != len(found[0][1]):
            raise FormatError(
                f"the row has {width} values, the first one {len(found[0][1])}; put quotes around "
                "a value that holds the separator",
                file=name,
                line=line,
            )
        found.append((line, texts))
    return found
