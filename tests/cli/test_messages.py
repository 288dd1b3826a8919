"""What is said about files without labels or tags, and the mark between words and tags."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
UNDERSCORED = "the_D dog_N runs_V\na_D snake_case_N sleeps_V\n" * 6


def error(found: Any) -> str:
    assert found.exit_code == 1, found.output
    return str(found.stderr.splitlines()[-1])


@pytest.mark.parametrize("verb", ["train", "compare", "evaluate"])
@pytest.mark.parametrize("label", [None, "1"])
def test_plain_text_has_no_column_to_name(
    linnet_command: Run, model: str, tmp_path: Path, verb: str, label: str | None
) -> None:
    data = tmp_path / "plain.txt"
    data.write_text("a lovely film\na dull one here\nno label at all\n")
    first = {"train": ("-o", tmp_path / "m.linnet"), "compare": (), "evaluate": ()}[verb]
    files = (model, data) if verb == "evaluate" else (data,)
    option = () if label is None else ("--label", label)
    says = error(linnet_command(verb, *files, *first, *option))
    assert "it is plain text" in says
    assert "--label" not in says
    assert ("no column '1'" in says) == (label is not None)


def test_a_table_without_labels_is_told_how_to_name_them(
    linnet_command: Run, tmp_path: Path
) -> None:
    data = tmp_path / "a.csv"
    data.write_text("text\na good film\na bad film\n")
    says = error(linnet_command("train", data, "-o", tmp_path / "m.linnet"))
    assert "name their column with --label" in says


@pytest.mark.parametrize(
    "name, text, options, message",
    [
        ("a.conll", "the\ndog\n\nruns\n", (), "one column, the words"),
        ("a.conll", "the\tD\ndog\tN\n\n", ("--label", "3"), "no column 3; its columns are 1 to 2"),
        ("a.conll", "the\tD\ndog\tN\n\n", ("--label", "-3"), "no column -3"),
        ("a.txt", "the dog\na cat\n", ("--format", "word_tag"), "--delimiter"),
        ("a.jsonl", '{"text": "a b"}\n', ("--format", "spans"), 'have no "spans"'),
    ],
)
def test_sentences_without_tags_are_told_what_is_missing(
    linnet_command: Run,
    tmp_path: Path,
    name: str,
    text: str,
    options: tuple[str, ...],
    message: str,
) -> None:
    data = tmp_path / name
    data.write_text(text)
    says = error(linnet_command("train", data, "-o", tmp_path / "m.linnet", *options))
    assert message in says
    assert "name their column" not in says


def test_words_and_tags_may_stand_around_another_mark(linnet_command: Run, tmp_path: Path) -> None:
    data, model = tmp_path / "a.txt", tmp_path / "m.linnet"
    data.write_text(UNDERSCORED)
    mark = ("--format", "word_tag", "--delimiter", "_")
    trained = linnet_command("train", data, "-o", model, *mark, "--valid", data)
    assert trained.exit_code == 0, trained.output
    assert "6 tags" not in trained.stdout
    assert "3 tags" in trained.stdout
    measured = linnet_command("evaluate", model, data, "--format", "word_tag")
    assert "token accuracy 100.00 %" in measured.stdout, "the model remembers the mark"
    answered = linnet_command("predict", model, data, "--from", "word_tag")
    assert answered.stdout == UNDERSCORED
    other = linnet_command(
        "predict", model, "--from", "word_tag", "--delimiter", "|", stdin="a|D\n"
    )
    assert other.stdout == "a|D\n"
    compared = linnet_command("compare", data, *mark, "--learners", "hmm,perceptron")
    assert compared.exit_code == 0, compared.output


@pytest.mark.parametrize("mark, spelled", [("|", "|"), ("\t", "\\t"), ("\t", "tab"), (";", ";")])
def test_tables_may_have_another_mark(
    linnet_command: Run, tmp_path: Path, mark: str, spelled: str
) -> None:
    data = tmp_path / "a.dat"
    data.write_text(f"text{mark}label\na, b{mark}x\nc d{mark}y\n")
    found = linnet_command("convert", data, "-", "--to", "jsonl", "--delimiter", spelled, "-q")
    assert found.stdout == '{"label": "x", "text": "a, b"}\n{"label": "y", "text": "c d"}\n'


@pytest.fixture
def many_labels(tmp_path: Path) -> Path:
    """Return data with almost as many labels as examples, which scikit-learn warns about."""
    path = tmp_path / "many.tsv"
    path.write_text("".join(f"c{i % 25}\tword{i % 25} only {i}\n" for i in range(45)))
    return path


@pytest.mark.parametrize("verb", ["train", "compare"])
def test_a_warning_is_said_once_in_plain_words(
    linnet_process: Run, many_labels: Path, tmp_path: Path, verb: str
) -> None:
    more = ("-o", tmp_path / "m.linnet") if verb == "train" else ("--learners", "nb,svm")
    columns = ("--label", "1", "--text", "2")
    found = linnet_process(verb, many_labels, *more, *columns)
    assert found.returncode == 0, found.stderr
    assert found.stderr.count("linnet: warning:") == 1
    assert "linnet: warning: there are hardly more examples than labels" in found.stderr
    assert ".py" not in found.stderr
    quiet = linnet_process(verb, many_labels, *more, *columns, "--quiet")
    assert quiet.stderr == ""
