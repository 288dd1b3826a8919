"""A naive Bayes tagger.

Problem: max sum ln P(X, T), where over the features f of each token
P(X, T) = P(t_1) prod_{i>1} P(t_i | t_{i-1}) prod_i prod_f P(f | t_i).
Given: sentences of lists of feature ids 0..J-1, tags 0..L-1, smoothing alpha. Returned:
logarithms of start (L,), transition (L, L) and emission (J, L), by counting:

    P(j | start) = (c(start, j) + alpha) / (S + alpha L)        S sentences that have a token
    P(j | i)     = (c(i, j) + alpha) / (c(i, .) + alpha L)
    P(f | j)     = (c(j, f) + alpha) / (c(j, .) + alpha J)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.reference.common import FloatArray

__all__ = ["naive_bayes_tagger"]


def naive_bayes_tagger(
    sentences: Sequence[Sequence[Sequence[int]]],
    tags: Sequence[Sequence[int]],
    n_features: int,
    n_tags: int,
    alpha: float,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return ln P of start (L,), transition (L, L) and emission (J, L).

    Examples
    --------
    >>> start, _, emission = naive_bayes_tagger([[[0], [1]]], [[0, 1]], 2, 2, 1.0)
    >>> np.exp(start).round(3).tolist(), np.exp(emission).round(3).tolist()
    ([0.667, 0.333], [[0.667, 0.333], [0.333, 0.667]])
    """
    start = np.full(n_tags, alpha)
    step = np.full((n_tags, n_tags), alpha)
    emit = np.full((n_features, n_tags), alpha)
    for tokens, labels in zip(sentences, tags, strict=True):
        for place, (features, tag) in enumerate(zip(tokens, labels, strict=True)):
            if place == 0:
                start[tag] += 1
            else:
                step[labels[place - 1], tag] += 1
            for feature in features:
                emit[feature, tag] += 1
    return (
        np.log(start / start.sum()),
        np.log(step / step.sum(axis=1, keepdims=True)),
        np.log(emit / emit.sum(axis=0)),
    )
