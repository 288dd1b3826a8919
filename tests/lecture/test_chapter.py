"""The lab chapter runs as it is printed, once its two lines about paths are changed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet.lecture as lab
from linnet.explain.style import line_style

from .chapter import CHAPTER, PATHS

Session = dict[str, Any]
ACCURACY = re.compile(r"(.+) Accuracy train: ([\d.]+) test: ([\d.]+)")
LINE_OF = {
    "Naive Bayes": "red", "Perceptron": "blue", "Mira": "green", "Max-Ent-Batch": "orange",
    "SVM": "purple",
}  # fmt: skip


@pytest.fixture
def own_modules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Leave the paths and modules of the session behind; it is typed in an empty folder."""
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    yield
    for name in set(sys.modules) - before:
        if "." not in name:
            del sys.modules[name]


@pytest.fixture
def generated(generated_reviews: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put generated reviews where the Amazon reviews would be."""
    monkeypatch.setenv("LINNET_DATA", str(generated_reviews))


@pytest.fixture
def real(data_dir: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINNET_DATA", str(data_dir("amazon_books").parent))


def type_in(chapter: dict[str, str]) -> Session:
    """Type all lines one by one, with the two paths changed, and return what there is then."""
    session: Session = {}
    for number, block in chapter.items():
        for line in block.splitlines():
            typed = PATHS.get(line, line)
            exec(compile(typed, f"exercise {number}", "single"), session)
    return session


def printed(text: str) -> dict[str, tuple[float, float]]:
    found = (ACCURACY.fullmatch(line) for line in text.splitlines())
    return {line[1]: (float(line[2]), float(line[3])) for line in found if line is not None}


def test_the_chapter_has_98_lines_and_two_of_them_are_changed() -> None:
    lines = [line for block in CHAPTER.values() for line in block.splitlines()]
    assert len(lines) == 98
    assert sorted(line for line in lines if line in PATHS) == sorted(PATHS)


@pytest.mark.spec("X-17", "C-21", "E-08", "X-01", "X-02", "X-04", "X-05", "X-06", "X-07", "D-02")
def test_the_chapter_runs_as_printed_on_generated_reviews(
    own_modules: None, generated: None, capsys: pytest.CaptureFixture[str]
) -> None:
    session = type_in(CHAPTER)
    accuracies = printed(capsys.readouterr().out)
    assert len(accuracies) == 10
    assert session["scr"].train_X.shape[0] == 608
    for name, (train, test) in accuracies.items():
        assert train > 0.85, name
        assert test > (0.6 if name.startswith("Multinomial") else 0.85), name
    for name in ("nb", "perc", "mira", "meb", "svm"):
        assert session[f"params_{name}_sd"].shape == (3, 2)
        if name != "perc":
            assert session[f"params_{name}_sc"].shape[1] == 2
    np.testing.assert_allclose(session["gnb"].prior.sum(), 1)
    assert issubclass(session["svmc"].SVM, session["lcc"].LinearClassifier)


@pytest.mark.spec("X-02", "X-05", "X-06", "X-07", "R-03", "R-04", "R-05", "D-02", "E-08")
def test_the_chapter_prints_the_reference_accuracies_on_amazon_reviews(
    own_modules: None, real: None, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(CHAPTER)
    accuracies = printed(capsys.readouterr().out)
    assert accuracies["Multinomial Naive Bayes Amazon Sentiment"] == (0.9825, 0.665)
    assert accuracies["Max-Ent Batch Amazon Sentiment"] == (0.855625, 0.7875)
    online = accuracies["Max-Ent Online Amazon Sentiment"]
    assert online == pytest.approx((0.855625, 0.7875), abs=0.01)
    assert accuracies["SVM Online Amazon Sentiment"][1] == pytest.approx(0.8175, abs=0.03)
    assert accuracies["Mira Amazon Sentiment"][1] > 0.78


@pytest.mark.spec("A-67", "P-03", "P-02")
def test_the_two_lines_that_the_chapter_calls_orange_are_told_apart(
    own_modules: None, generated: None
) -> None:
    axis = type_in(CHAPTER)["axis"]
    colours = {line.get_label(): line.get_color() for line in axis.lines}
    for name, colour in LINE_OF.items():
        assert colours[name] == line_style(colour)[0], name


@pytest.mark.spec("X-17", "E-08")
def test_a_file_that_the_student_writes_is_taken_before_ours(
    own_modules: None, generated: None, tmp_path: Path
) -> None:
    (tmp_path / "mira.py").write_text(
        "from linear_classifier import LinearClassifier\n"
        "class Mira(LinearClassifier):\n"
        "    def train(self, x, y):\n"
        "        return [[0, 1], [0, 0], [0, 0]]\n",
        encoding="utf-8",
    )
    sys.path.insert(0, str(tmp_path))  # as Python does for a script or a prompt
    session: Session = {}
    start = {"1.1": CHAPTER["1.1"]}
    session = type_in(start)
    exec("import mira as mirac\nmira = mirac.Mira()", session)
    assert session["mira"].train(None, None) == [[0, 1], [0, 0], [0, 0]]


@pytest.mark.spec("P-06", "A-67", "X-08")
def test_the_function_xx_compares_the_classifiers_of_the_lab_with_its_lambda() -> None:
    sd = lab.SimpleDataSet(
        nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5]
    )
    fig, rows = lab.compare_all(sd)
    names = ["naive Bayes", "perceptron", "MIRA", "MaxEnt", "SVM"]
    assert [row.name for row in rows] == names
    assert len({row.colour for row in rows}) == 5
    svm = lab.SVM(regularizer=1.0)
    params = svm.train(sd.train_X, sd.train_y)
    np.testing.assert_array_equal(rows[-1].params, params)
    assert rows[-1].test_accuracy == svm.evaluate(sd.test_y, svm.test(sd.test_X, params)) == 0.90
    legend = [text.get_text() for text in fig.legends[0].get_texts()]
    for row in rows:
        assert f"{row.name}: {row.train_accuracy:.3f} / {row.test_accuracy:.3f}" in legend
    _, [only] = lab.compare_all(sd, {"mine": lab.SVM(regularizer=0.01)})
    assert only.name == "mine" and not np.array_equal(only.params, params)
