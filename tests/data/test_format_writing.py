"""Round trips: what is written is read back, or refused and leaves no file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import read_examples, write_examples
from linnet.errors import DataError, ParameterError

from .reading import pairs, read

words = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6)
texts = st.lists(words, min_size=1, max_size=6).map(" ".join).filter(lambda t: t == t.strip())
ANY = ["csv", "tsv", "jsonl", "parquet", "arrow"]


@pytest.mark.parametrize("format", [*ANY, "labelled", "fasttext"])
@settings(max_examples=25)
@given(st.lists(st.tuples(words, texts), min_size=1, max_size=8))
def test_texts_written_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, format: str, rows: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("round") / "file"
    raw = "".join(json.dumps({"text": text, "label": label}) + "\n" for label, text in rows)
    examples = read(raw, format="jsonl")
    if format == "fasttext" and any(text.startswith("__label__") for _, text in rows):
        return
    write_examples(path, examples, format)
    again = read_examples(path, format=format, header=format in ("csv", "tsv") or None)
    assert pairs(again) == pairs(examples) == rows


@pytest.mark.parametrize("format", ANY)
def test_line_breaks_quotes_and_empty_texts_survive(tmp_path: Path, format: str) -> None:
    rows = [("x", 'a\n"b"\tc'), ("y", ""), ("x", "\r\n"), ("y", '"'), ("x", "a,b;c")]
    raw = "".join(json.dumps({"text": text, "label": label}) + "\n" for label, text in rows)
    write_examples(tmp_path / "file", read(raw, format="jsonl"), format)
    found = read_examples(tmp_path / "file", format=format, quoting=True)
    assert pairs(found) == rows


@pytest.mark.parametrize("format", ["jsonl", "vw", "amazon"])
def test_bags_survive(tmp_path: Path, format: str) -> None:
    bags = read("good:2 ns^a:0.5 #label#:pos\nbad:1 #label#:neg\n")
    write_examples(tmp_path / "file", bags, format)
    again = read_examples(tmp_path / "file", format=format)
    assert (again.X, again.y) == (bags.X, bags.y)


def test_vectors_survive_as_svmlight_and_by_way_of_bags(tmp_path: Path) -> None:
    vectors = read("1 1:0.5 3:2\n-1 2:1\n", format="svmlight")
    for name in ("a.svm", "a.jsonl", "a.vw", "a.review", "b.svm"):
        write_examples(tmp_path / name, vectors)
        assert read_examples(tmp_path / name).y == ["1", "-1"]
        again = read_examples(tmp_path / name)
        assert list(again.bags()) == list(vectors.bags()) == [{"1": 0.5, "3": 2.0}, {"2": 1.0}]
        vectors = again if name != "a.svm" else vectors


@pytest.mark.parametrize(
    ("raw", "format", "message"),
    [
        ("pos\ta\nneg\tb\n", "svmlight", "svmlight cannot hold texts; these can: jsonl, vw, csv"),
        ("pos\ta\nneg\tb\n", "text", "cannot hold labels"),
        ("a:1 #label#:x\n", "svmlight", "these have names"),
        ("a:1 #label#:x\n", "csv", "cannot hold bags"),
        ("a:1 #label#:x\n", "parquet", "cannot hold bags"),
        ("a\nb\n", "labelled", "need labels"),
        ("__label__a __label__b c\n", "labelled", "one label a line"),
        ("__label__a __label__b c\n", "csv", "pass label_separator"),
        ("__label__a __label__b c\n", "vw", "one label, not 2"),
        ('{"text": "a\\nb", "label": 1}\n', "labelled", "line break"),
        ('{"text": "a\\nb", "label": 1}\n', "fasttext", "line break"),
        ('{"text": "a", "label": "b c"}\n', "fasttext", "white space"),
        ('{"text": "__label__x", "label": "b"}\n', "fasttext", "starts with __label__"),
        ("a\n\nb\n", "fasttext", "blank line"),
        ('{"text": "a", "label": "b|c"}\n', "vw", "cannot hold the label"),
        ('{"text": "a", "label": "b\\tc"}\n', "labelled", "holds a tab"),
        ('{"features": {"a b": 1}, "label": "x"}\n', "vw", "cannot hold 'a b'"),
        ('{"features": {"a b": 1}, "label": "x"}\n', "amazon", "cannot be written"),
    ],
)
def test_what_a_format_cannot_express_is_refused_and_leaves_no_file(
    tmp_path: Path, raw: str, format: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        write_examples(tmp_path / "file", read(raw), format)
    assert not list(tmp_path.iterdir())


def test_labels_of_a_list_are_written_where_the_format_can(tmp_path: Path) -> None:
    found = read("__label__a __label__b c\n__label__a d\n")
    for format in ("jsonl", "fasttext", "parquet"):
        write_examples(tmp_path / format, found, format)
        assert read_examples(tmp_path / format).y == [["a", "b"], ["a"]]
    write_examples(tmp_path / "a.csv", found, label_separator="+")
    assert read_examples(tmp_path / "a.csv", label_separator="+").y == [["a", "b"], ["a"]]


def test_unlabelled_texts_survive_in_one_column(tmp_path: Path) -> None:
    rows = ["", "a\r", '"', "a,b", "\n"]
    raw = "".join(json.dumps({"text": text}) + "\n" for text in rows)
    write_examples(tmp_path / "a.csv", read(raw))
    found = read_examples(tmp_path / "a.csv")
    assert (found.X.to_list(), found.y) == (rows, None)


def test_a_suffix_that_names_no_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="names no format; pass one of amazon"):
        write_examples(tmp_path / "a.xyz", read("a\n"))
    with pytest.raises(ParameterError, match="own compression"):
        write_examples(tmp_path / "a.parquet.gz", read("a\n"))
