"""Tokens, n-grams, skip-grams and the lecture's feature functions, against the reference."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import tiny
from linnet.errors import DataError, ParameterError
from linnet.reference import text as reference
from linnet.text import ENGLISH_STOP_WORDS, TextFeatures

from .made import WORDS, corpora, corpus, dense, texts


def features_of(text: str, **given: object) -> dict[str, int]:
    """Return the features of one text and how often each occurs."""
    features = TextFeatures(**given)
    try:
        row = dense(features.fit_transform([text]))[0]
    except DataError:
        return {}
    return dict(
        zip(features.get_feature_names_out().tolist(), row.astype(int).tolist(), strict=True)
    )


def person_score(text: str, weights: dict[str, float], pattern: re.Pattern[str]) -> float:
    features = TextFeatures(pattern, vocabulary=list(weights), lowercase=False, digits=True)
    return float(dense(features.transform([text]))[0] @ list(weights.values()))


@pytest.mark.spec("W-10", "D-12", "M-27")
def test_unigrams_of_the_lecture_keep_their_case() -> None:
    text = "A site , located in Maizuru , Kyoto"
    found = features_of(text, tokenizer="whitespace")
    assert found == {"A": 1, "site": 1, ",": 2, "located": 1, "in": 1, "Maizuru": 1, "Kyoto": 1}
    assert "the" not in found and "temple" not in found


@pytest.mark.spec("D-12")
def test_only_the_whitespace_tokenizer_keeps_case_by_default() -> None:
    for tokenizer in ("word", "token", "unicode", "char", "char_wb"):
        assert all(name == name.lower() for name in features_of("Ab CD", tokenizer=tokenizer))
        assert "B" not in "".join(features_of("AB", tokenizer=tokenizer, lowercase=None))
    assert features_of("Ab CD", tokenizer="whitespace") == {"Ab": 1, "CD": 1}
    assert features_of("Ab CD", tokenizer="whitespace", lowercase=True) == {"ab": 1, "cd": 1}


@pytest.mark.spec("W-18")
def test_a_given_vocabulary_makes_the_document_vector_of_the_lecture() -> None:
    features = TextFeatures("whitespace", vocabulary=["Obama", "Ferrari", "voters", "movies"])
    row = features.transform(["voters like Obama said voters"])
    assert row.toarray().tolist() == [[1, 0, 2, 0]]


@pytest.mark.spec("M-21")
def test_unseen_words_are_dropped_or_counted_together() -> None:
    train, unseen = ["just plain boring", "no fun"], ["fun with no originality , fun", "", "x y"]
    dropped = TextFeatures("whitespace").fit(train)
    assert dropped.transform(unseen).sum(axis=1).A1.tolist() == [3, 0, 0]
    counted = TextFeatures("whitespace", oov="unk").fit(train)
    names = counted.get_feature_names_out().tolist()
    assert names == ["boring", "fun", "just", "no", "plain", "<unk>"]
    assert counted.transform(unseen).toarray()[:, -1].tolist() == [3, 0, 2]
    assert counted.transform(train).toarray()[:, -1].tolist() == [0, 0]


@pytest.mark.spec("M-21")
@settings(max_examples=30, deadline=None)
@given(corpora, st.integers(1, 3))
def test_the_unknown_column_counts_what_the_cut_off_leaves_out(
    documents: list[str], min_df: int
) -> None:
    min_df = min(min_df, len(documents))
    tokens = [reference.tokens(text, "token", lowercase=True) for text in documents]
    words = reference.vocabulary(tokens, min_df=min_df)
    known = [reference.with_unknown(document, words) for document in tokens]
    expected = reference.counts(known, [*words, "<unk>"])
    features = TextFeatures("token", oov="unk", min_df=min_df)
    np.testing.assert_array_equal(dense(features.fit_transform(documents)), expected)
    assert features.get_feature_names_out().tolist() == [*words, "<unk>"]


def test_a_given_vocabulary_may_name_the_unknown_word_itself() -> None:
    for words in (["good", "bad"], ["good", "bad", "<unk>"]):
        features = TextFeatures(vocabulary=words, oov="unk")
        assert features.transform(["good old film"]).toarray().tolist() == [[1, 0, 2]]


@pytest.mark.spec("W-04", "M-27")
def test_the_joint_indicators_of_the_lecture_are_the_presence_of_a_word_times_a_label() -> None:
    x = TextFeatures(vocabulary=["ronaldo"], weighting="binary").transform(["Ronaldo Ronaldo!"])
    present = x.toarray()[0, 0]
    joint = {
        label: tuple(present * (label == other) for other in ("sport", "politics"))
        for label in ("sport", "politics", "weather")
    }
    assert joint == {"sport": (1, 0), "politics": (0, 1), "weather": (0, 0)}


@pytest.mark.spec("W-08", "M-27")
def test_propositions_are_features_made_by_a_function() -> None:
    def propositions(text: str) -> list[str]:
        words = text.split()
        happy = {"amazing", "excellent", ":-)"}
        return [
            *["contains Ronaldo"] * ("Ronaldo" in words),
            *["all capitalised"] * all(word[0].isupper() for word in words),
            *["contains praise"] * any(word in happy for word in words),
        ]

    names = ["contains Ronaldo", "all capitalised", "contains praise"]
    features = TextFeatures(propositions, vocabulary=names, lowercase=False)
    assert features.transform([tiny.RONALDO]).toarray().tolist() == [[1, 0, 1]]


@pytest.mark.spec("W-09", "M-27")
def test_words_pairs_and_patterns_make_the_person_classifier_of_the_lecture() -> None:
    weights = {name.replace("<#>", "000"): w for name, w in tiny.PERSON_WEIGHTS.items()}
    pattern = re.compile(r"\(\d+-\d+\)|Kyoto Prefecture|\w+")
    scores = [person_score(text, weights, pattern) for text in tiny.PEOPLE.texts]
    assert scores == [3.0, -4.0, 2.0]
    assert tuple(1 if score > 0 else -1 for score in scores) == tiny.PEOPLE.labels


@pytest.mark.spec("M-27")
def test_digits_make_one_feature_of_all_years() -> None:
    found = features_of("born in (1903-1972), (12-13) ٣٤", tokenizer=r"\(\S+\)|\w+", digits=True)
    assert found == {"born": 1, "in": 1, "(0000-0000)": 1, "(00-00)": 1, "00": 1}
    assert features_of("in 1903 and 1972", digits=True) == {"in": 1, "0000": 2, "and": 1}


words_lists = st.lists(st.sampled_from([*WORDS, ","]), max_size=9)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(words_lists, min_size=1, max_size=5),
    st.integers(1, 3),
    st.integers(0, 2),
    st.integers(0, 3),
    st.integers(1, 2),
)
def test_skip_grams_are_those_of_the_reference(
    documents: list[list[str]], shortest: int, more: int, skip: int, min_df: int
) -> None:
    low, high = shortest, shortest + more
    min_df = min(min_df, len(documents))
    grams = [reference.ngrams(words, low, high, skip) for words in documents]
    names = reference.vocabulary(grams, min_df=min_df)
    features = TextFeatures("whitespace", ngrams=(low, high), skip=skip, min_df=min_df)
    lines = [" ".join(words) for words in documents]
    if not names:
        with pytest.raises(DataError):
            features.fit(lines)
        return
    expected = reference.counts(grams, names)
    np.testing.assert_array_equal(dense(features.fit_transform(lines)), expected)
    assert features.get_feature_names_out().tolist() == names
    np.testing.assert_array_equal(dense(features.transform(lines)), expected)


@settings(max_examples=60, deadline=None)
@given(corpora, st.integers(1, 3), st.integers(0, 2), st.booleans())
def test_character_n_grams_are_those_of_the_reference(
    documents: list[str], shortest: int, more: int, inside: bool
) -> None:
    ngrams = (shortest, shortest + more)
    grams = [reference.char_ngrams(text, *ngrams, inside_words=inside) for text in documents]
    names = reference.vocabulary(grams)
    tokenizer = "char_wb" if inside else "char"
    features = TextFeatures(tokenizer, ngrams=ngrams, lowercase=False)
    if names:
        found = dense(features.fit_transform(documents))
        assert features.get_feature_names_out().tolist() == names
        np.testing.assert_array_equal(found, reference.counts(grams, names))


@settings(max_examples=60, deadline=None)
@given(texts, st.sampled_from(["word", "token", "whitespace"]))
def test_tokens_are_those_of_the_reference(text: str, tokenizer: str) -> None:
    expected = Counter(reference.tokens(text, tokenizer))
    assert features_of(text, tokenizer=tokenizer, lowercase=False) == expected


# One, two, three and four bytes each: letters, what stands alone, white space.
MIXED = "aB3_ .\t" + "é·\u00a0" + "語—\u2003" + "\U00010400\U0001f600"


@pytest.mark.parametrize("alphabet", [MIXED[:7], MIXED])
@pytest.mark.parametrize(("tokenizer", "pattern"), [("word", r"\w\w+"), ("token", r"\w+|[^\w\s]")])
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_words_that_cross_chunks_of_64_bytes_are_those_of_the_pattern(
    data: st.DataObject, tokenizer: str, pattern: str, alphabet: str
) -> None:
    text = data.draw(st.text(alphabet=alphabet, max_size=300))
    expected = Counter(re.findall(pattern, text))
    assert features_of(text, tokenizer=tokenizer, lowercase=False) == expected


@pytest.mark.parametrize("before", range(58, 68))
@pytest.mark.parametrize(
    "word", ["é", "éa", "語", "\U00010400", "aé語\U00010400", "—", "\U0001f600"]
)
def test_a_character_at_the_edge_of_a_chunk_is_one_character(before: int, word: str) -> None:
    text = "x" * (before - 1) + " " + word + " end"
    for tokenizer, pattern in (("word", r"\w\w+"), ("token", r"\w+|[^\w\s]")):
        expected = Counter(re.findall(pattern, text))
        assert features_of(text, tokenizer=tokenizer, lowercase=False) == expected


def test_the_unicode_tokenizer_keeps_words_whole_that_a_pattern_would_cut() -> None:
    found = features_of("Can't pay 3.5 €, déjà-vu!", tokenizer="unicode")
    assert found == {
        "can't": 1, "pay": 1, "3.5": 1, "€": 1, ",": 1, "déjà": 1, "-": 1, "vu": 1, "!": 1,
    }  # fmt: skip


def test_markup_is_removed_and_entities_are_read() -> None:
    found = features_of("<b>Q&amp;A</b><br/>caf&#233; a<b", tokenizer="whitespace", html=True)
    assert found == {"Q&A": 1, "café": 1, "a<b": 1}


def test_n_grams_longer_than_the_text_are_no_features() -> None:
    assert features_of("one two", ngrams=(3, 5)) == {}
    assert features_of("one two", ngrams=(2, 900)) == {"one two": 1}
    assert features_of("ab", tokenizer="char", ngrams=(3, 3)) == {}
    assert features_of("ab", tokenizer="char_wb", ngrams=(9, 9)) == {" ab ": 1}


def test_a_group_of_the_pattern_is_the_token() -> None:
    assert features_of("#one two #three", tokenizer=r"#(\w+)") == {"one": 1, "three": 1}
    with pytest.raises(ParameterError, match=r"2 groups.*\(\?:"):
        TextFeatures(r"(a)(b)").fit(["ab"])


def test_a_match_or_group_that_is_empty_is_no_token() -> None:
    assert features_of("aXbX", tokenizer=r"[cd]*") == {}
    found = features_of("aXbX", tokenizer=r"[ab]*", ngrams=(1, 2))
    assert found == {"a": 1, "b": 1, "a b": 1}
    assert features_of("one -", tokenizer=r"(\w+)|-", ngrams=(1, 2)) == {"one": 1}


def test_a_compiled_pattern_keeps_its_flags() -> None:
    verbose = re.compile("b  # the letter\n | A", re.VERBOSE | re.IGNORECASE)
    assert features_of("aBc", tokenizer=verbose, lowercase=False) == {"a": 1, "B": 1}
    inline = re.compile(r"(?i)(?u)\bA\w", re.ASCII & 0)
    assert features_of("ab Ab", tokenizer=inline, lowercase=False) == {"ab": 1, "Ab": 1}
    with pytest.raises(ParameterError, match="bytes"):
        TextFeatures(re.compile(rb"a")).fit(["a"])


def test_a_function_sees_the_normalised_text_and_may_return_any_tokens() -> None:
    seen: list[str] = []

    def halves(text: str) -> tuple[str, ...]:
        seen.append(text)
        return (text[: len(text) // 2], "", text[len(text) // 2 :])

    found = features_of("<i>ÀB</i>cd", tokenizer=halves, html=True, accents="ascii", ngrams=(1, 2))
    assert set(seen) == {" ab cd"}
    assert found == {}, "a space inside a token of n-grams is refused"
    assert features_of("abcd", tokenizer=halves, ngrams=(1, 2)) == {"ab": 1, "cd": 1, "ab cd": 1}


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (["a\0b"], "NUL"),
        (["a b"], "space.*ngrams"),
        ([1], "list of str.*gave 1"),
        ("ab", "list of str"),
        (None, "list of str"),
        (["\ud800"], "surrogate"),
    ],
)
def test_tokens_that_cannot_work_are_refused(tokens: object, message: str) -> None:
    with pytest.raises(DataError, match=f"(?s){message}"):
        TextFeatures(lambda text: tokens, ngrams=(1, 2)).fit(["x"])


def test_a_function_is_called_once_for_each_text() -> None:
    calls: list[str] = []

    def split(text: str) -> list[str]:
        calls.append(text)
        return text.split()

    TextFeatures(split, oov="unk", min_df=2).fit_transform(iter(["a b", "b c"]))
    assert calls == ["a b", "b c"]


def test_stop_words_leave_n_grams_of_their_neighbours() -> None:
    found = features_of("king of the hill", stop_words="english", ngrams=(1, 2))
    assert found == {"king": 1, "hill": 1, "king hill": 1}
    assert {"not", "no", "never"}.isdisjoint(ENGLISH_STOP_WORDS)
    assert all(word == word.lower() for word in ENGLISH_STOP_WORDS)


def test_accents_and_case_are_folded_before_the_vocabulary_is_made() -> None:
    assert features_of("Café CAFÉ cafe", accents="unicode") == {"cafe": 3}
    assert features_of("Café 日本 CAFÉ", accents="ascii") == {"cafe": 2}
    assert features_of("ΟΔΥΣΣΕΥΣ οδυσσευς") == {"οδυσσευς": 2}


def test_a_cut_off_only_shortens_the_vocabulary() -> None:
    lines = corpus(60)
    everything = TextFeatures(ngrams=(1, 3)).fit(lines)
    X = dense(everything.transform(lines))
    for low, high in ((2, 1.0), (3, 0.4), (0.05, 20)):
        cut = TextFeatures(ngrams=(1, 3), min_df=low, max_df=high).fit(lines)
        kept = [everything.vocabulary_[name] for name in cut.get_feature_names_out()]
        np.testing.assert_array_equal(dense(cut.transform(lines)), X[:, kept])
