r"""The chain over some sentences: the best labellings, the n best, the marginals.

A label may also depend on the two before it (SPEC M-112, M-119):

.. math:: s(y) = \text{start}_{y_1} + \text{transition}_{y_1 y_2}
          + \sum_{t > 2} \text{second}_{y_{t-2} y_{t-1} y_t} + \sum_t s_{t y_t} + \text{stop}_{y_n}

which takes n L³ steps, over pairs of neighbouring labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core

__all__ = [
    "Chain",
    "Constraints",
    "Edges",
    "Ranked",
    "Table",
    "Weighted",
    "block_tokens",
    "blocks",
    "edges_of",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ranked = list[tuple[float, NDArray[np.int32]]]

# A block of sentences has about so many state scores: 32 MB of them.
BLOCK = 1 << 22
# What stands for ln 0 when no labelling is possible: then as few impossible parts as may be.
FLOOR = -1e6


class Constraints(NamedTuple):
    """Which labels may begin, follow each other and end: tables of booleans."""

    start: NDArray[np.bool_]
    transition: NDArray[np.bool_]
    stop: NDArray[np.bool_]


class Edges(NamedTuple):
    """The scores that do not depend on the tokens: of neighbours, of the first and the last label.

    With ``second`` [L, L, L] a label depends on the two before it, and ``transition`` is that of
    the second token.
    """

    transition: Floats
    start: Floats
    stop: Floats
    second: Floats | None = None

    def under(
        self, constraints: Constraints | None = None, floor: float = -np.inf
    ) -> _core.Potentials:
        """Return the scores for the core, none below ``floor`` but where something is forbidden."""
        transition, start, stop, second = self
        if floor > -np.inf:
            transition, start, stop = (np.maximum(part, floor) for part in self[:3])
            second = None if second is None else np.maximum(second, floor)
        if constraints is not None:
            transition = np.where(constraints.transition, transition, -np.inf)
            start = np.where(constraints.start, start, -np.inf)
            stop = np.where(constraints.stop, stop, -np.inf)
            if second is not None:
                second = np.where(constraints.transition, second, -np.inf)
        transition, start, stop = map(np.ascontiguousarray, (transition, start, stop))
        triples = None if second is None else np.ascontiguousarray(second)
        return _core.Potentials(transition, start, stop, triples)


def edges_of(transition: Floats, start: Floats, stop: Floats, triple: Floats | None) -> Edges:
    """Return the scores of weights, of which those of triples count besides the transitions."""
    return Edges(transition, start, stop, None if triple is None else transition + triple)


class Weighted(NamedTuple):
    """State scores that are sums of weights; the core makes them as it goes."""

    tokens: _core.Chain
    weight: Floats

    def blocks(self, sentence: Ints, width: int) -> Iterator[tuple[int, int, Ints, Any]]:
        """Yield the one block that all sentences are."""
        yield 0, len(sentence) - 1, sentence, self


class Table(NamedTuple):
    """State scores as a table (tokens, L), made for the sentences first .. last - 1 at a time.

    So memory stays bounded whatever the number of sentences.
    """

    of: Callable[[int, int], Floats]

    def blocks(self, sentence: Ints, width: int) -> Iterator[tuple[int, int, Ints, Any]]:
        """Yield (first, last, where each sentence of the block begins, state scores)."""
        for first, last in blocks(sentence, width):
            here = sentence[first : last + 1] - sentence[first]
            yield first, last, here, np.ascontiguousarray(self.of(first, last))


@dataclass(frozen=True)
class Chain:
    """A chain over sentences; sentence s has the tokens ``sentence[s]:sentence[s + 1]``.

    Should no labelling have a score above -inf, what a table or the edges forbid counts as very
    bad instead; what the constraints forbid stays impossible.
    """

    sentence: Ints
    states: Weighted | Table
    edges: Edges
    threads: int

    @property
    def n_labels(self) -> int:
        """The number of labels."""
        return len(self.edges.start)

    def decode(
        self, constraints: Constraints | None = None, beam: int = 0
    ) -> tuple[NDArray[np.int32], Floats]:
        """Return the label of each token in the best labelling, and its score; -inf is none.

        With a ``beam`` of some width the search is not exact (SPEC M-115).
        """
        labels = np.empty(int(self.sentence[-1]), np.int32)
        return labels, self._run(partial(_decode, beam=beam), labels, constraints)

    def marginals(self, constraints: Constraints | None = None) -> tuple[Floats, Floats]:
        """Return P(label at token | sentence), shape (tokens, L), and ln Z of each sentence."""
        table = np.empty((int(self.sentence[-1]), self.n_labels))
        return table, self._run(_marginals, table, constraints)

    def pair_marginals(self, constraints: Constraints | None = None) -> tuple[Floats, Floats]:
        """Return P(label before token, label at token | sentence), and ln Z of each sentence.

        The shape is (tokens, L, L), the label before first; at first tokens all are 0.
        """
        table = np.empty((int(self.sentence[-1]), self.n_labels, self.n_labels))
        by_table = Chain(self.sentence, self._tables(), self.edges, self.threads)
        return table, by_table._run(_core.pair_marginals, table, constraints)

    def log_partition(self) -> Floats:
        """Return ln Z of each sentence; -inf where no labelling is possible."""
        log_z = np.empty(len(self.sentence) - 1)
        edges = self.edges.under()
        for first, last, here, state in self.states.blocks(self.sentence, self.n_labels):
            _marginals(state, here, edges, np.empty_like(state), log_z[first:last], self.threads)
        return log_z

    def score(self, labels: NDArray[np.int32]) -> Floats:
        """Return the score of a given labelling of each sentence; label -1 is impossible."""
        sentence, lengths = self.sentence, np.diff(self.sentence)
        token = np.empty(len(labels))
        for first, last, _, state in self._tables().blocks(sentence, self.n_labels):
            part = slice(sentence[first], sentence[last])
            token[part] = state[np.arange(len(state)), labels[part]]
        filled = lengths > 0
        begin, end = sentence[:-1][filled], sentence[1:][filled] - 1
        before = self.edges.transition[np.roll(labels, 1), labels]
        if self.edges.second is not None:
            before = self.edges.second[np.roll(labels, 2), np.roll(labels, 1), labels]
            second = begin[end > begin] + 1
            before[second] = self.edges.transition[labels[second - 1], labels[second]]
        before[begin] = self.edges.start[labels[begin]]
        token += before
        token[end] += self.edges.stop[labels[end]]
        token[labels < 0] = -np.inf
        owner = np.repeat(np.arange(len(lengths)), lengths)
        return np.bincount(owner, weights=token, minlength=len(lengths)).astype(np.float64)

    def n_best(self, k: int, constraints: Constraints | None = None) -> list[Ranked]:
        """Return for each sentence its k best labellings, best first, as (score, labels)."""
        edges = self.edges.under(constraints)
        ranked: list[Ranked] = []
        for _, _, here, state in self._tables().blocks(self.sentence, max(k, self.n_labels)):
            labels, scores = np.empty(k * len(state), np.int32), np.empty((len(here) - 1, k))
            counts = np.empty(len(scores), np.int64)
            _core.n_best(state, here, edges, labels, scores, counts, self.threads)
            for s, (a, b) in enumerate(pairwise(here.tolist())):
                best = labels[k * a : k * b].reshape(k, b - a)[: counts[s]]
                pairs = zip(scores[s].tolist(), best, strict=False)
                ranked.append(list(pairs) if b > a else [(0.0, labels[:0])])
        return ranked

    def table(self) -> Floats:
        """Return the state scores, shape (tokens, L): without the neighbours."""
        table = np.empty((int(self.sentence[-1]), self.n_labels))
        for first, last, _, state in self.states.blocks(self.sentence, self.n_labels):
            part = table[self.sentence[first] : self.sentence[last]]
            if isinstance(state, Weighted):
                _core.state_scores(state.tokens, state.weight, part, self.threads)
            else:
                part[:] = state
        return table

    def _tables(self) -> Table:
        """Return the state scores as tables of some sentences at a time."""
        if isinstance(self.states, Table):
            return self.states
        whole, sentence = self.table(), self.sentence
        return Table(lambda first, last: whole[sentence[first] : sentence[last]])

    def _run(self, run: Any, out: NDArray[Any], constraints: Constraints | None) -> Floats:
        """Let ``run`` fill ``out`` block by block; return the number it has for each sentence."""
        sentence, values = self.sentence, np.empty(len(self.sentence) - 1)
        edges = self.edges.under(constraints)
        for first, last, here, state in self.states.blocks(sentence, self.n_labels):
            part = out[sentence[first] : sentence[last]]
            run(state, here, edges, part, values[first:last], self.threads)
            if isinstance(state, Weighted):
                continue
            for s in np.flatnonzero(np.isneginf(values[first:last])):
                rows = slice(here[s], here[s + 1])
                floored = np.ascontiguousarray(np.maximum(state[rows], FLOOR))
                ends, value = np.array([0, len(floored)], np.int64), values[first + s :][:1]
                run(floored, ends, self.edges.under(constraints, FLOOR), part[rows], value, 1)
        return values


def _decode(
    state: Any, sentence: Ints, edges: Any, labels: NDArray[np.int32], scores: Floats,
    threads: int, *, beam: int,
) -> None:  # fmt: skip
    """Write the best labels of tokens and the score of each sentence."""
    if isinstance(state, Weighted):
        _core.decode(state.tokens, state.weight, edges, beam, labels, scores, threads)
    else:
        _core.decode_table(state, sentence, edges, beam, labels, scores, threads)


def _marginals(
    state: Any, sentence: Ints, edges: Any, table: Floats, log_z: Floats, threads: int
) -> None:
    """Write P(label at token | sentence) and ln Z of each sentence."""
    if isinstance(state, Weighted):
        _core.marginals(state.tokens, state.weight, edges, table, log_z, threads)
    else:
        _core.marginals_table(state, sentence, edges, table, log_z, threads)


def block_tokens(width: int) -> int:
    """Return how many tokens a block has if each has `width` numbers."""
    return max(1, BLOCK // max(1, width))


def blocks(sentence: Ints, width: int) -> Iterator[tuple[int, int]]:
    """Cut sentences into blocks of about `BLOCK` numbers, `width` of them for each token.

    Examples
    --------
    >>> list(blocks(np.array([0, 2, 2, 5]), 1))
    [(0, 3)]
    >>> list(blocks(np.array([0, 2, 4, 5]), BLOCK))
    [(0, 1), (1, 2), (2, 3)]
    """
    first, n = 0, len(sentence) - 1
    room = block_tokens(width)
    while first < n:
        last = int(np.searchsorted(sentence, sentence[first] + room, side="right")) - 1
        last = min(n, max(first + 1, last))
        yield first, last
        first = last
