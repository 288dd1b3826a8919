"""Answers and examples as CSV: quoting, headers, and cells that spreadsheets take for formulas."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linnet

Run = Callable[..., Any]
LABELS = ['a,b "c"', "=1+1", "@d\ne"]


def table(path: Path) -> list[list[str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, strict=True))


@pytest.fixture(scope="module")
def odd_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a model whose labels hold commas, quotes, line breaks and formulas."""
    path = tmp_path_factory.mktemp("model") / "odd.linnet"
    texts = ["apple pear", "wolf bear", "iron gold"] * 10
    linnet.TextClassifier(C=1.0).fit(texts, LABELS * 10).save(path)
    return str(path)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "in.txt"
    path.write_text("apple pear\nwolf bear\niron gold\n")
    return path


def test_answers_named_csv_are_csv(
    linnet_command: Run, odd_model: str, texts: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    assert linnet_command("predict", odd_model, texts, "-o", out).exit_code == 0
    header, *rows = table(out)
    assert header == ["label", "probability"]
    assert [row[0] for row in rows] == LABELS
    assert all(0 <= float(row[1]) <= 1 for row in rows)


def test_csv_answers_have_as_many_cells_as_their_header(
    linnet_command: Run, odd_model: str, texts: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    for options, header in (
        (("--top", 2), ["label_1", "probability_1", "label_2", "probability_2"]),
        (("--proba",), ["label", *sorted(LABELS)]),
    ):
        assert (
            linnet_command("predict", odd_model, texts, "-o", out, "--force", *options).exit_code
            == 0
        )
        assert table(out)[0] == header
        assert {len(row) for row in table(out)} == {len(header)}


def test_several_labels_are_one_cell_of_csv(linnet_command: Run, tmp_path: Path) -> None:
    path, out = tmp_path / "m.linnet", tmp_path / "out.csv"
    texts = ["apple pear", "apple", "pear"] * 10
    linnet.TextClassifier(C=1.0).fit(texts, [["a", "p"], ["a"], ["p"]] * 10).save(path)
    found = linnet_command("predict", path, "--string", "apple pear", "-o", out)
    assert found.exit_code == 0, found.output
    assert [len(row) for row in table(out)] == [2, 2]
    assert table(out)[1][0] == "a,p"


@pytest.mark.parametrize("suffix", [".tsv", ".txt", ""])
def test_other_answers_stay_tab_separated_without_a_header(
    linnet_command: Run, odd_model: str, texts: Path, tmp_path: Path, suffix: str
) -> None:
    out = tmp_path / f"out{suffix}"
    assert linnet_command("predict", odd_model, texts, "-o", out).exit_code == 0
    lines = out.read_text().splitlines()
    assert [line.split("\t")[0] for line in lines] == ['a,b "c"', "=1+1", "@d\\ne"]


def test_safe_csv_puts_an_apostrophe_before_formulas(
    linnet_command: Run, odd_model: str, texts: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    assert linnet_command("predict", odd_model, texts, "-o", out, "--safe-csv").exit_code == 0
    assert [row[0] for row in table(out)[1:]] == ['a,b "c"', "'=1+1", "'@d\ne"]
    refused = linnet_command("predict", odd_model, texts, "--safe-csv")
    assert refused.exit_code == 1
    assert "--safe-csv is for CSV" in refused.stderr


def test_converting_to_safe_csv(linnet_command: Run, tmp_path: Path) -> None:
    data, out = tmp_path / "in.tsv", tmp_path / "out.csv"
    data.write_text("pos\t=cmd()\nneg\t-3.5\n@x\tplain, text\n")
    assert linnet_command("convert", data, out, "--safe-csv").exit_code == 0
    assert table(out)[1:] == [["'=cmd()", "pos"], ["-3.5", "neg"], ["plain, text", "'@x"]]
    assert linnet_command("convert", data, out, "--force").exit_code == 0
    assert table(out)[1] == ["=cmd()", "pos"], "without the option data stay as they are"
    refused = linnet_command("convert", data, tmp_path / "out.jsonl", "--safe-csv")
    assert refused.exit_code == 1
    assert "only CSV" in refused.stderr


def test_converting_rows_to_safe_csv(linnet_command: Run, tmp_path: Path) -> None:
    data, out = tmp_path / "in.data", tmp_path / "out.csv"
    data.write_text("=a,-1,x\n+b,2,y\n" * 5)
    assert linnet_command("convert", data, out, "--safe-csv").exit_code == 0
    assert table(out)[1:3] == [["'=a", "-1", "x"], ["'+b", "2", "y"]]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_tagger_writes_no_table(linnet_command: Run, tmp_path: Path, suffix: str) -> None:
    path, out = tmp_path / "t.linnet", tmp_path / f"out{suffix}"
    linnet.SequenceTagger().fit([["the", "dog"]] * 5, [["D", "N"]] * 5).save(path)
    found = linnet_command("predict", path, "--string", "the dog", "-o", out)
    assert found.exit_code == 1
    assert "sentences are no rows of a table" in found.stderr
    assert not out.exists()


def test_a_tagger_knows_a_compressed_format_by_its_suffix(
    linnet_command: Run, tmp_path: Path
) -> None:
    path, out = tmp_path / "t.linnet", tmp_path / "out.jsonl.gz"
    linnet.SequenceTagger().fit([["the", "dog"]] * 5, [["D", "N"]] * 5).save(path)
    assert linnet_command("predict", path, "--string", "the dog", "-o", out).exit_code == 0
    with linnet.data.open_text(out) as lines:
        assert next(lines).startswith('{"line": 1, "words": ["the", "dog"]')


def test_a_comparison_is_not_written_as_a_table(linnet_command: Run, tmp_path: Path) -> None:
    found = linnet_command("compare", "no-such-data", "-o", tmp_path / "out.csv")
    assert found.exit_code == 1
    assert "writes JSON" in found.stderr
