"""Each format of lines: what it reads, what it refuses and where."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from linnet.data.examples import read_examples, stream_examples
from linnet.errors import FormatError, ParameterError

from .reading import pairs, read, where

# --- lines


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


# --- encodings


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


# --- JSON lines


def test_json_lines_keep_integer_labels_and_spell_other_values() -> None:
    rows = [{"text": "a", "label": 1}, {"text": "", "label": "x"}, {"text": "c", "label": True}]
    raw = "\n".join(map(json.dumps, rows)) + "\n\n"
    assert read(raw).y == [1, "x", "true"]
    assert read('{"text": "a", "label": 2.5}').y == ["2.5"]


def test_json_lines_with_lists_of_labels_have_several_labels() -> None:
    raw = '{"text": "a", "labels": ["x", 2]}\n{"text": "b", "labels": []}\n'
    assert read(raw).y == [["x", 2], []]
    mixed = '{"text": "a", "label": "x"}\n{"text": "b", "label": ["x", "y"]}\n'
    assert read(mixed).y == [["x"], ["x", "y"]]


@pytest.mark.parametrize(
    ("raw", "line", "message"),
    [
        ('{"text": "a", "label": 1}\n{"text": \n', 2, "not JSON"),
        ('{"text": "a", "label": 1}\n[1]\n', 2, "expected an object"),
        ('{"text": "a", "label": 1}\n{"label": 1}\n', 2, "only the keys label"),
        ('{"text": "a", "label": 1}\n{"text": null, "label": 1}\n', 2, "nulls='empty'"),
        ('{"text": "a", "label": 1}\n{"text": "b"}\n', 2, "missing or null"),
        ('{"text": "a", "label": 1}\n{"text": "b", "label": {}}\n', 2, "but it is {}"),
        ('{"features": {"a": "b"}, "label": 1}\n', 1, "finite number"),
        ('{"features": {"a": NaN}, "label": 1}\n', 1, "finite number"),
        ('{"text": "\\ud800", "label": 1}\n', 1, "lone surrogate"),
        ('{"text": "a", "label": 1' + "[" * 100_000 + "\n", 1, "JSON"),
        ('{"text": "a", "label": ' + "1" * 10_000 + "}\n", 1, "not JSON"),
    ],
)
def test_a_broken_json_line_is_refused_with_its_line(raw: str, line: int, message: str) -> None:
    found = where(raw, format="jsonl")
    assert found[0] == line
    assert message in found[2]


def test_json_texts_may_be_empty_for_null_and_labels_may_be_left() -> None:
    raw = '{"id": 5, "text": null, "label": null}\n'
    found = read(raw, nulls="empty", labels=False, text="text")
    assert (found.X.to_list(), found.y, found.ids) == ([""], None, ["5"])


# --- fastText, Vowpal Wabbit, bags, SVMlight


def test_fasttext_lines_have_one_label_or_several_or_none() -> None:
    assert pairs(read("__label__a x y\r\n\n__label__b \n")) == [("a", "x y"), ("b", "")]
    raw = "__label__a __label__b x __label__c\n__label__a y\nz\n"
    found = read(raw, format="fasttext")
    assert pairs(found) == [(["a", "b"], "x __label__c"), (["a"], "y"), ([], "z")]
    assert read("x\ny\n", format="fasttext").y is None
    assert pairs(read("__label__a \t __label__b  x\n")) == [(["a", "b"], " x")]


def test_vowpal_wabbit_lines_become_bags() -> None:
    found = read("1 2.0 'tag|a b c:2 b |d:3 e:0.5 |  f\r\n-1 | g\n")
    assert found.X == [{"a^b": 2.0, "a^c": 2.0, "d^e": 1.5, "f": 1.0}, {"g": 1.0}]
    assert (found.kind, found.y, found.ids) == ("bag", ["1", "-1"], ["tag", ""])
    assert read("|a b\n").y is None


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        ("1 |a b\n1 a b\n", (2, 6)),
        ("1 |a b:x\n", (1, 8)),
        ("1 x y z|a b\n", (1, 1)),
        ("1 |a b\n|a c\n", (2, 1)),
    ],
)
def test_a_broken_vowpal_wabbit_line_is_refused_with_its_place(
    raw: str, place: tuple[int, int]
) -> None:
    assert where(raw, format="vw")[:2] == place


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


def test_blocks_of_an_svmlight_file_agree_on_where_indices_start() -> None:
    raw = b"1 1:1\n" * 20 + b"1 9:1\n"
    blocks = list(stream_examples(io.BytesIO(raw), format="svmlight", block_bytes=60))
    assert [block.X.shape[1] for block in blocks] == [1, 1, 9]
    zero = list(stream_examples(io.BytesIO(b"1 0:1\n" + raw), format="svmlight", block_bytes=60))
    assert zero[-1].X.indices.tolist()[-1] == 9


# --- files


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
