"""Degenerate data through compare, evaluate and every closer look: a right answer or one line."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import linnet
from linnet.errors import DataWarning

Run = Callable[..., Any]
LOOK = ("--mistakes", 3, "--abstention", "--suspects", "--confusion")
GOOD, BAD = "a good fine film", "a bad poor film"


def jsonl(rows: list[tuple[str, Any]]) -> str:
    return "".join(json.dumps({"label": y, "text": t, "source": "w"}) + "\n" for t, y in rows)


FLAT = {
    "one class": [(f"{GOOD} {i}", "p") for i in range(20)],
    "one example": [(GOOD, "p")],
    "two examples": [(GOOD, "p"), (BAD, "n")],
    "one example a class": [(f"word{i} only{i}", f"c{i}") for i in range(12)],
    "perfect separation": [(GOOD, "p"), (BAD, "n")] * 15,
    "all-equal predictions": [("film", "p")] * 25 + [("film", "n")] * 5,
    "empty texts": [("", "p"), ("", "n")] * 10,
    "some empty texts": [(GOOD, "p"), ("", "n")] * 10,
    "white space": [(" \t ", "p"), ("   ", "n")] * 10,
    "all texts equal": [(GOOD, "p"), (GOOD, "n"), (GOOD, "q")] * 8,
    "labels of one character": [(GOOD, "+"), (BAD, "-")] * 12,
    "very long labels": [(GOOD, "p" * 5000), (BAD, "n" * 5000)] * 12,
    "labels beyond ASCII": [(GOOD, "好 é🙂"), (BAD, "غير [red]")] * 12,
    "labels with commas and breaks": [(GOOD, "a,b"), (BAD, "c\td")] * 12,
    "a very long text": [(GOOD * 5000, "p"), (BAD, "n")] * 12,
    "an unbalanced pair": [(GOOD, "p")] * 39 + [(BAD, "n")],
    "no rows": [],
}

TAGGED = {
    "one sentence": "the\tD\ndog\tN\n\n",
    "one token": "dog\tN\n\n",
    "one tag": "the\tX\ndog\tX\n\n" * 6,
    "two sentences": "the\tD\ndog\tN\n\nran\tV\n\n",
    "sentences of one token": "dog\tN\n\nran\tV\n\n" * 8,
    "all sentences equal": "the\tD\ndog\tN\n\n" * 12,
    "no chunk at all": "the\tO\ndog\tO\nran\tB-X\n\n" + "the\tO\ndog\tO\n\n" * 9,
    "illegal chunks": "the\tI-X\ndog\tB-Y\nran\tI-X\n\n" * 8,
    "tags beyond ASCII": "the\t好\ndog\t🙂\n\n" * 8,
    "nothing": "",
    "blank lines": "\n\n\n",
}


TOO_LITTLE = ("one sentence", "one token", "one tag", "two sentences", "nothing", "blank lines")


@pytest.fixture(autouse=True)
def no_warning() -> Iterator[None]:
    """Make a warning of NumPy, SciPy or scikit-learn an error, as users see those too."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("default", DataWarning)  # linnet's own, one line on standard error
        yield


def check(found: Any) -> bool:
    """Check that a command has answered, or has refused in one line; say which."""
    assert "Traceback" not in found.output
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    if found.exit_code == 0:
        assert not re.search(r"\bnan\b|\binf\b", found.stdout, re.IGNORECASE)
        return True
    assert found.exit_code in (1, 2)
    errors = [line for line in found.stderr.splitlines() if "error:" in line]
    assert len(errors) == 1, found.stderr
    assert len(errors[0]) > 25
    return False


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "m.linnet"
    texts, labels = [GOOD, BAD] * 10, ["p", "n"] * 10
    linnet.TextClassifier(C=1.0).fit(texts, labels).save(path)
    return path


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "t.linnet"
    sentences = [["the", "dog", "ran"], ["dogs", "ran"]] * 5
    linnet.SequenceTagger().fit(sentences, [["D", "N", "V"], ["N", "V"]] * 5).save(path)
    return path


@pytest.mark.parametrize("name", FLAT)
@pytest.mark.parametrize("options", [(), ("--folds", 2), ("--tune", "0.1s", "--curve", "0.5,1")])
def test_comparing_answers_or_refuses(
    linnet_command: Run, tmp_path: Path, name: str, options: tuple[Any, ...]
) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(jsonl(FLAT[name]), encoding="utf-8")
    learners = ("--learners", "nb,perceptron,maxent,svm")
    answered = check(linnet_command("compare", path, *learners, "--json", *options))
    assert answered or name in {
        "one class", "one example", "two examples", "one example a class", "empty texts",
        "white space", "no rows", "an unbalanced pair",
    }  # fmt: skip
    if answered and not options:
        assert check(linnet_command("compare", path, "--learners", "nb"))


@pytest.mark.parametrize("name", FLAT)
def test_evaluating_and_looking_closer_answers_or_refuses(
    linnet_command: Run, classifier: Path, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(jsonl(FLAT[name]), encoding="utf-8")
    for more in (("--groups", "source", "--json"), ("--groups", "length")):
        answered = check(linnet_command("evaluate", classifier, path, *LOOK, *more))
        assert answered == (name != "no rows")


@pytest.mark.parametrize("name", FLAT)
def test_a_model_of_degenerate_data_is_refused_or_can_be_measured(
    linnet_command: Run, tmp_path: Path, name: str
) -> None:
    path, model = tmp_path / "data.jsonl", tmp_path / "m.linnet"
    path.write_text(jsonl(FLAT[name]), encoding="utf-8")
    if check(linnet_command("train", path, "-o", model, "-q")):
        assert check(linnet_command("evaluate", model, path, *LOOK, "--groups", "source"))
        first = str(FLAT[name][0][1])
        assert check(linnet_command("evaluate", model, path, "--cell", f"{first},{first}"))


@pytest.mark.parametrize("name", TAGGED)
def test_sequences_answer_or_are_refused(
    linnet_command: Run, tagger: Path, tmp_path: Path, name: str
) -> None:
    path, model = tmp_path / "data.conll", tmp_path / "m.linnet"
    path.write_text(TAGGED[name], encoding="utf-8")
    whole = check(linnet_command("compare", path, "--learners", "hmm,perceptron", "--json"))
    assert whole == (name not in TOO_LITTLE)
    check(linnet_command("compare", path, "--learners", "hmm", "--folds", 2))
    look = (*LOOK, "--groups", "length")
    answered = check(linnet_command("evaluate", tagger, path, *look))
    assert answered == (name not in ("nothing", "blank lines"))
    if check(linnet_command("train", path, "-o", model, "-q")):
        assert check(linnet_command("evaluate", model, path, *look, "--json", "-q"))


@pytest.mark.parametrize("rows", ["a,x\n" * 8, "a,x\nb,y\n", "a,x\nb,y\n" * 8, "?,x\n?,y\n" * 8])
def test_rows_answer_or_are_refused(linnet_command: Run, tmp_path: Path, rows: str) -> None:
    path, model = tmp_path / "data.data", tmp_path / "m.linnet"
    path.write_text(rows)
    for learner in ("memory", "tree", "maxent"):
        options = ("--format", "c45", "--learner", learner, "-q")
        if check(linnet_command("train", path, "-o", model, *options)):
            check(linnet_command("evaluate", model, path, *LOOK, "--groups", "c1"))
