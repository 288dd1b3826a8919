"""Rows that are left out: lines that do not follow the format are read as if they were empty.

A file is read in blocks. What fails in a block says its line; the line is emptied and the block,
not the file, is read again. So all that reads files can leave bad rows out, and nobody who uses
what was read needs to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from linnet.errors import FormatError, ParameterError

__all__ = ["BadRows", "hidden_lines", "leaving_out", "parsed"]

Result = TypeVar("Result")
_active: ContextVar[BadRows | None] = ContextVar("linnet_bad_rows", default=None)
_SHOWN = 10


class BadRows:
    """How many bad rows may be left out, and which were.

    Parameters
    ----------
    allowed : int

    Attributes
    ----------
    lines : dict of str to set of int
        The lines of each file that were left out.
    errors : list of FormatError
        What was wrong with the first of them.

    Examples
    --------
    >>> from linnet.data import read_examples
    >>> path = getfixture("tmp_path") / "a.tsv"
    >>> _ = path.write_text("pos\\tgood\\nno tab here\\nneg\\tbad\\n")
    >>> bad = BadRows(1)
    >>> with bad.left_out():
    ...     read_examples(path, format="labelled").y
    ['pos', 'neg']
    >>> len(bad), [error.line for error in bad.errors]
    (1, [2])
    """

    def __init__(self, allowed: int) -> None:
        if isinstance(allowed, bool) or not isinstance(allowed, int) or allowed < 0:
            raise ParameterError(f"skip_bad must be a number of rows, got {allowed!r}")
        self.allowed = allowed
        self.errors: list[FormatError] = []
        self.lines: dict[str, set[int]] = {}

    def __len__(self) -> int:
        return sum(map(len, self.lines.values()))

    @contextmanager
    def left_out(self) -> Iterator[None]:
        """Leave bad rows out of all that is read meanwhile."""
        token = _active.set(self if self.allowed else None)
        try:
            yield
        finally:
            _active.reset(token)

    def count(self, error: FormatError, file: str, line: int) -> None:
        """Leave a row out, unless there are too many."""
        lines = self.lines.setdefault(file, set())
        if line in lines:  # it is not the line
            raise error
        if len(self) >= self.allowed:
            raise FormatError(
                f"{error.message} (and {len(self)} bad rows were left out before)",
                file=error.file, line=error.line, column=error.column,
            )  # fmt: skip
        lines.add(line)
        self.errors += [error] if len(self.errors) < _SHOWN else []

    def to_dict(self) -> dict[str, list[int]]:
        """Return the lines that were left out as plain values."""
        return {file: sorted(lines) for file, lines in self.lines.items()}

    def restore(self, lines: dict[str, list[int]]) -> None:
        """Go on from what :meth:`to_dict` returned."""
        self.lines = {file: set(numbers) for file, numbers in lines.items()}


def hidden_lines(file: str) -> NDArray[np.int64]:
    """Return the numbers of the lines of a file that are left out so far, ascending."""
    bad = _active.get()
    return np.array([] if bad is None else sorted(bad.lines.get(file, ())), dtype=np.int64)


def parsed(
    block: bytes,
    first: int,
    file: str,
    parse: Callable[[bytes], Result],
    blank: Callable[[bytes], bytes] = lambda line: b"",
) -> Result:
    """Parse a block of whole lines; with bad rows left out, where that is wished.

    Parameters
    ----------
    block : bytes
    first : int
        Number of its first line.
    file : str
    parse : function of bytes
    blank : function
        What stands in place of a line that is left out.
    """
    bad = _active.get()
    if bad is None:
        return parse(block)
    last = first + block.count(b"\n") - block.endswith(b"\n")
    for line in sorted(bad.lines.get(file, ())):
        if first <= line <= last:
            block = _without(block, line - first, blank)
    while True:
        try:
            return parse(block)
        except FormatError as error:
            if error.line is None or not first <= error.line <= last:
                raise
            bad.count(error, file, error.line)
            block = _without(block, error.line - first, blank)


def _without(block: bytes, line: int, blank: Callable[[bytes], bytes]) -> bytes:
    """Return a block with another text in one of its lines, so that the others keep their place."""
    start = _start(block, line)
    end = block.find(b"\n", start)
    end = len(block) if end < 0 else end
    return block[:start] + blank(block[start:end]) + block[end:]


def leaving_out(module: Any, blocks: Iterator[tuple[int, bytes]], plan: Any) -> Iterator[Any]:
    """Read blocks of lines by the module of a format; with bad rows left out, if so wished.

    A row that goes on in the next block is kept for it; ``whole_rows`` of the module says where
    the last whole one ends.
    """
    if _active.get() is None:
        yield from module.read(blocks, plan)
        return
    held, first = b"", 1
    for number, block in blocks:
        first, text = (first, held + block) if held else (number, block)
        made, used = _read(module, text, first, plan, final=False)
        first, held = first + text.count(b"\n", 0, used), text[used:]
        plan = replace(plan, header=plan.header and not text[:used].strip())
        yield from made
    if held:
        yield from _read(module, held, first, plan, final=True)[0]


def _read(
    module: Any, block: bytes, first: int, plan: Any, *, final: bool
) -> tuple[list[Any], int]:
    """Return what a block holds, and how many of its bytes are whole rows."""
    whole = getattr(module, "whole_rows", None)

    def parse(lines: bytes) -> tuple[list[Any], int]:
        used = len(lines) if whole is None else whole(lines, first, plan, final=final)
        made = list(module.read(iter([(first, lines[:used])]), plan))
        if used == len(lines):
            return made, len(block)
        return made, _start(block, lines.count(b"\n", 0, used))  # where lines were emptied, too

    return parsed(block, first, plan.file, parse)


def _start(block: bytes, line: int) -> int:
    """Return where a line begins."""
    at = 0
    for _ in range(line):
        at = block.index(b"\n", at) + 1
    return at
