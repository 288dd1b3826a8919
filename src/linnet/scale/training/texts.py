"""Classifiers of texts and of rows over parts: the features of all, then any learner that can ask.

The vocabulary and the document frequencies are added up over the parts, and so are those that one
machine would find. Labels, and 64 bits of each example that tell copies, are all that travels of
the examples themselves.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.data.copies import Copies
from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import Learner
from linnet.learn.shared.declaration import declaration_of
from linnet.learn.shared.restore import restored_on_error
from linnet.model.fitting.linear import learned
from linnet.model.fitting.reading import Read, labels_of
from linnet.model.fitting.steps import class_weights, features_for, learner_of
from linnet.model.readers.features import TextReader
from linnet.scale.training.matrix import DistributedRows, blocks_of, is_non_negative
from linnet.scale.training.origins import Parts
from linnet.scale.training.pieces import Piece
from linnet.scale.training.sums import added
from linnet.scale.workers import Cluster
from linnet.stream.exact import digests_of, originals_of
from linnet.stream.vocabulary import Run, counted_run, joined, kept_names
from linnet.text.extractor import Extractor
from linnet.text.names import Names

if TYPE_CHECKING:
    from linnet.model.text_classifier import TextClassifier
    from linnet.text.features import TextFeatures

__all__ = ["fit"]


def fit(classifier: TextClassifier, cluster: Cluster, parts: Parts) -> None:
    """Fit a classifier of texts in place."""
    began = perf_counter()
    classifier._check()
    learner = learner_of(classifier)
    if isinstance(learner, Learner) and not declaration_of(learner).linear:
        raise ParameterError(
            f"{type(learner).__name__} keeps its examples; over parts of them use a linear learner "
            "such as SVM or MaxEnt."
        )
    known = cluster.fetch(cluster.each(_known, parts.pieces))
    y = [label for labels, _ in known for label in labels]
    classes, gold = labels_of(y, len(y), order=classifier.classes)
    features = features_for(classifier, learner, len(y))
    lengths = np.array([len(labels) for labels, _ in known])
    extractor, rows = _rows(cluster, parts, features, lengths)
    copies = Copies(originals_of(b"".join(digests for _, digests in known)))
    data = Read(TextReader(extractor), rows, copies, features)
    seconds = {"features": perf_counter() - began}
    weights = class_weights(classifier, learner, None, classes, gold)
    with restored_on_error(classifier):
        for name in ("features_", "_increment"):  # of an earlier fit
            classifier.__dict__.pop(name, None)
        attributes = learned(classifier, learner, data, classes, gold, weights)
        seconds["all"] = perf_counter() - began
        classifier.__dict__.update(attributes, seconds_=seconds, indicators_=None)


def _known(piece: Piece) -> tuple[list[Any], bytes]:
    """Return the labels of a part, and what tells its texts from others."""
    return piece.y, digests_of(piece.X.raw())


def _rows(
    cluster: Cluster, parts: Parts, features: TextFeatures, lengths: NDArray[np.int64]
) -> tuple[Extractor, DistributedRows]:
    """Fit the features; return who makes them, and the matrix."""
    if features.features is not None:
        raise ParameterError("Blocks of features need all texts at once; leave features= out.")
    if features.weighting == "log_count_ratio":
        raise ParameterError("weighting='log_count_ratio' needs all texts at once; use 'tfidf'.")
    settings, n_texts = features._settings(), int(lengths.sum())
    reader = features._reader(settings)
    shared = cluster.held(reader)
    if settings.buckets:
        counts = cluster.total(added, _bucket_documents, parts.pieces, shared)
        extractor, documents = reader, cluster.fetch(counts)
    else:
        limits = {name: getattr(features, name) for name in ("min_df", "max_df", "max_features")}
        every = cluster.total(_joined, _run, parts.pieces, shared, features.max_features)
        kept = cluster.one(_kept, 0, every, shared, n_texts, limits)
        names, documents = cluster.fetch(kept)
        extractor = Extractor.with_names(settings, names, reader.tokenize)
    if features.weighting == "tfidf":
        features.idf_ = features._idf(documents, n_texts)
        extractor = extractor.scaled(features.idf_)
    features.extractor_ = extractor
    blocks = cluster.each(_matrix, parts.pieces, cluster.held(extractor))
    signs = cluster.fetch(cluster.each(is_non_negative, blocks))
    rows = DistributedRows(cluster, blocks, lengths, extractor.n_features, non_negative=all(signs))
    return extractor, rows


def _run(piece: Piece, reader: Extractor, max_features: int | None) -> list[NDArray[Any]]:
    return [*counted_run(reader, piece.X, 1, max_features)[1]]


def _joined(runs: list[list[NDArray[Any]]]) -> list[NDArray[Any]]:
    return [*joined([Run(*run) for run in runs])]


def _kept(
    run: list[NDArray[Any]], reader: Extractor, n_texts: int, limits: dict[str, Any]
) -> tuple[Names, NDArray[np.int64]]:
    return kept_names(reader, [Run(*run)], n_texts, **limits)


def _bucket_documents(piece: Piece, reader: Extractor) -> NDArray[np.int64]:
    index = reader.counts(piece.X, 1).index
    return np.bincount(index, minlength=reader.n_features).astype(np.int64)


def _matrix(piece: Piece, extractor: Extractor) -> sp.csr_matrix:
    """Return the rows of a part."""
    if not len(piece.X):
        raise DataError("it holds no texts; leave it out")
    start, index, value = extractor.weigh(extractor.counts(piece.X, 1), 1)
    shape = (len(start) - 1, extractor.n_features)
    return blocks_of(sp.csr_matrix((value, index, start), shape=shape))
