"""Reading whole files, streaming them, reading from pipes, and what is imported on the way."""

from __future__ import annotations

import io
import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import example_writer, read_examples, stream_examples, write_examples
from linnet.data.formats import FORMATS
from linnet.errors import DataError, FormatError, LinnetError, ParameterError

LINES = {
    "labelled": "".join(f"{'ab'[i % 2]}\ttext number {i} ü\n" for i in range(300)),
    "text": "".join(f"text number {i} ü\n" for i in range(300)),
    "jsonl": "".join(json.dumps({"text": f"text {i}", "label": i % 3}) + "\n" for i in range(300)),
    "fasttext": "".join(f"__label__{'ab'[i % 2]} text {i}\n" for i in range(300)),
    "amazon": "".join(f"w{i}:1 w:2 #label#:{'ab'[i % 2]}\n" for i in range(300)),
    "vw": "".join(f"{i % 2} |n w{i}:1 w:2\n" for i in range(300)),
    "svmlight": "".join(f"{i % 2} {i % 7 + 1}:1.5 9:2\n" for i in range(300)),
    "csv": "text,label\n" + "".join(f'"text, {i}",{"ab"[i % 2]}\n' for i in range(300)),
}


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
@pytest.mark.parametrize("format", LINES)
def test_a_stream_of_blocks_is_the_whole_file_plain_or_packed(
    tmp_path: Path, format: str, suffix: str
) -> None:
    path = tmp_path / f"data{suffix}"
    with_all = read_examples(io.BytesIO(LINES[format].encode()), format=format)
    write_examples(path, with_all, format)
    whole = read_examples(path)
    blocks = list(stream_examples(path, block_bytes=1000))
    assert whole.format == format
    assert len(blocks) > 2
    assert [row for block in blocks for row in _rows(block)] == _rows(whole) == _rows(with_all)
    lines = [line for block in blocks for line in block.lines.tolist()]
    assert lines == whole.lines.tolist() == with_all.lines.tolist()
    assert all(block.decisions == blocks[0].decisions for block in blocks)


def _rows(examples: Any) -> list[Any]:
    values = list(examples.X if examples.kind == "text" else examples.bags())
    return list(zip(values, examples.y or values, strict=True))


@pytest.mark.parametrize("format", LINES)
def test_a_limit_gives_the_first_examples(format: str) -> None:
    source = LINES[format].encode()
    whole = read_examples(io.BytesIO(source))
    some = read_examples(io.BytesIO(source), limit=7)
    assert _rows(some) == _rows(whole)[:7]
    assert some.lines.tolist() == whole.lines.tolist()[:7]
    parts = stream_examples(io.BytesIO(source), limit=150, block_bytes=500)
    assert sum(len(part) for part in parts) == 150
    assert len(read_examples(io.BytesIO(source), limit=10_000)) == 300


@settings(max_examples=50)
@given(st.lists(st.text(st.sampled_from("ab \tü"), max_size=8), min_size=1), st.integers(1, 30))
def test_lines_of_any_length_stream_in_blocks_of_any_size(texts: list[str], size: int) -> None:
    raw = "".join(f"x\t{text}\n" for text in texts).encode()
    blocks = list(stream_examples(io.BytesIO(raw), format="labelled", block_bytes=size))
    assert [text for block in blocks for text in block.X] == texts
    assert [line for block in blocks for line in block.lines] == list(range(1, len(texts) + 1))


FRAGMENTS = (
    b'\n~\n~\r~\t~,~"~""~:~|~#label#:~__label__~{~}~[~x~7~ ~\x00~\xff~\xc3\xbc~PAR1~ARROW1~'
    b'\xef\xbb\xbf~{"text": "a", "label": 1}\n~text,label\n~1 2:3\n'
).split(b"~")
pieces = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map(b"".join)


@settings(max_examples=300)
@given(
    pieces,
    st.sampled_from(["", ".csv", ".tsv", ".txt", ".jsonl", ".svm", ".vw", ".ft", ".review"]),
    st.sampled_from([None, *FORMATS]),
    st.sampled_from(["strict", "replace"]),
)
def test_any_bytes_are_read_in_good_order_or_refused_in_words(
    raw: bytes, suffix: str, format: str | None, errors: Any
) -> None:
    source = io.BytesIO(raw)
    source.name = f"data{suffix}"  # type: ignore[attr-defined]
    try:
        found = read_examples(source, format=format, errors=errors)
    except LinnetError as error:
        assert str(error)
        return
    assert len(found) == (found.X.shape[0] if found.kind == "vector" else len(found.X)) > 0
    assert found.y is None or len(found.y) == len(found)
    assert found.kind != "text" or all(isinstance(text, str) for text in found.X)
    assert (np.diff(found.lines) > 0).all()


def test_a_text_stream_is_read_like_a_file() -> None:
    assert read_examples(io.StringIO("a\tü b\nb\tc d\n")).X.to_list() == ["ü b", "c d"]


def test_a_pipe_is_answered_line_by_line() -> None:
    read_end, write_end = os.pipe()
    lines = ["one fine line", "and another", "the last has no end"]
    answers: queue.Queue[str] = queue.Queue()
    heard: list[str] = []

    def send() -> None:
        with open(write_end, "wb", buffering=0) as out:
            for line in lines[:-1]:
                out.write(f"{line}\n".encode())
                heard.append(answers.get(timeout=20))  # before the next line is sent
            out.write(lines[-1].encode())

    sender = threading.Thread(target=send)
    sender.start()
    numbers = []
    with open(read_end, "rb") as source:
        for block in stream_examples(source):
            numbers += block.lines.tolist()
            answers.put(" ".join(block.X))
    sender.join()
    assert heard == lines[:-1]
    assert (answers.get(timeout=1), numbers) == (lines[-1], [1, 2, 3])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_with_a_name_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    sender = threading.Thread(target=path.write_text, args=(LINES["csv"],))
    sender.start()
    found = read_examples(path)
    sender.join()
    assert (found.format, len(found)) == ("csv", 300)


def test_standard_input_is_sniffed_without_losing_its_start() -> None:
    script = (
        "from linnet.data.examples import read_examples\n"
        "found = read_examples('-')\n"
        "print(found.format, len(found), found.X[0], found.y[-1])\n"
    )
    done = _python(script, LINES["csv"])
    assert done.stdout == "csv 300 text, 0 b\n"


def test_a_parquet_file_is_read_from_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write_examples(path, read_examples(io.BytesIO(LINES["labelled"].encode())))
    script = "from linnet.data.examples import *; print(len(read_examples('-')))"
    with path.open("rb") as source:
        done = subprocess.run(
            [sys.executable, "-c", script],
            stdin=source,
            capture_output=True,
            check=True,
            timeout=300,
        )
    assert done.stdout.split() == [b"300"]


@pytest.mark.parametrize("format", ["labelled", "text", "jsonl", "fasttext", "csv"])
def test_reading_texts_from_lines_imports_nothing_heavy(format: str) -> None:
    script = (
        "import sys\n"
        "from linnet.data.examples import stream_examples\n"
        "assert sum(len(block) for block in stream_examples('-')) == 300\n"
        "heavy = {'scipy', 'sklearn', 'pyarrow', 'pandas', 'rich', 'typer'} & set(sys.modules)\n"
        "print(sorted(heavy))\n"
    )
    assert _python(script, LINES[format]).stdout == "[]\n"


def _python(script: str, text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )


def test_one_class_integers_and_no_labels_are_fine_with_the_reader() -> None:
    assert read_examples(io.BytesIO(b"1\ta b\n1\tc d\n")).y == ["1", "1"]
    assert read_examples(io.BytesIO(b'{"text": "a", "label": 1}\n')).y == [1]
    bare = read_examples(io.BytesIO(b"text\nsome words\nmore words\n"), format="csv")
    assert bare.y is None
    assert "no label column: only one column" in bare.decisions
    assert read_examples(io.BytesIO(LINES["labelled"].encode()), labels=False).y is None


def test_settings_that_cannot_work_are_refused() -> None:
    for options in ({"limit": 0}, {"nulls": "drop"}, {"label_separator": ""}, {"format": "x"}):
        with pytest.raises(ParameterError):
            read_examples(io.BytesIO(b"a\n"), **options)  # type: ignore[arg-type]
    with pytest.raises(ParameterError):
        list(stream_examples(io.BytesIO(b"a\n"), block_bytes=0))


def test_the_file_is_closed_when_a_stream_is_left_early(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(LINES["labelled"])
    stream = stream_examples(path, block_bytes=100)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert read_examples(path, limit=1).X.to_list() == ["text number 0 ü"]


def test_an_error_on_the_way_leaves_the_old_output(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    source = io.BytesIO(b"a\tgood\n" * 50 + b"no tab\n")
    with pytest.raises(FormatError, match="no tab"), example_writer(path) as write:
        for block in stream_examples(source, format="labelled", block_bytes=20):
            write(block)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_labels_that_change_their_kind_cannot_go_into_one_parquet_column(tmp_path: Path) -> None:
    raw = b'{"text": "a", "label": 1}\n{"text": "b", "label": "x"}\n'
    path = tmp_path / "a.parquet"
    with pytest.raises(DataError, match="change their kind"), example_writer(path) as write:
        for block in stream_examples(io.BytesIO(raw), block_bytes=20):
            write(block)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
@pytest.mark.parametrize("order", ["le", "be"])
def test_wide_text_without_a_byte_order_mark_is_a_format_error(encoding: str, order: str) -> None:
    raw = "pos\tgut\nneg\tschlecht\n".encode(f"{encoding}-{order}")
    with pytest.raises(FormatError, match=f"{encoding}-{order}|not {encoding} text"):
        read_examples(io.BytesIO(raw), encoding=encoding)
    found = read_examples(io.BytesIO(raw), encoding=f"{encoding}-{order}")
    assert found.y == ["pos", "neg"]
