"""Bags of features and labelled texts (SPEC D-02, D-05)."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data import (
    count_words,
    read_bags,
    read_labelled_text,
    write_bags,
    write_labelled_text,
)
from linnet.errors import DataError, FormatError


@pytest.mark.spec("W-10", "D-12")
def test_words_are_counted_with_case_kept() -> None:
    counts = count_words("A site , located in Maizuru , Kyoto")
    once = {"A", "site", "located", "in", "Maizuru", "Kyoto"}
    assert counts == {**dict.fromkeys(once, 1.0), ",": 2.0}


@pytest.mark.spec("D-02", "A-77")
def test_a_pair_is_split_at_its_last_colon() -> None:
    bags, labels = read_bags(io.StringIO("9:30:2 a_b:1 ::3 #label#:positive\n"))
    assert bags == [{"9:30": 2.0, "a_b": 1.0, ":": 3.0}]
    assert labels == ["positive"]


def test_repeated_features_add_up_and_blank_lines_are_skipped() -> None:
    bags, _ = read_bags(io.StringIO("\na:1  a:2 #label#:x \n\n#label#:y"))
    assert bags == [{"a": 3.0}, {}]


@pytest.mark.parametrize(
    ("line", "column", "words"),
    [
        ("a:1 b:2", 5, "must end with #label#:label, found 'b:2'"),
        ("a:1 #label#:", 5, "must end with"),
        ("a:1 b #label#:x", 5, "expected feature:count, found 'b'"),
        ("a:1 :2 #label#:x", 5, "expected feature:count"),
        ("a:1 b:two #label#:x", 7, "count 'two' of 'b'"),
        ("a:1 b: #label#:x", 7, "count '' of 'b'"),
        ("a:1 b:nan #label#:x", 7, "finite"),
        ("a:1 b:1e999 #label#:x", 7, "finite"),
        ("#label#:y a:1 #label#:x", 1, "must be the last"),
    ],
)
def test_a_bad_bag_is_reported_where_it_is(
    tmp_path: Path, line: str, column: int, words: str
) -> None:
    path = tmp_path / "bags"
    path.write_text(f"a:1 #label#:x\n{line}\n")
    with pytest.raises(FormatError) as caught:
        read_bags(path)
    assert words in str(caught.value)
    assert (caught.value.file, caught.value.line, caught.value.column) == (str(path), 2, column)


# Text without what the formats use themselves, or what UTF-8 cannot hold.
words = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \n\r\ufeff"), min_size=1
).filter(lambda word: word != "#label#")
counts = st.floats(allow_nan=False, allow_infinity=False)


@given(documents=st.lists(st.tuples(st.dictionaries(words, counts), words)))
def test_bags_are_read_back_exactly(
    documents: list[tuple[dict[str, float], str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "bags.gz"
    bags, labels = [bag for bag, _ in documents], [label for _, label in documents]
    write_bags(path, bags, labels)
    assert read_bags(path) == (bags, labels)


@pytest.mark.parametrize(
    ("bag", "label"),
    [({"a b": 1.0}, "x"), ({"": 1.0}, "x"), ({"a": 1.0}, "x\ny"), ({"a": float("nan")}, "x")],
)
def test_bags_the_format_cannot_express_are_refused(
    tmp_path: Path, bag: dict[str, float], label: str
) -> None:
    with pytest.raises(DataError, match="bag 1"):
        write_bags(tmp_path / "bags", [bag], [label])
    assert list(tmp_path.iterdir()) == []


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
