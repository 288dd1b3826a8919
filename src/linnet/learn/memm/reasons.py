"""Why a maximum entropy Markov model tags a token so.

The part of the label after it is ln P(b | next token, y), where label bias shows (SPEC M-120): it
is 0 for every label with one sure successor, whatever the next token is. With a model for each
state, weights and transitions are those of the model of the label before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.learn.chain.reasons import END, Floats, Near, Parts, columns_of, finite
from linnet.learn.chain.sentences import Ragged
from linnet.text.token_extractor import TokenExtractor, TokenRows

__all__ = ["Factors"]


@dataclass(frozen=True)
class Factors:
    """A maximum entropy Markov model."""

    learner: Any
    extractor: TokenExtractor
    rows: TokenRows

    def features(self, t: int, before: int) -> Parts:
        """Return what each feature of the token adds, after the label `before`."""
        return [
            (self.extractor.names[j], self._weights(j, before)) for j in columns_of(self.rows, t)
        ]

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
        """Return what the label before adds."""
        learner = self.learner
        return np.asarray(learner.start_ if before == END else learner.transition_[before])

    def right(self, t: int, after: int) -> Floats:
        """Return what the label of token t + 1 adds; with order=2 :meth:`triples` has it."""
        L = len(self.learner.classes_)
        if after == END or hasattr(self.learner, "triple_"):
            return np.zeros(L)
        return self._local(t + 1)[:L, after]

    def triples(self, t: int, near: Near) -> list[Floats]:
        """Return what the two labels before add, and ln P of the two labels after."""
        learner, L = self.learner, len(self.learner.classes_)
        if not hasattr(learner, "triple_"):
            return []
        two_before, before, _, after, two_after = near
        nothing = np.zeros(L)
        return [
            nothing if END in (two_before, before) else learner.triple_[two_before, before],
            nothing if after == END else self._local(t + 1)[before, :L, after],
            nothing if two_after == END else self._local(t + 2)[:L, after, two_after],
        ]  # END is -1: as an index the start symbol

    def _local(self, t: int) -> Floats:
        """Return ln P(label | token t, labels before)."""
        columns = np.asarray(columns_of(self.rows, t), np.int32)
        ends = np.array([0, len(columns)], np.int64)
        alone = Ragged(ends, columns, None, self.rows.n_features, np.array([0, 1], np.int64))
        [local] = self.learner.local_distributions(alone)
        with np.errstate(divide="ignore"):
            return finite(np.log(local[0]))
