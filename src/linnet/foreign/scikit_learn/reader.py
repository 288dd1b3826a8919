"""Texts as scikit-learn's vectorisers read them: counted by the core, weighed in 64 bits.

The n-grams of :class:`linnet.text.TextFeatures` are those of scikit-learn's vectorisers, feature
for feature, and so are the buckets of hashed ones. Values need 64 bits here, because probabilities
are to be the other program's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.foreign.scikit_learn.weighing import Values, Weighing, row_sums
from linnet.model.readers.features import FlatReader, Spans, TextReader
from linnet.model.scorers.flat import under
from linnet.stored import Number
from linnet.text.extractor import Extractor, Rows
from linnet.threads import thread_count

__all__ = ["Part", "VectoriserReader"]

Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]
_BLOCK = 1 << 22  # products of values and weights that are held at once
_PARTS = 100


@dataclass(frozen=True)
class Part:
    """One vectoriser: what it counts, how counts are weighed, and the factor of all its values."""

    extractor: Extractor
    steps: tuple[Weighing, ...] = ()
    factor: float = 1.0

    def values(self, X: Any, threads: int) -> Values:
        """Return the values of texts."""
        start, column, count = self.extractor.counts(X, threads)
        values = Values(start, column, count.astype(np.float64))
        for step in self.steps:
            values = step.of(values)
        return values if self.factor == 1.0 else values._replace(value=values.value * self.factor)


@dataclass
class VectoriserReader(FlatReader):
    """Texts, read by one vectoriser or by several side by side.

    Attributes
    ----------
    parts : tuple of Part
        Each has its columns behind those of the one before.
    steps : tuple of Weighing
        What happens to all columns together.
    """

    parts: tuple[Part, ...]
    steps: tuple[Weighing, ...] = ()
    kind = "text"

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """The number of columns."""
        return sum(part.extractor.n_features for part in self.parts)

    def values(self, X: Any, threads: int | None) -> Values:
        """Return the values of texts."""
        if isinstance(X, str):
            raise DataError("X must hold many texts, this is a single one; pass a list of texts.")
        if isinstance(X, Sequence) and len(X) and isinstance(X[0], Mapping):
            raise DataError("This model reads texts, but X is a list of dictionaries.")
        several = [part.values(X, thread_count(threads)) for part in self.parts]
        values = several[0] if len(several) == 1 else self._beside(several)
        for step in self.steps:
            values = step.of(values)
        return values

    def _beside(self, several: list[Values]) -> Values:
        """Return rows side by side, each part behind the one before."""
        sizes = np.stack([np.diff(values.start) for values in several], axis=1)
        start = np.concatenate([[0], np.cumsum(sizes.sum(axis=1))])
        column = np.empty(start[-1], np.int32)
        value = np.empty(start[-1])
        begins = start[:-1, None] + np.cumsum(sizes, axis=1) - sizes
        offset = 0
        for number, (part, values) in enumerate(zip(self.parts, several, strict=True)):
            shift = np.repeat(begins[:, number] - values.start[:-1], sizes[:, number])
            at = np.arange(len(values.column)) + shift
            column[at], value[at] = values.column + offset, values.value
            offset += part.extractor.n_features
        return Values(start, column, value)

    def rows(self, X: Any, threads: int | None) -> Rows:
        """Return texts as rows of 32 bits."""
        start, column, value = self.values(X, threads)
        return Rows(start, column, value.astype(np.float32))

    def scores(self, X: Any, weights: Any, intercept: Floats, threads: int | None) -> Floats:
        """Return the linear scores of texts, shape (n, columns of weights)."""
        start, column, value = self.values(X, threads)
        out = np.empty((len(start) - 1, weights.shape[1]))
        room = max(1, _BLOCK // weights.shape[1])
        first = 0
        while first < len(out):  # as many rows as there is room for, and at least one
            last = int(np.searchsorted(start, start[first] + room, side="right")) - 1
            last = min(max(last, first + 1), len(out))
            inside = slice(int(start[first]), int(start[last]))
            terms = weights[column[inside]] * value[inside, None]
            out[first:last] = row_sums(start[first : last + 1] - start[first], terms)
            first = last
        out += intercept
        if not np.isfinite(out).all():
            raise DataError("A score is too large for a number of 64 bits.")
        return out

    def one(self, example: Any) -> Any:
        """Return a batch of one text."""
        if not isinstance(example, str):
            raise DataError(f"explain takes one text, got {type(example).__name__}.")
        return [example]

    def terms(self, batch: Any) -> tuple[NDArray[np.int32], Floats, Spans]:
        """Return the columns of one text, their values, and where each comes from."""
        _, column, value = self.values(batch, 1)
        spans: Spans = {}
        offset = 0
        for part in self.parts:
            found = TextReader(part.extractor)._spans(batch[0])
            spans |= {offset + j: places for j, places in found.items()}
            offset += part.extractor.n_features
        return column, value, spans

    def feature_name(self, column: int) -> str:
        """Return the n-gram of a column, or which bucket it is."""
        for part in self.parts:
            if column < part.extractor.n_features:
                return TextReader(part.extractor).feature_name(column)
            column -= part.extractor.n_features
        raise ParameterError(f"there is no column {column}")

    def pruned(self, kept: NDArray[np.intp]) -> Any:
        """Refuse: the columns that would be left out are part of the norms of rows."""
        raise ParameterError("A model of scikit-learn cannot be pruned; leave max_features out.")

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        lines = [TextReader(part.extractor).card()[0] for part in self.parts]
        steps = [step for part in self.parts for step in part.steps] + list(self.steps)
        return [*lines, ("values", ", then ".join(map(_described, steps)) or "counts")]

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the reader."""
        parts, arrays = [], dict[str, NDArray[Any]]()
        for number, part in enumerate(self.parts):
            config, more = part.extractor.to_file()
            steps, weights = _stored(part.steps)
            parts.append({**config, "steps": steps, "factor": part.factor})
            named = more | weights
            arrays |= {f"part{number}.{name}": array for name, array in named.items()}
        steps, weights = _stored(self.steps)
        return {"reader": "vectorisers", "parts": parts, "steps": steps}, arrays | weights

    @classmethod
    def from_file(cls, config: Mapping[str, Any], arrays: Arrays) -> VectoriserReader:
        """Return the reader of a file, after checking it."""
        if not isinstance(config["parts"], list) or not 1 <= len(config["parts"]) <= _PARTS:
            raise DataError("the vectorisers are no list, or there is none")
        parts = []
        for number, stored in enumerate(config["parts"]):
            inner = under(arrays, f"part{number}.")
            reader = TextReader.from_file(stored, inner)
            Number(float).check("factor", stored["factor"], {})
            steps = _steps(stored["steps"], inner, reader.n_features)
            parts.append(Part(reader.extractor, steps, float(stored["factor"])))
        columns = sum(part.extractor.n_features for part in parts)
        if columns >= 1 << 31:
            raise DataError("the vectorisers have too many columns")
        return cls(tuple(parts), _steps(config["steps"], arrays, columns))


def _stored(steps: tuple[Weighing, ...]) -> tuple[list[dict[str, Any]], Arrays]:
    stored = [step.to_file() for step in steps]
    arrays = {
        f"step{number}.{name}": array
        for number, (_, more) in enumerate(stored)
        for name, array in more.items()
    }
    return [config for config, _ in stored], arrays


def _steps(listed: Any, arrays: Arrays, columns: int) -> tuple[Weighing, ...]:
    if not isinstance(listed, list) or len(listed) > _PARTS:
        raise DataError("the steps of weighing are no list")
    return tuple(
        Weighing.from_file(config, under(arrays, f"step{number}."), columns)
        for number, config in enumerate(listed)
    )


def _described(step: Weighing) -> str:
    """Return a step for people.

    Examples
    --------
    >>> _described(Weighing(sublinear=True, norm="l2", idf=np.ones(3)))
    '1 + ln count × idf, rows divided by their l2 norm'
    """
    words = "presence" if step.binary else "1 + ln count" if step.sublinear else "counts"
    words += " × idf" if step.idf is not None else ""
    words += f", rows divided by their {step.norm} norm" if step.norm != "none" else ""
    return words + (f", whether above {step.above:g}" if step.above is not None else "")
