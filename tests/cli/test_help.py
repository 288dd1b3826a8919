"""Help with one example a line, completion of what can be known, what differs between models."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linnet

Run = Callable[..., Any]
VERBS = (
    "train", "compare", "evaluate", "predict", "explain", "inspect", "suggest", "filter", "convert",
)  # fmt: skip
COMMAND = "import sys; sys.argv[0] = 'linnet'; from linnet.cli import main; main()"


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_one_example_a_line(
    linnet_command: Run, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    shown = linnet_command(verb, "--help").output
    examples = [line.strip() for line in shown.split("Examples:")[1].splitlines() if line.strip()]
    assert len(examples) >= 3
    assert all(line.count("linnet ") >= 1 and " · " not in line for line in examples)


def completed(folder: Path, words: str) -> list[str]:
    """Return what the shell offers at the end of a command."""
    environment = {**os.environ, "_LINNET_COMPLETE": "complete_bash", "COMP_WORDS": words}
    environment["COMP_CWORD"] = str(len(words.split(" ")) - 1)
    done = subprocess.run(
        [sys.executable, "-c", COMMAND], capture_output=True, text=True, cwd=folder,
        env=environment, timeout=120, check=False,
    )  # fmt: skip
    return done.stdout.split()


def test_tab_completes_learners_models_labels_and_columns(model: str, tmp_path: Path) -> None:
    (tmp_path / "reviews.linnet").write_bytes(Path(model).read_bytes())
    (tmp_path / "table.csv").write_text("stars,body\n5,good\n")
    assert completed(tmp_path, "linnet train table.csv --learner max") == ["maxent"]
    assert completed(tmp_path, "linnet predict rev") == ["reviews.linnet"]
    assert completed(tmp_path, "linnet explain reviews.linnet film --label p") == ["pos"]
    assert completed(tmp_path, "linnet train table.csv --label s") == ["stars"]


@pytest.mark.parametrize("suffix", [".csv.gz", ".jsonl", ".jsonl.zst", ".parquet"])
def test_tab_completes_the_columns_of_every_format(
    linnet_command: Run, suffix: str, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text("label,text\npos,good\nneg,bad\n")
    data = tmp_path / f"data{suffix}"
    assert linnet_command("convert", tmp_path / "a.csv", data).exit_code == 0
    assert completed(tmp_path, f"linnet train {data.name} --label l") == ["label"]


def test_tab_completes_labels_and_columns_of_a_filter(model: str, tmp_path: Path) -> None:
    (tmp_path / "m.linnet").write_bytes(Path(model).read_bytes())
    (tmp_path / "t.csv").write_text("source,body\nweb,good\n")
    begun = "linnet filter m.linnet t.csv"
    assert completed(tmp_path, f"{begun} --keep p") == ["pos"]
    assert completed(tmp_path, f"{begun} --drop n") == ["neg"]
    assert completed(tmp_path, f"{begun} --score n") == ["neg"]
    assert completed(tmp_path, f"{begun} --audit-by s") == ["source"]
    assert completed(tmp_path, "linnet evaluate m.linnet t.csv --label s") == ["source"]
    assert completed(tmp_path, "linnet filter m.linnet gone.csv --audit-by s") == []


@pytest.mark.parametrize("verb", [*VERBS, "serve", "lab", "demo", "data", "data show", ""])
def test_help_has_no_types_of_python_and_a_switch_asks_for_no_value(
    linnet_command: Run, verb: str
) -> None:
    lines = linnet_command(*verb.split(), "--help").output.splitlines()
    assert [line for line in lines if re.search(r"<(bool|str|int|list|Path)\b", line)] == []


def test_two_models_are_told_apart(linnet_command: Run, model: str, tmp_path: Path) -> None:
    other = tmp_path / "other.linnet"
    texts = ["a wonderful film", "a dull film", "bleak", "great"] * 5
    linnet.TextClassifier("maxent", C=3.0).fit(texts, ["pos", "neg", "neg", "pos"] * 5).save(other)
    shown = linnet_command("inspect", model, other).output
    assert "MaxEnt" in shown and "SVM" in shown and "strongest only in" in shown
    found = json.loads(linnet_command("inspect", model, other, "--json").stdout)
    assert found["differences"]["learner"] == ["SVM", "MaxEnt"]
    assert "bleak" in found["top_features"]["neg"]["only_second"]
    same = linnet_command("inspect", model, model)
    assert "say the same of themselves" in same.output
    refused = linnet_command("inspect", model, other, "--features", "a*")
    assert refused.exit_code == 1 and "--features is for one model" in refused.stderr


def test_paragraphs_of_the_help_are_not_broken_within(linnet_command: Any) -> None:
    shown = linnet_command("lab", "--help").stdout
    words = " ".join(shown.split())
    assert "A link of the page says all that it shows." in words
    first = next(line for line in shown.split("\n") if "What the page shows" in line)
    after = shown.split("\n")[shown.split("\n").index(first) + 1]
    assert len(first.rstrip()) + len(after.split()[0]) >= 78  # as full as a line can be
