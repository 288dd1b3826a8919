r"""A tree of maximum entropy classifiers over thousands of labels.

Problem: one-vs-rest keeps a weight for every feature and label, and goes over all examples for each
label. Here labels with like examples share a branch. A node chooses among its children by maximum
entropy, learned from the examples of its own labels alone, and

.. math:: p(y \mid x) = \prod_{v \text{ on the path to } y} p(\text{child} \mid v, x).

Given: examples and labels. Returned: the shape of the tree, and the weights of all nodes, without
those that are smaller than ``least``. Each example is met by one node of each level, so a round of
training costs about as many steps as one-vs-rest with branching + leaf_labels labels.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import Classifier
from linnet.learn.label_tree.growing import Shape, grow, label_points
from linnet.learn.label_tree.reasons import tree_reasons
from linnet.learn.label_tree.searching import all_labels, beam_labels
from linnet.learn.maxent import MaxEnt
from linnet.learn.shared.checks import check_positive, seed_from
from linnet.learn.shared.declaration import Declaration
from linnet.learn.shared.inputs import encode_labels, require_two_classes
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.reasons import Named, Reasons
from linnet.learn.shared.restore import restored_on_error
from linnet.learn.shared.sparse_weights import SparseWeights, ascends
from linnet.stored import Array, Fields

__all__ = ["LabelTree"]

Floats = NDArray[np.float64]
_SCORES = 1 << 22  # scores of children computed together


class LabelTree(Classifier):
    """Maximum entropy at each node of a tree whose leaves are the labels.

    For thousands of labels, where one weight for every feature and label is too much.

    Parameters
    ----------
    C : float, default 16.0
        Weight of the losses against the penalty, in every node.
    branching : int, default 16
        The children of a node whose children are nodes; a power of two.
    leaf_labels : int, default 100
        A node of at most so many labels chooses among them directly.
    least : float, default 0.1
        Smaller weights are left out.
    beam : int or None, default 10
        How many paths ``predict`` follows; None follows all, which is exact.
    tol : float, default 0.01
        How near its optimum a node is trained, as for :class:`linnet.MaxEnt`.
    classes : list of labels, optional
        The order of ``classes_``; sorted by default.
    random_state : int, RandomState or None
    n_threads : int, optional
        None is all cores. The result does not depend on it.

    Attributes
    ----------
    classes_ : array of shape (K,)
    first_, child_ : arrays of shape (nodes + 1,) and (children,)
        The children of node v are ``child_[first_[v]:first_[v + 1]]``: the number of a node, or
        -1 - k for label number k. Node 0 is the root.
    start_, column_, weight_ : arrays of shape (J + 1,), (N,) and (N,)
        The weights of feature j are ``weight_[start_[j]:start_[j + 1]]``, for the children at the
        same places of ``column_``.
    intercept_ : array of shape (children,)

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.repeat(np.eye(6), 3, axis=0), np.repeat(list("abcdef"), 3)
    >>> tree = LabelTree(branching=2, leaf_labels=2).fit(X, y)
    >>> tree.predict(np.eye(6)).tolist(), len(tree.first_) - 1
    (['a', 'b', 'c', 'd', 'e', 'f'], 7)
    """

    stored: ClassVar[Fields] = {
        "child_": Array("i8", "c"),
        "first_": Array("i8", "V+1", 0, "c", order="starts"),
        "weight_": Array("f4", "N"),
        "column_": Array("i4", "N", 0, "c-1"),
        "start_": Array("i8", "J+1", 0, "N", order="starts"),
        "intercept_": Array("f8", "c"),
    }
    properties: ClassVar[Properties] = discriminative(
        models="P(y | x)", training="fair", hyperparameters=3
    )
    declaration: ClassVar[Declaration] = Declaration(
        short="labels", place=65, linear=False, training="solver", compared=None
    )
    first_: NDArray[np.int64]
    child_: NDArray[np.int64]

    def __init__(
        self,
        C: float = 16.0,
        *,
        branching: int = 16,
        leaf_labels: int = 100,
        least: float = 0.1,
        beam: int | None = 10,
        tol: float = 0.01,
        classes: Any = None,
        random_state: Any = None,
        n_threads: int | None = None,
    ) -> None:
        self.C = C
        self.branching = branching
        self.leaf_labels = leaf_labels
        self.least = least
        self.beam = beam
        self.tol = tol
        self.classes = classes
        self.random_state = random_state
        self.n_threads = n_threads

    def _check_parameters(self) -> None:
        check_positive(C=self.C, tol=self.tol, leaf_labels=self.leaf_labels)
        arity = self.branching
        if not isinstance(arity, (int, np.integer)) or arity < 2 or arity & (arity - 1):
            raise ParameterError(f"branching must be a power of two, at least 2, got {arity!r}.")
        if not self.least >= 0:
            raise ParameterError(f"least must be a number not below 0, got {self.least!r}.")
        if self.beam is not None:
            check_positive(beam=self.beam)

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the tree and learn to choose at each of its nodes.

        Parameters
        ----------
        X : array, sparse matrix, data frame or list of dictionaries, n rows
        y : array of shape (n,)
        """
        self._check_parameters()
        with restored_on_error(self):
            features = self._read(X, reset=True)
            self.classes_, gold = encode_labels(y, features.rows, self.classes)
            require_two_classes(self.classes_, "LabelTree")
            seed = seed_from(self.random_state)
            csr = sp.csr_matrix(features.csr)
            points = label_points(csr, gold, len(self.classes_))
            shape = grow(points, int(self.branching), int(self.leaf_labels), seed)
            self.first_, self.child_ = shape
            self._learn(csr, gold, shape, seed)
        return self

    def _learn(self, X: sp.csr_matrix, gold: NDArray[np.int32], shape: Shape, seed: int) -> None:
        """Train the nodes, each on the examples of its labels."""
        order = np.argsort(gold, kind="stable")  # the examples label by label
        bounds = np.concatenate([[0], np.cumsum(np.bincount(gold, minlength=len(self.classes_)))])
        labels = _labels_below(shape)
        intercept = np.zeros(len(shape.child))
        parts: list[tuple[Any, Any, Any]] = []
        worst = 0.0
        for v in range(len(shape.first) - 1):
            groups = [labels[c] for c in range(shape.first[v], shape.first[v + 1])]
            rows = [
                np.concatenate([order[bounds[k] : bounds[k + 1]] for k in group.tolist()])
                for group in groups
            ]
            target = np.repeat(np.arange(len(groups)), [len(part) for part in rows])
            weights, bias, gap = self._node(X, np.concatenate(rows), target, seed)
            intercept[shape.first[v] : shape.first[v + 1]] = bias
            feature, column, value = weights
            parts.append((feature, column + shape.first[v], value))
            worst = max(worst, gap)
        feature, column, value = (np.concatenate(side) for side in zip(*parts, strict=True))
        place = np.lexsort((column, feature))
        counts = np.bincount(feature, minlength=X.shape[1])
        self.start_ = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self.column_ = column[place].astype(np.int32)
        self.weight_ = value[place].astype(np.float32)
        self.intercept_ = intercept
        self.n_iter_, self.optimality_ = 1, worst
        self.history_ = {"iteration": np.ones(1), "optimality": np.array([worst])}

    def _node(
        self, X: sp.csr_matrix, rows: NDArray[np.intp], target: NDArray[np.intp], seed: int
    ) -> tuple[tuple[Any, Any, Any], Floats, float]:
        """Return the weights (feature, child, value) and intercepts of one node, and its gap."""
        n_children = int(target[-1]) + 1
        if n_children == 1:
            empty = np.empty(0, np.int64)
            return (empty, empty, np.empty(0)), np.zeros(1), 0.0
        part = X[rows]
        used, index = np.unique(part.indices, return_inverse=True)
        narrow = sp.csr_matrix(
            (part.data, index, part.indptr), shape=(len(rows), max(1, len(used)))
        )
        node = MaxEnt(C=self.C, tol=self.tol, random_state=seed, n_threads=self.n_threads)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            node.fit(narrow, target)
        coef, bias = node.coef_, node.intercept_
        if n_children == 2:
            coef, bias = np.vstack([-coef / 2, coef / 2]), np.array([-bias[0] / 2, bias[0] / 2])
        child, feature = np.nonzero((np.abs(coef) >= self.least) & (coef != 0))
        value = coef[child, feature]
        places = used[feature] if len(used) else feature[:0]
        return (places, child[: len(places)], value[: len(places)]), bias, float(node.optimality_)

    def _children(self, X: Any) -> Any:
        """Yield the scores of all children, shape (block, children), block by block."""
        self._require_fitted("child_")
        csr = self._read(X, reset=False).csr
        weights = SparseWeights(self.start_, self.column_, self.weight_, len(self.child_))
        step = max(1, _SCORES // len(self.child_))
        for begin in range(0, csr.shape[0], step):
            part = csr[begin : begin + step]
            scores = weights.scores(part.indptr, part.indices, part.data, self._threads())
            yield scores + self.intercept_

    @property
    def _shape(self) -> Shape:
        return Shape(self.first_, self.child_)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return ln p(class | x) over all paths, shape (n, K)."""
        blocks = [all_labels(scores, self._shape) for scores in self._children(X)]
        return np.vstack([np.empty((0, len(self.classes_))), *blocks])

    def predict_proba(self, X: Any) -> Floats:
        """Return p(class | x) over all paths, shape (n, K)."""
        return np.exp(self.predict_log_proba(X))

    def decision_function(self, X: Any) -> Floats:
        """Return ln p(class | x): shape (n, K); for two classes their difference, shape (n,)."""
        scores = self.predict_log_proba(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class at the end of the best path that the beam finds."""
        if self.beam is None:
            return super().predict(X)
        width = int(self.beam)
        best = [beam_labels(scores, self._shape, width) for scores in self._children(X)]
        labels: NDArray[Any] = self.classes_[np.concatenate([np.empty(0, np.int64), *best])]
        return labels

    def _predict_with_proba(self, X: Any) -> tuple[NDArray[Any], Floats]:
        chance = self.predict_proba(X)
        return self.predict(X), chance

    def _check_loaded(self) -> None:
        """Refuse a file whose tree is none: each node and each label is the child of one node."""
        inner, leaves = self.child_[self.child_ >= 0], self.child_[self.child_ < 0]
        nodes, labels = len(self.first_) - 1, -1 - leaves
        parent = np.repeat(np.arange(nodes), np.diff(self.first_))[self.child_ >= 0]
        if (
            not np.array_equal(np.sort(inner), np.arange(1, nodes))
            or not np.array_equal(np.sort(labels), np.arange(len(self.classes_)))
            or (inner <= parent).any()
            or (np.diff(self.first_) < 1).any()
        ):
            raise DataError("the children of the nodes make no tree of the labels")
        if not ascends(self.start_, self.column_):
            raise DataError("column_ does not ascend within a feature")

    def _card(self, n_examples: int) -> list[tuple[str, str]]:
        return [
            ("nodes", f"{len(self.first_) - 1:,}"),
            ("weights", f"{len(self.weight_):,} of at least {self.least:g}"),
        ]

    def _reasons(self, inputs: Any, k: int, other: int, named: Named) -> Reasons:
        return tree_reasons(self, inputs, k, named)


def _labels_below(shape: Shape) -> list[NDArray[np.int64]]:
    """Return for each child the labels that can be reached through it."""
    below: list[NDArray[np.int64]] = [np.empty(0, np.int64)] * len(shape.child)
    for c in range(len(shape.child) - 1, -1, -1):  # a node comes after its parent
        v = int(shape.child[c])
        if v < 0:
            below[c] = np.array([-1 - v])
        else:
            below[c] = np.concatenate(below[shape.first[v] : shape.first[v + 1]])
    return below
