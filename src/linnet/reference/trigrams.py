r"""The trigram hidden Markov model: a tag depends on the two before it (SPEC M-111, M-112).

Problem
    P(c | a, b) for all triples of tags, though most of them were never seen
Given
    sentences of tags 0 .. L - 1, and the amount alpha added to counts of pairs and of tags.
Returned
    P(c | a, b), (L, L, L), and the weights of the three sources.

.. math:: P(c \mid a, b) = \lambda_3 f(c \mid a, b) + \lambda_2 P(c \mid b) + \lambda_1 P(c)

Deleted interpolation (Brants 2000) finds the weights: leave each triple out once, ask which of the
three sources now gives it the largest probability, and let the triple vote for that one, as often
as it occurred. A source that has nothing left after the deletion gives 0.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import numpy as np

from linnet.reference.common import FloatArray

__all__ = ["deleted_interpolation", "trigram_probabilities"]


def _without_one(count: int, total: int) -> float:
    return (count - 1) / (total - 1) if total > 1 else 0.0


def deleted_interpolation(sentences: Sequence[Sequence[int]]) -> tuple[float, float, float]:
    """Weights of single tags, pairs and triples; of equals the longer history wins.

    Examples
    --------
    >>> deleted_interpolation([[0, 1, 0, 1, 0, 1]])
    (0.0, 0.0, 1.0)
    """
    tags = Counter(tag for tags in sentences for tag in tags)
    pairs = Counter(pair for t in sentences for pair in itertools.pairwise(t))
    triples = Counter(three for t in sentences for three in zip(t, t[1:], t[2:], strict=False))
    votes = [0, 0, 0]
    for (a, b, c), count in triples.items():
        after_both = sum(n for (x, y, _), n in triples.items() if (x, y) == (a, b))
        after_one = sum(n for (x, _), n in pairs.items() if x == b)
        sources = [
            _without_one(count, after_both),
            _without_one(pairs[b, c], after_one),
            _without_one(tags[c], sum(tags.values())),
        ]
        votes[2 - int(np.argmax(sources))] += count
    total = sum(votes)
    if total == 0:
        return 0.5, 0.5, 0.0
    return votes[0] / total, votes[1] / total, votes[2] / total


def trigram_probabilities(
    sentences: Sequence[Sequence[int]], n_tags: int, alpha: float
) -> FloatArray:
    """P(c | a, b); after a pair that was never seen the weight of triples goes to the others.

    Examples
    --------
    >>> trigram_probabilities([[0, 1, 0, 1, 0, 1]], 2, 0.5)[0, 1].tolist()
    [1.0, 0.0]
    """
    one, two, three = deleted_interpolation(sentences)
    single, pair, triple = np.zeros(n_tags), np.zeros((n_tags,) * 2), np.zeros((n_tags,) * 3)
    for tags in sentences:
        for t, c in enumerate(tags):
            single[c] += 1
            if t > 0:
                pair[tags[t - 1], c] += 1
            if t > 1:
                triple[tags[t - 2], tags[t - 1], c] += 1
    p1 = (single + alpha) / (single + alpha).sum()
    p2 = (pair + alpha) / (pair + alpha).sum(axis=1, keepdims=True)
    out = np.empty_like(triple)
    for a in range(n_tags):
        for b in range(n_tags):
            seen = triple[a, b].sum()
            shorter = two * p2[b] + one * p1
            if seen > 0:
                out[a, b] = three * triple[a, b] / seen + shorter
            else:
                out[a, b] = shorter / (one + two) if one + two > 0 else p2[b]
    return out
