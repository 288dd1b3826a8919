"""What a model knows of one column: how its values become features, and their names.

The columns of features of a text are those of its blocks, of a category one for each value that
training has seen, of a number a single one. Numbers are standardised: (x - mean) / deviation, both
of the training data, so that a price and a count of words weigh alike. What is missing, and a
category that training has not seen, has no feature. Columns come as
:func:`linnet.model.readers.column_values.table_of` reads them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.model.readers.blocks import BlockReader
from linnet.model.readers.features import NOT_FINITE, Arrays, Floats, Spans, TextReader
from linnet.stored import LARGEST, Array, Number
from linnet.text.extractor import Rows, scores_of
from linnet.text.names import Names

__all__ = ["CategoryPart", "NumberPart", "TextPart", "stored_part"]

Floats32 = NDArray[np.float32]


@dataclass(frozen=True)
class TextPart:
    """A column of texts, read as a whole model reads texts."""

    name: str
    reader: TextReader
    kind = "text"

    @property
    def width(self) -> int:
        """The number of features."""
        return self.reader.n_features

    @property
    def scale(self) -> Floats32:
        """The scale of each feature."""
        scale = self.reader.extractor.scale
        return np.ones(self.width, np.float32) if scale is None else scale

    def feature_name(self, number: int) -> str:
        """Return the name of a feature."""
        return f"{self.name}: {self.reader.feature_name(number)}"

    def rows(self, column: Any, threads: int) -> Rows:
        """Return the values of features."""
        return self.reader.rows(column, threads)

    def scores(self, column: Any, weights: Any, intercept: Floats, threads: int) -> Floats:
        """Return the scores of the column, which is never made into rows."""
        return self.reader.scores(column, weights, intercept, threads)

    def terms(self, column: Any) -> tuple[NDArray[np.int32], Floats, Spans]:
        """Return the features of one value, and where they are in what is shown."""
        return self.reader.terms([self.shown(column)])

    def shown(self, column: Any) -> str:
        """Return one value for people."""
        return str(column[0])

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        return [(f"{self.name}: {what}", how) for what, how in self.reader.card()]

    def pruned(self, kept: NDArray[np.intp]) -> TextPart:
        """Return the same with some of the features only."""
        return TextPart(self.name, self.reader.pruned(kept))  # type: ignore[arg-type]

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of it."""
        return self.reader.to_file()

    @classmethod
    def from_file(cls, name: str, config: Mapping[str, Any], arrays: Arrays) -> TextPart:
        """Return what a file holds, after checking it."""
        blocks = config.get("reader") == "blocks"
        reader: Any = (BlockReader if blocks else TextReader).from_file(config, arrays)
        return cls(name, reader)


class _PlainPart(ABC):
    """What the parts of one feature a row share: they are made into rows."""

    name: str

    @abstractmethod
    def rows(self, column: Any, threads: int) -> Rows:
        """Return the values of features."""

    def scores(self, column: Any, weights: Any, intercept: Floats, threads: int) -> Floats:
        """Return the scores of the column."""
        return scores_of(self.rows(column, threads), weights, intercept, threads)

    def terms(self, column: Any) -> tuple[NDArray[np.int32], Floats, Spans]:
        """Return the feature of one value, and where it is in what is shown."""
        rows = self.rows(column, 1)
        places: Spans = {int(j): ((0, len(self.shown(column))),) for j in rows.index}
        return rows.index, rows.value.astype(np.float64), places

    @abstractmethod
    def shown(self, column: Any) -> str:
        """Return one value for people."""


@dataclass(frozen=True)
class CategoryPart(_PlainPart):
    """A column of categories: an indicator for each value."""

    name: str
    values: Names
    kind = "category"

    @classmethod
    def fit(cls, name: str, column: Any) -> CategoryPart:
        """Learn the values."""
        values = sorted({value for value in column if value is not None})
        if not values:
            raise DataError(f"Column {name!r} has no value at all, only missing ones.")
        try:
            return cls(name, Names.of(values))
        except UnicodeEncodeError as error:
            raise DataError(
                f"Column {name!r}: {error.object!r} holds half of a surrogate pair; clean it."
            ) from None

    @cached_property
    def _number_of(self) -> dict[str, int]:
        return {value: number for number, value in enumerate(self.values.tolist())}

    @property
    def width(self) -> int:
        """The number of features."""
        return len(self.values)

    @property
    def scale(self) -> Floats32:
        """The scale of each feature."""
        return np.ones(self.width, np.float32)

    def feature_name(self, number: int) -> str:
        """Return the name of a feature."""
        return f"{self.name}={self.values[number]}"

    def rows(self, column: Any, threads: int) -> Rows:
        """Return the values of features; a value that is missing or unknown has none."""
        code = np.array([self._number_of.get(value, -1) for value in column], np.int32)
        known = code >= 0
        index = code[known]
        return Rows(_starts(known), index, np.ones(len(index), np.float32))

    def shown(self, column: Any) -> str:
        """Return one value for people."""
        return column[0] or ""

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        return [(self.name, f"category of {self.width:,} values")]

    def pruned(self, kept: NDArray[np.intp]) -> CategoryPart:
        """Return the same with some of the features only."""
        return CategoryPart(self.name, self.values.take(kept))

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of it."""
        return {}, {"names": self.values.data, "names_offset": self.values.offset}

    @classmethod
    def from_file(cls, name: str, config: Mapping[str, Any], arrays: Arrays) -> CategoryPart:
        """Return what a file holds, after checking it."""
        Array("u1", "bytes").check("names", arrays.get("names"), {})
        Array("i8", "J+1").check("names_offset", arrays.get("names_offset"), {})
        part = cls(name, Names(arrays["names"], arrays["names_offset"]))
        if len(part._number_of) != part.width or "" in part._number_of or not part.width:
            raise DataError(f"the values of column {name!r:.60} are not those of a category")
        return part


@dataclass(frozen=True)
class NumberPart(_PlainPart):
    """A column of numbers, standardised as the training data say."""

    name: str
    mean: float
    deviation: float
    kind = "number"
    width = 1

    @classmethod
    def fit(cls, name: str, column: Any) -> NumberPart:
        """Learn mean and standard deviation of the numbers that are there."""
        there = column[~np.isnan(column)]
        if not len(there):
            raise DataError(f"Column {name!r} has no number at all, only missing ones.")
        if np.abs(there).max() > LARGEST:
            raise DataError(f"Column {name!r} holds numbers beyond {LARGEST:g}; rescale it.")
        deviation = float(there.std())
        return cls(name, float(there.mean()), deviation if deviation > 1 / LARGEST else 1.0)

    @property
    def scale(self) -> Floats32:
        """The scale of each feature."""
        return np.ones(1, np.float32)

    def feature_name(self, number: int) -> str:
        """Return the name of a feature."""
        return self.name

    def rows(self, column: Any, threads: int) -> Rows:
        """Return the values of features; a missing number is the mean, so it has none."""
        with np.errstate(over="ignore"):
            value = ((column - self.mean) / self.deviation).astype(np.float32)
        if np.isinf(value).any():
            row = int(np.flatnonzero(np.isinf(value))[0])
            raise DataError(f"Column {self.name!r}, row {row}: {NOT_FINITE}")
        there = ~np.isnan(value) & (value != 0)
        return Rows(_starts(there), np.zeros(int(there.sum()), np.int32), value[there])

    def shown(self, column: Any) -> str:
        """Return one value for people."""
        return "" if np.isnan(column[0]) else f"{column[0]:.12g}"

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        return [(self.name, f"number, less {self.mean:.6g}, divided by {self.deviation:.6g}")]

    def pruned(self, kept: NDArray[np.intp]) -> NumberPart:
        """Return the same: there is one feature."""
        return self

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of it."""
        return {"mean": self.mean, "deviation": self.deviation}, {}

    @classmethod
    def from_file(cls, name: str, config: Mapping[str, Any], arrays: Arrays) -> NumberPart:
        """Return what a file holds, after checking it."""
        mean, deviation = config["mean"], config["deviation"]
        Number(float, low=-LARGEST, high=LARGEST).check("mean", mean, {})
        Number(float, low=1 / LARGEST, high=LARGEST).check("deviation", deviation, {})
        return cls(name, float(mean), float(deviation))


def _starts(there: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return where rows of one value, or of none, begin."""
    return np.concatenate([[0], np.cumsum(there)]).astype(np.int64)


def stored_part(config: Mapping[str, Any], arrays: Arrays) -> Any:
    """Return a part of a file, after checking it."""
    kinds = {part.kind: part for part in (TextPart, CategoryPart, NumberPart)}
    name = config["column"]
    if not isinstance(name, str) or config["holds"] not in kinds:
        raise DataError("a column needs a name, and holds a text, a category or a number")
    part: Any = kinds[config["holds"]].from_file(name, config, arrays)
    unknown = config.keys() - part.to_file()[0].keys() - {"column", "holds"}
    if unknown:
        raise DataError(f"{min(unknown)[:60]!r} is nothing that a column stores")
    return part
