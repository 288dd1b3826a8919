"""Programs written for scikit-learn and CRFsuite, and what their authors pass and expect."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction import DictVectorizer

import linnet
from linnet.errors import DataError, ParameterError

BAGS: list[dict[str, Any]] = [
    {"word": "I", "cap": True, "length": 1},
    {"word": "run", "cap": False, "length": 3},
    {"word": "1984", "cap": False, "length": 4},
    {"word": "Rome", "cap": True, "length": 4, "is": ["city", "old"]},
    {"word": "run", "cap": True, "length": 3},
    {"word": "I", "cap": False, "length": 1},
]
LABELS = ["P", "V", "N", "N", "V", "P"]
FLAT = ["SVM", "MaxEnt", "Perceptron", "MIRA", "MultinomialNB", "BernoulliNB", "GaussianNB",
        "ParzenWindows", "KernelSVM", "KernelPerceptron"]  # fmt: skip
CHAINS = ["CRF", "MEMM", "StructuredPerceptron", "StructuredMIRA", "StructuredSVM", "LocalTagger"]


def made(name: str) -> Any:
    """Return a learner that makes the same choices each time."""
    learner = getattr(linnet, name)()
    has_seed = "random_state" in learner.get_params()
    return learner.set_params(random_state=0) if has_seed else learner


def indicator_lists(bag: dict[str, Any]) -> dict[str, float]:
    """Return what DictVectorizer makes of a dictionary."""
    reader = DictVectorizer().fit([bag])
    row = reader.transform([bag]).toarray()[0]
    return dict(zip(reader.get_feature_names_out().tolist(), row.tolist(), strict=True))


@pytest.mark.parametrize("name", FLAT)
def test_symbols_in_dictionaries_are_the_indicators_of_dict_vectorizer(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner = made(name).fit(BAGS, LABELS)
        twin = made(name).fit([indicator_lists(bag) for bag in BAGS], LABELS)
    assert list(learner.get_feature_names()) == sorted(DictVectorizer().fit(BAGS).vocabulary_)
    assert learner.predict(BAGS).tolist() == twin.predict(list(map(indicator_lists, BAGS))).tolist()
    assert learner.predict([{"word": "unseen", "cap": True}]).shape == (1,)


@pytest.mark.parametrize("name", ["MemoryBased", "DecisionTree"])
def test_learners_of_rows_take_symbols_in_dictionaries_as_they_are(name: str) -> None:
    plain = [{key: bag[key] for key in ("word", "cap", "length")} for bag in BAGS]
    assert made(name).fit(plain, LABELS).predict(plain).tolist() == LABELS


@pytest.mark.parametrize("name", CHAINS)
def test_symbols_of_tokens_are_indicators_in_every_sequence_learner(name: str) -> None:
    X, y = [BAGS[:3], BAGS[3:]], [LABELS[:3], LABELS[3:]]
    tagger = made(name).fit(X, y)
    twin = made(name).fit([[*map(indicator_lists, part)] for part in X], y)
    assert tagger.predict(X) == twin.predict([[*map(indicator_lists, part)] for part in X])
    assert tagger.predict([[{"word": "unseen"}]]) != []
    if hasattr(tagger, "vocabulary_"):
        assert "word=1984" in tagger.vocabulary_


def test_a_model_of_dictionaries_with_symbols_goes_through_its_file(tmp_path: Any) -> None:
    model = linnet.TextClassifier("maxent", C=1.0).fit(BAGS * 3, LABELS * 3)
    assert model.predict(BAGS).tolist() == LABELS
    model.save(tmp_path / "bags.linnet")
    read = linnet.load(tmp_path / "bags.linnet")
    assert read.predict(iter(BAGS)).tolist() == LABELS
    assert "word=I" in str(read.explain(BAGS[0]))


def test_unseen_symbols_are_the_unknown_word_of_naive_bayes() -> None:
    bags = [{"word": "a"}, {"word": "b"}]
    model = linnet.MultinomialNB(oov="unk").fit(bags, ["x", "y"])
    assert model.predict([{"word": "c"}]).shape == (1,)


@pytest.mark.parametrize("value", [[1, "a"], [None], [["a"]]])
def test_a_list_of_other_things_is_no_feature_value(value: Any) -> None:
    with pytest.raises(DataError, match="lists of texts: 'is' is"):
        linnet.SVM().fit([{"is": value}, {"is": 1}], ["a", "b"])
    with pytest.raises(DataError, match="lists of texts: 'is' is"):
        linnet.CRF().fit([[{"is": value}]], [["a"]])


def test_learners_have_the_names_of_the_command_line() -> None:
    texts, labels = ["good film", "bad film", "good", "bad"], ["+", "-", "+", "-"]
    assert type(linnet.TextClassifier(learner="svm").fit(texts, labels).learner_) is linnet.SVM
    assert type(linnet.TextClassifier("NB").fit(texts, labels).learner_) is linnet.MultinomialNB
    rows = [["sunny", 30], ["rain", 10]] * 4
    tree = linnet.RowClassifier(learner="tree").fit(rows, ["stay", "go"] * 4)
    assert type(tree.learner_) is linnet.DecisionTree
    tagger = linnet.SequenceTagger(learner="hmm").fit([["a", "b"]] * 3, [["A", "B"]] * 3)
    assert type(tagger.learner_) is linnet.HMM


def test_a_name_of_no_learner_says_what_was_meant() -> None:
    with pytest.raises(ParameterError, match=r"'swm' for texts; did you mean SVM.*\?"):
        linnet.TextClassifier("swm").fit(["a", "b"], ["x", "y"])
    with pytest.raises(
        ParameterError, match="CRF is a learner for sequences, and these are texts; there is no"
    ):
        linnet.TextClassifier("crf").fit(["a", "b"], ["x", "y"])
    with pytest.raises(ParameterError, match="MaxEnt is a learner for texts and rows"):
        linnet.SequenceTagger("maxent").fit([["a"]], [["A"]])


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, np.float64("nan")])
@pytest.mark.parametrize("learner", [linnet.SVM(), linnet.DecisionTree(), linnet.KernelSVM()])
def test_missing_labels_are_an_error_and_no_class(learner: Any, missing: Any) -> None:
    for y in (["a", missing, "b", "a"], np.array(["a", missing, "b", "a"], dtype=object)):
        with pytest.raises(DataError, match="the label of row 1 is missing"):
            learner.fit(np.eye(4), y)


def test_missing_labels_are_an_error_for_every_face() -> None:
    y = ["a", float("nan"), "b", "a"]
    with pytest.raises(DataError, match="row 1 is missing"):
        linnet.TextClassifier().fit(["one", "two", "three", "four"], y)
    with pytest.raises(DataError, match="row 1 is missing"):
        linnet.RowClassifier().fit([["a", 1], ["b", 2]] * 2, y)
    with pytest.raises(DataError, match="token 1 of sentence 0 is missing"):
        linnet.CRF().fit([[["x"], ["y"]]], [["a", None]])


def test_texts_given_to_a_learner_of_vectors_get_the_name_of_text_classifier() -> None:
    texts = ["a good film", "a bad film"]
    for X in (texts, np.array(texts), np.array(texts, dtype=object)):
        with pytest.raises(DataError, match=r"linnet.TextClassifier\(linnet.SVM\(\)\) reads texts"):
            linnet.SVM().fit(X, ["+", "-"])
    with pytest.raises(DataError, match=r"linnet\.TextClassifier"):
        linnet.DecisionTree().fit(texts, ["+", "-"])


TEXTS = ["red sky", "blue sea", "red and blue flag", "green"] * 5
TABLE = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 0]] * 5)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, lambda t: t.astype(bool)])
def test_a_table_of_labels_is_learned_and_answered(form: Any) -> None:
    clf = linnet.TextClassifier("maxent", C=100.0).fit(TEXTS, form(TABLE))
    assert clf.predict(TEXTS).tolist() == TABLE.tolist()
    assert clf.score(TEXTS, form(TABLE)) == 1.0
    assert clf.model_.predict(TEXTS[:3]).tolist() == [[0], [1], [0, 1]]


def test_a_table_of_other_numbers_is_no_table_of_labels() -> None:
    with pytest.raises(DataError, match="holds 0 and 1, this one 7"):
        linnet.TextClassifier().fit(TEXTS, TABLE * 7)


def test_a_table_of_labels_given_to_a_learner_names_who_takes_it() -> None:
    with pytest.raises(DataError, match=r"1d array.*linnet\.TextClassifier"):
        linnet.SVM().fit(np.eye(4), np.array([[1, 0], [0, 1]] * 2))
