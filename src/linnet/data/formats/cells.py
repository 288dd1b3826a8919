"""Cells of tables: parsing blocks of delimited records, twice, and writing one cell.

:func:`cells_fast` looks at a block as one array of bytes. A separator counts when the number of
quotes before it is even; the cells between are accepted only if each is free of quotes or is one
quoted cell in good order. Anything else is left to :func:`cells_exact`, which goes through the
block cell by cell, is the definition of the format, and points at what is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.formats.common import places_of
from linnet.data.limits import longest_line, too_long
from linnet.errors import FormatError

__all__ = ["OPEN_QUOTE", "Cells", "csv_cell", "parse_cells", "safe_cell"]

OPEN_QUOTE = "a quote is probably never closed: close it, or read with quoting=False; "

_QUOTE, _FEED, _RETURN = 34, 10, 13
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_QUOTED = re.compile(rb'"[^"]*(?:""[^"]*)*"')

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Cells:
    """The records of a block; blank lines are no records."""

    block: bytes
    start: Ints  # (cells,) spans into `block`, quotes taken off
    end: Ints  # (cells,)
    widths: Ints  # (records,) cells in each record
    lines: Ints  # (records,) physical line each record starts on
    used: int  # bytes of the block parsed: what follows is the start of an unfinished record

    def rows(self, most: int | None = None) -> list[list[str]]:
        """Return the records, or the first of them, as rows of strings."""
        cells = TextColumn(self.block, self.start, self.end).raw()
        return [
            [cell.decode("utf-8", "replace") for cell in islice(cells, width)]
            for width in self.widths[:most].tolist()
        ]


def parse_cells(
    block: bytes, first: int, file: str, delimiter: str, quoting: bool, *, final: bool
) -> Cells:
    """Return the whole records of a block.

    Parameters
    ----------
    block : bytes
        Whole lines in UTF-8.
    first : int
        Number of the first line.
    file, delimiter : str
    quoting : bool
        Whether a cell that starts with a quote ends at the closing quote.
    final : bool
        Whether the file ends here, so that an open quote is an error and not the next block's.
    """
    cells = cells_fast(block, first, delimiter, quoting)
    if cells is None or (cells.used != len(block) and final):
        cells = cells_exact(block, first, file, delimiter, final=final)
    if len(block) > longest_line():
        _refuse_long_rows(cells, file)
    return cells


def _refuse_long_rows(cells: Cells, file: str) -> None:
    last = np.cumsum(cells.widths) - 1
    lengths = cells.end[last] - cells.start[last - cells.widths + 1]
    long = np.flatnonzero(lengths > longest_line())
    if len(long):
        raise too_long(file, int(cells.lines[long[0]]), "row", OPEN_QUOTE)


def cells_fast(block: bytes, first: int, delimiter: str, quoting: bool) -> Cells | None:
    """Return the records of a block, or None for quotes in unusual places."""
    data = np.frombuffer(block, np.uint8)
    feeds = places_of(data, _FEED)
    quotes = places_of(data, _QUOTE) if quoting else np.empty(0, np.int64)
    places = np.sort(np.concatenate([places_of(data, ord(delimiter)), feeds]), kind="stable")
    if len(quotes):
        places = places[np.searchsorted(quotes, places) % 2 == 0]
    if len(quotes) % 2 == 0 and len(data) and data[-1] != _FEED:
        places = np.append(places, len(data))  # the last line lacks its line feed
    ends_record = np.ones(len(places), bool)
    inside = places < len(data)
    ends_record[inside] = data[places[inside]] == _FEED
    last = np.flatnonzero(ends_record)
    if not len(last):
        return Cells(block, *(np.empty(0, np.int64),) * 4, used=0)
    places, ends_record = places[: last[-1] + 1], ends_record[: last[-1] + 1]
    start = np.concatenate([[0], places[:-1] + 1])
    end = places - _ends_with_return(data, start, places, ends_record)
    widths = np.diff(last, prepend=-1)
    heads = start[last - widths + 1]
    lines = first + np.searchsorted(feeds, heads)
    cells = Cells(block, start, end, widths, lines, min(int(places[-1]) + 1, len(block)))
    return _unquoted(_without_blank_lines(cells), data, quotes)


def _ends_with_return(
    data: NDArray[np.uint8], start: Ints, places: Ints, ends_record: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    returns: NDArray[np.bool_] = data[np.maximum(places - 1, 0)] == _RETURN
    return ends_record & (places > start) & returns


def _without_blank_lines(cells: Cells) -> Cells:
    heads = np.cumsum(cells.widths) - cells.widths
    blank = (cells.widths == 1) & (cells.start[heads] == cells.end[heads])
    if not blank.any():
        return cells
    keep = np.repeat(~blank, cells.widths)
    start, end = cells.start[keep], cells.end[keep]
    return Cells(cells.block, start, end, cells.widths[~blank], cells.lines[~blank], cells.used)


def _unquoted(cells: Cells, data: NDArray[np.uint8], quotes: Ints) -> Cells | None:
    """Take the quotes off quoted cells; None when a quote stands where it should not."""
    quotes = quotes[quotes < cells.used]
    if not len(quotes):
        return cells
    low, high = np.searchsorted(quotes, cells.start), np.searchsorted(quotes, cells.end)
    count = high - low
    rows = np.flatnonzero(count)
    if (count % 2).any() or (quotes[low[rows]] != cells.start[rows]).any():
        return None
    if (quotes[high[rows] - 1] != cells.end[rows] - 1).any():
        return None
    inner = np.ones(len(quotes), bool)
    inner[low[rows]] = inner[high[rows] - 1] = False
    pairs = quotes[inner]
    if (pairs[1::2] - pairs[::2] != 1).any():
        return None
    start, end = cells.start.copy(), cells.end.copy()
    start[rows] += 1
    end[rows] -= 1
    second = pairs[1::2]  # of each doubled quote one is dropped, and what follows moves up
    if not len(second):
        return Cells(cells.block, start, end, cells.widths, cells.lines, cells.used)
    kept = np.ones(len(data), bool)
    kept[second] = False
    start -= np.searchsorted(second, start)
    end -= np.searchsorted(second, end)
    return Cells(data[kept].tobytes(), start, end, cells.widths, cells.lines, cells.used)


def cells_exact(block: bytes, first: int, file: str, delimiter: str, *, final: bool) -> Cells:
    """Return the records of a block, one cell after the other."""
    plain = re.compile(rb"[^\n" + re.escape(delimiter).encode() + rb"]*")
    texts: list[bytes] = []
    widths: list[int] = []
    lines: list[int] = []
    at, line, used = 0, first, 0
    while at < len(block):
        record: list[bytes] = []
        begun = line
        while True:
            quoted = block[at : at + 1] == b'"'
            match = (_QUOTED if quoted else plain).match(block, at)
            if match is None:
                if not final:
                    return _joined(texts, widths, lines, used)
                raise _open_quote(block, at, line, file)
            at = match.end()
            line += match.group().count(b"\n")
            record.append(match.group()[1:-1].replace(b'""', b'"') if quoted else match.group())
            at += quoted and block[at : at + 2] in (b"\r\n", b"\r")
            mark = block[at : at + 1]
            if quoted and mark not in (b"", b"\n", delimiter.encode()):
                raise _after_quote(block, at, line, file)
            at += 1
            if mark != delimiter.encode():
                break
        line += 1
        if not quoted:
            record[-1] = record[-1].removesuffix(b"\r")
        used = min(at, len(block))
        if record != [b""] or quoted:
            texts += record
            widths.append(len(record))
            lines.append(begun)
    return _joined(texts, widths, lines, used)


def _joined(texts: list[bytes], widths: list[int], lines: list[int], used: int) -> Cells:
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    end = np.cumsum(lengths)
    numbers = np.array(widths, np.int64), np.array(lines, np.int64)
    return Cells(b"".join(texts), end - lengths, end, *numbers, used)


def _column(block: bytes, at: int) -> int:
    return len(block[block.rfind(b"\n", 0, at) + 1 : at].decode("utf-8", "replace")) + 1


def _open_quote(block: bytes, at: int, line: int, file: str) -> FormatError:
    return FormatError(
        "the quote that opens here is never closed; close it, double quotes that are part of the "
        "text, or read the file with quoting=False",
        file=file,
        line=line,
        column=_column(block, at),
    )


def _after_quote(block: bytes, at: int, line: int, file: str) -> FormatError:
    return FormatError(
        "a quoted cell must end at its closing quote; double quotes that are part of the text, or "
        "read the file with quoting=False",
        file=file,
        line=line,
        column=_column(block, at),
    )


def csv_cell(text: str, delimiter: str, *, safe: bool = False) -> str:
    """Return a cell: with a separator, quote or line break it is quoted (RFC 4180).

    The csv module leaves a carriage return bare, which at the end of a line would be lost.

    Examples
    --------
    >>> print(csv_cell('5" disk, new', ","))
    "5"" disk, new"
    """
    if safe:
        text = safe_cell(text)
    if delimiter in text or '"' in text or "\n" in text or "\r" in text:
        return '"' + text.replace('"', '""') + '"'
    return text


def safe_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: an apostrophe goes before it.

    Numbers stay as they are: they are no formulas.

    Examples
    --------
    >>> safe_cell("=1+1"), safe_cell("-3.5"), safe_cell("good")
    ("'=1+1", '-3.5', 'good')
    """
    if not text.startswith(_FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
