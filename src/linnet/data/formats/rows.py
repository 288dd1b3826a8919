"""Rows of attribute values: whether a file holds them, which column is the class, reading them.

Such a file is one of

==========  =======================================================================================
c45         ``=,=,+,k,e,T``: values between commas, no header; C4.5 and TiMBL write it
columns     ``join board as director V``: values between blanks, no header
table       a header, then values between commas, semicolons or tabs
==========  =======================================================================================

With nothing else known it is taken for one when all lines have the same number of short values,
three at least, no column reads like text, and the class column has values that repeat. All that
was decided is said in words.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from linnet.data.files import Source, source_name
from linnet.data.formats import format_of_suffix
from linnet.data.formats.blocks import read_lines, text_blocks
from linnet.data.formats.c45 import names_beside, parse_names, parse_rows
from linnet.data.formats.cells import parse_cells
from linnet.data.recognise import Sample
from linnet.data.roles import (
    LABEL_NAMES,
    TEXT_NAMES,
    has_header,
    ignored_columns,
    refuse_twins,
    row_column,
)
from linnet.data.rows import ROW_FORMATS, RowFile, RowPlan, RowTable
from linnet.errors import FormatError, ParameterError

__all__ = ["declared_kinds", "read_rows", "rows_by_plan", "sniff_rows"]

_MARKS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks"}
_FEW = 10  # lines; fewer say nothing about a file without a separator
_LONG = 40  # characters of a value, on average; more is text
_CLASSES = 100  # of a file without a separator

_MISSING = ("?", "")

Rows = list[list[str]]


def sniff_rows(
    first_block: bytes,
    name: str,
    *,
    format: str | None = None,
    label: str | None = None,
    ignore: Sequence[str] | None = None,
) -> RowPlan | None:
    """Find out how to read a file of rows; None when it does not look like one.

    Parameters
    ----------
    first_block : bytes
        The start of the file, unpacked: whole lines.
    name : str
        The file's name.
    format : {"c45", "columns", "table"}, optional
        Take it for such a file, whatever it looks like.
    label : str, optional
        The column of the class: a name, or a number from 1, negative from the end.
    ignore : sequence of str, optional
        Columns to leave out, named in the same way; with any, the file is one of rows.

    Examples
    --------
    >>> plan = sniff_rows(b"sunny,21,go\\nrain,12,stay\\nsunny,19,go\\n", "weather.data")
    >>> plan.format, plan.used, plan.label
    ('c45', ['c1', 'c2'], 'c3')
    """
    if format is not None and format not in ROW_FORMATS:
        raise ParameterError(f"rows have the format {', '.join(ROW_FORMATS)}, not {format!r}")
    sample = Sample(name, first_block)
    lines = [line for line in sample.filled if line[0] != "|"]
    asked = format is not None or bool(ignore)
    if not lines or (not asked and not _may_be_rows(sample)):
        return None
    tabs = all("\t" in line for line in lines)
    for mark in _marks(format):
        if tabs and mark != "\t" and not asked:
            continue  # what stands between tabs may hold any other mark
        rows, quoting = _split(lines, mark)
        if not rows or len(rows[0]) < (2 if asked else 3):
            continue
        plan = _plan(rows, mark, quoting, name, format, label, ignore)
        if asked or _are_values(rows[int(plan.header) :], plan):
            return plan
    if asked:
        what = f"{format} rows" if format is not None else "rows of values"
        raise FormatError(
            f"the lines are not {what}: they have no separator that cuts each of them into the "
            "same number of values",
            file=name,
        )
    return None


def _may_be_rows(sample: Sample) -> bool:
    plain = format_of_suffix(sample.name) in (None, "text", "labelled", "csv", "tsv")
    return plain and sample.content is None and sample.sentences is None


def _marks(format: str | None) -> str:
    return {"c45": ",", "columns": " ", "table": ",;\t"}.get(format or "", ",;\t ")


def _split(lines: list[str], mark: str) -> tuple[Rows, bool]:
    """Return the values of each line; nothing when lines have different numbers of them."""
    if mark == " ":
        rows, quoting = [line.split() for line in lines], False
    else:
        rows = [[cell.strip() for cell in line.split(mark)] for line in lines]
        quoted = [cell for row in rows for cell in row if cell.startswith('"')]
        quoting = bool(quoted) and mark != "\t" and all(c.count('"') % 2 == 0 for c in quoted)
        if quoting or (quoted and len({len(row) for row in rows}) > 1):
            rows, quoting = _quoted(lines, mark), True
    return (rows if len({len(row) for row in rows}) == 1 else []), quoting


def _quoted(lines: list[str], mark: str) -> Rows:
    try:
        cells = parse_cells("\n".join(lines).encode(), 1, "", mark, True, final=True)
    except FormatError:
        return []
    return [[cell.strip() for cell in row] for row in cells.rows()]


def _plan(
    rows: Rows,
    mark: str,
    quoting: bool,
    name: str,
    format: str | None,
    label: str | None,
    ignore: Sequence[str] | None,
) -> RowPlan:
    header, why = format == "table", "as asked for"
    if format is None and mark != " ":
        header, why = has_header(rows)
    names = tuple(rows[0]) if header else tuple(f"c{j}" for j in range(1, len(rows[0]) + 1))
    refuse_twins(names, name, 1)
    chosen = format or ("table" if header else "columns" if mark == " " else "c45")
    said = [
        f"rows of values ({chosen}): each line has {len(names)} between {_MARKS[mark]}",
        *([why] if format is None and mark != " " else []),
    ]
    if label is not None:
        place, reason = row_column(label, names, name), "as asked for"
    else:
        known = [one for one in names if header and one.casefold() in LABEL_NAMES]
        place, reason = (known[0], "by its name") if known else (names[-1], "the last one")
    said.append(f"the class is column {place}: {reason}")
    ignored, reason = ignored_columns(ignore, names, rows[int(header) :], name)
    if ignored:
        said.append(f"not read: column {', '.join(ignored)}{reason}")
    if place in ignored or len(names) - len(ignored) < 2:
        raise ParameterError("no column is left to learn from, or the class itself is ignored")
    return RowPlan(chosen, mark, quoting, names, place, ignored, tuple(said))


def _are_values(rows: Rows, plan: RowPlan) -> bool:
    """Tell rows of values from texts: short, without blanks, the classes few."""
    if not rows or plan.label is None:
        return False
    classes = {row[plan.names.index(plan.label)] for row in rows}
    if plan.mark == " " and (len(rows) < _FEW or len(classes) > min(_CLASSES, len(rows) / 4)):
        return False
    if len(classes) > max(2.0, len(rows) / 2):
        return False
    if any(name.casefold() in TEXT_NAMES for name in plan.names if plan.header):
        return False
    for column in plan.used:
        values = [row[plan.names.index(column)] for row in rows]
        spaced = sum(" " in value for value in values)
        if 2 * spaced > len(values) or sum(map(len, values)) > _LONG * len(values):
            return False
    return True


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
    declared = dict(zip([n for n in plan.names if n != plan.label], kinds, strict=True))
    return {name: "numeric" if declared[name] == "numeric" else "symbolic" for name in plan.used}


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
    present = plan.columns_of(names, name)
    columns = list(zip(*(values for _, values in rows), strict=True))
    lines = np.array([line for line, _ in rows], dtype=np.int64)
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
    values = [
        [None if value in _MISSING else value for value in columns[present.index(used)]]
        for used in plan.used
    ]
    return RowFile(RowTable(plan.used, values), labels, lines, plan.decisions, name)


def _records(block: bytes, name: str, plan: RowPlan) -> list[tuple[int, list[str]]]:
    """Return line number and values of each row, the header included; all have the same width."""
    if not plan.quoting and plan.format != "table" and plan.mark in ", ":
        separator = "columns" if plan.mark == " " else "comma"
        lines, values = parse_rows(list(read_lines(io.BytesIO(block))), name, separator)
        return list(zip(lines, values, strict=True))
    cells = parse_cells(block, 1, name, plan.mark, plan.quoting, final=True)
    uneven = np.flatnonzero(cells.widths != cells.widths[:1])
    if len(uneven):
        width, first = int(cells.widths[uneven[0]]), int(cells.widths[0])
        raise FormatError(
            f"the row has {width} values, the first one {first}; put quotes around a value that "
            "holds the separator",
            file=name,
            line=int(cells.lines[uneven[0]]),
        )
    rows = ([cell.strip() for cell in row] for row in cells.rows())
    return list(zip(cells.lines.tolist(), rows, strict=True))
