"""The shape of a label tree: labels with like examples come together, in halves of one size.

Each label is a point, the sum of its examples scaled to length 1. Two of the points are drawn as
first centres; then, a few times over, labels are sorted by how much nearer they are to one centre
than to the other, the first half goes to one side, and the centres become the means of the halves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["Shape", "grow", "halves", "label_points"]

Ints = NDArray[np.int64]
_ROUNDS = 5


class Shape(NamedTuple):
    """The children of every node; node 0 is the root.

    Attributes
    ----------
    first : array of shape (nodes + 1,)
        The children of node v are first[v] .. first[v + 1] - 1.
    child : array of shape (children,)
        The number of an inner node, or -1 - k for label number k.
    """

    first: Ints
    child: Ints


def label_points(X: sp.csr_matrix, gold: NDArray[np.int32], n_labels: int) -> sp.csr_matrix:
    """Return the sum of the examples of each label, scaled to length 1; shape (labels, J)."""
    rows = np.arange(len(gold))
    chosen = sp.csr_matrix((np.ones(len(gold)), (gold, rows)), shape=(n_labels, len(gold)))
    points = sp.csr_matrix(chosen @ X, dtype=np.float64)
    length = np.sqrt(np.asarray(points.multiply(points).sum(axis=1)).ravel())
    return sp.csr_matrix(sp.diags(1.0 / np.where(length > 0, length, 1.0)) @ points)


def halves(points: Any, labels: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Cut labels into two halves of like ones; the first is larger by one if they are odd.

    Examples
    --------
    >>> points = sp.csr_matrix(np.array([[1.0, 0], [0, 1.0], [0.9, 0.1], [0.1, 0.9]]))
    >>> sorted(part.tolist() for part in halves(points, np.arange(4), np.random.default_rng(0)))
    [[0, 2], [1, 3]]
    """
    own = points[labels]
    a, b = rng.choice(len(labels), 2, replace=False)
    towards = (own[a] - own[b]).toarray().ravel()
    for _ in range(_ROUNDS):
        order = np.argsort(-(own @ towards), kind="stable")
        middle = (len(labels) + 1) // 2
        near, far = np.sort(order[:middle]), np.sort(order[middle:])
        towards = np.asarray(own[near].mean(axis=0) - own[far].mean(axis=0)).ravel()
    return labels[near], labels[far]


def grow(points: Any, branching: int, leaf_labels: int, seed: int) -> Shape:
    """Return a tree whose inner nodes have `branching` children, the last ones labels.

    Parameters
    ----------
    points : matrix of shape (labels, J)
    branching : int
        A power of two.
    leaf_labels : int
        A node of at most so many labels has these as its children.
    seed : int

    Examples
    --------
    >>> shape = grow(sp.csr_matrix(np.eye(4)), 2, 2, 0)
    >>> shape.first.tolist(), shape.child[:2].tolist(), sorted((-1 - shape.child[2:]).tolist())
    ([0, 2, 4, 6], [1, 2], [0, 1, 2, 3])
    """
    rng = np.random.default_rng(seed)
    waiting, children = [np.arange(points.shape[0], dtype=np.int64)], []
    for labels in waiting:  # grows on the way: a node's children are numbered after it
        if len(labels) <= leaf_labels:
            children.append(-1 - labels)
            continue
        groups = [labels]
        while len(groups) < branching and len(groups[0]) > 1:
            groups = [half for group in groups for half in _cut(points, group, rng)]
        children.append(len(waiting) + np.arange(len(groups), dtype=np.int64))
        waiting += groups
    first = np.concatenate([[0], np.cumsum([len(part) for part in children])])
    return Shape(first.astype(np.int64), np.concatenate(children))


def _cut(points: Any, labels: Ints, rng: np.random.Generator) -> list[Ints]:
    return [labels] if len(labels) < 2 else list(halves(points, labels, rng))
