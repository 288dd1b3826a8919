"""A closer look on the command line: groups, mistakes, abstaining, suspects, spans."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linnet

Run = Callable[..., Any]
ALL = ("--groups", "source", "--mistakes", 3, "--abstention", "--suspects")


@pytest.fixture(scope="module")
def noisy_file(reviews: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return reviews in which the first two have the wrong label and come from the web."""
    path = tmp_path_factory.mktemp("noisy") / "noisy.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["label", "text", "source"])
        for row, (label, text) in enumerate(reviews):
            turned = {"pos": "neg", "neg": "pos"}[label] if row < 2 else label
            out.writerow([turned, text, "web" if row < 20 else "mail"])
    return path


def test_everything_at_once_for_machines(linnet_command: Run, model: str, noisy_file: Path) -> None:
    found = linnet_command("evaluate", model, noisy_file, *ALL, "--json")
    assert found.exit_code == 0, found.output
    report = json.loads(found.stdout)
    groups = report["groups"]["groups"]
    assert {name: group["n"] for name, group in groups.items()} == {"web": 20, "mail": 40}
    assert (groups["web"]["accuracy"], groups["mail"]["accuracy"]) == (0.9, 1.0)
    assert 0 < report["groups"]["mistakes"]["p"] <= 1
    assert {mistake["line"] for mistake in report["mistakes"]} == {2, 3}
    first = next(mistake for mistake in report["mistakes"] if mistake["line"] == 2)
    assert (first["truth"], first["guess"]) == ("neg", "pos")
    assert "wonderful" in first["features"][0][0]
    assert {suspect["line"] for suspect in report["suspects"]} == {2, 3}
    last = report["abstention"]["curve"][0]
    assert (last["coverage"], last["accuracy"]) == (1.0, pytest.approx(58 / 60))


def test_everything_at_once_for_people(linnet_command: Run, model: str, noisy_file: Path) -> None:
    shown = linnet_command("evaluate", model, noisy_file, *ALL).stdout
    for phrase in (
        "by group",
        "mistakes by group, given the true label: Cramér's V",
        "answering only if sure",
        "line 2: neg taken for pos at",
        "because of ",
        "labels that look wrong: 2",
    ):
        assert phrase in shown
    assert "by group" not in linnet_command("evaluate", model, noisy_file).stdout


def test_where_nothing_is_wrong_it_says_so(
    linnet_command: Run, model: str, reviews_file: Path
) -> None:
    shown = linnet_command("evaluate", model, reviews_file, "--mistakes", 2, "--suspects").stdout
    assert "no mistakes" in shown
    assert "no label looks wrong" in shown


def test_lengths_make_groups(linnet_command: Run, model: str, reviews_file: Path) -> None:
    found = linnet_command("evaluate", model, reviews_file, "--groups", "length", "--json")
    report = json.loads(found.stdout)
    assert sum(group["n"] for group in report["groups"]["groups"].values()) == 60
    assert 2 <= len(report["groups"]["groups"]) <= 4


def test_bags_and_vectors_can_be_looked_at(linnet_command: Run, tmp_path: Path) -> None:
    data = tmp_path / "some.svm"
    data.write_text("1 1:1 3:2\n-1 2:1\n" * 20 + "-1 1:1 3:2\n")
    model = tmp_path / "m.linnet"
    assert linnet_command("train", data, "-o", model, "-C", 1).exit_code == 0
    found = linnet_command("evaluate", model, data, "--mistakes", 1, "--suspects")
    assert found.exit_code == 0, found.output
    assert "line 41: -1 taken for 1" in found.stdout
    assert "1:1 3:2" in found.stdout


@pytest.mark.parametrize(
    "options, message",
    [
        (("--groups", "nowhere"), "nowhere"),
        (("--mistakes", -1), "0"),
    ],
)
def test_what_is_not_there_is_refused(
    linnet_command: Run, model: str, noisy_file: Path, options: tuple[Any, ...], message: str
) -> None:
    found = linnet_command("evaluate", model, noisy_file, *options)
    assert found.exit_code != 0
    assert message in found.stderr


def test_groups_need_a_file(linnet_command: Run, model: str, noisy_file: Path) -> None:
    text = noisy_file.read_text(encoding="utf-8")
    found = linnet_command("evaluate", model, "-", "--groups", "source", stdin=text)
    assert found.exit_code == 1
    assert "pass a file" in found.stderr


def test_a_tagger_shows_its_chunks_by_length_and_refuses_the_rest(
    linnet_command: Run, tmp_path: Path
) -> None:
    data = tmp_path / "some.conll"
    data.write_text("the\tB-NP\ndog\tI-NP\nran\tB-VP\n\nrain\tB-NP\nfell\tB-VP\n\n" * 6)
    model = tmp_path / "tagger.linnet"
    sequences = linnet.data.read_sequences(data)
    learner = linnet.StructuredPerceptron(random_state=0)
    linnet.SequenceTagger(learner).fit(sequences).save(model)
    shown = linnet_command("evaluate", model, data).stdout
    assert "chunks by length" in shown
    assert "chunks not found: 0 of another type" in shown
    report = json.loads(linnet_command("evaluate", model, data, "--json").stdout)
    assert report["chunk_lengths"]["2"]["gold"] == 6
    assert report["chunk_mistakes"]["missed"] == 0
    refused = linnet_command("evaluate", model, data, "--suspects")
    assert refused.exit_code == 1
    assert "--suspects needs a classifier" in refused.stderr
