"""Copying the kept rows of a Parquet file with all their columns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from linnet.errors import DataError
from linnet.scale.filtering.copied_lines import Mask, Verdict

__all__ = ["copy_parquet"]

_ROWS_A_BATCH = 1 << 13
_BYTES_A_GROUP = 1 << 25


def copy_parquet(
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
