r"""Input times output, once: a fastText softmax with a weight for each row and label.

.. math:: s_k = \Big(\frac{1}{n} \sum_i \text{input}_{r_i}\Big) \cdot \text{output}_k
          = \frac{1}{n} \sum_i W_{r_i k}, \qquad W = \text{input} \cdot \text{output}^\top

Two labels need one column, the difference of theirs. Scores agree with fastText's up to the
rounding of 32-bit sums, and what it reports with the same 32 bits is a tie here too; what a row
adds to a score can be read off its weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.model.decision import Decision, Verdict, probabilities
from linnet.model.scorers.flat import LinearScorer

__all__ = ["FoldedScorer", "folded", "last_winners", "reported"]

Floats = NDArray[np.float64]
#: Scores this close may be reported with the same 32 bits; such numbers are 1e-6 apart at most.
_NEAR = 1e-5


@dataclass
class FoldedScorer(LinearScorer):
    """Linear scores that are decided and reported as fastText does it."""

    name = "fasttext-folded"

    def judge(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> Verdict:
        """Return the answers for texts."""
        scores = self.scores(reader, X, threads)
        return Verdict(decision, scores, reported(decision.proba(scores)), _winners(scores))

    def proba(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> Floats:
        """Return the probabilities of texts, shape (n, K)."""
        return reported(decision.proba(self.scores(reader, X, threads)))

    def top(
        self, reader: Any, X: Any, k: int, threshold: float, threads: int | None
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int64]]:
        """Return the k best labels of texts, what is reported of them, and how many there are.

        Labels below the threshold are left out; a text without any row has no label.
        """
        scores, known = reader.known_scores(X, self.weights, threads)
        p = probabilities(scores, 1.0, multilabel=False)
        k = min(k, p.shape[1])
        ranked = -_ranks(scores)[:, ::-1]
        best = p.shape[1] - 1 - np.argsort(ranked, axis=1, kind="stable")[:, :k]
        chosen = np.take_along_axis(p, best, axis=1)
        count = (chosen >= threshold).sum(axis=1) * known
        return best.astype(np.int32), (chosen + 1e-5).astype(np.float32), count


def folded(matrix: Any, output: NDArray[np.float32], columns: int) -> FoldedScorer:
    """Return the scorer of an input matrix of shape (J, D) and an output of shape (K, D)."""
    wide = output.astype(np.float64)
    factor = (wide[1:2] - wide[:1]).T if columns == 1 else wide.T
    weights = np.empty((matrix.shape[0], columns), np.float32)
    for first, block in matrix.blocks():
        weights[first : first + len(block)] = block.astype(np.float64) @ factor
    return FoldedScorer(weights, np.zeros(columns))


def reported(p: Floats) -> Floats:
    """Return probabilities as fastText reports them, 1e-5 above, but never above 1."""
    return np.minimum(p + 1e-5, 1.0)


def _winners(scores: Floats) -> NDArray[np.intp]:
    """Return the label that fastText reports: of those with the same 32 bits the last."""
    best = last_winners(scores)
    if scores.shape[1] == 1:
        near = np.abs(scores[:, 0]) < _NEAR
    else:
        two = np.partition(scores, -2, axis=1)[:, -2:]
        near = two[:, 1] - two[:, 0] < _NEAR
    if near.any():
        best[near] = last_winners(_ranks(scores[near]))
    return best


def _ranks(scores: Floats) -> NDArray[np.float32]:
    """Return what fastText compares, ln(p + 1e-5), with its 32-bit operations; shape (n, K)."""
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    below = (scores - scores.max(axis=1, keepdims=True)).astype(np.float32)
    p = np.exp(below.astype(np.float64)).astype(np.float32)
    p /= np.cumsum(p, axis=1, dtype=np.float32)[:, -1:]
    return np.asarray(np.log(p.astype(np.float64) + 1e-5), np.float32)


def last_winners(scores: NDArray[np.floating[Any]]) -> NDArray[np.intp]:
    """Return the label of largest score of each row, of several the last.

    Examples
    --------
    >>> last_winners(np.array([[2.0, 1.0, 2.0]])).tolist(), last_winners(np.zeros((1, 1))).tolist()
    ([2], [1])
    """
    if scores.shape[1] == 1:
        return (scores[:, 0] >= 0).astype(np.intp)
    return np.asarray(scores.shape[1] - 1 - scores[:, ::-1].argmax(axis=1))
