"""What a stored value must be: each kind of field takes what it declares and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import DataError, ModelFileError
from linnet.model.file import load, read_model, save, write_model
from linnet.stored import (
    Anything,
    Array,
    Dict,
    Each,
    Label,
    Labels,
    Number,
    Text,
    Texts,
    Vocabulary,
    check,
)  # fmt: skip

from .forging import edited, forged, parts

ROWS = [["red", 1.0], ["blue", 2.0], ["red", 3.0], ["green", 0.5]]
MATCHES: list[tuple[Any, Any]] = [
    (Array("f8", "J"), np.ones(3)),
    (Array("f4 f2", "J"), np.ones(3, np.float16)),
    (Array("f8", "n J|J"), np.ones((9, 3))),
    (Array("f8", ""), np.ones(())),
    (Array("f8", None), np.ones((2, 7))),
    (Array("f8", "J", beyond=(-np.inf,)), np.array([0.0, -np.inf, 1.0])),
    (Array("i8", "J", 0, "J-1"), np.array([2, 0, 2])),
    (Array("i8", "n", order="places"), np.array([1, 0])),
    (Array("i8", "n+1", 0, "J", order="starts"), np.array([0, 3, 3])),
    (Array("i8", "n", order="ascending"), np.array([4, 9])),
    (Array("?", "J"), np.array([True, False, True])),
    (Number(), 1.5),
    (Number(), np.float32(1.5)),
    (Number(int, 0, 9), 9),
    (Number(bool), False),
    (Text(("a", "b")), "b"),
    (Texts("J"), ["x", "y", "z"]),
    (Label(), -1),
    (Labels("J"), np.array(["a", "b", "c"])),
    (Labels("J", ordered=False), np.array(["b", "a", "c"])),
    (Vocabulary("J"), {"x": 2, "y": 0, "z": 1}),
    (Each(Number(int), "J"), [1, 2, 3]),
    (Dict({"a": Number()}), {"a": 1.0}),
    (Anything(dict), {}),
]
MISFITS: list[tuple[Any, Any]] = [
    (Array("f8", "J"), np.ones(4)),
    (Array("f8", "J"), np.ones(3, np.float32)),
    (Array("f8", "J"), [1.0, 1.0, 1.0]),
    (Array("f8", "J"), np.array([0.0, np.nan, 1.0])),
    (Array("f8", "J"), np.array([0.0, np.inf, 1.0])),
    (Array("f8", "J"), np.array([0.0, 1e200, 1.0])),
    (Array("f8", "J", low=0), np.array([0.0, -1e-9, 1.0])),
    (Array("f8", "J", beyond=(-np.inf,)), np.array([0.0, np.inf, 1.0])),
    (Array("i8", "J", 0, "J-1"), np.array([2, 0, 3])),
    (Array("i8", "n", order="places"), np.array([1, 1])),
    (Array("i8", "n+1", 0, "J", order="starts"), np.array([0, 2])),
    (Array("i8", "n+1", 0, "J", order="starts"), np.array([0, 3, 2, 3])),
    (Array("i8", "n+1", 0, "J", order="starts"), np.empty(0, np.int64)),
    (Array("i8", "n", order="ascending"), np.array([4, 4])),
    (Number(), float("nan")),
    (Number(), float("inf")),
    (Number(), "1"),
    (Number(), True),
    (Number(int), 1.0),
    (Number(int, 0, 9), 10),
    (Number(bool), 1),
    (Text(("a", "b")), "c"),
    (Text(), 1),
    (Texts("J"), ["x", "y"]),
    (Texts("J"), ["x", "y", 3]),
    (Label(), float("nan")),
    (Label(), [1]),
    (Labels("J"), np.array(["b", "a", "c"])),
    (Labels("J", ordered=False), np.array(["b", "b", "c"])),
    (Labels("J"), np.array([1.0, 2.0, np.nan])),
    (Vocabulary("J"), {"x": 2, "y": 0, "z": 2}),
    (Vocabulary("J"), {"x": 2, "y": 0, "z": True}),
    (Each(Number(int), "J"), [1, 2]),
    (Each(Number(int), "J"), (1, 2, 3)),
    (Dict({"a": Number()}), {"a": 1.0, "b": 1.0}),
    (Dict({"a": Number()}), {}),
    (Anything(dict), []),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value"), MATCHES)
def test_a_value_as_declared_is_taken(field: Any, value: Any) -> None:
    check({"it": value}, {"it": field}, {"J": 3})


@pytest.mark.parametrize(("field", "value"), MISFITS)
def test_a_value_of_another_kind_is_refused(field: Any, value: Any) -> None:
    with pytest.raises(DataError, match="it"):
        check({"it": value}, {"it": field}, {"J": 3})


def _forge(path: Path, model: Any, change: Any) -> None:
    """Save a model, change what its file holds, and write it with a checksum that matches."""
    save(model, path)
    file = read_model(path)
    arrays = {name: array.copy() for name, array in file.arrays.items()}
    change(file.config, arrays)
    write_model(path, file.name, file.config, arrays, file.record)


def _put(name: str, value: Any) -> Any:
    return lambda config, arrays: arrays[name].__setitem__(0, value)


def _parameter(name: str, value: Any) -> Any:
    return lambda config, arrays: config["parameters"].__setitem__(name, value)


@pytest.mark.parametrize(
    "change",
    [
        _put("_memory.weight", np.nan),
        _put("_memory.scale", np.nan),
        _put("_memory.scale", np.inf),
        _put("_memory.number", np.inf),
        _put("_memory.delta", 7),
        _put("_memory.slot", 2**31 - 1),
        _put("_memory.code", 2**31 - 1),
        _put("_memory.label", -1),
        _put("_memory.row", 3),
        _put("_seen", 1),
        _parameter("k", 10**9),
        _parameter("metric", "cosine"),
        _parameter("metric", "mvdm"),
    ],
)
def test_a_forged_memory_is_refused(change: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.linnet"
    _forge(path, linnet.MemoryBased(2).fit(ROWS, ["a", "b", "a", "b"]), change)
    with pytest.raises(ModelFileError, match="do not make a MemoryBased"):
        load(path)


@pytest.mark.parametrize("name", ["start", "index", "value", "norm", "first", "row", "posting"])
def test_a_forged_memory_of_vectors_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "m.linnet"
    X = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, 0.0]])
    model = linnet.MemoryBased(1, "cosine").fit(X, [0, 1, 0])
    _forge(path, model, lambda config, arrays: arrays[f"_vectors.{name}"].fill(-9))
    if name in ("value", "posting"):  # any numbers will do, as long as the lengths are theirs
        _forge(path, model, lambda config, arrays: arrays[f"_vectors.{name}"].fill(np.nan))
    with pytest.raises(ModelFileError, match="do not make a MemoryBased"):
        load(path)


def _run_state(config: Any) -> dict[str, Any]:
    fields: dict[str, Any] = config["state"]["_run"]["fields"]["_state"]["fields"]
    return fields


@pytest.mark.parametrize(
    "change",
    [
        lambda config, arrays: arrays["_run._weights"].fill(np.nan),
        lambda config, arrays: arrays["_run._sums"].fill(np.inf),
        lambda config, arrays: _run_state(config).update(steps=-1.0),
        lambda config, arrays: config["state"].update(_n_rounds="x"),
        lambda config, arrays: config["state"].update(_seed=-1),
    ],
)
def test_a_forged_run_is_refused(change: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.linnet"
    X = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, 0.0]])
    _forge(path, linnet.Perceptron(random_state=0).fit(X, [0, 1, 0]), change)
    with pytest.raises(ModelFileError, match="do not make a Perceptron"):
        load(path)


def test_what_could_not_be_loaded_again_is_not_saved(tmp_path: Path) -> None:
    model = linnet.LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])
    model.coef_ = np.array([np.nan])
    with pytest.raises(ModelFileError, match="coef_ holds a number that is not finite"):
        save(model, tmp_path / "m.linnet")
    assert not list(tmp_path.iterdir())


def test_a_number_too_large_for_a_float_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.linnet"
    edited(path, lambda config: config["state"].update(epsilon_="HERE"))
    header, data = parts(path.read_bytes())
    about = header["__metadata__"]
    about["config"] = about["config"].replace('"HERE"', "1e999")
    path.write_bytes(forged(header, data))
    with pytest.raises(ModelFileError, match="not a finite number"):
        load(path)
