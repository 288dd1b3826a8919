"""Lines of texts, and of a label, a tab and a text."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data import (
    read_labelled_text,
    write_labelled_text,
)
from linnet.data.examples import stream_examples
from linnet.errors import DataError, FormatError

from ..reading import pairs, read, where


def test_labelled_lines_keep_tabs_quotes_and_empty_texts() -> None:
    found = read('\ufeffpos\t"a"\tb\r\n\nneg\t\nneg\tc', format="labelled")
    assert pairs(found) == [("pos", '"a"\tb'), ("neg", ""), ("neg", "c")]
    assert found.lines.tolist() == [1, 3, 4]


def test_a_labelled_line_without_tab_or_label_is_refused_with_its_place() -> None:
    assert where("a\tb\n\nüb\n", format="labelled")[:2] == (3, 3)
    assert where("a\tb\n\tc\n", format="labelled")[:2] == (2, 1)
    assert read("a\tb\n\tc\n", format="labelled", labels=False).X.to_list() == ["b", "c"]


def test_plain_lines_are_texts_and_blank_lines_are_empty_texts() -> None:
    found = read("one\n\n two \r\nthree", format="text")
    assert (found.X.to_list(), found.y) == (["one", "", " two ", "three"], None)
    assert where("\n \n\n", format="labelled")[2].startswith("expected label")
    assert "only blank lines" in where("\n\n")[2]


def test_nul_bytes_and_other_line_separators_stay_in_the_text() -> None:
    text = "a\x00b\u2028c\x0bd\x85e"
    assert read(f"x\t{text}\ny\tlong enough to be text\n").X[0] == text


def test_a_line_of_ten_megabytes_is_one_text() -> None:
    long = "word " * 2_000_000
    found = read(f"pos\t{long}\nneg\tshort\n")
    assert (found.format, found.y) == ("labelled", ["pos", "neg"])
    assert found.X.nbytes == len(long) + 5
    raw = io.BytesIO(f"pos\t{long}\nneg\tshort\n".encode())
    blocks = stream_examples(raw, format="labelled", block_bytes=1000)
    assert sum(len(block) for block in blocks) == 2


@pytest.mark.spec("D-05")
def test_the_text_is_all_that_follows_the_first_tab() -> None:
    labels, texts = read_labelled_text(io.StringIO("1\ta\tb \n\n-1\t\n"))
    assert labels == ["1", "-1"]
    assert texts == ["a\tb ", ""]


@pytest.mark.parametrize(("line", "column"), [("no tab", 7), ("\ttext", 1)])
def test_a_line_without_label_or_tab_is_reported(tmp_path: Path, line: str, column: int) -> None:
    path = tmp_path / "texts"
    path.write_text(f"1\tgood\n{line}\n")
    with pytest.raises(FormatError, match="label") as caught:
        read_labelled_text(path)
    assert (caught.value.file, caught.value.line, caught.value.column) == (str(path), 2, column)


labels_ = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\ufeff"), min_size=1
)


texts_ = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"))


@given(documents=st.lists(st.tuples(labels_, texts_)))
def test_labelled_texts_are_read_back_exactly(
    documents: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "texts.txt"
    labels, texts = [label for label, _ in documents], [text for _, text in documents]
    write_labelled_text(path, labels, texts)
    assert read_labelled_text(path) == (labels, texts)


@pytest.mark.parametrize(("label", "text"), [("", "x"), ("a\tb", "x"), ("a", "x\ny"), ("a", "\r")])
def test_texts_the_format_cannot_express_are_refused(tmp_path: Path, label: str, text: str) -> None:
    with pytest.raises(DataError, match="text 1"):
        write_labelled_text(tmp_path / "texts", [label], [text])
    assert list(tmp_path.iterdir()) == []
