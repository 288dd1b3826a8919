"""Opening and writing files: compression by suffix, ``-`` for the standard streams, no half files.

Every reader of :mod:`linnet.data` takes its bytes from :func:`read_blocks`, so a broken archive or
too long a line is reported in the same way everywhere: a :class:`~linnet.errors.FormatError` with
file and line.
"""

from __future__ import annotations

import gzip
import io
import os
import select
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, cast

import numpy as np

from linnet.data.limits import check_lines, longest_line, too_long
from linnet.data.replacing import replacing
from linnet.data.terminal import standard_output
from linnet.data.watching import position, tell_read, watched
from linnet.errors import DataError, FormatError

__all__ = [
    "STREAM_ERRORS",
    "Source",
    "broken_archive",
    "line_count",
    "open_bytes",
    "open_text",
    "read_blocks",
    "source_name",
    "write_atomically",
    "write_bytes_atomically",
]

#: What a reader accepts: a path (``-`` is standard input) or an open file.
Source = str | os.PathLike[str] | IO[bytes] | IO[str]

_BLOCK = 1 << 23
_FEED = 10
_BOM = b"\xef\xbb\xbf"
#: What a damaged compressed file raises.
STREAM_ERRORS = (EOFError, gzip.BadGzipFile, zlib.error)


def source_name(source: Source) -> str:
    """Return the name error messages use for a path or an open file."""
    if isinstance(source, (str, os.PathLike)):
        return "<stdin>" if source == "-" else os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


def open_bytes(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading bytes, unpacking ``.gz`` and ``.zst``; ``-`` is standard input.

    Standard input is opened a second time, so closing the result does not close it.
    """
    if path == "-":
        try:
            return open(os.dup(sys.stdin.fileno()), "rb")
        except io.UnsupportedOperation:  # standard input was replaced by an object in memory
            return sys.stdin.buffer
    suffix = Path(path).suffix
    if suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    if suffix == ".zst":
        _arrow()
        from linnet.data.zstd import ZstdFile

        return cast(BinaryIO, ZstdFile(os.fspath(path)))
    return open(path, "rb")


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise DataError(".zst files need the package pyarrow; install it, or use .gz") from error
    return pyarrow


def open_text(
    path: str | os.PathLike[str], encoding: str = "utf-8", errors: str = "strict"
) -> TextIO:
    """Open a plain, ``.gz`` or ``.zst`` text file, or standard input (``-``), for reading.

    Parameters
    ----------
    path : str or path-like
        The file; its suffix says how it is compressed.
    encoding, errors : str
        As for the built-in ``open``.

    Returns
    -------
    text file
        To be closed by the caller, or used in a ``with`` statement.

    Examples
    --------
    >>> with write_atomically(f"{getfixture('tmp_path')}/a.txt.gz") as out:
    ...     _ = out.write("a line\\n")
    >>> with open_text(f"{getfixture('tmp_path')}/a.txt.gz") as lines:
    ...     list(lines)
    ['a line\\n']
    """
    return io.TextIOWrapper(open_bytes(path), encoding=encoding, errors=errors)


def read_blocks(
    source: Source, size: int | None = _BLOCK, *, eager: bool = False
) -> Iterator[tuple[int, bytes]]:
    """Yield (number of its first line, block of whole lines) through a file.

    Lines end with a line feed; the last one may lack it. A byte order mark at the start is
    dropped. Blocks have about `size` bytes, more only when one line is longer; None makes one
    block of the whole file. With `eager`, a pipe or terminal that has nothing more to give just
    now gets its whole lines yielded at once, so that a slow writer is answered line by line.

    Raises
    ------
    FormatError
        When a compressed file is cut short or damaged; the line is the one it breaks in. When a
        line is longer than :func:`~linnet.data.line_limit` allows.
    """
    opened = isinstance(source, (str, os.PathLike))
    file: Any = open_bytes(source) if isinstance(source, (str, os.PathLike)) else source
    if opened and size is None and isinstance(file, io.BufferedReader) and _pipe(file) is None:
        with file:
            _check_file(file, source_name(source))
            whole = file.read().removeprefix(_BOM)  # one read, no copy
            tell_read(cast(Any, source), file.tell())
        check_lines(whole, 1, source_name(source))
        yield from [(1, whole)] if whole else []
        return
    pipe = _pipe(file) if eager else None
    line, full, rest = 1, _Pieces(), _Pieces()  # whole lines, and the line that is not at its end
    name, limit = source_name(source), longest_line()
    try:
        for chunk in _told(_chunks(file, size), file, source):
            if line == 1 and not full and not rest and chunk.startswith(_BOM):
                chunk = chunk[len(_BOM) :]
            last, view = chunk.rfind(b"\n") + 1, memoryview(chunk)  # parts of it are not copied
            if last:
                full.extend([*rest.take(), view[:last]])
            rest.extend([view[last:]])
            if len(rest) > limit:
                raise too_long(name, line + full.lines())
            enough = size is not None and len(full) + len(rest) >= size
            if full and (enough or (pipe is not None and not _has_more(pipe))):
                block = b"".join(full.take())
                check_lines(block, line, name)
                yield line, block
                line += line_count(block)
    except STREAM_ERRORS as error:
        raise broken_archive(error, source, line + full.lines()) from error
    except OSError as error:
        if error.errno is not None:  # a genuine input error, not a decoder's complaint
            raise
        raise broken_archive(error, source, line + full.lines()) from error
    finally:
        if opened:
            file.close()
    if full or rest:
        block = b"".join([*full.take(), *rest.take()])
        check_lines(block, line, name)
        yield line, block


class _Pieces:
    """Pieces of a file that are joined once, when all are there."""

    def __init__(self) -> None:
        self._pieces: list[memoryview] = []
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def extend(self, pieces: list[memoryview]) -> None:
        self._pieces += pieces
        self._size += sum(map(len, pieces))

    def take(self) -> list[memoryview]:
        """Return the pieces, and keep none."""
        pieces, self._pieces, self._size = self._pieces, [], 0
        return pieces

    def lines(self) -> int:
        return sum(map(line_count, self._pieces))


def line_count(block: bytes | memoryview) -> int:
    """Return the number of line feeds; of a large block several times as fast as ``count``.

    Examples
    --------
    >>> line_count(b"one\\ntwo\\nthr")
    2
    """
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == _FEED))


def _check_file(file: BinaryIO, name: str) -> None:
    """Refuse a file with too long a line before it is read, where the system can look ahead."""
    if os.fstat(file.fileno()).st_size <= longest_line():
        return
    import mmap  # seldom needed, and reading must start fast

    with (
        suppress(OSError),
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view,
    ):
        check_lines(view, 1, name)


def _pipe(file: Any) -> int | None:
    """Return the descriptor of a pipe, socket or terminal; None for anything else."""
    try:
        number = int(file.fileno())
        return None if stat.S_ISREG(os.fstat(number).st_mode) else number
    except (AttributeError, OSError, TypeError, ValueError):
        return None


def _has_more(pipe: int) -> bool:
    """Say whether a read from the pipe would return at once."""
    try:
        return bool(select.select([pipe], [], [], 0)[0])
    except (OSError, ValueError):  # no select for pipes on this system: do not wait for more
        return False


def _chunks(file: Any, size: int | None) -> Iterator[bytes]:
    """Yield what a file gives piece by piece, so that a break costs no piece before it."""
    read = getattr(file, "read1", None) or file.read
    piece = 1 << 16 if size is None else max(min(size, 1 << 16), 4)  # a mark must be in one piece
    while chunk := read(piece):
        yield chunk.encode() if isinstance(chunk, str) else chunk


def _told(chunks: Iterator[bytes], file: Any, source: Source) -> Iterator[bytes]:
    """Yield what is read of a file; who watches is told how far it is."""
    if not (watched() and isinstance(source, (str, os.PathLike))):
        yield from chunks
        return
    for chunk in chunks:
        tell_read(source, position(file))
        yield chunk


def broken_archive(error: Exception, source: Source, line: int) -> FormatError:
    """Return the error for a compressed file that cannot be unpacked any further."""
    return FormatError(
        f"the compressed file is damaged or cut short ({error}); fetch or write it again",
        file=source_name(source),
        line=line,
    )


@contextmanager
def write_atomically(path: str | os.PathLike[str], encoding: str = "utf-8") -> Iterator[TextIO]:
    """Write a text file that appears whole or not at all.

    The text goes to a temporary file beside `path`, compressed when the suffix is ``.gz`` or
    ``.zst``, and takes the name `path` when the ``with`` block ends without an error. After an
    error nothing is left and an older file of that name is untouched. ``-`` writes to standard
    output. The same text gives the same bytes: no time stamp goes into a ``.gz`` file.

    Examples
    --------
    >>> path = getfixture('tmp_path') / "out.txt"
    >>> with write_atomically(path) as out:
    ...     _ = out.write("whole\\n")
    >>> path.read_text()
    'whole\\n'
    """
    if path == "-" and not sys.stdout.isatty():
        yield sys.stdout
        sys.stdout.flush()
        return
    with write_bytes_atomically(path) as packed:
        text = io.TextIOWrapper(packed, encoding=encoding, newline="\n")
        try:
            yield text
        finally:
            text.detach()


@contextmanager
def write_bytes_atomically(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Write a binary file that appears whole or not at all; see :func:`write_atomically`.

    Examples
    --------
    >>> path = getfixture('tmp_path') / "out.bin"
    >>> with write_bytes_atomically(path) as out:
    ...     _ = out.write(b"whole")
    >>> path.read_bytes()
    b'whole'
    """
    if path == "-":
        out = standard_output()
        yield out
        out.flush()
        return
    with replacing(path) as raw, _packed(raw, Path(os.path.realpath(path)).suffix) as packed:
        yield packed


@contextmanager
def _packed(raw: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    """Wrap a file for writing bytes so that they are compressed as the suffix says."""
    if suffix == ".gz":
        with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
            yield cast(BinaryIO, packed)
    elif suffix == ".zst":
        arrow = _arrow()
        with arrow.CompressedOutputStream(arrow.PythonFile(raw, "w"), "zstd") as packed:
            yield cast(BinaryIO, packed)
    else:
        yield raw
