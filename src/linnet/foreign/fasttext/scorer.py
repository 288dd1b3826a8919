r"""The two steps of a fastText model, with its own order of 32-bit operations.

What is reported for a label is :math:`e^{\ln(p + 10^{-5})}`, of a tree of binary decisions
(hierarchical softmax) the product of these over the path, and never more than 1 here. Explanations
are about the scores, which are sums over the rows of a text; of a tree about

.. math:: \sum_v \pm\, \text{hidden} \cdot \text{output}_v

over the nodes of the label's path, plus where it turns right and minus where it turns left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.foreign.fasttext.folded import last_winners
from linnet.foreign.fasttext.matrices import MOST, Dense, Quantised, stored_matrix
from linnet.foreign.fasttext.reader import FastTextReader
from linnet.model.decision import Decision, Verdict
from linnet.model.scorers.flat import FlatScorer
from linnet.stored import Array, Fields, Text, check
from linnet.threads import thread_count

__all__ = ["LOSSES", "FastTextScorer"]

Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]
#: The losses by their numbers in a file.
LOSSES = {1: "tree", 2: "sampled", 3: "softmax", 4: "one-vs-all"}
_NUMBERS = {name: number for number, name in LOSSES.items()}
_OUTPUT: Fields = {
    "output": Array("f4", "K D", -MOST, MOST),
    "scale": Array("f4", "K", -MOST, MOST, optional=True),
    "counts": Array("i8", "K", 0, 10**15 - 1),
}


@dataclass
class FastTextScorer(FlatScorer):
    """A hidden vector, the mean of input rows, and its products with output rows.

    Attributes
    ----------
    matrix : Dense or Quantised
        The input, shape (J, D).
    loss : {"tree", "sampled", "softmax", "one-vs-all"}
        What makes probabilities of products.
    output : float32 array of shape (K, D)
    scale : float32 array of shape (K,), or None
        Of a quantised output, what products are multiplied by.
    counts : int64 array of shape (K,)
        How often each label was there in training, which the tree is made of.
    """

    matrix: Dense | Quantised
    loss: str
    output: NDArray[np.float32]
    scale: NDArray[np.float32] | None
    counts: NDArray[np.int64]
    name = "fasttext"
    rule = "the label of largest probability"
    keys = ("loss", "width")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_matrices"}

    @property
    def n_features(self) -> int:
        """The number of rows."""
        return self.matrix.shape[0]

    @cached_property
    def _matrices(self) -> Any:
        return self.matrix.for_core(_NUMBERS[self.loss], self.output, self.scale, self.counts)

    @cached_property
    def _parents(self) -> list[tuple[int, float]]:
        return _tree(self.counts.tolist())

    def _direction(self, k: int) -> Floats:
        """Return the vector whose product with the hidden one is explained of a label, (D,)."""
        nodes, signs = [k], [1.0]
        if self.loss == "tree":
            nodes, signs = _path(self._parents, k)
        rows = self.output[nodes].astype(np.float64)
        if self.scale is not None:
            rows = rows * self.scale[nodes][:, None]
        return np.asarray(np.array(signs) @ rows)

    @property
    def weights(self) -> _Products:
        """What each row adds to each label's score, computed when it is asked for."""
        return _Products(self)

    @property
    def intercept(self) -> Floats:
        """There are none."""
        return np.zeros(len(self.output))

    def top(
        self, reader: FastTextReader, X: Any, k: int, threshold: float, threads: int | None
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int64]]:
        """Return the k best labels of texts, what is reported of them, and how many there are.

        All is as in fastText: labels below the threshold are left out, and of a tree those that
        its search leaves out; a text without any row has no label.
        """
        texts = reader.texts(X)
        k = min(k, len(self.output))
        labels, p = np.zeros((len(texts), k), np.int32), np.zeros((len(texts), k), np.float32)
        count = np.empty(len(texts), np.int64)
        _core.fasttext_top(
            reader.finder, self._matrices, texts, threshold, labels, p, count,
            thread_count(threads),
        )  # fmt: skip
        return labels, p, count

    def scores(self, reader: FastTextReader, X: Any, threads: int | None) -> Floats:
        """Return the logarithms of what is reported, shape (n, K)."""
        return np.log(self._reported(reader, X, threads))

    def judge(
        self, reader: FastTextReader, X: Any, decision: Decision, threads: int | None
    ) -> Verdict:
        """Return the answers for texts; without any row all labels are equally probable."""
        texts = reader.texts(X)
        p = self._reported(reader, texts, threads)
        best = last_winners(p)
        if self.loss == "tree":
            labels, _, count = self.top(reader, texts, 1, 0.0, threads)
            best = np.where(count > 0, labels[:, 0], best)
        return Verdict(decision, p, np.minimum(p, 1.0), best)

    def predict(
        self, reader: FastTextReader, X: Any, decision: Decision, threads: int | None
    ) -> NDArray[Any]:
        """Return the label of each text."""
        if decision.abstain is not None:
            return super().predict(reader, X, decision, threads)
        texts = reader.texts(X)
        best, _, count = self.top(reader, texts, 1, 0.0, threads)
        if count.all():
            return np.asarray(decision.classes[best[:, 0]])
        return self.judge(reader, texts, decision, threads).labels

    def proba(
        self, reader: FastTextReader, X: Any, decision: Decision, threads: int | None
    ) -> Floats:
        """Return what is reported of every label, but nothing above 1; shape (n, K)."""
        return np.minimum(self._reported(reader, X, threads), 1.0)

    def _reported(self, reader: FastTextReader, X: Any, threads: int | None) -> Floats:
        texts = reader.texts(X)
        p = np.empty((len(texts), len(self.output)), np.float32)
        _core.fasttext_all(reader.finder, self._matrices, texts, p, thread_count(threads))
        return p.astype(np.float64)

    def explained(self, reader: FastTextReader, batch: Any, column: int, verdict: Verdict) -> float:
        """Return the score of one text that its explanation sums to."""
        hidden = np.empty((1, self.matrix.shape[1]), np.float32)
        _core.fasttext_hidden(reader.finder, self._matrices, reader.texts(batch), hidden, 1)
        return float(hidden[0].astype(np.float64) @ self._direction(column))

    def weights_of(self, k: int, n_classes: int) -> Floats:
        """Return what each row adds to the score of class number k, shape (J,)."""
        weights, direction = np.empty(self.n_features), self._direction(k)
        for first, block in self.matrix.blocks():
            weights[first : first + len(block)] = block @ direction
        return weights

    def pruned(self, reader: Any, n: int) -> Any:
        """Refuse: there is no weight by which a row could be left out."""
        raise ParameterError("A fastText model of two matrices cannot be pruned; leave it whole.")

    def to_file(self, dtype: str) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the scorer."""
        config, arrays = self.matrix.to_file(dtype)
        arrays |= {"output": self.output, "counts": self.counts}
        if self.scale is not None:
            arrays["scale"] = self.scale
        return {"loss": self.loss, **config}, arrays

    @classmethod
    def from_file(
        cls, config: Mapping[str, Any], arrays: Arrays, reader: Any, decision: Decision
    ) -> FastTextScorer:
        """Return the scorer of a file, after checking it."""
        if not isinstance(reader, FastTextReader) or decision.multilabel:
            raise DataError("the matrices of a fastText model need its dictionary")
        Text(tuple(_NUMBERS)).check("loss", config["loss"], {})
        matrix = stored_matrix(config, arrays, reader.n_features)
        sizes = {"K": len(decision.classes), "D": matrix.shape[1]}
        check({name: arrays.get(name) for name in _OUTPUT}, _OUTPUT, sizes)
        return cls(matrix, config["loss"], arrays["output"], arrays.get("scale"), arrays["counts"])


@dataclass(frozen=True)
class _Products:
    """Input times directions, of which only some numbers are asked for."""

    scorer: FastTextScorer

    @property
    def shape(self) -> tuple[int, int]:
        return self.scorer.n_features, len(self.scorer.output)

    def __getitem__(self, place: tuple[NDArray[Any], int]) -> Floats:
        rows, column = place
        return np.asarray(self.scorer.matrix.take(rows) @ self.scorer._direction(column))


def _tree(counts: list[int]) -> list[tuple[int, float]]:
    """Return the parent of each label and inner node of fastText's tree, and which child it is.

    1 is the right child, -1 the left one; inner nodes are numbered after the labels.

    Examples
    --------
    >>> _tree([5, 3, 1])
    [(4, 1.0), (3, 1.0), (3, -1.0), (4, -1.0), (-1, 0.0)]
    """
    size = len(counts)
    count = counts + [10**15] * (size - 1)
    parents = [(-1, 0.0)] * (2 * size - 1)
    leaf, node = size - 1, size
    for made in range(size, 2 * size - 1):
        count[made] = 0
        for sign in (-1.0, 1.0):
            if leaf >= 0 and (node == made or count[leaf] < count[node]):
                child, leaf = leaf, leaf - 1
            else:
                child, node = node, node + 1
            parents[child] = (made, sign)
            count[made] += count[child]
    return parents


def _path(parents: list[tuple[int, float]], label: int) -> tuple[list[int], list[float]]:
    """Return the output rows on the way to a label, and whether it turns right (1) or left (-1)."""
    size, nodes, signs = (len(parents) + 1) // 2, [], []
    at, sign = parents[label]
    while at >= 0:
        nodes.append(at - size)
        signs.append(sign)
        at, sign = parents[at]
    return nodes, signs
