"""With the same settings: scikit-learn's vocabulary, and its matrix to 1e-6."""

from __future__ import annotations

import gzip
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfVectorizer,
)

from linnet.errors import LinnetError
from linnet.text import TextFeatures

from .made import corpora, corpus, dense

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# name of a parameter here -> name there
NAMES = {
    "tokenizer": "analyzer",
    "ngrams": "ngram_range",
    "accents": "strip_accents",
    "binary_tf": "binary",
}


def pair(theirs: type, **ours: Any) -> tuple[TextFeatures, Any]:
    """Return a TextFeatures and the vectoriser of scikit-learn with the same settings."""
    given = {NAMES.get(name, name): value for name, value in ours.items()}
    if theirs is TfidfVectorizer:
        ours = {"weighting": "tfidf", **ours}
    elif theirs is HashingVectorizer:
        ours = {name: value for name, value in ours.items() if name != "n_features"}
        buckets = given.get("n_features", 2**20)
        ours["hashing"] = buckets.bit_length() - 1 if buckets < 32 else buckets
    if theirs is not TfidfVectorizer and ours.pop("binary_tf", False):
        ours["weighting"] = "binary"
    return TextFeatures(**ours), theirs(**given)


def check(theirs: type, texts: list[str], unseen: list[str] | None = None, **given: Any) -> None:
    ours, peer = pair(theirs, **given)
    try:
        expected = peer.fit_transform(texts)
    except ValueError:
        with pytest.raises(LinnetError):
            ours.fit(texts)
        return
    found = ours.fit_transform(texts)
    if theirs is not HashingVectorizer:
        assert ours.get_feature_names_out().tolist() == peer.get_feature_names_out().tolist()
        assert ours.vocabulary_ == peer.vocabulary_
    if theirs is TfidfVectorizer:
        np.testing.assert_allclose(ours.idf_, peer.idf_, rtol=1e-12)
    close(found, expected)
    if unseen is not None:
        close(ours.transform(unseen), peer.transform(unseen))


def close(found: Any, expected: Any) -> None:
    assert found.shape == expected.shape
    found.sum_duplicates()
    expected = expected.tocsr()
    expected.sort_indices()
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.data, expected.data, rtol=1e-6, atol=1e-6)


analysis = st.fixed_dictionaries(
    {
        "tokenizer": st.sampled_from(["word", "word", "char", "char_wb"]),
        "ngrams": st.tuples(st.integers(1, 4), st.integers(0, 3)).map(lambda p: (p[0], sum(p))),
        "lowercase": st.booleans(),
        "accents": st.sampled_from([None, "unicode", "ascii"]),
        "binary_tf": st.booleans(),
    }
)
limits = st.fixed_dictionaries(
    {
        "min_df": st.sampled_from([1, 1, 2, 0.0, 0.25, 0.3]),
        "max_df": st.sampled_from([1.0, 1.0, 3, 0.5, 0.7]),
    }
)
tfidf = st.fixed_dictionaries(
    {
        "smooth_idf": st.booleans(),
        "sublinear_tf": st.booleans(),
        "norm": st.sampled_from(["l1", "l2", None]),
    }
)
hashing = st.fixed_dictionaries(
    {
        "n_features": st.sampled_from([2, 16, 33, 1000, 2**20]),
        "alternate_sign": st.booleans(),
        "norm": st.sampled_from(["l1", "l2", None]),
    }
)


@settings(max_examples=200, deadline=None)
@given(corpora, corpora, analysis, limits)
@example(["a b"], ["\x1c"], {"tokenizer": "char_wb", "ngrams": (4, 5)}, {})
@example(["aa bb", "\0aa"], ["bb"], {"ngrams": (1, 2)}, {"min_df": 2})
def test_made_texts_are_counted_as_by_count_vectorizer(
    texts: list[str], unseen: list[str], given: dict[str, Any], limits: dict[str, Any]
) -> None:
    check(CountVectorizer, texts, unseen, **given, **limits)


@settings(max_examples=120, deadline=None)
@given(corpora, corpora, analysis, tfidf)
def test_made_texts_are_weighed_as_by_tfidf_vectorizer(
    texts: list[str], unseen: list[str], given: dict[str, Any], weights: dict[str, Any]
) -> None:
    if given["binary_tf"]:  # log of a count of 1
        weights = {**weights, "sublinear_tf": False}
    check(TfidfVectorizer, texts, unseen, **given, **weights)


@settings(max_examples=120, deadline=None)
@given(corpora, analysis, hashing)
def test_made_texts_are_hashed_as_by_hashing_vectorizer(
    texts: list[str], given: dict[str, Any], hashed: dict[str, Any]
) -> None:
    check(HashingVectorizer, texts, **given, **hashed)


@settings(max_examples=40, deadline=None)
@given(corpora, st.lists(st.sampled_from(["aa", "ab", "bb", "00", "σς", "é"]), max_size=3))
def test_stop_words_are_dropped_before_n_grams_are_made(texts: list[str], stop: list[str]) -> None:
    check(CountVectorizer, texts, stop_words=stop, ngrams=(1, 3))


@pytest.mark.parametrize("tokenizer", ["word", "char", "char_wb"])
def test_a_given_vocabulary_keeps_its_order(tokenizer: str) -> None:
    words = ["the", "good book", " fi", "bad", "café", "o", " a ", "no such", "", "th", "book "]
    given = {"tokenizer": tokenizer, "ngrams": (1, 3)}
    check(CountVectorizer, corpus(30), corpus(9, 1), vocabulary=words, **given)
    check(CountVectorizer, corpus(30), vocabulary={w: j for j, w in enumerate(words)}, **given)
    check(CountVectorizer, corpus(30), vocabulary=set(words), **given)
    check(TfidfVectorizer, corpus(30), corpus(9, 1), vocabulary=words, **given)


@settings(max_examples=60, deadline=None)
@given(corpora, st.integers(1, 12), st.booleans(), st.sampled_from([1, 2]))
def test_max_features_keeps_the_most_frequent(
    texts: list[str], most: int, binary: bool, low: int
) -> None:
    given = {"tokenizer": "char", "min_df": low, "binary_tf": binary}
    ours, _ = pair(CountVectorizer, max_features=most, **given)
    everything, _ = pair(CountVectorizer, **given)
    try:
        total = dense(everything.fit_transform(texts)).sum(axis=0)
    except LinnetError:
        return
    # scikit-learn lets its sort decide between equals; here it is the first in the alphabet.
    kept = np.sort(np.argsort(-total, kind="stable")[:most])
    X = ours.fit_transform(texts)
    names = everything.get_feature_names_out()[kept]
    assert ours.get_feature_names_out().tolist() == names.tolist()
    np.testing.assert_array_equal(dense(X).sum(axis=0), total[kept])
    peer = pair(CountVectorizer, max_features=most, **given)[1].fit_transform(texts)
    np.testing.assert_array_equal(np.sort(dense(peer).sum(axis=0)), np.sort(total[kept]))


def test_an_idf_of_one_for_all_is_what_use_idf_false_gives() -> None:
    peer = TfidfVectorizer(use_idf=False, sublinear_tf=True)
    ours = TextFeatures(sublinear_tf=True, norm="l2")
    close(ours.fit_transform(corpus(40)), peer.fit_transform(corpus(40)))


PATTERNS = [r"(?u)\b\w\w+\b", r"\S+", r"\w+|[^\w\s]", r"#(\w)", r"(?i)[a-c]+", r"\d(?:\w)"]


@settings(max_examples=60, deadline=None)
@given(corpora, st.sampled_from(PATTERNS))
def test_a_regular_expression_finds_the_tokens_of_token_pattern(
    texts: list[str], pattern: str
) -> None:
    texts = [text.replace("\0", "") for text in texts]
    ours, peer = TextFeatures(pattern), CountVectorizer(token_pattern=pattern)
    try:
        expected = peer.fit_transform(texts)
    except ValueError:
        with pytest.raises(LinnetError):
            ours.fit(texts)
        return
    found = ours.fit_transform(texts)
    assert ours.get_feature_names_out().tolist() == peer.get_feature_names_out().tolist()
    close(found, expected)


@settings(max_examples=40, deadline=None)
@given(corpora, st.booleans())
def test_native_tokenizers_equal_the_patterns_they_are_described_by(
    texts: list[str], lowercase: bool
) -> None:
    patterns = {"word": r"\b\w\w+\b", "token": r"\w+|[^\w\s]", "whitespace": r"\S+"}
    for name, pattern in patterns.items():
        ours = TextFeatures(name, lowercase=lowercase)
        peer = CountVectorizer(token_pattern=pattern, lowercase=lowercase)
        try:
            expected = peer.fit_transform(texts)
        except ValueError:
            continue
        close(ours.fit_transform(texts), expected)
        assert ours.get_feature_names_out().tolist() == peer.get_feature_names_out().tolist()


REAL = [
    (CountVectorizer, {"ngrams": (1, 2), "min_df": 2, "max_df": 0.5}),
    (CountVectorizer, {"tokenizer": "char_wb", "ngrams": (3, 4), "min_df": 3, "accents": "ascii"}),
    (CountVectorizer, {"tokenizer": "char", "ngrams": (2, 3), "lowercase": False, "min_df": 5}),
    (TfidfVectorizer, {"ngrams": (1, 2), "accents": "unicode"}),
    (TfidfVectorizer, {"sublinear_tf": True, "smooth_idf": False, "norm": "l1", "min_df": 0.002}),
    (HashingVectorizer, {"ngrams": (1, 2)}),
    (HashingVectorizer, {"tokenizer": "char", "ngrams": (3, 3), "n_features": 5000}),
]


@pytest.fixture(scope="module")
def real(data_dir: Callable[[str], Path]) -> Callable[[str], list[str]]:
    read: dict[str, list[str]] = {}

    def texts(name: str) -> list[str]:
        if name not in read:
            with gzip.open(data_dir(name) / "train.tsv.gz", "rt", encoding="utf-8") as file:
                read[name] = [line.partition("\t")[2] for line in itertools.islice(file, 3300)]
        return read[name]

    return texts


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(REAL)))
@pytest.mark.parametrize("name", ["imdb", "newsgroups20"])
def test_real_texts_have_the_features_of_scikit_learn(
    real: Callable[[str], list[str]], name: str, number: int
) -> None:
    peer, given = REAL[number]
    texts = real(name)
    few = 1000 if given.get("tokenizer", "word") != "word" else 3000  # characters are many
    check(peer, texts[:few], texts[-300:], **given)
