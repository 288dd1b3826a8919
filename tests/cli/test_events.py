"""Event files of maximum-entropy toolkits through every verb (SPEC E-03)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linnet
from linnet.data import read_events, read_examples

Run = Callable[..., Any]
LINES = [
    "outdoor sunny humid:0.5\n", "indoor rain wind:2\n", "outdoor sunny\n", "indoor rain at:9\n",
]  # fmt: skip


@pytest.fixture
def events(tmp_path: Path) -> Path:
    path = tmp_path / "weather.events"
    path.write_text("".join(LINES * 6))
    return path


@pytest.mark.spec("E-03")
def test_a_file_of_events_is_trained_on_and_answered_by_its_suffix(
    linnet_command: Run, events: Path, tmp_path: Path
) -> None:
    model = tmp_path / "weather.linnet"
    trained = linnet_command("train", events, "-o", model, "--learner", "MaxEnt")
    assert trained.exit_code == 0, trained.output
    assert linnet.load(model).kind == "bag"
    found = linnet_command("predict", model, events)
    assert found.exit_code == 0, found.output
    assert found.stdout.split()[::2] == ["outdoor", "indoor"] * 12
    judged = linnet_command("evaluate", model, events, "--json")
    assert json.loads(judged.stdout)["accuracy"] == 1.0


@pytest.mark.spec("E-03")
def test_the_format_can_be_named_and_is_never_guessed(
    linnet_command: Run, events: Path, tmp_path: Path
) -> None:
    plain = events.rename(tmp_path / "weather.txt")
    shown = linnet_command("data", "show", plain, "--format", "events", "--json")
    assert json.loads(shown.stdout)["kind"] == "bag"
    assert read_examples(plain, labels=False).kind == "text"
    assert read_examples(plain, format="events").kind == "bag"


@pytest.mark.spec("E-03")
def test_events_are_converted_without_loss(
    linnet_command: Run, events: Path, tmp_path: Path
) -> None:
    there, back = tmp_path / "weather.jsonl", tmp_path / "back.events"
    assert linnet_command("convert", events, there).exit_code == 0
    assert linnet_command("convert", there, back).exit_code == 0
    assert read_events(back) == read_events(events)


@pytest.mark.spec("E-03")
def test_texts_and_lists_of_labels_are_not_written_as_events(
    linnet_command: Run, tmp_path: Path
) -> None:
    texts, several = tmp_path / "texts.jsonl", tmp_path / "several.jsonl"
    texts.write_text('{"text": "a", "label": "x"}\n')
    several.write_text('{"features": {"a": 1}, "label": ["x", "y"]}\n')
    for source, reason in ((texts, "cannot hold texts"), (several, "one label a line")):
        found = linnet_command("convert", source, tmp_path / "out.events")
        assert found.exit_code != 0
        assert reason in found.output
        assert not (tmp_path / "out.events").exists()
