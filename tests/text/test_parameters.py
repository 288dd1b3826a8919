"""Parameters of TextFeatures: what cannot work is refused with what can."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linnet.errors import ParameterError
from linnet.text import TextFeatures

from .made import corpus, same_bits


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tokenizer": "wrd"}, "'word', 'token'.*got 'wrd'"),
        ({"tokenizer": ""}, "tokenizer must be"),
        ({"tokenizer": 3}, "tokenizer must be"),
        ({"tokenizer": "(unclosed"}, "not a regular expression"),
        ({"ngrams": (2, 1)}, "shortest <= longest"),
        ({"ngrams": (0, 1)}, "shortest <= longest"),
        ({"ngrams": (1, 5000)}, "1000"),
        ({"ngrams": "12"}, r"such as \(1, 2\)"),
        ({"ngrams": (1, 2, 3)}, r"such as \(1, 2\)"),
        ({"ngrams": True}, r"such as \(1, 2\)"),
        ({"ngrams": (1.0, 2)}, r"such as \(1, 2\)"),
        ({"ngrams": None}, r"such as \(1, 2\)"),
        ({"skip": -1}, "from 0 to 100"),
        ({"skip": 1.5}, "from 0 to 100"),
        ({"tokenizer": "char", "skip": 1}, "skip is for words"),
        ({"tokenizer": "char", "stop_words": "english"}, "stop_words is for words"),
        ({"lowercase": "yes"}, "lowercase must be"),
        ({"digits": 1}, "digits must be True or False"),
        ({"accents": "strip"}, "None, 'unicode', 'ascii'"),
        ({"accents": np.array([1, 2])}, "accents must be one of"),
        ({"stop_words": "german"}, "'english' or a list"),
        ({"stop_words": [1]}, "'english' or a list"),
        ({"stop_words": 3}, "'english' or a list"),
        ({"stop_words": ["\ud800"]}, "'english' or a list"),
        ({"min_df": 0}, "at least 1"),
        ({"min_df": 1.5}, r"share must lie in \[0, 1\].*without a point"),
        ({"min_df": float("nan")}, r"\[0, 1\]"),
        ({"max_df": True}, "count or a share"),
        ({"max_df": "0.5"}, "count or a share"),
        ({"min_df": 3, "max_df": 2}, "max_df=2 allows fewer texts than min_df=3"),
        ({"min_df": 0.9, "max_df": 0.1}, "max_df=0.1 allows fewer"),
        ({"max_features": 0}, "positive integer"),
        ({"max_features": 2.0}, "positive integer"),
        ({"vocabulary": []}, "at least one"),
        ({"vocabulary": "good"}, "list or dict"),
        ({"vocabulary": 3}, "list or dict"),
        ({"vocabulary": ["a", 1]}, "all of them str"),
        ({"vocabulary": ["a", "b", "a"]}, "'a' twice"),
        ({"vocabulary": {"a": 0, "b": 2}}, "'b' the column 2.*0 to 1"),
        ({"vocabulary": {"a": 0, "b": 0}}, "'a' and 'b' the same column"),
        ({"vocabulary": {"a": 0, "b": "1"}}, "'b' the column '1'"),
        ({"vocabulary": ["\ud800"]}, "surrogate"),
        ({"oov": "keep"}, "'drop', 'unk'"),
        ({"oov": "unk", "ngrams": (1, 2)}, r"ngrams=\(1, 1\)"),
        ({"oov": "unk", "tokenizer": "char"}, "single tokens"),
        ({"weighting": "bm25"}, "'count', 'binary', 'tfidf', 'log_count_ratio'"),
        ({"norm": "max"}, "'auto', 'l1', 'l2', None"),
        ({"n_threads": 0}, "n_threads"),
        ({"n_threads": 1.5}, "n_threads"),
    ],
)  # fmt: skip
def test_a_parameter_that_cannot_work_is_refused_with_what_can(
    given: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=f"(?s){message}"):
        TextFeatures(**given).fit(["one two", "two three", "four"])


def test_numpy_numbers_are_numbers() -> None:
    texts = corpus(30)
    plain = TextFeatures(ngrams=(1, 2), min_df=2, max_features=9, skip=1).fit_transform(texts)
    numpy = TextFeatures(
        ngrams=np.array([1, 2]), min_df=np.int64(2), max_features=np.int32(9), skip=np.int8(1)
    )
    assert same_bits(numpy.fit_transform(texts), plain)
    assert TextFeatures("char", ngrams=2).fit(["abc"]).get_params()["ngrams"] == 2
