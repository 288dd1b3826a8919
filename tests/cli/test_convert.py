"""``linnet convert`` and ``linnet data``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from linnet.cli.app import app
from linnet.cli.shared.console import parse_size
from linnet.data import load_pydoc, read_examples
from linnet.errors import ParameterError

TSV = "pos\ta fine film\nneg\ta bore\n"


def run(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.tsv"
    path.write_text(TSV)
    return path


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl.gz", "a.parquet", "a.ft", "a.arrow", "a.tab"])
def test_convert_goes_there_and_back(tmp_path: Path, reviews: Path, name: str) -> None:
    assert run("convert", reviews, tmp_path / name).exit_code == 0
    assert run("convert", tmp_path / name, tmp_path / "back.tsv").exit_code == 0
    assert (tmp_path / "back.tsv").read_text() == TSV


def test_convert_says_what_it_decided_on_standard_error(tmp_path: Path, reviews: Path) -> None:
    done = run("convert", reviews, tmp_path / "a.csv")
    assert done.stdout == ""
    assert "label is column 1, text is all that follows the first tab" in done.stderr
    assert "2 examples written" in done.stderr
    assert run("convert", reviews, tmp_path / "b.csv", "--quiet").stderr == ""


def test_convert_prints_one_json_object_when_asked(tmp_path: Path, reviews: Path) -> None:
    done = run("convert", reviews, tmp_path / "a.csv", "--json")
    found = json.loads(done.stdout)
    assert (found["examples"], found["format"]) == (2, "labelled")
    assert done.stderr == ""


def test_convert_reads_standard_input_and_writes_standard_output(reviews: Path) -> None:
    done = run("convert", "-", "-", "--to", "jsonl", "--quiet", stdin=TSV)
    assert [json.loads(line)["label"] for line in done.stdout.splitlines()] == ["pos", "neg"]
    refused = run("convert", reviews, "-", "--to", "csv", "--json")
    assert refused.exit_code == 1
    assert "both write to standard output" in refused.stderr


def test_convert_takes_columns_labels_and_encodings(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_bytes("title,body,stars\nx,Käse gut,5\n".encode("latin-1"))
    target = tmp_path / "b.jsonl"
    options = ("--text", "body", "--label", "stars", "--encoding", "latin-1")
    assert run("convert", source, target, *options).exit_code == 0
    assert json.loads(target.read_text()) == {"label": "5", "text": "Käse gut"}
    assert run("convert", source, tmp_path / "c.txt", *options, "--no-labels").exit_code == 0
    assert (tmp_path / "c.txt").read_text() == "Käse gut\n"
    broken = run("convert", source, target, "--force")
    assert broken.exit_code == 1
    assert "a.csv:2:4: byte 0xe4 is not utf-8 text" in broken.stderr
    assert run("convert", source, target, "--errors", "replace", "--force").exit_code == 0
    assert "K\ufffdse" in target.read_text()


def test_convert_reports_errors_in_one_line_and_leaves_no_file(
    tmp_path: Path, reviews: Path
) -> None:
    for target, message in [
        ("a.svm", "svmlight cannot hold texts"),
        ("a.txt", "cannot hold labels"),
        ("a.xyz", "names no format"),
        ("a.parquet.gz", "own compression"),
    ]:
        done = run("convert", reviews, tmp_path / target)
        assert done.exit_code == 1
        assert message in done.stderr.splitlines()[-1]
        assert done.stderr.splitlines()[-1].startswith("linnet: error: ")
    assert list(tmp_path.iterdir()) == [reviews]
    missing = run("convert", tmp_path / "none.csv", tmp_path / "a.csv")
    assert (missing.exit_code, missing.stderr.count("\n")) == (1, 1)
    assert run("convert", tmp_path, tmp_path / "a.csv").exit_code == 1


@pytest.mark.spec("D-10")
def test_convert_takes_an_svmlight_file_to_json_lines_and_back(
    data_dir: Callable[[str], Path], tmp_path: Path
) -> None:
    source = data_dir("a9a") / "a9a.t.gz"
    assert run("convert", source, tmp_path / "a.jsonl").exit_code == 0
    assert run("convert", tmp_path / "a.jsonl", tmp_path / "a.svm").exit_code == 0
    lines = gzip.decompress(source.read_bytes()).decode().splitlines()
    expected = [line.rstrip().removeprefix("+") for line in lines]
    assert (tmp_path / "a.svm").read_text().splitlines() == expected


def test_data_list_names_every_built_in_set() -> None:
    done = run("data", "list")
    names = json.loads(run("data", "list", "--json").stdout)
    assert {"pydoc", "badges", "iris", "gaussians"} <= set(names)
    assert all(name in done.stdout for name in names)


@pytest.mark.parametrize("name", ["pydoc", "badges", "iris", "gaussians", "zipf"])
def test_data_show_shows_every_built_in_set(name: str) -> None:
    found = json.loads(run("data", "show", name, "-n", "2", "--json").stdout)
    assert found["examples"] == sum(found["labels"].values())
    assert len(found["sample"]) == 2
    assert "share" in run("data", "show", name).stdout


def test_data_show_says_what_was_decided_sizes_labels_and_rows(reviews: Path) -> None:
    done = run("data", "show", reviews)
    for part in ("label<TAB>text", "2 examples", "50.0 %", "█", "a fine film"):
        assert part in done.stdout
    assert "no labels" in run("data", "show", "-", stdin="a b\nc d\n").stdout


def test_data_show_of_nothing_says_what_there_is(tmp_path: Path) -> None:
    done = run("data", "show", "pydocs")
    assert done.exit_code == 1
    assert "no file 'pydocs' and no built-in set of that name (pydoc," in done.stderr
    assert run("data", "show", tmp_path / "none.csv").exit_code == 1


def test_data_make_writes_a_corpus_of_a_size(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    done = run("data", "make", path, "--size", "200kB", "--classes", "5", "--seed", "3")
    assert done.exit_code == 0
    assert 200_000 <= path.stat().st_size < 202_000
    assert len(set(read_examples(path).y or [])) == 5
    again = tmp_path / "b.tsv.gz"
    assert (
        run("data", "make", again, "--size", "200kB", "--classes", "5", "--seed", "3").exit_code
        == 0
    )
    assert gzip.decompress(again.read_bytes()) == path.read_bytes()
    seven = run("data", "make", tmp_path / "c.tsv", "--documents", "7")
    assert seven.exit_code == 0
    assert seven.stderr.startswith("7 documents (")
    assert len(read_examples(tmp_path / "c.tsv")) == 7


def test_data_make_writes_built_in_sets(tmp_path: Path) -> None:
    assert (
        run("data", "make", tmp_path / "p.tsv", "--from", "pydoc", "--part", "test").exit_code == 0
    )
    assert read_examples(tmp_path / "p.tsv").X.to_list() == list(load_pydoc().test_texts)
    assert run("data", "make", tmp_path / "iris.svm", "--from", "iris").exit_code == 0
    assert read_examples(tmp_path / "iris.svm").X.shape == (150, 4)


@pytest.mark.parametrize(
    "arguments",
    [
        ["a.tsv"],
        ["a.tsv", "--size", "many"],
        ["a.tsv", "--size", "1MB", "--documents", "3"],
        ["a.svm", "--documents", "3"],
        ["a.docx", "--documents", "3"],
        ["a", "--size", "1kB"],
        ["a.tsv", "--from", "nothing"],
        ["a.parquet", "--from", "iris"],
        ["a.svm", "--from", "iris", "--part", "test"],
        ["a.tsv", "--from", "pydoc", "--part", "dev"],
        ["a.tsv", "--from", "pydoc", "--size", "1MB"],
    ],
)
def test_data_make_refuses_what_it_cannot_do(tmp_path: Path, arguments: list[str]) -> None:
    done = run("data", "make", tmp_path / arguments[0], *arguments[1:])
    assert done.exit_code == 1
    assert done.stderr.startswith("linnet: error: ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["iris", "gaussians"])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz"])
def test_measurements_are_written_as_a_table_that_can_be_trained_on(
    tmp_path: Path, name: str, suffix: str
) -> None:
    table = tmp_path / f"{name}.{suffix}"
    assert run("data", "make", table, "--from", name).exit_code == 0
    done = run("train", table, "-o", tmp_path / "m.linnet", "--learner", "tree")
    assert done.exit_code == 0 and "the first row is a header" in done.stderr
    assert "the class is column class" in done.stderr and "numbers: column" in done.stderr


def test_sizes_have_units_and_must_be_positive() -> None:
    assert parse_size("1GB") == 10**9
    assert parse_size("2.5 mb") == 2_500_000
    for text in ("", "-1", "0", "1XB", "MB"):
        with pytest.raises(ParameterError):
            parse_size(text)


@pytest.mark.parametrize(
    "verb", [("convert",), ("data", "list"), ("data", "show"), ("data", "make")]
)
def test_help_has_examples(verb: tuple[str, ...]) -> None:
    done = run(*verb, "--help")
    assert done.exit_code == 0
    assert f"linnet {' '.join(verb)}" in done.stdout
