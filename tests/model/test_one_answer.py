"""A model has one answer: predict, predict_top, explain, ``predict`` and ``filter`` of the command
line agree, above all where classes tie (SPEC C-04, C-06, A-48)."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet.cli.kinds.answers import Keys, answer
from linnet.evaluate.calibration import calibrate
from linnet.scale.filtering.rules import Judge, Rule

ROW_LEARNERS = {
    "memory": linnet.MemoryBased(1),
    "memory, weighted votes": linnet.MemoryBased(3, vote="inverse_distance"),
    "tree": linnet.DecisionTree(),
    "shallow tree": linnet.DecisionTree(max_depth=1),
    "kernel SVM": linnet.KernelSVM(kernel="polynomial"),
    "kernel perceptron": linnet.KernelPerceptron(kernel="linear", max_iter=2, random_state=0),
    "Gaussian": linnet.GaussianBayes(covariance="pooled"),
    "Gaussian naive Bayes": linnet.GaussianNB(),
    "windows": linnet.ParzenWindows(),
    "SVM of pairs": linnet.SVM(multi_class="ovo"),
    "MaxEnt": linnet.MaxEnt(),
    "perceptron": linnet.Perceptron(max_iter=1, average=False, random_state=0),
}
TEXT_LEARNERS = {
    "linear": None,
    "perceptron": linnet.Perceptron(max_iter=1, average=False, random_state=0),
    "memory": linnet.MemoryBased(1, metric="cosine"),
    "kernel SVM": linnet.KernelSVM(kernel="linear"),
}


def _agree(model: Any, X: Any) -> None:
    """Check that all ways to ask give the same labels."""
    labels = model.predict(X).tolist()
    verdict = model.judge(X)
    assert verdict.labels.tolist() == labels
    best, shares = model.predict_top(X, len(model.classes_))
    assert best[:, 0].tolist() == labels
    assert [sorted(row) for row in best.tolist()] == [sorted(model.classes_.tolist())] * len(labels)
    assert np.array_equal(shares[:, 0], verdict.sure)
    assert (shares[:, 0] >= shares.max(axis=1) - 1e-9).all()
    answers = answer(model, X, Keys(range(len(labels))), top=1)
    assert answers.labels == labels == [row[0][0] for row in answers.top or []]
    for label in model.classes_.tolist():
        kept, counted = Judge(model, [Rule(str(label))])(X)
        assert kept.tolist() == [own == label for own in labels]
        assert model.classes_[counted].tolist() == labels
    if getattr(getattr(model, "learner_", None), "multi_class", None) != "ovo":  # not explained
        assert [model.explain(X[i]).label for i in range(min(3, len(labels)))] == labels[:3]
    if hasattr(model, "learner_"):
        assert model.learner_.predict(model.scorer.inputs(model.reader, X, None)).tolist() == labels


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ROW_LEARNERS)
@pytest.mark.parametrize("labels", ["zy", "zyx"])
def test_rows_have_one_answer_though_every_row_contradicts_another(name: str, labels: str) -> None:
    """Two rows of each kind with different labels: neighbours, leaves and scores tie."""
    random = np.random.default_rng(3)
    rows = np.repeat(random.integers(0, 3, (12, 2)), len(labels), axis=0).astype(float).tolist()
    clf = linnet.RowClassifier(ROW_LEARNERS[name], random_state=0).fit(rows, list(labels) * 12)
    _agree(clf.model_, [*rows, [0.0, 0.0], [1.0, 1.0], [9.0, -9.0]])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("pq"), st.sampled_from("zyx")),
                min_size=4, max_size=10), st.integers(1, 3))  # fmt: skip
def test_symbolic_rows_have_one_answer(cases: list[tuple[str, str, str]], k: int) -> None:
    rows, labels = [[a, b] for a, b, _ in cases], [label for *_, label in cases]
    if len(set(labels)) < 2:
        return
    clf = linnet.RowClassifier(linnet.MemoryBased(k)).fit(rows, labels)
    _agree(clf.model_, [["a", "p"], ["a", "q"], ["b", "new"], ["new", "new"]])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TEXT_LEARNERS)
@pytest.mark.parametrize("labels", ["zy", "zyx"])
def test_texts_have_one_answer_though_every_text_contradicts_another(
    name: str, labels: str
) -> None:
    texts = [text for text in ("a b", "b c", "a c", "d") for _ in labels] * 3
    clf = linnet.TextClassifier(TEXT_LEARNERS[name], random_state=0).fit(texts, list(labels) * 12)
    _agree(clf.model_, [*texts[:12], "", "unseen", "a d"])


@pytest.mark.parametrize("score", [0.0, -1e-17, 1e-17, -1e-300, 40.0, -800.0])
def test_the_score_decides_whatever_its_probability_is_rounded_to(score: float) -> None:
    clf = linnet.TextClassifier().fit(["good", "bad"] * 9, ["pos", "neg"] * 9)
    model = copy.copy(clf.model_)
    model.intercept_ = np.array([score])
    assert model.decision_function(["?"]).tolist() == [score]
    assert model.predict(["?"]).tolist() == ["pos" if score >= 0 else "neg"]
    _agree(model, ["?"])


def test_of_many_labels_the_score_decides_where_probabilities_are_rounded_to_the_same() -> None:
    clf = linnet.TextClassifier().fit(["a", "b", "c"] * 9, ["x", "y", "z"] * 9)
    model = copy.copy(clf.model_)
    model.intercept_ = np.array([-1e-17, 0.0, 1e-18])
    assert len(set(model.predict_proba(["?"])[0].tolist())) == 1
    assert model.predict_top(["?"], 3)[0].tolist() == [["z", "y", "x"]]
    _agree(model, ["?"])


def test_one_of_several_labels_is_given_if_its_score_is_not_negative() -> None:
    clf = linnet.TextClassifier().fit(
        ["a", "b", "a b", "c"] * 5, [["x"], ["y"], ["x", "y"], []] * 5
    )
    model = copy.copy(clf.model_)
    model.intercept_ = np.array([-1e-17, 0.0])
    assert model.predict_proba(["?"]).tolist() == [[0.5, 0.5]]
    assert model.predict(["?"]).tolist() == [["y"]]
    kept = {label: Judge(model, [Rule(label)])(["?"])[0].tolist() for label in "xy"}
    assert kept == {"x": [False], "y": [True]}


@pytest.mark.parametrize(
    "learner", [linnet.CRF(), linnet.StructuredPerceptron(max_iter=1, random_state=0), None]
)
def test_the_best_of_n_sequences_is_the_answer_though_all_tie(learner: Any) -> None:
    words, tags = [["u", "v"], ["v", "u"]] * 4, [["B", "A"], ["A", "B"]] * 4
    tagger = linnet.SequenceTagger(learner).fit(words, tags)
    new = [["new"] * 4, ["u", "u", "v"], ["v", "new", "u"]]
    ranked = tagger.predict_nbest(new, 3)
    assert [best[0][1] for best in ranked] == tagger.predict(new)


def test_a_tied_answer_counts_in_calibration_as_it_was_given() -> None:
    p = np.array([[0.5, 0.5]])
    assert calibrate(p, np.array([1]), best=np.array([1])).bins[0].accuracy == 1.0
    assert calibrate(p, np.array([0]), best=np.array([1])).bins[0].accuracy == 0.0
