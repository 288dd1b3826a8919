"""Texts that are counted for several kinds of features: what was counted once is not again.

Kinds of features share blocks, and the weights of a block (tf-idf, log-count ratios, norms) do not
change what is counted. So counts are kept, and each kind is given a copy of its own to weigh.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.text.blocks import BlockExtractor, joined
from linnet.text.extractor import Extractor, Rows
from linnet.text.texts import as_texts
from linnet.text.vocabulary import Learned, learn_vocabulary

__all__ = ["Remembered"]


class Remembered:
    """Texts and what was counted in them.

    Parameters
    ----------
    texts : list of str, or any column of texts
        Read by tokenizers of the core, not by patterns or functions.

    Examples
    --------
    >>> from linnet.text import TextFeatures
    >>> texts = Remembered(["good book", "good film"])
    >>> for weighting in ("count", "tfidf"):  # counted once
    ...     TextFeatures(weighting=weighting).fit_transform(texts).toarray()[0].round(2).tolist()
    [1.0, 0.0, 1.0]
    [0.81..., 0.0, 0.57...]
    """

    def __init__(self, texts: Any) -> None:
        self.views = as_texts(texts)
        self._learned: dict[Any, Learned] = {}
        self._counts: dict[int, tuple[NDArray[Any], Rows]] = {}  # by the table of a vocabulary

    def learned(self, reader: Extractor, threads: int, **limits: Any) -> Learned:
        """Return the vocabulary and the counts, as :func:`learn_vocabulary` does."""
        settings = reader.settings
        by_documents = limits["max_features"] is not None and settings.count == "binary"
        counted = replace(settings, count=str(by_documents), norm="none", signs=True)
        key = counted, *limits.values()
        if key not in self._learned:
            self._learned[key] = learn_vocabulary(reader, self.views, threads, **limits)
        extractor, rows, documents = self._learned[key]
        return Learned(replace(extractor, settings=settings), _copied(rows), documents)

    def counts(self, extractor: Extractor | BlockExtractor, threads: int) -> Rows:
        """Return how often each feature of each block occurs in each text."""
        parts = extractor.parts if isinstance(extractor, BlockExtractor) else (extractor,)
        rows = [self._of(part, threads) for part in parts]
        if len(rows) == 1:
            return _copied(rows[0])
        return joined(rows, [part.n_features for part in parts], threads)

    def _of(self, part: Extractor, threads: int) -> Rows:
        table = part.slots
        if table is None:  # buckets
            return part.counts(self.views, threads)
        if id(table) not in self._counts:  # which stays its own as long as the table is kept
            self._counts[id(table)] = table, part.counts(self.views, threads)
        return self._counts[id(table)][1]


def _copied(rows: Rows) -> Rows:
    """Return rows whose values may be changed."""
    return Rows(rows.start, rows.index, np.array(rows.value))
