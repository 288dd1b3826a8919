"""Writing examples and sentences: what comes back, and what a format cannot hold."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import (
    read_examples,
    read_sequences,
    sequence_writer,
    write_examples,
    write_sequences,
)
from linnet.errors import DataError, ParameterError

from .reading import pairs, read, read_sentences

CHUNKED = b"He PRP B-NP\nran VBD B-VP\n\nWho WP B-NP\n\n"


CONLLU = b"""\
# newdoc
# text = al mar
1-2\tal\t_\t_\t_\t_\t_\t_\t_\t_
1\ta\ta\tADP\tA\t_\t3\tcase\t_\t_
2\tel\tel\tDET\tD\t_\t3\tdet\t_\t_
2.1\tx\tx\t_\t_\t_\t_\t_\t0:y\t_
3\tmar\tmar\tNOUN\tN\t_\t0\troot\t_\t_
3.1\tz\tz\t_\t_\t_\t_\t_\t0:y\t_

# sent_id = 2
1\tAy\tay\tINTJ\tI\t_\t0\troot\t_\t_

"""


CRFSUITE = b"O\tw=\\:\ta\\\\:0.5\nB-X\tbias\n\nO\n\n"


BYTES = {
    "conll": CHUNKED,
    "conllu": CONLLU,
    "crfsuite": CRFSUITE,
    "spans": (
        '{"id": "a", "text": "Größe 🙂!", "spans": [{"start": 6, "end": 7, "label": "E"}]}\n'
    ).encode(),
    "text": b"one  line\n\nand another\n",
    "word_tag": b"1/2/cd the/at a/ race\nYes/uh\n",
}


@pytest.mark.spec("D-06", "D-07")
@pytest.mark.parametrize("format", BYTES)
@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_what_was_read_is_written_byte_by_byte(tmp_path: Path, format: str, suffix: str) -> None:
    path = tmp_path / f"file{suffix}"
    write_sequences(path, read_sentences(BYTES[format], format=format))
    found = read_sequences(path, format=format)
    plain = tmp_path / "plain"
    write_sequences(plain, found)
    assert plain.read_bytes() == BYTES[format]


@pytest.mark.spec("D-06")
def test_documents_and_comments_are_written_where_they_were(tmp_path: Path) -> None:
    data = b"-DOCSTART- -X- O\n\n# one\na b c\n\n-DOCSTART- -X- O\n\n# two\n# three\nd e f\n\n"
    write_sequences(tmp_path / "a.conll", read_sentences(data, format="conll", comments="#"))
    assert (tmp_path / "a.conll").read_bytes() == data


@pytest.mark.spec("D-06")
def test_real_files_come_back_byte_by_byte(data_dir: Callable[[str], Path], tmp_path: Path) -> None:
    for name in (
        "conll2000/test.txt.gz",
        "ud_en_ewt/en_ewt-ud-test.conllu.gz",
        "brown/test.txt.gz",
    ):
        folder, file = name.split("/")
        found = read_sequences(data_dir(folder) / file)
        write_sequences(tmp_path / "out", found, found.format)
        with gzip.open(data_dir(folder) / file) as raw:
            assert (tmp_path / "out").read_bytes().rstrip() == raw.read().rstrip()


def test_predicted_tags_take_the_place_of_the_old_ones_or_a_column_of_their_own(
    tmp_path: Path,
) -> None:
    tags = [["X", "Y"], ["Z"]]
    write_sequences(tmp_path / "a", read_sentences(CHUNKED), tags=tags)
    assert (tmp_path / "a").read_text() == "He PRP X\nran VBD Y\n\nWho WP Z\n\n"
    write_sequences(tmp_path / "a", read_sentences(CHUNKED, tag=None), tags=tags)
    assert (tmp_path / "a").read_text() == "He PRP B-NP X\nran VBD B-VP Y\n\nWho WP B-NP Z\n\n"
    for wrong in ([["X"], ["Z"]], [["X", "Y"]]):
        with pytest.raises(DataError, match="one tag a token"):
            write_sequences(tmp_path / "a", read_sentences(CHUNKED), tags=wrong)


def test_the_suffix_chooses_the_format(tmp_path: Path) -> None:
    found = read_sentences(CHUNKED)
    write_sequences(tmp_path / "a.jsonl", found)
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert rows[0]["text"] == "He ran"
    assert rows[0]["spans"] == [
        {"start": 0, "end": 2, "label": "NP"},
        {"start": 3, "end": 6, "label": "VP"},
    ]
    write_sequences(tmp_path / "a.conllu", found)
    again = read_sequences(tmp_path / "a.conllu")
    assert (again.sentences(), again.tags) == (found.sentences(), found.tags)
    with sequence_writer(tmp_path / "b", "word_tag") as write:
        write(found.take([1]))
        write(found.take([0]), [["X", "Y"]])
    assert (tmp_path / "b").read_text() == "Who/B-NP\nHe/X ran/Y\n"


@pytest.mark.parametrize(
    ("data", "read_as", "write_as", "message"),
    [
        (b"a b\tO\n", "conll", "word_tag", "cannot be written"),
        (CHUNKED, "conll", "crfsuite", "features"),
        (CHUNKED, "conll", "text", "tags"),
        (CRFSUITE, "crfsuite", "conllu", "no words"),
        (b"x/A y\n", "word_tag", "conll", "is empty"),
        (b"x/A y/B\n", "word_tag", "spans", "not a chunk tag"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_and_leaves_no_file(
    tmp_path: Path, data: bytes, read_as: str, write_as: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        write_sequences(tmp_path / "out", read_sentences(data, format=read_as), write_as)
    assert not list(tmp_path.iterdir())


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no sequence format 'csv'"):
        write_sequences(tmp_path / "a", read_sentences(CHUNKED), "csv")


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
