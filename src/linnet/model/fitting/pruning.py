"""Leaving out weights that do not matter, as held-out examples tell (SPEC C-22).

One-vs-rest gives every label a weight for nearly every feature, most of them tiny. A weight below a
threshold becomes 0 and is not stored. The threshold is the largest of …, 1, 1.5, 2, 3, 4, 6, …, the
largest weight / 4,096 or more, at which the weights of a fit without the held-out examples answer
these no worse than all weights do. The upper bits of a float, which are its exponent and its first
digit, tell between which of these numbers it lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.learn.shared.decision import winners

__all__ = ["Evidence", "Threshold", "check_prune", "some_labels"]

Floats = NDArray[np.float64]
_SERIES = 24  # thresholds down to the largest weight / 4,096
_LOWER = 51  # bits of a float behind the first digit


@dataclass(frozen=True)
class Threshold:
    """The least weight that is kept, and the share of held-out answers right with and without it.

    The shares are None where the threshold was given.
    """

    least: float
    before: float | None = None
    after: float | None = None


def check_prune(prune: Any) -> None:
    """Refuse what is no threshold."""
    number = isinstance(prune, (int, float, np.number)) and not isinstance(prune, bool)
    if not (prune is None or prune == "auto" or (number and 0 <= prune < np.inf)):
        raise ParameterError(
            f"prune must be None, 'auto' or the least weight to keep, got {prune!r}."
        )


class Evidence:
    """How many held-out answers are right at each threshold; labels may come in several blocks.

    Parameters
    ----------
    gold : array of shape (n,), or (n, K) for several labels a row
        The labels of the held-out examples.

    Examples
    --------
    >>> X = sp.csr_matrix(np.eye(2))
    >>> weights = np.array([[-1.0, 1.0, 0.0], [0.001, -0.001, 0.5]])
    >>> evidence = Evidence(np.array([1, 2]))
    >>> evidence.add(X, weights[:, :2], np.zeros(2), np.arange(2))
    >>> evidence.add(X, weights[:, 2:], np.zeros(1), np.array([2]))
    >>> found = evidence.threshold()
    >>> found.least, found.before, found.after
    (0.5, 1.0, 1.0)
    """

    def __init__(self, gold: NDArray[np.int32]) -> None:
        self._gold = gold
        self._all = self._none = _Answers()  # with all weights, and with none
        self._at: dict[int, _Answers] = {}  # with those from the threshold of this number on
        self._top = 0

    def add(self, X: sp.csr_matrix, weights: Floats, intercept: Floats, labels: Any) -> None:
        """Take the weights of some labels, of a fit without the held-out examples.

        Parameters
        ----------
        X : matrix of shape (n, J)
            The held-out examples.
        weights, intercept : arrays of shape (J, R) and (R,)
        labels : array
            The classes of the columns: R, or two for a single column.
        """
        self._top = max(self._top, int(_rungs(np.abs(weights).max(initial=0.0))[0]))
        used = np.unique(X.indices)
        X, weights = X[:, used], weights[used]
        part = _Rungs(weights)
        scores = np.tile(intercept, (X.shape[0], 1)).astype(np.float64)
        none = self._none
        self._all = self._all.met(np.asarray(X @ weights + intercept), labels, self._gold)
        self._none = none.met(scores, labels, self._gold)
        met = {}
        for rung in range(self._top, self._top - _SERIES - 1, -1):
            scores += (X @ part.of(rung)).toarray()
            met[rung] = self._at.get(rung, none).met(scores, labels, self._gold)
        self._at = met

    def threshold(self) -> Threshold:
        """Return the largest threshold at which no more held-out answers are wrong."""
        before = self._all.right(self._gold)
        for rung, answers in self._at.items():
            after = answers.right(self._gold)
            if after >= before and rung > 0:
                return Threshold(_term(rung), before, after)
        return Threshold(0.0, before, before)


@dataclass(frozen=True)
class _Answers:
    """The best label of each example so far and its score; of several labels a row how many fit."""

    score: Any = None
    label: Any = None
    n_right: int = 0

    def met(self, scores: Floats, labels: Any, gold: NDArray[np.int32]) -> _Answers:
        """Return the answers once the scores of more labels are known; the first wins ties."""
        if gold.ndim == 2:
            return _Answers(n_right=self.n_right + int(((scores >= 0) == gold[:, labels]).sum()))
        best = winners(scores) if len(labels) == 2 else scores.argmax(axis=1)
        label = np.asarray(labels)[best]
        score = scores[np.arange(len(scores)), np.minimum(best, scores.shape[1] - 1)]
        if self.score is None:
            return _Answers(score, label)
        better = score > self.score
        return _Answers(np.where(better, score, self.score), np.where(better, label, self.label))

    def right(self, gold: NDArray[np.int32]) -> float:
        """Return the share of right answers."""
        return self.n_right / gold.size if gold.ndim == 2 else float((self.label == gold).mean())


class _Rungs:
    """A table of weights, taken apart by the thresholds between which their sizes lie."""

    def __init__(self, weights: Floats) -> None:
        self._weights = weights
        rungs = _rungs(np.abs(weights)).ravel()
        self._order = np.argsort(rungs, kind="stable")
        self._first = np.concatenate([[0], np.cumsum(np.bincount(rungs, minlength=1 << 12))])

    def of(self, rung: int) -> sp.csr_matrix:
        """Return the weights from one threshold to the next, all others 0."""
        if rung < 0:
            return sp.csr_matrix(self._weights.shape)
        some = self._order[self._first[rung] : self._first[rung + 1]]
        row, column = np.divmod(some, self._weights.shape[1])
        start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(self._weights)))])
        return sp.csr_matrix((self._weights[row, column], column, start), self._weights.shape)


def _rungs(size: Floats) -> NDArray[np.int16]:
    """Return the number of the largest threshold that is not above each size.

    Examples
    --------
    >>> [_term(int(rung)) for rung in _rungs(np.array([1.0, 1.9, 2.0, 0.8]))]
    [1.0, 1.5, 2.0, 0.75]
    """
    return (np.ascontiguousarray(size, np.float64).view(np.int64) >> _LOWER).astype(np.int16)


def _term(rung: int) -> float:
    """Return the threshold of a number."""
    return float(np.array([rung << _LOWER], np.int64).view(np.float64)[0])


def some_labels(
    gold: NDArray[np.int32], n: int, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Return the rows of n labels drawn at random, and the numbers of their labels among these.

    Examples
    --------
    >>> rows, few = some_labels(np.array([0, 1, 2, 1, 0], np.int32), 2, 0)
    >>> rows.tolist(), few.tolist()
    ([1, 2, 3], [0, 1, 0])
    """
    labels = np.unique(gold)
    drawn = np.sort(np.random.default_rng(seed).choice(labels, min(n, len(labels)), replace=False))
    rows = np.flatnonzero(np.isin(gold, drawn))
    return rows, np.searchsorted(drawn, gold[rows]).astype(np.int32)
