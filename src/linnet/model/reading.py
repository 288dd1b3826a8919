"""What a classifier may be trained on: texts, bags of features, or vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.data.copies import Copies
from linnet.errors import DataError, ParameterError
from linnet.learn.inputs import bag_vocabulary, bags_to_csr, checked_features, is_bags
from linnet.text.extractor import Extractor, Rows
from linnet.text.features import TextFeatures
from linnet.text.names import Names
from linnet.text.parameters import checked_settings, document_limits
from linnet.text.settings import Settings
from linnet.text.weighting import inverse_document_frequency, log_count_ratio

__all__ = ["Read", "read", "row_count", "rows_of"]


@dataclass(frozen=True)
class Read:
    """The matrix to learn from, and what makes such rows of new examples."""

    kind: str
    matrix: sp.csr_matrix
    extractor: Extractor
    copies: Copies
    features: TextFeatures | None = None


def row_count(X: Any) -> int:
    """Return the number of examples.

    Examples
    --------
    >>> row_count(["one text", "another"])
    2
    """
    if isinstance(X, (str, bytes, Mapping)):
        raise DataError("X must hold many texts, this is a single one; pass a list of texts.")
    try:
        return int(X.shape[0]) if hasattr(X, "shape") else len(X)
    except (TypeError, IndexError):
        raise DataError(
            f"X must be a list or column of texts, a list of dictionaries or a matrix, got "
            f"{type(X).__name__}."
        ) from None


def rows_of(X: Any, kept: NDArray[np.intp]) -> Any:
    """Return some of the examples, in whatever form they came.

    Examples
    --------
    >>> rows_of(["a", "b", "c"], np.array([0, 2]))
    ['a', 'c']
    """
    if isinstance(X, (list, tuple)):
        return [X[row] for row in kept.tolist()]
    if hasattr(X, "iloc"):
        return X.iloc[kept]
    return X.take(kept) if type(X).__module__.startswith("pyarrow") else X[kept]


def read(X: Any, features: TextFeatures, gold: NDArray[np.int32]) -> Read:
    """Turn training examples into a matrix.

    Texts and bags are weighted as `features` says; vectors are taken as they are.
    """
    classes = gold if gold.ndim == 1 else None
    if is_bags(X):
        return _read_bags(X, features, classes)
    if sp.issparse(X) or getattr(X, "ndim", 1) == 2:
        csr = checked_features(X).csr
        return Read("vector", csr, Extractor(Settings(buckets=csr.shape[1])), Copies.of(csr))
    matrix = features.fit_transform(X, classes)
    return Read("text", matrix, features.extractor_, Copies.of(X), features)


def _read_bags(
    bags: Sequence[Mapping[str, float]], features: TextFeatures, gold: NDArray[np.int32] | None
) -> Read:
    vocabulary = bag_vocabulary(bags)
    counts = _finite(bags_to_csr(bags, vocabulary))
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    kept = _kept(features, counts, documents)
    counts, documents = counts[:, kept].tocsr(), documents[kept]
    counts.sort_indices()
    whole = bool(((counts.data >= 0) & (counts.data == np.rint(counts.data))).all())
    names = _names(list(vocabulary))
    extractor = Extractor.with_names(_bag_settings(features, whole), names.take(kept))
    rows = Rows(counts.indptr.astype(np.int64), counts.indices.astype(np.int32), counts.data.copy())
    if whole and features.weighting == "tfidf":
        smooth = features.smooth_idf
        extractor = extractor.scaled(
            inverse_document_frequency(documents, len(bags), smooth=smooth)
        )
    elif whole and features.weighting == "log_count_ratio":
        extractor = extractor.scaled(log_count_ratio(rows, len(kept), gold))
    _, index, value = extractor.weigh(rows, 1)
    matrix = sp.csr_matrix((value, index, counts.indptr), shape=counts.shape)
    return Read("bag", matrix, extractor, Copies.of(bags))


def _finite(counts: sp.csr_matrix) -> sp.csr_matrix:
    with np.errstate(over="ignore"):
        narrow = counts.astype(np.float32)
    if not np.isfinite(narrow.data).all():
        raise DataError("A feature value is NaN, infinite or too large for 32 bits; rescale it.")
    return narrow


def _kept(
    features: TextFeatures, counts: sp.csr_matrix, documents: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the columns that min_df, max_df and max_features leave."""
    low, high = document_limits(features.min_df, features.max_df, counts.shape[0])
    kept = np.flatnonzero((documents >= low) & (documents <= high))
    if not len(kept):
        raise DataError("After pruning, no features remain. Try a lower min_df or a higher max_df.")
    if features.max_features is not None and features.max_features < len(kept):
        total: NDArray[Any] = documents
        if features.weighting not in ("binary", "log_count_ratio"):
            total = np.bincount(counts.indices, np.abs(counts.data), counts.shape[1])
        total = total[kept]
        kept = np.sort(kept[np.argsort(-total, kind="stable")[: features.max_features]])
    return kept


def _names(names: list[Any]) -> Names:
    strange = next((name for name in names if not isinstance(name, str)), None)
    if strange is not None:
        raise DataError(f"The names of features must be texts, got {strange!r}.")
    try:
        return Names.of(names)
    except UnicodeEncodeError as error:
        raise DataError(
            f"The feature name {error.object!r} holds half of a surrogate pair; clean it."
        ) from None


def _bag_settings(features: TextFeatures, whole: bool) -> Settings:
    """Return how the values of bags are weighted; what are no counts stays as it is."""
    settings = checked_settings(features.get_params(deep=False))
    if settings.buckets:
        raise ParameterError("hashing is for texts; bags have names already. Set hashing=None.")
    plain = Settings(tokenizer="whitespace", lowercase=False)
    return replace(plain, count=settings.count, norm=settings.norm) if whole else plain
