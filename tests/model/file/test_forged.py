"""Files whose content was forged behind a matching checksum are refused or harmless."""

from __future__ import annotations

import contextlib
import json
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import DataError, ModelFileError
from linnet.model.file import load, pack_strings, unpack_strings, write_model

from .forging import X, Y, edited, forged, model_file


@pytest.mark.parametrize(
    "name",
    ["os.system", "os", "load", "save", "data", "errors", "_core", "", "__name__", "Schedule"],
)
def test_only_public_models_are_made(name: str, path: Path) -> None:
    header, data = model_file(path)
    header["__metadata__"]["class"] = name
    path.write_bytes(forged(header, data))
    with pytest.raises(ModelFileError, match="which this linnet does not have"):
        load(path)


def _set(part: str, key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda config: config[part].__setitem__(key, value)


BAD_CONFIGS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "array missing": _set("state", "theta_", {"kind": "array", "name": "none", "order": "C"}),
    "attribute missing": lambda config: config["state"].pop("theta_"),
    "no classes": lambda config: config["state"].pop("classes_"),
    "no width": lambda config: config["state"].pop("n_features_in_"),
    "no state": lambda config: config.pop("state"),
    "list of state": lambda config: config.update(state=[]),
    "wrong shape": _set("state", "theta_", {"kind": "array", "name": "theta_", "order": "F"}),
    "wrong width": _set("state", "n_features_in_", 4),
    "huge width": _set("state", "n_features_in_", 2**62),
    "text for an array": _set("state", "theta_", "x"),
    "unknown parameter": _set("parameters", "x", 1),
    "method": _set("state", "predict", 1),
    "property": _set("state", "means_", 1),
    "dunder": _set("state", "__class__", "x"),
    "unknown kind": _set("state", "epsilon_", {"kind": "code", "text": "1"}),
    "kind of no kind": _set("state", "epsilon_", {"kind": []}),
    "record outside": _set(
        "state", "epsilon_", {"kind": "record", "class": "Popen", "fields": {"args": "x"}}
    ),
    "record with bad fields": _set(
        "state", "epsilon_", {"kind": "record", "class": "Constant", "fields": {"eta": "x"}}
    ),
    "scalar of many": _set("state", "epsilon_", {"kind": "scalar", "name": "theta_"}),
    "strings of numbers": _set(
        "state", "classes_", {"kind": "strings", "name": "theta_", "array": True}
    ),
    "objects of no shape": _set(
        "state", "classes_", {"kind": "objects", "shape": [2**40], "items": []}
    ),
    "unequal dict": _set("state", "history_", {"kind": "dict", "keys": ["a"], "values": []}),
    "same key twice": _set(
        "state", "history_", {"kind": "dict", "keys": ["a", "a"], "values": [1, 2]}
    ),
    "key that is a list": _set("state", "history_", {"kind": "dict", "keys": [[1]], "values": [1]}),
    "deep": _set("state", "history_", json.loads("[" * 900 + "]" * 900)),
}  # fmt: skip


@pytest.mark.parametrize("change", BAD_CONFIGS.values(), ids=BAD_CONFIGS.keys())
def test_content_that_does_not_make_the_learner_is_refused(change: Any, path: Path) -> None:
    edited(path, change)
    with pytest.raises(ModelFileError, match="do not make a GaussianNB"):
        load(path)


@pytest.mark.parametrize("key", ["coef_", "intercept_", "classes_"])
def test_weights_of_another_type_or_not_numbers_are_refused(key: str, path: Path) -> None:
    model = linnet.MaxEnt().fit(X, Y)
    for value in (np.full(3, np.nan), np.zeros(3, np.float32), np.zeros(2), np.zeros((9, 9, 9))):
        header, data = model_file(path, model)
        start = len(data)
        header["new"] = {
            "dtype": "F64" if value.dtype == np.float64 else "F32",
            "shape": list(value.shape),
            "data_offsets": [start, start + value.nbytes],
        }
        config = json.loads(header["__metadata__"]["config"])
        config["state"][key] = {"kind": "array", "name": "new", "order": "C"}
        header["__metadata__"]["config"] = json.dumps(config)
        path.write_bytes(forged(header, data + value.tobytes()))
        with pytest.raises(ModelFileError, match="do not make a MaxEnt"):
            load(path)


def test_a_run_that_does_not_fit_the_learner_is_refused(path: Path) -> None:
    model = linnet.Perceptron(random_state=0).fit(X, Y)

    def run(config: dict[str, Any]) -> dict[str, Any]:
        fields: dict[str, Any] = config["state"]["_run"]["fields"]
        return fields

    changes: list[Callable[[dict[str, Any]], Any]] = [
        lambda config: config["state"].update(_run=1),
        lambda config: run(config).pop("_weights"),
        lambda config: run(config).update(_sums=run(config)["_state"]),
        lambda config: run(config).update(_state=run(config)["_weights"]),
        lambda config: run(config).update(_options=None),
        lambda config: run(config)["rule"]["fields"].update(n_classes=2**30),
        lambda config: run(config)["rule"]["fields"].update(form="columns", n_classes=2),
        lambda config: run(config)["rule"]["fields"].update(cost=run(config)["_weights"]),
        lambda config: run(config).update(code="x"),
        lambda config: config["parameters"].update(fit_intercept=False),
    ]
    for change in changes:
        edited(path, change, model)
        with pytest.raises(ModelFileError, match="do not make a Perceptron"):
            load(path)


@pytest.mark.parametrize(
    ("raw", "offsets"),
    [
        (np.zeros(3, np.int8), np.array([0, 3])),
        (np.zeros(3, np.uint8), np.array([0.0, 3.0])),
        (np.zeros(3, np.uint8), np.array([], np.int64)),
        (np.zeros(3, np.uint8), np.array([1, 3])),
        (np.zeros(3, np.uint8), np.array([0, 4])),
        (np.zeros(3, np.uint8), np.array([0, 2, 1, 3])),
        (np.zeros(3, np.uint8), np.array([0, -(2**63), 3])),
        (np.zeros((3, 1), np.uint8), np.array([0, 3])),
        (np.array([0xFF, 0xFE], np.uint8), np.array([0, 2])),
    ],
)
def test_arrays_that_are_no_packed_strings_are_refused(raw: Any, offsets: Any) -> None:
    with pytest.raises(DataError):
        unpack_strings(raw, offsets)


def test_a_small_file_cannot_ask_for_a_large_array_of_text(path: Path) -> None:
    raw, offsets = pack_strings(["x" * 100_000, *[""] * 10_000])
    config = {
        "parameters": {},
        "state": {"classes_": {"kind": "strings", "name": "c", "array": True}},
    }
    write_model(path, "GaussianNB", config, {"c": raw, "c.offsets": offsets}, {})
    with pytest.raises(ModelFileError, match="too long for an array"):
        load(path)


# --- fuzzing -----------------------------------------------------------------------------------

ODD: list[Any] = [
    None, True, -1, 0, 1, 2, 3, 2**31, 2**62, 2**70, 0.5, 1e308, "", "x", "theta_", "coef_", "F64",
    [], [0], [1, 2], {}, {"kind": "array", "name": "coef_", "order": "C"}, {"kind": "dict"},
]  # fmt: skip


def mutated(value: Any, rng: random.Random) -> Any:
    """Return a value with one node changed, dropped, doubled or swapped."""
    if isinstance(value, (dict, list)) and value and rng.random() < 0.9:
        twin = value.copy()
        keys = list(twin) if isinstance(twin, dict) else list(range(len(twin)))
        key, other = rng.choice(keys), rng.choice(keys)
        action = rng.random()
        if action < 0.7:
            twin[key] = mutated(twin[key], rng)
        elif action < 0.8:
            del twin[key]
        elif action < 0.9:
            twin[key], twin[other] = twin[other], twin[key]
        elif isinstance(twin, dict):
            twin[f"{key}'"] = twin[key]
        else:
            twin.append(twin[key])
        return twin
    return rng.choice(ODD)


FUZZED = {
    "perceptron": linnet.Perceptron(random_state=0, max_iter=2, snapshot_every=1, n_threads=1),
    "gaussian": linnet.GaussianNB(n_threads=1),
    "multinomial": linnet.MultinomialNB(n_threads=1),
    "svm": linnet.SVM(random_state=0, n_threads=1, warm_start=True),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUZZED)
def test_random_changes_with_a_matching_checksum_are_refused_or_harmless(
    name: str, path: Path
) -> None:
    rng = random.Random(7)
    model = FUZZED[name].fit([dict(zip("abc", row, strict=True)) for row in X], Y)
    header, data = model_file(path, model)
    config = json.loads(header["__metadata__"]["config"])
    tracemalloc.start()
    try:
        for _ in range(150):
            twin = {**header, "__metadata__": dict(header["__metadata__"])}
            if rng.random() < 0.3:
                twin = mutated(header, rng)
            else:
                twin["__metadata__"]["config"] = json.dumps(mutated(config, rng))
            path.write_bytes(forged(twin, data))
            use(path)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


def use(path: Path) -> None:
    """Load, ask and teach a model that may be forged; anything but a crash is fine."""
    try:
        model = load(path)
    except ModelFileError:
        return
    with contextlib.suppress(Exception):
        model.set_params(n_threads=1)
        model.predict(X)
    with contextlib.suppress(Exception):
        model.set_params(max_iter=2, n_threads=1, verbose=0)
    for method in ("partial_fit", "fit"):
        with contextlib.suppress(Exception):
            getattr(model, method)(X, Y)
