"""Why a hidden Markov model tags a token so: its word, and the tags around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.learn.chain.reasons import END, Floats, Near, Parts, finite, triple_parts

__all__ = ["Emissions"]


@dataclass(frozen=True)
class Emissions:
    """A hidden Markov model: the word is the only feature."""

    learner: Any
    names: list[str]
    emission: Floats  # (tokens, L)

    @classmethod
    def of(cls, learner: Any, sentences: list[list[str]]) -> Emissions:
        """Return the reasons of a fitted model for the words of sentences."""
        words = [word for sentence in sentences for word in sentence]
        by_ending = "suffixes_" in vars(learner)

        def name(word: str) -> str:
            if word in learner.vocabulary_:
                return f"w[0]={word}"
            return f"unknown w[0]={word}" + (", by its ending" if by_ending else "")

        parts = learner.decision_function(sentences)
        empty = np.empty((0, len(learner.classes_)))
        return cls(learner, [name(word) for word in words], np.concatenate([empty, *parts]))

    def features(self, t: int, before: int) -> Parts:
        """Return what each feature of the token adds, after the label `before`."""
        return [(self.names[t], finite(self.emission[t]))]

    def left(self, before: int) -> Floats:
        """Return what the label before adds."""
        learner = self.learner
        return finite(learner.start_ if before == END else learner.transition_[before])

    def right(self, t: int, after: int) -> Floats:
        """Return what the label of token t + 1 adds."""
        learner = self.learner
        return finite(learner.stop_ if after == END else learner.transition_[:, after])

    def triples(self, t: int, near: Near) -> list[Floats]:
        """Return what three labels in a row add besides: ln P(y | a, b) - ln P(y | b)."""
        second = getattr(self.learner, "second_", None)
        if second is None:
            return []
        return triple_parts(finite(second) - finite(self.learner.transition_), near)
