"""Blocks of whole lines in valid UTF-8, whatever the file's encoding.

Every line format of :mod:`linnet.data.formats` reads what :func:`text_blocks` yields, so none has
to think of encodings, byte order marks, compression or bytes that are no text.
"""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from linnet.data.files import Source, open_bytes, read_blocks, source_name
from linnet.data.hidden import parsed
from linnet.data.limits import longest_line, too_long
from linnet.errors import FormatError, ParameterError

__all__ = [
    "Prefixed",
    "lines_in",
    "read_lines",
    "refuse_foreign",
    "sentence_blocks",
    "text_blocks",
]

_BLOCK = 1 << 23
_FOREIGN = {
    b"\x1f\x8b": "gzip-compressed data; let its name end in .gz, or unpack it",
    b"\x28\xb5\x2f\xfd": "zstd-compressed data; let its name end in .zst, or unpack it",
    b"PK\x03\x04": "a zip archive; unpack it (a spreadsheet is one, too: save it as CSV)",
    b"\xd0\xcf\x11\xe0": "an Office document; save it as CSV or as plain text",
    b"%PDF": "a PDF; save it as plain text",
    b"\x89PNG": "a picture, no text",
    b"\xff\xd8\xff": "a picture, no text",
    b"GIF8": "a picture, no text",
    b"PAR1": "Parquet data; let its name end in .parquet",
    b"ARROW1": "Arrow data; let its name end in .arrow",
    b"SQLite format 3": "a database; export the table as CSV",
    b"\xff\xfe": "UTF-16 text; pass encoding='utf-16'",
    b"\xfe\xff": "UTF-16 text; pass encoding='utf-16'",
}
_HEAD = 4096
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))  # hardly any text has these
_CHOICE = "pass the file's encoding (such as 'latin-1'), or errors='replace' to read it as U+FFFD"
_REMEDY = {"strict": _CHOICE, None: "pass the encoding"}  # None where there is no other choice


def text_blocks(
    source: Source,
    size: int | None,
    encoding: str = "utf-8",
    errors: str | None = "strict",
    *,
    eager: bool = False,
) -> Iterator[tuple[int, bytes]]:
    """Yield (number of its first line, block of whole lines in UTF-8); see :func:`read_blocks`.

    Raises
    ------
    FormatError
        With line and column, when bytes do not decode and `errors` is "strict".
    """
    if errors not in ("strict", "replace", None):
        raise ParameterError(f"errors must be 'strict' or 'replace', not {errors!r}")
    name = source_name(source)
    try:
        codec = codecs.lookup(encoding)
        "".encode(encoding)  # refuses codecs that are no encodings of text
        codec.incrementaldecoder(errors or "strict")
    except (LookupError, TypeError):
        raise ParameterError(f"{encoding!r} is not an encoding of text that Python knows") from None
    if codec.name in ("utf-8", "utf-8-sig"):
        for first, block in read_blocks(source, size, eager=eager):
            if first == 1 and errors is not None:
                refuse_foreign(block, name)
                if errors == "strict":
                    _refuse_binary(block[:_HEAD], name)
            yield first, _valid(block, first, name, errors)
        return
    opened = isinstance(source, (str, os.PathLike))
    file = open_bytes(source) if isinstance(source, (str, os.PathLike)) else source
    try:
        yield from read_blocks(_Recoded(file, codec, errors, name), size, eager=eager)  # type: ignore[arg-type]
    finally:
        if opened:
            file.close()


def read_lines(source: Source, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line without its ending) through a file.

    Only line feeds end a line; one carriage return before it belongs to the ending.
    """
    for first, block in text_blocks(source, _BLOCK, encoding, None):
        yield from enumerate(lines_in(block), first)


def lines_in(block: bytes) -> list[str]:
    """Return the lines of a block of UTF-8 without their endings.

    Examples
    --------
    >>> lines_in(b"one\\r\\ntwo")
    ['one', 'two']
    """
    lines = block.decode().removesuffix("\n").split("\n")
    return [line.removesuffix("\r") for line in lines] if b"\r" in block else lines


def _refuse_binary(head: bytes, name: str) -> None:
    """Raise the error for bytes that no encoding makes a text of."""
    if len(head) - len(head.translate(None, _CONTROL)) > len(head) / 20:
        try:
            head.decode("utf-8")
        except UnicodeDecodeError as error:
            if error.end < len(head):  # not a letter that is cut in two
                raise FormatError("this is no text but binary data", file=name) from None


def refuse_foreign(block: bytes, name: str) -> None:
    """Raise the error for a file that starts like something other than lines of UTF-8."""
    for magic, what in _FOREIGN.items():
        if block.startswith(magic):
            raise FormatError(f"this is {what}", file=name)
    head = block[:_HEAD]
    if head.count(0) * 10 > len(head):
        what = "this is no text: a tenth of it or more is NUL bytes"
        raise FormatError(f"{what}; if it is UTF-16, pass encoding='utf-16'", file=name)
    if b"\n" not in block and block.count(b"\r") > 1:
        what = "lines end with carriage returns alone"
        raise FormatError(f"{what}; turn them into line feeds (tr '\\r' '\\n')", file=name)


def _valid(block: bytes, first: int, name: str, errors: str | None) -> bytes:
    """Return a block of UTF-8; a line that is left out becomes as many spaces as it had bytes."""
    if errors != "strict":
        return _checked(block, first, name, errors)
    return parsed(
        block, first, name, lambda lines: _checked(lines, first, name, errors),
        lambda line: b" " * len(line),
    )  # fmt: skip


def _checked(block: bytes, first: int, name: str, errors: str | None) -> bytes:
    """Return the block if it is UTF-8, else what `errors` says."""
    if block.isascii():
        return block
    from linnet._core import invalid_utf8  # not needed for most of English

    if invalid_utf8(block) < 0:
        return block
    if errors == "replace":
        return block.decode("utf-8", "replace").encode()
    try:
        return block.decode().encode()
    except UnicodeDecodeError as error:
        raise _undecodable(block, error, first, name, "utf-8", errors) from None


def _undecodable(
    raw: bytes,
    error: UnicodeDecodeError,
    first: int,
    name: str,
    encoding: str,
    errors: str | None,
    column: int = 1,
) -> FormatError:
    """Return the error that points at the first byte that is no text."""
    before = raw[: error.start].decode(encoding, "replace")
    lines = before.split("\n")
    return FormatError(
        f"byte 0x{raw[error.start]:02x} is not {encoding} text; {_REMEDY[errors]}",
        file=name,
        line=first + len(lines) - 1,
        column=len(lines[-1]) + (column if len(lines) == 1 else 1),
    )


class _Recoded:
    """A file of another encoding seen as a file in UTF-8."""

    def __init__(self, file: Any, codec: codecs.CodecInfo, errors: str | None, name: str) -> None:
        self.name = name
        self._file = file
        self._encoding = codec.name
        self._errors = errors
        self._decoder = codec.incrementaldecoder(errors or "strict")
        self._line, self._column = 1, 1

    def fileno(self) -> int:
        return int(self._file.fileno())

    def read1(self, size: int) -> bytes:
        """Return the next piece in UTF-8; empty only at the end of the file."""
        read = getattr(self._file, "read1", self._file.read)
        while True:
            chunk = read(size)
            if isinstance(chunk, str):
                return chunk.encode()
            text = self._decode(chunk)
            if text or not chunk:
                return text.encode()

    def _decode(self, chunk: bytes) -> str:
        try:
            text = self._decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            where = (self._line, self.name, self._encoding, self._errors, self._column)
            raise _undecodable(error.object, error, *where) from None
        except UnicodeError:  # the one complaint that names no bytes
            raise FormatError(
                f"there is no byte order mark, so {self._encoding} may mean two things; pass "
                f"'{self._encoding}-le' or '{self._encoding}-be'",
                file=self.name,
            ) from None
        lines = text.split("\n")
        self._line += len(lines) - 1
        self._column = len(lines[-1]) + (self._column if len(lines) == 1 else 1)
        return text


class Prefixed:
    """A file whose first piece has been read already."""

    def __init__(self, head: Any, file: Any, name: str, owned: bool) -> None:
        self.name = name
        self._owned = owned and file is not sys.stdin.buffer
        self._head = head
        self._file = file

    @property
    def head(self) -> Any:
        """What was read before and has not been given back yet."""
        return self._head

    def close(self) -> None:
        """Close the file if it was opened for this."""
        if self._owned:
            self._file.close()

    def fileno(self) -> int:
        """Return the descriptor of the file."""
        return int(self._file.fileno())

    def read1(self, size: int) -> Any:
        """Return the piece read before, then what the file gives."""
        if self._head:
            piece, self._head = self._head[:size], self._head[size:]
            return piece
        return (getattr(self._file, "read1", None) or self._file.read)(size)

    read = read1


def sentence_blocks(blocks: Iterable[tuple[int, bytes]], file: str) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole sentences, of blocks of whole lines; a blank line ends a sentence."""
    held, line = bytearray(), 1
    for first, block in blocks:
        line = line if held else first
        since = max(len(held) - 1, 0)
        held += block
        cut = 0
        for mark in (b"\n\n", b"\n\r\n"):
            at = held.rfind(mark, since)
            cut = max(cut, at + len(mark)) if at >= 0 else cut
        if cut:
            done = bytes(held[:cut])
            del held[:cut]
            yield line, done
            line += done.count(b"\n")
        if len(held) > longest_line():
            raise too_long(file, line, "sentence", "a blank line ends a sentence; ")
    if held:
        yield line, bytes(held)
