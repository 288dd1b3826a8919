"""Taggers whose state scores are a table of log probabilities, made for some sentences at a time.

A hidden Markov model and a maximum entropy Markov model score a labelling as any chain does, but
their state scores are not a product of weights and features; they come as a table, block by block,
so that memory stays bounded whatever the number of sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import ParameterError
from linnet.learn.chain import (
    ChainClassifier,
    Constraints,
    check_beam,
    check_count,
    refuse_impossible,
)

__all__ = ["Floats", "Scores", "TableTagger", "Tables", "blocks", "marginals_of"]

Floats = NDArray[np.float64]

# A block of sentences has about so many state scores: 32 MB of them.
BLOCK = 1 << 22
# What stands for ln 0 when no labelling is possible: then as few impossible parts as may be.
FLOOR = -1e6


@dataclass(frozen=True)
class Tables:
    """Where sentences begin, and the state scores of the sentences first .. last - 1."""

    sentence: NDArray[np.int64]
    of: Callable[[int, int], Floats]

    def blocks(self, width: int) -> Iterator[tuple[int, int, NDArray[np.int64], Floats]]:
        """Yield (first, last, where each sentence of the block begins, state scores)."""
        for first, last in blocks(self.sentence, width):
            here = self.sentence[first : last + 1] - self.sentence[first]
            yield first, last, here, np.ascontiguousarray(self.of(first, last))


def blocks(sentence: NDArray[np.int64], width: int) -> Iterator[tuple[int, int]]:
    """Cut sentences into blocks of about `BLOCK` numbers, `width` of them for each token.

    Examples
    --------
    >>> list(blocks(np.array([0, 2, 2, 5]), 1))
    [(0, 3)]
    >>> list(blocks(np.array([0, 2, 4, 5]), BLOCK))
    [(0, 1), (1, 2), (2, 3)]
    """
    first, n = 0, len(sentence) - 1
    room = max(1, BLOCK // max(1, width))
    while first < n:
        last = int(np.searchsorted(sentence, sentence[first] + room, side="right")) - 1
        last = min(n, max(first + 1, last))
        yield first, last
        first = last


Scores = _core.Potentials | _core.SecondOrder


def _decode(
    state: Floats, sentence: NDArray[np.int64], scores: Scores, beam: int,
    labels: NDArray[np.int32], best: Floats, threads: int,
) -> None:  # fmt: skip
    if not isinstance(scores, _core.SecondOrder):
        _core.decode_table(state, sentence, scores, beam, labels, best, threads)
    elif beam:
        raise ParameterError("A beam search needs order=1; leave beam=0 with order=2.")
    else:
        _core.decode_second(state, sentence, scores, labels, best, threads)


def marginals_of(
    state: Floats, sentence: NDArray[np.int64], scores: Scores, out: Floats, log_z: Floats,
    threads: int,
) -> None:  # fmt: skip
    """Write P(label at token | sentence) and ln Z of every sentence."""
    if isinstance(scores, _core.SecondOrder):
        _core.marginals_second(state, sentence, scores, out, log_z, threads)
    else:
        _core.marginals_table(state, sentence, scores, out, log_z, threads)


class TableTagger(ChainClassifier):
    """Predict from tables of state scores; a subclass says how they are made."""

    def _tables(self, X: Any) -> Tables:
        raise NotImplementedError

    def _scores(self, constraints: Constraints | None = None) -> Scores:
        """Return the scores of label pairs, or of triples in a model of second order."""
        return self._potentials(constraints)

    def _floored(self, constraints: Constraints | None) -> Scores:
        """Potentials in which only the constraints are impossible."""
        floors = [np.maximum(part, FLOOR) for part in (self.transition_, self.start_, self.stop_)]
        if constraints is not None:
            allowed = (constraints.transition, constraints.start, constraints.stop)
            floors = [np.where(a, f, -np.inf) for a, f in zip(allowed, floors, strict=True)]
        return _core.Potentials(*map(np.ascontiguousarray, floors))

    def predict(
        self, X: Any, *, constraints: Constraints | None = None, beam: int = 0
    ) -> list[list[Any]]:
        """Return the best labels of every sentence.

        Should no labelling be possible under the model, it is one with as few impossible parts as
        may be.

        Parameters
        ----------
        X : list of sentences
        constraints : Constraints, optional
            What may follow what; see :func:`linnet.data.tags.allowed_transitions`.
        beam : int, default=0
            Width of a beam search instead of the exact Viterbi search (SPEC M-115).
        """
        self._require_fitted()
        width = check_beam(beam)
        tables = self._tables(X)
        labels = np.empty(int(tables.sentence[-1]), np.int32)
        scores = np.empty(len(tables.sentence) - 1)
        potentials = self._scores(constraints)
        for first, last, here, state in tables.blocks(len(self.classes_)):
            guess = labels[tables.sentence[first] : tables.sentence[last]]
            best = scores[first:last]
            _decode(state, here, potentials, width, guess, best, self._threads())
            for s in np.flatnonzero(np.isneginf(best)):
                part = slice(here[s], here[s + 1])
                mended = np.ascontiguousarray(np.maximum(state[part], FLOOR))
                ends = np.array([0, len(mended)], np.int64)
                _decode(
                    mended, ends, self._floored(constraints), width, guess[part],
                    best[s : s + 1], 1,
                )  # fmt: skip
        refuse_impossible(scores, width)
        named = self.classes_[labels].tolist()
        return [named[a:b] for a, b in pairwise(tables.sentence.tolist())]

    def predict_nbest(
        self, X: Any, k: int = 5, *, constraints: Constraints | None = None
    ) -> list[list[tuple[float, list[Any]]]]:
        """Return for every sentence its k best labellings, best first, as (log score, labels)."""
        self._require_fitted()
        check_count("k", k)
        tables = self._tables(X)
        potentials = self._scores(constraints)
        if isinstance(potentials, _core.SecondOrder):
            raise ParameterError("The k best labellings need order=1.")
        found: list[list[tuple[float, list[Any]]]] = []
        for _, _, here, state in tables.blocks(len(self.classes_)):
            for a, b in pairwise(here.tolist()):
                rows = np.ascontiguousarray(state[a:b])
                labels, scores = np.empty((int(k), b - a), np.int32), np.empty(int(k))
                n = _core.n_best(rows, potentials, labels, scores)
                named = self.classes_[labels[:n]].tolist()
                best = list(zip(scores[:n].tolist(), named, strict=True))
                found.append(best if b > a else [(0.0, [])])
        return found

    def predict_marginals(self, X: Any, *, constraints: Constraints | None = None) -> list[Floats]:
        """Return for every sentence P(label at token | sentence), shape (tokens, L)."""
        self._require_fitted()
        tables = self._tables(X)
        out = np.empty((int(tables.sentence[-1]), len(self.classes_)))
        potentials = self._scores(constraints)
        for first, last, here, state in tables.blocks(len(self.classes_)):
            part = out[tables.sentence[first] : tables.sentence[last]]
            log_z = np.empty(last - first)
            marginals_of(state, here, potentials, part, log_z, self._threads())
            for s in np.flatnonzero(np.isneginf(log_z)):
                rows = slice(here[s], here[s + 1])
                mended = np.ascontiguousarray(np.maximum(state[rows], FLOOR))
                ends = np.array([0, len(mended)], np.int64)
                marginals_of(
                    mended, ends, self._floored(constraints), part[rows], log_z[s : s + 1], 1
                )
            refuse_impossible(log_z, 0, first)
        return np.split(out, tables.sentence[1:-1]) if len(tables.sentence) > 1 else []

    def decision_function(self, X: Any) -> list[Floats]:
        """Return for every sentence the state scores (tokens, L): without the neighbours."""
        self._require_fitted()
        tables = self._tables(X)
        return [
            part
            for _, _, here, state in tables.blocks(len(self.classes_))
            for part in np.split(state, here[1:-1])
        ]
