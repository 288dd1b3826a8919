r"""Decision trees over symbolic and numeric attributes (M-107, A-50).

Problem
    A tree of tests on single attributes whose leaves hold examples of one class.
Given
    Rows of values: text and other symbols, or numbers; None is missing. Classes y in 0..K-1.
Returned
    Nested nodes. A node keeps its class counts, so it can answer for values it has not seen.

    gain(A)  = H(Y) - sum_b P(b) H(Y | b)        b: the branches of attribute A
    ratio(A) = gain(A) / H(b)

Recursion: stop at a pure node, at the depth limit, or when no attribute has two branches with
min_leaf examples; else split on the attribute of largest ratio (or gain), the first on ties,
even at a gain of zero. A number is cut at the midpoint of largest gain, the lowest on ties. A
missing value is a branch of its own. A value without a branch gets the answer of its node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from linnet.reference.common import FloatArray, IntArray

__all__ = ["Node", "entropy", "gain_and_ratio", "grow", "predict"]

TIE = 1e-10  # scores closer than this are equal


@dataclass
class Node:
    """Class counts (K,); attribute and threshold of the test; the children by branch."""

    counts: FloatArray
    attribute: int = -1
    threshold: float | None = None
    children: dict[Any, Node] = field(default_factory=dict)

    def size(self) -> int:
        """Return the number of nodes from here down."""
        return 1 + sum(child.size() for child in self.children.values())


def entropy(counts: FloatArray) -> float:
    """Return the entropy of counts in bits.

    Examples
    --------
    >>> entropy(np.array([2.0, 2.0]))
    1.0
    """
    p = counts[counts > 0] / counts.sum()
    return float(-(p * np.log2(p)).sum()) + 0.0


def gain_and_ratio(table: FloatArray) -> tuple[float, float]:
    """Return information gain and gain ratio of a table (branches, classes) (M-100, M-101).

    Examples
    --------
    >>> gain_and_ratio(np.array([[2.0, 0.0], [0.0, 2.0]]))
    (1.0, 1.0)
    """
    size = table.sum(axis=1)
    rest = sum(n / size.sum() * entropy(row) for n, row in zip(size, table, strict=True))
    gain, information = entropy(table.sum(axis=0)) - rest, entropy(size)
    return float(gain), float(gain / information) if information > 0 else 0.0


def branch(value: Any, threshold: float | None) -> Any:
    """Return the branch of a value: itself, or the side of the threshold; None is missing."""
    return value if value is None or threshold is None else value > threshold


def _table(values: Sequence[Any], y: IntArray, K: int, threshold: float | None) -> dict[Any, Any]:
    table: dict[Any, Any] = {}
    for value, label in zip(values, y, strict=True):
        table.setdefault(branch(value, threshold), np.zeros(K))[label] += 1
    return table


def _thresholds(values: Sequence[Any]) -> list[float]:
    known = sorted({value for value in values if value is not None})
    cuts = [(a + b) / 2 for a, b in pairwise(known)]
    return [*cuts, np.inf]


def _best_split(
    values: Sequence[Any], y: IntArray, K: int, ratio: bool, min_leaf: float
) -> tuple[float, float | None] | None:
    """Return (score, threshold) of the best split on one attribute, or None."""
    numeric = all(isinstance(v, (int, float)) for v in values if v is not None)
    best: tuple[float, float, float | None] | None = None
    for threshold in _thresholds(values) if numeric else [None]:
        if threshold == np.inf and best is not None:
            break  # known against missing: only where no cut is possible
        table = np.array(list(_table(values, y, K, threshold).values()))
        if len(table) < 2 or (table.sum(axis=1) >= min_leaf).sum() < 2:
            continue
        gain, gain_ratio = gain_and_ratio(table)
        if best is None or gain > best[0] + TIE:
            best = gain, gain_ratio if ratio else gain, threshold
    return None if best is None else best[1:]


def grow(
    rows: Sequence[Sequence[Any]],
    y: IntArray,
    K: int,
    *,
    ratio: bool = True,
    min_leaf: float = 1,
    depth: int | None = None,
) -> Node:
    """Grow a tree.

    Examples
    --------
    >>> tree = grow([["a", 1], ["a", 2], ["b", 1]], np.array([0, 1, 1]), 2)
    >>> tree.attribute, sorted(tree.children)
    (0, ['a', 'b'])
    """
    node = Node(np.bincount(y, minlength=K).astype(np.float64))
    if (node.counts > 0).sum() < 2 or depth == 0:
        return node
    score = -np.inf
    for j in range(len(rows[0])):
        split = _best_split([row[j] for row in rows], y, K, ratio, min_leaf)
        if split is not None and (node.attribute < 0 or split[0] > score + TIE):
            score, node.threshold = split
            node.attribute = j
    if node.attribute < 0:
        return node
    taken = [branch(row[node.attribute], node.threshold) for row in rows]
    for value in dict.fromkeys(taken):
        members = [i for i, other in enumerate(taken) if other == value]
        node.children[value] = grow(
            [rows[i] for i in members],
            y[members],
            K,
            ratio=ratio,
            min_leaf=min_leaf,
            depth=None if depth is None else depth - 1,
        )
    return node


def predict(node: Node, row: Sequence[Any]) -> int:
    """Follow the branches as far as they go; answer the most frequent class, the lowest on ties.

    Examples
    --------
    >>> tree = grow([["a"], ["b"], ["b"]], np.array([0, 1, 1]), 2)
    >>> predict(tree, ["a"]), predict(tree, ["unseen"])
    (0, 1)
    """
    while node.attribute >= 0:
        child = node.children.get(branch(row[node.attribute], node.threshold))
        if child is None:
            break
        node = child
    return int(node.counts.argmax())
