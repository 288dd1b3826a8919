"""Files of attribute values: found out, read, and refused with file and line."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from linnet.data import RowTable, read_rows
from linnet.data.recognise_rows import sniff_rows
from linnet.data.rows import numbers_of
from linnet.errors import FormatError, ParameterError

WEATHER = "sunny,21,go\nrain,12,stay\nsunny,19,go\nfog,15,stay\n"


def of(text: str, name: str = "a.data") -> io.BytesIO:
    file = io.BytesIO(text.encode())
    file.name = name
    return file


@pytest.mark.spec("D-11")
@pytest.mark.parametrize("part, rows", [("train", 2999), ("test", 950)])
def test_the_files_of_timbl_have_their_number_of_rows_and_features(
    part: str, rows: int, data_dir: Callable[[str], Path]
) -> None:
    found = read_rows(data_dir("dimin_nl") / f"dimin.{part}")
    assert found.table.shape == (rows, 12)
    assert set(found.labels or []) == {"E", "J", "K", "P", "T"}


def test_columns_of_words_are_read_without_their_running_number(
    data_dir: Callable[[str], Path],
) -> None:
    found = read_rows(data_dir("ppattach") / "training")
    assert found.table.shape == (20801, 4)
    assert found.table.row(0) == ["join", "board", "as", "director"]
    assert any("running number" in said for said in found.decisions)
    whole = read_rows(data_dir("ppattach") / "test", ignore=["none"], label="-1")
    assert whole.table.shape == (3097, 5)


def test_numbers_and_symbols_are_told_apart_and_missing_values_are_none() -> None:
    found = read_rows(of("sunny,21,go\n?,12.5,stay\nsunny,?,go\nfog,1e1,stay\n"))
    assert found.table["c1"] == ["sunny", None, "sunny", "fog"]
    np.testing.assert_array_equal(found.table["c2"], [21.0, 12.5, np.nan, 10.0])


def test_a_table_with_a_header_has_its_names_and_its_class_by_name() -> None:
    text = "class,size,colour\n" + "a,1,red\nb,2,\nb,3,blue\n" * 4
    found = read_rows(of(text, "x.csv"))
    assert found.table.names == ["size", "colour"]
    assert (found.labels or [])[:3] == ["a", "b", "b"]
    assert found.table["colour"][1] is None


def test_quoted_cells_and_other_separators_are_read() -> None:
    text = 'town;area;kind\n"Bad; Ischl";10;a\n"Wien";20;b\n"Graz";30;a\n'
    found = read_rows(of(text, "x.csv"), format="table")
    assert found.table.row(0) == ["Bad; Ischl", 10.0]
    tabs = read_rows(of("u\tv\tw\n1\ta\tp\n2\tb\tq\n", "x.tsv"), format="table")
    assert tabs.table.row(1) == [2.0, "b"]


def test_columns_are_chosen_by_name_and_by_number_from_either_end() -> None:
    text = "a,b,c,d\n1,x,p,9\n2,y,q,8\n"
    found = read_rows(of(text), format="table", label="2", ignore=["-1", "a"])
    assert found.table.names == ["c"]
    assert found.labels == ["x", "y"]


@pytest.mark.parametrize(
    "text, name",
    [
        ("pos\ta fine film\nneg\ta bore\n" * 5, "a.tsv"),
        ("text,label,source\na fine film,pos,x\na bore,neg,y\n" * 5, "a.csv"),
        ("1 1:2 3:4\n-1 2:1 4:1\n" * 5, "a.data"),
        ("a fine film indeed\nwhat a bore\n" * 20, "a.txt"),
        ('{"a": 1, "b": 2, "c": 3}\n' * 5, "a"),
        ("id,name\n1,x\n2,y\n", "a.csv"),
        ("We PRP B-NP\nwon VBD B-VP\n\nThey PRP B-NP\nlost VBD B-VP\n\n" * 9, "a.txt"),
        ("pos\tone two three\nneg\tfour five three\n" * 10, "a.tsv"),
    ],
)
def test_files_of_other_kinds_are_left_to_their_readers(text: str, name: str) -> None:
    assert sniff_rows(text.encode(), name) is None


def test_a_names_file_says_which_columns_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "w.data").write_text("1,21,go\n2,12,stay\n1,19,go\n", encoding="utf-8")
    (tmp_path / "w.names").write_text(
        "go, stay.\noutlook: discrete 3.\ndegrees: continuous.\n", encoding="utf-8"
    )
    found = read_rows(tmp_path / "w.data")
    assert found.table["c1"] == ["1", "2", "1"]
    assert found.table["c2"].tolist() == [21.0, 12.0, 19.0]


@pytest.mark.parametrize(
    "text, format, message",
    [
        ("a,b,c\nd,e\nf,g,h\n", "c45", r"a\.data.*same number of values"),
        ("", "c45", "the file is empty"),
        ("\n \n", "c45", "only blank lines"),
        ("x,y\n", "table", "a header but no rows"),
        ("a,b,c\na,b,?\n", "c45", r"a\.data:2: the class .column c3. is missing"),
        ("x,x,y\n1,2,3\n", "table", "two columns 'x'"),
    ],
)
def test_what_is_no_file_of_rows_is_refused_with_its_place(
    text: str, format: str, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        read_rows(of(text), format=format)  # type: ignore[arg-type]


def test_a_ragged_row_far_down_is_refused_with_its_line() -> None:
    with pytest.raises(FormatError, match=r"a\.data:1502: .*expected 3 values"):
        read_rows(of("a,b,x\n" * 1501 + "a,b\n"))


def test_columns_that_do_not_exist_and_formats_that_do_not_are_refused() -> None:
    with pytest.raises(FormatError, match="no column 9: the file has 3"):
        read_rows(of(WEATHER), label="9")
    with pytest.raises(FormatError, match="no column 'z'; there are c1, c2, c3"):
        read_rows(of(WEATHER), ignore=["z"])
    with pytest.raises(ParameterError, match="c45, columns, table, not 'xml'"):
        read_rows(of(WEATHER), format="xml")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="the class itself is ignored"):
        read_rows(of(WEATHER), ignore=["3"])


def test_text_where_the_model_has_numbers_is_refused_with_its_line() -> None:
    found = read_rows(of("a,1,x\nb,two,y\n"))
    with pytest.raises(FormatError, match=r"a\.data:2: column c2 holds numbers.*'two'"):
        found.with_numbers({"c1": "symbolic", "c2": "numeric"})


@pytest.mark.parametrize("text", ["1_000", "nan", "inf", "0x10", "１２", "1e999", ""])
def test_only_plain_finite_numbers_are_numbers(text: str) -> None:
    assert numbers_of([text, "1"]) is None


def test_a_table_gives_rows_and_parts_of_itself() -> None:
    table = RowTable(["a", "b"], [["x", "y", "z"], np.array([1.0, 2.0, 3.0])])
    assert list(table.take([2, 0]).rows()) == [["z", 3.0], ["x", 1.0]]
