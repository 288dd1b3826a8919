"""The nodes of a decision tree as arrays, the way of a row through them, and pruning.

Nodes are numbered breadth first: parents come before children, the levels follow each other, and
the children of one node stand together by ascending branch. So sums over subtrees go level by
level from the end, and the branch of a node is found by bisection in (parent, branch).

Pruning turns nodes into leaves (SPEC A-50):

    chi-squared     a split whose branches and classes may be independent, at a significance level
    pessimistic     a subtree whose expected errors are no fewer than those of its root as a leaf,
                    each leaf counted with the upper limit of a binomial confidence interval
    reduced error   the same with the errors on examples that were held out
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.learn.shared.attributes import MISSING, AttributeTable

__all__ = ["Nodes", "chi_squared", "pessimistic", "reduced_error"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Marks = NDArray[np.bool_]


@dataclass(frozen=True)
class Nodes:
    """m nodes of a tree with K classes.

    Attributes
    ----------
    parent : array of shape (m,)
        -1 for the root.
    branch : array of shape (m,)
        What leads here from the parent: the code of a symbolic value; 0 and 1 for at most and more
        than a threshold; MISSING.
    feature : array of shape (m,)
        The attribute that is tested, -1 in a leaf.
    threshold : array of shape (m,)
        Of a numeric attribute; infinite where it only tells known from missing; else NaN.
    depth : array of shape (m,)
    gain : array of shape (m,)
        Information gain of the split in bits.
    counts : array of shape (m, K)
        Weight of each class.
    """

    parent: Ints
    branch: Ints
    feature: Ints
    threshold: Floats
    depth: Ints
    gain: Floats
    counts: Floats

    def __len__(self) -> int:
        return len(self.parent)

    def levels(self) -> Iterator[slice]:
        """Yield the nodes of each level, the deepest first, without the root."""
        ends = np.searchsorted(self.depth, np.arange(1, int(self.depth[-1]) + 2)).tolist()
        for first, last in zip(reversed(ends[:-1]), reversed(ends[1:]), strict=True):
            yield slice(first, last)

    def subtree_sums(self, values: Floats) -> Floats:
        """Return for each node the sum of `values` over it and all nodes below it."""
        sums = values.copy()
        for level in self.levels():
            np.add.at(sums, self.parent[level], sums[level])
        return sums

    def cut(self, leaves: Marks) -> Nodes:
        """Return the tree in which the marked nodes are leaves."""
        dropped = np.zeros(len(self), dtype=np.bool_)
        for level in reversed(list(self.levels())):
            above = self.parent[level]
            dropped[level] = dropped[above] | leaves[above]
        kept = ~dropped
        number = np.cumsum(kept) - 1
        parts = {field.name: getattr(self, field.name)[kept] for field in fields(self)}
        parts["parent"] = np.where(parts["parent"] < 0, -1, number[parts["parent"]])
        parts["parent"] = parts["parent"].astype(np.int32)
        bare = leaves[kept]
        parts["feature"] = np.where(bare, np.int32(-1), parts["feature"])
        parts["threshold"] = np.where(bare, np.nan, parts["threshold"])
        parts["gain"] = np.where(bare, 0.0, parts["gain"])
        return Nodes(**parts)

    def keys(self) -> NDArray[np.int64]:
        """Return (parent, branch) of all nodes but the root as ascending numbers."""
        return self.parent[1:].astype(np.int64) * (1 << 32) + (self.branch[1:] - MISSING)

    def route(self, table: AttributeTable) -> Ints:
        """Return the node each row ends in: a leaf, or where its value has no branch."""
        node = np.zeros(table.n_rows, dtype=np.int32)
        keys, walking = self.keys(), np.arange(table.n_rows)
        while len(walking):
            walking = walking[self.feature[node[walking]] >= 0]
            if not len(walking):
                break
            here = node[walking]
            wanted = here.astype(np.int64) * (1 << 32) + (self._branches(table, walking, here))
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            found = keys[at] == wanted
            walking = walking[found]
            node[walking] = at[found] + 1
        return node

    def _branches(self, table: AttributeTable, rows: NDArray[np.intp], here: Ints) -> Ints:
        """Return the branch each row takes at its node, counted from MISSING."""
        branch, tested = np.empty(len(rows), np.int32), self.feature[here]
        for j in np.unique(tested).tolist():
            own = tested == j
            values = table.columns[j][rows[own]]
            if table.kinds[j] == "numeric":
                above = values > self.threshold[here[own]]
                branch[own] = np.where(np.isnan(values), MISSING, above)
            else:
                branch[own] = values
        return branch - np.int32(MISSING)

    def check(self, kinds: list[str], sizes: list[int]) -> None:
        """Refuse arrays that make no tree over attributes of these kinds and numbers of values."""
        m = len(self.parent)
        above, feature = self.parent[1:], self.feature
        upwards = m > 0 and self.parent[0] == -1 and (above >= 0).all()
        if not (upwards and (above < np.arange(1, m)).all() and (np.diff(self.keys()) > 0).all()):
            raise DataError("the nodes are no tree")
        if (self.depth[1:] != self.depth[above] + 1).any() or self.depth[0] != 0:
            raise DataError("the depths of the nodes are wrong")
        if (feature[above] < 0).any():
            raise DataError("a node tests an attribute that does not exist")
        ends = [2 if kind == "numeric" else size for kind, size in zip(kinds, sizes, strict=True)]
        branch = self.branch[1:]
        if (branch < MISSING).any() or (branch >= np.array(ends, np.int64)[feature[above]]).any():
            raise DataError("a branch has no value")
        if not (self.counts.sum(axis=1) > 1e-100).all():
            raise DataError("a node has no examples")

    def leaf_errors(self, counts: Floats) -> Floats:
        """Return the weight of `counts` (m, K) that each node as a leaf would get wrong."""
        right = counts[np.arange(len(self)), self.counts.argmax(axis=1)]
        return np.asarray(counts.sum(axis=1) - right)


def chi_squared(nodes: Nodes, level: float) -> Marks:
    """Mark the splits whose chi-squared test does not reach a significance level."""
    from scipy.special import chdtrc

    if len(nodes) == 1:
        return np.zeros(1, dtype=np.bool_)
    above, size = nodes.parent[1:], nodes.counts.sum(axis=1)
    expected = nodes.counts[above] * (size[1:] / size[above])[:, None]
    apart = (nodes.counts[1:] - expected) ** 2
    terms = np.divide(apart, expected, out=np.zeros_like(apart), where=expected > 0).sum(axis=1)
    statistic = np.bincount(above, terms, len(nodes))
    branches = np.bincount(above, minlength=len(nodes))
    freedom = (branches - 1) * ((nodes.counts > 0).sum(axis=1) - 1)
    split = nodes.feature >= 0
    chance = chdtrc(np.where(split, freedom, 1), statistic)
    return np.asarray(split & (chance > level))


def pessimistic(nodes: Nodes, confidence: float) -> Marks:
    """Mark what to prune by upper limits of the error rate (as C4.5 does)."""
    from scipy.special import betaincinv

    size = nodes.counts.sum(axis=1)
    errors = nodes.leaf_errors(nodes.counts)
    as_leaf = size * betaincinv(errors + 1, size - errors, 1 - confidence)
    return _prune(nodes, as_leaf, np.where(nodes.feature < 0, as_leaf, 0.0))


def reduced_error(nodes: Nodes, table: AttributeTable, gold: Ints, weights: Floats) -> Marks:
    """Mark what to prune by the errors on held-out rows."""
    stopped = np.zeros(nodes.counts.shape)
    np.add.at(stopped, (nodes.route(table), gold), weights)
    passing = nodes.subtree_sums(stopped)
    return _prune(nodes, nodes.leaf_errors(passing), nodes.leaf_errors(stopped))


def _prune(nodes: Nodes, as_leaf: Floats, own: Floats) -> Marks:
    """Mark, from the bottom up, the nodes that as leaves are no worse than with their subtrees.

    `own` is what stays at a node itself: all of it at a leaf, and at a split what has no branch.
    """
    below = own.copy()
    marked = np.zeros(len(nodes), dtype=np.bool_)
    for level in [*nodes.levels(), slice(0, 1)]:
        split = nodes.feature[level] >= 0
        marked[level] = split & (as_leaf[level] <= below[level] + 1e-9)
        below[level] = np.where(marked[level], as_leaf[level], below[level])
        if level.start:
            np.add.at(below, nodes.parent[level], below[level])
    return marked
