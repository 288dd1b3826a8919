"""The numbers of one sequence model as a page shows and edits them, and the learner they make.

An HMM has probabilities, a MEMM and a CRF have weights. A MEMM may have a model for each previous
label (SPEC A-56): then its emissions have one more axis, the start symbol last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.learn.crf import CRF
from linnet.learn.hmm import HMM
from linnet.learn.memm import MEMM

__all__ = ["Edit", "Weights"]

Floats = NDArray[np.float64]
# model, part, from (a word, or the label before), to (a label), value, and for a MEMM with a
# model for each label: the label before ("" is the start)
Edit = Sequence[Any]

LARGEST = 1e4


@dataclass(frozen=True)
class Weights:
    """start (L,), transition (L, L), stop (L,), emission (V, L) of the words; or (V, L + 1, L).

    ``unknown`` is the emission of any other word.

    Examples
    --------
    >>> table = np.array([[0.9, 0.2], [0.1, 0.8]])
    >>> w = Weights("hmm", ["N", "V"], np.full(2, 0.5), np.full((2, 2), 0.5), np.ones(2),
    ...             ["fish", "can"], table, np.ones(2))
    >>> w.of(["can", "fish", "can"]).learner().predict([["can", "fish", "can"]])
    [['V', 'N', 'V']]
    """

    model: str
    labels: list[str]
    start: Floats
    transition: Floats
    stop: Floats
    words: list[str]
    emission: Floats
    unknown: Floats

    @property
    def per_state(self) -> bool:
        """Whether each previous label has a model of its own."""
        return self.emission.ndim == 3

    def of(self, sentence: Sequence[str]) -> Weights:
        """Return the numbers for the words of one sentence, in the order they come."""
        words = list(dict.fromkeys(sentence))
        place = {word: i for i, word in enumerate(self.words)}
        table = np.vstack([self.emission, self.unknown[None]])
        rows = [place.get(word, len(self.words)) for word in words]
        return replace(self, words=words, emission=table[rows])

    def edited(self, edits: Sequence[Edit]) -> Weights:
        """Return the numbers after some edits; those of words that are not there change nothing."""
        parts = {
            name: getattr(self, name).copy() for name in ("start", "transition", "stop", "emission")
        }
        for edit in edits:
            self._apply(parts, edit)
        return replace(self, **parts)

    def _apply(self, parts: dict[str, Floats], edit: Edit) -> None:
        _, part, origin, label, value, *after = edit
        number = self._value(value)
        to = self._label(label)
        if part in ("start", "stop") and not (part == "stop" and self.model == "memm"):
            parts[part][to] = number
        elif part == "transition":
            parts[part][self._label(origin), to] = number
        elif part == "emission" and origin not in self.words:
            pass
        elif part == "emission" and self.per_state:
            before = len(self.labels) if not after or after[0] == "" else self._label(after[0])
            parts[part][self.words.index(origin), before, to] = number
        elif part == "emission":
            parts[part][self.words.index(origin), to] = number
        else:
            raise ParameterError(f"{self.model} has no {part!r} to edit.")

    def _label(self, label: Any) -> int:
        if label not in self.labels:
            raise ParameterError(f"there is no label {label!r}; the labels are {self.labels}")
        return self.labels.index(label)

    def _value(self, value: Any) -> float:
        low, high = (0.0, 1.0) if self.model == "hmm" else (-LARGEST, LARGEST)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ParameterError(f"an edit must be a number, got {value!r}")
        if not low <= value <= high:
            kind = "a probability" if self.model == "hmm" else "a weight"
            raise ParameterError(f"{kind} is from {low:g} to {high:g}, got {value!r}")
        return float(value)

    def learner(self) -> HMM | MEMM | CRF:
        """Return a learner that has these numbers."""
        if self.model == "hmm":
            tables: list[Mapping[str, float]] = [
                dict(zip(self.words, row, strict=True)) for row in self.emission.T.tolist()
            ]
            return HMM.from_probabilities(
                self.labels, self.start, self.transition, tables, self.stop
            )
        L, V = len(self.labels), len(self.words)
        emission = self.emission
        if self.per_state:
            emission = emission.transpose(1, 0, 2).reshape(-1, L)
        learner: MEMM | CRF = CRF(n_threads=1)
        if self.model == "memm":
            learner = MEMM(n_threads=1, states="per_state" if self.per_state else "shared")
            if self.per_state:
                learner.state_key_ = np.arange(len(emission), dtype=np.int64)
        learner.classes_ = np.array(self.labels)
        learner.vocabulary_ = {word: i for i, word in enumerate(self.words)}
        learner.n_features_in_ = V
        learner.pair_start_ = np.arange(len(emission) + 1, dtype=np.int64) * L
        learner.pair_label_ = np.tile(np.arange(L, dtype=np.int32), len(emission))
        learner.pair_weight_ = np.ascontiguousarray(emission.ravel())
        learner.transition_, learner.start_ = self.transition, self.start
        learner.stop_ = self.stop
        return learner

    @classmethod
    def of_hmm(cls, hmm: HMM) -> Weights:
        """Return the probabilities of a fitted HMM."""
        table = np.exp(hmm.emission_).T
        start, transition, stop = map(np.exp, (hmm.start_, hmm.transition_, hmm.stop_))
        labels, words = hmm.classes_.tolist(), list(hmm.vocabulary_)
        return cls("hmm", labels, start, transition, stop, words, table[:-1], table[-1])

    @classmethod
    def of_learner(cls, model: str, learner: MEMM | CRF) -> Weights:
        """Return the weights of a fitted MEMM or CRF whose only feature is the word."""
        labels, words = learner.classes_.tolist(), list(learner.vocabulary_)
        L, V = len(labels), len(words)
        rows = len(learner.pair_start_) - 1
        dense = np.zeros((rows, L))
        dense[np.repeat(np.arange(rows), np.diff(learner.pair_start_)), learner.pair_label_] = (
            learner.pair_weight_
        )
        keys = getattr(learner, "state_key_", None)
        emission: Floats = dense
        unknown: Floats = np.zeros(L)
        if keys is not None:
            table = np.zeros(((L + 1) * V, L))
            table[keys] = dense
            emission, unknown = table.reshape(L + 1, V, L).transpose(1, 0, 2), np.zeros((L + 1, L))
        start, transition, stop = learner.start_, learner.transition_, learner.stop_
        return cls(model, labels, start, transition, stop, words, emission, unknown)
