"""Copying the kept rows of a file of lines, byte for byte, with their scores if they are asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

__all__ = ["BLOCK_BYTES", "Mask", "Verdict", "copy_lines"]

Mask = NDArray[np.bool_]
Verdict = tuple[NDArray[np.int64], Any, NDArray[np.float64] | None]
BLOCK_BYTES = 1 << 22


def copy_lines(
    source: Path,
    verdicts: Iterator[Verdict],
    outs: tuple[BinaryIO | None, BinaryIO | None],
    add_score: str | None,
) -> None:
    """Copy whole lines; what stands before the first row, a header, goes to every output."""
    lines = _Lines(source)
    added = None if add_score is None else _AddedScore(source, add_score)
    current = next(verdicts, None)
    if current is not None:
        head = lines.until(int(current[0][0]))
        for out in outs:
            if out is not None:
                out.write(head)
    while current is not None:
        following = next(verdicts, None)
        starts, keep, scores = current
        end = None if following is None else int(following[0][0])
        with_scores = None if added is None or scores is None else (added, scores)
        _write_rows(lines.until(end), starts - int(starts[0]), keep, outs, with_scores)
        current = following


def _write_rows(
    raw: bytes,
    first_line: NDArray[np.int64],
    keep: Mask,
    outs: tuple[BinaryIO | None, BinaryIO | None],
    with_scores: tuple[_AddedScore, NDArray[np.float64]] | None,
) -> None:
    """Write the rows of a block, each from its first line to the next row's."""
    feeds = np.flatnonzero(np.frombuffer(raw, dtype=np.uint8) == 10) + 1
    line_starts = np.concatenate([[0], feeds])
    bounds = np.append(line_starts[first_line], len(raw))
    view = memoryview(raw)
    for side, out in enumerate(outs):
        if out is None:
            continue
        rows = np.flatnonzero(keep == side)
        spans = zip(bounds[rows].tolist(), bounds[rows + 1].tolist(), strict=True)
        if with_scores is None:
            pieces: Iterable[Any] = (view[start:end] for start, end in spans)
        else:
            added, scores = with_scores
            pieces = added.pieces(raw, spans, scores[rows].tolist())
        text = b"".join(pieces)
        out.write(text if not text or text.endswith(b"\n") else text + b"\n")


class _AddedScore:
    """One more key in objects of JSON lines."""

    def __init__(self, source: Path, name: str) -> None:
        self.source, self.name = source, name
        self.key = json.dumps(name).encode()

    def pieces(
        self, raw: bytes, spans: Iterable[tuple[int, int]], scores: list[float]
    ) -> Iterator[Any]:
        """Yield what rows of a block consist of, when each has its score."""
        view, doubtful = memoryview(raw), self.key in raw
        first, further = self.key + b": ", b", " + self.key + b": "
        for (start, end), score in zip(spans, scores, strict=True):
            if doubtful and self.name in json.loads(raw[start:end]):
                raise DataError(
                    f"{self.source} has a key {self.name!r} already; name another for the score"
                )
            close = raw.rindex(b"}", start, end)
            is_empty = raw[close - 1] in b"{ \t\r" and raw[start:close].rstrip().endswith(b"{")
            yield view[start:close]
            yield first if is_empty else further
            yield repr(score).encode()
            yield view[close:end]


class _Lines:
    """A file's bytes, handed out by line number."""

    def __init__(self, source: Path) -> None:
        from linnet.data.files import read_blocks

        self._blocks = read_blocks(source, BLOCK_BYTES)
        self._held = b""
        self._line = 1

    def until(self, line: int | None) -> bytes:
        """Return the bytes from where the last call ended to the start of a line (None: all)."""
        pieces = []
        while True:
            feeds = np.flatnonzero(np.frombuffer(self._held, dtype=np.uint8) == 10)
            if line is not None and line - self._line <= len(feeds):
                cut = int(feeds[line - self._line - 1]) + 1 if line > self._line else 0
                pieces.append(self._held[:cut])
                self._held, self._line = self._held[cut:], line
                return b"".join(pieces)
            pieces.append(self._held)
            self._line += len(feeds)
            self._held = next(self._blocks, (0, b""))[1]
            if not self._held:
                return b"".join(pieces)
