"""Tags from left to right, each after the two before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.foreign.perceptron.asked import AFTER, BEFORE, Asked, TagRows, normal
from linnet.foreign.perceptron.reader import WordReader
from linnet.learn.chain import Constraints, LinearChain
from linnet.learn.chain.reasons import Floats, Near, Parts
from linnet.model.decision import Decision
from linnet.model.scorers.chain import ChainScorer
from linnet.stored import Array, check

__all__ = ["GreedyChain", "GreedyScorer"]

Arrays = dict[str, NDArray[Any]]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class GreedyChain:
    """Weights, and tags from left to right; the next tag depends on the two before.

    Attributes
    ----------
    weights : LinearChain
        Of features; no transitions.
    sure : array of shape (words of the dictionary,)
        Their tags.
    tags : tuple of str
    reader : WordReader
    """

    weights: LinearChain
    sure: NDArray[np.int32]
    tags: tuple[str, ...]
    reader: WordReader

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.weights.n_features

    @property
    def learner(self) -> GreedyChain:
        """What gives reasons: this itself."""
        return self

    def decode(
        self, rows: list[list[str]], offset: Ints, constraints: Constraints | None, threads: int
    ) -> NDArray[np.int32]:
        """Return the number of each word's tag."""
        return self._run(rows, constraints, threads)[0]

    def n_best(
        self, rows: list[list[str]], offset: Ints, k: int, constraints: Constraints | None,
        threads: int,
    ) -> list[list[tuple[float, NDArray[np.int32]]]]:  # fmt: skip
        """Return for each sentence its one answer, and the sum of its scores."""
        tags, totals = self._run(rows, constraints, threads)
        ends = np.cumsum([len(words) for words in rows])
        cut = np.split(tags, ends[:-1]) if rows else []
        return [[answer] for answer in zip(totals.tolist(), cut, strict=True)]

    def _run(
        self, rows: list[list[str]], constraints: Constraints | None, threads: int
    ) -> tuple[NDArray[np.int32], Floats]:
        """Return the number of each word's tag, and the sum of the scores of each sentence."""
        if constraints is not None:
            raise ParameterError("This tagger goes from left to right; leave constraints out.")
        asked = Asked.of(rows, self.reader)
        sure = np.where(asked.place < 0, -1, np.append(self.sure, -1)[asked.place])
        word = np.column_stack([asked.spelled, sure]).astype(np.int32)
        tags, totals = np.empty(len(asked.words), np.int32), np.empty(len(rows))
        weights, of_tags = self.weights, self._of_tags
        _core.greedy_tags(
            weights.pair_start, weights.pair_label, weights.pair_weight, of_tags.bias,
            of_tags.last, of_tags.one_before, of_tags.both, word, asked.context,
            of_tags.with_words(asked.normal), asked.offset, asked.words, asked.contexts, tags,
            totals, threads,
        )  # fmt: skip
        return tags, totals

    @cached_property
    def _of_tags(self) -> TagRows:
        return TagRows.of(self.tags, self.reader)

    def __getstate__(self) -> dict[str, Any]:
        return {name: part for name, part in vars(self).items() if not name.startswith("_")}

    def features(self, t: int, word: str, context: list[str], chosen: list[int]) -> list[int]:
        """Return the features of a word that have weights, after the tags that are chosen."""
        last = self.tags[chosen[t - 1]] if t else BEFORE[0]
        one_before = self.tags[chosen[t - 2]] if t > 1 else BEFORE[1 - t]
        at = t + len(BEFORE)
        here, before, after = context[at], context[at - 1], context[at + 1]
        names = [
            "bias", f"i suffix {word[-3:]}", f"i pref1 {word[0]}", f"i-1 tag {last}",
            f"i-2 tag {one_before}", f"i tag+i-2 tag {last} {one_before}", f"i word {here}",
            f"i-1 tag+i word {last} {here}", f"i-1 word {before}", f"i-1 suffix {before[-3:]}",
            f"i-2 word {context[at - 2]}", f"i+1 word {after}", f"i+1 suffix {after[-3:]}",
            f"i+2 word {context[at + 2]}",
        ]  # fmt: skip
        return [row for row in self.reader.rows_of(names).tolist() if row >= 0]

    def _reasons(self, rows: list[list[str]], extractor: Any) -> _Reasons:
        return _Reasons(self, rows)


@dataclass(frozen=True)
class _Reasons:
    """What speaks for each tag of a word, after the tags it was given."""

    chain: GreedyChain
    rows: list[list[str]]

    @cached_property
    def _words(self) -> list[Parts]:
        parts: list[Parts] = []
        chain, tags = self.chain, len(self.chain.tags)
        for words, ((_, chosen),) in zip(
            self.rows, chain.n_best(self.rows, np.zeros(1, np.int64), 1, None, 1), strict=True
        ):
            context = [*BEFORE, *map(normal, words), *AFTER]
            places = chain.reader.places_of(words).tolist()
            for t, word in enumerate(words):
                if places[t] >= 0:
                    sure = np.zeros(tags)
                    sure[chosen[t]] = 1.0
                    parts.append([(f"dictionary {word}", sure)])
                    continue
                rows = chain.features(t, word, context, chosen.tolist())
                names = [chain.reader.names[row] for row in rows]
                weights = [chain.weights.weights_of(row) for row in rows]
                parts.append(list(zip(names, weights, strict=True)))
        return parts

    def features(self, t: int, before: int) -> Parts:
        return self._words[t]

    def left(self, before: int) -> Floats:
        return np.zeros(len(self.chain.tags))

    def right(self, t: int, after: int) -> Floats:
        return np.zeros(len(self.chain.tags))

    def triples(self, t: int, near: Near) -> list[Floats]:
        return []


@dataclass
class GreedyScorer(ChainScorer):
    """Tags from left to right."""

    chain: Any
    name = "greedy"
    rule = "from left to right the tag of largest score, or that of the dictionary"

    def top_features(self, n: int) -> list[list[tuple[int, float]]]:
        """Return for each tag the n features of largest weight, largest first."""
        return ChainScorer(self.chain.weights).top_features(n)

    def to_file(self, dtype: str) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the scorer."""
        config, arrays = ChainScorer(self.chain.weights, probabilistic=False).to_file(dtype)
        return config, {**arrays, "sure": self.chain.sure}

    @classmethod
    def from_file(
        cls, config: Mapping[str, Any], arrays: Arrays, reader: Any, decision: Decision
    ) -> GreedyScorer:
        """Return the scorer of a file, after checking it."""
        inner = ChainScorer.from_file(config, arrays, reader, decision)
        tags = decision.classes.tolist()
        if not isinstance(reader, WordReader) or not isinstance(inner.chain, LinearChain):
            raise DataError("a tagger from left to right needs words and weights")
        if inner.probabilistic or tags != sorted(tags):
            raise DataError("its scores are no probabilities, and its tags are in order")
        sizes = {"W": len(reader.known), "L": len(tags)}
        check({"sure": arrays.get("sure")}, {"sure": Array("i4", "W", 0, "L-1")}, sizes)
        chain = GreedyChain(inner.chain, arrays["sure"], tuple(tags), reader)
        return cls(chain, probabilistic=False)
