"""One example a line: plain texts, or ``label<TAB>text``.

A block is looked at as one array of bytes: the places of line feeds and tabs give the spans of all
labels and texts at once, and no string is made of a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.files import Source, source_name, write_atomically
from linnet.data.formats.blocks import text_blocks
from linnet.data.formats.common import (
    Blocks,
    Examples,
    Plan,
    line_spans,
    places_of,
)
from linnet.data.hidden import hidden_lines
from linnet.errors import DataError, FormatError

__all__ = ["labelled_lines", "read", "read_labelled_text", "write", "write_labelled_text"]

_BLOCK = 1 << 23


def read(blocks: Blocks, plan: Plan) -> Iterator[Examples]:
    """Yield the examples of each block.

    An empty line is an empty text, or nothing where labels are before the texts. A labelled text
    is all that follows the first tab.
    """
    for first, block in blocks:
        data = np.frombuffer(block, np.uint8)
        start, end = line_spans(data)
        if plan.format == "text":
            numbers = np.arange(first, first + len(start), dtype=np.int64)
            kept = ~np.isin(numbers, hidden_lines(plan.file))
            if not kept.all():
                start, end, numbers = start[kept], end[kept], numbers[kept]
            yield plan.examples("text", TextColumn(block, start, end), None, numbers)
            continue
        filled = np.flatnonzero(end > start)
        start, end, numbers = start[filled], end[filled], filled + first
        tab = _first_tab(data, start, end, plan, numbers)
        labels = plan.cells(TextColumn(block, start, tab)) if plan.labels else None
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
            "expected label<TAB>text, but the line has no tab; lines without labels have the "
            "format 'text'",
            file=plan.file,
            line=int(numbers[row]),
            column=len(line) + 1,
        )
    bare = np.flatnonzero(first == start)
    if plan.labels and len(bare):
        message = "the label before the tab is empty; give the line a label or remove it"
        raise FormatError(message, file=plan.file, line=int(numbers[bare[0]]), column=1)
    return first


def write(examples: Examples, row: int, plan: Plan) -> Iterator[str]:
    """Yield the lines of texts, the labels before them unless the format is plain text."""
    if plan.format == "text" and examples.y is not None:
        raise DataError("plain text lines cannot hold labels; read without labels to drop them")
    if plan.format == "labelled" and examples.y is None:
        raise DataError("label<TAB>text lines need labels, and the examples have none; write .txt")
    labels = repeat(None) if examples.y is None else map(str, examples.y)
    for number, (text, label) in enumerate(zip(examples.X, labels, strict=False), row + 1):
        yield _line(text, label, f"example {number}")


def _line(text: str, label: str | None, where: str) -> str:
    """Return the line of a text; a text or label that would break it is refused."""
    if label is not None and (not label or not {"\t", "\n", "\r"}.isdisjoint(label)):
        message = f"label {label!r} is empty or holds a tab or line break"
        raise FormatError(f"{where}: {message}; write CSV or JSONL instead")
    if "\n" in text or text.endswith("\r"):
        message = f"{where}: the text holds a line break, which ends a line here"
        raise FormatError(f"{message}; write CSV, JSONL or Parquet instead")
    return f"{text}\n" if label is None else f"{label}\t{text}\n"


def read_labelled_text(source: Source, encoding: str = "utf-8") -> tuple[list[str], list[str]]:
    """Read ``label<TAB>text`` lines.

    Parameters
    ----------
    source : path or file
        Plain, ``.gz`` or ``.zst``; ``-`` is standard input; or an open file.
    encoding : str
        The file's encoding.

    Returns
    -------
    labels, texts : lists of str
        The text is all that follows the first tab.

    Raises
    ------
    FormatError
        When a line has no tab or no label. Empty lines are skipped.

    Examples
    --------
    >>> import io
    >>> read_labelled_text(io.StringIO("1\\tShoken , monk\\n-1\\tA site\\n"))
    (['1', '-1'], ['Shoken , monk', 'A site'])
    """
    lines = list(labelled_lines(source, encoding))
    return [label for _, label, _ in lines], [text for _, _, text in lines]


def labelled_lines(source: Source, encoding: str = "utf-8") -> Iterator[tuple[int, str, str]]:
    """Yield (line number, label, text) through a file of ``label<TAB>text`` lines."""
    plan = Plan(source_name(source), "labelled")
    for block in read(text_blocks(source, _BLOCK, encoding, None), plan):
        yield from zip(block.lines.tolist(), block.y or (), block.X, strict=True)


def write_labelled_text(
    path: str | PathLike[str], labels: Iterable[str], texts: Iterable[str]
) -> None:
    """Write ``label<TAB>text`` lines that :func:`read_labelled_text` reads back without loss.

    A label must not be empty nor hold a tab or a carriage return, and neither label nor text may
    hold a line break.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "titles.txt"
    >>> write_labelled_text(path, ["1"], ["Shoken , monk"])
    >>> path.read_text().split("\\t")
    ['1', 'Shoken , monk\\n']
    """
    with write_atomically(path) as out:
        for number, (label, text) in enumerate(zip(labels, texts, strict=True), 1):
            out.write(_line(text, label, f"text {number}"))
