"""Delimited tables: cells, quotes, line numbers, blocks of any size."""

from __future__ import annotations

import csv
import io
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.examples import stream_examples
from linnet.data.formats.cells import cells_exact, cells_fast, parse_cells
from linnet.data.limits import line_limit
from linnet.errors import FormatError

from ..reading import pairs, read, where


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


def test_a_quote_that_is_never_closed_does_not_swallow_a_stream() -> None:
    source = io.BytesIO(b'text,label\na,x\n"b,y\n' + b"c,z\n" * 10_000)
    with (
        line_limit(1000),
        pytest.raises(FormatError, match="a quote is probably never closed") as caught,
    ):
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
