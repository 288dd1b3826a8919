"""How long one line may be, and one row or sentence of several lines.

A file is read block by block, but a line is held whole. Without a limit a small archive of a line
that never ends takes all memory there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from linnet.errors import FormatError, ParameterError

__all__ = ["DEFAULT_LIMIT", "check_lines", "line_limit", "longest_line", "too_long"]

DEFAULT_LIMIT = 64_000_000  # bytes
_STEP = 1 << 24

_limit: ContextVar[int] = ContextVar("linnet_line_limit", default=DEFAULT_LIMIT)


@contextmanager
def line_limit(n_bytes: int) -> Iterator[None]:
    """Let lines, rows and sentences have up to so many bytes of UTF-8 while the block runs.

    It holds for everything in :mod:`linnet.data` that reads lines; what is longer is a
    :class:`~linnet.errors.FormatError`. By default 64 MB can be read.

    Examples
    --------
    >>> import io
    >>> from linnet.data import read_examples
    >>> with line_limit(10):
    ...     read_examples(io.BytesIO(b"short\\na line that is long\\n"))
    Traceback (most recent call last):
        ...
    linnet.errors.FormatError: <stream>:2: a line of more than 10 bytes starts here...
    """
    if n_bytes < 1:
        raise ParameterError(f"a line limit must be at least 1 byte, got {n_bytes}")
    token = _limit.set(n_bytes)
    try:
        yield
    finally:
        _limit.reset(token)


def longest_line() -> int:
    """Return how many bytes a line may have just now."""
    return _limit.get()


def too_long(file: str, line: int, what: str = "line", hint: str = "") -> FormatError:
    """Return the error for what is longer than the limit."""
    return FormatError(
        f"a {what} of more than {longest_line():,} bytes starts here; {hint}if it is meant to be "
        "so long, raise the limit with --max-line (in Python linnet.data.line_limit)",
        file=file,
        line=line,
    )


def check_lines(data: Any, first: int, file: str) -> None:
    """Refuse lines that are too long.

    Parameters
    ----------
    data : bytes or mmap
        Looked at once in the limit's distance: long lines leave no line feed there.
    first : int
        Number of the first line.
    file : str
    """
    limit, at = longest_line(), 0
    while len(data) - at > limit:
        feed = data.rfind(b"\n", at, at + limit + 1)
        if feed < 0:
            before = sum(data[i : min(i + _STEP, at)].count(b"\n") for i in range(0, at, _STEP))
            raise too_long(file, first + before)
        at = feed + 1
