"""Leaving out weights that do not matter, as held-out examples tell (SPEC C-22).

One-vs-rest gives every label a weight for nearly every feature, most of them tiny. A weight below a
threshold becomes 0 and is not stored. The threshold is the largest of a series, peak / √2ᵐ, at
which the weights of a fit without the held-out examples answer these no worse than all weights do.
Accuracy hardly ever rises and falls again along the series, so it is searched by halves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.learn.shared.decision import winners
from linnet.learn.shared.sparse_weights import SparseWeights

__all__ = ["Threshold", "check_prune", "choose_threshold", "some_labels"]

Floats = NDArray[np.float64]
_SERIES = 24  # thresholds down to the largest weight / 4,096


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


def choose_threshold(
    weights: Floats, intercept: Floats, X: sp.csr_matrix, gold: NDArray[np.int32], seen: Any
) -> Threshold:
    """Return the largest threshold at which no more held-out answers are wrong.

    Parameters
    ----------
    weights, intercept : arrays of shape (J, R) and (R,)
        Of a fit without the held-out examples.
    X : matrix of shape (n, J)
        The held-out examples.
    gold : array of shape (n,), or (n, K) for several labels a row
    seen : array of shape (R,) or None
        The class of each column; None for several labels a row.

    Examples
    --------
    >>> X = sp.csr_matrix(np.eye(2))
    >>> weights = np.array([[-1.0, 1.0, 0.0], [0.001, -0.001, 0.5]])
    >>> found = choose_threshold(weights, np.zeros(3), X, np.array([1, 2]), np.arange(3))
    >>> found.least, found.before, found.after
    (0.5, 1.0, 1.0)
    """

    def right(table: Any) -> float:
        scores = np.asarray(X @ table + intercept)
        if seen is None:
            return float(((scores >= 0) == gold).mean())
        return float((np.asarray(seen)[winners(scores)] == gold).mean())

    before = right(weights)
    peak = float(np.abs(weights).max(initial=0.0))
    low, best = _SERIES + 1, before  # nothing is left out
    high = 0
    while low - high > 1:
        middle = (low + high) // 2
        few = SparseWeights.of(weights, _term(peak, middle))
        table = sp.csr_matrix((few.value, few.label, few.start), shape=few.shape)
        after = right(table)
        if after >= before:
            low, best = middle, after
        else:
            high = middle
    return Threshold(_term(peak, low) if low <= _SERIES else 0.0, before, best)


def _term(peak: float, place: int) -> float:
    return float(peak * 2.0 ** (-place / 2))


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
