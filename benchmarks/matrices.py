"""The matrices of the solver benchmark: TF-IDF of 1–2-grams that occur in at least two texts."""

from __future__ import annotations

import csv
import gzip
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer

from real_data import data_root


class Split(NamedTuple):
    """A labelled data set with its test part; labels are 0..K-1."""

    name: str
    X: sp.csr_matrix
    y: NDArray[np.int64]
    X_test: sp.csr_matrix
    y_test: NDArray[np.int64]
    C: float = 1.0  # the weight of the losses

    @property
    def n_classes(self) -> int:
        return len(np.unique(self.y))


def load(name: str) -> Split:
    """Load one data set as TF-IDF rows.

    The values are floats stored as doubles, so every tool works on exactly the same numbers.
    """
    if name == "amazon_books":
        return _amazon()
    texts, labels = _read(name, "train")
    test_texts, test_labels = _read(name, "test")
    tfidf = TfidfVectorizer(ngram_range=(1, 2), min_df=2, dtype=np.float32)
    X = tfidf.fit_transform(texts).astype(np.float64)
    X.sort_indices()
    X_test = tfidf.transform(test_texts).astype(np.float64)
    classes, y = np.unique(labels, return_inverse=True)
    return Split(name, X, y, X_test, np.searchsorted(classes, test_labels))


def _read(name: str, part: str) -> tuple[list[str], list[str]]:
    if name == "banking77":
        with open(data_root() / name / f"{part}.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return [row["text"] for row in rows], [row["category"] for row in rows]
    texts, labels = [], []
    with gzip.open(data_root() / name / f"{part}.tsv.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            label, text = line.rstrip("\n").split("\t", 1)
            labels.append(label)
            texts.append(text)
    return texts, labels


def _amazon() -> Split:
    from linnet.data import SentimentCorpus

    corpus = SentimentCorpus("books", folder=data_root() / "amazon_books", cutoff=2)
    weigh = TfidfTransformer()
    X = weigh.fit_transform(corpus.train_X).astype(np.float32).astype(np.float64)
    X_test = weigh.transform(corpus.test_X).astype(np.float32).astype(np.float64)
    return Split("amazon_books", X.tocsr(), np.asarray(corpus.train_y), X_test.tocsr(),
                 np.asarray(corpus.test_y))  # fmt: skip
