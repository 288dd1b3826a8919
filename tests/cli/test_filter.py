"""Filtering files by a model: rules, formats, and outputs that are whole or absent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data import open_text, write_atomically
from linnet.errors import ParameterError
from linnet.scale.filtering.rules import Rule, parse_rule

Run = Callable[..., Any]
TEXTS = ["a wonderful film", "a dull film", "lovely and moving", "awful and slow", "great acting"]
KEPT = [0, 2, 4]


def summary(found: Any) -> Any:
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def test_lines_are_kept_byte_for_byte(linnet_command: Run, model: str, tmp_path: Path) -> None:
    data, out = tmp_path / "a.txt", tmp_path / "kept"
    data.write_bytes(b"".join(text.encode() + b"\r\n" for text in TEXTS))
    arguments = ("filter", model, data, "-o", out, "--keep", "pos>=0.5", "--json")
    found = summary(linnet_command(*arguments))
    expected = b"".join(TEXTS[i].encode() + b"\r\n" for i in KEPT)
    assert (out / "a.txt").read_bytes() == expected
    assert (found["kept"], found["total"]) == (3, 5)
    assert found["removed"]["labels"] == {"neg": 2}
    assert found["files"][0]["file"] == str(data)


def test_json_lines_keep_every_key(linnet_command: Run, model: str, tmp_path: Path) -> None:
    rows = [f'{{"n": {i},  "text": "{text}", "x": [1, {{}}]}}\n' for i, text in enumerate(TEXTS)]
    data, out = tmp_path / "a.jsonl", tmp_path / "kept"
    data.write_text("".join(rows))
    found = linnet_command("filter", model, data, "-o", out, "--keep", "pos")
    assert found.exit_code == 0, found.output
    assert (out / "a.jsonl").read_text() == "".join(rows[i] for i in KEPT)


def test_a_table_keeps_its_header_columns_and_quoted_line_feeds(
    linnet_command: Run, model: str, tmp_path: Path
) -> None:
    rows = [f'{i},"{text},\nsaid ""they""",x{i}\n' for i, text in enumerate(TEXTS)]
    data, out, rest = tmp_path / "a.csv", tmp_path / "kept", tmp_path / "rest"
    data.write_text("number,review,tag\n" + "".join(rows))
    arguments = ("filter", model, data, "-o", out, "--dropped", rest, "--keep", "neg<0.5")
    found = linnet_command(*arguments, "--text", "review")
    assert found.exit_code == 0, found.output
    assert (out / "a.csv").read_text() == "number,review,tag\n" + "".join(rows[i] for i in KEPT)
    assert (rest / "a.csv").read_text() == "number,review,tag\n" + "".join(rows[i] for i in (1, 3))


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compressed_files_stay_compressed(
    linnet_command: Run, model: str, tmp_path: Path, suffix: str
) -> None:
    data, out = tmp_path / f"a.txt{suffix}", tmp_path / "kept"
    with write_atomically(data) as lines:
        lines.write("".join(text + "\n" for text in TEXTS))
    assert linnet_command("filter", model, data, "-o", out, "--keep", "pos").exit_code == 0
    with open_text(out / data.name) as lines:
        assert lines.read().splitlines() == [TEXTS[i] for i in KEPT]


def test_parquet_keeps_its_columns_types_and_metadata(
    linnet_command: Run, model: str, tmp_path: Path
) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    n = 20_000
    table = pa.table(
        {
            "key": pa.array(range(n), pa.int32()),
            "text": pa.array([TEXTS[i % 5] for i in range(n)]),
            "tags": pa.array([[i, i + 1] for i in range(n)]),
        }
    ).replace_schema_metadata({"owner": "somebody"})
    data, out, rest = tmp_path / "a.parquet", tmp_path / "kept", tmp_path / "rest"
    parquet.write_table(table, data, row_group_size=3_000, compression="gzip")
    arguments = ("filter", model, data, "-o", out, "--dropped", rest, "--keep", "pos", "--json")
    found = summary(linnet_command(*arguments, "--text", "text"))
    kept, dropped = parquet.read_table(out / "a.parquet"), parquet.read_table(rest / "a.parquet")
    assert (found["kept"], found["total"]) == (3 * n // 5, n)
    assert kept.schema.equals(parquet.read_table(data).schema, check_metadata=True)
    expected = [i for i in range(n) if i % 5 in KEPT]
    assert kept.column("key").to_pylist() == expected
    assert kept.column("tags").to_pylist() == [[i, i + 1] for i in expected]
    assert dropped.num_rows == n - len(expected)
    meta = parquet.ParquetFile(out / "a.parquet").metadata
    assert meta.row_group(0).column(0).compression == "GZIP"


def test_a_file_of_many_blocks_is_filtered_like_a_small_one(
    linnet_command: Run, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("linnet.scale.filtering.copying.BLOCK_BYTES", 100)
    lines = [f"{TEXTS[i % 5]} {'x' * (i % 70)}\n" for i in range(500)]
    data, out = tmp_path / "a.txt", tmp_path / "kept"
    data.write_text("".join(lines).rstrip("\n"))
    assert linnet_command("filter", model, data, "-o", out, "--keep", "pos").exit_code == 0
    assert (out / "a.txt").read_text() == "".join(lines[i] for i in range(500) if i % 5 in KEPT)


def test_several_rules_all_hold_or_one_is_enough(
    linnet_command: Run, model: str, tmp_path: Path
) -> None:
    data = tmp_path / "a.txt"
    data.write_text("".join(text + "\n" for text in TEXTS))
    rules = ("--keep", "pos>=0.5", "--keep", "neg>=0.5", "--json", "--dry-run")
    both = summary(linnet_command("filter", model, data, "-o", tmp_path / "k", *rules))
    either = summary(linnet_command("filter", model, data, "-o", tmp_path / "k", *rules, "--any"))
    assert (both["kept"], either["kept"]) == (0, 5)
    assert both["rules"] == ["pos>=0.5", "neg>=0.5"]
    assert not (tmp_path / "k").exists(), "a dry run writes nothing"


def test_outputs_are_refused_replaced_or_passed_over(
    linnet_command: Run, model: str, tmp_path: Path
) -> None:
    one, two, out = tmp_path / "1.txt", tmp_path / "2.txt", tmp_path / "kept"
    for data in (one, two):
        data.write_text("a dull film\na lovely film\n")
    arguments = ("filter", model, one, two, "-o", out, "--keep", "pos")
    out.mkdir()
    (out / "1.txt").write_text("from before\n")
    refused = linnet_command(*arguments)
    assert refused.exit_code == 1
    assert "--force" in refused.stderr
    assert not (out / "2.txt").exists(), "nothing starts when something stands in the way"
    resumed = summary(linnet_command(*arguments, "--resume", "--json"))
    assert (resumed["passed_over"], len(resumed["files"])) == (1, 1)
    assert (out / "1.txt").read_text() == "from before\n"
    assert linnet_command(*arguments, "--overwrite").exit_code == 0
    assert (out / "1.txt").read_text() == "a lovely film\n"


def test_a_broken_file_leaves_no_output(linnet_command: Run, model: str, tmp_path: Path) -> None:
    data, out = tmp_path / "a.txt", tmp_path / "kept"
    data.write_bytes(b"a dull film\n" * 3 + b"caf\xe9\n")
    found = linnet_command("filter", model, data, "-o", out, "--keep", "pos", "--format", "text")
    assert found.exit_code == 1
    assert f"{data}:4" in found.stderr
    assert not list(out.iterdir())


def test_what_cannot_work_is_said_before_anything_is_written(
    linnet_command: Run, model: str, tmp_path: Path
) -> None:
    data = tmp_path / "a.txt"
    data.write_text("a dull film\n")
    (tmp_path / "b").mkdir()
    other = tmp_path / "b" / "a.txt"
    other.write_text("a dull film\n")
    out = tmp_path / "kept"
    cases = [
        ((data, "-o", tmp_path, "--keep", "pos"), "is the input itself"),
        ((data, other, "-o", out, "--keep", "pos"), "would both become"),
        ((data, "-o", out, "--dropped", out, "--keep", "pos"), "two folders"),
        ((tmp_path / "no.txt", "-o", out, "--keep", "pos"), "is not a file"),
        ((data, "-o", out, "--keep", "positive"), "no label 'positive'"),
        ((data, "-o", out, "--keep", "pos>=2"), "is no rule"),
        ((data, "-o", out, "--keep", "pos", "--encoding", "utf-16"), "UTF-8"),
    ]
    for arguments, says in cases:
        found = linnet_command("filter", model, *arguments)
        assert found.exit_code == 1, arguments
        assert says in found.stderr
        assert not out.exists()


def test_the_summary_for_people_shows_files_and_what_was_removed(
    linnet_command: Run, model: str, tmp_path: Path
) -> None:
    data = tmp_path / "a.txt"
    data.write_text("".join(text + "\n" for text in TEXTS))
    found = linnet_command("filter", model, data, "-o", tmp_path / "kept", "--keep", "pos")
    assert "60.0 %" in found.stdout
    assert "removed" in found.stdout and "neg 100.0 %" in found.stdout


@pytest.mark.parametrize(
    "text, rule",
    [
        ("hq>=0.9", Rule("hq", ">=", 0.9)),
        (" hq < .5 ", Rule("hq", "<", 0.5)),
        ("hq<=1", Rule("hq", "<=", 1.0)),
        ("hq>0", Rule("hq", ">", 0.0)),
        ("hq", Rule("hq")),
        ("a>=0.5", Rule("a>=0.5")),
        ("a>=0.5>=0.1", Rule("a>=0.5", ">=", 0.1)),
    ],
)
def test_rules_are_read_as_written(text: str, rule: Rule) -> None:
    assert parse_rule(text, ["hq", "a>=0.5"]) == rule


@pytest.mark.parametrize("text", ["hq>=", "hq>=x", ">=0.5", "hq>=nan", "hq>=-0.1", "hq>=1.01"])
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        parse_rule(text, ["hq"])


@given(st.text(max_size=12))
def test_any_text_is_a_rule_or_refused(text: str) -> None:
    try:
        rule = parse_rule(text, ["hq"])
    except ParameterError:
        return
    assert rule.sign is None or 0 <= rule.number <= 1
