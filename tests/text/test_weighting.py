"""Weights of features: the formulas of the reference, and their limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.pipeline import make_pipeline

from linnet.errors import DataError, ParameterError
from linnet.reference import text as reference
from linnet.text import TextFeatures
from linnet.text.extractor import Rows
from linnet.text.weighting import inverse_document_frequency, log_count_ratio

from .made import corpus, dense

norms = st.sampled_from(["l1", "l2", None])
lines = st.integers(0, 9).map(lambda seed: [*corpus(12, seed), "good film", ""])


def counted(texts: list[str]) -> NDArray[np.float64]:
    return dense(TextFeatures().fit_transform(texts))


@settings(max_examples=40, deadline=None)
@given(lines, st.booleans(), st.booleans(), norms)
def test_tf_idf_is_that_of_the_reference(
    texts: list[str], smooth: bool, sublinear: bool, norm: str | None
) -> None:
    features = TextFeatures(weighting="tfidf", smooth_idf=smooth, sublinear_tf=sublinear, norm=norm)
    expected = reference.tf_idf(counted(texts), smooth=smooth, sublinear=sublinear, norm=norm)
    np.testing.assert_allclose(dense(features.fit_transform(texts)), expected, rtol=1e-6)


@settings(max_examples=20, deadline=None)
@given(lines, norms)
def test_binary_is_presence(texts: list[str], norm: str | None) -> None:
    expected = reference.normed((counted(texts) > 0).astype(float), norm)
    found = TextFeatures(weighting="binary", norm=norm).fit_transform(texts)
    np.testing.assert_allclose(dense(found), expected, rtol=1e-6)
    same = TextFeatures(binary_tf=True, sublinear_tf=True, norm=norm).fit_transform(texts)
    np.testing.assert_array_equal(dense(found), dense(same))


@settings(max_examples=30, deadline=None)
@given(lines, st.integers(2, 4), norms)
def test_the_log_count_ratio_is_that_of_the_reference(
    texts: list[str], n_classes: int, norm: str | None
) -> None:
    y = [f"class {i % n_classes}" for i in range(len(texts))]
    X = counted(texts)
    ratios = [
        reference.log_count_ratio(X, [label == f"class {k}" for label in y])
        for k in range(n_classes)
    ]
    if n_classes == 2:
        expected = ratios[1]
    else:
        strongest = np.abs(ratios).argmax(axis=0)
        expected = np.choose(strongest, ratios)
    features = TextFeatures(weighting="log_count_ratio", norm=norm)
    found = dense(features.fit_transform(texts, y))
    np.testing.assert_allclose(np.abs(features.ratio_), np.abs(expected), rtol=1e-12)
    weighed = reference.normed((X > 0) * features.ratio_, norm)
    np.testing.assert_allclose(found, weighed, rtol=1e-6, atol=1e-7)


def test_the_log_count_ratio_speaks_for_the_class_where_a_feature_lives() -> None:
    texts = ["good fun", "good plot", "bad plot", "bad bad film"]
    features = TextFeatures(weighting="log_count_ratio").fit(texts, [1, 1, 0, 0])
    ratio = dict(zip(features.get_feature_names_out(), features.ratio_, strict=True))
    assert ratio["good"] == -ratio["bad"] > 0
    assert ratio["plot"] == 0


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "needs y"),
        (["a", "b"], "3 texts but 2 labels"),
        (["a", "a", "a"], "at least 2 classes"),
        ([["a"], ["a", "b"], ["b"]], "one label a text"),
        (["a", None, 1], "one label a text"),
    ],
)
def test_labels_that_cannot_give_a_ratio_are_refused(y: object, message: str) -> None:
    features = TextFeatures(weighting="log_count_ratio")
    with pytest.raises(DataError, match=message):
        features.fit(["one two", "two", "three"], y)
    assert not hasattr(features, "extractor_")


@pytest.mark.parametrize("smooth", [True, False])
def test_hashed_tf_idf_is_that_of_a_pipeline_of_scikit_learn(smooth: bool) -> None:
    texts = corpus(40)
    peer = make_pipeline(
        HashingVectorizer(n_features=64, alternate_sign=False, norm=None),
        TfidfTransformer(smooth_idf=True),
    )
    ours = TextFeatures(hashing=6, alternate_sign=False, weighting="tfidf", smooth_idf=smooth)
    found = dense(ours.fit_transform(texts))
    assert np.isfinite(found).all()
    if smooth:
        np.testing.assert_allclose(found, dense(peer.fit_transform(texts)), rtol=1e-6, atol=1e-6)


def test_a_word_of_a_given_vocabulary_that_no_text_has_keeps_a_finite_weight() -> None:
    for smooth in (True, False):
        features = TextFeatures(weighting="tfidf", vocabulary=["good", "zither"], smooth_idf=smooth)
        features.fit(["good", "good good"])
        assert np.isfinite(features.idf_).all()
        assert features.idf_[1] > features.idf_[0]
        assert np.isfinite(features.transform(["zither", ""]).toarray()).all()


def test_rare_features_weigh_more() -> None:
    idf = inverse_document_frequency(np.array([1, 2, 3, 100]), 100)
    assert (np.diff(idf) < 0).all()
    assert idf[-1] == 1.0


def test_the_ratio_of_two_classes_changes_its_sign_with_them() -> None:
    rows = Rows(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), np.ones(3, np.float32))
    there, back = log_count_ratio(rows, 2, [0, 1]), log_count_ratio(rows, 2, [1, 0])
    np.testing.assert_allclose(there, -back, rtol=1e-12)


@pytest.mark.parametrize("weighting", ["count", "binary", "tfidf"])
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_rows_have_length_one_and_empty_rows_stay_empty(weighting: str, norm: str) -> None:
    X = dense(TextFeatures(weighting=weighting, norm=norm).fit_transform([*corpus(20), "", " , "]))
    length = np.linalg.norm(X, ord=1 if norm == "l1" else 2, axis=1)
    empty = np.abs(X).sum(axis=1) == 0
    np.testing.assert_allclose(length[~empty], 1.0, rtol=1e-6)
    assert empty[-2:].all()


def test_the_type_of_the_matrix_is_chosen_and_must_hold_its_values() -> None:
    texts = ["good good book"]
    for kind in (np.float64, np.int64, "uint8", np.float32):
        X = TextFeatures(dtype=kind).fit_transform(texts)
        assert X.dtype == np.dtype(kind)
        assert X.toarray().tolist() == [[1, 2]]
    for weights in ({"weighting": "tfidf"}, {"norm": "l1"}, {"sublinear_tf": True}):
        with pytest.raises(ParameterError, match="whole numbers"):
            TextFeatures(dtype=int, **weights).fit(texts)
    for kind in (str, bool, complex, "no type", object):
        with pytest.raises(ParameterError, match="dtype"):
            TextFeatures(dtype=kind).fit(texts)


@pytest.mark.parametrize("smooth", [True, False])
def test_many_buckets_have_the_frequencies_of_few(smooth: bool) -> None:
    documents = np.arange(11)
    few = inverse_document_frequency(documents, 10, smooth=smooth)
    many = inverse_document_frequency(np.tile(documents, 9), 10, smooth=smooth)
    assert many.tolist() == few.tolist() * 9
