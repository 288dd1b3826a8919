"""Token features equal their plain Python twin, at any thread count."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from linnet.data.columns import TextColumn
from linnet.errors import DataError, ParameterError
from linnet.text.feature_sets import FEATURE_SETS, feature_set
from linnet.text.token_extractor import TokenRows
from linnet.text.token_features import TokenFeatures, columns_of
from linnet.text.token_templates import FLAGS

from . import token_twin as twin
from .made import characters

GAZETTEERS = {
    "_B-1": ["b"],  # a name that is also a marker
    "place": ["a b", "b a b a b", "A"],
    "person": ["a", "a b c", "é"],
}
TRANSFORMS = ["", ".lower", ".shape", ".short_shape", ".prefix1", ".prefix3", ".suffix1",
              ".suffix2", ".suffix4", ".ngrams2", ".ngrams1-3", ".gazetteer",
              *(f".{flag}" for flag in FLAGS)]  # fmt: skip
SINGLE = [how for how in TRANSFORMS if how[:4] not in (".ngr", ".gaz")]

words = st.sampled_from(["a", "b", "c", "A", "", "a|b", "b|c", "_B-1", "St.", "3,5", "McX-9"])
words = words | st.text(st.sampled_from("aAbé9.-|") | characters, max_size=6)
parts = st.builds("{}{}[{}]".format, st.sampled_from(["w", "pos", "c0"]), st.sampled_from(SINGLE),
                  st.integers(-3, 3))  # fmt: skip
templates = st.lists(parts, min_size=1, max_size=4).map("|".join)


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[list[str]], list[int]]:
    sizes = draw(st.lists(st.integers(0, 5), min_size=1, max_size=5).filter(any))
    sentence = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    column = st.lists(words, min_size=sum(sizes), max_size=sum(sizes))
    return [draw(column), draw(column)], sentence


def expected_rows(rows: list[set[str]], names: list[str]) -> list[list[int]]:
    column = {name: k for k, name in enumerate(names)}
    return [sorted(column[name] for name in row if name in column) for row in rows]


def as_lists(rows: TokenRows) -> list[list[int]]:
    return [part.tolist() for part in np.split(rows.index, rows.start[1:-1])]


def check(
    features: TokenFeatures, columns: list[list[str]], sentence: list[int], twins: list[set[str]]
) -> None:
    names = twin.vocabulary(twins, features.min_count)
    if not names:
        with pytest.raises(DataError, match="min_count"):
            features.fit(columns, sentence)
        return
    rows = features.fit_transform(columns, sentence)
    assert features.get_feature_names_out().tolist() == names
    assert as_lists(rows) == expected_rows(twins, names)
    assert rows.index.dtype == np.int32 and rows.start.dtype == np.int64
    assert rows.n_features == len(names)
    counts = np.bincount(rows.index, minlength=len(names))
    assert np.array_equal(features.count_, counts)


@pytest.mark.parametrize("outside", ["omit", "marker"])
@pytest.mark.parametrize("how", TRANSFORMS)
@settings(max_examples=15)
@given(corpora())
def test_every_transform_gives_the_names_and_rows_of_the_twin(
    how: str, outside: str, corpus: tuple[list[list[str]], list[int]]
) -> None:
    chosen = [f"w{how}[0]", f"w{how}[-1]", f"pos{how}[2]"]
    lists = GAZETTEERS if how == ".gazetteer" else None
    twins = twin.all_features(chosen, *corpus, outside, lists)
    check(TokenFeatures(chosen, outside=outside, gazetteers=lists), *corpus, twins)


@settings(max_examples=60)
@given(
    corpora(),
    st.lists(templates, min_size=1, max_size=6, unique=True),
    st.sampled_from(["omit", "marker"]),
    st.integers(1, 3),
)
@example(([["a|b", "c", "a", "b|c"], [""] * 4], [0, 2, 4]), ["w[0]|w[1]"], "omit", 2)
def test_joined_parts_give_the_names_and_rows_of_the_twin(
    corpus: tuple[list[list[str]], list[int]], chosen: list[str], outside: str, least: int
) -> None:
    twins = twin.all_features([*chosen, "__BOS__", "__EOS__"], *corpus, outside)
    features = TokenFeatures([*chosen, "__BOS__", "__EOS__"], outside=outside, min_count=least)
    check(features, *corpus, twins)


@settings(max_examples=25)
@given(corpora(), st.sampled_from(FEATURE_SETS))
def test_the_named_sets_give_the_names_and_rows_of_the_twin(
    corpus: tuple[list[list[str]], list[int]], name: str
) -> None:
    lists = GAZETTEERS if name == "ner" else None
    chosen = feature_set(name, 2, gazetteers=lists is not None)
    assert len(set(chosen)) == len(chosen)
    twins = twin.all_features(chosen, *corpus, gazetteers=lists)
    check(TokenFeatures(name, gazetteers=lists), *corpus, twins)


MACROS = ["U0:%x[-2,0]", "U0:%x[1,1]", "U1%x[0,0]%x[1,0]", "U10:%x[0,1]/%x[-1,1]/", "U", "B"]


@settings(max_examples=25)
@given(corpora())
def test_crfpp_templates_expand_as_crfpp_expands_them(
    corpus: tuple[list[list[str]], list[int]],
) -> None:
    import linnet.data.crfpp as crfpp

    template = crfpp.parse_template("\n".join(MACROS))
    columns, sentence = corpus
    twins = []
    for first, last in pairwise(sentence):
        own = [column[first:last] for column in columns]
        twins += [set(row) for row in template.features(own)]
    check(TokenFeatures(list(template.macros)), columns, sentence, twins)


def test_a_crfpp_file_is_read_as_it_is_and_says_whether_label_pairs_have_weights(
    tmp_path: Path,
) -> None:
    (tmp_path / "template").write_text("# words\nU00:%x[-1,0]\nU01:%x[0,0]\n\nB\n")
    features = TokenFeatures(tmp_path / "template").fit([["He", "ran"]], [0, 2])
    expected = ["U00:He", "U00:_B-1", "U01:He", "U01:ran"]
    assert features.get_feature_names_out().tolist() == expected
    assert features.transitions_
    assert TokenFeatures(str(tmp_path / "template")).fit([["a"]], [0, 1]).transitions_
    assert not TokenFeatures(["U01:%x[0,0]"]).fit([["a"]], [0, 1]).transitions_
    assert TokenFeatures(["w[0]"]).fit([["a"]], [0, 1]).transitions_
    with pytest.raises(ParameterError, match="label pairs"):
        TokenFeatures(["U01:%x[0,0]", "B01:%x[0,0]"]).fit([["a"]], [0, 1])


@pytest.mark.parametrize("name", ["chunking", "ner"])
def test_names_and_rows_do_not_depend_on_the_number_of_threads(name: str) -> None:
    columns, sentence = twin.large_tokens()
    lists = (
        {"x": ["some-word-1 some-word-2", "some-word-3Ü"], "y": ["some-word-1"]}
        if name == "ner"
        else None
    )
    one = TokenFeatures(name, n_threads=1, min_count=2, gazetteers=lists)
    rows = one.fit_transform(columns, sentence)
    chosen = feature_set(name, 2, gazetteers=lists is not None)
    twins = twin.all_features(chosen, columns, sentence.tolist(), gazetteers=lists)
    assert as_lists(rows) == expected_rows(twins, one.get_feature_names_out().tolist())
    for threads in (2, 3, 7):
        more = clone(one).set_params(n_threads=threads)
        again = more.fit_transform(columns, sentence)
        assert np.array_equal(again.start, rows.start) and np.array_equal(again.index, rows.index)
        for old, new in zip(
            one.extractor_.to_file()[1].values(), more.extractor_.to_file()[1].values(), strict=True
        ):
            assert np.array_equal(old, new)


def test_more_different_words_than_a_key_has_numbers_for_change_no_row() -> None:
    n = (1 << 18) + 4096
    words = [f"w{k}" for k in range(n)]
    sentence = np.arange(0, n + 1, 2)
    features = TokenFeatures(["w[0]", "w[-1]|w[0]", "w[0]|w[1]"], n_threads=1)
    whole = features.fit_transform([words], sentence)
    assert np.array_equal(np.diff(whole.start), np.full(n, 2))
    parts = []
    for begin in range(0, n, 1 << 16):
        some = words[begin : begin + (1 << 16)]
        parts.append(features.transform([some], sentence[: len(some) // 2 + 1]))
    assert np.array_equal(np.concatenate([part.index for part in parts]), whole.index)


def test_columns_of_bytes_and_of_strings_are_the_same() -> None:
    columns, sentence = twin.large_tokens(1)
    features = TokenFeatures().fit(columns, sentence)
    bytes_ = [TextColumn.from_strings(column) for column in columns]
    old, new = features.transform(columns, sentence), features.transform(bytes_, sentence)
    assert np.array_equal(old.index, new.index)


def test_bytes_that_are_no_utf8_read_as_the_replacement_character() -> None:
    bad, good = TextColumn(b"a\xffB", [0], [3]), TextColumn.from_strings(["a\ufffdB"])
    names = [TokenFeatures("pos").fit([c], [0, 1]).get_feature_names_out() for c in (bad, good)]
    assert names[0].tolist() == names[1].tolist()


def test_features_not_seen_in_fit_are_dropped() -> None:
    features = TokenFeatures(["w[0]", "w[-1]|w[0]"]).fit([["the", "cat"]], [0, 2])
    rows = features.transform([["a", "cat", "the", "dog"]], [0, 4])
    assert as_lists(rows) == [[], [1], [2], []]


def test_sentences_of_no_and_of_one_token_have_rows() -> None:
    features = TokenFeatures("pos").fit([["He", "ran"]], [0, 0, 1, 1, 2, 2])
    names = set(features.get_feature_names_out())
    assert {"__BOS__", "__EOS__"} <= names and not any("w[1]" in name for name in names)
    for nothing in ([0], [0, 0, 0]):
        rows = features.transform([[]], nothing)
        assert rows.start.tolist() == [0] and len(rows.index) == 0


def test_a_word_of_ten_megabytes_is_a_word() -> None:
    long = "aB" * 5_000_000
    chosen = ["w[0]", "w.short_shape[0]", "w.suffix3[0]", "w.ngrams2[0]", "w.is_lower[0]"]
    features = TokenFeatures(chosen).fit([[long, "a", long]], [0, 3])
    names = features.get_feature_names_out()
    short = sorted(name for name in names if len(name) < 100)
    assert short == ["w.is_lower[0]=1", "w.ngrams2[0]=Ba", "w.ngrams2[0]=aB", "w.short_shape[0]=x",
                     "w.suffix3[0]=BaB", "w[0]=a"]  # fmt: skip
    assert sorted(name for name in names if len(name) >= 100)[1] == f"w[0]={long}"
    assert len(as_lists(features.transform([["a", long]], [0, 2]))[1]) == 5


def test_a_function_makes_the_features_it_is_asked_for() -> None:
    def ends(tokens: list[Any], place: int) -> list[str]:
        word, tag = tokens[place]
        return [f"tag={tag}", f"end={word[-1:]}", f"of={len(tokens)}", f"tag={tag}"]

    columns, sentence = columns_of([[("He", "P"), ("ran", "V")], [], [("sat", "V")]])
    features = TokenFeatures(ends, min_count=2)
    rows = features.fit_transform(columns, sentence)
    assert features.get_feature_names_out().tolist() == ["of=2", "tag=V"]
    assert as_lists(rows) == [[0], [0, 1], [1]] and features.count_.tolist() == [2, 2]
    with pytest.raises(ParameterError, match="function"):
        features.extractor_.to_file()
    one = TokenFeatures(lambda tokens, place: [tokens[place]]).fit([["b", "a"]], [0, 2])
    assert one.get_feature_names_out().tolist() == ["a", "b"]
    for wrong in ("text", 3, [1], [[]], None, ["\ud800"]):
        with pytest.raises(DataError, match="token 0"):
            TokenFeatures(lambda tokens, place, gave=wrong: gave).fit([["b", "a"]], [0, 2])


def test_crfsuites_chunking_features_of_real_sentences_are_those_of_the_twin(
    data_dir: Callable[[str], Path],
) -> None:
    with gzip.open(data_dir("conll2000") / "test.txt.gz", "rt", encoding="utf-8") as file:
        lines = file.read()
    sentences = [
        [tuple(line.split()[:2]) for line in block.split("\n") if line]
        for block in lines.split("\n\n")[:300]
    ]
    columns, sentence = columns_of(sentences)
    chosen = feature_set("crfsuite_chunking", 2)
    lists = [column.to_list() for column in columns]
    twins = twin.all_features(chosen, lists, sentence.tolist())
    check(TokenFeatures("crfsuite_chunking"), lists, sentence.tolist(), twins)
