"""``linnet.compat.pycrfsuite`` has the signatures of ``pycrfsuite``, and its answers."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet.compat import pycrfsuite as ours
from linnet.compat.pycrfsuite import fitting

from .made import sentences

theirs = pytest.importorskip("pycrfsuite")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a model that python-crfsuite has trained."""
    path = str(tmp_path_factory.mktemp("crfsuite") / "m.crfsuite")
    trainer = theirs.Trainer(verbose=False, params={"max_iterations": 30})
    for items, tags in sentences(200, 0):
        trainer.append(items, tags)
    trainer.train(path)
    return path


def taggers(path: str) -> tuple[Any, Any]:
    pair = theirs.Tagger(), ours.Tagger()
    for tagger in pair:
        tagger.open(path)
    return pair


def test_every_answer_is_the_originals(path: str) -> None:
    them, us = taggers(path)
    assert us.labels() == them.labels()
    for items, _ in sentences(150, 1):
        tags = them.tag(items)
        assert us.tag(items) == tags == us.viterbi()
        assert us.probability(tags) == pytest.approx(them.probability(tags), abs=1e-12)
        for t, label in np.ndindex(len(items), len(us.labels())):
            name = us.labels()[label]
            assert us.marginal(name, t) == pytest.approx(them.marginal(name, t), abs=1e-12)
        assert us.tag(ours.ItemSequence(items)) == tags
        assert us.tag() == tags  # and what was asked before does not disturb


def test_characters_of_a_text_are_its_attributes_as_there(path: str) -> None:
    them, us = taggers(path)
    assert us.tag(["abc", "len"]) == them.tag(["abc", "len"])


def test_items_are_flattened_as_there() -> None:
    for items, _ in sentences(20, 3):
        assert ours.ItemSequence(items).items() == theirs.ItemSequence(items).items()
        assert len(ours.ItemSequence(items)) == len(items)


def test_an_empty_sentence_has_no_tags(path: str) -> None:
    them, us = taggers(path)
    assert us.tag([]) == them.tag([]) == []
    assert us.probability([]) == them.probability([])


def test_info_and_dump_are_the_originals(path: str, tmp_path: Path) -> None:
    them, us = taggers(path)
    mine, other = us.info(), them.info()
    for name in ("header", "labels", "attributes", "transitions", "state_features"):
        assert getattr(mine, name) == getattr(other, name)
    us.dump(str(tmp_path / "ours"))
    them.dump(str(tmp_path / "theirs"))
    lines = [sorted((tmp_path / name).read_text("utf-8", "replace").splitlines())
             for name in ("ours", "theirs")]  # fmt: skip
    assert lines[0] == lines[1]


@pytest.mark.parametrize("module", [ours, theirs])
def test_errors_are_the_originals(module: Any, path: str, tmp_path: Path) -> None:
    tagger = module.Tagger()
    for ask in (lambda: tagger.tag([["a"]]), tagger.labels):
        with pytest.raises(ValueError, match="not opened"):
            ask()
    with pytest.raises(RuntimeError, match="closed"):
        tagger.info()
    with pytest.raises(FileNotFoundError):
        tagger.open(str(tmp_path / "none"))
    with pytest.raises(ValueError, match="Invalid model"):
        tagger.open_inmemory(b"no model")
    with tagger.open(path) as opened:
        assert opened is tagger
        opened.set([["len"]])
        with pytest.raises(ValueError, match="numbers of items and labels differ"):
            opened.probability(["N", "N"])
        with pytest.raises(ValueError, match="out of range"):
            opened.marginal("N", 4)
        with pytest.raises(RuntimeError, match="label identifier"):
            opened.marginal("no label", 0)
    with pytest.raises(ValueError, match="not opened"):
        tagger.labels()
    tagger.open_inmemory(Path(path).read_bytes())
    assert tagger.labels()


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"c2": 0.1},
        {"c1": 0.5, "c2": 0.05},
        {"feature.possible_transitions": True, "feature.possible_states": True},
        {"feature.minfreq": 3},
    ],
)
def test_the_trainer_reaches_crfsuites_optimum(params: dict[str, Any], tmp_path: Path) -> None:
    weights = []
    for module in (theirs, ours):
        trainer = module.Trainer(verbose=False, params={"epsilon": 1e-7, "delta": 1e-9, **params})
        for items, tags in sentences(60, 5):
            trainer.append(items, tags)
        trainer.train(str(tmp_path / module.__name__))
        tagger = theirs.Tagger()
        tagger.open(str(tmp_path / module.__name__))
        info = tagger.info()
        weights.append({**info.transitions, **info.state_features})
    for pair in weights[0].keys() | weights[1].keys():
        assert weights[0].get(pair, 0.0) == pytest.approx(weights[1].get(pair, 0.0), abs=2e-3)


def orders_of_the_c_library(count: int, sentences: int) -> list[Any]:
    """Return the orders that CRFsuite takes sentences in, by the numbers that C's rand() gives."""
    library = ctypes.CDLL(None)
    library.srand(11)
    order, orders = list(range(sentences)), []
    for _ in range(count):
        for i in range(sentences):
            j = library.rand() % sentences
            order[i], order[j] = order[j], order[i]
        orders.append(np.array(order, np.int64))
    library.srand(11)
    return orders


@pytest.mark.skipif(sys.platform != "linux", reason="the C library's random numbers")
@pytest.mark.parametrize(
    ("algorithm", "params"),
    [
        ("ap", {}),
        ("ap", {"feature.possible_transitions": True, "feature.possible_states": True}),
        ("ap", {"epsilon": 0.4}),
        ("pa", {}),
        ("pa", {"type": 2, "c": 0.1}),
        ("pa", {"type": 0, "error_sensitive": False}),
        ("pa", {"averaging": False, "feature.minfreq": 2}),
        ("arow", {}),
        ("arow", {"variance": 0.5, "gamma": 3.0}),
    ],
)
def test_online_training_takes_crfsuites_steps(
    algorithm: str, params: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = list(sentences(60, 5))
    orders = orders_of_the_c_library(20, len(data))
    monkeypatch.setattr(fitting.went_through, "__defaults__", (lambda number, _: orders[number],))
    weights = []
    for module in (theirs, ours):
        settings = {"max_iterations": 20, **params}
        trainer = module.Trainer(algorithm, verbose=False, params=settings)
        for items, tags in data:
            trainer.append(items, tags)
        trainer.train(str(tmp_path / module.__name__))
        info = theirs.Tagger().open(str(tmp_path / module.__name__)).thing.info()
        weights.append({**info.transitions, **info.state_features})
    assert len(weights[0]) > 40
    for pair in weights[0].keys() | weights[1].keys():
        assert weights[0].get(pair, 0.0) == pytest.approx(weights[1].get(pair, 0.0), abs=1.1e-6)


def test_a_round_without_a_mistake_ends_training_with_the_mean_of_all_rounds(
    tmp_path: Path,
) -> None:
    told: list[Any] = []

    class Telling(ours.Trainer):
        def on_iteration(self, log: str, info: dict[str, Any]) -> None:
            told.append(info["loss"])

    sentence = [["a"], ["b"], ["a", "c"]], ["X", "Y", "Y"]
    info = []
    for trainer in (theirs.Trainer("ap", verbose=False), Telling("ap")):
        trainer.append(*sentence)
        path = str(tmp_path / type(trainer).__module__)
        trainer.train(path)
        info.append(theirs.Tagger().open(path).thing.info())
    assert info[0].transitions == info[1].transitions
    assert info[0].state_features == info[1].state_features
    assert told[-1] == 0.0 and len(told) < 10


def test_parameters_are_asked_and_set_as_there() -> None:
    them, us = theirs.Trainer(verbose=False), ours.Trainer(verbose=False)
    assert us.params() == them.params() and us.get_params() == them.get_params()
    us.set("c2", 3)
    assert us.get("c2") == 3.0
    with pytest.raises(ValueError, match="Parameter not found"):
        us.set("colour", 1)
    for algorithm in ("l2sgd", "ap", "pa", "arow", "averaged-perceptron", "passive-aggressive"):
        them.select(algorithm)
        us.select(algorithm)
        assert us.params() == them.params() and us.get_params() == them.get_params()
        assert all(us.help(name) for name in us.params())


@pytest.mark.parametrize(
    ("package", "question"),
    [
        ("usaddress", "print(usaddress.parse('123 Main St. Suite 100 Chicago, IL'))"),
        ("probablepeople", "print(probablepeople.parse('Mr George \"Gob\" Bluth II'))"),
    ],
)
def test_packages_work_with_it_in_the_place_of_the_original(package: str, question: str) -> None:
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    swap = "import sys, linnet.compat.pycrfsuite as p; sys.modules['pycrfsuite'] = p\n"
    answers = [
        subprocess.run(
            [sys.executable, "-c", f"{start}import {package}\n{question}"],
            capture_output=True, text=True, check=True,
        ).stdout
        for start in ("", swap)
    ]  # fmt: skip
    assert answers[0] == answers[1] and answers[0].strip()
