"""Counting n-grams equals a plain count, where many occurrences have one beginning, too."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from linnet.text import TextFeatures


def corpus(n_texts: int, n_words: int, length: int, seed: int = 0) -> list[list[str]]:
    """Return texts of words of which some are frequent."""
    rng = np.random.default_rng(seed)
    words = [f"w{k}" for k in rng.permutation(n_words)]
    return [
        [words[k] for k in (rng.zipf(1.3, size=rng.integers(length)) - 1) % n_words]
        for _ in range(n_texts)
    ]


def plain_counts(texts: list[list[str]], longest: int, min_df: int) -> tuple[list[str], list[Any]]:
    """Return the n-grams that enough texts have, in order, and the counts of each text."""
    rows = [
        Counter(
            tuple(text[k : k + n]) for n in range(1, longest + 1) for k in range(len(text) - n + 1)
        )
        for text in texts
    ]
    documents = Counter(gram for row in rows for gram in row)
    kept = sorted(gram for gram, count in documents.items() if count >= min_df)
    column = {gram: j for j, gram in enumerate(kept)}
    return [" ".join(gram) for gram in kept], [
        {column[gram]: count for gram, count in row.items() if gram in column} for row in rows
    ]


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("longest", [1, 2, 3, 4])
@pytest.mark.parametrize("min_df", [1, 2, 5])
@pytest.mark.parametrize("n_words", [2, 40, 3000])
def test_counts_are_those_of_a_plain_count(
    threads: int, longest: int, min_df: int, n_words: int
) -> None:
    texts = corpus(400, n_words, 400)
    names, rows = plain_counts(texts, longest, min_df)
    features = TextFeatures(
        ngrams=(1, longest), min_df=min_df, n_threads=threads, weighting="count"
    )
    X = features.fit_transform([" ".join(text) for text in texts])
    assert features.get_feature_names_out().tolist() == names
    for row, expected in zip(X, rows, strict=True):
        assert dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) == expected
