"""A trained model goes on with new examples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.stream.conftest import LABELS, Killed, killed_after, reviews, write_tsv
from typer.testing import CliRunner

import linnet
from linnet.cli.app import app
from linnet.errors import DataError, ParameterError
from linnet.stream import limits
from linnet.stream import run as stream_run


@pytest.fixture(params=["svm", "nb", "stream"])
def trained(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    rows = reviews(300)
    texts, labels = [text for _, text in rows], [label for label, _ in rows]
    if request.param == "stream":
        path = write_tsv(tmp_path / "first.tsv", rows)
        return linnet.fit_stream(linnet.TextClassifier(hashing=12), path).model_
    learner = linnet.MultinomialNB() if request.param == "nb" else None
    return linnet.TextClassifier(learner).fit(texts, labels).model_


def test_a_model_gets_better_by_new_examples(trained: Any, tmp_path: Path) -> None:
    new = write_tsv(tmp_path / "new.tsv", reviews(2000, seed=1))
    test = reviews(1000, seed=2)
    X, y = [text for _, text in test], [label for label, _ in test]
    clf = linnet.fit_stream(linnet.TextClassifier(), new, start=trained)
    assert clf.score(X, y) > trained.score(X, y)
    assert clf.record_["continued"] == trained.record_
    assert clf.model_.extractor is trained.extractor


def test_without_an_example_to_correct_nothing_changes(trained: Any, tmp_path: Path) -> None:
    easy = [(str(trained.predict([text])[0]), text) for _, text in reviews(30, seed=3)]
    path = write_tsv(tmp_path / "easy.tsv", easy)
    clf = linnet.fit_stream(linnet.TextClassifier(), path, start=trained)
    np.testing.assert_allclose(clf.model_.weights_, trained.weights_, rtol=1e-6)
    assert clf.model_.sharpness_ == trained.sharpness_


def test_new_labels_are_refused_or_learned(trained: Any, tmp_path: Path) -> None:
    path = write_tsv(tmp_path / "new.tsv", reviews(900, LABELS, seed=1))
    with pytest.raises(DataError, match="'so-so' is not among those of the model, 'neg', 'pos'"):
        linnet.fit_stream(linnet.TextClassifier(), path, start=trained)
    clf = linnet.fit_stream(linnet.TextClassifier(), path, start=trained, new_labels=True)
    assert clf.classes_.tolist() == sorted(LABELS)


def test_a_learner_that_needs_its_past_cannot_go_on_from_weights(
    trained: Any, stream: Path
) -> None:
    with pytest.raises(ParameterError, match="continued by MIRA or Perceptron"):
        linnet.fit_stream(linnet.TextClassifier(linnet.MaxEnt()), stream, start=trained)


def test_a_model_that_is_no_linear_model_of_texts_is_refused(stream: Path) -> None:
    rows = linnet.RowClassifier(linnet.DecisionTree()).fit([["a"], ["b"]], ["x", "y"]).model_
    with pytest.raises(DataError, match="only a model of texts"):
        linnet.fit_stream(linnet.TextClassifier(), stream, start=rows)


def test_an_interrupted_continuation_resumes_to_the_same_bits(
    trained: Any, stream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "BLOCK", 4000)
    monkeypatch.setattr(stream_run, "_SECONDS", 0.0)
    monkeypatch.setattr(stream_run, "_SHARE", 1e9)
    whole = linnet.fit_stream(linnet.TextClassifier(), stream, start=trained)
    aside = tmp_path / "run.checkpoint"
    options: dict[str, Any] = {"start": trained, "checkpoint": aside, "resume": True}
    with pytest.raises(Killed):
        linnet.fit_stream(linnet.TextClassifier(), stream, progress=killed_after(5), **options)
    resumed = linnet.fit_stream(linnet.TextClassifier(), stream, **options)
    assert np.array_equal(whole.model_.weights_, resumed.model_.weights_)
    assert whole.record_ == resumed.record_


def test_the_command_continues_a_file(trained: Any, tmp_path: Path) -> None:
    old, new = tmp_path / "old.linnet", tmp_path / "new.linnet"
    trained.save(old)
    data = write_tsv(tmp_path / "new.tsv", reviews(400, LABELS, seed=1))

    def run(*options: str) -> Any:
        arguments = ["train", str(data), "--continue", str(old), "-o", str(new), *options]
        return CliRunner().invoke(app, arguments)

    assert "is not among those of the model" in run().output
    assert "settled by the model" in run("--ngrams", "1,3").output
    printed = run("--new-labels")
    assert printed.exit_code == 0, printed.output
    assert linnet.load(new).classes_.tolist() == sorted(LABELS)
