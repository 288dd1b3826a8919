"""From bags of features and vectors to the weighted rows that a model scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from linnet.errors import DataError
from linnet.text.extractor import Extractor, Rows

__all__ = ["bag_rows", "vector_rows"]


def bag_rows(bags: Any, extractor: Extractor, column_of: Mapping[str, int]) -> Rows:
    """Return the weighted rows of feature dictionaries; unknown features are dropped.

    Examples
    --------
    >>> from linnet.text.settings import Settings
    >>> bag_rows([{"b": 2, "new": 1, "a": 1}], Extractor(Settings()), {"a": 0, "b": 1}).index
    array([0, 1], dtype=int32)
    """
    if isinstance(bags, Mapping) or not isinstance(bags, Iterable):
        raise DataError(f"Expected a list of feature dictionaries, got {type(bags).__name__}.")
    start, index, value = [0], list[int](), list[float]()
    for row, bag in enumerate(bags):
        if not isinstance(bag, Mapping):
            raise DataError(
                f"This model reads dictionaries of features; row {row} is a {type(bag).__name__}."
            )
        known = sorted((column_of[name], v) for name, v in bag.items() if name in column_of)
        index += [column for column, _ in known]
        value += [v for _, v in known]
        start.append(len(index))
    try:
        with np.errstate(over="ignore"):
            values = np.asarray(value, np.float64).astype(np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"Feature values must be numbers: {error}.") from None
    if values.ndim != 1 or not np.isfinite(values).all():
        raise DataError("A feature value is NaN, infinite or too large for 32 bits; rescale it.")
    rows = Rows(np.asarray(start, np.int64), np.asarray(index, np.int32), values)
    return extractor.weigh(rows, 1)


def vector_rows(X: Any, n_features: int) -> Rows:
    """Return the rows of a matrix as they are.

    A sparse matrix may be narrower or wider than the model's, as files are that do not mention
    the last features, or mention new ones: those count for nothing.
    """
    from linnet.learn.inputs import checked_features

    csr = checked_features(X).csr
    if hasattr(X, "tocsr") and csr.shape[1] != n_features:
        csr = _as_wide(csr, n_features)
    if csr.shape[1] != n_features:
        raise DataError(f"X has {csr.shape[1]} features, the model has {n_features}.")
    return Rows(csr.indptr.astype(np.int64), csr.indices.astype(np.int32), csr.data)


def _as_wide(csr: Any, n_features: int) -> Any:
    if csr.shape[1] > n_features:
        return csr[:, :n_features]
    wide = csr.copy()
    wide.resize(csr.shape[0], n_features)
    return wide
