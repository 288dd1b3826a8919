"""A matrix of many columns, fitted over fewer.

Hashing spreads features over more columns than occur, and most of those that do are in one row
only. Every fit of a walk from C to C would look for the used ones; here that is done once, and the
weights are put in their places at the end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError

__all__ = ["Narrow", "narrowed"]


class Narrow(NamedTuple):
    """A matrix over fewer columns than another, and what those are."""

    matrix: Any
    columns: NDArray[np.int32] | _core.OwnColumns
    n_features: int
    threads: int

    def widened(self, weights: NDArray[np.float64], dtype: type[np.floating[Any]]) -> NDArray[Any]:
        """Return weights (fewer columns, K) in their places among all, (n_features, K)."""
        wide = np.zeros((self.n_features, weights.shape[1]), dtype)
        if isinstance(self.columns, _core.OwnColumns):
            self.columns.spread(np.ascontiguousarray(weights), wide, self.threads)
        else:
            wide[self.columns] = weights
        return wide


def narrowed(
    X: Any, learner: Any, threads: int, *, in_place: bool = False, fold: bool = True
) -> Narrow | None:
    """Return X over fewer columns that a fit cannot tell from it; None where that does not pay.

    Nor where the learner may give a weight to a feature that no row has, as naive Bayes does. With
    `in_place` X is written over: nobody else needs it. `fold` allows columns that stand for
    several features.

    Examples
    --------
    >>> from linnet import SVM
    >>> X = sp.csr_matrix(([1.0, 2.0, 3.0], ([0, 1, 1], [7, 7, 5])), (2, 1 << 18), np.float32)
    >>> narrow = narrowed(X, SVM(), 1)
    >>> narrow.columns.tolist(), narrow.matrix.toarray().tolist()
    ([5, 7], [[0.0, 1.0], [3.0, 2.0]])
    """
    if not hasattr(learner, "widen") or not sp.issparse(X) or X.dtype != np.float32:
        return None
    variance: Any = getattr(learner, "prior_variance", None)
    if variance is not None and np.ndim(variance) > 0:  # one for each feature
        return None
    start, index = X.indptr.astype(np.int64, copy=False), X.indices.astype(np.int32, copy=False)
    wide = _core.Matrix(start, index, X.data, X.shape[1])
    fold = fold and learner.knows_products()
    folded = _folded(X, wide, index, threads, in_place) if fold else None
    return folded or _used(X, wide, index, threads, in_place)


def _folded(
    X: Any, wide: _core.Matrix, index: NDArray[np.int32], threads: int, in_place: bool
) -> Narrow | None:
    """Return X with a column for each row in the place of all that it has to itself."""
    own = _core.OwnColumns(wide, threads)
    if not own.many:
        return None
    start = np.empty(X.shape[0] + 1, np.int64)
    index, value = (index, X.data) if in_place else (index.copy(), X.data.copy())
    stored = own.fold(wide, start, index, value, threads)
    if stored < 0:
        if in_place:
            raise DataError("Values of this size cannot be squared; divide them by a constant.")
        return None
    columns = own.shared + X.shape[0]
    matrix = sp.csr_matrix((value[:stored], index[:stored], start), (X.shape[0], columns))
    matrix.has_canonical_format = True
    return Narrow(matrix, own, X.shape[1], threads)


def _used(
    X: Any, wide: _core.Matrix, index: NDArray[np.int32], threads: int, in_place: bool
) -> Narrow | None:
    """Return X over the columns that some row has."""
    used = _core.UsedColumns(wide, threads)
    if not used.few:
        return None
    columns = np.empty(used.used, np.int32)
    index = index if in_place else np.empty(X.nnz, np.int32)
    used.number(wide, index, columns, threads)
    matrix = sp.csr_matrix((X.data, index, X.indptr), (X.shape[0], used.used))
    matrix.has_canonical_format = True
    return Narrow(matrix, columns, X.shape[1], threads)
