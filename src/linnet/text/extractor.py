"""A fitted feature extractor: text in, features or scores out. NumPy and the core are all it needs.

:class:`~linnet.text.features.TextFeatures` fits one; a saved model is one with weights.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.stored import Array
from linnet.text.names import Names
from linnet.text.settings import Settings
from linnet.text.texts import as_list, as_texts
from linnet.threads import thread_count

__all__ = ["UNKNOWN", "Extractor", "Faceted", "Occurrence", "Rows", "empty_rows", "scores_of"]

#: The name of the column that counts tokens outside the vocabulary.
UNKNOWN = "<unk>"

_SEEDS = range(16)
_EMPTY = 2**32 - 1  # the column of a slot without a feature


class Rows(NamedTuple):
    """A matrix in CSR form: row i has the columns ``index[start[i]:start[i + 1]]``, ascending."""

    start: NDArray[np.int64]
    index: NDArray[np.int32]  # type: ignore[assignment]  # a tuple has a method of this name
    value: NDArray[np.float32]


class Occurrence(NamedTuple):
    """One occurrence of a feature: its column, its sign, and the bytes of the text it covers."""

    column: int
    sign: int
    begin: int
    end: int


def scores_of(
    rows: Rows, weights: NDArray[np.float32], intercept: NDArray[np.float64], threads: int
) -> NDArray[np.float64]:
    """Return the scores of rows, shape (rows, columns of weights).

    Only the weights of features that occur are looked at, so that one row costs little. The
    order of the sums is that of the columns, whatever the batch.
    """
    used, index = np.unique(rows.index, return_inverse=True)
    out = np.zeros((len(rows.start) - 1, weights.shape[1]))
    if len(used):
        matrix = _core.Matrix(rows.start, index.astype(np.int32), rows.value, len(used))
        _core.scores(matrix, weights[used].astype(np.float64), 0.0, out, threads)
    out += intercept
    if not np.isfinite(out).all():
        raise DataError("A score is too large for a number of 64 bits; rescale the features.")
    return out


def empty_rows(n: int, stored: int) -> Rows:
    """Return arrays for n rows."""
    return Rows(np.empty(n + 1, np.int64), np.empty(stored, np.int32), np.empty(stored, np.float32))


class Faceted(ABC):
    """Texts looked at in one way, or in several side by side, in one pass over them."""

    @abstractmethod
    def read(self, texts: Any) -> _core.Texts:
        """Return texts for the core; what has been read before is returned as it is."""

    @abstractmethod
    def _facets(self) -> _core.Facets:
        """Return the ways of looking at texts."""

    def counts(self, texts: Any, threads: int, *, ordered: bool = True) -> Rows:
        """Return how often each feature occurs in each text.

        Columns ascend in each row, unless `ordered` is False: then they come as they first occur.
        """
        return self._rows(texts, threads, ordered, weighed=False)

    def values(self, texts: Any, threads: int, *, ordered: bool = True) -> Rows:
        """Return what :meth:`weigh` makes of :meth:`counts`, in one go."""
        return self._rows(texts, threads, ordered, weighed=True)

    def _rows(self, texts: Any, threads: int, ordered: bool, *, weighed: bool) -> Rows:
        views = self.read(texts)
        counts = _core.read_rows(views, self._facets(), threads, ordered, weighed)
        rows = empty_rows(len(views), counts.stored)
        counts.matrix(*rows, threads)
        return rows

    def scores(
        self,
        texts: Any,
        weights: NDArray[np.float32],
        intercept: NDArray[np.float64],
        threads: int,
    ) -> NDArray[np.float64]:
        """Return the scores of texts, shape (texts, columns of weights), without a matrix."""
        views = self.read(texts)
        out = np.empty((len(views), weights.shape[1]))
        _core.score_texts(views, self._facets(), weights, intercept, out, threads)
        return out


@dataclass(frozen=True)
class Extractor(Faceted):
    """Settings, the vocabulary as a table of fingerprints, and the scale of each column."""

    settings: Settings
    seed: int = 0
    names: Names | None = None
    slots: NDArray[np.uint64] | None = None
    prints: NDArray[np.uint64] | None = None
    scale: NDArray[np.float32] | None = None
    tokenize: Callable[[str], Any] | None = None

    @classmethod
    def with_names(cls, settings: Settings, names: Names, tokenize: Any = None) -> Extractor:
        """Return the extractor of a vocabulary.

        Should two features have one fingerprint, another seed tells them apart; two features of
        one name cannot be told apart.
        """
        size = _core.table_capacity(len(names))
        slots, prints = np.empty(size, np.uint64), np.zeros(len(names), np.uint64)
        if settings.unknown:
            known = Names(names.data[: names.offset[-2]], names.offset[:-1])
        else:
            known = names
        threads = thread_count(None)
        for seed in _SEEDS:
            analysis = settings.analysis(seed)
            taken = _core.build_table(known.data, known.offset, analysis, slots, prints, threads)
            if taken < 0:
                return cls(settings, seed, names, slots, prints, None, tokenize)
        raise DataError(f"The feature {known[taken]!r} is twice in the vocabulary.")

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return self.settings.buckets or len(self.names or ())

    def scaled(self, scale: NDArray[Any] | None) -> Extractor:
        """Return the same with another scale of the columns (IDF, log-count ratio)."""
        if scale is None:
            return replace(self, scale=None)
        return replace(self, scale=np.ascontiguousarray(scale, dtype=np.float32))

    def weigh(self, rows: Rows, threads: int) -> Rows:
        """Turn counts into values, in place."""
        settings = self.settings
        if settings.count != "plain" or settings.norm != "none" or self.scale is not None:
            _core.weigh_rows(*rows, self._facets(), threads)
        return rows

    def trace(self, text: str) -> list[Occurrence]:
        """Return every occurrence of a feature in a text, in the order of their beginnings."""
        raw, origin = as_list([text])[0], None
        if self.settings.tokenizer in ("regex", "custom"):
            raw, origin = self._split_with_origin(text)
        traced = _core.trace_text(as_texts([raw]), self._analysis(), self._columns())
        if origin is not None:
            traced = [
                (column, origin[begin][0], origin[end - 1][1]) for column, begin, end in traced
            ]
        return [
            Occurrence(column if column >= 0 else ~column, 1 if column >= 0 else -1, begin, end)
            for column, begin, end in traced
        ]

    def read(self, texts: Any) -> _core.Texts:
        """Return texts for the core; tokens that Python must find are found here."""
        if isinstance(texts, _core.Texts):
            return texts
        if self.settings.tokenizer not in ("regex", "custom"):
            return as_texts(texts)
        return as_texts([self._split(text) for text in as_list(texts)])

    def _split(self, text: str) -> str:
        normal, _ = self.settings.normalised(text)
        return self.settings.joined(self._tokens(normal)[0])

    def _tokens(self, normal: str) -> tuple[list[str], list[tuple[int, int]]]:
        """Return the tokens of a normalised text and, where a pattern found them, their spans."""
        if self.tokenize is not None:
            tokens = self.tokenize(normal)
            if isinstance(tokens, str) or not isinstance(tokens, Iterable):
                raise DataError(f"The tokenizer must give a list of str, but gave {tokens!r}.")
            return [token for token in tokens if token != ""], []
        spans = self.settings.spans(normal)
        return [normal[begin:end] for begin, end in spans], spans

    def _split_with_origin(self, text: str) -> tuple[str, list[tuple[int, int]]]:
        """Return the split text and, for each of its bytes, the span of raw bytes behind it."""
        normal, origin = self.settings.normalised(text)
        tokens, spans = self._tokens(normal)
        joined = self.settings.joined(tokens)
        if self.tokenize is not None:
            at = 0
            for token in tokens:  # a function may change tokens: look for each where it can be
                place = normal.find(token, at)
                begin, at = (place, place + len(token)) if place >= 0 else (at, at)
                spans.append((begin, at))
        byte = [0, *accumulate(len(character.encode()) for character in normal)]
        behind: list[tuple[int, int]] = []
        for token, (begin, end) in zip(tokens, spans, strict=True):
            at = byte[end]  # a raw character that became several is covered as a whole
            while begin < end and at + 1 < len(origin) and origin[at] == origin[byte[end] - 1]:
                at += 1
            covered = (origin[byte[begin]], origin[at])
            behind += [covered] * (len(token.encode()) + 1)
        return joined, behind

    def taken(self, kept: NDArray[np.intp]) -> Extractor:
        """Return the same with some of the features only."""
        if self.names is None:
            raise ParameterError(
                "Only a model with named features can be pruned, not one of hash buckets or of "
                "vectors; leave max_features out."
            )
        fewer = Extractor.with_names(self.settings, self.names.take(kept), self.tokenize)
        return fewer.scaled(None if self.scale is None else self.scale[kept])

    def look(self, facets: _core.Facets) -> None:
        """Add to the ways of looking at texts; the columns are behind those before."""
        settings = self.settings
        facets.add(
            self._analysis(), self._columns(), settings.count, settings.norm, self.scale,
            self.n_features,
        )  # fmt: skip

    def _facets(self) -> _core.Facets:
        facets = _core.Facets()
        self.look(facets)
        return facets

    def _analysis(self) -> _core.Analysis:
        return self.settings.analysis(self.seed)

    def _columns(self) -> _core.Columns:
        if self.settings.buckets:
            by_print = self.settings.hash == "print"
            return _core.Columns(self.settings.buckets, self.settings.signs, by_print)
        assert self.slots is not None and self.prints is not None
        unknown = len(self.names or ()) - 1 if self.settings.unknown else -1
        return _core.Columns(self.slots, self.prints, unknown)

    def to_file(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return plain values and arrays for a model file."""
        config = {"settings": self.settings.to_config(), "seed": self.seed}
        arrays: dict[str, NDArray[Any]] = {}
        if self.names is not None and self.slots is not None and self.prints is not None:
            arrays = {
                "names": self.names.data,
                "names_offset": self.names.offset,
                "slots": self.slots,
                "prints": self.prints,
            }
        if self.scale is not None:
            arrays["scale"] = self.scale
        return config, arrays

    @classmethod
    def from_file(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Extractor:
        """Check what a model file holds and return the extractor."""
        settings = Settings.from_config(config["settings"])
        seed = int(config["seed"])
        if not 0 <= seed < 2**63:
            raise DataError(f"The seed of the fingerprints cannot be {seed}.")
        scale = _checked(arrays, "scale", np.float32) if "scale" in arrays else None
        if settings.buckets:
            extractor = cls(settings, seed, scale=scale)
        else:
            names = Names(
                _checked(arrays, "names", np.uint8), _checked(arrays, "names_offset", np.int64)
            )
            slots = _checked(arrays, "slots", np.uint64)
            prints = _checked(arrays, "prints", np.uint64)
            columns = slots.astype(np.uint32)  # the lower halves
            inside = (columns < len(prints)) | (columns == _EMPTY)
            size = _core.table_capacity(len(names))
            if len(prints) != len(names) or len(slots) != size or not inside.all():
                raise DataError("The table of the vocabulary is broken.")
            extractor = cls(settings, seed, names, slots, prints, scale)
        if scale is not None:
            Array("f4", "J").check("scale", scale, {"J": extractor.n_features})
        return extractor


def _checked(arrays: dict[str, NDArray[Any]], name: str, kind: Any) -> NDArray[Any]:
    array = arrays.get(name)
    if array is None or array.dtype != kind or array.ndim != 1:
        raise DataError(f"The array {name!r} is missing or of the wrong kind.")
    return array
