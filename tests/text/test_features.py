"""TextFeatures as an estimator: threads, scikit-learn's contract."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.validation import check_is_fitted

from linnet import MaxEnt
from linnet.data.columns import TextColumn
from linnet.errors import DataError, LinnetError, NotFittedError
from linnet.text import TextFeatures

from .made import corpora, corpus, dense, large_corpus, same_bits

SETTINGS: list[dict[str, Any]] = [
    {},
    {"ngrams": (1, 3), "weighting": "tfidf", "min_df": 2},
    {"tokenizer": "char_wb", "ngrams": (2, 4), "max_features": 500, "norm": "l1"},
    {"tokenizer": "char", "ngrams": (1, 2), "weighting": "binary"},
    {"tokenizer": "whitespace", "ngrams": (1, 2), "skip": 2, "sublinear_tf": True},
    {"tokenizer": "unicode", "oov": "unk", "min_df": 3, "weighting": "tfidf"},
    {"hashing": 12, "ngrams": (1, 2)},
    {"hashing": 100, "tokenizer": "char", "ngrams": (3, 3), "weighting": "tfidf"},
    {"tokenizer": r"\w+", "weighting": "log_count_ratio", "norm": "l2"},
    {"vocabulary": ["good", "w1", "w2 w3", "book"], "ngrams": (1, 2)},
]
each_setting = pytest.mark.parametrize("given", SETTINGS, ids=lambda g: "-".join(map(str, g)))


def labels(texts: Any) -> list[str]:
    return ["even" if i % 2 else "odd" for i in range(len(texts))]


@each_setting
def test_the_same_bits_come_out_at_any_number_of_threads(given: dict[str, Any]) -> None:
    texts = large_corpus()
    y = labels(texts)
    one = TextFeatures(**given, n_threads=1)
    expected = one.fit_transform(texts, y)
    for threads in (2, 4):
        more = TextFeatures(**given, n_threads=threads)
        assert same_bits(more.fit_transform(texts, y), expected)
        assert same_bits(more.transform(texts[::-1]), one.transform(texts[::-1]))
        if not given.get("hashing"):
            assert more.get_feature_names_out().tolist() == one.get_feature_names_out().tolist()


@each_setting
def test_fitting_and_transforming_at_once_gives_the_same_bits(given: dict[str, Any]) -> None:
    texts = [*corpus(50), *large_corpus()[:50], "", "é", *corpus(10)]
    y = labels(texts)
    at_once = TextFeatures(**given).fit_transform(texts, y)
    assert same_bits(at_once, TextFeatures(**given).fit(texts, y).transform(texts))


@settings(max_examples=60, deadline=None)
@given(corpora, st.sampled_from([g for g in SETTINGS if "min_df" not in g]))
def test_made_texts_give_the_same_bits_at_once(texts: list[str], given: dict[str, Any]) -> None:
    features = TextFeatures(**given)
    try:
        at_once = features.fit_transform(texts, labels(texts))
    except DataError:
        return
    assert same_bits(at_once, features.transform(texts))
    assert np.isfinite(at_once.data).all()


@each_setting
def test_a_row_does_not_depend_on_its_neighbours(given: dict[str, Any]) -> None:
    texts = [*corpus(25), *large_corpus()[:25]]
    features = TextFeatures(**given).fit(texts, labels(texts))
    whole = features.transform(texts)
    assert same_bits(features.transform(texts[::-1]), whole[::-1])
    for i in (0, 7, 49):
        assert same_bits(features.transform([texts[i]]), whole[i])


def test_many_callers_at_once_get_what_one_gets() -> None:
    texts = large_corpus()[:1500]
    features = TextFeatures(ngrams=(1, 2), weighting="tfidf", n_threads=2).fit(texts)
    expected = features.transform(texts)
    with ThreadPoolExecutor(6) as pool:
        for found in pool.map(features.transform, [texts] * 12):
            assert same_bits(found, expected)
        for fit in pool.map(clone(features).fit_transform, [texts] * 6):
            assert same_bits(fit, expected)


def test_columns_are_sorted_and_canonical() -> None:
    X = TextFeatures(ngrams=(1, 2)).fit_transform(large_corpus())
    assert X.has_canonical_format and X.has_sorted_indices
    assert (
        np.diff(X.indices)[np.diff(np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))) == 0] > 0
    ).all()
    assert X.indices.dtype == np.int32 and X.dtype == np.float32


def test_the_names_of_one_can_be_the_vocabulary_of_another() -> None:
    first = TextFeatures(ngrams=(1, 2)).fit(corpus(30))
    for vocabulary in (first.get_feature_names_out(), first.vocabulary_):
        second = TextFeatures(ngrams=(1, 2), vocabulary=vocabulary)
        assert same_bits(second.transform(corpus(9, 1)), first.transform(corpus(9, 1)))


@pytest.mark.parametrize("given", [{}, {"hashing": 8, "weighting": "tfidf"},
                                   {"vocabulary": ["a"], "weighting": "tfidf"}])  # fmt: skip
def test_what_has_to_be_learned_must_be_fitted_first(given: dict[str, Any]) -> None:
    features = TextFeatures(**given)
    with pytest.raises(NotFittedError, match="call fit"):
        features.transform(["a"])
    with pytest.raises(Exception, match="not fitted"):
        check_is_fitted(features)
    assert not hasattr(features, "vocabulary_") or given.get("hashing")


@pytest.mark.parametrize(
    ("change", "texts"),
    [
        ({"min_df": 5}, ["one two"]),
        ({"weighting": "log_count_ratio"}, ["one two"]),
        ({"tokenizer": "nonsense"}, ["one two"]),
        ({}, ["one", None]),
        ({"n_threads": 0}, ["one two"]),
        ({"dtype": int}, ["one two"]),
    ],
)
def test_a_fit_that_fails_leaves_what_was_fitted(change: dict[str, Any], texts: list[Any]) -> None:
    features = TextFeatures(weighting="tfidf").fit(corpus(20))
    before = {name: value for name, value in vars(features).items() if name.endswith("_")}
    X = features.transform(corpus(5))
    with pytest.raises(LinnetError):
        features.set_params(**change).fit(texts)
    after = {name: value for name, value in vars(features).items() if name.endswith("_")}
    assert after == before and set(after) == {"extractor_", "idf_"}
    features.set_params(n_threads=None, dtype=np.float32)
    assert same_bits(features.transform(corpus(5)), X)


def test_a_second_fit_forgets_the_first() -> None:
    features = TextFeatures(weighting="tfidf").fit(["one two"])
    features.set_params(weighting="count").fit(["three", "four"])
    assert not hasattr(features, "idf_")
    assert features.get_feature_names_out().tolist() == ["four", "three"]
    features.set_params(weighting="log_count_ratio").fit(["three", "four"], [0, 1])
    assert hasattr(features, "ratio_")


@each_setting
def test_a_copy_is_as_good_as_the_original(given: dict[str, Any]) -> None:
    texts = corpus(40)
    features = TextFeatures(**given).fit(texts, labels(texts))
    X = features.transform(texts)
    assert same_bits(pickle.loads(pickle.dumps(features)).transform(texts), X)
    assert same_bits(copy.deepcopy(features).transform(texts), X)
    fresh = clone(features)
    assert fresh.get_params() == features.get_params() and not hasattr(fresh, "extractor_")
    assert same_bits(fresh.fit(texts, labels(texts)).transform(texts), X)


@each_setting
def test_transforming_changes_nothing(given: dict[str, Any]) -> None:
    texts = corpus(40)
    features = TextFeatures(**given).fit(texts, labels(texts))
    before = dict(vars(features))
    features.transform(texts)
    assert vars(features) == before


def test_it_works_in_a_pipeline_and_a_grid_search() -> None:
    texts = [f"good film {i}" if i % 2 else f"bad film {i}" for i in range(40)]
    y = np.array([i % 2 for i in range(40)])
    pipeline = make_pipeline(TextFeatures(weighting="tfidf"), MaxEnt())
    assert pipeline.fit(texts, y).score(texts, y) == 1.0
    names = pipeline[:-1].get_feature_names_out()
    assert names[np.argmax(pipeline[-1].coef_)] == "good"
    grid = GridSearchCV(
        pipeline,
        {"textfeatures__ngrams": [(1, 1), (1, 2)], "textfeatures__hashing": [None, 8]},
        cv=2,
        error_score="raise",
    )
    for column in (texts, np.array(texts), pd.Series(texts), TextColumn.from_strings(texts)):
        assert grid.fit(column, y).best_score_ > 0.9


def test_parameters_are_read_and_set_by_name() -> None:
    features = TextFeatures("char", ngrams=(2, 3))
    assert features.get_params()["tokenizer"] == "char"
    assert features.set_params(tokenizer="word", hashing=8) is features
    with pytest.raises(ValueError, match="nonsense"):
        features.set_params(nonsense=1)
    assert repr(features) == "TextFeatures(hashing=8, ngrams=(2, 3))"
    many = TextFeatures(vocabulary=[str(i) for i in range(10_000)])
    assert len(repr(many)) < 1000


def test_a_table_for_people_is_refused_in_words_and_the_default_is_kept() -> None:
    features = TextFeatures().set_output(transform="default")
    assert features.fit_transform(["one two"]).shape == (1, 2)
    with pytest.raises(ValueError, match="sparse"):
        TextFeatures().set_output(transform="pandas").fit_transform(["one two"])


def test_names_of_columns_are_python_strings_in_an_object_array() -> None:
    names = TextFeatures("char", ngrams=(1, 2)).fit(["é😀"]).get_feature_names_out()
    assert names.dtype == object and names.tolist() == ["é", "é😀", "😀"]
    assert all(type(name) is str for name in names)


@pytest.mark.parametrize(
    "name",
    [
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_get_params_invariance",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_set_params",
        "check_valid_tag_types",
    ],
)
def test_the_checks_of_scikit_learn_that_need_no_matrix_pass(name: str) -> None:
    getattr(estimator_checks, name)("TextFeatures", TextFeatures())


def test_scikit_learn_is_told_what_goes_in() -> None:
    tags = TextFeatures().__sklearn_tags__()
    assert tags.input_tags.string and not tags.input_tags.two_d_array and tags.requires_fit
    assert not TextFeatures(hashing=8).__sklearn_tags__().requires_fit
    assert TextFeatures(weighting="log_count_ratio").__sklearn_tags__().target_tags.required


def test_values_are_float32_sums_that_do_not_drift() -> None:
    X = TextFeatures(weighting="tfidf", norm="l2").fit_transform(large_corpus())
    lengths = np.sqrt(np.asarray(X.astype(np.float64).multiply(X.astype(np.float64)).sum(axis=1)))
    np.testing.assert_allclose(lengths, 1.0, rtol=1e-6)
    assert dense(TextFeatures().fit_transform(["a b", "ab ab"])).tolist() == [[0.0], [2.0]]
