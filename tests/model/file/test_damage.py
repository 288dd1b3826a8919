"""Files that are damaged, foreign, newer or have a forged header get a clear error."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from linnet.errors import DataError, ModelFileError
from linnet.model.file import load, read_model, write_model
from linnet.model.file.layout import MAX_HEADER

from .forging import forged, model_file, parts

# --- accidents ---------------------------------------------------------------------------------


def test_every_changed_byte_is_noticed(path: Path) -> None:
    arrays = {"x": np.arange(3.0), "s": np.array([1, 2], np.int8), "b": np.array([True])}
    write_model(path, "MaxEnt", {"C": 1.0}, arrays, {"n": 1})
    raw = path.read_bytes()
    for at in range(len(raw)):
        for mask in (0x01, 0x20, 0x80, 0xFF):
            path.write_bytes(raw[:at] + bytes([raw[at] ^ mask]) + raw[at + 1 :])
            with pytest.raises(ModelFileError):
                read_model(path)
            with contextlib.suppress(ModelFileError):  # the structure alone may still be whole
                read_model(path, verify=False)


def test_every_cut_is_noticed_and_so_is_what_is_added(path: Path) -> None:
    model_file(path)
    raw = path.read_bytes()
    for length in range(len(raw)):
        path.write_bytes(raw[:length])
        for verify in (True, False):
            with pytest.raises(ModelFileError):
                read_model(path, verify=verify)
    for more in (b"\0", b" ", raw):
        path.write_bytes(raw + more)
        for verify in (True, False):
            with pytest.raises(ModelFileError):
                read_model(path, verify=verify)


def test_errors_name_the_file_and_survive_pickling(path: Path) -> None:
    path.write_bytes(b"")
    with pytest.raises(ModelFileError) as caught:
        load(path)
    twin = pickle.loads(pickle.dumps(caught.value))
    assert str(twin) == str(caught.value) == f"{path}: {twin.message}"
    assert twin.file == str(path) and isinstance(twin, DataError)


# --- other files -------------------------------------------------------------------------------


def test_other_files_are_refused_and_the_message_says_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "other"
    cases = {
        b"": "is empty",
        b"text,label\n": "not a linnet model, or",
        pickle.dumps({"coef_": [1.0]}): "a Python pickle.*can run code",
        b"PK\x03\x04" + bytes(40): "a zip archive",
        gzip.compress(b"model"): "gzip-compressed; unpack it first",
        b"PAR1" + bytes(40): "Parquet",
        b"{" * 100: "not a linnet model",
        bytes(100): "not a linnet model",
        (2).to_bytes(8, "little") + b"{}": "a safetensors file, but not a linnet model",
    }
    for raw, message in cases.items():
        path.write_bytes(raw)
        with pytest.raises(ModelFileError, match=message):
            load(path)
    save_file({"x": np.ones(3)}, path, metadata={"format": "np"})
    with pytest.raises(ModelFileError, match="a safetensors file, but not a linnet model"):
        load(path)
    with pytest.raises(ModelFileError, match="folder or device"):
        load(tmp_path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.linnet")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes of POSIX")
def test_a_pipe_is_refused_without_waiting_for_a_writer(path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(ModelFileError, match="folder or device"):
        load(path)


@pytest.mark.parametrize("number", ["4", "17", "9" * 5000])
def test_a_newer_format_asks_for_an_upgrade(number: str, path: Path) -> None:
    header, data = model_file(path)
    header["__metadata__"]["linnet_format"] = number
    path.write_bytes(forged(header, data))
    with pytest.raises(
        ModelFileError, match=r"newer linnet \(format \d+\); this one reads up to 3"
    ):
        load(path)


def test_a_file_of_the_first_format_asks_for_training(path: Path) -> None:
    header, data = model_file(path)
    header["__metadata__"]["linnet_format"] = "1"
    path.write_bytes(forged(header, data))
    with pytest.raises(ModelFileError, match=r"written by linnet 0\.1 .* train it again"):
        load(path)


def test_a_file_that_another_program_rewrote_is_refused(path: Path) -> None:
    header, data = model_file(path)
    header["__metadata__"] = dict(reversed(header["__metadata__"].items()))
    path.write_bytes(forged(header, data))
    with pytest.raises(ModelFileError, match="was not written by linnet"):
        load(path)


# --- forged headers ----------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, 1, MAX_HEADER + 1, 2**31, 2**63, 2**64 - 1])
def test_an_impossible_header_length_is_refused(length: int, path: Path) -> None:
    model_file(path)
    raw = path.read_bytes()
    path.write_bytes(length.to_bytes(8, "little") + raw[8:])
    for verify in (True, False):
        with pytest.raises(ModelFileError):
            read_model(path, verify=verify)


BAD_ENTRIES = {
    "overlap": {"y": {"dtype": "F64", "shape": [1], "data_offsets": [16, 24]}},
    "hole": {"x": {"dtype": "F64", "shape": [2], "data_offsets": [8, 24]}},
    "beyond the end": {"x": {"dtype": "F64", "shape": [99], "data_offsets": [0, 792]}},
    "backwards": {"x": {"dtype": "F64", "shape": [0], "data_offsets": [8, 0]}},
    "negative": {"x": {"dtype": "F64", "shape": [-3], "data_offsets": [0, -24]}},
    "short": {"x": {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]}},
    "shape and size": {"x": {"dtype": "F64", "shape": [4], "data_offsets": [0, 24]}},
    "overflow": {"x": {"dtype": "F64", "shape": [2**61, 8], "data_offsets": [0, 24]}},
    "empty overflow": {"x": {"dtype": "U8", "shape": [0, 2**62, 2**62], "data_offsets": [0, 0]}},
    "huge": {"x": {"dtype": "F64", "shape": [2**58], "data_offsets": [0, 2**61]}},
    "many axes": {"x": {"dtype": "F64", "shape": [1] * 80 + [3], "data_offsets": [0, 24]}},
    "other type": {"x": {"dtype": "BF16", "shape": [12], "data_offsets": [0, 24]}},
    "no type": {"x": {"dtype": ["F64"], "shape": [3], "data_offsets": [0, 24]}},
    "float shape": {"x": {"dtype": "F64", "shape": [3.0], "data_offsets": [0, 24]}},
    "true shape": {"x": {"dtype": "F64", "shape": [True, 3], "data_offsets": [0, 24]}},
    "text shape": {"x": {"dtype": "F64", "shape": "3", "data_offsets": [0, 24]}},
    "three offsets": {"x": {"dtype": "F64", "shape": [3], "data_offsets": [0, 24, 24]}},
    "more keys": {"x": {"dtype": "F64", "shape": [3], "data_offsets": [0, 24], "code": "x"}},
    "nothing": {"x": None},
    "booleans": {"x": {"dtype": "BOOL", "shape": [24], "data_offsets": [0, 24]}},
}


@pytest.mark.parametrize("entries", BAD_ENTRIES.values(), ids=BAD_ENTRIES.keys())
def test_arrays_that_do_not_cover_the_data_exactly_are_refused(entries: Any, path: Path) -> None:
    write_model(path, "MaxEnt", {}, {"x": np.array([1.0, 2.0, 3.0])}, {})
    header, data = parts(path.read_bytes())
    path.write_bytes(forged({**header, **entries}, data))
    with pytest.raises(ModelFileError, match="array '|bytes after the arrays"):
        read_model(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"x":{', b'"x":{"dtype":"F64","shape":[3],"data_offsets":[0,24]},"x":{'),
        (b'"dtype":', b'"dtype":"F32","dtype":'),
        (b'"shape":[3]', b'"shape":[NaN]'),
        (b'"shape":[3]', b'"shape":[1e999]'),
        (b'"shape":[3]', b'"shape":' + b"[" * 100_000),
        (b'"config":"{', b'"config":"{\\"a\\":Infinity,'),
        (b'"config":"{}"', b'"config":"[]"'),
        (b'"config":"{}"', b'"config":{}'),
        (b',"record":"{}"', b""),
        (b'"record":"{}"', b'"record":"' + b"[" * 100_000 + b'"'),
        (b'"class":"MaxEnt"', b'"class":["MaxEnt"]'),
        (b'"class":', b'"class":"SVM","class":'),
        (b'"F64"', b'"F\xff4"'),
    ],
)
def test_a_header_that_is_not_what_linnet_writes_is_refused(
    old: bytes, new: bytes, path: Path
) -> None:
    write_model(path, "MaxEnt", {}, {"x": np.array([1.0, 2.0, 3.0])}, {})
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header, data = raw[8 : 8 + length].rstrip(), raw[8 + length :]
    assert old in header
    path.write_bytes(forged(header.replace(old, new, 1), data))
    with pytest.raises(ModelFileError):
        load(path)


def test_data_at_odd_places_are_copied_to_even_ones(path: Path) -> None:
    write_model(path, "MaxEnt", {}, {"x": np.array([1.0, 2.0])}, {})
    header, data = parts(path.read_bytes())
    for pad in range(8):
        text = json.dumps(header, separators=(",", ":")).encode() + b" " * pad
        path.write_bytes(forged(text, data))
        array = read_model(path).arrays["x"]
        assert array.flags.aligned and not array.flags.writeable and array.tolist() == [1.0, 2.0]
