"""Train, evaluate, explain and inspect, from the file to the answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import linnet
from linnet.cli.shared.options import parse_ngrams, parse_strength
from linnet.errors import ParameterError

Run = Callable[..., Any]


def answer(result: Any) -> Any:
    """Return the one JSON value a command printed."""
    assert result.exit_code == 0, result.output
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


# --- train ------------------------------------------------------------------------------------


def test_training_writes_a_model_that_evaluates_well(
    linnet_command: Run, reviews_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "m.linnet"
    trained = linnet_command("train", reviews_file, "-o", path)
    assert trained.exit_code == 0, trained.output
    assert "60 examples with 2 labels" in trained.stdout
    assert str(path) in trained.stdout
    assert "tab" in trained.stderr, "it says what it found out about the file"
    report = answer(linnet_command("evaluate", path, reviews_file, "--json"))
    assert report["accuracy"] == report["macro_f1"] == 1.0
    assert report["n"] == 60


def test_the_model_is_called_after_the_data(
    linnet_command: Run, reviews_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert linnet_command("train", reviews_file).exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["reviews.linnet"]


@pytest.mark.parametrize("learner", ["maxent", "svm", "nb", "perceptron", "mira", "bernoulli"])
def test_every_learner_can_be_named(
    linnet_command: Run, reviews_file: Path, tmp_path: Path, learner: str
) -> None:
    path = tmp_path / "m.linnet"
    arguments = ("train", reviews_file, "-o", path, "--learner", learner, "--json")
    summary = answer(linnet_command(*arguments))
    assert summary["learner"] == learner
    assert summary["bytes"] == path.stat().st_size
    assert summary["examples"] == 60
    assert {"read", "fit", "write"} <= set(summary["seconds"])
    report = answer(linnet_command("evaluate", path, reviews_file, "--json"))
    assert report["accuracy"] > 0.9


def test_held_out_examples_are_not_trained_on_and_give_an_interval(
    linnet_command: Run, reviews_file: Path, tmp_path: Path
) -> None:
    arguments = ("train", reviews_file, "-o", tmp_path / "m.linnet", "--holdout", 0.2, "--json")
    summary = answer(linnet_command(*arguments))
    assert summary["examples"] == 48
    assert summary["held_out"]["n"] == 12
    low, high = summary["held_out"]["interval"]
    assert low <= summary["held_out"]["accuracy"] <= high


def test_another_file_can_measure_the_model(
    linnet_command: Run, reviews_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "m.linnet"
    found = linnet_command("train", reviews_file, "-o", out, "--valid", reviews_file)
    assert "held out: accuracy 100.00 %" in found.stdout


@pytest.mark.parametrize("option", [("--dtype", "float16"), ("--max-features", 20)])
def test_a_smaller_file_says_what_it_costs(
    linnet_command: Run, reviews_file: Path, tmp_path: Path, option: tuple
) -> None:
    found = linnet_command("train", reviews_file, "-o", tmp_path / "m.linnet", *option)
    assert found.exit_code == 0, found.output
    assert "the smaller file costs" in found.stdout


def test_options_reach_the_model(linnet_command: Run, reviews_file: Path, tmp_path: Path) -> None:
    options = ("--ngrams", "char:2-4", "--min-df", 2, "-C", "0.5", "--seed", 3, "--threads", 1)
    out = tmp_path / "m.linnet"
    found = linnet_command("train", reviews_file, "-o", out, *options, "--quiet")
    assert found.exit_code == 0, found.output
    assert found.stdout == found.stderr == ""
    assert answer(linnet_command("evaluate", out, reviews_file, "--json"))["accuracy"] > 0.9


@pytest.mark.parametrize(
    "options, says",
    [
        (("--learner", "deep"), "there is no learner 'deep'"),
        (("--ngrams", "two"), "--ngrams must look like"),
        (("--ngrams", "3,1"), "--ngrams must be two growing numbers"),
        (("-C", "-1"), "-C must be auto or a number above 0"),
        (("--dtype", "int8"), "--dtype must be one of"),
        (("--errors", "ignore"), "--errors must be one of"),
        (("--valid", "x.tsv", "--holdout", "0.1"), "not both"),
        (("--hashing", "10", "--max-features", "5"), "drop --hashing"),
    ],
)
def test_a_wrong_option_is_explained_and_nothing_is_written(
    linnet_command: Run, reviews_file: Path, tmp_path: Path, options: tuple, says: str
) -> None:
    found = linnet_command("train", reviews_file, "-o", tmp_path / "m.linnet", *options)
    assert found.exit_code == 1
    assert found.stderr.startswith("linnet: error: ") and says in found.stderr
    assert found.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_data_without_labels_is_refused(linnet_command: Run, tmp_path: Path) -> None:
    data = tmp_path / "plain.txt"
    data.write_text("just a line of words here\nand another one\n")
    found = linnet_command("train", data, "-o", tmp_path / "m.linnet", "--format", "text")
    assert found.exit_code == 1
    assert "label" in found.stderr


def test_a_folder_that_does_not_exist_is_found_before_training(
    linnet_command: Run, tmp_path: Path
) -> None:
    found = linnet_command("train", tmp_path / "no.tsv", "-o", tmp_path / "no" / "m.linnet")
    assert found.exit_code == 1
    assert "there is no folder" in found.stderr


def test_ngrams_are_read_as_written() -> None:
    assert parse_ngrams("word:1,3", None) == {"ngrams": (1, 3)}
    assert parse_ngrams("char:2-5", "char") == {"ngrams": (2, 5), "tokenizer": "char"}
    assert parse_ngrams(None, None) == {}
    for wrong in ("", "0,2", "1,2,3", "words:1", "1;2", "-1"):
        with pytest.raises(ParameterError):
            parse_ngrams(wrong, None)
    with pytest.raises(ParameterError):
        parse_ngrams("char:2-3", "whitespace")


def test_the_strength_is_a_number_or_auto() -> None:
    for wrong in ("0", "nan", "inf", "much", ""):
        with pytest.raises(ParameterError):
            parse_strength(wrong)


@pytest.mark.parametrize(
    "name, test, least",
    [("banking77", "test.csv", 0.88), ("wikipedia_titles", "titles-en-test.labeled", 0.94)],
)
def test_the_defaults_do_well_on_real_data(
    linnet_command: Run,
    data_dir: Callable[[str], Path],
    tmp_path: Path,
    name: str,
    test: str,
    least: float,
) -> None:
    folder, out = data_dir(name), tmp_path / "m.linnet"
    found = linnet_command("train", folder / test.replace("test", "train"), "-o", out)
    assert found.exit_code == 0, found.output
    assert answer(linnet_command("evaluate", out, folder / test, "--json"))["accuracy"] >= least


# --- evaluate ---------------------------------------------------------------------------------


def test_the_report_for_people_has_figures_a_table_confusions_and_calibration(
    linnet_command: Run, model: str, reviews_file: Path
) -> None:
    found = linnet_command("evaluate", model, reviews_file)
    assert found.exit_code == 0, found.output
    assert "accuracy 100.00 % (95 % interval 93.98 to 100.00, 60 examples)" in found.stdout
    for word in ("precision", "recall", "truth (rows)", "calibration: expected error", "█"):
        assert word in found.stdout


def test_a_label_unseen_in_training_is_reported(
    linnet_command: Run, model: str, tmp_path: Path
) -> None:
    data = tmp_path / "new.tsv"
    data.write_text("pos\ta wonderful film\nmixed\tdull but lovely\n" * 4)
    report = answer(linnet_command("evaluate", model, data, "--json"))
    assert report["unseen"] == ["mixed"]
    assert report["accuracy"] == 0.5
    assert "labels the model never saw" in linnet_command("evaluate", model, data).stdout


def test_integer_labels_of_one_format_match_their_spelling_in_another(
    linnet_command: Run, reviews: list[tuple[str, str]], tmp_path: Path
) -> None:
    rows = [{"text": text, "label": int(label == "pos")} for label, text in reviews]
    data = tmp_path / "numbers.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "m.linnet"
    assert linnet_command("train", data, "-o", out).exit_code == 0
    spelled = tmp_path / "numbers.tsv"
    spelled.write_text("".join(f"{row['label']}\t{row['text']}\n" for row in rows))
    report = answer(linnet_command("evaluate", out, spelled, "--json"))
    assert report["accuracy"] == 1.0
    assert set(report["classes"]) == {"0", "1"}


def test_many_classes_show_only_their_largest_confusions(
    linnet_command: Run, tmp_path: Path
) -> None:
    words = [f"topic{chr(97 + k)}" for k in range(12)]
    data, other = tmp_path / "train.tsv", tmp_path / "test.tsv"
    data.write_text("".join(f"c{k}\tabout {word} indeed\n" * 3 for k, word in enumerate(words)))
    other.write_text(
        "".join(f"c{(k + 1) % 12}\tabout {word} now\n" for k, word in enumerate(words))
    )
    out = tmp_path / "m.linnet"
    assert linnet_command("train", data, "-o", out, "--label", 1, "-C", 1).exit_code == 0
    shown = linnet_command("evaluate", out, other).stdout
    assert "the most frequent confusions" in shown
    assert "truth (rows)" not in shown


def test_several_labels_a_row_are_trained_and_evaluated(
    linnet_command: Run, tmp_path: Path
) -> None:
    rows = [(["red"], "a red car"), (["fast"], "a fast car"), (["red", "fast"], "a red fast car")]
    data = tmp_path / "several.jsonl"
    lines = (json.dumps({"text": text, "label": labels}) + "\n" for labels, text in rows * 8)
    data.write_text("".join(lines))
    out = tmp_path / "m.linnet"
    assert linnet_command("train", data, "-o", out, "-C", 10).exit_code == 0
    report = answer(linnet_command("evaluate", out, data, "--json"))
    assert report["hamming_loss"] < 0.2
    assert "confusion" not in report
    shown = linnet_command("predict", out, "--string", "a red car", "--json")
    assert "red" in json.loads(shown.stdout)["label"]


def test_data_without_labels_cannot_be_evaluated(
    linnet_command: Run, model: str, tmp_path: Path
) -> None:
    data = tmp_path / "plain.txt"
    data.write_text("a dull film\n")
    found = linnet_command("evaluate", model, data, "--format", "text", "--quiet")
    assert found.exit_code == 1
    assert found.stderr.startswith("linnet: error: ")


# --- explain ----------------------------------------------------------------------------------


def test_an_explanation_sums_to_the_score(linnet_command: Run, model: str) -> None:
    found = answer(linnet_command("explain", model, "a dull, dull film", "--json", "--top", 1000))
    assert found["label"] == "neg"
    total = found["intercept"] + sum(part["contribution"] for part in found["contributions"])
    assert total == pytest.approx(found["score"], abs=1e-6)
    places = {part["feature"]: part["spans"] for part in found["contributions"]}
    assert places["dull"] == [[2, 6], [8, 12]]


def test_the_words_of_an_explanation_are_shown_and_written_as_a_page(
    linnet_command: Run, model: str, tmp_path: Path
) -> None:
    page = tmp_path / "why.html"
    found = linnet_command("explain", model, "a dull film", "--html", page)
    assert found.exit_code == 0, found.output
    assert "a dull film" in found.stdout and "score" in found.stdout
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and "dull</span>" in text


def test_a_text_can_come_unquoted_or_from_standard_input(linnet_command: Run, model: str) -> None:
    loose = answer(linnet_command("explain", model, "a", "dull", "film", "--json"))
    piped = answer(linnet_command("explain", model, "-", "--json", stdin="a dull film\n"))
    assert loose == piped


def test_the_name_of_a_file_is_explained_with_a_word_about_the_file(
    linnet_command: Run, model: str, tmp_path: Path
) -> None:
    file = tmp_path / "dull.txt"
    file.write_text("a dull film\n")
    found = linnet_command("explain", model, file)
    assert found.exit_code == 0 and "dull" in found.stdout
    assert f"linnet explain {model} - < {file}" in found.stderr
    assert linnet_command("explain", model, "a dull film").stderr == ""


def test_any_label_can_be_explained_and_a_wrong_one_is_named(
    linnet_command: Run, model: str
) -> None:
    found = answer(linnet_command("explain", model, "a dull film", "--label", "pos", "--json"))
    assert found["label"] == "pos"
    wrong = linnet_command("explain", model, "a dull film", "--label", "poss")
    assert wrong.exit_code == 1
    assert "no label 'poss'" in wrong.stderr and "'pos'" in wrong.stderr


def test_bytes_that_are_no_text_are_refused(linnet_command: Run, model: str) -> None:
    found = linnet_command("explain", model, "-", stdin=b"caf\xe9")
    assert found.exit_code == 1
    assert "0xe9 at position 3" in found.stderr


# --- inspect ----------------------------------------------------------------------------------


@pytest.mark.spec("C-27")
def test_a_model_shows_its_card_and_strongest_features(linnet_command: Run, model: str) -> None:
    found = linnet_command("inspect", model)
    assert found.exit_code == 0, found.output
    assert linnet.load(model).card().splitlines()[0] in found.stdout
    assert "wonderful" in found.stdout and "dull" in found.stdout


@pytest.mark.spec("C-27")
def test_a_model_is_inspected_as_json(linnet_command: Run, model: str) -> None:
    found = answer(linnet_command("inspect", model, "--json", "--top", 3))
    assert found["classes"] == ["neg", "pos"]
    assert found["kind"] == "text"
    assert all(len(rows) == 3 for rows in found["top_features"].values())
    assert isinstance(found["record"], dict)


def test_features_are_found_by_a_pattern(linnet_command: Run, model: str) -> None:
    found = answer(linnet_command("inspect", model, "--json", "--features", "*dull*"))
    names = [row["feature"] for rows in found["top_features"].values() for row in rows]
    assert "dull" in names and all("dull" in name for name in names)
    nothing = linnet_command("inspect", model, "--features", "xyzzy")
    assert "no feature looks like xyzzy" in nothing.stdout


def test_data_show_shows_sentences_their_tags_and_some_of_them(
    linnet_command: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "words.conll"
    file.write_text("The D\ndog N\nran V\n\nA D\ncat N\n\n")
    shown = linnet_command("data", "show", file, "-n", 1)
    assert shown.exit_code == 0, shown.output
    assert "2 sentences, 5 tokens, 2.5 a sentence on average, longest 3" in shown.stdout
    assert "The/D dog/N ran/V" in shown.stdout and "cat/N" not in shown.stdout
    about = json.loads(linnet_command("data", "show", file, "--json").stdout)
    assert about["kind"] == "sequence" and about["labels"] == {"D": 2, "N": 2, "V": 1}
    assert [row["line"] for row in about["sample"]] == [1, 5]
    first = json.loads(linnet_command("data", "show", file, "--json", "--limit", 1).stdout)
    assert (first["sentences"], first["tokens"]) == (1, 3)


def test_what_was_found_out_is_said_in_one_line(
    linnet_command: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "texts.csv"
    file.write_text("text,label\n" + "a good film,pos\na bad film,neg\n" * 9)
    said = linnet_command("train", file, "-o", tmp_path / "m.linnet").stderr
    assert said == (
        f"{file}: csv, comma-separated, the first row is a header, label is column label, "
        "text is column text\n"
    )


def test_a_long_word_of_a_table_is_cut_with_an_ellipsis() -> None:
    from rich.console import Console

    from linnet.cli.shared.console import grid, name_cell

    console = Console(width=40, record=True, file=StringIO())
    table = grid(["name"], ["n"])
    table.add_row(name_cell("x" * 90), "1")
    console.print(table)
    lines = [line for line in console.export_text().split("\n") if "x" in line]
    assert len(lines) == 1 and "x…" in lines[0]
