"""What is worth a label: what the model is unsure about, and no near-copies of it."""

from __future__ import annotations

import numpy as np
import pytest

import linnet
from linnet.errors import DataError, ParameterError

CORPUS = linnet.data.load_pydoc()


@pytest.fixture(scope="module")
def clf() -> linnet.TextClassifier:
    return linnet.TextClassifier("maxent").fit(CORPUS.train_texts[::4], CORPUS.train_labels[::4])


def test_without_diversity_the_least_sure_come_first(clf: linnet.TextClassifier) -> None:
    pool = CORPUS.test_texts[:200]
    p = np.sort(clf.predict_proba(pool), axis=1)
    margin = 1.0 - (p[:, -1] - p[:, -2])
    found = linnet.suggest(clf, pool, 15, diverse=False)
    assert [one.row for one in found] == np.argsort(-margin, kind="stable")[:15].tolist()
    assert [one.uncertainty for one in found] == pytest.approx(np.sort(margin)[::-1][:15])
    assert [one.answer for one in found] == clf.predict([pool[one.row] for one in found]).tolist()
    entropy = -(p * np.log(p)).sum(axis=1) / np.log(p.shape[1])
    least = linnet.suggest(clf, pool, 1, by="entropy", diverse=False)[0]
    assert least.row == int(entropy.argmax())
    assert least.uncertainty == pytest.approx(entropy.max())


def test_of_copies_one_is_picked_before_anything_twice(clf: linnet.TextClassifier) -> None:
    pool = [text for text in CORPUS.test_texts[:30] for _ in range(5)]
    apart = linnet.suggest(clf, pool, 20)
    texts = [pool[one.row] for one in apart]
    assert len(set(texts)) == 20
    alike = {pool[one.row] for one in linnet.suggest(clf, pool, 20, diverse=False)}
    assert len(alike) < 6


def test_all_are_returned_where_there_are_fewer(clf: linnet.TextClassifier) -> None:
    found = linnet.suggest(clf.model_, CORPUS.test_texts[:7], 50)
    assert sorted(one.row for one in found) == list(range(7))


def test_rows_and_several_labels_are_suggested_too() -> None:
    rows = [["sunny", "hot"], ["sunny", "mild"], ["rain", "mild"], ["rain", "cool"]] * 10
    tree = linnet.RowClassifier("memory").fit(rows, ["stay", "go", "go", "stay"] * 10)
    found = linnet.suggest(tree, [*rows[:4], ["snow", "mild"]], 3)
    assert len({one.row for one in found}) == 3
    several = linnet.TextClassifier().fit(["good old", "bad new"] * 20, [["g", "o"], []] * 20)
    best = linnet.suggest(several, ["good old", "good", "bad new"], 1, diverse=False)[0]
    p = several.predict_proba(["good old", "good", "bad new"])
    assert best.row == int((1 - np.abs(2 * p - 1)).max(axis=1).argmax())


@pytest.mark.parametrize("learner", ["crf", "perceptron"])
def test_sentences_are_suggested_by_their_tokens(learner: str) -> None:
    X = [["the", "dog"], ["a", "cat"], ["the", "cat"], ["a", "dog"]] * 8
    tagger = linnet.SequenceTagger(learner).fit(X, [["D", "N"]] * 32)
    found = linnet.suggest(tagger, [["the", "dog"], ["dog", "the", "x"], ["a", "cat"]], 2)
    assert found[0].row == 1
    assert len(found[0].answer) == 3
    if learner == "perceptron":
        with pytest.raises(ParameterError, match="no entropy"):
            linnet.suggest(tagger, X, by="entropy")


def test_a_pool_that_is_none_is_refused(clf: linnet.TextClassifier) -> None:
    with pytest.raises(DataError, match="pool is empty"):
        linnet.suggest(clf, [])
    for wrong in ({"n": 0}, {"n": True}, {"by": "luck"}):
        with pytest.raises(ParameterError):
            linnet.suggest(clf, ["a"], **wrong)  # type: ignore[arg-type]
