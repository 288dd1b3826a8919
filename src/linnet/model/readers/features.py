"""From texts, bags of features and vectors to the weighted rows that a scorer takes.

A reader turns what users hold into ids. It knows its stored form, the names of its features, how
to describe itself and how to show an input to people. NumPy and the core are all that is imported
here, so a saved model starts fast.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.learn.shared.symbols import indicators, with_indicators
from linnet.stored import Number
from linnet.text.extractor import Extractor, Rows, scores_of
from linnet.text.settings import Settings
from linnet.threads import thread_count

__all__ = ["NOT_FINITE", "BagReader", "TextReader", "VectorReader"]

Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]
Spans = dict[int, tuple[tuple[int, int], ...]]
NOT_FINITE = "A feature value is NaN, infinite or too large for 32 bits; rescale it."
_COUNTS = {"plain": "counts", "binary": "presence", "logarithm": "1 + ln count"}


class FlatReader(ABC):
    """What the readers of single examples share: rows, and what follows from them."""

    kind: str
    n_features: int
    extractor: Any = None
    names = kinds = ()
    vectors = reading = None

    @abstractmethod
    def rows(self, X: Any, threads: int | None) -> Rows:
        """Return the examples as weighted rows."""

    @property
    def scale(self) -> NDArray[np.float32] | None:
        """The scale of each feature; None where all are 1."""
        return None if self.extractor is None else self.extractor.scale

    def scores(self, X: Any, weights: Any, intercept: Floats, threads: int | None) -> Floats:
        """Return the linear scores of examples, shape (n, columns of weights)."""
        return scores_of(self.rows(X, threads), weights, intercept, thread_count(threads))

    def inputs(self, X: Any, threads: int | None) -> Any:
        """Return the examples as a matrix, for a learner that takes one."""
        from scipy.sparse import csr_matrix

        rows = self.rows(X, threads)
        shape = (len(rows.start) - 1, self.n_features)
        return csr_matrix((rows.value, rows.index, rows.start), shape=shape)

    def one(self, example: Any) -> Any:
        """Return a batch of one example."""
        return [example]

    def terms(self, batch: Any) -> tuple[NDArray[np.int32], Floats, Spans]:
        """Return the columns of one example, their exact values, and where each comes from."""
        rows = self.rows(batch, 1)
        return rows.index, rows.value.astype(np.float64), {}

    @abstractmethod
    def feature_name(self, column: int) -> str:
        """Return the name of a column."""

    def name_in(self, batch: Any, column: int, places: tuple[tuple[int, int], ...]) -> str:
        """Return the name of a column among the reasons of one example, which has it there."""
        return self.feature_name(column)

    def shown(self, batch: Any, example: Any) -> str:
        """Return an example for people."""
        if isinstance(example, Mapping):
            return " ".join(f"{name}:{value:g}" for name, value in indicators(example).items())
        return str(example)

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        return []


@dataclass
class _NamedReader(FlatReader):
    """A reader with an extractor: names of features, how values are weighted."""

    extractor: Extractor

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """The number of features."""
        return self.extractor.n_features

    def feature_name(self, column: int) -> str:
        """Return the name of a column."""
        names = self.extractor.names
        return f"bucket {column}" if names is None else names[column]

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        settings = self.extractor.settings
        value = _COUNTS[settings.count]
        value += " × scale of the feature" if self.extractor.scale is not None else ""
        value += f", rows divided by their {settings.norm} norm" if settings.norm != "none" else ""
        return [("values", value)]

    def pruned(self, kept: NDArray[np.intp]) -> _NamedReader:
        """Return the reader of some of the features."""
        return type(self)(self.extractor.taken(kept))

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the reader."""
        return self.extractor.to_file()

    @classmethod
    def from_file(cls, config: Mapping[str, Any], arrays: Arrays) -> _NamedReader:
        """Return the reader of a file, after checking it."""
        settings = config["settings"]
        for name, default in Settings().to_config().items():
            wanted = list if isinstance(default, tuple) else type(default)
            if type(settings[name]) is not wanted:
                raise DataError(f"the setting {name} cannot be {settings[name]!r}")
        if type(config["seed"]) is not int:
            raise DataError(f"the seed cannot be {config['seed']!r}")
        return cls(Extractor.from_file(dict(config), arrays))


@dataclass
class TextReader(_NamedReader):
    """Texts: n-grams of tokens or characters."""

    kind = "text"

    def rows(self, X: Any, threads: int | None) -> Rows:
        """Return texts as weighted rows."""
        if isinstance(X, str):
            raise DataError("X must hold many texts, this is a single one; pass a list of texts.")
        threads = thread_count(threads)
        return self.extractor.weigh(self.extractor.counts(X, threads), threads)

    def scores(self, X: Any, weights: Any, intercept: Floats, threads: int | None) -> Floats:
        """Return the linear scores of texts, which are never made into rows."""
        if isinstance(X, Sequence) and len(X) and isinstance(X[0], Mapping):
            raise DataError("This model reads texts, but X is a list of dictionaries.")
        return self.extractor.scores(X, weights, intercept, thread_count(threads))

    def one(self, example: Any) -> Any:
        """Return a batch of one text."""
        if not isinstance(example, str):
            raise DataError(f"explain takes one text, got {type(example).__name__}.")
        return [example]

    def terms(self, batch: Any) -> tuple[NDArray[np.int32], Floats, Spans]:
        """Return the columns of one text, their values as exact as the scores are, and places.

        ``Extractor.weigh`` rounds values to 24 bits for a matrix; scores are summed without that.
        """
        counts = self.extractor.counts(batch, 1)
        settings, scale = self.extractor.settings, self.extractor.scale
        value = counts.value.astype(np.float64)
        if settings.count == "binary":
            value = np.ones_like(value)
        elif settings.count == "logarithm":
            there = value != 0
            value[there] = np.copysign(1.0 + np.log(np.abs(value[there])), value[there])
        if scale is not None:
            value = value * scale[counts.index]
        sums = {"none": 1.0, "l1": np.abs(value).sum(), "l2": np.sqrt((value**2).sum())}
        norm = sums[settings.norm]
        return counts.index, value / norm if norm else value, self._spans(batch[0])

    def _spans(self, text: str) -> Spans:
        """Return the character offsets of every feature's occurrences."""
        places: dict[int, list[tuple[int, int]]] = {}
        raw = text.encode()
        if len(raw) == len(text):
            at = list(range(len(raw) + 1))
        else:  # bytes to characters: a byte that continues a character belongs to it
            starts = np.frombuffer(raw, np.uint8) & 0xC0 != 0x80
            at = [*(np.cumsum(starts) - 1).tolist(), len(text)]
        for occurrence in self.extractor.trace(text):
            span = (at[occurrence.begin], at[occurrence.end])
            places.setdefault(occurrence.column, []).append(span)
        return {column: tuple(spans) for column, spans in places.items()}

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        settings = self.extractor.settings
        low, high = settings.ngrams
        unit = "characters" if settings.tokenizer.startswith("char") else "tokens"
        size = f"{low}" if low == high else f"{low} to {high}"
        chosen = [f"n-grams of {size} {unit} ({settings.pattern or settings.tokenizer})"]
        chosen += ["case folded"] if settings.lowercase else []
        chosen += [f"accents stripped ({settings.accents})"] if settings.accents != "keep" else []
        chosen += ["digits as 0"] if settings.digits else []
        chosen += ["HTML removed"] if settings.html else []
        chosen += [f"{len(settings.stop_words)} stop words"] if settings.stop_words else []
        chosen += [f"hashed into {settings.buckets:,} buckets"] if settings.buckets else []
        return [("features", ", ".join(chosen)), *super().card()]


@dataclass
class BagReader(_NamedReader):
    """Bags: dictionaries from features to values."""

    kind = "bag"

    @cached_property
    def _column_of(self) -> dict[str, int]:
        names = self.extractor.names
        return {} if names is None else {name: j for j, name in enumerate(names.tolist())}

    def rows(self, X: Any, threads: int | None) -> Rows:
        """Return bags as weighted rows; unknown features are dropped."""
        if isinstance(X, Mapping) or not isinstance(X, Iterable):
            raise DataError(f"Expected a list of feature dictionaries, got {type(X).__name__}.")
        columns = self._column_of
        start, index, value = [0], list[int](), list[float]()
        for row, bag in enumerate(with_indicators(list(X))):
            if not isinstance(bag, Mapping):
                kind = type(bag).__name__
                raise DataError(
                    f"This model reads dictionaries of features; row {row} is a {kind}."
                )
            known = sorted((columns[name], v) for name, v in bag.items() if name in columns)
            index += [column for column, _ in known]
            value += [v for _, v in known]
            start.append(len(index))
        try:
            with np.errstate(over="ignore"):
                values = np.asarray(value, np.float64).astype(np.float32)
        except (TypeError, ValueError, OverflowError) as error:
            raise DataError(f"Feature values must be numbers: {error}.") from None
        if values.ndim != 1 or not np.isfinite(values).all():
            raise DataError(
                "A feature value is NaN, infinite or too large for 32 bits; rescale it."
            )
        rows = Rows(np.asarray(start, np.int64), np.asarray(index, np.int32), values)
        return self.extractor.weigh(rows, 1)

    @classmethod
    def from_file(cls, config: Mapping[str, Any], arrays: Arrays) -> _NamedReader:
        """Return the reader of a file, after checking it."""
        reader = super().from_file(config, arrays)
        if reader.extractor.names is None:
            raise DataError("bags of features need the names of features")
        return reader


@dataclass
class VectorReader(FlatReader):
    """Vectors: rows of a matrix, taken as they are."""

    n_features: int
    kind = "vector"

    def rows(self, X: Any, threads: int | None) -> Rows:
        """Return the rows of a matrix as they are.

        A sparse matrix may be narrower or wider than the model's, as files are that do not mention
        the last features, or mention new ones: those count for nothing.
        """
        from linnet.learn.shared.inputs import checked_features

        csr = checked_features(X).csr
        if hasattr(X, "tocsr") and csr.shape[1] != self.n_features:
            csr = _as_wide(csr, self.n_features)
        if csr.shape[1] != self.n_features:
            raise DataError(f"X has {csr.shape[1]} features, the model has {self.n_features}.")
        return Rows(csr.indptr.astype(np.int64), csr.indices.astype(np.int32), csr.data)

    def one(self, example: Any) -> Any:
        """Return a batch of one vector."""
        if not hasattr(example, "shape"):
            return [example]
        if len(example.shape) == 2 and example.shape[0] != 1:
            raise DataError(f"explain takes one row, got a matrix of {example.shape[0]}.")
        return example.reshape(1, -1)

    def shown(self, batch: Any, example: Any) -> str:
        """Return the numbers that are not 0, with the names of their columns."""
        columns, values, _ = self.terms(batch)
        pairs = zip(columns.tolist(), values.tolist(), strict=True)
        return " ".join(f"{self.feature_name(j)}:{v:g}" for j, v in pairs if v)

    def feature_name(self, column: int) -> str:
        """Return the name of a column."""
        return f"x{column}"

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the reader."""
        return {"n_features": self.n_features}, {}

    @classmethod
    def from_file(cls, config: Mapping[str, Any], arrays: Arrays) -> VectorReader:
        """Return the reader of a file, after checking it."""
        Number(int, low=1, high=1 << 31).check("n_features", config["n_features"], {})
        return cls(config["n_features"])


def _as_wide(csr: Any, n_features: int) -> Any:
    if csr.shape[1] > n_features:
        return csr[:, :n_features]
    wide = csr.copy()
    wide.resize(csr.shape[0], n_features)
    return wide
