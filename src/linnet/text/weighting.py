"""How much a feature counts: inverse document frequency, and the log-count ratio of NB-SVM."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.text.extractor import Rows

__all__ = ["WEIGHTINGS", "inverse_document_frequency", "log_count_ratio", "reweighed"]

WEIGHTINGS = ("count", "binary", "tfidf", "log_count_ratio")


def inverse_document_frequency(
    documents: NDArray[np.integer[Any]],
    n_texts: int,
    *,
    smooth: bool = True,
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """Return ln(n / df) + 1, with one more text that has every feature when smooth.

    Examples
    --------
    >>> inverse_document_frequency(np.array([1, 3]), 3, smooth=False).round(3).tolist()
    [2.099, 1.0]
    """
    # Hash buckets are many more than the numbers of texts that they can be in.
    by_table = len(documents) > 2 * n_texts
    frequency = (np.arange(n_texts + 1) if by_table else documents).astype(np.float64) + smooth
    frequency[frequency == 0] = 1.0  # a bucket or word of a given vocabulary that no text has
    values = np.asarray(np.log((n_texts + smooth) / frequency) + 1.0, dtype)
    return values[documents] if by_table else values


def log_count_ratio(rows: Rows, n_features: int, y: Any, alpha: float = 1.0) -> NDArray[np.float64]:
    r"""Return ln of how much more often a feature occurs in one class than in the rest.

    .. math:: r_j = \ln \frac{p_j / \lVert p \rVert_1}{q_j / \lVert q \rVert_1}

    with p and q = alpha plus the number of texts of the class, and of the others, that have
    feature j (Wang and Manning 2012). For two classes it speaks for the second; for more it is
    the ratio of the class for which its magnitude is largest.

    Examples
    --------
    >>> rows = Rows(np.array([0, 1, 2]), np.array([0, 1], np.int32), np.ones(2, np.float32))
    >>> log_count_ratio(rows, 2, ["no", "yes"]).round(3).tolist()
    [-0.693, 0.693]
    """
    if y is None:
        raise DataError("weighting='log_count_ratio' needs y: pass the labels to fit.")
    gold = _class_numbers(y)
    n_classes = int(gold.max(initial=-1)) + 1
    if len(gold) != len(rows.start) - 1:
        raise DataError(f"There are {len(rows.start) - 1} texts but {len(gold)} labels.")
    if n_classes < 2:
        raise DataError("weighting='log_count_ratio' needs at least 2 classes.")
    presence = _presence(rows.start, rows.index, n_features)
    return _ratios(presence, gold, np.ones(len(gold)), [n_features], n_classes, alpha)


def _presence(start: Any, index: Any, n_features: int) -> _core.Matrix:
    """Return which features the texts have, whatever their values."""
    wide, narrow = start.astype(np.int64, copy=False), index.astype(np.int32, copy=False)
    return _core.Matrix(wide, narrow, None, n_features)


def _ratios(
    presence: _core.Matrix, gold: NDArray[Any], each: NDArray[np.float64], widths: list[int],
    n_classes: int, alpha: float = 1.0,
) -> NDArray[np.float64]:  # fmt: skip
    """Return the ratios of blocks of so many features; a text counts as often as `each` says."""
    cuts = np.cumsum(widths)[:-1]
    best = np.zeros(sum(widths))
    for k in range(1 if n_classes == 2 else 0, n_classes):
        counts = np.empty((2, len(best)))  # of the other classes, and of this one
        _core.count(presence, (gold == k).astype(np.int32), each, counts, 1)
        blocks = (block + alpha for block in np.split(counts, cuts, axis=1))
        ratio = np.concatenate([np.log(p / p.sum()) - np.log(q / q.sum()) for q, p in blocks])
        best = np.where(np.abs(ratio) > np.abs(best), ratio, best)
    return best


def reweighed(extractor: Any, matrix: Any, seen: NDArray[np.intp], y: NDArray[Any]) -> Any:
    """Return a matrix of log-count ratios anew, the ratios those of the rows `seen` alone.

    So rows that are held out say nothing about the values they are given.

    Examples
    --------
    >>> from linnet.text import TextFeatures
    >>> features = TextFeatures(weighting="log_count_ratio")
    >>> y = np.array([0, 1, 1])
    >>> X = features.fit_transform(["poor", "good", "poor"], y)
    >>> reweighed(features.extractor_, X, np.array([0, 1]), y).data.tolist()
    [-0.6931..., 0.6931..., -0.6931...]
    """
    parts = getattr(extractor, "parts", (extractor,))
    widths = [part.n_features for part in parts]
    gold, each = np.zeros(len(y), np.int64), np.zeros(len(y))
    gold[seen], each[seen] = _class_numbers(y[seen]), 1.0
    n_classes = int(gold.max()) + 1
    if n_classes < 2:
        raise DataError("weighting='log_count_ratio' needs at least 2 classes.")
    presence = _presence(matrix.indptr, matrix.indices, matrix.shape[1])
    ratios = np.split(_ratios(presence, gold, each, widths, n_classes), np.cumsum(widths)[:-1])
    scaled = tuple(part.scaled(ratio) for part, ratio in zip(parts, ratios, strict=True))
    new = scaled[0] if len(parts) == 1 else replace(extractor, parts=scaled)
    rows = Rows(
        matrix.indptr.astype(np.int64, copy=False), matrix.indices.astype(np.int32, copy=False),
        np.ones(matrix.nnz, np.float32),
    )  # fmt: skip
    value = new.weigh(rows, 1).value.astype(matrix.dtype, copy=False)
    return type(matrix)((value, matrix.indices, matrix.indptr), shape=matrix.shape)


def _class_numbers(y: Any) -> NDArray[np.int64]:
    """Return the number of each label among the different ones, sorted."""
    try:
        labels = np.asarray(y)
        if labels.ndim != 1:
            raise ValueError
        return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64)
    except (TypeError, ValueError):
        raise DataError(
            "weighting='log_count_ratio' needs one label a text, all of one type."
        ) from None
