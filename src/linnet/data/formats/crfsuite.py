"""CRFsuite's lines: ``label<TAB>attribute<TAB>attribute:value ...``, a blank line ends a sentence.

In an attribute ``\\:`` is a colon and ``\\\\`` a backslash; the first bare colon starts the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn, offsets
from linnet.data.formats.common import Blocks, Plan, places_of
from linnet.data.formats.sequence_common import Attributes, Sequences, lines_of, tabbed_cells
from linnet.errors import DataError, FormatError

__all__ = ["read", "recognise", "write"]

_ATTRIBUTE = re.compile(
    rb"((?:[^\\:]|\\.)*)(?::([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?))?", re.DOTALL
)
_NAMED = re.compile(r"[^=:]+[=:].*")
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)

Ints = NDArray[np.int64]


def recognise(filled: list[str], groups: list[int]) -> str | None:
    """Say why lines are of this format: a label, then attributes, most of them ``name=value``.

    `groups` says how many of the lines stand between blank lines.
    """
    if len(groups) < 2 or sum(groups) < 2 * len(groups):
        return None
    rows = [line.split("\t") for line in filled]
    cells = [cell for row in rows for cell in row[1:]]
    named = sum(_NAMED.fullmatch(cell) is not None for cell in cells)
    if min(map(len, rows)) >= 2 and named >= 0.9 * len(cells):
        return "a label and attributes such as w=a, a blank line after each sentence"
    return None


def read(blocks: Blocks, plan: Plan) -> Iterator[Sequences]:
    """Yield the sentences of each block."""
    for first, block in blocks:
        data = np.frombuffer(block, np.uint8)
        start, end = lines_of(data)
        blank = end == start
        rows = np.flatnonzero(~blank)
        if not len(rows):
            continue
        low, high, counts = tabbed_cells(data, start, end, ~blank)
        heads = np.cumsum(counts) - counts
        columns = {"tag": TextColumn(block, low[heads], high[heads])} if plan.labels else {}
        unlabelled = np.flatnonzero(low[heads] == high[heads])
        if plan.labels and len(unlabelled):
            message = "the label before the first tab is empty; give the token a label"
            line = int(rows[unlabelled[0]]) + first
            raise FormatError(message, file=plan.file, line=line, column=1)
        rest = np.ones(len(low), bool)
        rest[heads] = False
        offset = offsets(counts - 1)
        lines = np.repeat(rows + first, counts - 1)
        names, values = _attributes(block, data, low[rest], high[rest], lines, plan)
        begins = np.flatnonzero(np.diff(np.cumsum(blank)[rows], prepend=-1))
        yield Sequences(
            plan.format,
            columns,
            np.append(begins, len(rows)).astype(np.int64),
            rows[begins] + first,
            None,
            "tag" if plan.labels else None,
            plan.decisions,
            attributes=Attributes(names, values, offset),
        )


def _attributes(
    block: bytes,
    data: NDArray[np.uint8],
    low: Ints,
    high: Ints,
    lines: Ints,
    plan: Plan,
) -> tuple[TextColumn, NDArray[np.float64] | None]:
    """Return names and values of cells; only those with a colon or a backslash are looked into."""
    marks = np.sort(np.concatenate([places_of(data, ord(":")), places_of(data, ord("\\"))]))
    special = np.flatnonzero(np.searchsorted(marks, high) > np.searchsorted(marks, low))
    values = np.ones(len(low)) if len(special) else None
    low, high = low.copy(), high.copy()
    unescaped = bytearray()
    for cell in special.tolist():
        raw = block[low[cell] : high[cell]]
        name, value = _parsed(raw, int(low[cell]), int(lines[cell]), block, plan)
        if values is not None:
            values[cell] = value
        if b"\\" in name:  # its text is none of the file: it goes behind the block
            name = _ESCAPED.sub(rb"\1", name)
            low[cell] = len(block) + len(unescaped)
            unescaped += name
        high[cell] = low[cell] + len(name)
    empty = np.flatnonzero(low == high)
    if len(empty):
        message = "an attribute is empty; remove one of the tabs around it"
        raise FormatError(message, file=plan.file, line=int(lines[empty[0]]))
    return TextColumn(block + bytes(unescaped) if unescaped else block, low, high), values


def _parsed(raw: bytes, at: int, line: int, block: bytes, plan: Plan) -> tuple[bytes, float]:
    match = _ATTRIBUTE.fullmatch(raw)
    value = 1.0 if match is None or match[2] is None else float(match[2])
    if match is not None and isfinite(value):
        return match[1], value
    before = block[block.rfind(b"\n", 0, at) + 1 : at].decode()
    raise FormatError(
        f"after the colon of the attribute {raw.decode()!r} must stand a finite number; write a "
        "colon that is part of the name as \\: and a backslash as \\\\",
        file=plan.file,
        line=line,
        column=len(before) + 1,
    )


def write(sequences: Sequences, row: int, plan: Plan) -> Iterator[str]:
    """Yield a line a token and a blank line a sentence; `row` counts the sentences before."""
    if sequences.attributes is None:
        raise DataError("CRFsuite lines hold features, and the sentences have words; write CoNLL")
    tags = sequences.tags
    if tags is None:
        raise DataError("CRFsuite lines need a label for each token, and the sentences have none")
    labels = [tag for sentence in tags for tag in sentence]
    names = sequences.attributes.names.to_list()
    values = sequences.attributes.values
    cells = [
        _escaped(name, 1.0 if values is None else float(values[place]))
        for place, name in enumerate(names)
    ]
    bounds = sequences.attributes.offset.tolist()
    lines = [
        "\t".join([_one_cell(label), *cells[start:end]]) + "\n"
        for label, (start, end) in zip(labels, pairwise(bounds), strict=True)
    ]
    for start, end in pairwise(sequences.offset.tolist()):
        yield from lines[start:end]
        yield "\n"


def _escaped(name: str, value: float) -> str:
    text = _one_cell(name).replace("\\", "\\\\").replace(":", "\\:")
    return text if value == 1 else f"{text}:{value!r}"


def _one_cell(text: str) -> str:
    if not text or any(mark in text for mark in "\t\n\r"):
        raise DataError(f"{text!r} is empty or holds a tab or line break; rename it")
    return text
