"""Several labels a row: each label by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import TextClassifier
from linnet.errors import DataError, ParameterError
from linnet.model.fitting.reading import label_table

from .made import WORDS, bags_of, same_bits, texts_of


def topics_of(n: int, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """Return texts and the topics whose words they hold: none, one or several."""
    texts, _ = texts_of(n, seed=seed)
    texts[::11] = ["the a was"] * len(texts[::11])
    rows = [
        [topic for topic, words in WORDS.items() if any(word in text for word in words)]
        for text in texts
    ]
    return texts, rows


TEXTS, ROWS = topics_of(150)
NEW, NEW_ROWS = topics_of(80, seed=3)


@pytest.fixture(scope="module")
def fitted() -> TextClassifier:
    return TextClassifier().fit(TEXTS, ROWS)


def test_a_row_gets_every_label_that_is_more_likely_than_not(fitted: TextClassifier) -> None:
    probability, answers = fitted.predict_proba(NEW), fitted.predict(NEW)
    classes = fitted.classes_.tolist()
    assert fitted.multilabel and classes == sorted(WORDS)
    for chances, answer in zip(probability, answers.tolist(), strict=True):
        assert answer == [c for c, p in zip(classes, chances, strict=True) if p >= 0.5]
    assert ((probability >= 0) & (probability <= 1)).all()
    assert (probability.sum(axis=1) > 1.2).any()  # they are not shares of one answer
    assert fitted.decision_function(NEW).shape == (len(NEW), 3)


def test_it_learns_what_the_labels_mean(fitted: TextClassifier) -> None:
    assert fitted.score(NEW, NEW_ROWS) > 0.85
    assert {len(row) for row in fitted.predict(NEW).tolist()} >= {0, 1, 2}


def test_score_asks_for_the_whole_list_in_any_order(fitted: TextClassifier) -> None:
    answer = fitted.predict(["goal soup"]).tolist()[0]
    assert len(answer) == 2
    assert fitted.score(["goal soup"], [answer[::-1]]) == 1.0
    assert fitted.score(["goal soup"], [answer[:1]]) == 0.0


def test_each_label_is_its_own_two_class_problem() -> None:
    table = TextClassifier(C=1.0).fit(TEXTS, ROWS)
    for k, label in enumerate(table.classes_.tolist()):
        yes = [label in row for row in ROWS]
        single = TextClassifier(C=1.0).fit(TEXTS, yes)
        np.testing.assert_allclose(
            table.decision_function(NEW)[:, k], single.decision_function(NEW), atol=1e-12
        )


def test_a_label_that_every_row_has_or_almost_none_has_is_no_obstacle() -> None:
    rows = [[*row, "always"] for row in ROWS]
    rows[7] = [*rows[7], "once"]
    clf = TextClassifier().fit(TEXTS, rows)
    k = clf.classes_.tolist().index("always")
    assert clf.learner_[k] is None
    probability = clf.predict_proba(NEW)
    assert (probability[:, k] > 0.9).all()
    assert (probability[:, clf.classes_.tolist().index("once")] < 0.5).all()


def test_one_label_is_enough_and_lists_may_be_empty() -> None:
    clf = TextClassifier().fit(["good", "bad"] * 12, [["+"], []] * 12)
    assert clf.predict(["good", "bad"]).tolist() == [["+"], []]
    assert clf.predict_proba(["good"]).shape == (1, 1)
    only = TextClassifier().fit(["good", "fine"] * 12, [["+"]] * 24)
    assert only.predict(["anything"]).tolist() == [["+"]]


@pytest.mark.parametrize(
    "rows",
    [
        [tuple(row) for row in ROWS],
        [set(row) for row in ROWS],
        [np.array(row, dtype=object) for row in ROWS],
        [np.array(row, dtype=str) for row in ROWS],
        [[*row, *row] for row in ROWS],
        np.array([*ROWS, None], dtype=object)[:-1],
    ],
    ids=["tuples", "sets", "arrays", "arrays of str", "twice", "array of lists"],
)
def test_labels_may_come_in_any_collection(fitted: TextClassifier, rows: Any) -> None:
    same_bits(fitted, TextClassifier().fit(TEXTS, rows), NEW)


@pytest.mark.parametrize("values", [(0, 1, 2), (0.5, 1.5, 2.5)])
def test_labels_may_be_numbers(values: tuple[float, ...], tmp_path: Path) -> None:
    names = sorted(WORDS)
    rows = [[values[names.index(label)] for label in row] for row in ROWS]
    clf = TextClassifier().fit(TEXTS, rows)
    assert clf.classes_.tolist() == list(values)
    clf.save(tmp_path / "m.linnet")
    same_bits(clf, linnet.load(tmp_path / "m.linnet"), NEW)


def test_saved_and_loaded_it_gives_the_same_bits(fitted: TextClassifier, tmp_path: Path) -> None:
    fitted.save(tmp_path / "m.linnet")
    loaded = linnet.load(tmp_path / "m.linnet")
    assert loaded.multilabel
    same_bits(fitted, loaded, NEW)
    labels, chances = loaded.predict_top(NEW, 2)
    assert labels.shape == chances.shape == (len(NEW), 2)


def test_bags_and_other_learners_work_too() -> None:
    for learner in (linnet.MaxEnt(), linnet.Perceptron(), linnet.BernoulliNB()):
        clf = TextClassifier(learner).fit(TEXTS, ROWS)
        assert clf.score(NEW, NEW_ROWS) > 0.5
        assert clf.record_["learner"] == type(learner).__name__
    assert TextClassifier().fit(bags_of(TEXTS), ROWS).score(bags_of(NEW), NEW_ROWS) > 0.8


def test_c_is_chosen_for_all_labels_together(fitted: TextClassifier) -> None:
    assert fitted.tuning_.n_held_out == 150 and len(fitted.tuning_.path) >= 2
    assert {learner.C for learner in fitted.learner_} == {fitted.tuning_.C}


def test_an_example_of_weight_0_is_left_out() -> None:
    weights = np.ones(len(TEXTS))
    weights[::4] = 0
    kept = np.flatnonzero(weights)
    part = TextClassifier().fit([TEXTS[i] for i in kept], [ROWS[i] for i in kept])
    same_bits(part, TextClassifier().fit(TEXTS, ROWS, sample_weight=weights), NEW)


@pytest.mark.parametrize(
    "rows, message",
    [
        ([["a"], "b"], "Row 1 has the label 'b'"),
        ([["a"], None], "Row 1 has the label None"),
        ([["a"], {"b": 1}], "Row 1 has the label"),
        ([["a"], [1]], "of one kind"),
        ([[], []], "No row has a label"),
        ([[("a", "b")], []], "texts or finite numbers"),
        ([[1.0, float("nan")], []], "texts or finite numbers"),
        ([[1.0, float("inf")], []], "texts or finite numbers"),
        ([["a"]], "2 rows"),
    ],
)
def test_rows_of_labels_that_cannot_be_used_are_refused(rows: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        TextClassifier().fit(["x y", "z"], rows)


@pytest.mark.parametrize("option", [{"class_weight": "balanced"}, {"abstain": 0.5}])
def test_what_is_only_for_one_label_a_row_is_refused(option: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="for one label a row"):
        TextClassifier(**option).fit(TEXTS, ROWS)


def test_the_table_has_a_1_for_each_label_of_each_row() -> None:
    classes, table = label_table(ROWS)
    for row, labels in zip(table, ROWS, strict=True):
        assert classes[row == 1].tolist() == sorted(labels)
