"""Who watches files being read: a function that is told how far each of them is.

Readers tell the watcher as they go, so one :func:`watch_reading` around any work that streams
through files, predicting, filtering or converting, sees how much of them is left.
"""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

__all__ = ["position", "tell_read", "watch_reading", "watched"]

#: Told the name of a file and how many of its bytes are read, packed as they are.
Watcher = Callable[[str, int], Any]
_watcher: ContextVar[Watcher | None] = ContextVar("reading", default=None)


@contextmanager
def watch_reading(watcher: Watcher | None) -> Iterator[None]:
    """Tell a function of files and bytes read while the block runs; with None, nobody.

    Examples
    --------
    >>> from linnet.data.files import read_blocks
    >>> path = getfixture("tmp_path") / "a.txt"
    >>> _ = path.write_text("one\\ntwo\\n")
    >>> with watch_reading(lambda name, n: print(n)):
    ...     blocks = list(read_blocks(path, 4))
    4
    8
    """
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def watched() -> bool:
    """Tell whether anybody watches."""
    return _watcher.get() is not None


def tell_read(name: str | os.PathLike[str], n_bytes: int | None) -> None:
    """Tell the watcher, if there is one, that so many bytes of a file are read."""
    watcher = _watcher.get()
    if watcher is not None and n_bytes is not None:
        watcher(os.fspath(name), n_bytes)


def position(file: Any) -> int | None:
    """Return how many bytes of a file on disk an open file has read; None if it cannot tell."""
    if isinstance(file, gzip.GzipFile):
        file = file.fileobj
    packed = getattr(file, "packed", None)  # of a ZstdFile
    if packed is not None:
        return int(packed.tell())
    return file.tell() if isinstance(file, io.BufferedReader) else None
