"""``linnet compare`` on the command line."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

CONLL = "the D\ndog N\nruns V\n\na D\ncat N\nsat V\n\n"


def test_texts_give_a_table_and_a_verdict(
    linnet_command: Callable[..., Any], reviews_file: Path
) -> None:
    found = linnet_command("compare", reviews_file, "--learners", "nb,svm")
    assert found.exit_code == 0, found.output
    assert "without learning (the most frequent label): 50.00 %" in found.stdout
    assert "MultinomialNB" in found.stdout
    assert "No winner: all 2 learners reach accuracy 100.00 %." in found.stdout
    assert "column" in found.stderr, "what was found out about the file is said"


def test_json_on_standard_output_is_what_the_file_gets(
    linnet_command: Callable[..., Any], reviews_file: Path, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    options = ("--folds", 3, "--curve", "0.5,1", "--tune", "0.2s", "--json", "-o", report)
    found = linnet_command("compare", reviews_file, "--learners", "nb,mira", *options)
    assert found.exit_code == 0, found.output
    answer = json.loads(found.stdout)
    assert answer == json.loads(report.read_text(encoding="utf-8"))
    assert answer["data"]["n_splits"] == 3
    assert (answer["winner"] is None) == answer["verdict"].startswith("No winner")
    assert [len(row["curve"]) for row in answer["rows"]] == [2, 2]


def test_a_report_says_how_to_make_it_again(
    linnet_command: Callable[..., Any], reviews_file: Path, tmp_path: Path
) -> None:
    report = tmp_path / "the report.html"
    options = (
        "--learners",
        "nb,svm",
        "--folds",
        3,
        "--repeats",
        2,
        "--seed",
        7,
        "--report",
        report,
    )
    found = linnet_command("compare", reviews_file, *options)
    assert found.exit_code == 0, found.output
    assert f"the report is in {report}" in found.stderr
    text = unescape(report.read_text(encoding="utf-8"))
    [command] = re.findall("<code>(.*?)</code>", text)
    assert shlex.split(command) == ["linnet", "compare", str(reviews_file), *map(str, options)]
    assert f"<bdi>{reviews_file.name}</bdi>" in text
    first = report.read_bytes()
    assert linnet_command(*shlex.split(command)[1:]).exit_code == 0
    assert len(report.read_bytes()) == pytest.approx(len(first), abs=200), "but for the times"


def test_a_dash_is_standard_output(linnet_command: Callable[..., Any], reviews_file: Path) -> None:
    page = linnet_command("compare", reviews_file, "--learners", "nb", "--report", "-")
    assert page.stdout.startswith("<!doctype html>") and page.stdout.rstrip().endswith("</html>")
    values = linnet_command("compare", reviews_file, "--learners", "nb", "-o", "-")
    assert json.loads(values.stdout)["rows"][0]["name"] == "MultinomialNB"
    both = linnet_command("compare", reviews_file, "--json", "--report", "-")
    assert both.exit_code == 1
    assert "give the other a file" in both.stderr


@pytest.mark.parametrize("option", ["--report", "-o"])
def test_a_folder_that_does_not_exist_is_refused_before_training(
    linnet_command: Callable[..., Any], tmp_path: Path, option: str
) -> None:
    missing = tmp_path / "no" / "report.html"
    found = linnet_command("compare", "no such data", option, missing)
    assert found.exit_code == 1
    assert "there is no folder" in found.stderr, "before the data is looked at"


def test_sequences_are_compared_too(linnet_command: Callable[..., Any], tmp_path: Path) -> None:
    train, test = tmp_path / "train.conll", tmp_path / "test.conll"
    train.write_text(CONLL * 10)
    test.write_text(CONLL)
    found = linnet_command(
        "compare", train, "--test", test, "--learners", "hmm,crf", "--json", "-q"
    )
    assert found.exit_code == 0, found.output
    answer = json.loads(found.stdout)
    assert answer["test"] == "approximate_randomisation"
    assert {row["name"]: row["score"] for row in answer["rows"]} == {"HMM": 1.0, "CRF": 1.0}


def test_standard_input_is_read(linnet_command: Callable[..., Any], reviews_file: Path) -> None:
    rows = reviews_file.read_text(encoding="utf-8")
    found = linnet_command("compare", "-", "--learners", "nb", "-q", stdin=rows)
    assert found.exit_code == 0, found.output
    assert "there is no other learner" in found.stdout


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--learners", "nb,svn"), "no learner 'svn'"),
        (("--tune", "soon"), "--tune must be a time"),
        (("--curve", "half"), "--curve must be shares"),
        (("--folds", "2", "--test", "other.tsv"), "not both"),
        (("-o", "no/such/folder/r.json"), "there is no folder"),
    ],
)
def test_what_cannot_be_done_is_said(
    linnet_command: Callable[..., Any], reviews_file: Path, options: tuple[str, ...], says: str
) -> None:
    found = linnet_command("compare", reviews_file, *options)
    assert found.exit_code in (1, 2)
    assert says in found.stderr


def test_one_label_is_refused(linnet_command: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "one.tsv"
    path.write_text("pos\tgood film\n" * 20)
    found = linnet_command("compare", path)
    assert found.exit_code == 1
    assert "have the label 'pos'" in found.stderr
