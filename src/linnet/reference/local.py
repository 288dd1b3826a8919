r"""Local classifiers: one decision a token, from left to right (M-110).

Problem
    t_i = argmax_t s_t(x_i, t_{i-1}, ..., t_{i-h})          for i = 1..n, one after the other
Given
    a sentence X (n, J), one token a row; a history of h >= 0 tags; weights W of shape
    (J + h (L+1), L), from any flat learner.
Returned
    the rows to train on, or the tags.

A tag of the past is L+1 indicator features, the start symbol last: the first block is the tag just
before, the next block the one before that. In training the past is the gold one; in use it is what
the tagger itself has decided, and a decision is never taken back. With h = 0 a tagger is the flat
learner on the rows of the sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.errors import DataError
from linnet.reference.common import FloatArray, IntArray, one_hot

__all__ = ["row", "rows", "tag"]


def row(x: FloatArray, past: Sequence[int], n_labels: int, history: int) -> FloatArray:
    """Return a token's features and the tags before it, nearest first: (J + h (L+1),).

    Examples
    --------
    >>> row(np.array([7.0]), [0, 1], n_labels=2, history=1)
    array([7., 0., 1., 0.])
    >>> row(np.array([7.0]), [], n_labels=2, history=1)
    array([7., 0., 0., 1.])
    """
    padded = [n_labels] * history + list(past)
    nearest_first = np.array(padded[len(padded) - history :][::-1], dtype=np.intp)
    return np.concatenate([x, one_hot(nearest_first, n_labels + 1).ravel()])


def rows(X: FloatArray, gold: IntArray, n_labels: int, history: int) -> FloatArray:
    """Return the training rows of a sentence, whose past is gold: (n, J + h (L+1)).

    Examples
    --------
    >>> rows(np.array([[7.0], [8.0]]), np.array([1, 0]), n_labels=2, history=1)
    array([[7., 0., 0., 1.],
           [8., 0., 1., 0.]])
    """
    each = [row(x, gold[:i].tolist(), n_labels, history) for i, x in enumerate(X)]
    return np.array(each).reshape(len(X), X.shape[1] + history * (n_labels + 1))


def tag(X: FloatArray, W: FloatArray, history: int) -> IntArray:
    """Return the tags of a sentence, decided from left to right; ties go to the lowest.

    Examples
    --------
    >>> W = np.array([[1.0, 0.0], [0.0, 3.0], [0.0, 0.0], [0.0, 0.0]])  # after tag 0 comes tag 1
    >>> tag(np.ones((3, 1)), W, history=1)
    array([0, 1, 0])
    """
    n_labels = W.shape[1]
    if len(W) != X.shape[1] + history * (n_labels + 1):
        raise DataError(
            f"W has {len(W)} rows: {X.shape[1]} features and {history} tags before "
            f"a token need {X.shape[1] + history * (n_labels + 1)}"
        )
    labels: list[int] = []
    for x in X:
        labels.append(int(np.argmax(row(x, labels, n_labels, history) @ W)))
    return np.array(labels, dtype=np.intp)
