r"""Chains whose transitions differ from token to token, as those of a MEMM do.

Given the scores of the first token, first[L], and for every later token a matrix [previous, next],
in pieces [m, L, L] that need not be in memory together.

.. math:: s(y) = \text{first}_{y_1} + \sum_{t > 1} \text{between}^{(t)}_{y_{t-1} y_t}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from linnet.learn.chain.scores import Constraints, Floats, Ints, Ranked, block_tokens, blocks

__all__ = ["BetweenChain", "best_paths", "forward", "forward_backward", "search_beam"]

Paths = list[tuple[float, list[int]]]
# The length of a sentence, the scores of its first token, and the matrices of the others.
Sentence = tuple[int, Floats, Callable[[], Iterator[Floats]]]


@dataclass(frozen=True)
class BetweenChain:
    """A chain over sentences whose tokens have transitions of their own.

    ``local(first, last)`` are the scores [token, previous, next] of the tokens first .. last - 1,
    where the last of the L + 1 previous labels is the start symbol; ``stop`` [L] those of the end.
    """

    sentence: Ints
    local: Callable[[int, int], Floats]
    stop: Floats

    def decode(
        self, constraints: Constraints | None = None, beam: int = 0
    ) -> tuple[NDArray[np.int32], Floats]:
        """Return the label of each token in the best labelling, and its score; -inf is none."""
        search = partial(search_beam, width=beam) if beam else partial(best_paths, k=1)
        labels = np.zeros(int(self.sentence[-1]), np.int32)
        scores = np.full(len(self.sentence) - 1, -np.inf)
        for s, paths in enumerate(self._paths(search, constraints)):
            if paths:
                scores[s], labels[self.sentence[s] : self.sentence[s + 1]] = paths[0]
        return labels, scores

    def n_best(self, k: int, constraints: Constraints | None = None) -> list[Ranked]:
        """Return for each sentence its k best labellings, best first, as (score, labels)."""
        ranked = self._paths(partial(best_paths, k=k), constraints)
        return [[(score, np.array(path, np.int32)) for score, path in best] for best in ranked]

    def marginals(self, constraints: Constraints | None = None) -> tuple[Floats, Floats]:
        """Return P(label at token | sentence), shape (tokens, L); and -inf where none is possible.

        Without constraints the scores must be log probabilities.
        """
        L = len(self.stop)
        table = np.zeros((int(self.sentence[-1]), L))
        possible = np.zeros(len(self.sentence) - 1)
        for s, (n, first, rest) in enumerate(self._sentences(constraints)):
            if n == 0:
                continue
            part: Floats | None
            if constraints is None:
                part = forward(first, rest(), n)
            else:
                between = np.concatenate([np.empty((0, L, L)), *rest()])
                part = forward_backward(first, between, self._stop(constraints))
            if part is None:
                possible[s] = -np.inf
            else:
                table[self.sentence[s] : self.sentence[s + 1]] = part
        return table, possible

    def _paths(
        self, search: Callable[..., Paths], constraints: Constraints | None
    ) -> Iterator[Paths]:
        stop = self._stop(constraints)
        for n, first, rest in self._sentences(constraints):
            yield search(first, rest(), stop) if n else [(0.0, [])]

    def _stop(self, constraints: Constraints | None) -> Floats:
        if constraints is None:
            return self.stop
        return np.where(constraints.stop, self.stop, -np.inf)

    def _sentences(self, constraints: Constraints | None) -> Iterator[Sentence]:
        L = len(self.stop)
        room = block_tokens(L * (L + 1))
        bar_start, bar = np.zeros(L), np.zeros((L, L))
        if constraints is not None:
            bar_start, bar = (np.where(allowed, 0.0, -np.inf) for allowed in constraints[:2])

        def rest(known: Floats, at: int, end: int) -> Iterator[Floats]:
            yield known + bar
            for t in range(at, end, room):
                yield self.local(t, min(end, t + room))[:, :L] + bar

        for low, high in blocks(self.sentence, L * (L + 1)):
            edges = self.sentence[low : high + 1].tolist()
            begin, end = edges[0], min(edges[-1], edges[0] + room)  # less than one long sentence
            local = self.local(begin, end)
            for a, b in pairwise(edges):
                if a == b:
                    yield 0, np.zeros(L), partial(rest, local[:0, :L], b, b)
                    continue
                here = local[a - begin : b - begin]
                first = here[0, L] + bar_start
                yield b - a, first, partial(rest, here[1:, :L], a + len(here), b)


def best_paths(first: Floats, pieces: Iterable[Floats], stop: Floats, k: int) -> Paths:
    """Return the k best labellings, best first; ties go to the lowest label, from the last on.

    Examples
    --------
    >>> first, between = np.array([1.0, 0.0]), np.array([[[0.0, 2.0], [0.0, 5.0]]])
    >>> best_paths(first, [between], np.zeros(2), 2)
    [(5.0, [1, 1]), (3.0, [0, 1])]
    """
    L = len(first)
    kept = np.full((L, k), -np.inf)  # the k best beginnings that end in a label
    kept[:, 0] = first
    back: list[NDArray[np.int32]] = []
    for piece in pieces:
        for matrix in piece:
            reached = (kept[:, :, None] + matrix[:, None, :]).reshape(L * k, L)
            order = np.argsort(-reached, axis=0, kind="stable")[:k]
            kept = np.take_along_axis(reached, order, axis=0).T
            back.append(order.T.astype(np.int32))
    totals = (kept + stop[:, None]).ravel()
    paths: Paths = []
    for at in np.argsort(-totals, kind="stable")[:k].tolist():
        if np.isneginf(totals[at]):
            break
        label, rank = divmod(at, k)
        path = [label]
        for origin in reversed(back):
            label, rank = divmod(int(origin[label, rank]), k)
            path.append(label)
        paths.append((float(totals[at]), path[::-1]))
    return paths


def search_beam(first: Floats, pieces: Iterable[Floats], stop: Floats, width: int) -> Paths:
    """Keep the `width` best beginnings at every token (SPEC M-115, A-58); return the best of all.

    Examples
    --------
    >>> first, between = np.array([1.0, 0.0]), np.array([[[0.0, 2.0], [0.0, 5.0]]])
    >>> search_beam(first, [between], np.zeros(2), 1)
    [(3.0, [0, 1])]
    """
    L = len(first)
    reached, parent = first, np.zeros(L, np.intp)
    label = np.arange(L)
    trail: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    for piece in pieces:
        for matrix in piece:
            kept = np.argsort(-reached, kind="stable")[:width]
            trail.append((label[kept], parent[kept]))
            reached = (reached[kept][:, None] + matrix[label[kept]]).ravel()
            parent = np.repeat(np.arange(len(kept)), L)
            label = np.tile(np.arange(L), len(kept))
    totals = reached + stop[label]
    at = int(np.argmax(totals))
    if np.isneginf(totals[at]):
        return []
    best, path = float(totals[at]), list[int]()
    for labels, parents in [(label, parent), *reversed(trail)]:
        path.append(int(labels[at]))
        at = int(parents[at])
    return [(best, path[::-1])]


def forward(first: Floats, pieces: Iterable[Floats], n: int) -> Floats:
    """Return P(y_t), shape (n, L), of log probabilities that sum to 1 at every token.

    Nothing has to come back from later tokens: that is the label bias (SPEC M-120).

    Examples
    --------
    >>> even = np.log(np.full((1, 2, 2), 0.5))
    >>> forward(np.log(np.array([0.9, 0.1])), [even], 2)
    array([[0.9, 0.1],
           [0.5, 0.5]])
    """
    out = np.empty((n, len(first)))
    out[0], t = np.exp(first), 1
    for piece in pieces:
        for matrix in np.exp(piece):
            out[t] = out[t - 1] @ matrix
            t += 1
    return out


def forward_backward(first: Floats, between: Floats, stop: Floats) -> Floats | None:
    """Return P(y_t), shape (n, L), of any scores; None when no labelling is possible.

    Examples
    --------
    >>> even = np.log(np.full((1, 2, 2), 0.5))
    >>> forward_backward(np.zeros(2), even, np.log(np.array([0.25, 0.75])))
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """
    alpha, beta = [first], [stop]
    for matrix in between:
        alpha.append(np.logaddexp.reduce(alpha[-1][:, None] + matrix, axis=0))
    for matrix in between[::-1]:
        beta.append(np.logaddexp.reduce(matrix + beta[-1], axis=1))
    both = np.asarray(alpha) + np.asarray(beta[::-1])
    total = np.logaddexp.reduce(both[0])
    return None if np.isneginf(total) else np.exp(both - total)
