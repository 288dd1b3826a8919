"""What a model says about a block of examples, and how it is written: TSV, CSV, JSONL, Parquet.

Every format gives one row for each example, in the order they were read. An abstained row has an
empty label (null in JSON and Parquet) and keeps the probability of the label it would have had.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from linnet.cli.kinds.kind import plain_labels
from linnet.data.formats.cells import csv_cell

__all__ = ["Answers", "Keys", "ParquetAnswers", "TextAnswers", "answer"]

_TSV_ESCAPES = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True)
class Keys:
    """What identifies the rows of a block: line numbers, and the file and ids if there are any."""

    lines: Sequence[int] | NDArray[np.int64]
    file: str | None = None
    ids: Sequence[Any] | None = None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        start: dict[str, Any] = {} if self.file is None else {"file": self.file}
        for row, line in enumerate(self.lines):
            key = {**start, "line": int(line)}
            yield key if self.ids is None else {**key, "id": str(self.ids[row])}


@dataclass(frozen=True)
class Answers:
    """Labels and probabilities of one block.

    Attributes
    ----------
    labels : list of n labels, None where the model abstained; lists with several labels a row
    probabilities : list of n numbers, or of lists beside lists of labels
    top : list of n lists of (label, probability), or None
    table : array of shape (n, K), or None
        The probability of every class.
    keys : Keys
    """

    labels: list[Any]
    probabilities: list[Any]
    top: list[list[tuple[Any, float]]] | None
    table: NDArray[np.float64] | None
    keys: Keys


def answer(
    model: Any, X: Any, keys: Keys, *, top: int | None = None, table: bool = False
) -> Answers:
    """Ask the model about a block of examples.

    Parameters
    ----------
    model : Model
    X : texts, bags, vectors or rows
    keys : Keys
    top : int, optional
        Give the `top` most probable labels of each row as well.
    table : bool
        Give the probability of every class as well.
    """
    verdict = model.judge(X)
    p, labels = verdict.probability, verdict.labels.tolist()
    pairs = None
    if top is not None:
        best, sure = (part.tolist() for part in verdict.top(top))
        pairs = [list(zip(a, b, strict=True)) for a, b in zip(best, sure, strict=True)]
    shares: list[Any]
    if model.multilabel:
        column = {label: number for number, label in enumerate(plain_labels(model.classes_))}
        shares = [[float(p[i, column[v]]) for v in row] for i, row in enumerate(labels)]
    else:
        shares = verdict.sure.tolist()
        silent = verdict.abstained.tolist()
        labels = [None if no else label for label, no in zip(labels, silent, strict=True)]
    return Answers(labels, shares, pairs, p if table else None, keys)


class TextAnswers:
    """Answers as lines of TSV, CSV or JSON, flushed after every block.

    CSV has a header, as those who read it expect one; of TSV only the table of probabilities does.

    Parameters
    ----------
    out : binary file
    classes : sequence of labels
    format : {"tsv", "csv", "jsonl"}
    safe : bool
        CSV: whether labels that a spreadsheet would take for formulas get an apostrophe.
    """

    def __init__(
        self, out: BinaryIO, classes: Sequence[Any], format: str, safe: bool = False
    ) -> None:
        self.out, self.classes, self.format = out, classes, format
        self.mark = "," if format == "csv" else "\t"
        self.field = partial(_csv_field, safe=safe) if format == "csv" else _tsv_field
        self.started = False

    def write(self, block: Answers) -> None:
        """Write one block."""
        if self.format == "jsonl":
            lines = [json.dumps(row, ensure_ascii=False) for row in _rows(block, self.classes)]
        else:
            lines = self._records(block)
            if lines and not self.started:
                lines = [*self._header(block), *lines]
                self.started = True
        if lines:
            self.out.write(("\n".join(lines) + "\n").encode("utf-8", "replace"))
        self.out.flush()

    def close(self) -> None:
        """Do nothing: every block is already written."""

    def _header(self, block: Answers) -> list[str]:
        names = ["label", "probability"]
        if block.table is not None:
            names = ["label", *(self.field(name) for name in self.classes)]
        elif self.format == "tsv":
            return []
        elif block.top is not None:
            places = range(1, len(block.top[0]) + 1)
            names = [f"{name}_{place}" for place in places for name in names]
        return [self.mark.join(names)]

    def _records(self, block: Answers) -> list[str]:
        mark, spelled = self.mark, {name: self.field(name) for name in (*self.classes, None)}
        if block.table is not None:
            return [
                mark.join([self._label(label, spelled), *(f"{p:.6f}" for p in row)])
                for label, row in zip(block.labels, block.table.tolist(), strict=True)
            ]
        if block.top is not None:
            return [
                mark.join(f"{spelled[label]}{mark}{p:.6f}" for label, p in row) for row in block.top
            ]
        rows = zip(block.labels, block.probabilities, strict=True)
        if block.labels and isinstance(block.labels[0], list):
            return [
                f"{self._label(labels, spelled)}{mark}"
                f"{self.field(','.join(f'{p:.6f}' for p in shares))}"
                for labels, shares in rows
            ]
        return [f"{spelled[label]}{mark}{p:.6f}" for label, p in rows]

    def _label(self, label: Any, spelled: dict[Any, str]) -> str:
        """Return the cell of a label, or of several with commas between them."""
        return self.field(",".join(map(str, label))) if isinstance(label, list) else spelled[label]


class ParquetAnswers:
    """Answers as one Parquet file, a row group for each block."""

    def __init__(self, out: BinaryIO, classes: Sequence[Any]) -> None:
        self.out, self.classes = out, classes
        self.writer: Any = None

    def write(self, block: Answers) -> None:
        """Write one block."""
        import pyarrow as pa
        from pyarrow import parquet

        rows = list(_rows(block, self.classes))
        if not rows:
            return
        table = pa.Table.from_pylist(rows, schema=self._schema(rows[0]))
        if self.writer is None:
            self.writer = parquet.ParquetWriter(self.out, table.schema, compression="zstd")
        self.writer.write_table(table)

    def close(self) -> None:
        """Write the end of the file; without it nothing can be read."""
        if self.writer is not None:
            self.writer.close()

    def _schema(self, row: dict[str, Any]) -> Any:
        import pyarrow as pa

        whole = all(isinstance(label, int) for label in self.classes)
        label = pa.int64() if whole else pa.string()
        several = isinstance(row["label"], list)
        types = {
            "file": pa.string(),
            "line": pa.int64(),
            "id": pa.string(),
            "label": pa.list_(label) if several else label,
            "probability": pa.list_(pa.float64()) if several else pa.float64(),
            "top": pa.list_(pa.struct([("label", label), ("probability", pa.float64())])),
            "probabilities": pa.struct([(str(name), pa.float64()) for name in self.classes]),
        }
        return pa.schema([(name, types[name]) for name in row])


def _rows(block: Answers, classes: Sequence[Any]) -> Iterator[dict[str, Any]]:
    names = [str(name) for name in classes]
    for i, key in enumerate(block.keys):
        row = {**key, "label": block.labels[i], "probability": block.probabilities[i]}
        if block.top is not None:
            row["top"] = [{"label": label, "probability": p} for label, p in block.top[i]]
        if block.table is not None:
            row["probabilities"] = dict(zip(names, block.table[i].tolist(), strict=True))
        yield row


def _tsv_field(label: Any) -> str:
    """Return a label as one field of a TSV line; an abstained one is empty."""
    return "" if label is None else str(label).translate(_TSV_ESCAPES)


def _csv_field(label: Any, safe: bool) -> str:
    """Return a label as one cell of a CSV record."""
    return "" if label is None else csv_cell(str(label), ",", safe=safe)
