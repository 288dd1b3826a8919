"""The verbs of the command line on files of other programs, as their users have them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import linnet
from linnet.compat import pycrfsuite
from linnet.data.sequences import read_sequences
from linnet.errors import DataWarning

from .running import run
from .test_svmlight import points, svmlight_text

LINES = "D\tw\\:the\tlen:3\nN\tw\\:cat\n\nD\tw\\:the\nN\tw\\:dog\tlen:0.5\n\n"


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a CRFsuite model and a data file of that program."""
    folder = tmp_path_factory.mktemp("crfsuite")
    trainer = pycrfsuite.Trainer(verbose=False)
    for noun in ("cat", "dog", "cow"):
        trainer.append([{"w": "the", "len": 3.0}, {"w": noun}], ["D", "N"])
    trainer.train(str(folder / "m.crfsuite"))
    (folder / "data.txt").write_text(LINES)
    return folder


def test_crfsuites_own_data_files_are_tagged_and_measured(tagger: Path) -> None:
    model, data = tagger / "m.crfsuite", tagger / "data.txt"
    assert run("predict", model, data, "-q") == LINES.replace("len:3", "len:3.0")
    assert run("predict", model, data, "--format", "conll", "-q").split()[:4] == [
        "w:the", "D", "w:cat", "N",
    ]  # fmt: skip
    answers = [json.loads(line) for line in run("predict", model, data, "--json").splitlines()]
    assert [answer["tags"] for answer in answers] == [["D", "N"]] * 2
    report = json.loads(run("evaluate", model, data, "--json"))
    assert report["accuracy"] == 1.0 and report["n_tokens"] == 4
    assert "w:the w:dog" in run("suggest", model, data)
    sentences = read_sequences(data)
    items = [[{"w:the": 1, "len": 3}, {"w:cat": 1}], [{"w:the": 1}, {"w:dog": 1, "len": 0.5}]]
    assert linnet.load(model).predict(sentences) == linnet.load(model).predict(items)


def test_a_tagger_of_attributes_warns_of_words_it_does_not_know(tagger: Path) -> None:
    from linnet.cli.kinds.sentence_files import for_model

    model = linnet.load(tagger / "m.crfsuite")
    (tagger / "plain.txt").write_text("just some words\n")
    with pytest.warns(DataWarning, match=r"plain.txt: none of its attributes .* such as 'w:the'"):
        for_model(read_sequences(tagger / "plain.txt", format="text"), model, "plain.txt")


def test_a_vector_is_explained_from_the_line_of_a_file(tmp_path: Path) -> None:
    for number, kernel in enumerate(("linear", "polynomial")):
        path = tmp_path / f"{kernel}.model"
        machine = linnet.KernelSVM(0.5, kernel=kernel, gamma=1.0).fit(*points(30))
        path.write_text(svmlight_text(machine, number))
        (tmp_path / "rows.svm").write_text("1 1:0.5 3:-2\n-1 2:1\n")
        assert len(run("predict", path, tmp_path / "rows.svm", "-q").splitlines()) == 2
        said = json.loads(run("explain", path, "1:0.5", "3:-2", "--json"))
        assert said["label"] in (-1, 1)
        assert said.get("text", said.get("example")) == "x0:0.5 x2:-2"
        assert json.loads(run("explain", path, "-", "--json", stdin="1 1:0.5 3:-2\n")) == said
        assert "SVMlight model" in run("inspect", path)
        run("convert", path, tmp_path / "own.linnet", "--force")
        same = run("predict", tmp_path / "own.linnet", tmp_path / "rows.svm", "-q")
        assert same == run("predict", path, tmp_path / "rows.svm", "-q")


def test_a_liblinear_file_is_written_as_it_was_read(tmp_path: Path) -> None:
    for bias, rows in (("-1", "0.5 1 -2 \n1 0 0.25 \n"), ("1", "0.5 1 -2 \n1 2 0.25 \n3 0 1 \n")):
        head = f"solver_type L2R_LR\nnr_class 3\nlabel 4 -1 7\nnr_feature 2\nbias {bias}\nw\n"
        (tmp_path / "a.model").write_text(head + rows)
        run("convert", tmp_path / "a.model", tmp_path / "b.model", "--force")
        assert (tmp_path / "b.model").read_bytes() == (tmp_path / "a.model").read_bytes()
