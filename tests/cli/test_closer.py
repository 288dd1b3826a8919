"""A closer look on the command line: groups, mistakes, abstaining, suspects, spans."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
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


def test_cells_come_with_their_examples(linnet_command: Run, model: str, noisy_file: Path) -> None:
    found = linnet_command(
        "evaluate", model, noisy_file, "--confusion", "--cell", "neg,pos", "--json"
    )
    assert found.exit_code == 0, found.output
    report = json.loads(found.stdout)
    matrix = report["confusion"]
    for cell in report["confusion_cells"]:
        at = [matrix["labels"].index(cell[side]) for side in ("truth", "guess")]
        assert cell["count"] == matrix["matrix"][at[0]][at[1]]
        assert cell["truth"] != cell["guess"] or cell["count"] == 29
    [row] = report["cell"]["rows"]
    assert (row["line"], row["example"]) == (2, "a wonderful film number 0")
    shown = linnet_command("evaluate", model, noisy_file, "--confusion", "--cell", "pos,pos").stdout
    assert "what is taken for what, and where" in shown
    assert "pos taken for pos: 29" in shown
    assert "9 more: see --json" in shown
    refused = linnet_command("evaluate", model, noisy_file, "--cell", "pos;neg")
    assert refused.exit_code == 1
    assert "--cell must be TRUTH,GUESS" in refused.stderr


def test_a_label_may_hold_a_comma(linnet_command: Run, tmp_path: Path) -> None:
    path, model = tmp_path / "some.jsonl", tmp_path / "m.linnet"
    rows = [{"text": "up up", "label": "a,b"}, {"text": "down", "label": "b"}] * 10
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert linnet_command("train", path, "-o", model, "-C", 1).exit_code == 0
    found = linnet_command("evaluate", model, path, "--cell", "a,b,a,b", "--json")
    assert json.loads(found.stdout)["cell"]["count"] == 10
    assert json.loads(linnet_command("evaluate", model, path, "--cell", "a,b,b", "--json").stdout)[
        "cell"
    ] == {"truth": "a,b", "guess": "b", "count": 0, "rows": []}


ROWS = "outlook,wind,degrees,id,play\n" + "".join(
    f"{'sunny' if i % 2 else 'rain'},{'strong' if i % 3 else 'weak'},{i},{'a' if i < 20 else 'b'},"
    f"{'go' if i % 2 else 'stay'}\n"
    for i in range(40)
)


@pytest.fixture(scope="module")
def rows_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "weather.csv"
    path.write_text(ROWS)
    return path


@pytest.mark.parametrize("learner", ["memory", "tree", "maxent", "kernel"])
def test_rows_are_looked_at_as_texts_are(
    linnet_command: Run, rows_file: Path, tmp_path: Path, learner: str
) -> None:
    noisy, model = tmp_path / "noisy.csv", tmp_path / "m.linnet"
    lines = ROWS.splitlines()
    lines[3] = lines[3].replace("stay", "go")
    noisy.write_text("\n".join(lines) + "\n")
    options = ("--learner", learner, "--label", "play", "--ignore", "id", "--ignore", "degrees")
    trained = linnet_command("train", rows_file, "-o", model, *options)
    assert trained.exit_code == 0, trained.output
    look = ("--groups", "id", "--mistakes", 2, "--abstention", "--suspects", "--confusion")
    found = linnet_command("evaluate", model, noisy, *look, "--json")
    assert found.exit_code == 0, found.output
    report = json.loads(found.stdout)
    [mistake] = report["mistakes"]
    assert (mistake["line"], mistake["truth"]) == (4, "go")
    assert mistake["features"] or mistake["reasons"]
    groups = report["groups"]["groups"]
    assert {name: part["n"] for name, part in groups.items()} == {"a": 20, "b": 20}
    assert report["confusion_cells"][0]["rows"] == [{"line": 4}]
    shown = linnet_command("evaluate", model, noisy, *look)
    assert "line 4: go taken for stay" in shown.stdout
    assert "because of" in shown.stdout


def test_numbers_of_rows_make_ranges(linnet_command: Run, rows_file: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.linnet"
    options = ("--label", "play", "--ignore", "id", "--learner", "tree")
    assert linnet_command("train", rows_file, "-o", model, *options).exit_code == 0
    found = linnet_command("evaluate", model, rows_file, "--groups", "degrees", "--json")
    groups = json.loads(found.stdout)["groups"]["groups"]
    assert {name: part["n"] for name, part in groups.items()} == {
        "0 to 9": 10, "10 to 19": 10, "20 to 29": 10, "30 to 39": 10,
    }  # fmt: skip
    refused = linnet_command("evaluate", model, rows_file, "--groups", "nowhere")
    assert refused.exit_code == 1
    assert "nowhere" in refused.stderr


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a model of several labels a text and a file whose first row has a wrong one."""
    folder = tmp_path_factory.mktemp("several")
    words = {"sport": "ball", "music": "song"}
    sets = [["sport"], ["music"], ["sport", "music"], []]
    rows = [(" ".join([*(words[v] for v in one), "the"]), one) for one in sets] * 15
    model = linnet.TextClassifier(C=10.0).fit([t for t, _ in rows], [y for _, y in rows])
    model.save(folder / "m.linnet")
    lines = [{"text": t, "label": y, "source": "ab"[i % 2]} for i, (t, y) in enumerate(rows)]
    lines[0]["label"] = ["music", "sport"]
    (folder / "d.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder / "m.linnet", folder / "d.jsonl"


def test_several_labels_a_row_are_yes_or_no_questions(
    linnet_command: Run, several: tuple[Path, Path]
) -> None:
    look = ("--groups", "source", "--mistakes", 5, "--suspects", "--confusion", "--json")
    found = linnet_command("evaluate", *several, *look, "--cell", "music,not music")
    assert found.exit_code == 0, found.output
    report = json.loads(found.stdout)
    [mistake] = report["mistakes"]
    assert (mistake["line"], mistake["truth"], mistake["guess"]) == (1, "music", "not music")
    assert [suspect["line"] for suspect in report["suspects"]] == [1]
    assert report["cell"]["rows"] == [{"line": 1, "example": "ball the"}]
    assert report["groups"]["groups"]["a"]["n"] == 30
    assert report["groups"]["groups"]["a"]["accuracy"] == pytest.approx(29 / 30)
    refused = linnet_command("evaluate", *several, "--abstention")
    assert refused.exit_code == 1
    assert "--abstention needs one label a row" in refused.stderr


def test_of_labels_predicted_equally_often_every_process_shows_the_same(
    several: tuple[Path, Path], tmp_path: Path
) -> None:
    row = {"text": "ball song the", "label": ["sport", "music"], "source": "web"}
    (tmp_path / "ties.jsonl").write_text(f"{json.dumps(row)}\n" * 4)
    command = ["evaluate", several[0], tmp_path / "ties.jsonl", "--groups", "source", "--quiet"]
    shown = [
        subprocess.run(
            [sys.executable, "-m", "linnet", *command],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "3")
    ]
    assert "music 100 %" in shown[0]
    assert shown[0] == shown[1]


CHUNKS = "the\tB-NP\ndog\tI-NP\nran\tB-VP\n\nrain\tB-NP\nfell\tB-VP\n\n"


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a CRF and sentences of which the first has a wrong tag at "ran"."""
    folder = tmp_path_factory.mktemp("tagger")
    (folder / "good.conll").write_text(CHUNKS * 12)
    (folder / "bad.conll").write_text(CHUNKS.replace("ran\tB-VP", "ran\tB-NP") + CHUNKS * 11)
    sequences = linnet.data.read_sequences(folder / "good.conll")
    linnet.SequenceTagger().fit(sequences).save(folder / "crf.linnet")
    return folder / "crf.linnet", folder / "bad.conll"


def test_a_tagger_is_looked_at_token_by_token(
    linnet_command: Run, tagger: tuple[Path, Path]
) -> None:
    look = ("--groups", "length", "--mistakes", 3, "--abstention", "--suspects", "--confusion")
    found = linnet_command("evaluate", *tagger, *look, "--cell", "B-NP,B-VP", "--json", "-q")
    assert found.exit_code == 0, found.output
    report = json.loads(found.stdout)
    [mistake] = report["mistakes"]
    place = {name: mistake[name] for name in ("line", "token", "word", "truth", "guess")}
    assert place == {"line": 1, "token": 3, "word": "ran", "truth": "B-NP", "guess": "B-VP"}
    assert mistake["example"] == "the dog ran"
    assert sum(value for _, value in mistake["features"]) > 0
    assert [suspect["word"] for suspect in report["suspects"]] == ["ran"]
    assert report["cell"]["rows"][0]["example"] == "the dog [ran]"
    groups = report["groups"]["groups"]
    assert {name: part["n"] for name, part in groups.items()} == {"3": 36, "2": 24}
    assert groups["3"]["accuracy"] == pytest.approx(35 / 36)
    shown = linnet_command("evaluate", *tagger, *look, "-q").stdout
    assert "line 1, token 3 ran: B-NP taken for B-VP" in shown
    assert "tokens answered" in shown


def test_a_column_of_tokens_makes_groups(linnet_command: Run, tagger: tuple[Path, Path]) -> None:
    found = linnet_command("evaluate", *tagger, "--groups", "word", "--json", "-q")
    groups = json.loads(found.stdout)["groups"]["groups"]
    assert {name: part["n"] for name, part in groups.items()} == dict.fromkeys(
        ("the", "dog", "ran", "rain", "fell"), 12
    )
    refused = linnet_command("evaluate", *tagger, "--groups", "genre")
    assert refused.exit_code == 1
    assert "no column 'genre' and no comment" in refused.stderr


def test_a_tagger_without_probabilities_shows_what_needs_none(
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
    assert "--suspects needs probabilities" in refused.stderr
    looked = linnet_command("evaluate", model, data, "--groups", "length", "--confusion")
    assert looked.exit_code == 0, looked.output
    assert "nothing is taken for anything else" in looked.stdout
