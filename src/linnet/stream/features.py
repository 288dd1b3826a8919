"""The features of texts that need not fit into memory: the vocabulary of memory, block by block."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.stream.vocabulary import Vocabulary, count_vocabulary
from linnet.threads import thread_count

if TYPE_CHECKING:
    from linnet.model.text_classifier import TextClassifier
    from linnet.text.features import TextFeatures

__all__ = ["ENOUGH", "counted_features"]

ENOUGH = 1 << 62  # texts; more than a threshold of features_for asks for


def counted_features(
    classifier: TextClassifier,
    features: TextFeatures,
    blocks: Iterable[Any],
    folder: str | os.PathLike[str] | None = None,
) -> Vocabulary:
    """Return the features that the classifier would have in memory, after one pass over texts.

    Parameters
    ----------
    classifier : TextClassifier
        Its least document frequency depends on the number of texts.
    features : TextFeatures
        What becomes a feature and how it is weighed.
    blocks : iterable of columns of texts
    folder : path, optional
        Where counts go that do not fit into memory.
    """
    settings, threads = features._settings(), thread_count(features.n_threads)
    reader = features._reader(settings)
    if settings.buckets:
        documents = np.zeros(settings.buckets, np.int64)
        n_texts = 0
        for texts in blocks:
            rows = reader.counts(texts, threads)
            documents += np.bincount(rows.index, minlength=settings.buckets)
            n_texts += len(rows.start) - 1
        vocabulary = Vocabulary(reader, documents, n_texts)
    else:
        vocabulary = count_vocabulary(
            reader, blocks, threads, max_df=features.max_df,
            min_df=lambda n: classifier._features(n).min_df,
            max_features=features.max_features, folder=folder,
        )  # fmt: skip
    if features.weighting != "tfidf":
        return vocabulary
    scale = features._idf(vocabulary.documents, vocabulary.n_texts)
    return vocabulary._replace(extractor=vocabulary.extractor.scaled(scale))
