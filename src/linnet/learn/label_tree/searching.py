"""From the scores of all children to the labels: every path, or a beam of the best ones.

ln p(label | x) is the sum, over the nodes on the way to it, of the log of the softmax of the scores
of the children there. A beam goes down level by level and keeps the best few of what it has met.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.learn.label_tree.growing import Shape

__all__ = ["all_labels", "beam_labels", "parents"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def parents(shape: Shape) -> tuple[Ints, Ints]:
    """Return the node of each child, and the child that is each node; -1 for the root."""
    node = np.repeat(np.arange(len(shape.first) - 1), np.diff(shape.first))
    place = np.full(len(shape.first) - 1, -1, np.int64)
    inner = np.flatnonzero(shape.child >= 0)
    place[shape.child[inner]] = inner
    return node, place


def all_labels(scores: Floats, shape: Shape) -> Floats:
    """Return ln p of every label, shape (n, K), from the scores of all children.

    Examples
    --------
    >>> shape = Shape(np.array([0, 2, 4]), np.array([-1, 1, -2, -3]))
    >>> np.exp(all_labels(np.zeros((1, 4)), shape)).tolist()
    [[0.5, 0.25, 0.25]]
    """
    first = shape.first[:-1]
    node, place = parents(shape)
    step = scores - np.maximum.reduceat(scores, first, axis=1)[:, node]
    step -= np.log(np.add.reduceat(np.exp(step), first, axis=1))[:, node]
    reached = np.zeros((len(scores), len(first)))
    for v in range(1, len(first)):  # a node comes after its parent
        reached[:, v] = reached[:, node[place[v]]] + step[:, place[v]]
    leaf = np.flatnonzero(shape.child < 0)
    out = np.empty((len(scores), len(leaf)))
    out[:, -1 - shape.child[leaf]] = reached[:, node[leaf]] + step[:, leaf]
    return out


def beam_labels(scores: Floats, shape: Shape, width: int) -> Ints:
    """Return the best label that a beam of so many paths finds, shape (n,)."""
    row = np.arange(len(scores))
    child, value = np.full(len(scores), -1, np.int64), np.zeros(len(scores))
    node = np.zeros(len(scores), np.int64)  # of those that are not at a label yet
    open_ = np.ones(len(scores), bool)
    while open_.any():
        down = _expanded(scores, shape, row[open_], node[open_], value[open_])
        closed = ~open_
        row = np.concatenate([row[closed], down[0]])
        child = np.concatenate([child[closed], down[1]])
        value = np.concatenate([value[closed], down[2]])
        order = np.lexsort((child, -value, row))  # of equal paths the first child
        begin = np.searchsorted(row[order], np.arange(len(scores)))
        rank = np.arange(len(order)) - begin[row[order]]
        kept = order[rank < width]
        row, child, value = row[kept], child[kept], value[kept]
        target = shape.child[child]
        open_, node = target >= 0, target
    best = np.searchsorted(row, np.arange(len(scores)))
    labels: Ints = -1 - shape.child[child[best]]
    return labels


def _expanded(
    scores: Floats, shape: Shape, row: Ints, node: Ints, value: Floats
) -> tuple[Ints, Ints, Floats]:
    """Return row, child and ln p of all children of some nodes."""
    lengths = (shape.first[node + 1] - shape.first[node]).astype(np.int64)
    begin = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    child = np.repeat(shape.first[node] - begin, lengths) + np.arange(lengths.sum())
    rows = np.repeat(row, lengths)
    step = scores[rows, child]
    step -= np.repeat(np.maximum.reduceat(step, begin), lengths)
    step -= np.repeat(np.log(np.add.reduceat(np.exp(step), begin)), lengths)
    return rows, child, step + np.repeat(value, lengths)
