"""Fitting one-vs-rest to very many labels, some labels at a time.

All that needs several labels together is what held-out examples say: the factor that makes scores
probabilities, and the threshold below which weights are left out. The first takes the scores of the
held-out examples, the second their best labels so far. So no table of the weights of all features
and labels is made, unless it is the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.learn.flat.label_blocks import LabelBlocks
from linnet.learn.shared.sparse_weights import SparseWeights
from linnet.model.fitting.linear_form import LOOSE, narrow
from linnet.model.fitting.pruning import Evidence, Threshold
from linnet.model.fitting.reading import Read
from linnet.model.fitting.tuning import Tuning, tune

__all__ = ["ManyLabels"]

Floats = NDArray[np.float64]


class ManyLabels:
    """One-vs-rest over the examples of very many labels.

    Parameters
    ----------
    learner : the learner, unfitted, with its C
    data : Read
    gold : array of shape (n,)
    weights : array of shape (n,) or None
        Of the examples in the objective.
    parts : list of arrays
        The held-out rows of each fold.
    """

    def __init__(
        self, learner: Any, data: Read, gold: NDArray[np.int32], weights: Floats | None,
        parts: list[NDArray[np.intp]],
    ) -> None:  # fmt: skip
        self._learner, self._data, self._gold, self._weights = learner, data, gold, weights
        self._parts, self.n_labels = parts, int(gold.max()) + 1
        self._duals: list[sp.csr_matrix] = []  # of each block, without the held-out rows
        self._bounds: list[tuple[int, int]] = []  # of the blocks, with or without these rows

    def suits(self) -> bool:
        """Tell whether the learner asks about each label by itself."""
        blocks = self._blocks(self._data.matrix, slice(None))
        if blocks is None or not blocks.suits:
            return False
        self._bounds = blocks.bounds()
        return True

    def calibrate(self, prune: Any, importance: Floats | None) -> tuple[Tuning, Threshold]:
        """Learn without held-out examples; return what these say, and which weights to leave out.

        Parameters
        ----------
        prune : float, "auto" or None
        importance : array of shape (n,) or None
            How much each held-out example counts.
        """
        answers, evidence = [], None
        for number, part in enumerate(self._parts):
            seeks = prune == "auto" and number == 0
            if seeks:
                evidence = Evidence(self._gold[part])
            answers.append(_Answered(self._answers(part, evidence if seeks else None)))
        tuning, _ = tune([], self._gold, self._parts, answers, importance)
        if evidence is not None:
            return tuning, evidence.threshold()
        return tuning, Threshold(0.0 if prune in (None, "auto") else float(prune))

    def _answers(self, part: NDArray[np.intp], evidence: Evidence | None) -> Floats:
        """Return the scores of a held-out part; a label not seen scores below all others."""
        rest = np.delete(np.arange(len(self._gold)), part)
        X = self._data.without(part, self._gold)
        held, seen = X[part], np.isin(np.arange(self.n_labels), self._gold[rest])
        scores = np.empty((len(part), self.n_labels))
        blocks = self._blocks(X[rest], rest)
        assert blocks is not None
        for block in blocks.solve(self._bounds, tol=max(self._learner.tol, LOOSE)):
            some = slice(block.first, block.last)
            scores[:, some] = held @ block.weights + block.intercept
            if evidence is not None:
                known = np.where(seen[some], block.intercept, -np.inf)
                labels = np.arange(block.first, block.last)
                evidence.add(held, block.weights, known, labels)
            if len(self._parts) == 1 and len(block.alpha) == len(rest):  # no weight of 0
                self._duals.append(sp.csr_matrix(block.alpha.astype(np.float32)))
            del block  # before the next one is there
        if not seen.all():
            scores[:, ~seen] = scores[:, seen].min() - 1.0
        return scores

    def fit(self, least: float) -> tuple[Any, Floats]:
        """Learn from all examples, from where the fit without some arrived.

        Returns
        -------
        weights : array of shape (J, K), or SparseWeights
            Without those smaller than `least`.
        intercept : array of shape (K,)
        """
        blocks = self._blocks(self._data.matrix, slice(None))
        assert blocks is not None
        table = Table(self._data.matrix.shape[1], self.n_labels, least)
        figures = []
        for block in blocks.solve(self._bounds, self._starts() if self._duals else None):
            table.take(block.first, block.last, narrow(block.weights), block.intercept)
            figures.append({key: block.history.last(key) for key in
                            ("iteration", "objective", "gap", "seconds")})  # fmt: skip
            del block  # before the next one is there
        weights = table.weights()
        self._keep(weights, table.intercept, figures)
        return weights, table.intercept

    def _starts(self) -> Iterator[Floats]:
        rest = np.delete(np.arange(len(self._gold)), self._parts[0])
        while self._duals:
            known = self._duals.pop(0)
            alpha = np.zeros((len(self._gold), known.shape[1]))
            alpha[rest] = known.toarray()
            yield alpha

    def _blocks(self, X: Any, rows: Any) -> LabelBlocks | None:
        make = getattr(self._learner, "by_blocks", None)
        importance = None if self._weights is None else self._weights[rows]
        found: LabelBlocks | None = (
            None if make is None else make(X, self._gold[rows], importance, self.n_labels)
        )
        return found

    def _keep(self, weights: Any, intercept: Floats, figures: list[dict[str, float]]) -> None:
        """Let the learner know what it has learnt; the weights are those of the model."""
        learner = self._learner
        if isinstance(weights, SparseWeights):
            stored = (weights.value, weights.label, weights.start)
            weights = sp.csr_matrix(stored, shape=weights.shape)
        learner.classes_ = np.arange(self.n_labels)
        learner.coef_, learner.intercept_, learner.dual_coef_ = weights.T, intercept, None
        learner.history_ = {key: np.array([row[key] for row in figures]) for key in figures[0]}
        learner.n_iter_ = max(1, int(learner.history_["iteration"].max()))
        gap, objective = (float(learner.history_[key].sum()) for key in ("gap", "objective"))
        learner.optimality_ = gap / max(objective, 1e-300)


@dataclass
class _Answered:
    """Scores of held-out examples that are known already, where others fit to find them."""

    scores: Floats

    def step(self, C: float | None) -> Floats:
        """Return the scores."""
        return self.scores

    def stand(self) -> None:
        """Nothing that could go on."""


class Table:
    """The weights of a model, filled some labels at a time: whole, or without the small ones."""

    def __init__(self, n_features: int, n_labels: int, least: float) -> None:
        self._least, self._few = least, list[sp.csr_matrix]()
        self._whole = None if least else np.empty((n_features, n_labels), np.float32)
        self.intercept = np.empty(n_labels)

    def take(self, first: int, last: int, weights: NDArray[np.float32], intercept: Floats) -> None:
        """Take the weights of labels number first to last - 1, which follow the last ones."""
        self.intercept[first:last] = intercept
        if self._whole is not None:
            self._whole[:, first:last] = weights
            return
        few = SparseWeights.of(weights, self._least)
        self._few.append(sp.csr_matrix((few.value, few.label, few.start), shape=few.shape))

    def weights(self) -> Any:
        """Return the whole table, or SparseWeights."""
        if self._whole is not None:
            return self._whole
        joined = sp.hstack(self._few, format="csr", dtype=np.float32)
        self._few.clear()
        return SparseWeights(
            joined.indptr.astype(np.int64), joined.indices.astype(np.int32), joined.data,
            len(self.intercept),
        )  # fmt: skip
