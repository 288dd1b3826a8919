"""Files of rows are shown and converted as ``linnet train`` reads them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from linnet.data import read_examples, read_rows

Run = Callable[..., Any]
ROWS = "outlook,degrees,play\nsunny,21,yes\nrain,?,no\nsunny,3.5,no\nfog,5,yes\n"


@pytest.fixture
def weather(tmp_path: Path) -> Path:
    path = tmp_path / "weather.csv"
    path.write_text(ROWS)
    return path


def test_a_file_of_rows_is_shown(linnet_command: Run, weather: Path) -> None:
    found = linnet_command("data", "show", weather, "--format", "table", "--json", "-n", 1)
    assert found.exit_code == 0, found.output
    answer = json.loads(found.stdout)
    assert (answer["kind"], answer["examples"]) == ("row", 4)
    assert answer["labels"] == {"yes": 2, "no": 2}
    assert answer["columns"] == [
        {"name": "outlook", "kind": "symbolic", "values": 3, "missing": 0},
        {"name": "degrees", "kind": "numeric", "values": 3, "missing": 1, "least": 3.5, "most": 21},
    ]
    values = {"outlook": "sunny", "degrees": "21"}
    assert answer["sample"] == [{"line": 2, "label": "yes", "values": values}]
    shown = linnet_command("data", "show", weather, "--format", "table").stdout
    assert "4 rows, 2 columns" in shown
    assert "3.5 to 21" in shown


def test_lines_of_c45_are_found_by_themselves(linnet_command: Run, tmp_path: Path) -> None:
    path = tmp_path / "some.data"
    path.write_text("a,b,x\na,c,y\n" * 20)
    assert "40 rows, 2 columns" in linnet_command("data", "show", path).stdout
    texts = tmp_path / "texts.tsv"
    texts.write_text("p\ta good film\nn\ta bad film\n" * 5)
    assert "rows, " not in linnet_command("data", "show", texts).stdout


@pytest.mark.parametrize(
    "target, format", [("w.data", "c45"), ("w.csv", "table"), ("w", "columns")]
)
def test_rows_survive_every_format_of_rows(
    linnet_command: Run, weather: Path, tmp_path: Path, target: str, format: str
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    found = linnet_command("convert", weather, folder / target, "--from", "table", "--to", format)
    assert found.exit_code == 0, found.output
    assert "4 examples written" in found.stderr
    before, after = read_rows(weather, format="table"), read_rows(folder / target, format=format)  # type: ignore[arg-type]
    assert after.labels == before.labels
    assert [list(map(str, row)) for row in after.table.rows()] == [
        list(map(str, row)) for row in before.table.rows()
    ]


def test_rows_become_bags_elsewhere(linnet_command: Run, weather: Path, tmp_path: Path) -> None:
    target = tmp_path / "w.jsonl"
    assert linnet_command("convert", weather, target, "--from", "table").exit_code == 0
    found = read_examples(target)
    assert found.X[:2] == [{"outlook=sunny": 1.0, "degrees": 21.0}, {"outlook=rain": 1.0}]
    assert found.y == ["yes", "no", "no", "yes"]
    refused = linnet_command("convert", weather, tmp_path / "w.svm", "--from", "table")
    assert refused.exit_code == 1
    assert "SVMlight numbers its features" in refused.stderr
    assert not (tmp_path / "w.svm").exists()
    piped = linnet_command("convert", weather, "-", "--from", "table", "--to", "c45")
    assert piped.exit_code == 1
    assert "name one instead of -" in piped.stderr
