"""Rows that are left out: lines of files that are read as if they were empty.

Bad rows are found one after the other: what fails says its file and line, the line is hidden, and
the file is read again. So whoever reads needs no second way to go on in the middle of a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from linnet.errors import FormatError

__all__ = ["BadRows", "hidden_lines", "without_hidden"]

Result = TypeVar("Result")
_hidden: ContextVar[dict[str, set[int]] | None] = ContextVar("linnet_hidden_lines", default=None)


class BadRows:
    """How many bad rows may be left out, and which were.

    Parameters
    ----------
    allowed : int

    Attributes
    ----------
    errors : list of FormatError

    Examples
    --------
    >>> from linnet.data import read_examples
    >>> path = getfixture("tmp_path") / "a.tsv"
    >>> _ = path.write_text("pos\\tgood\\nno tab here\\nneg\\tbad\\n")
    >>> bad = BadRows(1)
    >>> bad.left_out(lambda: read_examples(path, format="labelled")).y
    ['pos', 'neg']
    >>> [error.line for error in bad.errors]
    [2]
    """

    def __init__(self, allowed: int) -> None:
        self.allowed = allowed
        self.errors: list[FormatError] = []
        self._lines: dict[str, set[int]] = {}

    def left_out(self, work: Callable[[], Result]) -> Result:
        """Do some work, again without the bad row each time that there is one."""
        while True:
            try:
                with self._hiding():
                    return work()
            except FormatError as error:
                file, line = error.file, error.line
                if file is None or line is None or len(self.errors) >= self.allowed:
                    raise
                if line in self._lines.setdefault(file, set()):  # it is not the line
                    raise
                self.errors.append(error)
                self._lines[file].add(line)

    @contextmanager
    def _hiding(self) -> Iterator[None]:
        token = _hidden.set(self._lines)
        try:
            yield
        finally:
            _hidden.reset(token)


def hidden_lines(name: str) -> NDArray[np.int64]:
    """Return the numbers of the lines of a file that are left out, ascending."""
    lines = (_hidden.get() or {}).get(name, ())
    return np.array(sorted(lines), dtype=np.int64)


def without_hidden(block: bytes, first: int, name: str) -> bytes:
    """Return a block of whole lines with those empty that are left out."""
    if not _hidden.get():
        return block
    lines = block.split(b"\n")
    for number in hidden_lines(name).tolist():
        if first <= number < first + len(lines):
            lines[number - first] = b""
    return b"\n".join(lines)
