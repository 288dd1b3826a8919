"""What may be passed as texts: every kind of column equals the list; the rest is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from linnet.data.columns import TextColumn
from linnet.errors import DataError
from linnet.text import TextFeatures
from linnet.text.settings import TOKENIZERS

from .made import corpus, same_bits

COLUMNS: dict[str, Callable[[list[str]], Any]] = {
    "tuple": tuple,
    "iterator": iter,
    "numpy": np.array,
    "numpy objects": lambda texts: np.array(texts, dtype=object),
    "pandas objects": lambda texts: pd.Series(texts, dtype=object, index=range(9, 9 + len(texts))),
    "pandas strings": lambda texts: pd.Series(texts, dtype="string[pyarrow]"),
    "pandas default": pd.Series,
    "pandas categories": lambda texts: pd.Series(texts, dtype="category"),
    "pandas index": pd.Index,
    "arrow": pa.array,
    "arrow slice": lambda texts: pa.array(["before", *texts, "behind"]).slice(1, len(texts)),
    "arrow chunks": lambda texts: pa.chunked_array([texts[:7], [], texts[7:]]),
    "arrow large": lambda texts: pa.array(texts, pa.large_string()),
    "arrow dictionary": lambda texts: pa.array(texts).dictionary_encode(),
    "text column": TextColumn.from_strings,
    "text column slice": lambda texts: TextColumn.from_strings(["x", *texts])[1:],
}


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("tokenizer", ["word", r"\w+"])
def test_every_kind_of_column_equals_the_list(kind: str, tokenizer: str) -> None:
    texts = [*corpus(20), "", "naïve Σ 😀"]
    expected = TextFeatures(tokenizer, oov="unk", min_df=2)
    X = expected.fit_transform(texts)
    make = COLUMNS[kind]
    features = TextFeatures(tokenizer, oov="unk", min_df=2)
    assert same_bits(features.fit_transform(make(texts)), X)
    assert features.vocabulary_ == expected.vocabulary_
    assert same_bits(features.transform(make(texts)), X)


def test_polars_columns_equal_the_list() -> None:
    import polars as pl

    texts = [*corpus(20), "", "naïve Σ 😀"]
    X = TextFeatures().fit_transform(texts)
    assert same_bits(TextFeatures().fit_transform(pl.Series(texts)), X)
    assert same_bits(TextFeatures().fit_transform(pl.Series(["x", *texts])[1:]), X)
    with pytest.raises(DataError):
        TextFeatures().fit(pl.Series(["one", None]))
    with pytest.raises(DataError):
        TextFeatures().fit(pl.DataFrame({"text": texts}))


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", r"pass \[text\]"),
        (b"bytes", r"pass \[text\]"),
        (["a", None], "Text 1 is missing.*drop it"),
        (["a", "b", float("nan")], "Text 2 is missing"),
        (["a", b"b"], "Text 1 is of type bytes.*decode"),
        (["a", 3], "Text 1 is of type int"),
        (["a", ["b"]], "Text 1 is of type list"),
        (["a", np.array([1, 2])], "Text 1 is of type ndarray"),
        (["a", "b\ud83d"], "Text 1 holds half of a surrogate pair.*replace"),
        ([], "no texts"),
        ([[], []], "Text 0"),
        (np.array([["a", "b"]]), r"one column.*\(1, 2\)"),
        (np.array("a"), "one column"),
        (pd.DataFrame({"text": ["a"]}), "one column"),
        (pd.Series(["a", None], dtype=object), "Text 1"),
        (pd.Series(["a", None], dtype="string[pyarrow]"), "missing, first in row 1"),
        (pd.Series([1, 2]), "strings"),
        (pa.array(["a", None]), "missing, first in row 1"),
        (pa.array([1]), "strings"),
        (pa.table({"text": ["a"]}), "one column|strings"),
        (None, "Expected texts, got NoneType"),
        (7, "Expected texts, got int"),
    ],
)
@pytest.mark.parametrize("tokenizer", ["word", r"\w\w+"])
def test_what_is_no_column_of_texts_is_refused(texts: Any, message: str, tokenizer: str) -> None:
    with pytest.raises(DataError, match=f"(?s){message}"):
        TextFeatures(tokenizer).fit(texts)
    if not (isinstance(texts, list) and not texts):
        with pytest.raises(DataError, match=f"(?s){message}"):
            TextFeatures(tokenizer, hashing=8).transform(texts)


def test_no_texts_make_no_rows_but_cannot_be_learned_from() -> None:
    fitted = TextFeatures().fit(["one two"])
    assert fitted.transform([]).shape == (0, 2)
    for empty in ([], (), pa.array([], pa.string()), pd.Series([], dtype=object)):
        assert TextFeatures(hashing=4).transform(empty).shape == (0, 16)
    for own in ({}, {"hashing": 4}, {"vocabulary": ["a"]}, {"hashing": 4, "weighting": "tfidf"}):
        with pytest.raises(DataError, match="no texts"):
            TextFeatures(**own).fit([])


@pytest.mark.parametrize("tokenizer", [*TOKENIZERS, r"\w+"])
def test_texts_without_tokens_are_refused_alone_but_rows_of_zeros_among_others(
    tokenizer: str,
) -> None:
    with pytest.raises(DataError, match="no tokens"):
        TextFeatures(tokenizer).fit(["", ""])
    X = TextFeatures(tokenizer, weighting="tfidf").fit_transform(["", "one two", ""])
    assert X.getnnz(axis=1).tolist()[::2] == [0, 0]
    assert np.isfinite(X.toarray()).all()


def test_only_stop_words_or_a_high_cut_off_leave_nothing() -> None:
    with pytest.raises(DataError, match="stop words"):
        TextFeatures(stop_words=["one"]).fit(["one", "one"])
    with pytest.raises(DataError, match="lower min_df"):
        TextFeatures(min_df=2).fit(["one", "two"])


def test_a_text_of_ten_megabytes_is_read() -> None:
    long = "the good book " * 750_000
    assert len(long) > 10_000_000
    features = TextFeatures(ngrams=(1, 2))
    X = features.fit_transform([long, "book"])
    assert X[0, features.vocabulary_["good book"]] == 750_000
    one_word = "x" * 10_000_000
    assert TextFeatures("whitespace", hashing=4).transform([one_word]).nnz == 1


@pytest.mark.parametrize("tokenizer", [*TOKENIZERS, r"[^\s\0]+"])
def test_nul_is_a_character_like_others(tokenizer: str) -> None:
    texts = ["ab\0cd", "\0", "\0\0 ab", "ab"]
    features = TextFeatures(tokenizer, ngrams=(1, 2))
    X = features.fit_transform(texts)
    names = features.get_feature_names_out().tolist()
    assert len(set(names)) == len(names) == X.shape[1]
    assert same_bits(features.transform(texts), X)
