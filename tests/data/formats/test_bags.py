"""Bags of features: Amazon reviews and event files (SPEC D-02, E-03)."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet.data import (
    count_words,
    read_bags,
    read_events,
    write_bags,
    write_events,
)
from linnet.errors import DataError, FormatError

from ..reading import read, where


def test_bags_and_vectors_have_lines_labels_and_physical_places() -> None:
    bags = read("good:2 9:30:1 #label#:pos\n\nbad:1 #label#:neg\n")
    assert (bags.X[0], bags.y) == ({"good": 2.0, "9:30": 1.0}, ["pos", "neg"])
    assert bags.lines.tolist() == [1, 3]
    assert where("a:1 #label#:x\n\nb:y #label#:x\n", format="amazon")[:2] == (3, 3)
    bare = read("a:1\nb:2 #label#:x\n", format="amazon", labels=False)
    assert (bare.X, bare.y) == ([{"a": 1.0}, {"b": 2.0}], None)
    vectors = read("# head\n+1 1:0.5 3:2\n\n-1 2:1\n1.5\n", format="svmlight")
    assert (vectors.kind, vectors.y) == ("vector", ["1.0", "-1.0", "1.5"])
    assert vectors.lines.tolist() == [2, 4, 5]
    assert read("1 1:1\n", format="svmlight", n_features=7).X.shape == (1, 7)
    assert where("1 1:1\n1 2:x\n", format="svmlight")[:2] == (2, 5)


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


names = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1).filter(
    lambda text: len(text.split()) == 1
)


values = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.spec("E-03")
@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(names, st.dictionaries(names, values, max_size=4)), max_size=5))
def test_events_come_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, events: list[tuple[str, dict[str, float]]]
) -> None:
    path = tmp_path_factory.mktemp("events") / "train.txt"
    labels, bags = [label for label, _ in events], [bag for _, bag in events]
    write_events(path, bags, labels)
    assert read_events(path) == (bags, labels)


@pytest.mark.spec("E-03")
def test_events_are_learnt_from() -> None:
    lines = "yes sunny wind:0.5\n\nno rain wind:2 wind:1\nyes sunny\n"
    bags, labels = read_events(io.StringIO(lines))
    assert bags[1] == {"rain": 1.0, "wind": 3.0}
    assert linnet.MaxEnt().fit(bags, labels).predict([{"sunny": 1.0}]).tolist() == ["yes"]


def test_bad_events_are_refused_with_their_place(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="too large") as caught:
        read_events(io.StringIO("yes a\nno b c:1e999\n"))
    assert (caught.value.line, caught.value.column) == (2, 8)
    for bag, label in (
        ({"a b": 1.0}, "x"),
        ({"": 1.0}, "x"),
        ({"a": 1.0}, " "),
        ({"a": 1e999}, "x"),
    ):
        with pytest.raises(DataError, match="event 1"):
            write_events(tmp_path / "bad.txt", [bag], [label])
    assert not (tmp_path / "bad.txt").exists()
