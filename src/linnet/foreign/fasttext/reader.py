"""From texts to the rows of a fastText model, as its dictionary and its hashes number them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.model.readers.features import FlatReader, Spans
from linnet.stored import Array, Number
from linnet.text.extractor import Rows
from linnet.text.names import Names
from linnet.text.stored import checked_array
from linnet.text.texts import as_texts
from linnet.threads import thread_count

__all__ = ["LABEL", "FastTextReader"]

Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]
#: What fastText puts before a label.
LABEL = "__label__"
_NAMED = 3  # n-grams of a text, by which a bucket is named
_SETTINGS = ("words", "word_ngrams", "minn", "maxn", "bucket")


@dataclass
class FastTextReader(FlatReader):
    """Texts as bags of words, of their character n-grams and of word n-grams.

    A text is cut at white space; a line feed is white space too, while fastText takes one line at
    a time. Each row counts as often as it occurs, divided by the number of all rows of the text.

    Attributes
    ----------
    entries : Names
        The dictionary: words, then labels, which count for nothing in a text.
    words : int
        How many of these are words.
    word_ngrams, minn, maxn, bucket : int
    kept : array of int32, or None
        The bucket behind each row after those of the words; None if all have rows, in order.
    """

    entries: Names
    words: int
    word_ngrams: int
    minn: int
    maxn: int
    bucket: int
    kept: NDArray[np.int32] | None = None
    kind = "text"

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """The number of rows."""
        return self.words + (self.bucket if self.kept is None else len(self.kept))

    @cached_property
    def finder(self) -> _core.FastTextRows:
        """The dictionary as the core reads it."""
        return _core.FastTextRows(
            self.entries.data, self.entries.offset, self.words, self.minn, self.maxn,
            self.word_ngrams, self.bucket, self.kept,
        )  # fmt: skip

    def check(self) -> None:
        """Refuse a dictionary that has an entry twice."""
        try:
            self.finder  # noqa: B018
        except ValueError as error:
            raise DataError(str(error)) from None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "finder"}

    def raw_labels(self) -> list[bytes]:
        """Return the labels as the dictionary has them."""
        data, offset = self.entries.data, self.entries.offset.tolist()
        entries = range(self.words, len(self.entries))
        return [data[offset[i] : offset[i + 1]].tobytes() for i in entries]

    def texts(self, X: Any) -> _core.Texts:
        """Return texts for the core."""
        if isinstance(X, Sequence) and len(X) and isinstance(X[0], Mapping):
            raise DataError("This model reads texts, but X is a list of dictionaries.")
        return X if isinstance(X, _core.Texts) else as_texts(X)

    def scores(self, X: Any, weights: Any, intercept: Floats, threads: int | None) -> Floats:
        """Return the means of the weights of the texts' rows, shape (n, columns of weights)."""
        return self.known_scores(X, weights, threads)[0]

    def known_scores(
        self, X: Any, weights: Any, threads: int | None
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the means of weights, and whether a text has any row at all."""
        texts = self.texts(X)
        out, known = np.empty((len(texts), weights.shape[1])), np.empty(len(texts), np.uint8)
        _core.fasttext_scores(self.finder, texts, weights, out, known, thread_count(threads))
        return out, known.astype(bool)

    def rows(self, X: Any, threads: int | None) -> Rows:
        """Return texts as rows of shares, which sum to 1."""
        texts = self.texts(X)
        start, index, value = [0], [np.empty(0, np.int32)], [np.empty(0, np.float32)]
        for row in range(len(texts)):
            found = [number for number, _, _ in self.finder.trace(texts, row)]
            columns, counts = np.unique(np.array(found, np.int32), return_counts=True)
            index.append(columns)
            value.append((counts / max(1, len(found))).astype(np.float32))
            start.append(start[-1] + len(columns))
        return Rows(np.array(start, np.int64), np.concatenate(index), np.concatenate(value))

    def one(self, example: Any) -> Any:
        """Return a batch of one text."""
        if not isinstance(example, str):
            raise DataError(f"explain takes one text, got {type(example).__name__}.")
        return [example]

    def terms(self, batch: Any) -> tuple[NDArray[np.int32], Floats, Spans]:
        """Return the rows of one text, their shares, and where each comes from."""
        traced = self.finder.trace(self.texts(batch), 0)
        at = np.cumsum([0] + [(byte & 0xC0) != 0x80 for byte in batch[0].encode()]).tolist()
        places: dict[int, list[tuple[int, int]]] = {}
        for row, begin, end in traced:
            places.setdefault(row, []).append((at[begin], at[end]))
        index = np.array(sorted(places), np.int32)
        value = np.array([len(places[row]) for row in index.tolist()]) / max(1, len(traced))
        spans = {row: tuple(s for s in found if s[0] < s[1]) for row, found in places.items()}
        return index, value, spans

    def feature_name(self, column: int) -> str:
        """Return the word of a row, or which n-grams share it."""
        if column < self.words:
            return self.entries[column]
        bucket = column - self.words if self.kept is None else int(self.kept[column - self.words])
        return f"n-grams of bucket {bucket}"

    def name_in(self, batch: Any, column: int, places: tuple[tuple[int, int], ...]) -> str:
        """Return the word of a row, or which n-grams of the text share it."""
        name = self.feature_name(column)
        if column < self.words or not places:
            return name
        found = list(dict.fromkeys(batch[0][begin:end] for begin, end in places))
        return f"{name}: {', '.join(found[:_NAMED])}{', …' * (len(found) > _NAMED)}"

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        parts = [f"{self.words:,} words"]
        if self.maxn > 0:
            parts.append(f"their n-grams of {self.minn} to {self.maxn} characters")
        if self.word_ngrams > 1:
            parts.append(f"n-grams of up to {self.word_ngrams} words")
        if self.n_features > self.words:
            parts.append(f"hashed into {self.n_features - self.words:,} rows")
        return [("features", ", ".join(parts)), ("values", "shares of all rows of a text")]

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the reader."""
        config = {"reader": "fasttext", **{name: getattr(self, name) for name in _SETTINGS}}
        arrays: Arrays = {"names": self.entries.data, "names_offset": self.entries.offset}
        if self.kept is not None:
            arrays["kept"] = self.kept
        return config, arrays

    @classmethod
    def from_file(cls, config: Mapping[str, Any], arrays: Arrays) -> FastTextReader:
        """Return the reader of a file, after checking it."""
        for name in _SETTINGS:
            Number(int, low=0, high=(1 << 31) - 1).check(name, config[name], {})
        names = Names(
            checked_array(arrays, "names", np.uint8),
            checked_array(arrays, "names_offset", np.int64),
        )
        kept = arrays.get("kept")
        if kept is not None:
            Array("i4", "J", 0, max(0, config["bucket"] - 1)).check("kept", kept, {})
            if not np.diff(np.sort(kept)).all():
                raise DataError("a bucket is kept twice")
        reader = cls(names, **{name: config[name] for name in _SETTINGS}, kept=kept)
        reader.check()
        return reader
