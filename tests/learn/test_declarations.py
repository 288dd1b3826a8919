"""Every learner declares itself truly, and nobody else keeps a table of learners."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.comparison.learners import chosen, compared_learners
from linnet.errors import ParameterError
from linnet.learn.shared.declaration import Declaration, declaration_of, settings_of
from linnet.learn.shared.known import imported_class, learner_named, learners

SOURCE = Path(linnet.__file__).parent
FLAT, CHAIN = learners("texts"), learners("sequences")
EVERY = {**FLAT, **CHAIN}
WORDS = [["the", "dog", "runs"], ["dogs", "run"]] * 4
TAGS = [["D", "N", "V"], ["N", "V"]] * 4

each_learner = pytest.mark.parametrize("cls", EVERY.values(), ids=EVERY.keys())


@each_learner
def test_a_learner_carries_a_declaration_of_its_own(cls: type[Any]) -> None:
    assert isinstance(vars(cls)["declaration"], Declaration)
    assert declaration_of(cls) is declaration_of(cls()) is cls.declaration


@each_learner
def test_all_settings_that_are_declared_are_parameters(cls: type[Any]) -> None:
    declared, known = declaration_of(cls), inspect.signature(cls).parameters
    groups = [declared.texts, declared.rows, declared.measured, declared.compared or {}]
    for settings in (*groups, *declared.grid, *declared.shown.values()):
        assert settings_of(settings).keys() <= known.keys()
        cls(**settings_of(settings))
    needed = {"C", "tol", "warm_start"} if declared.strengths else set()
    needed |= {"max_iter"} if declared.training == "rounds" else set()
    needed |= {"C", "warm_start"} if declared.convex else set()
    assert needed <= known.keys()
    assert list(declared.strengths) == sorted(declared.strengths)


def test_names_and_places_are_taken_once() -> None:
    for some in (FLAT, CHAIN):
        names = [declaration_of(cls).short for cls in some.values() if declaration_of(cls).short]
        names += [name.lower() for name in some]
        assert len(set(names)) == len(names)
    places = [declaration_of(cls).place for cls in EVERY.values()]
    assert len(set(places)) == len(places) and max(places) < Declaration().place


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cls", FLAT.values(), ids=FLAT.keys())
def test_a_linear_classifier_is_its_weights(cls: type[Any]) -> None:
    X = np.random.default_rng(0).integers(0, 3, size=(40, 4)).astype(float)
    y = np.arange(40) % 3
    suited = {"variance": "shared"} if cls is linnet.GaussianNB else {}
    model = cls(**suited).fit(X, y)
    linear = getattr(model, "coef_", None) is not None
    assert linear == declaration_of(cls).linear
    if linear and declaration_of(cls).reads != "presence":
        scores = X @ model.coef_.T + model.intercept_
        assert (model.classes_[scores.argmax(axis=1)] == model.predict(X)).all()


@pytest.mark.parametrize("cls", CHAIN.values(), ids=CHAIN.keys())
def test_a_linear_tagger_is_its_weights(cls: type[Any]) -> None:
    tagger = linnet.SequenceTagger(cls()).fit(WORDS, TAGS)
    declared = declaration_of(cls)
    assert hasattr(tagger, "features_") == (declared.reads == "tokens")
    if declared.linear:
        assert tagger.model_.scorer.is_linear


@each_learner
def test_a_learner_is_found_by_its_class_and_by_its_short_name(cls: type[Any]) -> None:
    declared = declaration_of(cls)
    kind: Any = "sequences" if declared.sequences else "texts"
    for name in (cls.__name__, cls.__name__.upper(), declared.short or cls.__name__):
        assert learner_named(f" {name} ", kind) is cls
    assert learner_named(f"{cls.__module__}:{cls.__name__}", kind) is cls


def test_a_name_of_the_other_kind_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ParameterError, match=r"'crf' for rows; there are MultinomialNB \(nb\)"):
        learner_named("crf", "rows")
    with pytest.raises(ParameterError, match=r"'nb' for sequences; there are HMM"):
        learner_named("nb", "sequences")
    with pytest.raises(ParameterError, match="no learner for sequences"):
        learner_named("linnet.learn.svm:SVM", "sequences")
    with pytest.raises(ParameterError, match="has no class"):
        imported_class("linnet.learn.svm:")


def test_a_comparison_of_all_takes_those_that_take_part_in_the_order_of_the_lectures() -> None:
    six = ["MultinomialNB", "BernoulliNB", "Perceptron", "MIRA", "MaxEnt", "SVM"]
    assert list(compared_learners("texts")) == [*six, "MemoryBased", "KernelSVM"]
    assert list(chosen("all", kind="texts", n=2_001)) == six
    assert list(chosen("all", kind="sequences", n=10**6)) == list(CHAIN)


def _asked_classes(node: ast.AST) -> set[str]:
    """Return the names of the classes in a call of isinstance or issubclass."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return set()
    if node.func.id not in ("isinstance", "issubclass") or len(node.args) != 2:
        return set()
    names = (part for part in ast.walk(node.args[1]) if isinstance(part, (ast.Name, ast.Attribute)))
    return {part.id if isinstance(part, ast.Name) else part.attr for part in names}


def _keys(node: ast.AST) -> set[str]:
    """Return the keys of a dictionary that are texts."""
    keys = node.keys if isinstance(node, ast.Dict) else []
    return {str(key.value) for key in keys if isinstance(key, ast.Constant)}


def test_nobody_else_asks_for_the_class_of_a_learner_or_keeps_a_table_of_them() -> None:
    families = {
        "KernelClassifier", "OnlineClassifier", "RegularisedClassifier", "StructuredOnline",
        "PenalisedChain", "ProbabilisticChain", "Generative",
    }  # fmt: skip
    named = {*EVERY, "LinearRegression"} | families
    rooms = ("cli", "comparison", "decide", "evaluate", "model")
    for path in (path for room in rooms for path in (SOURCE / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            assert not named & _asked_classes(node), (path.name, node.lineno)
            listed = named & _keys(node)
            assert len(listed) < 2, (path.name, listed)
