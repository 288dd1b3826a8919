"""What a file with columns or keys holds: its separator, quotes, header, text and label."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from linnet.data._roles import choose_roles, has_header
from linnet.data.formats._cells import parse_cells
from linnet.errors import FormatError

__all__ = [
    "Sniffed",
    "Wishes",
    "looks_like_csv",
    "quoted_table",
    "quoted_tabs",
    "sniff_objects",
    "sniff_table",
]

_SAMPLE_ROWS = 1000
_QUOTED = re.compile(r'"[^"]*(?:""[^"]*)*"')
_QUOTE_STARTS = re.compile(r'(?:^|(?<=\t))"', re.MULTILINE)


@dataclass(frozen=True)
class Wishes:
    """What the caller has decided; None leaves a decision to :func:`sniff`."""

    format: str | None = None
    text: str | int | None = None
    label: str | int | None = None
    header: bool | None = None
    delimiter: str | None = None
    quoting: bool | None = None
    labels: bool = True


@dataclass(frozen=True)
class Sniffed:
    """What a file holds.

    Columns without a header are called "1", "2", and so on.
    """

    format: str
    delimiter: str | None = None
    header: bool = False
    columns: tuple[str, ...] = ()
    text: str | None = None
    label: str | None = None
    decisions: tuple[str, ...] = ()
    quoting: bool = False


def quoted_tabs(sample: str) -> bool:
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


def quoted_table(lines: list[str]) -> bool:
    """Say whether lines are a tab-separated table with quotes, some rows over several lines."""
    sample = "\n".join(lines)
    if not quoted_tabs(sample):
        return False
    try:
        widths = parse_cells(sample.encode(), 1, "", "\t", True, final=False).widths
    except FormatError:
        return False
    return bool(len(widths) > 1 and widths[0] > 1 and (widths == widths[0]).all())


def looks_like_csv(filled: list[str]) -> bool:
    """Say whether a file without a telling suffix is a CSV file: only if a header says so."""
    if len(filled) < 2 or "," not in filled[0]:
        return False
    block = "\n".join(filled).encode()
    try:
        cells = parse_cells(block, 1, "", ",", True, final=True)
    except FormatError:
        return False
    rows = _strings(cells)
    return len(set(cells.widths.tolist())) == 1 and has_header(rows)[0]


def _strings(cells: Any) -> list[list[str]]:
    """Return parsed cells as rows of strings."""
    rows, at = [], 0
    spans = list(zip(cells.start.tolist(), cells.end.tolist(), strict=True))
    for width in cells.widths.tolist()[:_SAMPLE_ROWS]:
        rows.append(
            [cells.block[a:b].decode("utf-8", "replace") for a, b in spans[at : at + width]]
        )
        at += width
    return rows


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


def sniff_table(sample: bytes, name: str, format: str, why: str, wishes: Wishes) -> Sniffed:
    decisions = [why]
    if wishes.delimiter is not None:
        mark = wishes.delimiter
    elif format == "tsv":
        mark = "\t"
    else:
        mark, reason = _delimiter(sample, name)
        decisions.append(reason)
    quoting = wishes.quoting
    if quoting is None:
        quoting = mark != "\t" or quoted_tabs(sample.decode("utf-8", "replace"))
        if mark == "\t" and b'"' in sample:
            decisions.append("cells are quoted" if quoting else "quotes are part of the texts")
    cells = parse_cells(sample, 1, name, mark, quoting, final=False)
    rows = _strings(cells)
    if not rows:  # one unfinished record: let the reader say what is wrong
        parse_cells(sample, 1, name, mark, quoting, final=True)
        raise FormatError("the file holds only blank lines", file=name)
    header, reason = wishes.header, "as asked for"
    if header is None:
        header, reason = has_header(rows)
    else:
        reason = "the first row is a header: as asked for" if header else "no header: as asked for"
    decisions.append(reason)
    columns = tuple(cell.strip() for cell in rows[0]) if header else ()
    if header:
        _refuse_duplicates(columns, name, int(cells.lines[0]))
    names = columns or tuple(str(number) for number in range(1, len(rows[0]) + 1))
    roles = choose_roles(
        names,
        rows[1:] if header else rows,
        name,
        text=wishes.text,
        label=wishes.label,
        named=header,
        labels=wishes.labels,
    )
    decisions += roles.decisions
    return Sniffed(format, mark, header, names, roles.text, roles.label, tuple(decisions), quoting)


def _refuse_duplicates(columns: tuple[str, ...], name: str, line: int) -> None:
    for at, column in enumerate(columns):
        if column in columns[:at]:
            message = f"the header names two columns {column!r}; rename one of them"
            raise FormatError(message, file=name, line=line)


def sniff_objects(lines: list[str], name: str, why: str, wishes: Wishes) -> Sniffed:
    """Find the keys of JSON lines."""
    found: list[dict[str, Any]] = []
    if "".join(lines[:100]).lstrip().startswith("["):
        message = "this is one JSON array; write one object a line (JSONL), as jq -c '.[]' does"
        raise FormatError(message, file=name, line=1)
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue  # the reader will say what is wrong, and where
        if isinstance(value, dict):
            found.append(value)
    columns = tuple(dict.fromkeys(key for row in found for key in row))
    if not columns:
        return Sniffed("jsonl", decisions=(why,), text="text")
    rows = [[row.get(key) for key in columns] for row in found]
    roles = choose_roles(
        columns, rows, name, text=wishes.text, label=wishes.label, labels=wishes.labels
    )
    bags = any(isinstance(row.get(roles.text), dict) for row in found)
    said = [sentence.replace("column", "key") for sentence in roles.decisions]
    if bags:
        said = [sentence.replace("text is", "features are under", 1) for sentence in said]
    decisions = (why, *said)
    return Sniffed("jsonl", None, False, columns, roles.text, roles.label, decisions)
