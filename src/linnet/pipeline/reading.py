"""What a classifier may be trained on: texts, bags of features, or vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.learn.inputs import bag_vocabulary, bags_to_csr, checked_features
from linnet.text.extractor import Extractor, Rows
from linnet.text.features import TextFeatures
from linnet.text.names import Names
from linnet.text.settings import Settings
from linnet.text.weighting import inverse_document_frequency

__all__ = ["Read", "read"]


@dataclass(frozen=True)
class Read:
    """The matrix to learn from, and what makes such rows of new examples."""

    kind: str
    matrix: sp.csr_matrix
    extractor: Extractor
    features: TextFeatures | None = None


def read(X: Any, features: TextFeatures, y: NDArray[Any] | None) -> Read:
    """Turn training examples into a matrix.

    Texts and bags are weighted as `features` says; vectors are taken as they are.
    """
    if isinstance(X, Sequence) and len(X) and isinstance(X[0], Mapping):
        return _read_bags(X, features)
    if sp.issparse(X) or getattr(X, "ndim", 1) == 2:
        csr = checked_features(X).csr
        return Read("vector", csr, Extractor(Settings(buckets=csr.shape[1])))
    matrix = features.fit_transform(X, y)
    return Read("text", matrix, features.extractor_, features)


def _read_bags(bags: Sequence[Mapping[str, float]], features: TextFeatures) -> Read:
    counts = bags_to_csr(bags, bag_vocabulary(bags)).astype(np.float32)
    names = np.array(list(bag_vocabulary(bags)), dtype=object)
    if counts.data.size and not np.isfinite(counts.data).all():
        raise DataError("A feature value is NaN or infinite.")
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    low, high = features._document_limits(len(bags))
    kept = np.flatnonzero((documents >= low) & (documents <= high))
    if not len(kept):
        raise DataError("After pruning, no features remain. Try a lower min_df or a higher max_df.")
    counts, documents = counts[:, kept].tocsr(), documents[kept]
    counts.sort_indices()
    settings = _bag_settings(features, negative=bool((counts.data < 0).any()))
    extractor = Extractor.with_names(settings, Names.of(names[kept].tolist()))
    if features.weighting == "tfidf" and settings.norm != "none":
        idf = inverse_document_frequency(documents, len(bags), smooth=features.smooth_idf)
        extractor = extractor.scaled(idf)
    rows = Rows(counts.indptr.astype(np.int64), counts.indices.astype(np.int32), counts.data.copy())
    _, index, value = extractor.weigh(rows, 1)
    matrix = sp.csr_matrix((value, index, counts.indptr), shape=counts.shape)
    return Read("bag", matrix, extractor)


def _bag_settings(features: TextFeatures, *, negative: bool) -> Settings:
    """Return how the values of bags are weighted; negative values are no counts and stay."""
    if negative:
        return Settings(tokenizer="whitespace", lowercase=False)
    settings = features._settings()
    return Settings(
        tokenizer="whitespace", lowercase=False, count=settings.count, norm=settings.norm
    )
