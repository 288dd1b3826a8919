"""The files of a stream: block by block, with the place where the next block begins.

A :class:`Place` is all that is needed to go on. In a plain file of lines that is a byte, so that
what was read before is not read again; elsewhere (compressed, quoted cells that hold line breaks,
Parquet, standard input) the examples before it are read once more and left out.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any

from linnet.data.examples import Examples, stream_examples
from linnet.data.files import line_count, open_bytes
from linnet.data.formats import TABLE_FORMATS, format_module
from linnet.data.formats.blocks import text_blocks
from linnet.data.formats.common import Plan
from linnet.data.hidden import BadRows, leaving_out
from linnet.data.recognise import Wishes, sniff
from linnet.data.watching import position
from linnet.errors import DataError, FormatError

__all__ = ["Place", "Sources", "files_of"]

_PACKED = (".gz", ".zst")
_TABLE_MAGIC = (b"PAR1", b"ARROW1")
_WISHES = ("format", "text", "label", "header", "delimiter", "quoting")


def files_of(names: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the files that names stand for; a pattern such as ``part-*.tsv`` in sorted order.

    Raises
    ------
    DataError
        When a pattern stands for none.
    """
    if isinstance(names, (str, os.PathLike)):
        names = [names]
    files: list[str] = []
    for given in names:
        name = os.fspath(given)
        if name == "-" or os.path.exists(name) or not glob.has_magic(name):
            files.append(name)
            continue
        matches = sorted(filter(os.path.isfile, glob.glob(name, recursive=True)))
        if not matches:
            raise DataError(f"no file has a name like {name}")
        files += matches
    if not files:
        raise DataError("a stream needs at least one file")
    return files


@dataclass(frozen=True)
class Place:
    """Where a stream is: before example number `rows` of file number `file`, from 0.

    ``offset`` and ``line`` are those of the next line in a plain file, of which the first ``read``
    bytes have been looked at; 0 where that is not known. Of a packed file ``offset`` says how many
    packed bytes have been read, which is no place to begin at but tells how far one is.
    """

    file: int = 0
    rows: int = 0
    offset: int = 0
    line: int = 1
    read: int = 0

    def to_dict(self) -> dict[str, int]:
        """Return plain values."""
        return asdict(self)


class Sources:
    """The examples of files, block by block, as often as they are asked for.

    Parameters
    ----------
    names : str or list of str
        Files and patterns; ``-`` is standard input.
    block_bytes : int
        About how many bytes make a block.
    bad : BadRows, optional
        Which rows were left out; they are as long as the caller has asked for that.
    reading : what :func:`linnet.data.examples.stream_examples` takes

    Attributes
    ----------
    files : list of str
    """

    def __init__(
        self, names: Any, *, block_bytes: int, bad: BadRows | None = None, **reading: Any
    ) -> None:
        self.files = files_of(names)
        self.block_bytes = block_bytes
        self.bad = BadRows(0) if bad is None else bad
        self.reading = reading
        self._state = [_state(file) for file in self.files]

    @property
    def total_bytes(self) -> int | None:
        """The size of all files; None where one has none, as a pipe."""
        if any(state is None for state in self._state):
            return None
        return sum(state[0] for state in self._state if state is not None)

    @property
    def repeats(self) -> bool:
        """Whether the stream can be read more than once."""
        return all(state is not None for state in self._state)

    def identity(self) -> list[Any]:
        """Return what tells whether these are the same files as in another run."""
        return [
            [file, None if state is None else list(state)]
            for file, state in zip(self.files, self._state, strict=True)
        ]

    def bytes_before(self, place: Place) -> int:
        """Return how many bytes of the files lie before a place, as far as that is known."""
        done = sum(state[0] for state in self._state[: place.file] if state is not None)
        return done + place.offset

    def blocks(self, place: Place | None = None) -> Iterator[tuple[Examples, Place]]:
        """Yield blocks of examples from a place on, each with the place after it."""
        place = place or Place()
        for number in range(place.file, len(self.files)):
            start = place if number == place.file else Place(number)
            self._check(number)
            for block, after in self._file(self.files[number], start):
                if block.y is None:
                    raise DataError(
                        f"{_shown(self.files[number])} has no labels to learn; name their column"
                    )
                if block.kind != "text":
                    raise DataError(
                        f"{_shown(self.files[number])} holds {block.format} features; a stream "
                        "is learned from texts"
                    )
                if block.multilabel:
                    raise DataError("a stream is learned with one label a row, not several")
                yield block, after
            self._check(number)

    def _file(self, file: str, start: Place) -> Iterator[tuple[Examples, Place]]:
        if _is_table(file):
            blocks = stream_examples(file, block_bytes=self.block_bytes, **self.reading)
            return self._from_row(blocks, start)
        return self._lines(file, start)

    def _from_row(
        self, blocks: Iterator[Examples], start: Place
    ) -> Iterator[tuple[Examples, Place]]:
        """Leave out the rows before a place."""
        rows = 0
        for block in blocks:
            before, rows = rows, rows + len(block)
            if rows > start.rows:
                known = max(0, start.rows - before)
                yield (block.take(slice(known, None)) if known else block), Place(start.file, rows)

    def _lines(self, file: str, start: Place) -> Iterator[tuple[Examples, Place]]:
        if file.endswith(_PACKED) and os.path.isfile(file):
            with open_bytes(file) as packed:
                for block, after in self._through(packed, file, start):
                    yield block, replace(after, offset=position(packed) or 0)
            return
        if not self._is_plain(file):
            yield from self._through(file, file, start)
            return
        with open(file, "rb", buffering=0) as raw:
            counted = _Counted(raw, file)
            first = next(self._text(counted), None)
            plan = self._plan(file, b"" if first is None else first[1])
            seeks = start.offset > 0 and not plan.quoting
            counted.begin(start if seeks else Place())
            if seeks:
                moved = ((line + start.line - 1, block) for line, block in self._text(counted))
                yield from self._parsed(moved, replace(plan, header=False), start, counted)
            else:
                yield from self._whole(self._text(counted), plan, start, counted)

    def _through(self, source: Any, file: str, start: Place) -> Iterator[tuple[Examples, Place]]:
        """Read what cannot be begun in the middle."""
        lines = self._text(source)
        first = next(lines, None)
        plan = self._plan(file, b"" if first is None else first[1])
        assert first is not None  # an empty file is refused by then
        yield from self._whole(chain([first], lines), plan, start, None)

    def _text(self, source: Any) -> Iterator[tuple[int, bytes]]:
        encoding = self.reading.get("encoding", "utf-8")
        return text_blocks(source, self.block_bytes, encoding, self._errors)

    def _whole(
        self, lines: Iterator[tuple[int, bytes]], plan: Plan, start: Place, counted: _Counted | None
    ) -> Iterator[tuple[Examples, Place]]:
        """Read a file from its first line on, and leave out what lies before a place."""
        if plan.quoting:  # a cell may begin in one block and end in the next
            blocks = leaving_out(format_module(plan.format), lines, plan)
            yield from self._from_row(blocks, start)
            return
        for block, after in self._parsed(lines, plan, Place(start.file), counted):
            left = after.rows - start.rows
            if left > 0:
                yield (block if left >= len(block) else block.take(slice(-left, None))), after

    def _parsed(
        self,
        lines: Iterator[tuple[int, bytes]],
        plan: Plan,
        at: Place,
        counted: _Counted | None,
    ) -> Iterator[tuple[Examples, Place]]:
        """Parse blocks of lines, each by itself, so that a place lies between any two."""
        rows, offset = at.rows, at.offset
        for line, block in lines:
            offset += len(block)
            for examples in leaving_out(format_module(plan.format), iter([(line, block)]), plan):
                rows += len(examples)
                after = Place(at.file, rows)
                if counted is not None:
                    after = Place(at.file, rows, offset, line + line_count(block), counted.given)
                yield examples, after
            plan = replace(plan, header=False)

    def _plan(self, file: str, head: bytes) -> Plan:
        reading = self.reading
        asked: dict[str, Any] = {name: reading.get(name) for name in _WISHES}
        wishes = Wishes(**asked)
        plan = sniff(head, _shown(file), wishes)
        if plan.format in TABLE_FORMATS:
            raise FormatError(
                f"a {plan.format} file must be a file of its own, not compressed", file=file
            )
        return replace(
            plan, labels=True, errors=self._errors, nulls=reading.get("nulls", "error"),
            label_separator=reading.get("label_separator"),
        )  # fmt: skip

    def _is_plain(self, file: str) -> bool:
        """Tell whether a byte of what is read is a byte of the file."""
        encoding = str(self.reading.get("encoding", "utf-8")).lower()
        if encoding not in ("utf-8", "utf8", "ascii") or self._errors != "strict":
            return False
        if not os.path.isfile(file) or file.endswith(_PACKED):
            return False
        with open(file, "rb") as raw:
            return not raw.read(3).startswith(b"\xef\xbb\xbf")

    @property
    def _errors(self) -> str:
        return str(self.reading.get("errors") or "strict")

    def _check(self, number: int) -> None:
        """Refuse a file that is not as it was when the stream began."""
        file, before = self.files[number], self._state[number]
        if before is None:
            return
        now = _state(file)
        if now == before:
            return
        if now is None:
            raise DataError(f"{file} is gone; it was there when the stream began")
        how = "grew" if now[0] > before[0] else "shrank" if now[0] < before[0] else "changed"
        raise DataError(
            f"{file} {how} while it was read ({before[0]:,} bytes at first, now {now[0]:,}); "
            "train on a file that nobody writes to"
        )


def _state(file: str) -> tuple[int, int] | None:
    """Return size and time of a plain file; None for a pipe, or where there is none."""
    if file == "-" or not os.path.isfile(file):
        return None
    status = os.stat(file)
    return status.st_size, status.st_mtime_ns


def _shown(file: str) -> str:
    return "<stdin>" if file == "-" else file


def _is_table(file: str) -> bool:
    if file == "-" or not os.path.isfile(file):
        return False
    with open(file, "rb") as raw:
        return raw.read(8).startswith(_TABLE_MAGIC)


class _Counted:
    """A plain file that knows how many of its bytes it has given.

    Blocks end where a piece of so many bytes ended, so one who begins in the middle gets first what
    was left of the piece at hand.
    """

    def __init__(self, raw: Any, name: str) -> None:
        self._raw, self.name = raw, name
        self.given = self._rest = 0

    def begin(self, place: Place) -> None:
        """Go to a place."""
        self._raw.seek(place.offset)
        self.given, self._rest = place.offset, place.read - place.offset

    def read1(self, size: int) -> bytes:
        """Return the next piece."""
        if self._rest:
            size, self._rest = self._rest, 0
        parts = [self._raw.read(size)]
        while parts[-1] and sum(map(len, parts)) < size:  # pieces are whole but the last
            parts.append(self._raw.read(size - sum(map(len, parts))))
        piece = b"".join(parts)
        self.given += len(piece)
        return piece

    read = read1
