"""Nested lists are read natively where they are plain, and by Python where they are not."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from linnet import _core
from linnet.errors import DataError
from linnet.learn.chain.sentences import read_sentences
from linnet.model.readers.tokens import read_tokens
from linnet.text.texts import plain_columns

NAMES = st.sampled_from(["a", "b", "ä", "no such", ""])
VALUES = st.sampled_from([1, 1.0, 2.5, -3, True, 0.0])
TOKENS = st.lists(NAMES, max_size=4) | st.dictionaries(NAMES, VALUES, max_size=4)
VOCABULARY = {"a": 0, "b": 2, "ä": 1, "": 3}


class Odd(str):
    """A str, but not of the plain kind."""


def slowly(X: list[list[Any]]) -> list[list[Any]]:
    """Return the same sentences with names that only Python reads."""
    return [
        [
            {Odd(name): v for name, v in token.items()}
            if isinstance(token, dict)
            else [Odd(name) for name in token]
            for token in sentence
        ]
        for sentence in X
    ]


@given(st.lists(st.lists(TOKENS, max_size=4), max_size=4))
@settings(max_examples=150)
def test_both_ways_give_the_same_rows(X: list[list[Any]]) -> None:
    assert _core.feature_rows(X, VOCABULARY) is not None
    fast, _ = read_sentences(X, VOCABULARY)
    slow, _ = read_sentences(slowly(X), VOCABULARY)
    if any(token for sentence in X for token in sentence):
        assert _core.feature_rows(slowly(X), VOCABULARY) is None
    for a, b in zip(fast, slow, strict=True):
        assert a is b or np.array_equal(a, b)
        assert getattr(a, "dtype", None) == getattr(b, "dtype", None)


def test_a_vocabulary_is_made_of_all_names() -> None:
    rows, vocabulary = read_sentences([[["b", "a"], {"c": 2.0}], []], None)
    assert vocabulary == {"a": 0, "b": 1, "c": 2}
    assert rows.column.tolist() == [0, 1, 2]
    assert rows.value is not None
    assert rows.value.tolist() == [1.0, 1.0, 2.0]
    assert rows.sentence.tolist() == [0, 2, 2]


@pytest.mark.parametrize(
    "X",
    [
        None, 3, [3], [["word"]], [[3]], [[None]], [[{"a": b"x"}]], ["text"],
        [[{"a": 10**400}]],
    ],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_python_which_says_why(X: Any) -> None:
    assert _core.feature_rows(X, VOCABULARY) is None
    with pytest.raises((DataError, OverflowError)):
        read_sentences(X, VOCABULARY)


WORDS = st.text("ab é\u2003\t", max_size=2)


@given(st.lists(st.lists(WORDS, max_size=3), max_size=4), st.booleans())
@settings(max_examples=150)
def test_both_ways_give_the_same_tokens_or_refuse_the_same_word(
    sentences: list[list[str]], pairs: bool
) -> None:
    def given_as(kind: type[str]) -> Any:
        return [
            [(kind(word), kind("T")) if pairs else kind(word) for word in sentence]
            for sentence in sentences
        ]

    def read(kind: type[str]) -> Any:
        try:
            tokens = read_tokens(given_as(kind))
        except DataError as error:
            return str(error)
        return [list(map(str, column)) for column in tokens.columns], tokens.offset.tolist()

    assert read(str) == read(Odd)


def test_columns_of_tuples_lie_apart() -> None:
    tokens = read_tokens([[("He", "P"), ("ran", "V")], (), [("We", "P")]])
    assert [*map(list, tokens.columns)] == [["He", "ran", "We"], ["P", "V", "P"]]
    assert tokens.offset.tolist() == [0, 2, 2, 3]


@pytest.mark.parametrize("sentences", [[[("a",), "b"]], [[("a",), ("b", "c")]], [[()]], [[3]]])
def test_tokens_of_different_kinds_are_refused(sentences: Any) -> None:
    assert plain_columns(sentences) is None
    with pytest.raises(DataError, match="Token"):
        read_tokens(sentences)
