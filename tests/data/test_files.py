"""Opening, decompressing and writing files."""

from __future__ import annotations

import gzip
import io
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from linnet.data.files import open_text, read_blocks, write_atomically
from linnet.data.formats.blocks import read_lines
from linnet.errors import FormatError

SUFFIXES = ["", ".gz", ".zst"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_text_written_is_the_text_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.txt{suffix}"
    text = "größer\n\n終わり\n" * 1000
    with write_atomically(path) as out:
        out.write(text)
    with open_text(path) as file:
        assert file.read() == text
    assert [line for _, line in read_lines(path)] == text.split("\n")[:-1]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_the_same_text_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    paths = [tmp_path / f"{name}.txt{suffix}" for name in "ab"]
    for path in paths:
        with write_atomically(path) as out:
            out.write("same\n")
    assert paths[0].read_bytes() == paths[1].read_bytes() != b"same\n"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_error_while_writing_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError), write_atomically(path) as out:
        out.write("half")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_writing_into_a_missing_folder_names_the_folder(tmp_path: Path) -> None:
    with (
        pytest.raises(FileNotFoundError, match="no folder .*nowhere"),
        write_atomically(tmp_path / "nowhere" / "a"),
    ):
        pass


def test_a_written_file_has_ordinary_permissions(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    with write_atomically(tmp_path / "ours"):
        pass
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_writing_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with write_atomically(tmp_path / "link") as out:
        out.write("x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "x"


def test_dash_is_standard_input_and_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo")))
    assert list(read_lines("-")) == [(1, "one"), (2, "two")]
    with write_atomically("-") as out:
        out.write("three\n")
    assert capsys.readouterr().out == "three\n"


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_blocks_hold_whole_lines_and_know_their_line_number(size: int) -> None:
    data = b"a\n\nlonger line\nlast"
    blocks = list(read_blocks(io.BytesIO(data), size))
    assert b"".join(block for _, block in blocks) == data
    for (first, block), (then, _) in pairwise(blocks):
        assert block.endswith(b"\n")
        assert then == first + block.count(b"\n")


def test_lines_end_at_line_feeds_only() -> None:
    data = "a\r\nb\x0bc\u2028d\re\n".encode()
    assert [line for _, line in read_lines(io.BytesIO(data))] == ["a", "b\x0bc\u2028d\re"]


def test_a_byte_order_mark_is_dropped() -> None:
    assert list(read_lines(io.BytesIO(b"\xef\xbb\xbf1\tx"))) == [(1, "1\tx")]


def test_bytes_that_do_not_decode_are_reported_with_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "latin"
    path.write_bytes("gut\nschön ä".encode("latin-1"))
    with pytest.raises(FormatError, match="encoding") as caught:
        list(read_lines(path))
    assert (caught.value.file, caught.value.line, caught.value.column) == (str(path), 2, 4)
    assert [line for _, line in read_lines(path, "latin-1")] == ["gut", "schön ä"]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
@pytest.mark.parametrize("damage", ["cut", "garbage"])
def test_a_damaged_archive_is_a_format_error(tmp_path: Path, suffix: str, damage: str) -> None:
    path = tmp_path / f"a{suffix}"
    with write_atomically(path) as out:
        out.writelines(f"{i * i}\n" for i in range(50_000))
    packed = path.read_bytes()
    path.write_bytes(packed[: len(packed) // 2] if damage == "cut" else b"not packed at all")
    with pytest.raises(FormatError, match="damaged") as caught:
        list(read_lines(path))
    assert caught.value.file == str(path)
    assert (caught.value.line or 0) > 1 if damage == "cut" else caught.value.line == 1


def test_an_empty_gzip_member_reads_as_nothing(tmp_path: Path) -> None:
    path = tmp_path / "empty.gz"
    path.write_bytes(gzip.compress(b""))
    assert list(read_lines(path)) == []
