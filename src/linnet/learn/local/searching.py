r"""The labels of sentences when each depends on those before it: greedy, or by a beam of prefixes.

.. math:: \max_y\ \sum_t \ln P(y_t \mid x_t, y_{t-1}, \dots, y_{t-h})

With a history as long as the sentence the context of a label is the whole prefix, and only a search
that leaves most prefixes out is possible: beam search keeps the N best (SPEC M-115). Where the
learner is linear, the core does it (core/structures/prefixes.hpp). Any other is asked for all
sentences together, place by place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core

__all__ = ["LinearHistory", "beam_by_places", "greedy_by_places"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Labels = NDArray[np.int32]


class LinearHistory(NamedTuple):
    """Linear scores of tokens [n, K], and what the labels before add: [h, L + 1, K].

    K is the number of labels L, or 1 for two of them: the score of the second one.
    """

    tokens: Floats
    after: Floats
    is_probability: bool

    def search(self, sentence: Ints, width: int, threads: int) -> tuple[Labels, Floats]:
        """Return the label of each token and the score of each sentence, the best of a beam."""
        state, after = self.tokens, self.after
        is_binary = state.shape[1] == 1
        if is_binary:  # the second label comes first, for of two equal scores it wins
            state = np.column_stack([state, np.zeros_like(state)])
            after = np.concatenate([after, np.zeros_like(after)], axis=2)[:, [1, 0, 2]]
        labels = np.empty(len(state), np.int32)
        scores = np.empty(len(sentence) - 1)
        _core.decode_prefixes(
            np.ascontiguousarray(state), sentence, np.ascontiguousarray(after),
            self.is_probability, width, labels, scores, threads,
        )  # fmt: skip
        return (1 - labels if is_binary else labels), scores


def greedy_by_places(
    sentence: Ints, history: int, start: int, decide: Callable[[Ints, Labels], Labels]
) -> Labels:
    """Decide the first tokens of all sentences, then the second ones, and so on.

    ``decide(tokens, labels before)`` returns a label for each; `start` is the start symbol.
    """
    lengths = np.diff(sentence)
    order = np.argsort(-lengths, kind="stable")  # those that are still there come first
    begins, ascending = sentence[:-1][order], -lengths[order]
    before = np.full((len(order), history), start, np.int32)
    guess = np.empty(int(sentence[-1]), np.int32)
    for place in range(int(lengths.max(initial=0))):
        alive = int(np.searchsorted(ascending, -place, side="left"))
        where = begins[:alive] + place
        label = decide(where, before[:alive])
        guess[where] = label
        before[:alive, 1:] = before[:alive, :-1].copy()
        before[:alive, 0] = label
    return guess


def beam_by_places(
    sentence: Ints, history: int, start: int, width: int, local: Callable[[Ints, Labels], Floats]
) -> tuple[Labels, Floats]:
    """Keep the `width` best prefixes of each sentence, place by place.

    ``local(tokens, labels before)`` returns the scores of the labels of each, (m, L).

    Examples
    --------
    >>> table = np.log(np.array([[0.6, 0.4], [0.5, 0.5], [0.1, 0.9]]))
    >>> after = {2: 0, 0: 1, 1: 2}  # the start symbol, then the label before
    >>> local = lambda where, before: table[[after[b] for b in before[:, 0]]]
    >>> beam_by_places(np.array([0, 2]), 1, 2, 2, local)[0]
    array([1, 1], dtype=int32)
    """
    lengths = np.diff(sentence)
    labels, scores = np.empty(int(sentence[-1]), np.int32), np.zeros(len(lengths))
    owner = np.flatnonzero(lengths > 0)
    score, before = np.zeros(len(owner)), np.full((len(owner), history), start, np.int32)
    trail: list[tuple[Ints, Labels]] = []  # of the prefixes at a place: parent and label
    for place in range(int(lengths.max(initial=0))):
        table = local(sentence[owner] + place, before)
        L = table.shape[1]
        reached, whose = (score[:, None] + table).ravel(), np.repeat(owner, L)
        order = np.lexsort((np.arange(len(reached)), -reached, whose))
        first = np.searchsorted(whose[order], whose[order], side="left")
        kept = order[np.arange(len(order)) - first < width]
        parent, label = np.divmod(kept, L)
        trail.append((parent, label.astype(np.int32)))
        owner, score = owner[parent], reached[kept]
        before = np.column_stack([label, before[parent]])[:, :history].astype(np.int32)
        best = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])  # the best comes first
        for at in best[lengths[owner[best]] == place + 1].tolist():
            _trace(trail, at, labels[sentence[owner[at]] : sentence[owner[at] + 1]])
            scores[owner[at]] = score[at]
        goes_on = lengths[owner] > place + 1
        if not goes_on.all():
            trail[-1] = tuple(part[goes_on] for part in trail[-1])  # type: ignore[assignment]
            owner, score, before = owner[goes_on], score[goes_on], before[goes_on]
    return labels, scores


def _trace(trail: list[tuple[Ints, Labels]], at: int, out: Labels) -> None:
    """Write the labels of the prefix `at` of the last place."""
    for place in range(len(out) - 1, -1, -1):
        parents, labels = trail[place]
        out[place] = labels[at]
        at = int(parents[at])
