r"""Counts of starts, steps, stops and words, and the probabilities made of them (SPEC M-111, A-55).

With :math:`c` the counts, :math:`S` sentences, :math:`L` labels and :math:`V` words, and one more
type for all words that were not seen:

.. math::
   P(j \mid \text{start}) = \frac{c_{\cdot j} + \alpha}{S + \alpha L}, \quad
   P(j \mid i) = \frac{c_{ij} + \alpha}{c_{i\cdot} + \alpha L}, \quad
   P(w \mid j) = \frac{c_{jw} + \alpha}{c_j + \alpha (V + 1)}

With a stop there are L + 1 successors. A label without any data has 0/0, which is taken as 0.

In a model of second order a label depends on the two before it, by deleted interpolation (M-112):

.. math:: P(c \mid a, b) = r_b\,(\lambda_3 f(c \mid a, b) + \lambda_2 P(c \mid b) + \lambda_1 P(c))

f is the relative frequency, P(c | b) and P(c) are smoothed as above, and r is the probability of
going on, 1 unless sentences have a stop. The weights λ are the same everywhere: each triple that
occurred is left out once, and its count goes to the λ whose frequency then predicts it best (Brants
2000). After a pair that was never seen, λ₃ is shared between the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.learn.shared.generative import log

__all__ = [
    "Counts",
    "Estimate",
    "added_counts",
    "count_gold",
    "count_triples",
    "interpolated",
    "interpolation_weights",
    "log_rows",
    "places",
]

Floats = NDArray[np.float64]


class Estimate(NamedTuple):
    """Logarithms of probabilities; word w has the labels label[first[w]:first[w + 1]].

    ``background`` is that of a word never seen with a label.
    """

    start: Floats
    transition: Floats
    stop: Floats
    first: NDArray[np.int64]
    label: NDArray[np.int32]
    emission: Floats
    background: Floats


@dataclass(frozen=True)
class Counts:
    """Counts, real or expected; those of words are sparse, word by word."""

    start: Floats
    transition: Floats
    stop: Floats
    first: NDArray[np.int64]
    label: NDArray[np.int32]
    word: Floats

    @property
    def labels(self) -> Floats:
        """How often each label occurs."""
        return _sums(self.label, self.word, len(self.start))

    def log_likelihood(self, model: Estimate) -> float:
        """Return the sum of count times log probability: ln P(W, T) of all that was counted."""
        counts = (self.start, self.transition.ravel(), self.stop, self.word)
        logs = (model.start, model.transition.ravel(), model.stop, model.emission)
        c, p = np.concatenate(counts), np.concatenate(logs)
        return float(c[c > 0] @ p[c > 0])

    def estimate(self, alpha: float, *, stop: bool) -> Estimate:
        """Turn counts into log probabilities."""
        L, V = len(self.start), len(self.first) - 1
        onward = np.hstack([self.transition, self.stop[:, None]]) if stop else self.transition
        steps = log_rows(onward, alpha)
        size = log(self.labels + alpha * (V + 1))
        possible = np.isfinite(size)
        size = np.where(possible, size, 0.0)  # 0/0: every numerator is 0 as well
        return Estimate(
            start=log_rows(self.start, alpha),
            transition=np.ascontiguousarray(steps[:, :L]),
            stop=np.ascontiguousarray(steps[:, -1]) if stop else np.zeros(L),
            first=self.first,
            label=self.label,
            emission=log(self.word + alpha) - size[self.label],
            background=log(np.full(L, alpha)) - size,
        )


def log_rows(counts: Floats, alpha: float) -> Floats:
    """Return ln of (count + alpha) over its sum along the last axis; 0/0 is 0.

    Examples
    --------
    >>> np.exp(log_rows(np.array([[1.0, 2.0], [0.0, 0.0]]), 1.0)).round(3)
    array([[0.4, 0.6],
           [0.5, 0.5]])
    """
    smoothed = counts + alpha
    total = log(smoothed.sum(axis=-1, keepdims=True))
    return log(smoothed) - np.where(np.isfinite(total), total, 0.0)


def count_gold(
    words: NDArray[np.int64],
    gold: NDArray[np.int32],
    sentence: NDArray[np.int64],
    weight: Floats,
    sizes: tuple[int, int],
) -> Counts:
    """Count labelled sentences; `sizes` are the numbers of labels and of words."""
    L, V = sizes
    lengths = np.diff(sentence)
    each = np.repeat(weight, lengths)
    filled = lengths > 0
    first, last = sentence[:-1][filled], sentence[1:][filled] - 1
    inside = np.ones(len(gold), bool)
    inside[first] = False  # a token with a token before it
    after = np.flatnonzero(inside)
    steps = gold[after - 1].astype(np.int64) * L + gold[after]
    keys, place = np.unique(words * L + gold, return_inverse=True)
    counts = _sums(place, each, len(keys))
    keys, counts = keys[counts > 0], counts[counts > 0]
    per_word = np.bincount(keys // L, minlength=V)
    ends = weight[filled]
    return Counts(
        start=_sums(gold[first], ends, L),
        transition=_sums(steps, each[after], L * L).reshape(L, L),
        stop=_sums(gold[last], ends, L),
        first=np.concatenate([[0], np.cumsum(per_word)]).astype(np.int64),
        label=(keys % L).astype(np.int32),
        word=counts,
    )


def added_counts(parts: Sequence[Counts]) -> Counts:
    """Return the counts of several pieces together, which number labels and words alike.

    Examples
    --------
    >>> words, gold = np.array([0, 1]), np.array([0, 1], np.int32)
    >>> one = count_gold(words, gold, np.array([0, 2]), np.ones(1), (2, 2))
    >>> added_counts([one, one]).word.tolist()
    [2.0, 2.0]
    """
    L, V = len(parts[0].start), len(parts[0].first) - 1
    keys = np.concatenate(
        [np.repeat(np.arange(V), np.diff(part.first)) * L + part.label for part in parts]
    )
    kept, place = np.unique(keys, return_inverse=True)
    per_word = np.bincount(kept // L, minlength=V)
    return Counts(
        start=np.sum([part.start for part in parts], axis=0),
        transition=np.sum([part.transition for part in parts], axis=0),
        stop=np.sum([part.stop for part in parts], axis=0),
        first=np.concatenate([[0], np.cumsum(per_word)]).astype(np.int64),
        label=(kept % L).astype(np.int32),
        word=_sums(place, np.concatenate([part.word for part in parts]), len(kept)),
    )


def _sums(of: NDArray[Any], weights: Floats, size: int) -> Floats:
    return np.bincount(of, weights=weights, minlength=size).astype(np.float64)


def places(
    first: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the entries of some rows stand, and which of the given rows each belongs to.

    Examples
    --------
    >>> at, owner = places(np.array([0, 2, 3]), np.array([1, 0]))
    >>> at.tolist(), owner.tolist()
    ([2, 0, 1], [0, 1, 1])
    """
    sizes = first[rows + 1] - first[rows]
    owner = np.repeat(np.arange(len(rows)), sizes)
    at = np.repeat(first[rows] - (np.cumsum(sizes) - sizes), sizes) + np.arange(len(owner))
    return at, owner


def count_triples(
    gold: NDArray[np.int32], sentence: NDArray[np.int64], weight: Floats, n_labels: int
) -> Floats:
    """Return how often each triple of neighbouring labels occurs, (L, L, L).

    Examples
    --------
    >>> counts = count_triples(np.array([0, 1, 0, 1]), np.array([0, 4]), np.ones(1), 2)
    >>> counts[0, 1, 0], counts[1, 0, 1], counts.sum()
    (np.float64(1.0), np.float64(1.0), np.float64(2.0))
    """
    lengths = np.diff(sentence)
    place = np.arange(len(gold)) - np.repeat(sentence[:-1], lengths)
    third = np.flatnonzero(place >= 2)
    wide = gold.astype(np.int64)
    keys = (wide[third - 2] * n_labels + wide[third - 1]) * n_labels + wide[third]
    each = np.repeat(weight, lengths)[third]
    counts = np.bincount(keys, weights=each, minlength=n_labels**3).astype(np.float64)
    return counts.reshape(n_labels, n_labels, n_labels)


def interpolation_weights(triples: Floats, pairs: Floats, labels: Floats) -> Floats:
    """Return λ₁, λ₂, λ₃ from the counts of triples, pairs and labels; they sum to 1.

    Of frequencies that predict a triple equally well the one with the longer history is taken.

    Examples
    --------
    >>> triples = np.zeros((2, 2, 2))
    >>> triples[0, 1, 0] = 5.0
    >>> interpolation_weights(triples, triples.sum(0), np.array([6.0, 5.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    a, b, c = np.nonzero(triples)
    if not len(a):
        return np.array([0.5, 0.5, 0.0])
    count = triples[a, b, c]
    parts = (
        (count, triples.sum(axis=2)[a, b]),
        (pairs[b, c], pairs.sum(axis=1)[b]),
        (labels[c], np.full(len(c), labels.sum())),
    )
    left = [
        np.divide(seen - 1.0, of - 1.0, out=np.zeros(len(c)), where=of > 1.0) for seen, of in parts
    ]
    winner = 2 - np.argmax(np.stack(left), axis=0)
    votes = np.bincount(winner, weights=count, minlength=3).astype(np.float64)
    return np.asarray(votes / votes.sum())


def interpolated(
    triples: Floats, pairs: Floats, labels: Floats, transition: Floats, alpha: float
) -> Floats:
    """Return ln P(c | a, b), (L, L, L); ``transition`` is ln P(c | b)."""
    one, two, three = interpolation_weights(triples, pairs, labels)
    onward = np.exp(transition)
    going = onward.sum(axis=1, keepdims=True)  # less than 1 where a stop may come
    shares = np.divide(onward, going, out=np.zeros_like(onward), where=going > 0)
    alone = (labels + alpha) / (labels + alpha).sum()
    seen = triples.sum(axis=2, keepdims=True)
    follows = np.divide(triples, seen, out=np.zeros_like(triples), where=seen > 0)
    shorter = two * shares + one * alone
    rest = shorter / (one + two) if one + two > 0 else shares
    mixed = np.where(seen > 0, three * follows + shorter, rest)
    return log(mixed * going)
