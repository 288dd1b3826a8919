"""The hashing trick: the reference's buckets and signs, and how many features share one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils import murmurhash3_32

from linnet.errors import DataError, ParameterError
from linnet.reference import text as reference
from linnet.text import Extractor, TextFeatures

from .made import corpora, corpus, dense, large_corpus, same_bits, texts


@given(st.binary(max_size=20))
def test_the_reference_has_the_hash_of_scikit_learn(data: bytes) -> None:
    assert reference.murmur3(data) == murmurhash3_32(data, 0)


@settings(max_examples=60, deadline=None)
@given(corpora, st.sampled_from([1, 4, 33, 1000]), st.booleans(), st.integers(0, 2))
def test_buckets_and_signs_are_those_of_the_reference(
    documents: list[str], hashing: int, signs: bool, skip: int
) -> None:
    grams = [
        reference.ngrams(reference.tokens(text, "token", lowercase=True), 1, 2, skip)
        for text in documents
    ]
    buckets = 2**hashing if hashing < 32 else hashing
    features = TextFeatures(
        "token", ngrams=(1, 2), skip=skip, hashing=hashing, alternate_sign=signs, norm=None
    )
    expected = reference.hashed(grams, buckets, alternate_sign=signs)
    np.testing.assert_array_equal(dense(features.transform(documents)), expected)


@given(st.lists(texts, min_size=1, max_size=4))
@settings(max_examples=30, deadline=None)
def test_a_text_has_one_entry_for_each_bucket_even_if_its_count_cancels_out(
    documents: list[str],
) -> None:
    kept = TextFeatures("char", hashing=1, alternate_sign=False, norm=None).transform(documents)
    signed = TextFeatures("char", hashing=1, norm=None).transform(documents)
    assert np.array_equal(kept.indices, signed.indices)
    assert (np.abs(signed.data) <= kept.data).all()


def by_print(**given: Any) -> Extractor:
    """Return an extractor that hashes fingerprints, as a stream has it."""
    features = TextFeatures(norm=None, **given)
    return features._reader(replace(features._settings(), hash="print"))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(alphabet="abcde _.é", max_size=200), min_size=1, max_size=3),
    st.sampled_from([1, 3, 40, 2**20]),
    st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3)]),
    st.booleans(),
)
def test_counts_of_fingerprints_are_those_of_their_occurrences_one_by_one(
    documents: list[str], buckets: int, ngrams: tuple[int, int], signs: bool
) -> None:
    extractor = by_print(hashing=buckets, ngrams=ngrams, alternate_sign=signs)
    rows = extractor.counts(documents, 1, ordered=False)
    for row, text in enumerate(documents):
        expected: Counter[int] = Counter()
        for size in range(ngrams[0], ngrams[1] + 1):  # traced alone, each n-gram by itself
            single = by_print(hashing=buckets, ngrams=(size, size), alternate_sign=signs)
            for occurrence in single.trace(text):
                expected[occurrence.column] += occurrence.sign
        cells = slice(rows.start[row], rows.start[row + 1])
        columns, counts = rows.index[cells].tolist(), rows.value[cells].tolist()
        assert dict(zip(columns, counts, strict=True)) == dict(expected)
        order = [one.column for one in extractor.trace(text)]
        assert columns == list(dict.fromkeys(order))  # as they first occur


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2), (2, 3), (3, 3)])
@pytest.mark.parametrize("buckets", [2**22, 1000])
@pytest.mark.parametrize("words", [0, 1, 2, 63, 64, 65, 400])
@pytest.mark.parametrize("stop", [None, ["a", "abcdefghi"]])
def test_n_grams_hashed_side_by_side_have_the_buckets_of_their_spellings_one_by_one(
    ngrams: tuple[int, int], buckets: int, words: int, stop: list[str] | None
) -> None:
    lengths = np.random.default_rng(words).integers(1, 46, words)  # from no step to eleven
    text = " ".join("abcdefghijklmnopqrstuvwxyzäöü0123456789_abcdefg"[:n] for n in lengths)
    features = TextFeatures("token", ngrams=ngrams, hashing=buckets, stop_words=stop)
    extractor = features.fit([text]).extractor_
    rows = extractor.counts([text], 1, ordered=False)
    expected: Counter[int] = Counter()
    for occurrence in extractor.trace(text):  # spelled and hashed each by itself
        expected[occurrence.column] += occurrence.sign
    assert rows.index.tolist() == list(expected)
    assert rows.value.tolist() == list(expected.values())


@pytest.mark.parametrize("length", range(1, 20))
def test_the_fingerprint_of_a_word_does_not_depend_on_what_stands_behind_it(length: int) -> None:
    word = "abcdefghijklmnopqrst"[:length]
    extractor = by_print(tokenizer="token", hashing=2**30)
    alone = extractor.trace(word)[0].column
    assert [extractor.trace(word + rest)[0].column for rest in (" z", " and more of it")] == [
        alone, alone,
    ]  # fmt: skip
    assert extractor.counts([word + " and more of it"], 1, ordered=False).index[0] == alone


def test_hashing_needs_no_fit_and_fit_changes_nothing() -> None:
    lines = corpus(30)
    features = TextFeatures(hashing=10, ngrams=(1, 2))
    before = features.transform(lines)
    assert same_bits(before, features.fit(corpus(5, 1)).transform(lines))
    assert same_bits(before, TextFeatures(hashing=1024, ngrams=(1, 2)).fit_transform(lines))


def test_unfitted_hashing_follows_its_parameters() -> None:
    features = TextFeatures(hashing=10)
    assert features.transform(["a"]).shape == (1, 1024)
    assert features.set_params(hashing=4).transform(["a"]).shape == (1, 16)
    assert not hasattr(features, "extractor_")


@pytest.mark.parametrize(
    ("hashing", "columns"), [(True, 2**20), (1, 2), (30, 2**30), (32, 32), (2**31 - 1, 2**31 - 1)]
)
def test_a_small_number_is_one_of_bits_and_a_large_one_of_buckets(
    hashing: int, columns: int
) -> None:
    assert TextFeatures(hashing=hashing).transform(["good book"]).shape == (1, columns)


@pytest.mark.parametrize("hashing", [0, -1, 31, 2**31, 2.0, "20", (20,)])
def test_other_numbers_of_buckets_are_refused(hashing: object) -> None:
    with pytest.raises(ParameterError, match="bits from 1 to 30"):
        TextFeatures(hashing=hashing).fit(["a"])


@pytest.mark.parametrize(
    "given",
    [{"min_df": 2}, {"max_df": 0.5}, {"max_features": 9}, {"vocabulary": ["a"]}, {"oov": "unk"}],
)
def test_what_needs_a_vocabulary_is_refused_with_hashing(given: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="hashing"):
        TextFeatures(hashing=10, **given).fit(["a b"])


def test_hashed_features_have_no_names() -> None:
    features = TextFeatures(hashing=10).fit(["one two"])
    with pytest.raises(ParameterError, match="no names"):
        features.get_feature_names_out()


@settings(max_examples=40, deadline=None)
@given(corpora, st.sampled_from([1, 3, 32, 100]))
def test_collisions_are_counted_as_by_hand(documents: list[str], hashing: int) -> None:
    features = TextFeatures("char", ngrams=(1, 2), hashing=hashing)
    if not any(documents):
        with pytest.raises(DataError):
            features.collisions(documents)
        return
    names = TextFeatures("char", ngrams=(1, 2)).fit(documents).get_feature_names_out()
    buckets = 2**hashing if hashing < 32 else hashing
    homes = [abs(reference.murmur3(name.encode())) % buckets for name in names]
    alone = sum(homes.count(home) == 1 for home in homes)
    found = features.collisions(documents)
    assert found == (len(names), buckets, len(names) - alone)


def test_enough_buckets_have_few_collisions() -> None:
    lines = large_corpus()
    few = TextFeatures(hashing=24).collisions(lines)
    many = TextFeatures(hashing=6).collisions(lines)
    assert few.colliding < 0.01 * few.features
    assert many.colliding == many.features > 64
    with pytest.raises(ParameterError, match="hashing=20"):
        TextFeatures().collisions(lines)
