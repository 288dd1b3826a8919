"""Tables of texts, categories and numbers on the command line."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import linnet

from ..model.made import texts_of

Run = Callable[..., Any]
TEXTS, LABELS = texts_of(160)
_USUAL = {"sport": "fans", "food": "blog", "music": "wire"}
ROWS: list[dict[str, Any]] = [
    {
        "subject": text,
        "source": _USUAL[label] if number % 4 else None,
        "price": None if number == 5 else 10.5 * (number % 7),
        "category": label,
    }
    for number, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))
]
ASKED = ("--column", "subject=words:1,char_wb:2-3", "--column", "source=category",
         "--column", "price=number")  # fmt: skip


def _write(folder: Path, suffix: str, rows: list[dict[str, Any]] = ROWS) -> Path:
    path = folder / f"d{suffix}"
    if suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0], delimiter="\t" if suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows(rows)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    columns = {"subject": ["words:1", "char_wb:2-3"], "source": "category", "price": "number"}
    path = tmp_path_factory.mktemp("columns") / "m.linnet"
    linnet.TextClassifier(columns=columns).fit(ROWS, LABELS).save(path)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_every_table_trains_the_model_that_python_trains(
    linnet_command: Run, tmp_path: Path, suffix: str, model: Path
) -> None:
    data, out = _write(tmp_path, suffix), tmp_path / "m.linnet"
    trained = linnet_command("train", data, *ASKED, "-o", out)
    assert trained.exit_code == 0, trained.output
    assert "subject words:1 + char_wb:2-3, source category, price number" in trained.stdout
    one, two = linnet.load(out), linnet.load(model)
    assert one.weights_.tobytes() == two.weights_.tobytes()
    answers = linnet_command("predict", out, data, "--format", "jsonl")
    told = [json.loads(line)["label"] for line in answers.stdout.splitlines()]
    assert told == two.predict(ROWS).tolist()


def test_the_verbs_take_a_model_of_columns(
    linnet_command: Run, tmp_path: Path, model: Path
) -> None:
    data, out = _write(tmp_path, ".csv"), tmp_path / "kept"
    evaluated = linnet_command("evaluate", model, data, "--groups", "source", "--mistakes", "2")
    assert evaluated.exit_code == 0, evaluated.output
    assert "accuracy" in evaluated.stdout and "fans" in evaluated.stdout
    inspected = linnet_command("inspect", model, "--features", "source=*")
    assert "source=fans" in inspected.stdout
    row = json.dumps({"subject": "a goal", "source": "fans", "price": 3})
    explained = json.loads(linnet_command("explain", model, row, "--json").stdout)
    assert explained["label"] == "sport"
    names = {part["feature"] for part in explained["contributions"]}
    assert {"subject: words:goal", "source=fans", "price"} <= names
    assert linnet_command("predict", model, "--string", row).stdout.startswith("sport\t")
    assert linnet_command("suggest", model, data, "-n", "3").exit_code == 0
    kept = linnet_command("filter", model, data, "--keep", "sport>=0.5", "-o", out)
    assert kept.exit_code == 0, kept.output
    lines = (out / "d.csv").read_text().splitlines()
    assert lines[0] == "subject,source,price,category" and 1 < len(lines) < len(ROWS)


def test_columns_are_named_by_number_and_come_in_any_order(
    linnet_command: Run, tmp_path: Path
) -> None:
    data, out = _write(tmp_path, ".tsv"), tmp_path / "m.linnet"
    asked = ("--column", "1=words:1", "--column", "2=category", "--label", "4")
    assert linnet_command("train", data, *asked, "-o", out).exit_code == 0
    assert linnet.load(out).reader.holds == {"subject": "text", "source": "category"}
    turned = [dict(reversed(row.items())) for row in ROWS]
    (tmp_path / "other").mkdir()
    other = _write(tmp_path / "other", ".csv", turned)
    one, two = (linnet_command("predict", out, file).stdout for file in (data, other))
    assert one == two


def test_a_recipe_repeats_the_training(linnet_command: Run, tmp_path: Path) -> None:
    data, out, recipe = _write(tmp_path, ".csv"), tmp_path / "m.linnet", tmp_path / "run.toml"
    linnet_command("train", data, *ASKED, "-o", out)
    recipe.write_text(linnet_command("inspect", out, "--recipe").stdout)
    again = linnet_command("train", "--config", recipe, "-o", tmp_path / "again.linnet")
    assert again.exit_code == 0, again.output
    assert (tmp_path / "again.linnet").read_bytes() == out.read_bytes()
    recipe.write_text(f'data = "{data}"\n[column]\nsubject = "words:1"\nsource = "category"\n')
    named = linnet_command("train", "--config", recipe, "-o", out, "--force")
    assert named.exit_code == 0, named.output
    assert linnet.load(out).reader.holds == {"subject": "text", "source": "category"}


def test_what_does_not_fit_is_told_with_column_and_line(
    linnet_command: Run, tmp_path: Path, model: Path
) -> None:
    told = {}
    for name, rows in {
        "gone": [{key: row[key] for key in ("subject", "price")} for row in ROWS],
        "cheap": [*ROWS[:2], {**ROWS[2], "price": "cheap"}],
    }.items():
        (tmp_path / name).mkdir()
        for suffix in (".csv", ".jsonl"):
            refused = linnet_command("predict", model, _write(tmp_path / name, suffix, rows))
            assert refused.exit_code != 0
            told[name + suffix] = " ".join(refused.stderr.split())
    assert "there is no column 'source'" in told["gone.csv"]
    assert "'source'" in told["gone.jsonl"]
    assert "column 'price' holds numbers, but the value here is 'cheap'" in told["cheap.csv"]
    assert "line 4" in told["cheap.csv"] or ":4" in told["cheap.csv"]
    assert "line 3" in told["cheap.jsonl"] or ":3" in told["cheap.jsonl"]


def test_a_row_of_json_without_a_key_is_told(
    linnet_command: Run, tmp_path: Path, model: Path
) -> None:
    rows = [*ROWS[:2], {"subject": "x", "price": 1}]
    refused = linnet_command("predict", model, _write(tmp_path, ".jsonl", rows))
    assert refused.exit_code != 0
    assert "there is no key 'source'" in refused.stderr and "write null" in refused.stderr


REFUSED = {
    ("--column", "subject"): "--column must look like title=words:1-2",
    ("--column", "subject=words", "--column", "subject=char"): "--column gives subject twice",
    ("--column", "subject=syllables"): "column 'subject' holds 'category', 'number'",
    ("--column", "subject=words", "--text", "subject"): "name it by --column",
    ("--column", "subject=words", "--features", "words"): "--features means nothing",
    ("--column", "subject=words", "--stream"): "--column",
    ("--column", "subject=words", "--label", "subject"): "both looked at and the label",
    ("--column", "nothing=words"): "there is no column 'nothing'",
}


@pytest.mark.parametrize("asked", REFUSED)
def test_columns_that_contradict_other_options_are_refused(
    linnet_command: Run, tmp_path: Path, asked: tuple[str, ...]
) -> None:
    refused = linnet_command("train", _write(tmp_path, ".csv"), *asked, "-o", tmp_path / "m")
    assert refused.exit_code != 0
    assert REFUSED[asked] in " ".join(refused.stderr.split())


def test_a_file_without_columns_is_refused(linnet_command: Run, tmp_path: Path) -> None:
    data = tmp_path / "d.txt"
    data.write_text("__label__a one\n__label__b two\n" * 5)
    refused = linnet_command("train", data, "--column", "1=words", "-o", tmp_path / "m")
    assert refused.exit_code != 0 and "columns are those of a table" in refused.stderr


def test_compare_takes_columns_and_the_report_repeats_them(
    linnet_command: Run, tmp_path: Path
) -> None:
    path, report = _write(tmp_path, ".csv"), tmp_path / "r.html"
    options = ("--learners", "svm,perceptron", *ASKED, "--folds", "2", "--report", report)
    found = linnet_command("compare", path, *options, "--json")
    assert found.exit_code == 0, found.output
    table = json.loads(found.stdout)
    here = linnet.compare(
        (ROWS, LABELS), "svm, perceptron", folds=2,
        columns={"subject": "words:1,char_wb:2-3", "source": "category", "price": "number"},
    )  # fmt: skip
    assert [row["score"] for row in table["rows"]] == [row.score for row in here.rows]
    assert "--column source=category --column price=number" in report.read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--column", "subject"), "--column must look like"),
        (("--column", "subject=words", "--text", "subject"), "name it by --column"),
        (("--column", "colour=category"), "colour"),
        (("--column", "subject=number"), "holds numbers, but"),
    ],
)
def test_columns_that_cannot_be_compared_are_refused(
    linnet_command: Run, tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    found = linnet_command("compare", _write(tmp_path, ".csv"), *options)
    assert found.exit_code != 0
    assert says in found.stderr
    assert "Traceback" not in found.stderr
