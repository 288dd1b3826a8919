r"""Which weights a chain has, and how they lie in one vector.

The core takes the weights of a chain as one vector, in this order:

    pairs        of (feature, label); feature j has those of ``label[start[j]:start[j + 1]]``
    transition   [L, L], the previous label first
    start        [L]
    stop         [L]
    triple       [L, L, L] in a chain of second order, the label two before first: it scores besides
                 the transition of its last two labels, from the third token on (SPEC M-119)

Pairs are those that occur together in the training data, or all. With L labels there are L²
transitions, of which a corpus shows few: the Brown corpus has 459 tags and 7,776 pairs of
neighbours out of 210,681. The others can be left without a weight, as CRFsuite leaves them: they
score 0 and stay possible, so every labelling has a probability and no sentence is without an answer
(SPEC M-119). Forward and backward then take time in the number of weights,

.. math:: \sum_i a_i e^{t_{ij}} = \sum_i a_i + \sum_{(i, j)\ \text{seen}} a_i (e^{t_{ij}} - 1)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.chain.elsewhere import SentencesElsewhere
from linnet.learn.chain.sentences import Ragged

__all__ = [
    "MOST_FOR_ALL",
    "TRANSITIONS",
    "Following",
    "Layout",
    "PairTable",
    "merge_pairs",
    "observed_pairs",
    "observed_transitions",
    "observed_triples",
    "pair_keys",
    "pairs_of_keys",
    "united_keys",
    "wanted_transitions",
]

TRANSITIONS = ("auto", "observed", "all")
MOST_FOR_ALL = 50  # labels up to which "auto" is "all"
Floats = NDArray[np.float64]


class Layout(NamedTuple):
    """Where the weights of a chain lie in one vector.

    Examples
    --------
    >>> layout = Layout(n_pairs=1, n_labels=2)
    >>> layout.size, [part.tolist() for part in layout.split(np.arange(9.0))]
    (9, [[0.0], [[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0], [7.0, 8.0]])
    >>> layout.part(0), layout.part(3), layout.part(8)
    (('pairs', 0), ('transition', 1, 0), ('stop', 1))
    """

    n_pairs: int
    n_labels: int
    order: int = 1

    @property
    def first_triple(self) -> int:
        """Where triples begin; all other weights come before."""
        return self.n_pairs + self.n_labels * (self.n_labels + 2)

    @property
    def size(self) -> int:
        """The number of weights."""
        return self.first_triple + (self.n_labels**3 if self.order == 2 else 0)

    def part(self, k: int) -> tuple[str, *tuple[int, ...]]:
        """Return what weight k belongs to, and where in it."""
        n, L, _ = self
        if k < n:
            return "pairs", k
        if k < n + L * L:
            return "transition", *divmod(k - n, L)
        if k >= self.first_triple:
            return "triple", *map(int, np.unravel_index(k - self.first_triple, (L, L, L)))
        kind, label = divmod(k - n - L * L, L)
        return ("start", "stop")[kind], label

    @staticmethod
    def join(
        pairs: Floats, transition: Floats, start: Floats, stop: Floats, triple: Floats | None = None
    ) -> Floats:
        """Return one vector of them all."""
        last = [] if triple is None else [triple.ravel()]
        return np.concatenate([pairs, transition.ravel(), start, stop, *last])

    def split(self, weights: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return views of the pairs, the transitions, the starts and the stops."""
        n, L, _ = self
        first = weights[: self.first_triple]
        pairs, transition, start, stop = np.split(first, np.cumsum([n, L * L, L]))
        return pairs, transition.reshape(L, L), start, stop

    def triples(self, weights: Floats) -> Floats | None:
        """Return a view of the weights of triples, shape (L, L, L); None in a first-order chain."""
        if self.order == 1:
            return None
        return weights[self.first_triple :].reshape((self.n_labels,) * 3)


class PairTable(NamedTuple):
    """Which (feature, label) pairs have a weight: feature j those of start[j]:start[j + 1]."""

    start: NDArray[np.int64]
    label: NDArray[np.int32]


def observed_pairs(
    features: Ragged, gold: NDArray[np.int32], n_labels: int, *, every: bool
) -> PairTable:
    """Return which (feature, label) pairs get a weight: those seen together, or every one.

    Examples
    --------
    >>> from linnet.learn.chain.sentences import checked, read_sentences
    >>> ragged, _ = read_sentences([[["a"], ["a", "b"]]], None)
    >>> table = observed_pairs(checked(ragged), np.array([0, 1], np.int32), 2, every=False)
    >>> table.start.tolist(), table.label.tolist()
    ([0, 2, 3], [0, 1, 1])
    """
    J, L = features.n_features, n_labels
    if every:
        start = np.arange(J + 1, dtype=np.int64) * L
        return PairTable(start, np.tile(np.arange(L, dtype=np.int32), J))
    if isinstance(features, SentencesElsewhere):
        return features.observed_pairs(gold, L)
    seen = _core.ObservedPairs(features.matrix, gold, L)
    table = PairTable(np.empty(J + 1, np.int64), np.empty(seen.size, np.int32))
    seen.copy(table.start, table.label)
    return table


def merge_pairs(
    old: PairTable, new: PairTable, n_labels: int
) -> tuple[PairTable, NDArray[np.int64]]:
    """Return the union of two sets of (feature, label) pairs, and where the old ones went.

    Examples
    --------
    >>> old = PairTable(np.array([0, 1, 2]), np.array([1, 0], np.int32))
    >>> new = PairTable(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32))
    >>> (start, label), places = merge_pairs(old, new, 2)
    >>> start.tolist(), label.tolist(), places.tolist()
    ([0, 2, 4], [0, 1, 0, 1], [1, 2])
    """
    first, second = pair_keys(old, n_labels), pair_keys(new, n_labels)
    keys = united_keys([first, second])
    return pairs_of_keys(keys, len(old.start) - 1, n_labels), np.searchsorted(keys, first)


def pair_keys(pairs: PairTable, n_labels: int) -> NDArray[np.int64]:
    """Return a number for each (feature, label) pair, in ascending order."""
    features = np.arange(len(pairs.start) - 1)
    return np.repeat(features, np.diff(pairs.start)) * n_labels + pairs.label


def pairs_of_keys(keys: NDArray[np.int64], n_features: int, n_labels: int) -> PairTable:
    """Return the pairs that have numbers."""
    counts = np.bincount(keys // n_labels, minlength=n_features)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return PairTable(start, (keys % n_labels).astype(np.int32))


def united_keys(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return what occurs in any of several ascending arrays, in ascending order.

    Examples
    --------
    >>> united_keys([np.array([1, 4]), np.array([0, 4, 9])]).tolist()
    [0, 1, 4, 9]
    """
    keys = np.sort(np.concatenate(parts), kind="stable")  # which merges runs that are sorted
    return keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys


class Following(NamedTuple):
    """Label i may weigh together with each label of ``next[start[i]:start[i + 1]]`` after it."""

    start: NDArray[np.int64]
    next: NDArray[np.int32]


def observed_triples(
    gold: NDArray[np.int32], sentence: NDArray[np.int64], n_labels: int
) -> NDArray[np.uint8]:
    """Return which labels follow each other three in a row in some sentence: (L, L, L), 1 or 0.

    Examples
    --------
    >>> seen = observed_triples(np.array([0, 1, 1, 0, 0], np.int32), np.array([0, 3, 5]), 2)
    >>> np.argwhere(seen).tolist()
    [[0, 1, 1]]
    """
    seen = np.zeros((n_labels,) * 3, np.uint8)
    place = np.arange(len(gold)) - np.repeat(sentence[:-1], np.diff(sentence))
    last = np.flatnonzero(place >= 2)
    seen[gold[last - 2], gold[last - 1], gold[last]] = 1
    return seen


def observed_transitions(
    gold: NDArray[np.int32], sentence: NDArray[np.int64], n_labels: int
) -> Following:
    """Return the pairs of labels that stand next to each other in some sentence.

    Examples
    --------
    >>> gold, sentence = np.array([0, 1, 1, 0], np.int32), np.array([0, 3, 4])
    >>> start, following = observed_transitions(gold, sentence, 2)
    >>> start.tolist(), following.tolist()
    ([0, 1, 2], [1, 1])
    """
    inner = np.ones(max(0, len(gold) - 1), dtype=bool)  # pairs t, t + 1 within a sentence
    edges = sentence[1:-1]
    inner[edges[(edges > 0) & (edges < len(gold))] - 1] = False
    pairs = np.unique(gold[:-1][inner].astype(np.int64) * n_labels + gold[1:][inner])
    counts = np.bincount(pairs // n_labels, minlength=n_labels)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Following(start, (pairs % n_labels).astype(np.int32))


def wanted_transitions(
    choice: Any, gold: NDArray[np.int32], sentence: NDArray[np.int64], n_labels: int
) -> Following | None:
    """Return the transitions that get a weight, or None for all of them."""
    if choice == "all" or (choice == "auto" and n_labels <= MOST_FOR_ALL):
        return None
    return observed_transitions(gold, sentence, n_labels)
