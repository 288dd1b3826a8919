"""Tags from left to right, each after the two before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.foreign.perceptron.reader import WordReader
from linnet.learn.chain import Constraints, LinearChain
from linnet.learn.chain.reasons import Floats, Near, Parts
from linnet.model.chain_scorer import ChainScorer
from linnet.model.decision import Decision
from linnet.stored import Array, check

__all__ = ["GreedyChain", "GreedyScorer"]

Arrays = dict[str, NDArray[Any]]
Ints = NDArray[np.int64]
_BEFORE, _AFTER = ("-START-", "-START2-"), ("-END-", "-END2-")
TABLE = 1 << 24  # weights, 128 MB, that are laid out in full


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
        return np.array([k for best in self.n_best(rows, offset, 1, constraints, threads)
                         for k in best[0][1].tolist()], np.int32)  # fmt: skip

    def n_best(
        self, rows: list[list[str]], offset: Ints, k: int, constraints: Constraints | None,
        threads: int,
    ) -> list[list[tuple[float, NDArray[np.int32]]]]:  # fmt: skip
        """Return for each sentence its one answer, and the sum of its scores."""
        if constraints is not None:
            raise ParameterError("This tagger goes from left to right; leave constraints out.")
        answers = []
        for words in rows:
            chosen, total = list[int](), 0.0
            context = [*_BEFORE, *map(_normal, words), *_AFTER]
            for t, word in enumerate(words):
                place = self.reader.place_of.get(word)
                if place is not None:
                    chosen.append(int(self.sure[place]))
                    continue
                scores = self.scores(self.features(t, word, context, chosen))
                best = len(scores) - 1 - int(scores[::-1].argmax())  # of equal ones the last
                chosen.append(best)
                total += float(scores[best])
            answers.append([(total, np.array(chosen, np.int32))])
        return answers

    @cached_property
    def _table(self) -> Floats | None:
        """All weights of all features, if they are not too many; shape (features, tags)."""
        if self.n_features * len(self.tags) > TABLE:
            return None
        table = np.zeros((self.n_features, len(self.tags)))
        row = np.repeat(np.arange(self.n_features), np.diff(self.weights.pair_start))
        table[row, self.weights.pair_label] = self.weights.pair_weight
        return table

    def scores(self, features: list[int]) -> Floats:
        """Return the scores of all tags: weights, added in the order of the features."""
        if self._table is not None:
            return np.asarray(self._table[features].sum(axis=0))
        total = np.zeros(len(self.tags))
        for row in features:
            total += self.weights.weights_of(row)
        return total

    def features(self, t: int, word: str, context: list[str], chosen: list[int]) -> list[int]:
        """Return the features of a word that have weights, after the tags that are chosen."""
        last = self.tags[chosen[t - 1]] if t else _BEFORE[0]
        one_before = self.tags[chosen[t - 2]] if t > 1 else _BEFORE[1 - t]
        at = t + len(_BEFORE)
        here, before, after = context[at], context[at - 1], context[at + 1]
        names = (
            "bias", f"i suffix {word[-3:]}", f"i pref1 {word[0]}", f"i-1 tag {last}",
            f"i-2 tag {one_before}", f"i tag+i-2 tag {last} {one_before}", f"i word {here}",
            f"i-1 tag+i word {last} {here}", f"i-1 word {before}", f"i-1 suffix {before[-3:]}",
            f"i-2 word {context[at - 2]}", f"i+1 word {after}", f"i+1 suffix {after[-3:]}",
            f"i+2 word {context[at + 2]}",
        )  # fmt: skip
        row_of = self.reader.row_of
        return [row_of[name] for name in names if name in row_of]

    def _reasons(self, rows: list[list[str]], extractor: Any) -> _Reasons:
        return _Reasons(self, rows)


def _normal(word: str) -> str:
    """Return a word as its neighbours see it.

    Examples
    --------
    >>> [_normal(word) for word in ("Rome", "well-known", "-", "1991", "12th")]
    ['rome', '!HYPHEN', '-', '!YEAR', '!DIGITS']
    """
    if "-" in word and word[0] != "-":
        return "!HYPHEN"
    if word.isdigit() and len(word) == 4:
        return "!YEAR"
    return "!DIGITS" if word[0].isdigit() else word.lower()


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
            context = [*_BEFORE, *map(_normal, words), *_AFTER]
            for t, word in enumerate(words):
                if word in chain.reader.place_of:
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
