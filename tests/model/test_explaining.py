"""Explanations are exact, and every feature is found where it stands."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet import TextClassifier
from linnet.errors import DataError, ParameterError
from linnet.explain.text import Explanation

from .made import COMMON, WORDS, bags_of, texts_of

TEXTS, LABELS = texts_of(60)
PAIR, PAIR_LABELS = texts_of(60, classes=2)
VOCABULARY = [*COMMON, *(word for words in WORDS.values() for word in words)]
known = st.sampled_from([*VOCABULARY, "GOAL", "Straße", "ﬁn", "—", "\u0130", "e\u0301", "&amp;"])
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
texts = st.lists(known | anything, max_size=25).map(" ".join)

OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "counts": {"weighting": "count", "norm": None, "sublinear_tf": False},
    "no norm": {"norm": None, "lowercase": False},
    "l1": {"norm": "l1", "ngrams": (2, 3)},
    "binary": {"weighting": "binary"},
    "ratio": {"weighting": "log_count_ratio"},
    "skip": {"skip": 2, "stop_words": ["the", "a"]},
    "accents": {"accents": "unicode", "digits": True, "html": True},
    "regex": {"tokenizer": r"(?u)\w+"},
    "word": {"tokenizer": "word"},
    "whitespace": {"tokenizer": "whitespace"},
    "unicode": {"tokenizer": "unicode"},
    "char": {"tokenizer": "char", "ngrams": (1, 3)},
    "char_wb": {"tokenizer": "char_wb", "ngrams": (2, 4)},
    "hashing": {"hashing": 6},
    "blocks": {"features": ["words:1-2", "char_wb:2-4"]},
    "blocks of ratios": {"features": "words:1,char:3", "weighting": "log_count_ratio"},
    "hashed blocks": {"features": ["unicode:1-2", "char_wb:3"], "hashing": 6},
    "bayes": {"learner": linnet.MultinomialNB()},
}


@cache
def model_of(name: str, classes: int) -> linnet.Model:
    data = (PAIR, PAIR_LABELS) if classes == 2 else (TEXTS, LABELS)
    return TextClassifier(**OPTIONS[name]).fit(*data).model_


def assert_exact(model: linnet.Model, example: Any, batch: Any) -> None:
    """Fail unless the parts of every label's score sum to it and it is the model's score."""
    scores = model.scorer.scores(model.reader, batch, 1)[0]
    chances = model.predict_proba(batch)[0]
    for k, label in enumerate(model.classes_.tolist()):
        found = model.explain(example, label)
        total = found.intercept + sum(part.contribution for part in found.contributions)
        assert total == pytest.approx(found.score, abs=1e-6)
        own = scores[k] if len(scores) > 1 or model.multilabel else (2 * k - 1) * scores[0]
        assert found.score == own
        assert found.label == label and found.probability == chances[k]
        sizes = [abs(part.contribution) for part in found.contributions]
        assert sizes == sorted(sizes, reverse=True)
        for part in found.contributions:
            assert part.contribution == part.value * part.weight


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", OPTIONS)
@given(text=texts)
@settings(max_examples=25, deadline=None)
@pytest.mark.spec("C-27")
def test_intercept_and_contributions_sum_to_the_score(name: str, classes: int, text: str) -> None:
    assert_exact(model_of(name, classes), text, [text])


@pytest.mark.parametrize("name", sorted(set(OPTIONS) - {"hashing", "char_wb", "bayes"}))
@given(text=texts)
@settings(max_examples=30, deadline=None)
def test_the_spans_of_a_feature_spell_it(name: str, text: str) -> None:
    model = model_of(name, 3)
    for part in model.explain(text).contributions:
        assert part.spans, part
        for start, end in part.spans:
            assert 0 <= start < end <= len(text)
            inside = model.extractor.counts([text[start:end]], 1).index
            assert part.feature in [model.feature_name(j) for j in inside.tolist()]


@given(text=texts)
@settings(max_examples=30, deadline=None)
def test_a_feature_has_as_many_spans_as_it_has_occurrences(text: str) -> None:
    model = model_of("counts", 3)
    for part in model.explain(text).contributions:
        assert len(part.spans) == part.value


def test_spans_count_characters_not_bytes() -> None:
    found = model_of("default", 3).explain("Öl — crème goal")
    spans = {part.feature: part.spans for part in found.contributions}
    assert spans["goal"] == ((11, 15),) and spans["crème"] == ((5, 10),)


def test_without_a_label_the_predicted_one_is_explained_against_the_runner_up() -> None:
    for classes in (2, 3):
        model = model_of("default", classes)
        for text in [*texts_of(20, classes, seed=4)[0], "", "nothing known"]:
            found: Explanation = model.explain(text)
            best, _ = model.predict_top([text], 2)
            assert [found.label, found.runner_up] == best[0].tolist()
            assert found.label == model.predict([text])[0]


@pytest.mark.parametrize("classes", [2, 3])
def test_bags_and_vectors_are_explained_exactly_too(classes: int) -> None:
    data, labels = (PAIR, PAIR_LABELS) if classes == 2 else (TEXTS, LABELS)
    bags = TextClassifier().fit(bags_of(data), labels).model_
    for bag in [*bags_of(data[:10]), {}, {"unknown": 3}, {"goal": -2.5, "soup": 0.0}]:
        assert_exact(bags, bag, [bag])
    assert bags.explain({"goal": 2}).text == "goal:2"
    X = sp.random(60, 12, 0.5, random_state=1, format="csr") * 1e3
    vectors = TextClassifier().fit(X, labels).model_
    for row in range(5):
        dense = X[row].toarray()
        for example in (X[row], dense[0], dense, dense[0].tolist()):
            assert_exact(vectors, example, dense)


def test_several_labels_are_explained_one_by_one() -> None:
    model = TextClassifier().fit(TEXTS, [[label, "all"] for label in LABELS]).model_
    for text in TEXTS[:10]:
        assert_exact(model, text, [text])
    assert model.explain(TEXTS[0]).runner_up is None


def test_labels_are_found_as_they_are_and_as_they_are_written() -> None:
    model = TextClassifier().fit(PAIR, [int(label == "food") for label in PAIR_LABELS]).model_
    assert model.explain("soup", 1) == model.explain("soup", "1") == model.explain("soup")
    with pytest.raises(ParameterError, match="no label 'rain'; it has 0, 1"):
        model.explain("soup", "rain")


def test_what_is_not_one_example_is_refused() -> None:
    with pytest.raises(DataError, match="takes one text, got list"):
        model_of("default", 3).explain(["soup"])
    with pytest.raises(DataError, match="surrogate"):
        model_of("default", 3).explain("\ud800")
    vectors = TextClassifier().fit(np.eye(2).repeat(10, axis=0), [0, 1] * 10).model_
    with pytest.raises(DataError, match="one row, got a matrix of 2"):
        vectors.explain(sp.csr_matrix(np.eye(2)))
    with pytest.raises(DataError, match="3 features"):
        vectors.explain([1.0, 2.0, 3.0])
