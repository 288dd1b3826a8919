"""LIBLINEAR's models answer here as they do there; ours are written so that it reads them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet
from linnet import foreign
from linnet.errors import ModelFileError, ParameterError

from .running import run

peer = pytest.mark.skipif(os.name == "nt", reason="liblinear-official has no wheel for Windows")
LR = {0, 6, 7}
TWO = """solver_type L2R_LR
nr_class 2
label 3 -2
nr_feature 2
bias 1
w
0.5
-1
0.25
"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.model"
    path.write_text(TWO)
    return path


def data(k: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(k)
    X = sp.random(300, 40, 0.2, format="csr", rng=rng)
    labels = np.array([7, -1, 12, 3])[:k]
    y = labels[np.argmax(X @ rng.normal(size=(40, k)) + rng.normal(size=(300, k)) / 4, axis=1)]
    X = sp.vstack([X, sp.csr_matrix((3, 40))]).tocsr()  # rows without features tie
    return X, np.concatenate([y, labels[:1].repeat(3)])


@peer
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("bias", [-1.0, 0.5])
@pytest.mark.parametrize("solver", [0, 1, 2, 3, 4, 5, 6, 7])
def test_every_classifying_solver_answers_as_liblinear_does(
    solver: int, bias: float, k: int, tmp_path: Path
) -> None:
    import liblinear.liblinearutil as util

    X, y = data(k)
    path = str(tmp_path / "m.model")
    trained = util.train(y, X, f"-s {solver} -B {bias} -q")
    util.save_model(path, trained)
    theirs, _, values = util.predict([], X, trained, f"-b {int(solver in LR)} -q")
    model = linnet.load(path)
    assert model.kind == "vector" and model.predict(X).tolist() == list(map(int, theirs))
    if solver in LR:
        assert model.classes_.tolist() == trained.get_labels()
        np.testing.assert_allclose(model.predict_proba(X), values, rtol=0, atol=1e-14)
    model.save(tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(again.predict(X), model.predict(X))


@peer
@pytest.mark.parametrize("solver", [11, 12, 13])
def test_a_regression_becomes_a_linear_regression(solver: int, tmp_path: Path) -> None:
    import liblinear.liblinearutil as util

    X, y = data(4)
    path = str(tmp_path / "m.model")
    trained = util.train(y, X, f"-s {solver} -B 1 -q")
    util.save_model(path, trained)
    values = util.predict([], X, trained, "-q")[0]
    np.testing.assert_allclose(linnet.load(path).predict(X), values, rtol=1e-12)


@peer
def test_one_class_answers_as_liblinear_does(tmp_path: Path) -> None:
    import liblinear.liblinearutil as util

    X, y = data(2)
    path = str(tmp_path / "m.model")
    trained = util.train(y, X, "-s 21 -n 0.4 -q")
    util.save_model(path, trained)
    theirs = util.predict([], X, trained, "-q")[0]
    assert linnet.load(path).predict(X).tolist() == list(map(int, theirs))


def test_a_score_of_zero_goes_to_the_second_label(two: Path) -> None:
    model = linnet.load(two)
    assert model.predict(np.array([[0.0, 0.25], [0.0, 0.26], [0.0, 0.24]])).tolist() == [-2, -2, 3]


@pytest.mark.parametrize("plain", [True, False])
def test_weights_are_read_to_the_last_bit_however_they_are_written(
    plain: bool, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    numbers = (rng.normal(size=999) * 10.0 ** rng.integers(-300, 300, 999)).tolist()
    ways = ["{:.17g}", "{:.6g}", "{!r}"] if plain else ["{:.17g}", "{:+}", "{:E}", "{:.0f}"]
    written = [ways[k % len(ways)].format(number) for k, number in enumerate(numbers)]
    path, spaces = tmp_path / "m.model", [" ", "\n", "\r\n", " \t\v\f "]
    text = "".join(word + spaces[k % 4] for k, word in enumerate(["1e-320", *written]))
    path.write_text(TWO.split("bias")[0].replace("feature 2", "feature 1000") + f"w\n{text}")
    expected = [-float(word) for word in ["1e-320", *written]]
    assert linnet.load(path).weights_[:, 0].tolist() == expected


def test_an_explanation_sums_to_the_score(two: Path) -> None:
    model = linnet.load(two)
    why = model.explain(np.array([2.0, 3.0]), 3)
    assert why.score == pytest.approx(0.5 * 2 - 3 + 0.25)
    assert why.intercept + sum(c.contribution for c in why.contributions) == pytest.approx(
        why.score
    )


@peer
@pytest.mark.parametrize("labels", [[4, 9], [9, 4, 2]])
def test_what_we_write_liblinear_reads_with_the_same_answers(
    labels: list[int], tmp_path: Path
) -> None:
    import liblinear.liblinearutil as util

    X, _ = data(2)
    y = np.array(labels)[np.arange(X.shape[0]) % len(labels)]
    model = linnet.TextClassifier().fit(X, y).model_
    path = str(tmp_path / "m.model")
    foreign.write(model, path)
    theirs = util.load_model(path)
    logistic = len(labels) == 2
    answers, _, values = util.predict([], X, theirs, f"-b {int(logistic)} -q")
    assert model.predict(X).tolist() == list(map(int, answers))
    if logistic:
        order = [theirs.get_labels().index(label) for label in model.classes_.tolist()]
        np.testing.assert_allclose(model.predict_proba(X), np.array(values)[:, order], atol=1e-12)
    assert linnet.load(path).predict(X).tolist() == model.predict(X).tolist()


def test_texts_and_labels_that_the_format_cannot_hold_are_not_written(tmp_path: Path) -> None:
    texts = linnet.TextClassifier().fit(["a b", "c d"] * 9, [1, 2] * 9).model_
    with pytest.raises(ParameterError, match="numbered feature"):
        foreign.write(texts, tmp_path / "m.model")
    named = linnet.TextClassifier().fit(np.eye(2).repeat(9, axis=0), ["x"] * 9 + ["y"] * 9).model_
    with pytest.raises(ParameterError, match="whole numbers"):
        foreign.write(named, tmp_path / "m.model")
    with pytest.raises(ParameterError, match="written as"):
        foreign.write(named, tmp_path / "m.bin")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("0.25\n", "", "2 weights, where 3 x 1"),
        ("0.25\n", "0.25\n1\n", "4 weights"),
        ("0.25", "nan", "NaN"),
        ("0.25", "x", "no number"),
        ("L2R_LR", "L3R_LR", "none of LIBLINEAR's"),
        ("nr_class 2", "nr_class 2000000000", "ends within its labels"),
        ("nr_feature 2", "nr_feature -2", "nr_feature cannot be"),
        ("nr_feature 2", "nr_feature 2000000000", "3 weights, where"),
        ("label 3 -2", "label 3 3", "label twice"),
        ("label 3 -2\n", "", "has no label"),
        ("bias 1", "bias 1\nbias 1", "twice"),
        ("bias 1", "colour 1", "no key of the format"),
        ("nr_class 2\nlabel 3 -2", "nr_class 1\nlabel 3", "single label"),
        ("w\n", "", "no key"),
    ],
)
def test_a_damaged_file_is_refused_with_the_place(
    old: str, new: str, match: str, two: Path
) -> None:
    two.write_text(TWO.replace(old, new, 1))
    with pytest.raises(ModelFileError, match=match) as caught:
        linnet.load(two)
    assert str(two) in str(caught.value)


def test_the_command_line_converts_predicts_and_shows(two: Path, tmp_path: Path) -> None:
    rows, own = tmp_path / "rows.svm", tmp_path / "own.linnet"
    rows.write_text("3 1:4\n-2 2:1\n3 1:1 2:0.5\n")
    run("convert", two, own)
    answers = [run("predict", model, rows) for model in (two, own)]
    assert answers[0] == answers[1] and answers[0].split()[::2] == ["3", "-2", "3"]
    assert "100" in run("evaluate", two, rows)
    assert "LIBLINEAR" in run("inspect", two)
    back = tmp_path / "back.model"
    run("convert", own, back)
    assert run("predict", back, rows) == answers[0]
