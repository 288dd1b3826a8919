"""A column of a file beside its texts: ids, or the groups of an audit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from linnet.data.examples import stream_examples
from linnet.data.files import open_text
from linnet.data.hidden import hidden_lines
from linnet.errors import DataError

__all__ = ["Column"]

_ROWS = 1 << 13
_MISSING = "(none)"


class Column:
    """The values of a column, as text, handed out in pieces in the order of the rows.

    Parameters
    ----------
    source : str
    name : str
        Of the column or key.
    format : str
        Of the file, as it was found out.
    reading : dict
        What :func:`linnet.data.examples.stream_examples` takes.
    """

    def __init__(self, source: str, name: str, format: str, reading: dict[str, Any]) -> None:
        self.source, self.name = source, name
        if format in ("parquet", "jsonl"):
            self._pieces = (_parquet if format == "parquet" else _json_lines)(source, name)
        else:
            self._pieces = _cells(source, name, reading)
        self._held: list[str] = []

    def take(self, n: int) -> list[str]:
        """Return the values of the next `n` rows."""
        while len(self._held) < n:
            piece = next(self._pieces, None)
            if piece is None:
                raise DataError(
                    f"{self.source} has no column {self.name!r} with a value for every row"
                )
            self._held += piece
        values, self._held = self._held[:n], self._held[n:]
        return values


def _spelled(value: Any) -> str:
    return _MISSING if value is None else str(value)


def _parquet(source: str, name: str) -> Iterator[list[str]]:
    from pyarrow.parquet import ParquetFile

    with ParquetFile(source, pre_buffer=False) as table:
        if name not in table.schema_arrow.names:
            listed = ", ".join(table.schema_arrow.names)
            raise DataError(f"{source} has no column {name!r}; it has {listed}")
        for batch in table.iter_batches(batch_size=_ROWS, columns=[name]):
            yield [_spelled(value) for value in batch.column(0).to_pylist()]


def _json_lines(source: str, name: str) -> Iterator[list[str]]:
    """Yield the values of a key; lines that are empty or left out are no rows."""
    known = False
    with open_text(source) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip() or number in hidden_lines(source):
                continue
            row = json.loads(line)
            known = known or name in row
            yield [_spelled(row.get(name))]
    if not known:
        raise DataError(f"{source} has no row with the key {name!r}")


def _cells(source: str, name: str, reading: dict[str, Any]) -> Iterator[list[str]]:
    settings = {**reading, "label": name, "nulls": "empty"}
    for block in stream_examples(source, **settings):
        if block.y is None:
            raise DataError(f"{source} has no column {name!r} with a value for every row")
        yield [" ".join(map(str, row)) if isinstance(row, list) else str(row) for row in block.y]
