"""Columns of texts without Python strings."""

from __future__ import annotations

import mmap
import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.columns import TextColumn
from linnet.errors import DataError, ParameterError

TEXTS = ["good", "", "bühne", "終わり"]

texts = st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=20)


@settings(max_examples=50)
@given(texts)
def test_strings_put_in_come_out(values: list[str]) -> None:
    column = TextColumn.from_strings(values)
    assert column.to_list() == list(column) == [column[i] for i in range(len(column))] == values
    assert column.nbytes == sum(len(value.encode()) for value in values)
    assert TextColumn.concatenate([column, column[::-1]]).to_list() == values + values[::-1]


@settings(max_examples=50)
@given(texts, st.data())
def test_a_selection_is_the_selection_of_the_strings(
    values: list[str], data: st.DataObject
) -> None:
    column = TextColumn.from_strings(values)
    rows = data.draw(st.lists(st.integers(0, max(len(values) - 1, 0)), max_size=len(values)))
    assert column[rows].to_list() == [values[row] for row in rows]
    mask = np.array([len(value) > 1 for value in values], bool)
    assert column[mask].to_list() == [value for value in values if len(value) > 1]
    assert pickle.loads(pickle.dumps(column[rows])).to_list() == [values[row] for row in rows]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, np.frombuffer])
def test_the_buffer_is_any_row_of_bytes_and_is_not_copied(kind: type) -> None:
    raw = b"1\tgood\n"
    buffer = np.frombuffer(raw, np.uint8) if kind is np.frombuffer else kind(raw)
    column = TextColumn(buffer, [2], [6])
    assert column.to_list() == ["good"]
    assert column.buffer is buffer
    assert column[:1].buffer is buffer


def test_a_memory_map_is_a_buffer(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"good poor")
    with path.open("rb") as file:
        map_ = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    assert TextColumn(map_, [0, 5], [4, 9]).to_list() == ["good", "poor"]


ARROW = {
    "string": pa.array(TEXTS),
    "large_string": pa.array(TEXTS, pa.large_string()),
    "string_view": pa.array(TEXTS, pa.string_view()),
    "dictionary": pa.array(TEXTS).dictionary_encode(),
    "slice": pa.array(["z", *TEXTS, "z"]).slice(1, 4),
    "chunks": pa.chunked_array([TEXTS[:1], TEXTS[1:]]),
    "one chunk": pa.chunked_array([TEXTS]),
    "dictionary chunks": pa.chunked_array(
        [pa.array(TEXTS[:2]).dictionary_encode(), pa.array(TEXTS[2:]).dictionary_encode()]
    ),
}


@pytest.mark.parametrize("name", ARROW)
def test_an_arrow_column_of_any_string_type_reads_as_its_texts(name: str) -> None:
    assert TextColumn.from_arrow(ARROW[name]).to_list() == TEXTS


def test_an_arrow_string_column_is_not_copied() -> None:
    array = pa.array(TEXTS)
    assert TextColumn.from_arrow(array).data.ctypes.data == array.buffers()[2].address


@pytest.mark.parametrize("kind", ["object", "string", "category"])
def test_a_pandas_column_reads_as_its_texts(kind: str) -> None:
    import pandas

    assert TextColumn.from_arrow(pandas.Series(TEXTS, dtype=kind)).to_list() == TEXTS


def test_a_polars_column_reads_as_its_texts() -> None:
    import polars

    assert TextColumn.from_arrow(polars.Series(TEXTS)).to_list() == TEXTS


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["a", None]),
        pa.array(["a", None]).dictionary_encode(),
        pa.chunked_array([["a"], pa.array([None], pa.string())]),
    ],
)
def test_missing_texts_are_an_error_or_empty_as_asked(array: pa.Array) -> None:
    with pytest.raises(DataError, match="1 of 2 texts are missing, first in row 1"):
        TextColumn.from_arrow(array)
    assert TextColumn.from_arrow(array, nulls="empty").to_list() == ["a", ""]


def test_an_empty_arrow_column_is_an_empty_column() -> None:
    for array in (pa.array([], pa.string()), pa.chunked_array([], pa.large_string())):
        assert TextColumn.from_arrow(array).to_list() == []


def test_what_cannot_be_a_column_is_refused_with_its_reason() -> None:
    with pytest.raises(DataError, match="text 1 is of type int"):
        TextColumn.from_strings(["a", 3])  # type: ignore[list-item]
    with pytest.raises(DataError, match="text 0 holds a lone surrogate at character 1"):
        TextColumn.from_strings(["a\ud800"])
    with pytest.raises(DataError, match="Arrow type is int64"):
        TextColumn.from_arrow(pa.array([1]))
    with pytest.raises(DataError, match="outside the buffer of 3 bytes"):
        TextColumn(b"abc", [0], [4])
    with pytest.raises(DataError, match="outside"):
        TextColumn(b"abc", [2], [1])
    with pytest.raises(DataError, match="outside"):
        TextColumn(b"abc", [-1], [1])
    with pytest.raises(DataError, match="one length"):
        TextColumn(b"abc", [0, 1], [1])
    with pytest.raises(DataError, match="must hold bytes"):
        TextColumn("abc", [0], [1])
    with pytest.raises(DataError, match="uint8"):
        TextColumn(np.zeros(3), [0], [1])
    with pytest.raises(ParameterError, match="nulls"):
        TextColumn.from_arrow(pa.array(["a"]), nulls="drop")  # type: ignore[arg-type]
    with pytest.raises(IndexError):
        TextColumn(b"abc", [0], [1])[1]
    with pytest.raises(DataError, match="text 0 is not UTF-8: byte 0xff"):
        TextColumn(b"\xff", [0], [1])[0]
