"""The examples behind the figures: cells, sure mistakes, label noise."""

from __future__ import annotations

import json

import numpy as np
import pytest

import linnet
from linnet.data import load_iris, load_pydoc, make_gaussians
from linnet.errors import DataError, ParameterError
from linnet.evaluate import (
    confident_mistakes,
    confusion_cells,
    evaluate,
    label_suspects,
    suspects,
)


def test_cells_hold_the_rows_that_the_matrix_counts() -> None:
    rng = np.random.default_rng(0)
    gold, guess, sure = rng.integers(0, 3, 80), rng.integers(0, 3, 80), rng.random(80)
    cells = confusion_cells(gold, guess, sure)
    matrix = evaluate(gold, guess).confusion
    assert matrix is not None
    assert sorted(row for cell in cells for row in cell.rows) == list(range(80))
    for cell in cells:
        assert cell.count == matrix[cell.truth, cell.guess]
        assert all(gold[row] == cell.truth and guess[row] == cell.guess for row in cell.rows)
        assert (np.diff(sure[list(cell.rows)]) <= 0).all()
    wrong = [cell.count for cell in cells if cell.truth != cell.guess]
    assert wrong == sorted(wrong, reverse=True)
    assert all(cell.truth == cell.guess for cell in cells[len(wrong) :])


def test_the_surest_mistakes_come_with_features_that_account_for_them() -> None:
    corpus = load_pydoc()
    model = linnet.TextClassifier(C=1.0).fit(corpus.train_texts, corpus.train_labels).model_
    found = confident_mistakes(model, corpus.test_texts, corpus.test_labels, n=5, features=10**6)
    p = model.predict_proba(corpus.test_texts)
    said = model.classes_[p.argmax(axis=1)]
    wrong = said != np.asarray(corpus.test_labels)
    assert [m.probability for m in found] == sorted(p.max(axis=1)[wrong])[::-1][:5]
    for mistake in found:
        assert corpus.test_labels[mistake.row] == mistake.truth != mistake.guess
        assert mistake.probability >= (mistake.truth_probability or 0.0)
        explained = [model.explain(mistake.example, k) for k in (mistake.guess, mistake.truth)]
        speaks = [{c.feature: c.contribution for c in part.contributions} for part in explained]
        gain = {name: speaks[0].get(name, 0.0) - speaks[1].get(name, 0.0) for name in speaks[0]}
        for name, value in mistake.features:
            assert value == pytest.approx(gain[name])
        assert len(mistake.features) == sum(value > 0 for value in gain.values())
        gains = [value for _, value in mistake.features]
        assert gains == sorted(gains, reverse=True)
    json.dumps([mistake.to_dict() for mistake in found])


def test_mistakes_of_a_model_that_cannot_explain_have_no_features() -> None:
    iris = load_iris()
    model = linnet.MaxEnt().fit(iris.X, iris.y)
    found = confident_mistakes(model, iris.X, iris.y)
    assert 0 < len(found) <= 10
    assert all(mistake.features == () for mistake in found)
    assert confident_mistakes(model, iris.X, iris.y, n=0) == []
    assert confident_mistakes(model, iris.X[:20], iris.y[:20]) == []  # all right


def test_a_label_the_model_never_saw_is_a_mistake_without_probability() -> None:
    model = linnet.TextClassifier(C=1.0).fit(["up", "down"] * 9, ["+", "-"] * 9)
    [found] = confident_mistakes(model, ["up"], ["?"])
    assert (found.truth_probability, found.guess) == (None, "+")


def test_suspects_by_definition() -> None:
    rng = np.random.default_rng(1)
    p = rng.dirichlet([1, 1, 1], 100)
    gold = rng.integers(0, 3, 100)
    expected = {
        row for row in range(100) if p[row].argmax() != gold[row] and p[row, gold[row]] < 0.1
    }
    assert 0 < len(expected) < 60
    found = suspects(gold, p, [0, 1, 2])
    assert {suspect.row for suspect in found} == expected
    chances = [suspect.probability for suspect in found]
    assert chances == sorted(chances)
    for suspect in found:
        assert suspect.given == gold[suspect.row]
        assert suspect.suggested_probability == p[suspect.row].max()
    assert len(suspects(gold, p, [0, 1, 2], below=0.3)) > len(found)


def test_turned_labels_are_found() -> None:
    X, y = make_gaussians(400, [[-1.5, 0], [1.5, 0]], seed=0)
    labels = np.where(y == y[0], "a", "b")
    turned = np.random.default_rng(0).choice(400, 20, replace=False)
    noisy = labels.copy()
    noisy[turned] = np.where(labels[turned] == "a", "b", "a")
    found = label_suspects(linnet.MaxEnt(), X, noisy)
    wrong = {suspect.row for suspect in found} & set(turned.tolist())
    assert len(wrong) >= 8
    assert len(wrong) >= 0.7 * len(found)
    assert all(suspect.suggested != suspect.given for suspect in found)


def test_turned_labels_of_texts_are_found() -> None:
    corpus = load_pydoc()
    texts, labels = list(corpus.train_texts), list(corpus.train_labels)
    kinds = sorted(set(labels))
    turned = np.random.default_rng(0).choice(len(labels), 25, replace=False).tolist()
    for row in turned:
        labels[row] = kinds[(kinds.index(labels[row]) + 1) % len(kinds)]
    found = label_suspects(linnet.TextClassifier(C=1.0), texts, labels, folds=3)
    assert len({suspect.row for suspect in found} & set(turned)) >= 0.8 * len(turned)
    assert len(found) < 0.2 * len(texts)
    first = {suspect.row for suspect in found[:25]}
    assert len(first & set(turned)) >= 0.4 * len(turned)


def test_no_suspects_where_there_is_one_label_or_nothing_to_suspect() -> None:
    assert suspects(["a", "a"], [[1.0], [1.0]], ["a"]) == []
    assert suspects(["a", "b"], [[1.0, 0.0], [0.0, 1.0]], ["a", "b"]) == []
    assert suspects(["?"], [[0.5, 0.5]], ["a", "b"]) == []  # a label outside is not judged
    assert suspects([], np.empty((0, 2)), ["a", "b"]) == []


def test_what_cannot_be_listed_is_refused() -> None:
    with pytest.raises(DataError, match="shape"):
        suspects(["a"], [[1.0]], ["a", "b"])
    with pytest.raises(DataError, match="2 true labels and 1"):
        confusion_cells(["a", "b"], ["a"])
    with pytest.raises(DataError, match="confidence"):
        confusion_cells(["a"], ["a"], [0.1, 0.2])
    model = linnet.TextClassifier(C=1.0).fit(["up", "down"] * 9, ["+", "-"] * 9)
    with pytest.raises(DataError, match="several"):
        confident_mistakes(model, ["up"], [["+"]])
    with pytest.raises(ParameterError, match="n must"):
        confident_mistakes(model, ["up"], ["+"], n=-1)
