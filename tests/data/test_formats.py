"""Each format: what it reads, what it refuses and where, what it writes."""

from __future__ import annotations

import csv
import gzip
import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.examples import Examples, read_examples, stream_examples, write_examples
from linnet.data.formats._cells import cells_exact, cells_fast, parse_cells
from linnet.errors import DataError, FormatError, ParameterError


def read(raw: bytes | str, **options: Any) -> Examples:
    return read_examples(io.BytesIO(raw.encode() if isinstance(raw, str) else raw), **options)


def where(raw: bytes | str, **options: Any) -> tuple[int | None, int | None, str]:
    with pytest.raises(FormatError) as caught:
        read(raw, **options)
    return caught.value.line, caught.value.column, caught.value.message


def pairs(found: Examples) -> list[tuple[Any, Any]]:
    assert found.y is not None
    return list(zip(found.y, found.X, strict=True))


# --- delimited tables


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("last", [True, False])
def test_a_csv_file_reads_the_same_with_any_line_end_mark_and_last_line(
    end: str, mark: str, last: bool
) -> None:
    lines = ["text,label", '"a, ""b""",x', ",y", '"",x']
    raw = mark + end.join(lines) + (end if last else "")
    assert pairs(read(raw, format="csv")) == [("x", 'a, "b"'), ("y", ""), ("x", "")]


def test_lines_are_physical_lines_even_after_quoted_line_breaks() -> None:
    found = read('text,label\n"a\nb\r\nc",x\n\nd,y\n', format="csv")
    assert pairs(found) == [("x", "a\nb\r\nc"), ("y", "d")]
    assert found.lines.tolist() == [2, 6]
    line, _, message = where('text,label\n"a\nb",x\nd,y,z\n', format="csv")
    assert (line, message[:45]) == (4, "the row has 3 cells, but the header (text, la")


@pytest.mark.parametrize(
    ("raw", "line", "column", "message"),
    [
        ('text,label\na,x\n"b,y\nc,z\n', 3, 1, "never closed"),
        ('text,label\na,x\n"b" c,y\n', 3, 4, "must end at its closing quote"),
        ("text,label\na\n", 2, None, "the row has 1 cells, but the header"),
        ("text,label\na,\n", 2, None, "the label (column 'label') is empty"),
        ("text,label\n", None, None, "a header but no rows"),
        ("\n\n", None, None, "only blank lines"),
    ],
)
def test_a_broken_csv_file_is_refused_with_its_place(
    raw: str, line: int | None, column: int | None, message: str
) -> None:
    found = where(raw, format="csv")
    assert found[:2] == (line, column)
    assert message in found[2]


def test_a_quote_that_is_never_closed_does_not_swallow_a_stream(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("linnet.data.formats.delimited.LONGEST_ROW", 1000)
    source = io.BytesIO(b'text,label\na,x\n"b,y\n' + b"c,z\n" * 10_000)
    with pytest.raises(FormatError, match="a quote is probably never closed") as caught:
        list(stream_examples(source, format="csv", block_bytes=200))
    assert caught.value.line == 3


def test_a_quote_inside_a_bare_cell_is_part_of_the_text() -> None:
    found = read('text,label\n5" disk,x\n"a ""b""",y\nsaid "no",x\n', format="csv")
    assert found.X.to_list() == ['5" disk', 'a "b"', 'said "no"']


cell = st.text(st.sampled_from('ab,"\n\r ü\t'), max_size=6)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=8)
)


@settings(max_examples=200)
@given(tables, st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
def test_cells_written_by_the_csv_module_are_read_back_fast_and_exactly(
    rows: list[list[str]], quoting: Any
) -> None:
    out = io.StringIO()
    csv.writer(out, quoting=quoting, lineterminator="\r\n").writerows(rows)
    raw = out.getvalue().encode()
    fast = cells_fast(raw, 1, ",", True)
    exact = cells_exact(raw, 1, "", ",", final=True)
    assert fast is not None
    assert _rows(fast) == _rows(exact) == rows
    assert fast.lines.tolist() == exact.lines.tolist()
    assert fast.used == exact.used == len(raw)


def _rows(cells: Any) -> list[list[str]]:
    texts = [
        cells.block[a:b].decode()
        for a, b in zip(cells.start.tolist(), cells.end.tolist(), strict=True)
    ]
    bounds = np.concatenate([[0], np.cumsum(cells.widths)]).tolist()
    return [texts[a:b] for a, b in pairwise(bounds)]


@settings(max_examples=200)
@given(st.text(st.sampled_from('ab,"\n\r'), max_size=30))
def test_the_fast_reading_of_any_bytes_is_the_exact_one_or_none(text: str) -> None:
    raw = text.encode()
    fast = cells_fast(raw, 1, ",", True)
    try:
        exact = cells_exact(raw, 1, "", ",", final=True)
    except FormatError:
        assert fast is None or fast.used < len(raw)
        return
    if fast is not None and fast.used == len(raw):
        assert _rows(fast) == _rows(exact)
        assert fast.lines.tolist() == exact.lines.tolist()
    assert _rows(parse_cells(raw, 1, "", ",", True, final=True)) == _rows(exact)


@settings(max_examples=50)
@given(
    st.lists(st.tuples(cell, st.sampled_from(["x", "y"])), min_size=1, max_size=12),
    st.integers(1, 40),
)
def test_blocks_of_any_size_give_the_examples_of_the_whole_file(
    rows: list[tuple[str, str]], size: int
) -> None:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([("text", "label"), *rows])
    raw = out.getvalue().encode()
    whole = read(raw, format="csv")
    blocks = list(stream_examples(io.BytesIO(raw), format="csv", header=True, block_bytes=size))
    assert [pair for block in blocks for pair in pairs(block)] == pairs(whole)
    assert [n for block in blocks for n in block.lines] == whole.lines.tolist()
    assert pairs(whole) == [(label, text) for text, label in rows]


def test_other_columns_ids_and_separators_of_labels() -> None:
    raw = "id,label,text,url\n7,a; b,one two,u\n8,,three,u\n"
    found = read(raw, format="csv", label_separator=";")
    assert (found.y, found.ids) == ([["a", "b"], []], ["7", "8"])
    assert found.multilabel
    assert read(raw, format="csv", text="url", labels=False).X.to_list() == ["u", "u"]


def test_options_overrule_what_was_found() -> None:
    raw = "text;label\na b;c\n"
    assert pairs(read(raw, format="csv", header=False)) == [("label", "text"), ("c", "a b")]
    assert read(raw, format="csv", delimiter=",", header=True).X.to_list() == ["a b;c"]
    assert pairs(read("1;a b\n", delimiter=";", text=2, label=1)) == [("1", "a b")]
    assert read('a\t"xyz"\nb\t"y"\n', format="tsv", quoting=True).X.to_list() == ["xyz", "y"]
    assert read('a\t"xyz"\nb\t"y"\n').X.to_list() == ['"xyz"', '"y"']


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


# --- Parquet and Arrow


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_columns_of_a_table_file_keep_their_types(tmp_path: Path, format: str) -> None:
    table = pa.table({"n": [1.5, 2.5], "body": ["a b", ""], "label": [3, 4], "id": ["p", "q"]})
    path = tmp_path / "file.bin"
    if format == "parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        pyarrow.feather.write_feather(table, path)
    found = read_examples(path)
    assert (found.format, found.X.to_list(), found.y) == (format, ["a b", ""], [3, 4])
    assert (found.ids, found.lines.tolist()) == (["p", "q"], [1, 2])
    assert read_examples(io.BytesIO(path.read_bytes())).y == [3, 4]
    with pytest.raises(FormatError, match="no column 'tex'.*'n', 'body', 'label'"):
        read_examples(path, text="tex")
    with pytest.raises(FormatError, match=f"this is a {format} file, not csv"):
        read_examples(path, format="csv")


def test_a_parquet_file_is_streamed_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table({"text": [f"text {i}" for i in range(5000)], "label": ["x", "y"] * 2500})
    pyarrow.parquet.write_table(table, path, row_group_size=1000)
    blocks = list(stream_examples(path, block_bytes=10_000))
    assert len(blocks) > 5
    assert [text for block in blocks for text in block.X] == table["text"].to_pylist()
    assert [n for block in blocks for n in block.lines] == list(range(1, 5001))
    assert len(read_examples(path, limit=1500)) == 1500


def test_an_arrow_file_whose_offsets_lead_astray_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    table = pa.table({"text": ["a b", "c d e"] * 3})
    pyarrow.feather.write_feather(table, path, compression="uncompressed")
    raw = bytearray(path.read_bytes())
    offsets = np.array([0, 3, 8, 11, 16, 19, 24], np.int32).tobytes()
    at = bytes(raw).index(offsets)
    raw[at + 8 : at + 12] = np.int32(10**6).tobytes()
    path.write_bytes(raw)
    with pytest.raises(FormatError, match="the arrow file is damaged"):
        read_examples(path)


def test_nulls_lists_and_damage_of_a_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pa.table({"text": ["a b", None], "label": [["x"], []]}), path)
    with pytest.raises(FormatError, match="1 of 2 texts are missing"):
        read_examples(path)
    assert read_examples(path, nulls="empty").y == [["x"], []]
    pyarrow.parquet.write_table(pa.table({"text": ["a b", "c"], "label": ["x", None]}), path)
    with pytest.raises(FormatError, match="label .* of row 2 is null"):
        read_examples(path)
    assert read_examples(path, labels=False).y is None
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FormatError, match="not a readable parquet file"):
        read_examples(path)
    pyarrow.parquet.write_table(pa.table({"text": pa.array([], pa.string())}), path)
    with pytest.raises(FormatError, match="no row"):
        read_examples(path)


def test_bytes_of_a_parquet_file_that_are_no_utf8_are_an_error_or_replaced(tmp_path: Path) -> None:
    offsets = pa.py_buffer(np.array([0, 3, 5], np.int32).tobytes())
    column = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"a b\xff!"))
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pa.table({"text": column}), path)
    with pytest.raises(FormatError, match=r"column 'text'.*errors='replace'"):
        read_examples(path)
    assert read_examples(path, errors="replace").X.to_list() == ["a b", "\ufffd!"]


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


# --- round trips

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
