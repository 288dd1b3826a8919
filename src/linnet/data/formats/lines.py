"""One example a line: plain texts, or ``label<TAB>text``.

A block is looked at as one array of bytes: the places of line feeds and tabs give the spans of all
labels and texts at once, and no string is made of a text.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.formats.common import (
    Blocks,
    Examples,
    Plan,
    decode_labels,
    line_spans,
    places_of,
)
from linnet.errors import FormatError

__all__ = ["read_labelled", "read_text", "write_labelled", "write_text"]

_BREAKS = {"\n", "\r"}


def read_text(blocks: Blocks, plan: Plan) -> Iterator[Examples]:
    """Yield the texts of each block; an empty line is an empty text."""
    for first, block in blocks:
        start, end = line_spans(np.frombuffer(block, np.uint8))
        numbers = np.arange(first, first + len(start), dtype=np.int64)
        yield plan.examples("text", TextColumn(block, start, end), None, numbers)


def read_labelled(blocks: Blocks, plan: Plan) -> Iterator[Examples]:
    """Yield the examples of each block; the text is all that follows the first tab."""
    for first, block in blocks:
        data = np.frombuffer(block, np.uint8)
        start, end = line_spans(data)
        filled = np.flatnonzero(end > start)
        start, end, numbers = start[filled], end[filled], filled + first
        tab = _first_tab(data, start, end, plan, numbers)
        labels = decode_labels(block, start, tab, plan.label_separator) if plan.labels else None
        if len(filled):
            yield plan.examples("text", TextColumn(block, tab + 1, end), labels, numbers)


def _first_tab(
    data: NDArray[np.uint8],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    plan: Plan,
    numbers: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the place of each line's first tab, which must be there and after a label."""
    tabs = np.append(places_of(data, 9), len(data))
    first = tabs[np.searchsorted(tabs, start)]
    missing = np.flatnonzero(first >= end)
    if len(missing):
        row = int(missing[0])
        line = data[start[row] : end[row]].tobytes().decode()
        raise FormatError(
            "expected label<TAB>text, but the line has no tab; for lines without labels pass "
            "format='text'",
            file=plan.file,
            line=int(numbers[row]),
            column=len(line) + 1,
        )
    bare = np.flatnonzero(first == start)
    if plan.labels and len(bare):
        message = "the label before the tab is empty; give the line a label or remove it"
        raise FormatError(message, file=plan.file, line=int(numbers[bare[0]]), column=1)
    return first


def write_text(examples: Examples, row: int) -> Iterator[str]:
    """Yield the lines of unlabelled texts; `row` counts the examples before."""
    for number, text in enumerate(examples.X, row + 1):
        yield f"{_one_line(text, number)}\n"


def write_labelled(examples: Examples, row: int) -> Iterator[str]:
    """Yield ``label<TAB>text`` lines."""
    pairs = zip(examples.y or [], examples.X, strict=True)
    for number, (label, text) in enumerate(pairs, row + 1):
        name = str(label)
        if not name or not {"\t", *_BREAKS}.isdisjoint(name):
            message = f"label {name!r} is empty or holds a tab or line break"
            raise FormatError(f"example {number}: {message}; write CSV or JSONL instead")
        yield f"{name}\t{_one_line(text, number)}\n"


def _one_line(text: str, number: int) -> str:
    if "\n" in text or text.endswith("\r"):
        message = f"example {number}: the text holds a line break, which ends a line here"
        raise FormatError(f"{message}; write CSV, JSONL or Parquet instead")
    return text
