"""Rows of several columns, each with features of its own: title, body, source, price.

The features of a column are behind those of the one before. A score is the sum of what the columns
add, so texts are scored as they are read, one column after the other, without a matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import RowTable
from linnet.errors import DataError
from linnet.model.readers.column_parts import stored_part
from linnet.model.readers.column_values import MOST_COLUMNS, table_of
from linnet.model.readers.features import Arrays, FlatReader, Floats, Spans
from linnet.model.scorers.flat import under
from linnet.text.blocks import joined
from linnet.text.extractor import Rows
from linnet.threads import thread_count

__all__ = ["ColumnReader"]


@dataclass
class ColumnReader(FlatReader):
    """Rows of several columns.

    Attributes
    ----------
    parts : tuple of TextPart, CategoryPart and NumberPart
        What is known of each column.
    """

    parts: tuple[Any, ...]
    kind = "columns"

    @cached_property
    def first(self) -> list[int]:
        """The first feature of each column, and the number of all."""
        return [0, *np.cumsum([part.width for part in self.parts]).tolist()]

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """The number of features."""
        return self.first[-1]

    @property
    def holds(self) -> dict[str, str]:
        """The columns, and whether each holds a text, a category or a number."""
        return {part.name: part.kind for part in self.parts}

    @property
    def scale(self) -> NDArray[np.float32]:
        """The scale of each feature."""
        return np.concatenate([part.scale for part in self.parts])

    def feature_name(self, column: int) -> str:
        """Return the name of a feature, which begins with that of its column."""
        at = int(np.searchsorted(self.first, column, side="right")) - 1
        return str(self.parts[at].feature_name(column - self.first[at]))

    def rows(self, X: Any, threads: int | None) -> Rows:
        """Return the examples as weighted rows."""
        table, threads = self._table(X), thread_count(threads)
        rows = [part.rows(table[part.name], threads) for part in self.parts]
        if len(rows) == 1:
            return rows[0]  # type: ignore[no-any-return]
        return joined(rows, [part.width for part in self.parts], threads)

    def scores(self, X: Any, weights: Any, intercept: Floats, threads: int | None) -> Floats:
        """Return the linear scores of examples: what all columns add, in their order."""
        table, threads = self._table(X), thread_count(threads)
        total: Floats | None = None
        for part, (first, behind) in zip(self.parts, pairwise(self.first), strict=True):
            start = intercept if total is None else np.zeros_like(intercept)
            added: Floats = part.scores(table[part.name], weights[first:behind], start, threads)
            total = added if total is None else np.add(total, added, out=total)
        assert total is not None  # there is a column
        return total

    def one(self, example: Any) -> RowTable:
        """Return a table of one row, given as a dictionary, or as values in the columns' order."""
        listed = isinstance(example, (list, tuple)) and len(example) == len(self.parts)
        if listed and not any(isinstance(value, Mapping) for value in example):
            example = dict(zip(self.holds, example, strict=True))
        table = self._table([example] if isinstance(example, Mapping) else example)
        if len(table) != 1:
            raise DataError(f"explain takes one row, got {len(table)}.")
        return table

    def terms(self, batch: RowTable) -> tuple[NDArray[np.int32], Floats, Spans]:
        """Return the features of one row, their exact values, and places in what is shown."""
        columns, values, spans, at = [], [], Spans(), 0
        for part, first in zip(self.parts, self.first, strict=False):
            column, value, places = part.terms(batch[part.name])
            at += len(_lead(part))
            columns.append(column + np.int32(first))
            values.append(value)
            for number, where in places.items():
                spans[first + number] = tuple((at + begin, at + end) for begin, end in where)
            at += len(part.shown(batch[part.name])) + 1
        return np.concatenate(columns), np.concatenate(values), spans

    def shown(self, batch: RowTable, example: Any) -> str:
        """Return a row for people, a line a column."""
        return "\n".join(_lead(part) + part.shown(batch[part.name]) for part in self.parts)

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        return [line for part in self.parts for line in part.card()]

    def pruned(self, kept: NDArray[np.intp]) -> ColumnReader:
        """Return the reader of some of the features; a column without any is read no more."""
        parts = []
        for part, (first, behind) in zip(self.parts, pairwise(self.first), strict=True):
            of_part = kept[(kept >= first) & (kept < behind)] - first
            parts += [part.pruned(of_part)] if len(of_part) else []
        return ColumnReader(tuple(parts))

    def _table(self, X: Any) -> RowTable:
        return table_of(X, self.holds)

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the reader."""
        configs, arrays = [], Arrays()
        for number, part in enumerate(self.parts):
            config, more = part.to_file()
            configs.append({"column": part.name, "holds": part.kind, **config})
            arrays |= {f"part{number}.{name}": array for name, array in more.items()}
        return {"parts": configs}, arrays

    @classmethod
    def from_file(cls, config: Mapping[str, Any], arrays: Arrays) -> ColumnReader:
        """Return the reader of a file, after checking it."""
        configs = config["parts"]
        if not isinstance(configs, list) or not 1 <= len(configs) <= MOST_COLUMNS:
            raise DataError(f"the columns are no list of 1 to {MOST_COLUMNS}")
        parts = tuple(
            stored_part(one, under(arrays, f"part{number}.")) for number, one in enumerate(configs)
        )
        if len({part.name for part in parts}) < len(parts):
            raise DataError("two columns have one name")
        if sum(part.width for part in parts) >= 1 << 31:
            raise DataError("the columns have too many features")
        return cls(parts)


def _lead(part: Any) -> str:
    """Return what stands before a value that is shown."""
    return f"{part.name}: "
