"""What a terminal is shown: control characters as they are spelled, so that no data steers it.

In a pipe or a file the same text is data, and every byte of it stays.
"""

from __future__ import annotations

import io
import re
import sys
from typing import Any, BinaryIO, cast

__all__ = ["escaped", "standard_output"]

_CODES = [code for code in (*range(32), *range(127, 160)) if code not in (9, 10)]
_SPELLED = {code: f"\\x{code:02x}" for code in _CODES}
_CONTROLS = re.compile(rb"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]")


def escaped(text: str) -> str:
    r"""Return a text with its control characters spelled out; tabs and line feeds stay.

    Examples
    --------
    >>> print(escaped("a\x1b[31mred\tlabel"))
    a\x1b[31mred	label
    """
    return text.translate(_SPELLED)


def standard_output() -> BinaryIO:
    """Return standard output for bytes of UTF-8; on a terminal controls are spelled out."""
    sys.stdout.flush()
    if not sys.stdout.isatty():
        return sys.stdout.buffer
    return cast(BinaryIO, _Spelling(sys.stdout.buffer))


class _Spelling(io.BufferedIOBase):
    """A file for writing that spells out control characters."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._out.write(_CONTROLS.sub(lambda match: b"\\x%02x" % match[0][-1], bytes(data)))
        return len(data)

    def flush(self) -> None:
        self._out.flush()
