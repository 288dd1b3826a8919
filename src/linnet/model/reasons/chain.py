r"""What speaks for each label of one token, while the labels around it stay: by kind of tagger.

The score of a labelling, as far as it depends on label y of token t between the labels a and b:

    linear chain   Σ_j w_j(y) + transition(a, y) + transition(y, b)
    HMM            ln P(word | y) + ln P(y | a) + ln P(b | y)
    MEMM           Σ_j w_j(y) + transition(a, y) + ln P(b | next token, y)

The last term of a MEMM is where its label bias shows (SPEC M-120): it is 0 for every label with one
sure successor, whatever the next token is. With a model for each state, w and the transition are
those of the model of a.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from linnet.text.token_extractor import TokenExtractor, TokenRows

if TYPE_CHECKING:
    from linnet.model.model import Model

__all__ = ["END", "Reasons", "chain_reasons"]

Floats = NDArray[np.float64]
Named = list[tuple[str, Floats]]

#: In the place of a label before the first token and after the last one.
END = -1
_IMPOSSIBLE = -1e6  # ln 0, so that differences stay finite


class Reasons(Protocol):
    """The parts of the score of a token's label; each vector has shape (L,)."""

    def features(self, t: int, before: int) -> Named:
        """Return what each feature of the token adds, after the label `before`."""
        ...

    def left(self, before: int) -> Floats:
        """Return what the label before adds."""
        ...

    def right(self, t: int, after: int) -> Floats:
        """Return what the label of token t + 1 adds."""
        ...


def chain_reasons(model: Model, rows: Any) -> Reasons:
    """Return the reasons of a tagger for some sentences.

    Raises
    ------
    ParameterError
        If the score of a labelling is no such sum.
    """
    if not model.scorer.is_linear:
        from linnet.learn.hmm import HMM
        from linnet.learn.memm import MEMM

        learner = model.chain.learner
        if isinstance(learner, HMM):
            return _Emissions.of(learner, rows)
        if isinstance(learner, MEMM):
            return _Factors(learner, model.extractor, rows)
    return _Linear(model.scorer.linear("explanation"), model.extractor, rows)


@dataclass(frozen=True)
class _Linear:
    """A chain of linear scores."""

    chain: Any
    extractor: TokenExtractor
    rows: TokenRows

    def features(self, t: int, before: int) -> Named:
        columns, names = _columns(self.rows, t), self.extractor.names
        if self.rows.value is None:
            return [(names[j], self.chain.weights_of(j)) for j in columns]
        values = self.rows.value[self.rows.start[t] : self.rows.start[t + 1]].tolist()
        return [
            (names[j], v * self.chain.weights_of(j)) for j, v in zip(columns, values, strict=True)
        ]

    def left(self, before: int) -> Floats:
        return np.asarray(self.chain.start if before == END else self.chain.transition[before])

    def right(self, t: int, after: int) -> Floats:
        return np.asarray(self.chain.stop if after == END else self.chain.transition[:, after])


@dataclass(frozen=True)
class _Emissions:
    """A hidden Markov model: the word is the only feature."""

    learner: Any
    names: list[str]
    emission: Floats  # (tokens, L)

    @classmethod
    def of(cls, learner: Any, sentences: list[list[str]]) -> _Emissions:
        words = [word for sentence in sentences for word in sentence]
        by_ending = "suffixes_" in vars(learner)

        def name(word: str) -> str:
            if word in learner.vocabulary_:
                return f"w[0]={word}"
            return f"unknown w[0]={word}" + (", by its ending" if by_ending else "")

        parts = learner.decision_function(sentences)
        empty = np.empty((0, len(learner.classes_)))
        return cls(learner, [name(word) for word in words], np.concatenate([empty, *parts]))

    def features(self, t: int, before: int) -> Named:
        return [(self.names[t], _finite(self.emission[t]))]

    def left(self, before: int) -> Floats:
        learner = self.learner
        return _finite(learner.start_ if before == END else learner.transition_[before])

    def right(self, t: int, after: int) -> Floats:
        learner = self.learner
        return _finite(learner.stop_ if after == END else learner.transition_[:, after])


@dataclass(frozen=True)
class _Factors:
    """A maximum entropy Markov model."""

    learner: Any
    extractor: TokenExtractor
    rows: TokenRows

    def features(self, t: int, before: int) -> Named:
        return [(self.extractor.names[j], self._weights(j, before)) for j in _columns(self.rows, t)]

    def _weights(self, column: int, before: int) -> Floats:
        learner, place = self.learner, column
        weights = np.zeros(len(learner.classes_))
        if learner.states == "per_state":
            state = len(weights) if before == END else before
            key = state * self.rows.n_features + column
            place = int(np.searchsorted(learner.state_key_, key))
            if place == len(learner.state_key_) or learner.state_key_[place] != key:
                return weights
        pairs = slice(int(learner.pair_start_[place]), int(learner.pair_start_[place + 1]))
        weights[learner.pair_label_[pairs]] = learner.pair_weight_[pairs]
        return weights

    def left(self, before: int) -> Floats:
        learner = self.learner
        return np.asarray(learner.start_ if before == END else learner.transition_[before])

    def right(self, t: int, after: int) -> Floats:
        L = len(self.learner.classes_)
        if after == END:
            return np.zeros(L)
        from linnet.learn.chain.sentences import Ragged

        columns = np.asarray(_columns(self.rows, t + 1), np.int32)
        ends = np.array([0, len(columns)], np.int64)
        alone = Ragged(ends, columns, None, self.rows.n_features, np.array([0, 1], np.int64))
        [local] = self.learner.local_distributions(alone)
        with np.errstate(divide="ignore"):
            return _finite(np.log(local[0, :L, after]))


def _columns(rows: TokenRows, t: int) -> list[int]:
    columns: list[int] = rows.index[rows.start[t] : rows.start[t + 1]].tolist()
    return columns


def _finite(scores: Floats) -> Floats:
    return np.maximum(scores, _IMPOSSIBLE)
