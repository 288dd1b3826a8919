"""Scores of rows that are there already: the matrix form of what an extractor does with texts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.text.extractor import Rows

__all__ = ["scores_of"]


def scores_of(
    rows: Rows, weights: NDArray[np.float32], intercept: NDArray[np.float64], threads: int
) -> NDArray[np.float64]:
    """Return the scores of rows, shape (rows, columns of weights).

    Only the weights of features that occur are looked at, so that one row costs little. The
    order of the sums is that of the columns, whatever the batch.
    """
    used, index = np.unique(rows.index, return_inverse=True)
    out = np.zeros((len(rows.start) - 1, weights.shape[1]))
    if len(used):
        matrix = _core.Matrix(rows.start, index.astype(np.int32), rows.value, len(used))
        _core.scores(matrix, weights[used].astype(np.float64), 0.0, out, threads)
    out += intercept
    if not np.isfinite(out).all():
        raise DataError("A score is too large for a number of 64 bits; rescale the features.")
    return out
