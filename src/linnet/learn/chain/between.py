r"""Chains whose transitions differ from token to token, as those of a MEMM do.

Given the scores of the first token, first[L], and for every later token a matrix [previous, next],
in pieces [m, L, L] that need not be in memory together.

.. math:: s(y) = \text{first}_{y_1} + \sum_{t > 1} \text{between}^{(t)}_{y_{t-1} y_t}

In a chain of second order the tokens have cubes [two before, previous, next] instead, the second
token one of shape [1, L, L]. What a search must know of a beginning, its context, is then its last
two labels; the algorithms take a matrix for a cube [previous, 1, next], whose context is one label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.learn.chain.scores import Constraints, Floats, Ints, Ranked, block_tokens, blocks

__all__ = [
    "BetweenChain",
    "best_paths",
    "forward",
    "forward_backward",
    "pairs_between",
    "search_beam",
]

Paths = list[tuple[float, list[int]]]
# The length of a sentence, the scores of its first token, and the matrices of the others.
Sentence = tuple[int, Floats, Callable[[], Iterator[Floats]]]


@dataclass(frozen=True)
class BetweenChain:
    """A chain over sentences whose tokens have transitions of their own.

    ``local(first, last)`` are the scores [token, previous, next] of the tokens first .. last - 1,
    where the last of the L + 1 previous labels is the start symbol, or [token, two before,
    previous, next] with order 2; ``stop`` [L] those of the end. ``width`` is that of the beam that
    is searched unless another is asked for; 0 is the exact search.
    """

    sentence: Ints
    local: Callable[[int, int], Floats]
    stop: Floats
    order: int = 1
    width: int = 0

    def decode(
        self, constraints: Constraints | None = None, beam: int = 0
    ) -> tuple[NDArray[np.int32], Floats]:
        """Return the label of each token in the best labelling, and its score; -inf is none."""
        width = beam or self.width
        search = partial(search_beam, width=width) if width else partial(best_paths, k=1)
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
                between = [step for piece in rest() for step in piece]
                part = forward_backward(first, between, self._stop(constraints))
            if part is None:
                possible[s] = -np.inf
            else:
                table[self.sentence[s] : self.sentence[s + 1]] = part
        return table, possible

    def pair_marginals(self, constraints: Constraints | None = None) -> tuple[Floats, Floats]:
        """Return P(label before token, label at token | sentence): (tokens, L, L), 0 at first ones.

        And -inf for each sentence where none is possible.
        """
        L = len(self.stop)
        table = np.zeros((int(self.sentence[-1]), L, L))
        possible = np.zeros(len(self.sentence) - 1)
        for s, (n, first, rest) in enumerate(self._sentences(constraints)):
            if n == 0:
                continue
            between = [step for piece in rest() for step in piece]
            part = pairs_between(first, between, self._stop(constraints))
            if part is None:
                possible[s] = -np.inf
            else:
                table[self.sentence[s] + 1 : self.sentence[s + 1]] = part
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
        labels = (slice(0, L),) * self.order  # without the start symbol
        width = L * (L + 1) ** self.order
        room = block_tokens(width)
        bar_start, bar = np.zeros(L), np.zeros((L, L))
        if constraints is not None:
            bar_start, bar = (np.where(allowed, 0.0, -np.inf) for allowed in constraints[:2])

        def rest(known: Floats, at: int, end: int) -> Iterator[Floats]:
            skipped = 0
            if self.order == 2 and len(known):
                yield known[:1, L:, :L] + bar
                skipped = 1
            yield known[(slice(skipped, None), *labels)] + bar
            for t in range(at, end, room):
                piece = self.local(t, min(end, t + room))
                if self.order == 2 and t == at and not len(known):
                    yield piece[:1, L:, :L] + bar
                    piece = piece[1:]
                yield piece[(slice(None), *labels)] + bar

        for low, high in blocks(self.sentence, width):
            edges = self.sentence[low : high + 1].tolist()
            begin, end = edges[0], min(edges[-1], edges[0] + room)  # less than one long sentence
            local = self.local(begin, end)
            for a, b in pairwise(edges):
                if a == b:
                    yield 0, np.zeros(L), partial(rest, local[:0], b, b)
                    continue
                here = local[a - begin : b - begin]
                first = here[(0, *(L,) * self.order)] + bar_start
                yield b - a, first, partial(rest, here[1:], a + len(here), b)


def _cube(step: Floats) -> Floats:
    return step[:, None, :] if step.ndim == 2 else step


def best_paths(first: Floats, pieces: Iterable[Floats], stop: Floats, k: int) -> Paths:
    """Return the k best labellings, best first; ties go to the lowest label, from the last on.

    Examples
    --------
    >>> first, between = np.array([1.0, 0.0]), np.array([[[0.0, 2.0], [0.0, 5.0]]])
    >>> best_paths(first, [between], np.zeros(2), 2)
    [(5.0, [1, 1]), (3.0, [0, 1])]
    """
    L = len(first)
    kept = np.full((L, k), -np.inf)  # the k best beginnings that end in a context
    kept[:, 0] = first
    back: list[tuple[int, NDArray[np.int32]]] = []
    for piece in pieces:
        for cube in map(_cube, piece):
            A, B, _ = cube.shape
            reached = kept.reshape(A, B, k, 1) + cube[:, :, None, :]
            reached = reached.transpose(0, 2, 1, 3).reshape(A * k, B * L)
            order = np.argsort(-reached, axis=0, kind="stable")[:k]
            kept = np.take_along_axis(reached, order, axis=0).T
            back.append((B, order.T.astype(np.int32)))
    totals = (kept.reshape(-1, L, k) + stop[:, None]).swapaxes(0, 1)  # the last label comes first
    paths: Paths = []
    for at in np.argsort(-totals.ravel(), kind="stable")[:k].tolist():
        label, before, rank = np.unravel_index(at, totals.shape)
        if np.isneginf(totals[label, before, rank]):
            break
        total, context, path = float(totals[label, before, rank]), int(before * L + label), []
        for B, origin in reversed(back):
            path.append(context % L)
            a, rank = divmod(int(origin[context, rank]), k)
            context = a * B + context // L
        path.append(context)
        paths.append((total, path[::-1]))
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
    context = np.arange(L)
    trail: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    for piece in pieces:
        for cube in map(_cube, piece):
            A, B, _ = cube.shape
            kept = np.argsort(-reached, kind="stable")[:width]
            held = context[kept]
            trail.append((held % L, parent[kept]))
            reached = (reached[kept][:, None] + cube.reshape(A * B, L)[held]).ravel()
            parent = np.repeat(np.arange(len(kept)), L)
            context = np.repeat(held % B * L, L) + np.tile(np.arange(L), len(kept))
    totals = reached + stop[context % L]
    at = int(np.argmax(totals))
    if np.isneginf(totals[at]):
        return []
    best, path = float(totals[at]), list[int]()
    for labels, parents in [(context % L, parent), *reversed(trail)]:
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
    shares = out[0]  # of contexts
    for piece in pieces:
        for step in np.exp(piece):
            if step.ndim == 2:
                out[t] = shares = shares @ step
            else:
                shares = np.einsum("ab,abc->bc", shares.reshape(step.shape[:2]), step)
                out[t] = shares.sum(axis=0)
            t += 1
    return out


def forward_backward(first: Floats, between: Sequence[Floats], stop: Floats) -> Floats | None:
    """Return P(y_t), shape (n, L), of any scores; None when no labelling is possible.

    Examples
    --------
    >>> even = np.log(np.full((1, 2, 2), 0.5))
    >>> forward_backward(np.zeros(2), even, np.log(np.array([0.25, 0.75])))
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """
    alpha, beta, total = _both_ways(first, between, stop)
    if np.isneginf(total):
        return None
    L = len(stop)
    shares = (np.exp(a + b - total) for a, b in zip(alpha, beta, strict=True))
    return np.array([share.reshape(-1, L).sum(axis=0) for share in shares])


def pairs_between(first: Floats, between: Sequence[Floats], stop: Floats) -> Floats | None:
    """Return P(y_t, y_{t+1}), shape (n - 1, L, L); None when no labelling is possible.

    Examples
    --------
    >>> even = np.log(np.full((1, 2, 2), 0.5))
    >>> pairs_between(np.zeros(2), even, np.log(np.array([0.25, 0.75])))
    array([[[0.125, 0.375],
            [0.125, 0.375]]])
    """
    alpha, beta, total = _both_ways(first, between, stop)
    if np.isneginf(total):
        return None
    L = len(stop)
    out = np.empty((len(between), L, L))
    for t, cube in enumerate(map(_cube, between)):
        A, B, _ = cube.shape
        share = np.exp(alpha[t].reshape(A, B, 1) + cube + beta[t + 1].reshape(1, B, L) - total)
        out[t] = share[:, 0] if B == 1 else share.sum(axis=0)
    return out


def _both_ways(
    first: Floats, between: Sequence[Floats], stop: Floats
) -> tuple[list[Floats], list[Floats], Any]:
    """Return forward and backward scores of the contexts of each token, and ln Z."""
    alpha = [first]
    for cube in map(_cube, between):
        before = alpha[-1].reshape(*cube.shape[:2], 1)
        alpha.append(np.logaddexp.reduce(before + cube, axis=0).ravel())
    L = len(stop)
    beta = [np.tile(stop, len(alpha[-1]) // L)]
    for cube in map(_cube, between[::-1]):
        beta.append(np.logaddexp.reduce(cube + beta[-1].reshape(-1, L), axis=2).ravel())
    return alpha, beta[::-1], np.logaddexp.reduce(alpha[0] + beta[-1])
