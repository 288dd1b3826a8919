"""Every feature can be traced to the characters it came from."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from linnet.errors import DataError
from linnet.reference.text import murmur3
from linnet.text import TextFeatures
from linnet.text.settings import TOKENIZERS

from .made import texts

PATTERN = re.compile(r"\w+|[^\w\s\0]")

tracing = st.fixed_dictionaries(
    {
        "tokenizer": st.sampled_from([*TOKENIZERS, PATTERN]),
        "ngrams": st.tuples(st.integers(1, 3), st.integers(0, 2)).map(lambda p: (p[0], sum(p))),
        "lowercase": st.booleans(),
        "accents": st.sampled_from([None, "unicode", "ascii"]),
        "digits": st.booleans(),
        "html": st.booleans(),
    }
)
MARKUP = ["<br />", "&amp;", "&#233;", "<", "&", "<!-- x -->", "&#x1F600;", "</p>", "<p class=a>"]
marked = st.lists(texts | st.sampled_from(MARKUP), max_size=5).map("".join)


def occurrences(features: TextFeatures, text: str) -> list[tuple[str, int, str]]:
    """Return (feature, sign, the characters of the text it covers) for each occurrence."""
    raw = text.encode()
    found = features.extractor_.trace(text)
    assert all(0 <= o.begin <= o.end <= len(raw) for o in found)
    names = features.get_feature_names_out()
    return [(names[o.column], o.sign, raw[o.begin : o.end].decode()) for o in found]


def alike(feature: str) -> str:
    """Return a feature with one form of sigma: which it is depends on what stands around."""
    return feature.replace("ς", "σ")


@settings(max_examples=300, deadline=None)
@given(marked, tracing, st.integers(0, 1))
@example("ΑΣ.Α ΟΔΟΣ", {"tokenizer": "word", "ngrams": (1, 1)}, 0)
@example("x&#39;", {"tokenizer": "whitespace", "html": True}, 0)
@example("a<br>b", {"tokenizer": "char", "ngrams": (2, 2), "html": True}, 0)
@example("a<br>b", {"tokenizer": "char_wb", "ngrams": (2, 2), "html": True}, 0)
@example("aİ", {"tokenizer": PATTERN, "lowercase": True}, 0)
@example("cafe\u0301s", {"tokenizer": "word", "accents": "unicode"}, 0)
@example("one two  three", {"tokenizer": "word", "ngrams": (2, 2)}, 1)
def test_the_bytes_of_an_occurrence_spell_the_feature_when_read_again(
    text: str, given: dict[str, Any], skip: int
) -> None:
    if given["tokenizer"] not in ("char", "char_wb"):
        given = {**given, "skip": skip}
    features = TextFeatures(**given)
    try:
        features.fit([text])
    except DataError:
        return
    for feature, sign, covered in occurrences(features, text):
        if given["tokenizer"] == "char_wb" and feature == " ":
            continue  # the space at the end of a word is in no text
        again = TextFeatures(**given).fit([covered]).get_feature_names_out()
        assert alike(feature) in set(map(alike, again)), (feature, covered)
        assert sign == 1


@settings(max_examples=100, deadline=None)
@given(marked, tracing)
def test_there_are_as_many_occurrences_as_the_row_counts(text: str, given: dict[str, Any]) -> None:
    features = TextFeatures(**given)
    try:
        row = features.fit_transform([text])
    except DataError:
        return
    counted = dict(zip(features.get_feature_names_out()[row.indices], row.data, strict=True))
    assert Counter(name for name, *_ in occurrences(features, text)) == counted


def folded(text: str) -> str:
    return alike(text.lower())


@settings(max_examples=100, deadline=None)
@given(texts, st.sampled_from(["word", "token", "unicode", "whitespace", PATTERN]))
def test_a_token_covers_exactly_its_own_characters(text: str, tokenizer: Any) -> None:
    text = text.replace("İ", "I")  # its lower case is two characters, which share one origin
    features = TextFeatures(tokenizer, lowercase=True)
    try:
        features.fit([text])
    except DataError:
        return
    for feature, _, covered in occurrences(features, text):
        assert folded(covered) == alike(feature)


@settings(max_examples=60, deadline=None)
@given(texts, st.sampled_from(["word", "char_wb", PATTERN]), st.booleans())
def test_hashed_features_are_traced_to_their_bucket_and_sign(
    text: str, tokenizer: Any, signs: bool
) -> None:
    named = TextFeatures(tokenizer, ngrams=(1, 2))
    try:
        named.fit([text])
    except DataError:
        return
    hashed = TextFeatures(tokenizer, ngrams=(1, 2), hashing=6, alternate_sign=signs).fit([text])
    raw = text.encode()
    found = hashed.extractor_.trace(text)
    assert len(found) == len(named.extractor_.trace(text))
    for (feature, _, covered), occurrence in zip(occurrences(named, text), found, strict=True):
        h = murmur3(feature.encode())
        assert occurrence.column == abs(h) % 64
        assert occurrence.sign == (-1 if signs and h < 0 else 1)
        assert raw[occurrence.begin : occurrence.end].decode() == covered


@settings(max_examples=60, deadline=None)
@given(texts)
def test_occurrences_come_in_the_order_of_their_beginnings(text: str) -> None:
    found = TextFeatures("token", ngrams=(1, 3), skip=1, hashing=20).fit([text]).extractor_
    begins = [occurrence.begin for occurrence in found.trace(text)]
    assert begins == sorted(begins)


def test_unknown_words_are_traced_too() -> None:
    features = TextFeatures("whitespace", vocabulary=["good"], oov="unk").fit(["good"])
    assert occurrences(features, "a good zither") == [
        ("<unk>", 1, "a"),
        ("good", 1, "good"),
        ("<unk>", 1, "zither"),
    ]
    assert occurrences(TextFeatures(vocabulary=["good"]).fit(["x"]), "a good zither") == [
        ("good", 1, "good")
    ]


def test_an_entity_and_a_tag_belong_to_the_feature_as_a_whole() -> None:
    features = TextFeatures("whitespace", html=True).fit(["Q&amp;A caf&#233; a<br/>b"])
    found = occurrences(features, "Q&amp;A caf&#233; a<br/>b")
    assert found == [("Q&A", 1, "Q&amp;A"), ("café", 1, "caf&#233;"), ("a", 1, "a"), ("b", 1, "b")]


def test_a_function_that_changes_tokens_is_traced_to_where_they_may_come_from() -> None:
    features = TextFeatures(lambda text: [word.strip("s") for word in text.split()])
    features.fit(["Cats sit"])
    assert occurrences(features, "Cats sit") == [("cat", 1, "Cat"), ("it", 1, "it")]
    changed = TextFeatures(lambda text: ["<start>", *text.split()]).fit(["one two"])
    assert occurrences(changed, "one two") == [
        ("<start>", 1, ""),
        ("one", 1, "one"),
        ("two", 1, "two"),
    ]


def test_the_words_between_are_covered_by_a_skip_gram_and_across_stop_words() -> None:
    features = TextFeatures(ngrams=(2, 2), skip=1).fit(["good old book"])
    assert ("good book", 1, "Good, old book") in occurrences(features, "Good, old book")
    features = TextFeatures(ngrams=(2, 2), stop_words=["of"]).fit(["king of hearts"])
    assert occurrences(features, "King of hearts!") == [("king hearts", 1, "King of hearts")]


@pytest.mark.parametrize("text", [None, b"bytes", 1.5, "\ud800"])
@pytest.mark.parametrize("tokenizer", ["word", r"\w+"])
def test_only_a_text_can_be_traced(text: Any, tokenizer: str) -> None:
    with pytest.raises(DataError, match="Text 0"):
        TextFeatures(tokenizer).fit(["one two"]).extractor_.trace(text)
