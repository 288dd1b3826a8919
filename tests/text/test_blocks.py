"""Blocks of features: several kinds of n-grams side by side, each by itself."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from linnet.errors import DataError, ParameterError
from linnet.text import TextFeatures
from linnet.text.blocks import parse_blocks
from linnet.text.weighting import reweighed

TEXTS = [
    "The good old book, and the good film", "a poor book", "", "Straße und Größe", "naïve café 42",
    "the the the", "x", "one more long sentence with rather more words than the others have",
] * 40  # fmt: skip
Y = np.arange(len(TEXTS)) % 2


@pytest.mark.parametrize("weighting", ["count", "binary", "tfidf", "log_count_ratio"])
def test_blocks_are_single_features_side_by_side(weighting: str) -> None:
    y = Y if weighting == "log_count_ratio" else None
    norm = "l2" if weighting in ("tfidf", "log_count_ratio") else None
    both = TextFeatures(features=["words:1-2", "char_wb:2-4"], weighting=weighting, min_df=2)
    alone = [
        TextFeatures("token", ngrams=(1, 2), weighting=weighting, norm=norm, min_df=2),
        TextFeatures("char_wb", ngrams=(2, 4), weighting=weighting, norm=norm, min_df=2),
    ]
    expected = sp.hstack([features.fit_transform(TEXTS, y) for features in alone]).tocsr()
    for made in (both.fit_transform(TEXTS, y), both.transform(TEXTS)):
        assert made.dtype == np.float32
        assert made.has_canonical_format
        assert made.indptr.tolist() == expected.indptr.tolist()
        assert made.indices.tolist() == expected.indices.tolist()
        assert made.data.tobytes() == expected.data.tobytes()


@pytest.mark.spec("M-27")
def test_each_block_is_that_of_scikit_learn() -> None:
    texts = [text for text in TEXTS if text]
    both = TextFeatures(features=["word:1-2", "char_wb:2-3"], weighting="tfidf").fit(texts)
    expected = sp.hstack([
        TfidfVectorizer(ngram_range=(1, 2)).fit_transform(texts),
        TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3)).fit_transform(texts),
    ])  # fmt: skip
    np.testing.assert_allclose(both.transform(texts).toarray(), expected.toarray(), atol=1e-6)


def test_the_names_of_features_say_their_block() -> None:
    features = TextFeatures(features=["words:1", "char_wb:3"]).fit(["good"])
    assert features.get_feature_names_out().tolist() == [
        "words:good", "char_wb: go", "char_wb:goo", "char_wb:od ", "char_wb:ood",
    ]  # fmt: skip
    twice = TextFeatures(features="words:1,words:2").fit(["old book"])
    assert list(twice.vocabulary_) == ["words:1:book", "words:1:old", "words:2:old book"]
    assert TextFeatures(features=["words:1"]).fit(["good"]).vocabulary_ == {"good": 0}


def test_the_same_bits_at_any_number_of_threads() -> None:
    made = [
        TextFeatures(
            features=["words:1-2", "char_wb:2-5"], weighting="tfidf", n_threads=threads
        ).fit_transform(TEXTS * 20)
        for threads in (1, 3)
    ]
    assert made[0].data.tobytes() == made[1].data.tobytes()
    assert made[0].indices.tobytes() == made[1].indices.tobytes()


def test_stop_words_are_left_out_of_words_only() -> None:
    features = TextFeatures(features=["words:1", "char:3"], stop_words=["the"]).fit(["the cat"])
    assert list(features.vocabulary_) == [
        "words:cat", "char: ca", "char:cat", "char:e c", "char:he ", "char:the",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("words:2-1", "growing numbers"),
        ("syllables:1-2", "its name one of words, word, token"),
        ("words:a-b", "looks like"),
        ("words:1-2,words:1-2", "twice"),
        ([], "1 to 16 blocks"),
        ([7], "looks like"),
        (7, "must name blocks"),
    ],
)
def test_a_misspelt_block_is_refused(features: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        TextFeatures(features=features).fit(TEXTS)  # type: ignore[arg-type]


def test_blocks_and_what_contradicts_them_are_refused() -> None:
    for more in ({"tokenizer": "char"}, {"ngrams": (1, 3)}, {"vocabulary": ["a"]}):
        with pytest.raises(ParameterError, match="contradict"):
            TextFeatures(features=["words:1-2"], **more).fit(TEXTS)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no features remain"):
        TextFeatures(features=["words:1", "char_wb:2"], min_df=300).fit(TEXTS)


def test_a_block_without_lengths_has_those_that_suit_it() -> None:
    assert [str(block) for block in parse_blocks(["words", "char_wb"])] == [
        "words:1-2", "char_wb:2-5",
    ]  # fmt: skip


def test_hashed_blocks_have_buckets_of_their_own() -> None:
    features = TextFeatures(features=["words:1-2", "char_wb:2-4"], hashing=10)
    X = features.fit_transform(TEXTS)
    alone = TextFeatures("char_wb", ngrams=(2, 4), hashing=10).fit_transform(TEXTS)
    assert X.shape[1] == 2048
    assert (X[:, 1024:] != alone).nnz == 0


def test_ratios_anew_do_not_know_the_rows_left_out() -> None:
    """Held-out rows are given values that the labels of the others alone decide."""
    seen, y = np.arange(0, len(TEXTS) // 2), (np.arange(len(TEXTS)) % 3 == 0).astype(int)
    features = TextFeatures(features=["words:1", "char:2"], weighting="log_count_ratio")
    X = features.fit_transform(TEXTS, y)
    again = reweighed(features.extractor_, X, seen, y)
    alone = TextFeatures(features=["words:1", "char:2"], weighting="log_count_ratio")
    expected = alone.fit_transform(TEXTS[: len(seen)], y[seen])
    assert again[seen].data.tobytes() == expected.data.tobytes()
    changed = np.where(np.isin(np.arange(len(y)), seen), y, 1 - y)
    assert reweighed(features.extractor_, X, seen, changed).data.tobytes() == again.data.tobytes()
