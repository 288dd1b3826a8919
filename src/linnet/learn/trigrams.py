r"""Probabilities of a label after the two before it, by deleted interpolation (SPEC M-111, M-112).

.. math:: P(c \mid a, b) = r_b\,(\lambda_3 f(c \mid a, b) + \lambda_2 P(c \mid b) + \lambda_1 P(c))

f is the relative frequency, P(c | b) and P(c) are smoothed as in the model of first order, and r is
the probability of going on, 1 unless sentences have a stop. The weights λ are the same everywhere:
each triple that occurred is left out once, and its count goes to the λ whose frequency then
predicts it best (Brants 2000). After a pair that was never seen, λ₃ is shared between the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.learn.generative import log

__all__ = ["Floats", "count_triples", "interpolated", "interpolation_weights"]

Floats = NDArray[np.float64]


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
