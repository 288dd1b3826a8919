"""The decision: the class of largest score, and the one rule for ties (SPEC C-04, C-06).

Two classes may share one column of scores, which speaks for the second: a score of exactly 0 goes
to it. Else the lowest class number wins. Nothing here needs more than NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ranking", "winners"]


def winners(scores: NDArray[Any]) -> NDArray[np.intp]:
    """Return the number of the class of largest score of each row.

    Parameters
    ----------
    scores : array of shape (n,) or (n, 1) for two classes, else (n, K)

    Examples
    --------
    >>> winners(np.array([-1.0, 0.0, 2.0])).tolist()
    [0, 1, 1]
    >>> winners(np.array([[1.0, 3.0, 3.0]])).tolist()
    [1]
    """
    if scores.ndim == 1 or scores.shape[1] == 1:
        return (scores.reshape(len(scores)) >= 0).astype(np.intp)
    return np.asarray(scores.argmax(axis=1))


def ranking(scores: NDArray[Any], first: NDArray[np.intp], k: int) -> NDArray[np.intp]:
    """Return the numbers of the k best classes of each row, the answer first, shape (n, k).

    Parameters
    ----------
    scores : array of shape (n, 1) for two classes, else (n, K)
    first : array of shape (n,)
        The answers: :func:`winners`, or what a learner with another rule for ties says.

    Examples
    --------
    >>> ranking(np.array([[2.0, 5.0, 5.0]]), np.array([2]), 3).tolist()
    [[2, 1, 0]]
    """
    if k == 1:
        return first[:, None]
    if scores.shape[1] == 1:
        return np.stack([first, 1 - first], axis=1)[:, :k]
    order = np.argsort(-scores, axis=1, kind="stable")
    answer_first = np.argsort(order != first[:, None], axis=1, kind="stable")
    return np.take_along_axis(order, answer_first[:, :k], axis=1)
