"""A matrix of many unused columns, fitted over those that it uses.

Hashing spreads features over more columns than occur. Every fit of a walk from C to C would look
for the used ones; here that is done once, and the weights are put in their places at the end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet import _core

__all__ = ["Narrow", "narrowed"]


class Narrow(NamedTuple):
    """A matrix over the used columns of another, and which those are."""

    matrix: Any
    columns: NDArray[np.int32]

    def widened(self, weights: NDArray[np.float32], n_features: int) -> NDArray[np.float32]:
        """Return weights (used columns, K) in their places among all, (n_features, K)."""
        wide = np.zeros((n_features, weights.shape[1]), np.float32)
        wide[self.columns] = weights
        return wide


def narrowed(X: Any, learner: Any, threads: int, *, in_place: bool = False) -> Narrow | None:
    """Return X over its used columns; None where that does not pay.

    Nor where the learner may give a weight to a feature that no row has, as naive Bayes does. With
    `in_place` the column ids of X are written over: nobody else needs them.

    Examples
    --------
    >>> from linnet import SVM
    >>> X = sp.csr_matrix(([1.0, 2.0, 3.0], ([0, 1, 1], [7, 7, 5])), (2, 1 << 18), np.float32)
    >>> narrow = narrowed(X, SVM(), 1)
    >>> narrow.columns.tolist(), narrow.matrix.toarray().tolist()
    ([5, 7], [[0.0, 1.0], [3.0, 2.0]])
    """
    if not hasattr(learner, "among") or not sp.issparse(X) or X.dtype != np.float32:
        return None
    start, index = X.indptr.astype(np.int64, copy=False), X.indices.astype(np.int32, copy=False)
    wide = _core.Matrix(start, index, X.data, X.shape[1])
    used = _core.UsedColumns(wide, threads)
    if not used.few:
        return None
    columns = np.empty(used.used, np.int32)
    if not in_place:
        index = np.empty(X.nnz, np.int32)
    used.number(wide, index, columns, threads)
    matrix = sp.csr_matrix((X.data, index, X.indptr), (X.shape[0], used.used))
    matrix.has_canonical_format = True
    return Narrow(matrix, columns)
