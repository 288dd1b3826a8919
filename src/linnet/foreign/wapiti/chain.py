r"""A chain whose transitions depend on the token: the scores of label pairs at each place.

.. math:: \psi_t(p, y) = \sum_i u_{it}(y) + \sum_j b_{jt}(p, y)

A conditional random field takes them as they are; a Markov model of maximum entropy turns each row
into probabilities first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.learn.chain import Constraints, LinearChain
from linnet.learn.chain.reasons import END, Floats, Near, Parts, columns_of
from linnet.model.decision import Decision
from linnet.model.scorers.chain import ChainScorer
from linnet.stored import Array, Fields, check

__all__ = ["PairChain", "PairScorer"]

Arrays = dict[str, NDArray[Any]]
Ints = NDArray[np.int64]
Ranked = list[tuple[float, NDArray[np.int32]]]
_PAIRS: Fields = {
    "bigram_weight": Array("f8", "B"),
    "bigram_place": Array("i4", "B", 0, "places-1"),
    "bigram_start": Array("i8", "features+1", 0, "B", order="starts"),
}


@dataclass(frozen=True)
class PairChain:
    """Weights of labels, and of pairs of labels, for each feature.

    Attributes
    ----------
    states : LinearChain
        The weights of single labels; no transitions.
    bigram_start, bigram_place, bigram_weight : arrays
        Feature j has weights for the pairs ``bigram_place[bigram_start[j]:bigram_start[j + 1]]``,
        the pair (p, y) being p * L + y.
    local : bool
        Whether each row of scores becomes probabilities.
    """

    states: LinearChain
    bigram_start: Ints
    bigram_place: NDArray[np.int32]
    bigram_weight: Floats
    local: bool = False

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.states.n_features

    @property
    def learner(self) -> PairChain:
        """What gives reasons: this itself."""
        return self

    def pair_scores(self, rows: Any, t: int) -> Floats:
        """Return what the pairs of labels before and at a token get, shape (L, L)."""
        labels = self.states.n_labels
        scores = np.zeros(labels * labels)
        for j in columns_of(rows, t):
            weights = slice(int(self.bigram_start[j]), int(self.bigram_start[j + 1]))
            scores[self.bigram_place[weights]] += self.bigram_weight[weights]
        return scores.reshape(labels, labels)

    def _sentences(
        self, rows: Any, offset: Ints, constraints: Constraints | None, threads: int
    ) -> Any:
        """Yield for each sentence its first scores (L,) and those of all pairs (T - 1, L, L)."""
        table = self.states.over(rows, offset, threads).table()
        for first, last in pairwise(offset.tolist()):
            start = table[first : first + 1].sum(axis=0)
            labels = len(start)
            pairs = np.empty((max(0, last - first - 1), labels, labels))
            for t in range(first + 1, last):
                pairs[t - first - 1] = self.pair_scores(rows, t) + table[t]
            if self.local:
                start = start - _log_sum(start)
                pairs -= _log_sum(pairs)[..., None]
            if constraints is not None:
                start = np.where(constraints.start, start, -np.inf)
                pairs = np.where(constraints.transition, pairs, -np.inf)
                end = pairs[-1] if len(pairs) else start
                end[..., ~constraints.stop] = -np.inf
            yield first, last, start, pairs

    def _over(
        self, rows: Any, offset: Ints, constraints: Constraints | None, threads: int
    ) -> _core.PairScores:
        """Return the scores over the tokens of `rows`, for the core."""
        single = self.states.over(rows, offset, threads).table()
        allowed: Any = (None, None, None)
        if constraints is not None:
            allowed = map(np.ascontiguousarray, constraints)
        return _core.PairScores(
            self.local, self.bigram_start, self.bigram_place, self.bigram_weight, rows.start,
            rows.index, single, *allowed,
        )  # fmt: skip

    def decode(
        self, rows: Any, offset: Ints, constraints: Constraints | None, threads: int
    ) -> NDArray[np.int32]:
        """Return the number of each token's label in the best labelling of its sentence."""
        labels = np.empty(int(offset[-1]), np.int32)
        self._over(rows, offset, constraints, threads).decode(offset, labels, threads)
        return labels

    def marginals(
        self, rows: Any, offset: Ints, constraints: Constraints | None, threads: int
    ) -> Floats:
        """Return P(label at token | sentence), shape (tokens, L)."""
        table = np.empty((int(offset[-1]), self.states.n_labels))
        self._over(rows, offset, constraints, threads).marginals(offset, table, threads)
        return table

    def n_best(
        self, rows: Any, offset: Ints, k: int, constraints: Constraints | None, threads: int
    ) -> list[Ranked]:
        """Return for each sentence its k best labellings, best first, as (score, labels)."""
        ranked = []
        for first, last, start, pairs in self._sentences(rows, offset, constraints, threads):
            if first == last:
                ranked.append([(0.0, np.empty(0, np.int32))])
                continue
            paths: list[Ranked] = [
                [(float(s), np.array([y], np.int32))] for y, s in enumerate(start)
            ]
            for scores in pairs:
                paths = [
                    _best([(s + scores[p, y], np.append(path, np.int32(y)))
                           for p, ways in enumerate(paths) for s, path in ways], k)
                    for y in range(len(start))
                ]  # fmt: skip
            ranked.append(_best([way for ways in paths for way in ways], k))
        return ranked

    def _reasons(self, rows: Any, extractor: Any) -> _Reasons:
        return _Reasons(self, rows, extractor)


def _best(ways: Ranked, k: int) -> Ranked:
    legal = [way for way in ways if not np.isneginf(way[0])]
    return sorted(legal, key=lambda way: -way[0])[:k]


def _log_sum(scores: Floats) -> Floats:
    """Return ln of the sum of exponentials over the last axis."""
    top = scores.max(axis=-1, initial=-np.inf)
    safe = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        return np.asarray(safe + np.log(np.exp(scores - safe[..., None]).sum(axis=-1)))


@dataclass(frozen=True)
class _Reasons:
    """What speaks for each label of a token: its features, after the label before."""

    chain: PairChain
    rows: Any
    extractor: Any

    def features(self, t: int, before: int) -> Parts:
        chain, labels = self.chain, self.chain.states.n_labels
        parts = []
        for j in columns_of(self.rows, t):
            weights = chain.states.weights_of(j)
            if before != END:
                of_pairs = slice(int(chain.bigram_start[j]), int(chain.bigram_start[j + 1]))
                place, weight = chain.bigram_place[of_pairs], chain.bigram_weight[of_pairs]
                mine = place // labels == before
                weights[place[mine] % labels] += weight[mine]
            parts.append((self.extractor.names[j], weights))
        return parts

    def left(self, before: int) -> Floats:
        return np.zeros(self.chain.states.n_labels)

    def right(self, t: int, after: int) -> Floats:
        if after == END:
            return np.zeros(self.chain.states.n_labels)
        scores = self.chain.pair_scores(self.rows, t + 1)
        if self.chain.local:
            weights = sum(self.chain.states.weights_of(j) for j in columns_of(self.rows, t + 1))
            scores = scores + weights
            scores = scores - _log_sum(scores)[:, None]
        return np.asarray(scores[:, after])

    def triples(self, t: int, near: Near) -> list[Floats]:
        return []


@dataclass
class PairScorer(ChainScorer):
    """Scores of whole labellings whose transitions depend on the tokens."""

    name = "pair-chain"
    chain: Any  # a PairChain
    keys = (*ChainScorer.keys, "local")  # type: ignore[assignment]

    def top_features(self, n: int) -> list[list[tuple[int, float]]]:
        """Return for each label the n features of largest weight of its own, largest first."""
        return ChainScorer(self.chain.states).top_features(n)

    def to_file(self, dtype: str) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the scorer."""
        chain: PairChain = self.chain
        config, arrays = ChainScorer(chain.states, self.probabilistic).to_file(dtype)
        arrays |= {name: getattr(chain, name) for name in _PAIRS}
        return {**config, "local": chain.local}, arrays

    @classmethod
    def from_file(
        cls, config: Mapping[str, Any], arrays: Arrays, reader: Any, decision: Decision
    ) -> PairScorer:
        """Return the scorer of a file, after checking it."""
        inner = ChainScorer.from_file(config, arrays, reader, decision)
        labels = len(decision.classes)
        sizes = {"features": inner.chain.n_features, "places": labels * labels}
        check({name: arrays.get(name) for name in _PAIRS}, _PAIRS, sizes)
        if type(config["local"]) is not bool or not isinstance(inner.chain, LinearChain):
            raise DataError("a chain of pairs has other settings")
        bigrams = {name: arrays[name] for name in _PAIRS}
        chain = PairChain(inner.chain, **bigrams, local=config["local"])
        return cls(chain, inner.probabilistic)
