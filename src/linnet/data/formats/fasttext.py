"""fastText's lines: ``__label__a __label__b text``."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from linnet.data.columns import TextColumn
from linnet.data.formats.common import Blocks, Examples, Plan, label_texts
from linnet.errors import DataError

__all__ = ["PREFIX", "read", "recognise", "write"]

PREFIX = "__label__"
_LABELS = re.compile(rb"(?:__label__[^ \t]+(?:[ \t]+(?=__label__)|[ \t]|$))*")


def recognise(filled: list[str]) -> str | None:
    """Say why lines are of this format."""
    return f"starts with {PREFIX}" if all(line.startswith(PREFIX) for line in filled) else None


def read(blocks: Blocks, plan: Plan) -> Iterator[Examples]:
    """Yield the examples of each block; blank lines are skipped.

    The labels are those at the start of the line. They are lists when a line of the block has
    several or none, and missing when no line has any.
    """
    for first, block in blocks:
        starts, ends, labels, lines = [], [], [], []
        at = 0
        for number, line in enumerate(block.split(b"\n"), first):
            body = line.removesuffix(b"\r")
            if body and not body.isspace():
                match = _LABELS.match(body)
                cut = match.end() if match else 0
                starts.append(at + cut)
                ends.append(at + len(body))
                labels.append(_names(body[:cut]))
                lines.append(number)
            at += len(line) + 1
        if lines:
            column = TextColumn(block, starts, ends)
            yield plan.examples("text", column, _shaped(labels), np.array(lines, np.int64))


def _names(head: bytes) -> list[str]:
    return [token.removeprefix(PREFIX) for token in head.decode().split()]


def _shaped(labels: list[list[str]]) -> list[str] | list[list[str]] | None:
    if all(len(names) == 1 for names in labels):
        return [names[0] for names in labels]
    return labels if any(labels) else None


def write(examples: Examples, row: int, plan: Plan) -> Iterator[str]:
    """Yield one line an example; `row` counts the examples before."""
    for number, text in enumerate(examples.X):
        where = f"example {row + number + 1}"
        names = [] if examples.y is None else label_texts(examples.y[number])
        for name in names:
            if not name or any(mark.isspace() for mark in name):
                raise DataError(
                    f"{where}: fastText cannot hold the label {name!r}, which is empty or has "
                    "white space; rename it, or write CSV or JSONL"
                )
        if "\n" in text or text.endswith("\r"):
            raise DataError(f"{where}: the text holds a line break; write CSV or JSONL instead")
        if not names and not text.strip():
            raise DataError(f"{where}: an empty text without label would be a blank line")
        if text.startswith(PREFIX):
            raise DataError(
                f"{where}: the text starts with {PREFIX}, which fastText reads as label"
            )
        yield "".join(f"{PREFIX}{name} " for name in names) + text + "\n"
