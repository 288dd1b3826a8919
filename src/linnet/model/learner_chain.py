"""A sequence learner that is no linear chain (HMM, MEMM, LocalTagger) in the place of one."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.linear_chain import Allowed, Ranked

__all__ = ["LearnerChain", "reads_words"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class LearnerChain:
    """Ask the learner itself; `rows` are its features, or lists of words if it reads words."""

    learner: Any
    classes: tuple[str, ...]
    n_features: int

    def decode(
        self, rows: Any, offset: Ints, allowed: Allowed | None, threads: int
    ) -> NDArray[np.int32]:
        """Return the number of each token's label."""
        found = self._ask("predict", rows, offset, allowed, threads)
        return self._numbers(chain.from_iterable(found))

    def marginals(self, rows: Any, offset: Ints, allowed: Allowed | None, threads: int) -> Floats:
        """Return P(label at token | sentence), shape (tokens, L)."""
        parts = self._ask("predict_marginals", rows, offset, allowed, threads)
        return np.concatenate([np.empty((0, len(self.classes))), *parts])

    def n_best(
        self, rows: Any, offset: Ints, k: int, allowed: Allowed | None, threads: int
    ) -> list[Ranked]:
        """Return for each sentence its k best labellings, best first, as (score, labels)."""
        if not hasattr(self.learner, "predict_nbest"):
            raise ParameterError(f"{type(self.learner).__name__} gives no n-best lists.")
        found = self._ask("predict_nbest", rows, offset, allowed, threads, k)
        for s, best in enumerate(found):
            if not best:  # nothing is allowed
                found[s] = self._ask("predict_nbest", *_part(rows, offset, s), None, threads, k)[0]
        return [[(score, self._numbers(labels)) for score, labels in best] for best in found]

    def _ask(
        self, verb: str, rows: Any, offset: Ints, allowed: Allowed | None, threads: int, *more: int
    ) -> list[Any]:
        """Ask for all sentences; if no allowed labelling fits one of them, for each by itself."""
        learner = copy(self.learner)
        if hasattr(learner, "n_threads"):
            learner.n_threads = threads
        ask = getattr(learner, verb)
        if allowed is None or not hasattr(learner, "predict_nbest"):
            return list(ask(_given(rows, offset), *more))
        from linnet.learn.chain import Constraints

        try:
            return list(ask(_given(rows, offset), *more, constraints=Constraints(*allowed)))
        except DataError:
            if len(offset) == 2:
                return list(ask(_given(rows, offset), *more))
        parts = (_part(rows, offset, s) for s in range(len(offset) - 1))
        return [self._ask(verb, own, ends, allowed, threads, *more)[0] for own, ends in parts]

    def _numbers(self, labels: Any) -> NDArray[np.int32]:
        number = {label: place for place, label in enumerate(self.classes)}
        return np.array([number[label] for label in labels], np.int32)


def reads_words(learner: Any) -> bool:
    """Say whether a learner takes words, not features of them, as a hidden Markov model does."""
    return any(cls.__module__ == "linnet.learn.hmm" for cls in type(learner).__mro__)


def _part(rows: Any, offset: Ints, s: int) -> tuple[Any, Ints]:
    """Return one of the sentences."""
    first, last = int(offset[s]), int(offset[s + 1])
    ends = np.array([0, last - first], np.int64)
    if isinstance(rows, list):
        return rows[s : s + 1], ends
    start = rows.start[first : last + 1]
    own = rows._replace(start=start - start[0], index=rows.index[start[0] : start[-1]])
    return own, ends


def _given(rows: Any, offset: Ints) -> Any:
    if isinstance(rows, list):
        return rows
    from linnet.learn.sentences import Ragged

    return Ragged(rows.start, rows.index, None, rows.n_features, offset)
