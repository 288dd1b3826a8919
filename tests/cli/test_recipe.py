"""A training run is a file of settings, and a model says what settings it was trained with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tomllib import loads
from typing import Any

import pytest

import linnet
from linnet.cli.shared.recipe import in_toml
from linnet.model.card import card

Run = Callable[..., Any]
ROWS = "colour,size,label\n" + "red,1.5,a\nblue,2.0,b\nred,3.0,a\ngreen,0.5,b\n" * 8
SENTENCES = "The D\ndog N\nran V\n\nA D\ncat N\nsat V\n\n" * 6
CASES = {
    "texts": (None, ("--ngrams", "char:2-3", "-C", "0.5", "--seed", "3", "--dtype", "float16")),
    "a stream": (None, ("--stream", "--passes", "2", "--hashing", "12")),
    "rows": (ROWS, ("--set", "k=3", "--set", 'metric="mvdm"', "--ignore", "size")),
    "sentences": (SENTENCES, ("--learner", "hmm", "--holdout", "0.2")),
}


@pytest.fixture
def settings(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that writes a file of settings."""

    def write(text: str) -> Path:
        path = tmp_path / "run.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("name", CASES)
def test_the_recipe_of_a_model_trains_the_same_bytes(
    name: str, linnet_command: Run, settings: Any, reviews_file: Path, tmp_path: Path
) -> None:
    content, options = CASES[name]
    data = tmp_path / ("words.conll" if content == SENTENCES else "rows.csv")
    data.write_text(content or "")
    first, again = tmp_path / "first.linnet", tmp_path / "again.linnet"
    trained = linnet_command("train", data if content else reviews_file, "-o", first, *options)
    assert trained.exit_code == 0, trained.output
    recipe = linnet_command("inspect", first, "--recipe")
    assert recipe.exit_code == 0, recipe.output
    trained = linnet_command("train", "--config", settings(recipe.stdout), "-o", again)
    assert trained.exit_code == 0, trained.output
    assert first.read_bytes() == again.read_bytes()
    assert "warning" not in trained.stderr


def test_the_command_line_goes_before_the_file(
    linnet_command: Run, settings: Any, reviews_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "model.linnet"
    config = settings(f'data = "{reviews_file}"\noutput = "{out}"\nC = 0.5\nmin_df = 2\n')
    assert linnet_command("train", "--config", config, "-C", 2).exit_code == 0
    options = loads(linnet_command("inspect", out, "--recipe").stdout)
    assert (options["C"], options["min-df"], options["data"]) == ("2", 2, str(reviews_file))


def test_a_table_of_settings_gives_the_parameters_of_the_learner(
    linnet_command: Run, settings: Any, reviews_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "model.linnet"
    config = settings('learner = "memory"\n[set]\nk = 3\nmetric = "cosine"\n')
    done = linnet_command("train", reviews_file, "--config", config, "-o", out)
    assert done.exit_code == 0, done.output
    assert "k 3, metric cosine" in linnet_command("inspect", out).stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ngrms = '1'", "train has no option 'ngrms'; did you mean ngrams?"),
        ("learner = ['svm']", "learner must be one value, got ['svm']"),
        ("set = 'k=3'", "set must be a list of texts, got 'k=3'"),
        ("C = ", "is not TOML: Invalid value"),
    ],
)
def test_what_is_wrong_in_the_file_is_said(
    text: str, message: str, linnet_command: Run, settings: Any, reviews_file: Path
) -> None:
    done = linnet_command("train", reviews_file, "--config", settings(text))
    assert done.exit_code == 1
    assert message in done.stderr and "run.toml" in done.stderr


def test_other_data_under_the_same_name_is_told(
    linnet_command: Run, settings: Any, tmp_path: Path
) -> None:
    data, out = tmp_path / "rows.csv", tmp_path / "model.linnet"
    data.write_text(ROWS)
    assert linnet_command("train", data, "-o", out).exit_code == 0
    config = settings(linnet_command("inspect", out, "--recipe").stdout)
    data.write_text(ROWS + "red,1.5,a\n")
    done = linnet_command("train", "--config", config, "-o", out)
    assert done.exit_code == 0
    assert "is not what" in done.stderr and "another model will come of it" in done.stderr


def test_two_models_differ_by_their_options_one_by_one(linnet_command: Run, tmp_path: Path) -> None:
    data, models = tmp_path / "rows.csv", [tmp_path / "a.linnet", tmp_path / "b.linnet"]
    data.write_text(ROWS)
    for model, k in zip(models, (1, 3), strict=True):
        assert linnet_command("train", data, "-o", model, "--set", f"k={k}").exit_code == 0
    shown = linnet_command("inspect", *models).stdout
    assert "option set" in shown and "k=3" in shown
    assert "option data" not in shown and "command" not in shown


def test_a_model_of_python_has_no_recipe(linnet_command: Run, model: str) -> None:
    done = linnet_command("inspect", model, "--recipe")
    assert done.exit_code == 1 and "holds no recipe" in done.stderr


def test_any_text_survives_the_file_of_settings() -> None:
    odd = 'a "quoted"\\ name\n\x7f\x01 é 😀.tsv'
    recipe = {"options": {"data": odd, "set": [odd], odd: True}, "data": {}, "linnet": "1"}
    values = loads(in_toml(recipe, odd))
    assert (values["data"], values["set"], values[odd]) == (odd, [odd], True)


def test_a_card_with_a_width_goes_on_below_its_values(model: str) -> None:
    loaded = linnet.load(model)
    first, *rows = card(loaded, 50).split("\n")
    _, *names = card(loaded).split("\n")
    start = len(names[0]) - len(names[0].split(None, 1)[1])
    assert max(map(len, rows)) <= 50 and len(rows) > len(names)
    assert all(row[:start].strip() or row.startswith(" " * start) for row in rows)
    assert card(loaded) == loaded.card() and first == loaded.card().split("\n")[0]
