"""Copying the kept rows of a file: same format, same columns, bounded memory.

A file is read twice side by side. One reader takes the texts out of it, block by block, for the
model to judge; the other copies rows as they stand: whole lines, byte for byte, or Parquet rows
with all their columns. So nothing is lost that the first reader does not understand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from linnet.cli.console import write_atomically
from linnet.cli.filter import Judge
from linnet.data.hidden import hidden_lines
from linnet.errors import DataError

__all__ = ["BLOCK_BYTES", "Tally", "filter_file"]

Mask = NDArray[np.bool_]
_ROWS_A_BATCH = 1 << 13
_BYTES_A_GROUP = 1 << 25
BLOCK_BYTES = 1 << 22
_NOWHERE = -1  # beside dropped, 0, and kept, 1


@dataclass
class Tally:
    """What was kept and what was dropped: rows, bytes of text, and the most probable labels.

    Index 0 of every pair is what was dropped, index 1 what was kept.
    """

    classes: list[str]
    rows: list[int] = field(default_factory=lambda: [0, 0])
    text_bytes: list[int] = field(default_factory=lambda: [0, 0])
    labels: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.labels = np.zeros((2, len(self.classes)), dtype=np.int64)

    def add(self, keep: Mask, best: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        """Count one block."""
        for side, rows in enumerate((~keep, keep)):
            self.rows[side] += int(rows.sum())
            self.text_bytes[side] += int(lengths[rows].sum())
            self.labels[side] += np.bincount(best[rows], minlength=len(self.classes))

    def merge(self, other: Tally) -> None:
        """Add what another file gave."""
        for side in (0, 1):
            self.rows[side] += other.rows[side]
            self.text_bytes[side] += other.text_bytes[side]
        self.labels += other.labels

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        answer: dict[str, Any] = {"total": sum(self.rows), "kept": self.rows[1]}
        for side, name in enumerate(("removed", "remaining")):
            mean = self.text_bytes[side] / self.rows[side] if self.rows[side] else 0.0
            counted = zip(self.classes, self.labels[side].tolist(), strict=True)
            answer[name] = {
                "rows": self.rows[side],
                "text_bytes": self.text_bytes[side],
                "mean_text_bytes": round(mean, 1),
                "labels": {label: n for label, n in counted if n},
            }
        return answer


def filter_file(
    source: Path,
    blocks: Iterator[Any],
    judge: Judge,
    outputs: tuple[Path | None, Path | None],
    watch: Callable[[int], None],
) -> Tally:
    """Copy the rows of one file to (dropped, kept); a None is not written.

    Parameters
    ----------
    source : Path
    blocks : iterator
        Its examples, in blocks of about BLOCK_BYTES.
    judge : Judge
    outputs : (Path or None, Path or None)
        Each file appears whole when everything is done, or not at all.
    watch : function of a number
        Called with the number of rows judged so far.
    """
    tally = Tally(judge.classes)
    first = next(blocks, None)
    if first is None:
        raise DataError(f"{source} holds no examples")
    verdicts = _with_hidden(_verdicts(first, blocks, judge, tally, watch), str(source))
    if outputs == (None, None):
        for _ in verdicts:
            pass
        return tally
    copy = _copy_parquet if first.format == "parquet" else _copy_lines
    if first.format == "arrow":
        raise DataError(
            f"{source}: Arrow files are not filtered; write Parquet first, "
            f"for example with linnet convert {source} {source.stem}.parquet"
        )
    with ExitStack() as stack:
        outs = [
            None if path is None else stack.enter_context(write_atomically(path)).buffer
            for path in outputs
        ]
        copy(source, verdicts, (outs[0], outs[1]))
    return tally


def _verdicts(
    first: Any, rest: Iterator[Any], judge: Judge, tally: Tally, watch: Callable[[int], None]
) -> Iterator[tuple[NDArray[np.int64], Mask]]:
    """Yield the first line of each row and whether the row is kept, block by block."""
    block = first
    while block is not None:
        keep, best = judge(block.X)
        tally.add(keep, best, _lengths(block))
        watch(sum(tally.rows))
        yield block.lines, keep
        block = next(rest, None)


def _with_hidden(
    verdicts: Iterator[tuple[NDArray[np.int64], Any]], source: str
) -> Iterator[tuple[NDArray[np.int64], Any]]:
    """Add the lines that are left out: rows that go nowhere."""
    told = 0
    for lines, keep in verdicts:
        left_out = hidden_lines(source)[told:]
        here = left_out[left_out <= lines[-1]] if len(lines) else left_out[:0]
        told += len(here)
        if not len(here):
            yield lines, keep
            continue
        order = np.argsort(np.concatenate([lines, here]), kind="stable")
        sides = np.concatenate([keep.astype(np.int8), np.full(len(here), _NOWHERE, np.int8)])
        yield np.concatenate([lines, here])[order], sides[order]
    left_out = hidden_lines(source)[told:]
    if len(left_out):
        yield left_out, np.full(len(left_out), _NOWHERE, np.int8)


def _lengths(block: Any) -> NDArray[np.int64]:
    if block.kind == "text":
        return np.asarray(block.X.end - block.X.start, dtype=np.int64)
    return np.zeros(len(block.lines), dtype=np.int64)


def _copy_lines(
    source: Path,
    verdicts: Iterator[tuple[NDArray[np.int64], Mask]],
    outs: tuple[BinaryIO | None, BinaryIO | None],
) -> None:
    """Copy whole lines; what stands before the first row, a header, goes to every output."""
    lines = _Lines(source)
    current = next(verdicts, None)
    if current is not None:
        head = lines.until(int(current[0][0]))
        for out in outs:
            if out is not None:
                out.write(head)
    while current is not None:
        following = next(verdicts, None)
        starts, keep = current
        end = None if following is None else int(following[0][0])
        _write_rows(lines.until(end), starts - int(starts[0]), keep, outs)
        current = following


def _write_rows(
    raw: bytes,
    first_line: NDArray[np.int64],
    keep: Mask,
    outs: tuple[BinaryIO | None, BinaryIO | None],
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
        text = b"".join(view[start:end] for start, end in spans)
        out.write(text if not text or text.endswith(b"\n") else text + b"\n")


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


def _copy_parquet(
    source: Path,
    verdicts: Iterator[tuple[NDArray[np.int64], Mask]],
    outs: tuple[BinaryIO | None, BinaryIO | None],
) -> None:
    """Copy Parquet rows with all their columns, in row groups of moderate size."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(source, pre_buffer=False) as table, ExitStack() as stack:
        groups = [None if out is None else stack.enter_context(_Groups(out, table)) for out in outs]
        held: Mask = np.zeros(0, dtype=bool)
        for batch in table.iter_batches(batch_size=_ROWS_A_BATCH):
            while len(held) < len(batch):
                held = np.concatenate([held, next(verdicts)[1]])
            keep, held = held[: len(batch)], held[len(batch) :]
            for side, group in enumerate(groups):
                if group is not None:
                    group.add(batch, keep == bool(side))
        for _ in verdicts:  # the reader of texts ends with the rows
            pass


class _Groups:
    """Collects batches into row groups of a Parquet file like the given one."""

    def __init__(self, out: BinaryIO, like: Any) -> None:
        from pyarrow.parquet import ParquetWriter

        packed = "zstd"
        if like.metadata.num_row_groups and like.metadata.num_columns:
            packed = like.metadata.row_group(0).column(0).compression.lower()
        kind = "none" if packed == "uncompressed" else packed
        self.schema = like.schema_arrow
        self.writer = ParquetWriter(out, self.schema, compression=kind)
        self.batches: list[Any] = []
        self.n_bytes = 0

    def add(self, batch: Any, rows: Mask) -> None:
        """Take the chosen rows of a batch."""
        import pyarrow as pa

        if rows.any():
            chosen = batch.filter(pa.array(rows))
            self.batches.append(chosen)
            self.n_bytes += chosen.nbytes
        if self.n_bytes >= _BYTES_A_GROUP:
            self.flush()

    def flush(self) -> None:
        """Write what was collected as one row group."""
        import pyarrow as pa

        if self.batches:
            self.writer.write_table(pa.Table.from_batches(self.batches, self.schema))
        self.batches, self.n_bytes = [], 0

    def __enter__(self) -> _Groups:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.flush()
            self.writer.close()
