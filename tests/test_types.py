"""What an editor is told: which inputs are taken, and what comes out.

mypy reads this file as well as pytest: a line marked ``type: ignore`` must be an error to it, and
what ``assert_type`` says must be what it infers.
"""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np
import pytest
from numpy.typing import NDArray

import linnet
from linnet.data import read_sequences
from linnet.errors import LinnetError

TEXTS, LABELS = ["a good film", "a bad film"] * 9, ["pos", "neg"] * 9
WORDS, TAGS = [["the", "dog"], ["a", "cat"]] * 4, [["D", "N"], ["D", "N"]] * 4


def test_a_classifier_of_texts_takes_texts_bags_and_columns_but_no_single_text() -> None:
    clf = assert_type(linnet.TextClassifier(C=1.0).fit(TEXTS, LABELS), linnet.TextClassifier)
    assert_type(clf.predict(TEXTS), NDArray[Any] | Any)
    assert_type(clf.predict_proba(np.array(TEXTS, dtype=object)), NDArray[np.float64])
    bags: list[dict[str, float | bool]] = [{"a": 1, "b": True}, {"c": 2}]
    assert_type(linnet.TextClassifier(C=1.0).fit(bags * 9, ("x", "y") * 9).kind, str)
    with pytest.raises(LinnetError):
        clf.predict("a good film")  # type: ignore[arg-type]


def test_a_classifier_of_rows_takes_rows_of_symbols_and_numbers() -> None:
    rows: list[list[str | float]] = [["red", 1.5], ["blue", 2.0]]
    clf = linnet.RowClassifier().fit(rows, ["a", "b"])
    assert_type(clf.predict_top(rows, 1)[1], NDArray[np.float64])
    linnet.RowClassifier().fit([{"colour": "red"}, {"colour": "blue"}], ("a", "b"))
    with pytest.raises(LinnetError):
        linnet.RowClassifier().fit(7, ["a"])  # type: ignore[arg-type]


def test_a_tagger_takes_lists_of_words_or_tuples_but_no_single_sentence() -> None:
    tagger = linnet.SequenceTagger("hmm").fit(WORDS, TAGS)
    assert_type(tagger.predict([["the", "cat"]]), list[list[str]])
    pairs = [[("the", "D"), ("dog", "N")], [("a", "D"), ("cat", "N")]]
    linnet.SequenceTagger().fit(pairs, TAGS[:2])
    with pytest.raises(LinnetError):
        linnet.SequenceTagger().fit(["the", "dog"], ["D", "N"])  # type: ignore[list-item]


def test_a_model_says_what_it_answers_where_the_input_tells(tmp_path: Any) -> None:
    model = linnet.TextClassifier(C=1.0).fit(TEXTS, LABELS).model_
    assert_type(model.predict(TEXTS), NDArray[Any])
    file = tmp_path / "a.conll"
    file.write_text("the D\ndog N\n\na D\ncat N\n\n")
    sentences = read_sequences(file)
    tagger = linnet.SequenceTagger("hmm").fit(sentences).model_
    assert_type(tagger.predict(sentences), list[list[str]])
    assert tagger.predict(sentences) == sentences.tags


def test_learners_take_arrays_matrices_and_dictionaries() -> None:
    X = np.eye(4)
    learner = assert_type(linnet.SVM().fit(X, np.array([0, 1, 0, 1])), linnet.SVM)
    assert_type(learner.predict(X), NDArray[Any])
    bags: list[dict[str, float | str]] = [{"a": 1.0}, {"b": "symbol"}]
    linnet.Perceptron().fit(bags, ["x", "y"])
    linnet.CRF(max_iter=3).fit([[{"w": "the"}, {"w": "dog"}]], [["D", "N"]])
    with pytest.raises(LinnetError, match="TextClassifier"):
        linnet.SVM().fit(TEXTS, LABELS)  # type: ignore[arg-type]
