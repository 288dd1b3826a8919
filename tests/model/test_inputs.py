"""What a TextClassifier is trained on: texts, bags, vectors, weights, and unusual data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import linnet
from linnet import TextClassifier
from linnet.data.columns import TextColumn
from linnet.errors import DataError

from .made import bags_of, same_bits, texts_of

TEXTS, LABELS = texts_of(90)
PAIR, PAIR_LABELS = texts_of(60, classes=2, seed=1)
NEW = [*texts_of(30, seed=2)[0], "", "unseen words only", "goal goal goal soup", "ÄPFEL"]


@pytest.fixture(scope="module")
def fitted() -> TextClassifier:
    return TextClassifier().fit(TEXTS, LABELS)


def test_columns_lists_and_generators_of_the_same_texts_give_the_same_bits() -> None:
    import pandas as pd
    import pyarrow as pa

    model = TextClassifier().fit(TEXTS, LABELS)
    for X in (
        tuple(TEXTS), TextColumn.from_strings(TEXTS), pa.array(TEXTS), pd.Series(TEXTS),
        np.array(TEXTS), (text for text in TEXTS),
    ):  # fmt: skip
        same_bits(model, TextClassifier().fit(X, LABELS), NEW)


def test_labels_may_be_lists_arrays_and_series() -> None:
    import pandas as pd

    model = TextClassifier().fit(TEXTS, LABELS)
    for y in (tuple(LABELS), np.array(LABELS), np.array(LABELS, object), pd.Series(LABELS)):
        same_bits(model, TextClassifier().fit(TEXTS, y), NEW)


@pytest.mark.parametrize("values", [(0, 1), (False, True), (-1.0, 2.0), ("−", "très bien"), (7, 3)])
def test_labels_of_every_plain_kind_come_back_as_given(values: Any, tmp_path: Any) -> None:
    y = [values[label == "food"] for label in PAIR_LABELS]
    clf = TextClassifier().fit(PAIR, y)
    assert clf.classes_.tolist() == sorted(values)
    assert set(map(type, clf.predict(PAIR).tolist())) == {type(values[0])}
    clf.save(tmp_path / "m.linnet")
    same_bits(clf, linnet.load(tmp_path / "m.linnet"), NEW)
    same_bits(clf, clf.model_, NEW)


def test_bags_of_counts_are_weighted_as_texts_are() -> None:
    settings: dict[str, Any] = {"ngrams": 1, "tokenizer": "whitespace", "C": 1.0}
    texts = TextClassifier(**settings).fit(TEXTS, LABELS)
    bags = TextClassifier(**settings).fit(bags_of(TEXTS), LABELS)
    assert bags.kind == "bag" and not hasattr(bags, "features_")
    np.testing.assert_allclose(
        bags.decision_function(bags_of(NEW)), texts.decision_function(NEW), atol=1e-5
    )


@pytest.mark.parametrize("weighting", ["count", "binary", "tfidf", "log_count_ratio"])
@pytest.mark.parametrize("norm", [None, "l2"])
def test_every_weighting_is_the_same_for_bags_and_texts(weighting: str, norm: Any) -> None:
    settings: dict[str, Any] = {"ngrams": 1, "tokenizer": "whitespace", "C": 1.0, "norm": norm}
    settings |= {"weighting": weighting, "sublinear_tf": False, "max_features": 12}
    texts = TextClassifier(**settings).fit(TEXTS, LABELS)
    bags = TextClassifier(**settings).fit(bags_of(TEXTS), LABELS)
    assert bags.model_.n_features == 12
    np.testing.assert_allclose(
        bags.decision_function(bags_of(NEW)), texts.decision_function(NEW), atol=1e-4
    )


def test_bags_of_other_values_than_counts_are_taken_as_they_are() -> None:
    bags = [{"x": 0.1, "y": -2.0}, {"x": 0.9, "y": 2.0}] * 12
    clf = TextClassifier().fit(bags, [0, 1] * 12)
    settings = clf.model_.extractor.settings
    assert (settings.count, settings.norm, clf.model_.extractor.scale) == ("plain", "none", None)
    found = clf.explain({"x": 0.5})
    assert found.contributions[0].value == pytest.approx(0.5)


def test_vectors_may_be_dense_or_sparse_and_sparse_ones_narrower_or_wider() -> None:
    X = sp.random(60, 9, 0.4, random_state=0, format="csr")
    y = (X.toarray()[:, 0] > 0).astype(int)
    clf = TextClassifier().fit(X, y)
    assert clf.kind == "vector"
    same_bits(clf, TextClassifier().fit(X.toarray(), y), X)
    scores = clf.decision_function(X)
    wide = sp.hstack([X, np.ones((60, 2))]).tocsr()
    assert clf.decision_function(wide).tobytes() == scores.tobytes()
    narrow = X.copy()
    narrow.data[narrow.indices == 8] = 0
    narrow.eliminate_zeros()
    assert clf.decision_function(narrow[:, :8]).tobytes() == clf.decision_function(narrow).tobytes()
    with pytest.raises(DataError, match="8 features, the model has 9"):
        clf.predict(X.toarray()[:, :8])


def test_vectors_so_large_that_a_score_overflows_are_refused() -> None:
    clf = TextClassifier().fit(np.array([[1.0], [-1.0]] * 12), [0, 1] * 12)
    clf.model_.weights_ = clf.model_.weights_ * 100
    with pytest.raises(DataError, match="rescale"):
        clf.predict(np.array([[1e308]]))


def test_what_a_model_does_not_read_is_refused(fitted: TextClassifier) -> None:
    with pytest.raises(DataError, match="reads texts"):
        fitted.predict(bags_of(NEW))
    with pytest.raises(DataError, match=r"pass \[text\]"):
        fitted.predict("one text")
    bags = TextClassifier().fit(bags_of(TEXTS), LABELS)
    for X, message in ((NEW, "row 0 is a str"), ({"a": 1}, "list of feature"), (3, "got int")):
        with pytest.raises(DataError, match=message):
            bags.predict(X)


# Weights


def test_an_example_of_weight_0_counts_as_if_it_were_not_there() -> None:
    weights = np.ones(len(TEXTS))
    weights[::7] = 0
    kept = np.flatnonzero(weights)
    part = TextClassifier().fit([TEXTS[i] for i in kept], [LABELS[i] for i in kept])
    for X in (TEXTS, TextColumn.from_strings(TEXTS), np.array(TEXTS)):
        whole = TextClassifier().fit(X, LABELS, sample_weight=weights)
        assert whole.record_["examples"] == len(kept)
        same_bits(part, whole, NEW)


def test_a_weight_of_2_counts_like_two_copies() -> None:
    twice = TextClassifier(linnet.SVM(loss="squared_hinge", tol=1e-8), C=1.0, weighting="count")
    copies = clone(twice).fit(TEXTS * 2, LABELS * 2)
    weighted = twice.fit(TEXTS, LABELS, sample_weight=np.full(len(TEXTS), 2.0))
    np.testing.assert_allclose(
        copies.decision_function(NEW), weighted.decision_function(NEW), atol=1e-3
    )


def test_balanced_classes_are_the_weights_that_even_them_out() -> None:
    texts, labels = TEXTS[:30] + PAIR[::2], LABELS[:30] + PAIR_LABELS[::2]
    balanced = TextClassifier(class_weight="balanced", C=1.0).fit(texts, labels)
    names, counts = np.unique(labels, return_counts=True)
    factor = {name: len(labels) / (len(names) * c) for name, c in zip(names, counts, strict=True)}
    by_hand = TextClassifier(class_weight={str(k): v for k, v in factor.items()}, C=1.0)
    same_bits(balanced, by_hand.fit(texts, labels), NEW)


def test_a_heavier_class_is_predicted_more_often() -> None:
    plain = TextClassifier(C=1.0).fit(TEXTS, LABELS).predict(NEW)
    heavy = TextClassifier(C=1.0, class_weight={"food": 50.0}).fit(TEXTS, LABELS).predict(NEW)
    assert (heavy == "food").sum() > (plain == "food").sum()


# The same bits


@pytest.mark.parametrize("options", [{}, {"learner": linnet.MaxEnt()}, {"hashing": 12}])
def test_the_number_of_threads_changes_no_bit(options: dict[str, Any]) -> None:
    models = [TextClassifier(**options, n_threads=n).fit(TEXTS, LABELS) for n in (1, 2, 4)]
    for other in models[1:]:
        same_bits(models[0], other, NEW * 20)


@pytest.mark.parametrize("kind", ["text", "bag", "vector"])
def test_a_prediction_depends_neither_on_the_batch_nor_on_the_order(kind: str) -> None:
    if kind == "text":
        clf, X = TextClassifier().fit(TEXTS, LABELS), NEW
    elif kind == "bag":
        clf, X = TextClassifier().fit(bags_of(TEXTS), LABELS), bags_of(NEW)
    else:
        matrix = TextClassifier().fit(TEXTS, LABELS).features_.transform(TEXTS)
        clf, X = TextClassifier().fit(matrix, LABELS), matrix[:40]
    whole = clf.decision_function(X)
    n = len(whole)
    single = np.vstack([clf.decision_function(X[i : i + 1]) for i in range(n)])
    assert single.tobytes() == whole.tobytes()
    if kind != "vector":
        back = clf.decision_function(X[::-1])
        assert np.ascontiguousarray(back[::-1]).tobytes() == whole.tobytes()


def test_the_classifier_and_its_model_agree_in_every_bit(fitted: TextClassifier) -> None:
    same_bits(fitted, fitted.model_, NEW)


def test_no_texts_give_no_answers(fitted: TextClassifier) -> None:
    assert fitted.predict([]).shape == (0,)
    assert fitted.predict_proba([]).shape == (0, 3)
    assert fitted.predict_top([], 2)[0].shape == (0, 2)


# Unusual data


@pytest.mark.parametrize("n", [2, 3, 19, 20, 21])
def test_few_examples_are_enough(n: int) -> None:
    clf = TextClassifier().fit(PAIR[:n], PAIR_LABELS[:n])
    assert (clf.tuning_.n_held_out > 0) == (n >= 20)
    probability = clf.predict_proba(NEW)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)


def test_a_class_with_one_example_duplicates_and_empty_texts_do_no_harm() -> None:
    texts, labels = [*TEXTS, "tuba", *TEXTS[:30], "", ""], [*LABELS, "brass", *LABELS[:30], "food"]
    labels.append("sport")
    clf = TextClassifier().fit(texts, labels)
    assert clf.predict(["tuba"]).tolist() == ["brass"]
    assert clf.score(texts[:90], labels[:90]) > 0.9


def test_two_classes_of_which_one_has_one_example() -> None:
    clf = TextClassifier().fit(["plain words here"] * 24 + ["odd"], ["many"] * 24 + ["one"])
    assert clf.predict(["odd", "plain words"]).tolist() == ["one", "many"]


def test_equal_texts_with_different_labels_give_even_chances() -> None:
    clf = TextClassifier().fit(["same text"] * 40, ["a", "b"] * 20)
    np.testing.assert_allclose(clf.predict_proba(["same text"]), 0.5, atol=0.05)


def test_unknown_words_and_empty_texts_get_the_intercepts(fitted: TextClassifier) -> None:
    scores = fitted.decision_function(["xyzzy plugh", "", "   "])
    assert (scores == fitted.model_.intercept_).all()


def test_a_label_unseen_in_training_counts_as_wrong(fitted: TextClassifier) -> None:
    assert fitted.score(["goal match team"], ["weather"]) == 0.0


def test_score_is_the_weighted_share_of_right_answers(fitted: TextClassifier) -> None:
    right = fitted.predict(NEW[:2]).tolist()
    assert fitted.score(NEW[:2], [right[0], "?"]) == 0.5
    assert fitted.score(NEW[:2], [right[0], "?"], sample_weight=[3, 1]) == 0.75
    with pytest.raises(DataError, match="2 rows, y has 1"):
        fitted.score(NEW[:2], right[:1])
