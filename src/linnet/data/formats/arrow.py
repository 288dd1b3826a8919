"""Parquet and Arrow (Feather) files, by way of pyarrow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.formats.common import Examples, Plan, label_texts, split_labels
from linnet.data.inputs import number_column, spelled_column
from linnet.data.rows import RowTable
from linnet.data.watching import tell_read, watched
from linnet.errors import DataError, FormatError

__all__ = ["TableWriter", "read", "sample"]

_SAMPLE = 1000
_SAMPLE_BYTES = 1 << 19


def sample(file: Any, name: str, format: str) -> tuple[tuple[str, ...], list[list[Any]]]:
    """Return the column names and the values of the first rows, one list a row."""
    rows: list[list[Any]] = []
    names = tuple(_schema(file, name, format).names)
    for batch in _batches(file, name, format, None, _SAMPLE_BYTES):
        part = batch.slice(0, _SAMPLE)
        columns = [_values(part.column(at), "replace") for at in range(part.num_columns)]
        rows = [list(row) for row in zip(*columns, strict=True)]
        if rows:
            break
    return names, rows


def read(file: Any, plan: Plan, block_bytes: int | None) -> Iterator[Examples]:
    """Yield examples batch by batch, about `block_bytes` bytes each; None for one of all."""
    import pyarrow as pa

    inputs = [name for name, _ in plan.inputs] or [plan.text or plan.columns[0]]
    ids = "id" if "id" in plan.columns and "id" not in (*inputs, plan.label) else None
    names = [name for name in (*inputs, plan.label, ids) if name is not None]
    row = 0
    batches = _batches(file, plan.file, plan.format, names, block_bytes)
    if block_bytes is None:
        schema = pa.schema([_schema(file, plan.file, plan.format).field(name) for name in names])
        batches = iter([pa.Table.from_batches(list(batches), schema)])
    for batch in batches:
        if len(batch):
            yield _examples(batch, plan, inputs[0], ids, row)
        row += len(batch)


def _examples(batch: Any, plan: Plan, text: str, ids: str | None, row: int) -> Examples:
    lines = np.arange(row + 1, row + len(batch) + 1, dtype=np.int64)
    if plan.inputs:
        X: Any = _table_of(batch, plan, lines)
    else:
        X = _texts(batch.column(text), plan, f"column {text!r}, after {row} rows")
    y = None
    if plan.label is not None and plan.labels:
        y = _labels(batch.column(plan.label), plan, row)
    names = None if ids is None else [str(name) for name in _values(batch.column(ids), "replace")]
    return plan.examples("columns" if plan.inputs else "text", X, y, lines, names)


def _table_of(batch: Any, plan: Plan, lines: NDArray[np.int64]) -> RowTable:
    """Return the columns that are looked at."""
    empty, columns = replace(plan, nulls="empty"), list[Any]()
    for name, kind in plan.inputs:
        column = batch.column(name)
        if kind == "text":
            columns.append(_texts(column, empty, f"column {name!r}, after {lines[0] - 1} rows"))
            continue
        values = _values(column, plan.errors)
        made = number_column if kind == "number" else spelled_column
        columns.append(made(name, values, lines, plan.file))
    return RowTable([name for name, _ in plan.inputs], columns)


def _texts(column: Any, plan: Plan, where: str) -> TextColumn:
    """Return the texts of a column, which Arrow itself does not check to be UTF-8."""
    import pyarrow as pa

    try:
        texts = TextColumn.from_arrow(column, nulls=plan.nulls)  # type: ignore[arg-type]
    except DataError as error:
        raise FormatError(f"{where}: {error}", file=plan.file) from None
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        if plan.errors != "replace":
            remedy = "pass errors='replace' to read such bytes as U+FFFD"
            raise FormatError(f"{where}: {error}; {remedy}", file=plan.file) from None
        return TextColumn.from_strings([text.decode("utf-8", "replace") for text in texts.raw()])
    return texts


def _labels(column: Any, plan: Plan, row: int) -> list[Any]:
    """Return labels: strings and integers as they are, other values as text, lists as lists."""
    try:
        labels = _values(column, plan.errors)
    except UnicodeDecodeError as error:
        raise FormatError(f"column {plan.label!r}: {error}", file=plan.file) from None
    if column.null_count:
        message = f"the label (column {plan.label!r}) of row {row + labels.index(None) + 1} is null"
        raise FormatError(f"{message}; drop such rows", file=plan.file)
    if isinstance(labels[0], list):
        return [[_label(part) for part in label] for label in labels]
    spelled = [_label(label) for label in labels]
    if plan.label_separator is not None:
        return [split_labels(str(label), plan.label_separator) for label in spelled]
    return spelled


def _values(column: Any, errors: str) -> list[Any]:
    """Return a column as Python values, strings that are no UTF-8 as `errors` says."""
    import pyarrow as pa

    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        if errors != "replace":
            raise
        raw = column.cast(pa.large_binary()).to_pylist()
        values = [None if value is None else value.decode("utf-8", "replace") for value in raw]
    return values


def _label(value: Any) -> str | int:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, (str, int)) else str(value)


def _schema(file: Any, name: str, format: str) -> Any:
    opened = _opened(file, name, format)
    schema = opened.schema_arrow if format == "parquet" else opened.schema
    try:
        _refuse_twins(schema.names, name)
    except UnicodeDecodeError as error:
        raise FormatError(f"a column has a name that is not UTF-8: {error}", file=name) from None
    return schema


def _refuse_twins(names: list[str], file: str) -> None:
    for at, name in enumerate(names):
        if name in names[:at]:
            raise FormatError(f"two columns are named {name!r}; rename one of them", file=file)


def _opened(file: Any, name: str, format: str) -> Any:
    import pyarrow as pa

    try:
        if format == "parquet":
            from pyarrow.parquet import ParquetFile

            return ParquetFile(file, pre_buffer=False)  # else it keeps all that was read
        return pa.ipc.open_file(pa.memory_map(file) if isinstance(file, str) else file)
    except FileNotFoundError:
        raise
    except (pa.ArrowException, ValueError, OSError) as error:
        message = f"not a readable {format} file ({error}); it may be damaged or cut short"
        raise FormatError(message, file=name) from None


def _batches(
    file: Any, name: str, format: str, columns: list[str] | None, block_bytes: int | None
) -> Iterator[Any]:
    """Yield record batches of some columns."""
    import pyarrow as pa

    opened = _opened(file, name, format)
    try:
        if format == "parquet":
            size = _rows_a_batch(opened.metadata, block_bytes)
            done, rows = 0, max(1, opened.metadata.num_rows)
            for batch in opened.iter_batches(batch_size=size, columns=columns):
                yield batch
                done += len(batch)
                if watched() and isinstance(file, str):
                    tell_read(file, os.path.getsize(file) * done // rows)
        else:
            for number in range(opened.num_record_batches):
                batch = opened.get_batch(number)
                batch = batch if columns is None else batch.select(columns)
                _check(batch)
                yield batch
    except (pa.ArrowException, ValueError, OSError) as error:
        raise FormatError(f"the {format} file is damaged: {error}", file=name) from None


def _check(batch: Any) -> None:
    """Raise ArrowInvalid for offsets that lead out of their buffers, which Arrow takes on trust.

    Strings are checked as bytes: whether they are UTF-8 is asked later, where it can be mended.
    """
    import pyarrow as pa

    as_bytes = {"string": pa.binary(), "large_string": pa.large_binary()}
    for column in batch.columns:
        column.validate()
        kind = as_bytes.get(str(column.type))
        (column if kind is None else column.view(kind)).validate(full=True)


def _rows_a_batch(metadata: Any, block_bytes: int | None) -> int:
    """Return how many rows make a block; columns that are not read make it smaller, no matter."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    size = max((group.total_byte_size / max(group.num_rows, 1) for group in groups), default=1.0)
    wanted = (1 << 24) if block_bytes is None else block_bytes
    return int(min(max(wanted / max(size, 1.0), 1), 1 << 20))


class TableWriter:
    """Writes examples to a Parquet or Arrow file, a batch a call."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._writer: Any = None
        self._schema: Any = None

    def write(self, examples: Examples, plan: Plan) -> None:
        """Append a batch; the first one decides the columns' types."""
        if not len(examples):
            return
        table = _table(examples)
        if self._writer is None:
            self._writer = self._open(table.schema, plan.format)
        elif table.schema != self._schema:
            raise DataError(
                "labels change their kind on the way (a number, a text or a list of labels); "
                "write JSONL instead"
            )
        self._writer.write_table(table)

    def _open(self, schema: Any, format: str) -> Any:
        import pyarrow as pa

        self._schema = schema
        if format == "parquet":
            from pyarrow.parquet import ParquetWriter

            return ParquetWriter(self._out, schema, compression="zstd")
        return pa.ipc.new_file(self._out, schema)

    def close(self) -> None:
        """Write what the format keeps at the end of a file."""
        if self._writer is not None:
            self._writer.close()


def _table(examples: Examples) -> Any:
    import pyarrow as pa

    columns: dict[str, Any] = {}
    if examples.ids is not None:
        columns["id"] = pa.array(examples.ids, pa.string())
    columns["text"] = pa.array(examples.X.to_list(), pa.large_string())
    if examples.y is not None:
        columns["label"] = _label_array(examples.y)
    return pa.table(columns)


def _label_array(y: list[Any]) -> Any:
    import pyarrow as pa

    if y and isinstance(y[0], list):
        return pa.array([label_texts(label) for label in y], pa.list_(pa.string()))
    if all(isinstance(label, int) for label in y):
        return pa.array(y, pa.int64())
    return pa.array([str(label) for label in y], pa.string())
