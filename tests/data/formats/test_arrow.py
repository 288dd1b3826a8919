"""Parquet and Arrow files: types, blocks, nulls, damage."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from linnet.data.examples import read_examples, stream_examples
from linnet.errors import FormatError


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
