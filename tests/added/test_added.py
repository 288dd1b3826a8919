"""The learners of docs/add_a_learner.md and docs/add_a_chain_learner.md keep the whole contract.

They live in a package of their own, as somebody else's learner does.
"""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from typer.testing import CliRunner

import linnet
from linnet.cli.app import app
from linnet.errors import DataError, ModelFileError, ParameterError
from linnet.estimator import clone
from linnet.learn.density import GaussianBayes, ParzenWindows
from linnet.learn.flat.base import LinearClassifier

from .naive_bayes_tagger import NaiveBayesTagger
from .naive_bayes_tagger_reference import naive_bayes_tagger
from .nearest_mean import NearestMean
from .nearest_mean_reference import nearest_mean
from .nearest_point import NearestPoint

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent.parent / "docs"
FLAT, WHOLE = "added.nearest_mean:NearestMean", "added.nearest_point:NearestPoint"
CHAIN = "added.naive_bayes_tagger:NaiveBayesTagger"
WORDS = [["the", "dog", "runs"], ["dogs", "run"], ["a", "cat", "sat"]]
TAGS = [["D", "N", "V"], ["N", "V"], ["D", "N", "V"]]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write texts, rows and sentences that are easy to learn."""
    folder, rng = tmp_path_factory.mktemp("data"), np.random.default_rng(0)
    contents = {
        "texts.tsv": "".join(
            f"{'pos' if n % 2 else 'neg'}\t{'good fine' if n % 2 else 'poor dull'} word{n}\n"
            for n in range(40)
        ),
        "rows.csv": "size,colour,label\n"
        + "".join(
            f"{n % 3 + rng.random():.3f},{'red' if n % 3 else 'blue'},{'abc'[n % 3]}\n"
            for n in range(45)
        ),
        "tagged.conll": "".join(
            "".join(f"{w}\t{t}\n" for w, t in zip(words, tags, strict=True)) + "\n"
            for words, tags in zip(WORDS * 5, TAGS * 5, strict=True)
        ),
    }
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    return {name.partition(".")[0]: folder / name for name in contents}


@pytest.fixture
def run() -> Callable[..., str]:
    """Return a function that runs a command in this process and returns what it prints."""

    def ask(*arguments: object) -> str:
        done = CliRunner().invoke(app, [str(part) for part in arguments])
        assert done.exit_code == 0, (done.output, done.exception)
        return done.output

    return ask


# --- the pages ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "files"),
    [
        ("add_a_learner", ["nearest_mean", "nearest_mean_reference"]),
        ("add_a_chain_learner", ["naive_bayes_tagger", "naive_bayes_tagger_reference"]),
    ],
)
def test_the_page_shows_the_files_that_are_tested(page: str, files: list[str]) -> None:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    for name in files:
        assert (HERE / f"{name}.py").read_text(encoding="utf-8") in blocks, name


# --- the learners are right --------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([NearestMean(), NearestPoint()])
def test_the_contract_of_scikit_learn_holds(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_nearest_mean_has_the_weights_of_the_reference(classes: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.integers(classes, size=60)
    model = NearestMean().fit(X, y)
    W, b = nearest_mean(X, y, classes)
    assert (model.predict(X) == (X @ W + b).argmax(axis=1)).all()
    if classes == 2:
        W, b = W[:, 1:] - W[:, :1], b[1:] - b[:1]
    np.testing.assert_allclose(model.coef_, W.T, atol=1e-12)
    np.testing.assert_allclose(model.intercept_, b, atol=1e-12)


def test_the_tagger_has_the_weights_of_the_reference() -> None:
    rng = np.random.default_rng(1)
    ids = [[rng.choice(6, 2, replace=False).tolist() for _ in range(n)] for n in (3, 1, 5, 2)]
    gold = [rng.integers(3, size=len(one)).tolist() for one in ids]
    named = [[[f"f{j}" for j in token] for token in one] for one in ids]
    model = NaiveBayesTagger(alpha=0.5).fit(named, gold)
    start, transition, emission = naive_bayes_tagger(ids, gold, 6, 3, 0.5)
    np.testing.assert_allclose(model.start_, start, atol=1e-12)
    np.testing.assert_allclose(model.transition_, transition, atol=1e-12)
    np.testing.assert_allclose(model.pair_weight_.reshape(6, 3), emission, atol=1e-12)


def test_the_tagger_is_an_estimator_as_the_others_are() -> None:
    model = NaiveBayesTagger(alpha=0.5)
    assert clone(model).get_params() == {"alpha": 0.5, "n_threads": None}
    X = [[[f"w={word}"] for word in sentence] for sentence in WORDS]
    fitted = model.fit(X, TAGS)
    assert fitted is model and model.score(X, TAGS) == 1.0
    twin = pickle.loads(pickle.dumps(model))
    assert twin.predict(X) == model.predict(X) == TAGS
    with pytest.raises(DataError):
        model.fit(X, TAGS[:1])
    with pytest.raises(ParameterError, match="alpha"):
        NaiveBayesTagger(alpha=0.0).fit(X, TAGS)
    assert model.predict(X) == TAGS  # a refused fit leaves the model whole


# --- files -------------------------------------------------------------------------------------


def test_a_linear_learner_of_another_package_is_stored_as_its_weights(tmp_path: Path) -> None:
    X, y = np.random.default_rng(0).normal(size=(30, 4)), np.arange(30) % 3
    model = NearestMean().fit(X, y)
    linnet.save(model, tmp_path / "m.linnet")
    twin = linnet.load(tmp_path / "m.linnet")
    assert type(twin) is LinearClassifier
    np.testing.assert_array_equal(twin.decision_function(X), model.decision_function(X))
    assert (twin.predict(X) == model.predict(X)).all()


def test_a_learner_that_is_kept_whole_is_stored_under_the_place_of_its_class(
    tmp_path: Path,
) -> None:
    X, y = np.random.default_rng(0).normal(size=(30, 4)), np.arange(30) % 3
    model = NearestPoint().fit(X, y)
    linnet.save(model, tmp_path / "m.linnet")
    twin = linnet.load(tmp_path / "m.linnet")
    assert type(twin) is NearestPoint
    np.testing.assert_array_equal(twin.decision_function(X), model.decision_function(X))


def test_a_file_never_imports_the_class_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tagger = NaiveBayesTagger().fit([[["a"], ["b"]]], [["x", "y"]])
    linnet.save(tagger, tmp_path / "m.linnet")
    assert type(linnet.load(tmp_path / "m.linnet")) is NaiveBayesTagger
    monkeypatch.delitem(sys.modules, "added.naive_bayes_tagger")
    with pytest.raises(ModelFileError, match=r"m\.linnet: .*imports nothing.*--learner"):
        linnet.load(tmp_path / "m.linnet")
    assert "added.naive_bayes_tagger" not in sys.modules


def test_a_class_that_no_file_can_name_is_refused_when_it_is_saved(tmp_path: Path) -> None:
    class Inner(NearestPoint):
        """Lives in a function."""

    model = Inner().fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(ParameterError, match=r"add_a_learner\.md, got Inner"):
        linnet.save(model, tmp_path / "m.linnet")
    with pytest.raises(ParameterError, match="got Inner"):
        linnet.RowClassifier(Inner()).fit([[0.0], [1.0]] * 12, ["a", "b"] * 12).save(
            tmp_path / "m.linnet"
        )


# --- the command line --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "learner", "example", "shows"),
    [
        ("texts", FLAT, "a good film", "good"),
        ("texts", WHOLE, "a good film", "the nearest points"),
        ("rows", FLAT, "1.5,red", "colour=red"),
        ("rows", WHOLE, "1.5,red", "the nearest points"),
        ("tagged", CHAIN, "the dog runs", "runs"),
    ],
)
def test_every_verb_takes_a_learner_of_another_package(
    kind: str, learner: str, example: str, shows: str,
    data: dict[str, Path], run: Callable[..., str], tmp_path: Path,
) -> None:  # fmt: skip
    model, name = tmp_path / "m.linnet", learner.partition(":")[2]
    assert name in run("train", data[kind], "-o", model, "--learner", learner)
    allowed = ("--learner", learner)
    assert run("predict", model, data[kind], *allowed).count("\n") >= 40
    assert "accuracy" in run("evaluate", model, data[kind], *allowed)
    assert shows in run("explain", model, *allowed, example)
    assert name in run("inspect", model, *allowed)


@pytest.mark.parametrize("learner", [FLAT, WHOLE])
def test_filter_takes_a_learner_of_another_package(
    learner: str, data: dict[str, Path], run: Callable[..., str], tmp_path: Path
) -> None:
    model, kept = tmp_path / "m.linnet", tmp_path / "kept"
    run("train", data["texts"], "-o", model, "--learner", learner)
    (tmp_path / "new.txt").write_text("good fine\npoor dull\n")
    run("filter", model, tmp_path / "new.txt", "--keep", "pos", "-o", kept, "--learner", learner)
    assert (kept / "new.txt").read_text() == "good fine\n"


@pytest.mark.parametrize(
    ("kind", "other", "learner"), [("texts", "nb", FLAT), ("tagged", "hmm", CHAIN)]
)
def test_a_learner_of_another_package_is_compared(
    kind: str, other: str, learner: str, data: dict[str, Path], run: Callable[..., str]
) -> None:
    printed = run("compare", data[kind], "--learners", f"{other},{learner}", "--tune", "5s")
    assert learner.partition(":")[2] in printed


def test_compare_in_python_takes_classes_by_their_place_and_estimators() -> None:
    data = (["good fine", "poor dull"] * 20, ["pos", "neg"] * 20)
    named = linnet.compare(data, f"nb,{FLAT}")
    given = linnet.compare(data, [linnet.MultinomialNB(), NearestMean()])
    assert [row.name for row in named.rows] == [row.name for row in given.rows]
    assert {row.name for row in named.rows} == {"MultinomialNB", "NearestMean"}


def test_a_class_that_does_not_suit_the_data_is_refused(
    data: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "unfinished_learner.py").write_text("class Learner(:\n")
    for kind, learner, message in (
        ("texts", CHAIN, "NaiveBayesTagger is no learner for texts"),
        ("tagged", FLAT, "NearestMean is no learner for sequences"),
        ("texts", "added.nearest_mean:Nothing", "has no class 'Nothing'"),
        ("texts", "added.nowhere:Learner", "cannot be imported"),
        ("texts", "unfinished_learner:Learner", "cannot be imported (SyntaxError: "),
        ("texts", "json:JSONEncoder", "no estimator"),
    ):
        done = CliRunner().invoke(app, ["train", str(data[kind]), "--learner", learner])
        assert done.exit_code == 1 and message in done.output, done.output


@pytest.mark.parametrize(
    ("kind", "learner", "needs_the_class"),
    [
        ("texts", FLAT, False),
        ("rows", FLAT, False),
        ("tagged", CHAIN, False),
        ("rows", WHOLE, True),
    ],
)
def test_a_linear_model_needs_no_class_and_another_one_names_it(
    kind: str, learner: str, needs_the_class: bool,
    data: dict[str, Path], run: Callable[..., str], tmp_path: Path,
) -> None:  # fmt: skip
    run("train", data[kind], "-o", tmp_path / "m.linnet", "--learner", learner)

    def predict(*options: str) -> subprocess.CompletedProcess[str]:
        arguments = ["predict", str(tmp_path / "m.linnet"), str(data[kind]), *options]
        code = f"import sys; sys.argv[1:] = {arguments!r}; from linnet.cli import main; main()"
        places = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
        return subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=300,
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": places},
        )  # fmt: skip

    alone = predict()
    assert (alone.returncode != 0) == needs_the_class, alone.stderr
    if needs_the_class:
        assert "imports nothing by itself" in alone.stderr
        assert predict("--learner", learner).returncode == 0


# --- honest classes ----------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [GaussianBayes, ParzenWindows, linnet.GaussianNB])
def test_a_classifier_by_densities_is_no_linear_one(learner: type[Any]) -> None:
    assert not issubclass(learner, LinearClassifier)
    assert issubclass(linnet.MultinomialNB, LinearClassifier)


def test_a_local_tagger_takes_densities() -> None:
    X = [[{"size": 1.0}, {"size": 5.0}], [{"size": 1.2}, {"size": 4.8}]]
    y = [["small", "large"], ["small", "large"]]
    for learner in (linnet.GaussianNB(), GaussianBayes(ridge=0.1), ParzenWindows()):
        assert linnet.LocalTagger(learner, history=1).fit(X, y).predict(X) == y
