"""Blocks of lines: encodings, and files that are something else."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from linnet.data.examples import read_examples
from linnet.errors import FormatError, ParameterError

from ..reading import pairs, read, where


def test_bytes_that_are_no_utf8_are_an_error_with_place_and_remedy_or_replaced() -> None:
    raw = "pos\tfein\nneg\tüber Käse ".encode() + b"\xe9!\n"
    line, column, message = where(raw)
    assert (line, column) == (2, 15)
    assert "byte 0xe9 is not utf-8 text; pass the file's encoding" in message
    assert read(raw, errors="replace").X[1] == "über Käse \ufffd!"
    assert where(b"a\tb\n\xc3", format="text")[:2] == (2, 1)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "cp1252", "utf-8-sig"])
@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_other_encodings_are_read_when_named(encoding: str, format: str) -> None:
    text = {"csv": "text,label\nKäse,ü\n", "jsonl": '{"text": "Käse", "label": "ü"}\n'}[format]
    assert pairs(read(text.encode(encoding), format=format, encoding=encoding)) == [("ü", "Käse")]


def test_an_encoding_that_is_none_or_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match="'utf-9' is not an encoding"):
        read("a", encoding="utf-9")
    with pytest.raises(ParameterError, match="not an encoding of text"):
        read("a", encoding="base64")
    with pytest.raises(ParameterError, match="errors must be"):
        read("a", errors="ignore")
    assert where("ab\ncü\n", encoding="ascii")[:2] == (2, 2)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("a\tb c\n".encode("utf-16"), "UTF-16 text; pass encoding='utf-16'"),
        (gzip.compress(b"a\n", mtime=0), "gzip-compressed data; let its name end in .gz"),
        (b"PK\x03\x04\xff", "zip archive"),
        (b"one\rtwo\rthree\r", "carriage returns alone"),
        (b"\x00" * 100, "NUL bytes"),
    ],
)
def test_a_file_that_is_something_else_is_refused_with_a_remedy(raw: bytes, message: str) -> None:
    assert message in where(raw)[2]


def test_a_truncated_archive_and_missing_files_say_so(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.gz"
    lines = b"".join(b"pos\ttext number %d\n" % (i * 7919 % 1000) for i in range(9000))
    path.write_bytes(gzip.compress(lines)[:-2000])
    with pytest.raises(FormatError, match=r"a\.tsv\.gz:\d+: the compressed file is damaged"):
        read_examples(path)
    with pytest.raises(FileNotFoundError):
        read_examples(tmp_path / "none.csv")
    with pytest.raises(IsADirectoryError):
        read_examples(tmp_path)
    (tmp_path / "empty.csv").write_bytes(b"")
    with pytest.raises(FormatError, match=r"empty\.csv: the file is empty"):
        read_examples(tmp_path / "empty.csv")
