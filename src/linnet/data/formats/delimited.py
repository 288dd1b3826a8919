"""Comma- or tab-separated tables: one record an example, a column of texts and one of labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.formats._cells import OPEN_QUOTE, Cells, parse_cells
from linnet.data.formats.common import Blocks, Examples, Plan, decode_labels, label_texts
from linnet.data.formats.csv_cells import csv_cell
from linnet.data.limits import longest_line, too_long
from linnet.errors import DataError, FormatError

__all__ = ["read", "write"]


def read(blocks: Blocks, plan: Plan) -> Iterator[Examples]:
    """Yield the examples of each block; a record that crosses its end goes with the next."""
    held, first, header = b"", 1, plan.header
    for number, block in blocks:
        if held:
            block = held + block
        else:
            first = number
        cells = _parse(block, first, plan, final=False)
        held = block[cells.used :]
        first += block.count(b"\n", 0, cells.used)
        if len(held) > longest_line():
            raise too_long(plan.file, first, "row", OPEN_QUOTE)
        if len(cells.widths):
            yield from _examples(cells, plan, header)
            header = False
    if held:
        yield from _examples(_parse(held, first, plan, final=True), plan, header)


def _parse(block: bytes, first: int, plan: Plan, *, final: bool) -> Cells:
    delimiter = plan.delimiter or ","
    return parse_cells(block, first, plan.file, delimiter, plan.quoting, final=final)


def _examples(cells: Cells, plan: Plan, header: bool) -> Iterator[Examples]:
    width = len(plan.columns)
    ragged = np.flatnonzero(cells.widths != width)
    if len(ragged):
        raise _ragged(int(cells.widths[ragged[0]]), int(cells.lines[ragged[0]]), plan)
    skip = int(header)
    start = cells.start.reshape(-1, width)[skip:]
    end = cells.end.reshape(-1, width)[skip:]
    if not len(start):
        return
    text = plan.columns.index(plan.text or plan.columns[0])
    column = TextColumn(cells.block, start[:, text], end[:, text])
    y, lines = None, cells.lines[skip:]
    if plan.label is not None and plan.labels:
        at = plan.columns.index(plan.label)
        _refuse_empty(start[:, at], end[:, at], lines, plan)
        y = decode_labels(cells.block, start[:, at], end[:, at], plan.label_separator)
    ids = None
    if "id" in plan.columns and "id" not in (plan.text, plan.label):
        at = plan.columns.index("id")
        ids = decode_labels(cells.block, start[:, at], end[:, at])
    yield plan.examples("text", column, y, lines, ids)


def _refuse_empty(
    start: NDArray[np.int64], end: NDArray[np.int64], lines: NDArray[np.int64], plan: Plan
) -> None:
    empty = np.flatnonzero(start == end)
    if len(empty) and plan.label_separator is None:
        message = f"the label (column {plan.label!r}) is empty; give the row one or remove it"
        raise FormatError(message, file=plan.file, line=int(lines[empty[0]]))


def _ragged(found: int, line: int, plan: Plan) -> FormatError:
    names = ", ".join(plan.columns)
    what = f"the header ({names})" if plan.header else "the first row"
    mark = {"\t": "tab", ",": "comma", ";": "semicolon"}.get(
        plan.delimiter or ",", repr(plan.delimiter)
    )
    if plan.quoting:
        remedy = f"put quotes around a cell that holds a {mark}"
    else:
        remedy = f"a {mark} within a text starts a new cell: remove it, or pass quoting=True"
    return FormatError(
        f"the row has {found} cells, but {what} has {len(plan.columns)}; {remedy}",
        file=plan.file,
        line=line,
    )


def write(
    examples: Examples,
    row: int,
    delimiter: str = ",",
    label_separator: str | None = None,
    safe: bool = False,
) -> Iterator[str]:
    """Yield a header and records; `row` counts the examples before, the header goes before row 1.

    The columns are ``text`` and, where there are labels, ``label``; ``id`` where there are ids.
    With `safe` no cell is a formula for a spreadsheet; see :func:`safe_cell`.
    """
    ids, labels = examples.ids, examples.y
    if not row:
        names = [*["id"] * (ids is not None), "text", *["label"] * (labels is not None)]
        yield _record(names, delimiter, safe)
    for number, text in enumerate(examples.X):
        cells = [text]
        if ids is not None:
            cells.insert(0, ids[number])
        if labels is not None:
            cells.append(_label_cell(labels[number], row + number + 1, label_separator))
        yield _record(cells, delimiter, safe)


def _record(cells: list[str], delimiter: str, safe: bool) -> str:
    """Return a line; a lone empty cell is quoted, as a blank line is no record."""
    written = delimiter.join(csv_cell(cell, delimiter, safe=safe) for cell in cells)
    return (written if cells != [""] else '""') + "\n"


def _label_cell(label: object, number: int, separator: str | None) -> str:
    names = label_texts(label)  # type: ignore[arg-type]
    if not isinstance(label, list):
        return names[0]
    if separator is None:
        raise DataError(
            f"example {number} has a list of labels; pass label_separator to write them in one cell"
        )
    if any(separator in name for name in names):
        raise DataError(f"example {number}: a label holds the separator {separator!r}")
    return separator.join(names)
