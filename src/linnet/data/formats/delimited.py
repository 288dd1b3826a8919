"""Comma- or tab-separated tables: one record an example, a column of texts and one of labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.formats.cells import OPEN_QUOTE, Cells, csv_cell, parse_cells
from linnet.data.formats.common import Blocks, Examples, Plan, Wishes, label_texts
from linnet.data.inputs import table_of_texts
from linnet.data.limits import longest_line, too_long
from linnet.data.roles import has_header, refuse_twins, with_roles
from linnet.errors import DataError, FormatError

__all__ = ["plan_table", "read", "recognise", "whole_rows", "write"]

_SAMPLE = 1000
_QUOTED = re.compile(r'"[^"]*(?:""[^"]*)*"')
_QUOTE_STARTS = re.compile(r'(?:^|(?<=\t))"', re.MULTILINE)


def recognise(filled: list[str], lines: list[str], suffix: str, wishes: Wishes) -> tuple[str, str]:
    """Return csv, tsv, labelled or text, whichever the separators speak for, and why."""
    if wishes.delimiter is not None:
        format = "tsv" if wishes.delimiter == "\t" else "csv"
        return format, f"separated by {wishes.delimiter!r}: as asked for"
    tabs = [line.count("\t") for line in filled]
    if min(tabs) >= 1 and (len(filled) > 1 or suffix in (".tsv", ".tab")):
        return _by_tabs(tabs, filled, lines, wishes)
    if max(tabs) >= 1 and _quoted_table(lines):
        return "tsv", "tab-separated: all rows have the same number of cells, some of them quoted"
    if suffix in (".tsv", ".tab") and max(tabs) >= 1:
        return "tsv", f"tab-separated: the name ends in {suffix}"
    if suffix != ".txt" and _looks_like_csv(filled):
        return "csv", "comma-separated: the first line is a header and all lines fit it"
    return "text", "plain text: one example a line, no separator common to all lines"


def _by_tabs(
    tabs: list[int], filled: list[str], lines: list[str], wishes: Wishes
) -> tuple[str, str]:
    """Decide between label<TAB>text lines and a table."""
    number = len(filled)
    many = f"each of the first {number} lines" if number > 1 else "the first line"
    one = set(tabs) == {1}
    count = "one tab" if one else f"{tabs[0]} tabs" if len(set(tabs)) == 1 else "a tab"
    why = f"tab-separated: {many} has {count}"
    open_choice = all(
        wish is None
        for wish in (wishes.text, wishes.label, wishes.header, wishes.quoting, wishes.columns)
    )
    rows = [line.split("\t", 1) for line in filled]
    if not open_choice or has_header(rows)[0] or _quoted_tabs("\n".join(lines)):
        return "tsv", why
    labels = [label for label, _ in rows]
    repeat = len(set(labels)) <= len(labels) / 2 or number < 20
    short = sum(map(len, labels)) <= 50 * number and all(labels)
    longer = sum(map(len, labels)) <= sum(len(text) for _, text in rows)
    if repeat and short and longer and (one or len(set(tabs)) > 1):
        kinds = "one label" if len(set(labels)) == 1 else f"{len(set(labels))} distinct labels"
        return "labelled", f"{why}; label<TAB>text: {kinds} before it"
    return "tsv", why


def _quoted_tabs(sample: str) -> bool:
    """Say whether a tab-separated file uses quotes as CSV does.

    It does when every cell that starts with a quote is one whole quoted cell and at least one of
    them needed it, for a quote, tab or line break inside. Else quotes are part of the texts.
    """
    needed = False
    at = 0
    for start in _QUOTE_STARTS.finditer(sample):
        if start.start() < at:
            continue  # inside the quoted cell before
        match = _QUOTED.match(sample, start.start())
        if match is None or sample[match.end() : match.end() + 1] not in ("", "\t", "\n", "\r"):
            return False
        inner = match.group()[1:-1]
        if "\n" in inner and "\t" in inner:
            return False
        needed = needed or '""' in inner or "\t" in inner or "\n" in inner
        at = match.end()
    return needed


def _quoted_table(lines: list[str]) -> bool:
    """Say whether lines are a tab-separated table with quotes, some rows over several lines."""
    sample = "\n".join(lines)
    if not _quoted_tabs(sample):
        return False
    try:
        widths = parse_cells(sample.encode(), 1, "", "\t", True, final=False).widths
    except FormatError:
        return False
    return bool(len(widths) > 1 and widths[0] > 1 and (widths == widths[0]).all())


def _looks_like_csv(filled: list[str]) -> bool:
    """Say whether a file without a telling suffix is a CSV file: only if a header says so."""
    if len(filled) < 2 or "," not in filled[0]:
        return False
    block = "\n".join(filled).encode()
    try:
        cells = parse_cells(block, 1, "", ",", True, final=True)
    except FormatError:
        return False
    return len(set(cells.widths.tolist())) == 1 and has_header(cells.rows(_SAMPLE))[0]


def _delimiter(sample: bytes, name: str) -> tuple[str, str]:
    """Return the separator of a CSV file: the first that cuts all rows alike."""
    for mark, word in ((",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "bar")):
        try:
            widths = parse_cells(sample, 1, name, mark, True, final=False).widths
        except FormatError:
            continue
        if len(widths) and widths[0] > 1 and (widths == widths[0]).all():
            return mark, f"{word}-separated: each row has {widths[0]} cells"
    head = sample.split(b"\n", 1)[0]
    mark = max(",;\t|", key=lambda mark: head.count(mark.encode()))
    return (mark, f"separated by {mark!r}") if mark.encode() in head else (",", "one column")


def plan_table(sample: bytes, plan: Plan, wishes: Wishes) -> Plan:
    """Return the plan with separator, quotes, header, and the columns of texts and labels."""
    decisions, mark = [*plan.decisions], wishes.delimiter
    if mark is None and plan.format == "tsv":
        mark = "\t"
    elif mark is None:
        mark, reason = _delimiter(sample, plan.file)
        decisions.append(reason)
    quoting = wishes.quoting
    if quoting is None:
        quoting = mark != "\t" or _quoted_tabs(sample.decode("utf-8", "replace"))
        if mark == "\t" and b'"' in sample:
            decisions.append("cells are quoted" if quoting else "quotes are part of the texts")
    cells = parse_cells(sample, 1, plan.file, mark, quoting, final=False)
    rows = cells.rows(_SAMPLE)
    if not rows:  # one unfinished record: let the reader say what is wrong
        parse_cells(sample, 1, plan.file, mark, quoting, final=True)
        raise FormatError("the file holds only blank lines", file=plan.file)
    header = wishes.header
    asked = [cell.strip() for cell in rows[0] if cell.strip() in (wishes.columns or ())]
    if header is None and any(not cell.isdecimal() for cell in asked):
        header, reason = True, f"the first row is a header: it names a column {asked[0]!r}"
    elif header is None:
        header, reason = has_header(rows)
    else:
        reason = "the first row is a header: as asked for" if header else "no header: as asked for"
    decisions.append(reason)
    names = tuple(str(number) for number in range(1, len(rows[0]) + 1))
    if header:
        names = tuple(cell.strip() for cell in rows[0])
        refuse_twins(names, plan.file, int(cells.lines[0]))
    table = replace(plan, delimiter=mark, header=header, quoting=quoting, columns=names)
    table = replace(table, decisions=tuple(decisions))
    return with_roles(table, rows[1:] if header else rows, wishes, named=header)


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


def whole_rows(block: bytes, first: int, plan: Plan, *, final: bool) -> int:
    """Return how many bytes of a block are whole records; the last may go on in the next block."""
    return len(block) if final else int(_parse(block, first, plan, final=False).used)


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
    y, lines = None, cells.lines[skip:]
    if plan.inputs:
        places = [plan.columns.index(name) for name, _ in plan.inputs]
        texts = [TextColumn(cells.block, start[:, at], end[:, at]) for at in places]
        X: Any = table_of_texts(texts, lines, plan)
    else:
        text = plan.columns.index(plan.text or plan.columns[0])
        X = TextColumn(cells.block, start[:, text], end[:, text])
    if plan.label is not None and plan.labels:
        at = plan.columns.index(plan.label)
        _refuse_empty(start[:, at], end[:, at], lines, plan)
        y = plan.cells(TextColumn(cells.block, start[:, at], end[:, at]))
    ids = None
    if "id" in plan.columns and "id" not in (plan.text, plan.label, *dict(plan.inputs)):
        at = plan.columns.index("id")
        ids = TextColumn(cells.block, start[:, at], end[:, at]).interned()
    yield plan.examples("columns" if plan.inputs else "text", X, y, lines, ids)


def _refuse_empty(
    start: NDArray[np.int64], end: NDArray[np.int64], lines: NDArray[np.int64], plan: Plan
) -> None:
    empty = np.flatnonzero(start == end)
    if len(empty) and plan.label_separator is None:
        message = f"the label (column {plan.label!r}) is empty; give the row one or remove it"
        raise FormatError(message, file=plan.file, line=int(lines[empty[0]]))


def _ragged(cells: int, line: int, plan: Plan) -> FormatError:
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
        f"the row has {cells} cells, but {what} has {len(plan.columns)}; {remedy}",
        file=plan.file,
        line=line,
    )


def write(examples: Examples, row: int, plan: Plan) -> Iterator[str]:
    """Yield a header and records; `row` counts the examples before, the header goes before row 1.

    The columns are ``text`` and, where there are labels, ``label``; ``id`` where there are ids.
    With `safe_csv` no cell is a formula for a spreadsheet; see :func:`safe_cell`.
    """
    delimiter, safe = "\t" if plan.format == "tsv" else ",", plan.safe_csv
    ids, labels = examples.ids, examples.y
    if not row:
        names = [*["id"] * (ids is not None), "text", *["label"] * (labels is not None)]
        yield _record(names, delimiter, safe)
    for number, text in enumerate(examples.X):
        cells = [text]
        if ids is not None:
            cells.insert(0, ids[number])
        if labels is not None:
            cells.append(_label_cell(labels[number], row + number + 1, plan.label_separator))
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
