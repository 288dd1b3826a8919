"""One line, row or sentence may not take all memory."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from linnet.data import (
    line_limit,
    read_attributes,
    read_bags,
    read_events,
    read_examples,
    read_labelled_text,
    read_rows,
    read_sequences,
    read_svmlight,
    read_template,
    stream_examples,
    stream_sequences,
)
from linnet.data.files import read_blocks
from linnet.data.limits import DEFAULT_LIMIT, longest_line
from linnet.errors import FormatError, ParameterError

LONG = "x" * 3000


def streamed(reader: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return lambda source: list(reader(source, block_bytes=200, **options))


def whole(reader: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return lambda source: reader(source, **options)


def both(stream: Callable[..., Any], read: Callable[..., Any], **options: Any) -> list[Any]:
    return [streamed(stream, **options), whole(read, **options)]


FLAT = {
    "text": ("a film\n", f"{LONG}\n"),
    "labelled": ("pos\ta film\n", f"pos\t{LONG}\n"),
    "csv": ("a film,pos\n", f"{LONG},pos\n"),
    "tsv": ("a film\tpos\n", f"{LONG}\tpos\n"),
    "jsonl": ('{"text": "a"}\n', f'{{"text": "{LONG}"}}\n'),
    "fasttext": ("__label__a film\n", f"__label__a {LONG}\n"),
    "vw": ("1 | film\n", f"1 | {LONG}\n"),
    "svmlight": ("1 1:1\n", "1 " + " ".join(f"{i}:1" for i in range(1, 800)) + "\n"),
    "amazon": ("good:1 #label#:pos\n", f"{LONG}:1 #label#:pos\n"),
}
TAGGED = {
    "conll": ("a\tX\n\n", f"{LONG}\tX\n\n"),
    "word_tag": ("a/X\n", f"{LONG}/X\n"),
    "spans": ('{"text": "a", "spans": []}\n', f'{{"text": "{LONG}", "spans": []}}\n'),
    "text": ("a film\n", f"{LONG}\n"),
    "crfsuite": ("X\ta=1\n\n", f"X\t{LONG}\n\n"),
}
OTHERS = {
    "attributes": (read_attributes, "a,b\n", f"{LONG},b\n"),
    "bags": (read_bags, "good:1 #label#:pos\n", f"{LONG}:1 #label#:pos\n"),
    "labelled text": (read_labelled_text, "a\tb\n", f"a\t{LONG}\n"),
    "events": (read_events, "a b\n", f"a {LONG}\n"),
    "svmlight": (read_svmlight, "1 1:1\n", FLAT["svmlight"][1]),
    "a template": (read_template, "U00:%x[0,0]\n", f"U00:{LONG}%x[0,0]\n"),
    "rows": (lambda source: read_rows(source, format="c45"), "a,b\n", f"{LONG},b\n"),
}
CASES = {
    **{
        f"{name} {way}": (reader, *lines)
        for name, lines in FLAT.items()
        for way, reader in zip(
            ("streamed", "whole"), both(stream_examples, read_examples, format=name), strict=True
        )
    },
    **{
        f"{name} of sentences {way}": (reader, *lines)
        for name, lines in TAGGED.items()
        for way, reader in zip(
            ("streamed", "whole"), both(stream_sequences, read_sequences, format=name), strict=True
        )
    },
    **OTHERS,
}


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("name", CASES)
def test_a_line_beyond_the_limit_is_refused_with_its_place(
    tmp_path: Path, name: str, suffix: str
) -> None:
    read, short, long = CASES[name]
    path = tmp_path / f"data{suffix}"
    raw = (short * 100 + long + short * 100).encode()
    path.write_bytes(gzip.compress(raw) if suffix else raw)
    with line_limit(2000), pytest.raises(FormatError, match="more than 2,000 bytes") as caught:
        read(path)
    assert "--max-line" in str(caught.value)
    assert caught.value.file == str(path)
    assert caught.value.line == 100 * short.count("\n") + 1
    with line_limit(10_000):
        read(path)


@pytest.mark.parametrize("read", both(stream_examples, read_examples, format="csv"))
def test_a_quoted_row_of_many_lines_has_the_same_limit(read: Callable[..., Any]) -> None:
    raw = b"text,label\na,x\n" + b'"' + b"b\n" * 1500 + b'",y\n' + b"c,z\n" * 500
    with line_limit(2000), pytest.raises(FormatError, match="a row of more than 2,000") as caught:
        read(io.BytesIO(raw))
    assert caught.value.line == 3
    with line_limit(4000):
        read(io.BytesIO(raw))


def test_rows_of_values_in_quotes_have_the_same_limit() -> None:
    raw = b"a,b,class\n" + b'"1",2,x\n' * 5000 + b'"' + b"b\n" * 1500 + b'",2,y\n'
    with line_limit(2000), pytest.raises(FormatError, match="a row of more than 2,000") as caught:
        read_rows(io.BytesIO(raw), format="table")
    assert caught.value.line == 5002


def test_a_sentence_that_does_not_end_has_the_same_limit() -> None:
    raw = b"a\tX\n\n" * 100 + b"b\tX\n" * 1000
    with line_limit(2000), pytest.raises(FormatError, match="a sentence of more than") as caught:
        list(stream_sequences(io.BytesIO(raw), format="conll", block_bytes=200))
    assert caught.value.line == 201


def test_blank_lines_in_front_are_not_collected_without_end() -> None:
    with line_limit(2000), pytest.raises(FormatError, match="no sentence in the first"):
        list(stream_sequences(io.BytesIO(b"\n" * 9000), block_bytes=200))


@pytest.mark.parametrize("size", [1, 7, 64, None])
@pytest.mark.parametrize("length", [9, 10, 11])
@pytest.mark.parametrize("end", [b"", b"\n", b"\nb\n"])
def test_the_limit_is_exact(tmp_path: Path, size: int | None, length: int, end: bytes) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"a\n" + b"x" * length + end)
    for source in (path, io.BytesIO(path.read_bytes())):
        with line_limit(10):
            if length <= 10:
                assert b"".join(block for _, block in read_blocks(source, size))
                continue
            with pytest.raises(FormatError) as caught:
                list(read_blocks(source, size))
            assert caught.value.line == 2


def test_a_limit_ends_with_its_block_and_is_at_least_a_byte() -> None:
    with line_limit(5):
        assert longest_line() == 5
    assert longest_line() == DEFAULT_LIMIT
    with pytest.raises(ParameterError, match="at least 1"), line_limit(0):
        pass
