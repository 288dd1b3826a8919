"""Learning a vocabulary: which n-grams of a corpus become features, and how often each occurs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.text.extractor import UNKNOWN, Extractor, Rows, empty_rows
from linnet.text.names import Names
from linnet.text.parameters import document_limits

__all__ = ["Counted", "EmptyVocabularyError", "Learned", "count_ngrams", "learn_vocabulary"]

_ALL = 2**62


class EmptyVocabularyError(DataError):
    """No n-gram became a feature."""


class Learned(NamedTuple):
    """An extractor with the vocabulary, the counts of the texts, and the texts of each feature."""

    extractor: Extractor
    rows: Rows
    documents: NDArray[np.int64]


def learn_vocabulary(
    reader: Extractor,
    texts: Any,
    threads: int,
    *,
    min_df: Any = 1,
    max_df: Any = 1.0,
    max_features: int | None = None,
) -> Learned:
    """Count the n-grams of texts and keep those that the limits allow.

    Parameters
    ----------
    reader : Extractor
        Says how texts are read; its vocabulary, if any, plays no part.
    texts : list of str, or any column of texts
    threads : int
    min_df, max_df : int or float
        The least and the largest number, or share, of texts that have a feature.
    max_features : int, optional
        Keep those that occur most often; where counts are binary, in most texts.

    Examples
    --------
    >>> from linnet.text.settings import Settings
    >>> learned = learn_vocabulary(Extractor(Settings()), ["good book", "good film"], 1, min_df=2)
    >>> learned.extractor.names.tolist(), learned.documents.tolist()
    (['good'], [2])
    """
    settings = reader.settings
    views = reader.read(texts)
    if not len(views):
        raise DataError("There are no texts; at least one is needed.")
    low, high = document_limits(min_df, max_df, len(views))
    by_documents = max_features is not None and settings.count == "binary"
    most = _ALL if max_features is None or by_documents else int(max_features)
    counts = _core.count_features(views, settings.analysis(), low, high, most, threads)
    if not counts.columns and not settings.unknown:
        pruned = low > 1 or high < len(views)
        raise EmptyVocabularyError(
            "After pruning, no features remain. Try a lower min_df or a higher max_df."
            if pruned
            else "Empty vocabulary: the texts hold no tokens, or only stop words. "
            "Try another tokenizer, such as 'token' or 'char_wb'."
        )
    names, documents = _names(counts, threads)
    if by_documents and max_features is not None and max_features < counts.columns:
        kept = np.sort(np.argsort(-documents, kind="stable")[:max_features])
        names, documents, rows = names.take(kept), documents[kept], None
    else:
        rows = _counts(counts, threads)
    if settings.unknown:
        names, rows = Names.of([*names.tolist(), UNKNOWN]), None
    extractor = Extractor.with_names(settings, names, reader.tokenize)
    if rows is None:  # fewer columns, or one more, than were counted
        rows = extractor.counts(views, threads)
        documents = np.bincount(rows.index, minlength=len(names))
    return Learned(extractor, rows, documents)


class Counted(NamedTuple):
    """The n-grams of some texts in order, the texts of each, and how often each occurs in all."""

    n_texts: int
    names: Names
    documents: NDArray[np.int64]
    times: NDArray[np.int64] | None


def count_ngrams(reader: Extractor, texts: Any, threads: int, *, times: bool = False) -> Counted:
    """Count all n-grams of texts; with `times` also how often each occurs.

    Examples
    --------
    >>> from linnet.text.settings import Settings
    >>> texts = ["good good book", "good film"]
    >>> counted = count_ngrams(Extractor(Settings()), texts, 1, times=True)
    >>> counted.names.tolist(), counted.documents.tolist(), counted.times.tolist()
    (['book', 'film', 'good'], [1, 1, 2], [1, 1, 3])
    """
    views = reader.read(texts)
    counts = _core.count_features(views, reader.settings.analysis(), 1, _ALL, _ALL, threads)
    names, documents = _names(counts, threads)
    often = None
    if times:
        rows = _counts(counts, threads)
        often = np.bincount(rows.index, rows.value, len(names)).astype(np.int64)
    return Counted(len(views), names, documents, often)


def _counts(counts: _core.Counts, threads: int) -> Rows:
    rows = empty_rows(counts.rows, counts.stored)
    counts.matrix(*rows, threads)
    return rows


def _names(counts: _core.Counts, threads: int) -> tuple[Names, NDArray[np.int64]]:
    data, offset = np.empty(counts.spelled, np.uint8), np.empty(counts.columns + 1, np.int64)
    counts.names(data, offset, threads)
    documents = np.empty(counts.columns, np.int64)
    counts.documents(documents)
    return Names(data, offset), documents
