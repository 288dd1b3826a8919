"""A tree over labels: how it is cut, and the probability of each label.

Problem: p(y | x) for very many labels y. Given: a point for each label, and for each node of a tree
a score of every child. Returned: halves of like labels, of one size; and

    ln p(y | x) = sum over the nodes v on the path to y of  s_c - ln sum_{c' child of v} exp s_c'

where c is the child of v on the path. A tree is nested lists: a label is its number, an inner node
a list of children.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linnet.reference.common import FloatArray, IntArray

__all__ = ["label_halves", "label_log_probabilities"]


def label_halves(
    points: FloatArray, first: int, second: int, rounds: int = 5
) -> tuple[IntArray, IntArray]:
    """Return the numbers of the points in each half, by balanced 2-means.

    Parameters
    ----------
    points : array of shape (K, J)
    first, second : int
        The points that are the centres of the first round.

    Examples
    --------
    >>> near, far = label_halves(np.array([[1.0, 0], [0, 1], [0.9, 0.1], [0.1, 0.9]]), 0, 1)
    >>> near.tolist(), far.tolist()
    ([0, 2], [1, 3])
    """
    a, b = points[first], points[second]
    near = far = np.arange(0)
    for _ in range(rounds):
        nearer = points @ a - points @ b
        order = np.argsort(-nearer, kind="stable")
        middle = (len(points) + 1) // 2
        near, far = np.sort(order[:middle]), np.sort(order[middle:])
        a, b = points[near].mean(axis=0), points[far].mean(axis=0)
    return near, far


def label_log_probabilities(
    tree: list[Any], scores: Callable[[list[Any]], FloatArray]
) -> dict[int, float]:
    """Return ln p of every label of a tree.

    Parameters
    ----------
    tree : nested lists
    scores : function
        From a node to the scores of its children.

    Examples
    --------
    >>> found = label_log_probabilities([0, [1, 2]], lambda node: np.zeros(len(node)))
    >>> {label: float(np.exp(value)) for label, value in found.items()}
    {0: 0.5, 1: 0.25, 2: 0.25}
    """
    s = scores(tree)
    step = s - np.logaddexp.reduce(s)
    found: dict[int, float] = {}
    for child, value in zip(tree, step.tolist(), strict=True):
        if isinstance(child, list):
            below = label_log_probabilities(child, scores)
            found |= {label: value + rest for label, rest in below.items()}
        else:
            found[child] = value
    return found
