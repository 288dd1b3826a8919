"""Options are declared once: what each kind of data takes, and where the help lists them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from linnet.cli.compare import Comparing
from linnet.cli.evaluate import Look
from linnet.cli.kinds.columns import Columns
from linnet.cli.kinds.rows import Rows
from linnet.cli.kinds.sentences import Sentences
from linnet.cli.kinds.texts import LearnerTexts, Texts
from linnet.cli.predict import Asked
from linnet.cli.shared.options import From, Reading, asked_for, declared
from linnet.cli.training import Training
from linnet.errors import ParameterError

Run = Callable[..., Any]

KINDS = (Texts, LearnerTexts, Rows, Columns, Sentences)
OF_VERBS = {"train": (Training,), "predict": (Asked, From), "evaluate": (Reading,)}


def names(*groups: Any) -> set[str]:
    return {about.names[0] for group in groups for _, about, _ in declared(group).values()}


@pytest.mark.parametrize("verb", sorted(OF_VERBS))
def test_a_kind_takes_options_that_its_verb_has(verb: str) -> None:
    for kind in KINDS:
        assert kind.takes[verb] <= names(*OF_VERBS[verb]), kind


@pytest.mark.parametrize("verb", sorted(OF_VERBS))
def test_every_option_means_something_for_some_kind(verb: str) -> None:
    assert set.union(*(kind.takes[verb] for kind in KINDS)) == names(*OF_VERBS[verb])


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_kind_does_not_take_is_refused_by_name(kind: Any) -> None:
    for option in names(*OF_VERBS["predict"]) - kind.takes["predict"]:
        with pytest.raises(ParameterError, match=f"{option} means nothing for {kind.model_name}"):
            kind().refuse("predict", {option: 1})
    kind().refuse("predict", dict.fromkeys(names(*OF_VERBS["predict"])))


def test_options_as_by_default_are_not_asked_for() -> None:
    assert asked_for(Look()) == asked_for(Comparing()) == {}
    assert asked_for(Look(mistakes=3)) == {"--mistakes": 3}


@pytest.mark.parametrize(
    "verb, panels",
    [
        (("train",), ("Input", "Features", "Learner", "Output")),
        (("compare",), ("Input", "Learner", "Output")),
        (("predict",), ("Input", "Learner", "Output")),
        (("data", "show"), ("Input", "Output")),
    ],
)
def test_help_lists_options_in_panels_from_input_to_output(
    linnet_command: Run, verb: tuple[str, ...], panels: tuple[str, ...]
) -> None:
    text = linnet_command(*verb, "--help").stdout
    places = [text.index(f"─ {panel} ─") for panel in panels]
    assert places == sorted(places)
