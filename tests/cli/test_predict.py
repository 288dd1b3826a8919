"""Prediction from files, pipes and arguments, in every format."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
COMMAND = "import sys; sys.argv[0] = 'linnet'; from linnet.cli import main; main()"
LINES = "a wonderful film\na dull film\nlovely and moving\n"


def labels(found: Any) -> list[str]:
    assert found.exit_code == 0, found.output
    return [line.split("\t")[0] for line in found.stdout.splitlines()]


def test_lines_on_standard_input_get_one_answer_each(linnet_command: Run, model: str) -> None:
    found = linnet_command("predict", model, stdin=LINES)
    assert labels(found) == ["pos", "neg", "pos"]
    for line in found.stdout.splitlines():
        assert 0.5 <= float(line.split("\t")[1]) <= 1


def test_a_text_can_be_an_argument(linnet_command: Run, model: str) -> None:
    found = linnet_command("predict", model, "--string", "dull", "--string", "lovely")
    assert labels(found) == ["neg", "pos"]


def test_an_empty_text_gets_an_answer_too(linnet_command: Run, model: str) -> None:
    found = linnet_command("predict", model, "--string", "", "--json")
    assert json.loads(found.stdout)["label"] in ("neg", "pos")


def test_the_top_labels_come_in_pairs_most_probable_first(linnet_command: Run, model: str) -> None:
    found = linnet_command("predict", model, "--top", 3, stdin=LINES)
    for line in found.stdout.splitlines():
        first, p, second, q = line.split("\t")
        assert {first, second} == {"neg", "pos"}
        assert float(p) >= float(q)
        assert float(p) + float(q) == pytest.approx(1, abs=1e-5)


def test_all_probabilities_come_under_a_header(linnet_command: Run, model: str) -> None:
    found = linnet_command("predict", model, "--proba", stdin=LINES)
    header, *rows = found.stdout.splitlines()
    assert header == "label\tneg\tpos"
    assert len(rows) == 3
    for row in rows:
        assert sum(map(float, row.split("\t")[1:])) == pytest.approx(1, abs=1e-5)


def test_json_lines_carry_line_label_probability_and_more(linnet_command: Run, model: str) -> None:
    found = linnet_command("predict", model, "--json", "--top", 2, "--proba", stdin=LINES)
    rows = [json.loads(line) for line in found.stdout.splitlines()]
    assert [row["line"] for row in rows] == [1, 2, 3]
    assert rows[1]["label"] == rows[1]["top"][0]["label"] == "neg"
    assert rows[1]["probability"] == pytest.approx(rows[1]["probabilities"]["neg"])


def test_answers_do_not_depend_on_the_way_they_are_asked_for(
    linnet_command: Run, model: str
) -> None:
    plain = labels(linnet_command("predict", model, stdin=LINES))
    topped = labels(linnet_command("predict", model, "--top", 1, stdin=LINES))
    table = labels(linnet_command("predict", model, "--proba", stdin=LINES))[1:]
    assert plain == topped == table


def test_labels_in_the_input_are_ignored(
    linnet_command: Run, model: str, reviews_file: Path, reviews: list[tuple[str, str]]
) -> None:
    assert labels(linnet_command("predict", model, reviews_file)) == [row[0] for row in reviews]


def test_ids_and_files_are_named_where_they_are_needed(
    linnet_command: Run, model: str, tmp_path: Path
) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_text('{"id": "x7", "text": "a dull film"}\n')
    two.write_text('{"id": "x8", "text": "a lovely film"}\n')
    found = linnet_command("predict", model, one, two, "--json")
    rows = [json.loads(line) for line in found.stdout.splitlines()]
    assert [row["file"] for row in rows] == [str(one), str(two)]
    assert [row["label"] for row in rows] == ["neg", "pos"]
    assert [row.get("id") for row in rows] == ["x7", "x8"]


def test_an_unsure_answer_is_left_empty(linnet_command: Run, model: str) -> None:
    found = linnet_command("predict", model, "--abstain", 1.0, stdin="dull and lovely\n")
    assert labels(found) == [""]
    found = linnet_command("predict", model, "--abstain", 1.0, "--json", stdin="dull and lovely\n")
    assert json.loads(found.stdout)["label"] is None


def test_answers_can_be_parquet(linnet_command: Run, model: str, tmp_path: Path) -> None:
    import pyarrow.parquet as parquet

    out = tmp_path / "answers.parquet"
    found = linnet_command("predict", model, "-o", out, "--top", 2, stdin=LINES)
    assert found.exit_code == 0, found.output
    table = parquet.read_table(out).to_pydict()
    assert table["label"] == ["pos", "neg", "pos"]
    assert table["line"] == [1, 2, 3]
    assert [len(row) for row in table["top"]] == [2, 2, 2]


@pytest.mark.parametrize("name", ["answers.tsv", "answers.tsv.gz", "answers.jsonl"])
def test_answers_can_go_to_a_file(
    linnet_command: Run, model: str, tmp_path: Path, name: str
) -> None:
    from linnet.data import open_text

    found = linnet_command("predict", model, "-o", tmp_path / name, stdin=LINES)
    assert found.exit_code == 0 and found.stdout == ""
    with open_text(tmp_path / name) as lines:
        rows = list(lines)
    assert len(rows) == 3 and "neg" in rows[1]


def test_options_that_contradict_each_other_are_refused(linnet_command: Run, model: str) -> None:
    for options in (("--json", "--format", "tsv"), ("a.txt", "--string", "b"), ("--format", "x")):
        found = linnet_command("predict", model, *options)
        assert found.exit_code == 1
        assert found.stderr.startswith("linnet: error: ")


@pytest.mark.parametrize("before", ["", "the first line of an old file\n"])
def test_a_failure_leaves_an_older_output_as_it_was(
    linnet_command: Run, model: str, tmp_path: Path, before: str
) -> None:
    data, out = tmp_path / "broken.txt", tmp_path / "answers.tsv"
    data.write_bytes(b"a dull film\ncaf\xe9\n")
    if before:
        out.write_text(before)
    found = linnet_command("predict", model, data, "-o", out, "--from", "text", "--force")
    assert found.exit_code == 1
    assert f"{data}:2:4" in found.stderr
    assert (out.read_text() if before else "") == before
    assert {path.name for path in tmp_path.iterdir()} == {"broken.txt"} | (
        {"answers.tsv"} if before else set()
    )
    assert len(labels(linnet_command("predict", model, data, "--errors", "replace"))) == 2


@pytest.mark.parametrize("content", [b"", b"not a model", b"\x80\x04pickle"])
def test_what_is_no_model_is_refused_in_one_line(
    linnet_command: Run, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "m.linnet"
    path.write_bytes(content)
    found = linnet_command("predict", path, stdin=LINES)
    assert found.exit_code == 1
    assert found.stderr.startswith("linnet: error: ") and str(path) in found.stderr
    assert found.stderr.count("\n") == 1


def test_a_model_that_reads_no_texts_is_refused(linnet_command: Run, tmp_path: Path) -> None:
    import linnet
    from linnet.model.file import save

    path = tmp_path / "vectors.linnet"
    save(linnet.MaxEnt().fit([[0.0], [1.0]], ["no", "yes"]), path)
    found = linnet_command("predict", path, stdin=LINES)
    assert found.exit_code == 1
    assert "holds a MaxEnt" in found.stderr


def test_a_missing_file_is_named(linnet_command: Run, model: str, tmp_path: Path) -> None:
    for arguments in (("predict", tmp_path / "no.linnet"), ("predict", model, tmp_path / "no.txt")):
        found = linnet_command(*arguments, stdin=LINES)
        assert found.exit_code == 1
        assert "no." in found.stderr and found.stderr.count("\n") == 1


@pytest.fixture
def predicting(start_process: Run, model: str) -> Run:
    """Return a function that starts a prediction and returns the process."""

    def start(*arguments: str) -> Any:
        return start_process(
            [sys.executable, "-c", COMMAND, "predict", model, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    return start


def test_a_slow_pipe_is_answered_line_by_line(predicting: Run) -> None:
    process = predicting()
    for text, label in ((b"a dull film\n", b"neg"), (b"a lovely film\n", b"pos")):
        process.stdin.write(text)
        process.stdin.flush()
        assert process.stdout.readline().startswith(label)
    process.stdin.close()
    assert process.wait(timeout=30) == 0


def test_an_empty_pipe_gets_no_answer_and_no_error(linnet_process: Run, model: str) -> None:
    found = linnet_process("predict", model)
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


def test_a_pipe_is_called_standard_input_in_messages(linnet_process: Run, model: str) -> None:
    found = linnet_process("predict", model, stdin='{"text": "dull"}\n{"text": 3}\n')
    assert found.returncode == 1
    assert "<stdin>:2" in found.stderr.splitlines()[-1]


def test_a_reader_that_goes_away_is_no_error(predicting: Run, tmp_path: Path) -> None:
    data = tmp_path / "many.txt"
    data.write_text("a dull film\n" * 200_000)
    process = predicting(str(data), "--from", "text")
    process.stdout.readline()
    process.stdout.close()
    complaint = process.stderr.read()
    assert process.wait(timeout=30) == 0
    assert complaint == b""


def test_predicting_plain_formats_imports_nothing_heavy(
    linnet_process: Run, model: str, tmp_path: Path
) -> None:
    jsonl, tsv = tmp_path / "a.jsonl", tmp_path / "a.tsv"
    jsonl.write_text('{"text": "a dull film"}\n')
    tsv.write_text("neg\ta dull film\npos\ta lovely film\n" * 3)
    heavy = "{'sklearn', 'scipy', 'pyarrow', 'pandas', 'rich', 'matplotlib'}"
    watch = (
        f"import sys, atexit\natexit.register(lambda: print('loaded', {heavy} & set(sys.modules)))"
    )
    for arguments in ((), (jsonl, "--json"), (tsv, "--top", 2), (tsv,)):
        found = linnet_process("predict", model, *arguments, stdin=LINES, before=watch)
        assert found.returncode == 0, found.stderr
        assert found.stdout.splitlines()[-1] == "loaded set()"


def test_without_options_there_is_nothing_to_parse(linnet_process: Run, model: str) -> None:
    watch = "import sys, atexit\natexit.register(lambda: print('typer' in sys.modules))"
    plain = linnet_process("predict", model, "-", stdin=LINES, before=watch).stdout
    parsed = linnet_process("predict", model, "--quiet", stdin=LINES, before=watch).stdout
    assert plain.splitlines()[-1] == "False"
    assert parsed.splitlines()[-1] == "True"
    assert plain.splitlines()[:-1] == parsed.splitlines()[:-1]
