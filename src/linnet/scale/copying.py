"""Copying the kept rows of a file: same format, same columns, bounded memory.

A file is read twice side by side. One reader takes the texts out of it, block by block, for the
model to judge; the other copies rows as they stand: whole lines, byte for byte, or Parquet rows
with all their columns. So nothing is lost that the first reader does not understand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.files import write_atomically
from linnet.data.hidden import hidden_lines
from linnet.errors import DataError
from linnet.scale.tally import Tally

__all__ = ["BLOCK_BYTES", "Groups", "filter_file", "judged"]

Mask = NDArray[np.bool_]
Verdict = tuple[NDArray[np.int64], Any, NDArray[np.float64] | None]
Groups = Callable[[NDArray[np.int64]], dict[str, list[str]]]
_ROWS_A_BATCH = 1 << 13
_BYTES_A_GROUP = 1 << 25
BLOCK_BYTES = 1 << 22
_NOWHERE = -1  # beside dropped, 0, and kept, 1


def filter_file(
    source: Path,
    blocks: Iterator[Any],
    judge: Any,
    outputs: tuple[Path | None, Path | None],
    watch: Callable[[int], None],
    *,
    audited: Callable[[Any], Groups] | None = None,
    add_score: str | None = None,
) -> Tally:
    """Copy the rows of one file to (dropped, kept); a None is not written.

    Parameters
    ----------
    source : Path
    blocks : iterator
        Its examples, in blocks of about BLOCK_BYTES.
    judge : Judge or StoredJudge
    outputs : (Path or None, Path or None)
        Each file appears whole when everything is done, or not at all.
    watch : function of a number
        Called with the number of rows judged so far.
    audited : function of the first block, optional
        Returns what gives the groups of the rows of each block.
    add_score : str, optional
        Name of a column with the scores, beside those of the file: of Parquet and JSON lines.
    """
    tally = Tally(judge.classes)
    first = next(blocks, None)
    if first is None:
        raise DataError(f"{source} holds no examples")
    groups = None if audited is None else audited(first)
    rows = judged(chain([first], blocks), judge, tally, watch, groups)
    verdicts = _with_hidden(rows, str(source))
    if outputs == (None, None):
        for _ in verdicts:
            pass
        return tally
    if first.format == "arrow":
        raise DataError(
            f"{source}: Arrow files are not filtered; write Parquet first, "
            f"for example with linnet convert {source} {source.stem}.parquet"
        )
    if add_score is not None and first.format not in ("parquet", "jsonl"):
        raise DataError(
            f"{source}: scores are added to Parquet and JSON lines, and this is {first.format}; "
            "write them into files of their own, or convert it first"
        )
    copy = _copy_parquet if first.format == "parquet" else _copy_lines
    with ExitStack() as stack:
        outs = [
            None if path is None else stack.enter_context(write_atomically(path)).buffer
            for path in outputs
        ]
        copy(source, verdicts, (outs[0], outs[1]), add_score)
    return tally


def judged(
    blocks: Iterator[Any],
    judge: Any,
    tally: Tally,
    watch: Callable[[int], None],
    groups: Groups | None = None,
) -> Iterator[Verdict]:
    """Yield the first line of each row, whether it is kept and its score, block by block."""
    for block in blocks:
        keep, best, scores = judge.scored(block.X)
        lengths = _lengths(block)
        tally.add(keep, best, lengths, groups(lengths) if groups is not None else None)
        watch(sum(tally.rows))
        yield block.lines, keep, scores


def _with_hidden(verdicts: Iterator[Verdict], source: str) -> Iterator[Verdict]:
    """Add the lines that are left out: rows that go nowhere."""
    told = 0
    for lines, keep, scores in verdicts:
        left_out = hidden_lines(source)[told:]
        here = left_out[left_out <= lines[-1]] if len(lines) else left_out[:0]
        told += len(here)
        if not len(here):
            yield lines, keep, scores
            continue
        order = np.argsort(np.concatenate([lines, here]), kind="stable")
        sides = np.concatenate([keep.astype(np.int8), np.full(len(here), _NOWHERE, np.int8)])
        if scores is not None:
            scores = np.concatenate([scores, np.full(len(here), np.nan)])[order]
        yield np.concatenate([lines, here])[order], sides[order], scores
    left_out = hidden_lines(source)[told:]
    if len(left_out):
        yield left_out, np.full(len(left_out), _NOWHERE, np.int8), None


def _lengths(block: Any) -> NDArray[np.int64]:
    if block.kind == "text":
        return np.asarray(block.X.end - block.X.start, dtype=np.int64)
    lengths = np.zeros(len(block.lines), dtype=np.int64)
    for column in block.X.values if block.kind == "columns" else ():
        if isinstance(column, TextColumn):
            lengths += column.end - column.start
    return lengths


def _copy_lines(
    source: Path,
    verdicts: Iterator[Verdict],
    outs: tuple[BinaryIO | None, BinaryIO | None],
    add_score: str | None,
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
        starts, keep, scores = current
        end = None if following is None else int(following[0][0])
        add = None if add_score is None else partial(_with_score, source, add_score, scores)
        _write_rows(lines.until(end), starts - int(starts[0]), keep, outs, add)
        current = following


def _write_rows(
    raw: bytes,
    first_line: NDArray[np.int64],
    keep: Mask,
    outs: tuple[BinaryIO | None, BinaryIO | None],
    add: Callable[[int, bytes], bytes] | None,
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
        pieces: Iterable[Any] = (view[start:end] for start, end in spans)
        if add is not None:
            pieces = (add(*pair) for pair in zip(rows.tolist(), map(bytes, pieces), strict=True))
        text = b"".join(pieces)
        out.write(text if not text or text.endswith(b"\n") else text + b"\n")


def _with_score(source: Path, name: str, scores: Any, at: int, row: bytes) -> bytes:
    """Return an object of JSON lines with one more key."""
    key, end = json.dumps(name).encode(), row.rindex(b"}")
    if key in row and name in json.loads(row):
        raise DataError(f"{source} has a key {name!r} already; name another for the score")
    comma = b"" if row[:end].rstrip().endswith(b"{") else b", "
    return row[:end] + comma + key + b": " + repr(float(scores[at])).encode() + row[end:]


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
    verdicts: Iterator[Verdict],
    outs: tuple[BinaryIO | None, BinaryIO | None],
    add_score: str | None,
) -> None:
    """Copy Parquet rows with all their columns, in row groups of moderate size."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    with ParquetFile(source, pre_buffer=False) as table, ExitStack() as stack:
        schema = table.schema_arrow
        if add_score is not None:
            if add_score in schema.names:
                raise DataError(
                    f"{source} has a column {add_score!r} already; name another for the score"
                )
            schema = schema.append(pa.field(add_score, pa.float64()))
        groups = [
            None if out is None else stack.enter_context(_Groups(out, table, schema))
            for out in outs
        ]
        held: Mask = np.zeros(0, dtype=bool)
        scored = np.zeros(0)
        for batch in table.iter_batches(batch_size=_ROWS_A_BATCH):
            while len(held) < len(batch):
                _, sides, scores = next(verdicts)
                held = np.concatenate([held, sides])
                scored = scored if scores is None else np.concatenate([scored, scores])
            keep, held = held[: len(batch)], held[len(batch) :]
            if add_score is not None:
                column, scored = pa.array(scored[: len(batch)]), scored[len(batch) :]
                batch = pa.record_batch([*batch.columns, column], schema=schema)
            for side, group in enumerate(groups):
                if group is not None:
                    group.add(batch, keep == bool(side))
        for _ in verdicts:  # the reader of texts ends with the rows
            pass


class _Groups:
    """Collects batches into row groups of a Parquet file like the given one."""

    def __init__(self, out: BinaryIO, like: Any, schema: Any) -> None:
        from pyarrow.parquet import ParquetWriter

        packed = "zstd"
        if like.metadata.num_row_groups and like.metadata.num_columns:
            packed = like.metadata.row_group(0).column(0).compression.lower()
        kind = "none" if packed == "uncompressed" else packed
        self.schema = schema
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
