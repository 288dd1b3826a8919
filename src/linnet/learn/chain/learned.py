"""What a sequence learner has learned, ready to tag rows of features or words.

A sentence that no allowed labelling fits is answered as if everything were allowed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.chain.scores import (
    Chain,
    Constraints,
    Edges,
    Floats,
    Ints,
    Ranked,
    Weighted,
    edges_of,
)
from linnet.learn.chain.sentences import Ragged
from linnet.learn.shared.declaration import declaration_of
from linnet.text.token_extractor import TokenRows

__all__ = ["LearnerChain", "LinearChain", "named_labels", "reads_words"]


class LearnedChain(ABC):
    """Labels as numbers; subclasses lay a chain over rows."""

    @abstractmethod
    def over(self, rows: Any, offset: Ints, threads: int) -> Any:
        """Return the chain over the tokens of `rows`; `offset` says where sentences begin."""

    def decode(
        self, rows: Any, offset: Ints, constraints: Constraints | None, threads: int
    ) -> NDArray[np.int32]:
        """Return the number of each token's label in the best labelling of its sentence."""
        chain = self.over(rows, offset, threads)
        labels, scores = chain.decode(constraints)
        if (scores == -np.inf).any():
            impossible = np.repeat(np.isneginf(scores), np.diff(offset))
            labels[impossible] = chain.decode()[0][impossible]
        return np.asarray(labels)

    def marginals(
        self, rows: Any, offset: Ints, constraints: Constraints | None, threads: int
    ) -> Floats:
        """Return P(label at token | sentence), shape (tokens, L)."""
        chain = self.over(rows, offset, threads)
        table, log_z = chain.marginals(constraints)
        impossible = np.repeat(~np.isfinite(log_z), np.diff(offset))
        if impossible.any() and constraints is not None:
            table[impossible] = chain.marginals()[0][impossible]
        return np.asarray(table)

    def n_best(
        self, rows: Any, offset: Ints, k: int, constraints: Constraints | None, threads: int
    ) -> list[Ranked]:
        """Return for each sentence its k best labellings, best first, as (score, labels)."""
        chain = self.over(rows, offset, threads)
        ranked: list[Ranked] = chain.n_best(k, constraints)
        if all(ranked):
            return ranked
        return [best or rest for best, rest in zip(ranked, chain.n_best(k), strict=True)]


@dataclass(frozen=True)
class LinearChain(LearnedChain):
    """Weights of (feature, label) pairs, of label pairs, of starts and of stops.

    Feature j has for the labels ``pair_label[pair_start[j]:pair_start[j + 1]]`` the weights at the
    same places, and 0 for the others.
    """

    pair_start: Ints
    pair_label: NDArray[np.int32]
    pair_weight: Floats
    transition: Floats
    start: Floats
    stop: Floats
    triple: Floats | None = None  # [L, L, L] in a chain of second order, besides the transitions

    @classmethod
    def of(cls, learner: Any) -> LinearChain:
        """Return the weights of a fitted learner, rounded to float32, in which they are stored."""
        start, label, weight = learner.pair_start_, learner.pair_label_, learner.pair_weight_
        if 2 * np.count_nonzero(weight) < len(weight):  # an l1 penalty leaves little
            kept = weight != 0
            before = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
            start, label, weight = before[start], label[kept], weight[kept]
        parts = [weight, learner.transition_, learner.start_, learner.stop_]
        if hasattr(learner, "triple_"):
            parts.append(learner.triple_)
        return cls(
            np.ascontiguousarray(start, np.int64),
            np.ascontiguousarray(label, np.int32),
            *(np.ascontiguousarray(part.astype(np.float32), np.float64) for part in parts),
        )

    @property
    def n_labels(self) -> int:
        """The number of labels."""
        return len(self.start)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.pair_start) - 1

    @cached_property
    def _pairs(self) -> _core.Pairs:
        """The pairs as the core reads them; checked once, and not part of the stored state."""
        return _core.Pairs(self.pair_start, self.pair_label, self.n_labels)

    def __getstate__(self) -> dict[str, Any]:
        return {name: part for name, part in vars(self).items() if not name.startswith("_")}

    @cached_property
    def _edges(self) -> Edges:
        return edges_of(self.transition, self.start, self.stop, self.triple)

    def over(self, rows: TokenRows, offset: Ints, threads: int) -> Chain:
        """Return the chain over the tokens of `rows`; `offset` says where sentences begin."""
        matrix = _core.Matrix(rows.start, rows.index, rows.value, rows.n_features)
        states = Weighted(_core.Chain(matrix, offset, self._pairs), self.pair_weight)
        return Chain(offset, states, self._edges, threads)

    def weighty(self) -> Ints:
        """Return the features that have a weight other than 0, ascending."""
        before = np.concatenate([[0], np.cumsum(self.pair_weight != 0)])
        return np.flatnonzero(np.diff(before[self.pair_start]))

    def take(self, features: Ints) -> LinearChain:
        """Return the chain of some features, ascending, numbered anew."""
        counts = np.diff(self.pair_start)
        kept = np.zeros(len(counts), bool)
        kept[features] = True
        pairs = np.repeat(kept, counts)
        start = np.concatenate([[0], np.cumsum(counts[features])]).astype(np.int64)
        return replace(
            self, pair_start=start, pair_label=self.pair_label[pairs],
            pair_weight=self.pair_weight[pairs],
        )  # fmt: skip

    def weights_of(self, feature: int) -> Floats:
        """Return the weights of a feature, shape (L,)."""
        pairs = slice(int(self.pair_start[feature]), int(self.pair_start[feature + 1]))
        weights = np.zeros(self.n_labels)
        weights[self.pair_label[pairs]] = self.pair_weight[pairs]
        return weights


@dataclass(frozen=True)
class LearnerChain(LearnedChain):
    """A learner that is no linear chain (HMM, MEMM, LocalTagger) in the place of one.

    `rows` are its features, or lists of words if it reads words.
    """

    learner: Any
    classes: tuple[str, ...]
    n_features: int

    def over(self, rows: Any, offset: Ints, threads: int) -> Any:
        """Return the learner's chain over the tokens of `rows`."""
        learner = copy(self.learner)
        if hasattr(learner, "n_threads"):
            learner.n_threads = threads
        if isinstance(rows, list):
            return learner.chain(rows)
        return learner.chain(Ragged(rows.start, rows.index, None, rows.n_features, offset))


def reads_words(learner: Any) -> bool:
    """Say whether a learner takes words, not features of them, as a hidden Markov model does."""
    return declaration_of(learner).reads == "words"


def named_labels(labels: NDArray[np.int32], sentence: Ints, names: list[Any]) -> list[list[Any]]:
    """Return the labels of each sentence by their names, one object a label.

    Examples
    --------
    >>> named_labels(np.array([0, 1, 1], np.int32), np.array([0, 2, 3]), ["D", "N"])
    [['D', 'N'], ['N']]
    """
    return _core.named_labels(labels, sentence, names)
