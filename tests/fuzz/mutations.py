"""Random changes to what a model file holds, and the file with a checksum that matches them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.model.file.layout import ALIGNMENT, CODES, PREFIXES, ModelFile, checksum, format_of

__all__ = ["Forgery", "forge"]

Array = NDArray[Any]
_NUMBERS = [
    -1, 0, 1, 2, 3, 7, 2**31, 2**32, -(2**31), 10**9, 2**62, 2**63, 2**70, 0.5, -0.5, 1e-320, 1e30,
    1e200, -1e200, 1e308, float("inf"),
]  # fmt: skip
_TEXTS = [
    "", "x", "é", "\0", "\ud800", "none", "l1", "coef_", "F64", "regex", "custom", "vector", "row",
    "symbolic", "igtree", "mvdm", "cosine", "examples", "inverse_distance", "per_state", "MaxEnt",
    "MultinomialNB", "IOB2", "(a+)+$", "(a|aa)*b", "((", "polynomial", "gaussian", "precomputed",
    "columns", "w" * 70_000,
]  # fmt: skip
_OTHERS: list[Any] = [
    None, True, False, [], {}, [0], [[]], [1, 2, 3], ["a", "b"], {"kind": "array"},
    {"kind": "number", "text": "nan"}, {"kind": "number", "text": "inf"}, {"kind": "dict"},
    {"kind": "tuple", "items": []}, {"a": {"b": [1]}},
]  # fmt: skip


class Forgery(NamedTuple):
    """The bytes of a forged file, and what was changed in it."""

    raw: bytes
    changes: list[str]


def forge(file: ModelFile, rng: random.Random) -> Forgery:
    """Return the file with one change, sometimes two or three."""
    parts = {"config": file.config, "record": file.record, "name": file.name}
    arrays = dict(file.arrays)
    changes = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if arrays and rng.random() < 0.5:
            changes.append(_change_array(arrays, rng))
        else:
            part = rng.choices(["config", "record", "name"], [30, 2, 1])[0]
            where: list[str] = [part]
            parts[part] = _changed(parts[part], rng, where)
            changes.append("/".join(where))
    return Forgery(_packed(parts, arrays, file.version), changes)


# --- JSON --------------------------------------------------------------------------------------


def _changed(value: Any, rng: random.Random, where: list[str]) -> Any:
    """Return a tree with one node changed, dropped, doubled or swapped; `where` takes the way."""
    if not isinstance(value, (dict, list)) or not value or rng.random() < 0.04:
        leaf = _leaf(value, rng)
        where.append(f"{_short(value)} → {_short(leaf)}")
        return leaf
    twin: Any = value.copy()
    keys = list(twin) if isinstance(twin, dict) else list(range(len(twin)))
    key, other = rng.choice(keys), rng.choice(keys)
    where.append(str(key))
    action = rng.random()
    if action < 0.86:
        twin[key] = _changed(twin[key], rng, where)
    elif action < 0.92:
        where.append("dropped")
        del twin[key]
    elif action < 0.97:
        where.append(f"swapped with {other}")
        twin[key], twin[other] = twin[other], twin[key]
    elif isinstance(twin, dict):
        where.append("added")
        twin[f"{key}'"] = twin[key]
    else:
        where.append("doubled")
        twin.append(twin[key])
    return twin


def _leaf(value: Any, rng: random.Random) -> Any:
    kind = rng.random()
    if kind < 0.35 and type(value) in (int, float):
        return rng.choice([value + 1, value - 1, -value, value * 2, value * 1e9, 0])
    if kind < 0.6:
        return rng.choice(_NUMBERS)
    return rng.choice(_TEXTS if kind < 0.8 else _OTHERS)


def _short(value: Any) -> str:
    return ascii(value)[:60]


# --- arrays ------------------------------------------------------------------------------------


def _change_array(arrays: dict[str, Array], rng: random.Random) -> str:
    name = rng.choice(list(arrays))
    action = rng.choice([*_ON_VALUES, *_ON_VALUES, *_ON_WHOLE, "dropped", "swapped"])
    if action == "dropped":
        del arrays[name]
    elif action == "swapped":
        other = rng.choice(list(arrays))
        arrays[name], arrays[other] = arrays[other], arrays[name]
        action = f"swapped with {other}"
    elif action in _ON_WHOLE:
        arrays[name] = _ON_WHOLE[action](arrays[name], rng)
    elif arrays[name].size:
        twin = arrays[name].copy()
        flat = twin.reshape(-1)
        places = {rng.randrange(len(flat)) for _ in range(rng.choice([1, 1, 1, 2, 5, len(flat)]))}
        for place in sorted(places):
            _ON_VALUES[action](flat, place, rng)
        arrays[name] = twin
    return f"array {name}: {action}"


def _put(flat: Array, place: int, value: float) -> None:
    """Set an item to a number, or to the nearest one its type has."""
    if flat.dtype.kind == "f":
        with np.errstate(over="ignore"):
            flat[place] = value
    elif flat.dtype.kind == "b":
        flat[place] = bool(value)
    else:
        limits = np.iinfo(flat.dtype)
        whole = 0 if value != value else max(min(value, limits.max), limits.min)
        flat[place] = int(whole)


def _flip(flat: Array, place: int, rng: random.Random) -> None:
    """Flip one bit; a truth value has only one."""
    bits = 1 if flat.dtype.kind == "b" else 8 * flat.itemsize
    bit = rng.randrange(bits)
    raw = flat.view(np.uint8)
    raw[place * flat.itemsize + bit // 8] ^= np.uint8(1 << bit % 8)


_ON_VALUES: dict[str, Callable[[Array, int, random.Random], None]] = {
    "bit flipped": _flip,
    "NaN": lambda flat, place, rng: _put(flat, place, float("nan")),
    "infinite": lambda flat, place, rng: _put(flat, place, rng.choice([1, -1]) * float("inf")),
    "huge": lambda flat, place, rng: _put(flat, place, rng.choice([1e30, 1e200, 1e308, 2**31])),
    "tiny": lambda flat, place, rng: _put(flat, place, rng.choice([0.0, 1e-320, 1e-45, 1e-200])),
    "negative": lambda flat, place, rng: _put(flat, place, -float(flat[place]) - 1),
    "next": lambda flat, place, rng: _put(flat, place, float(flat[place]) + rng.choice([1, -1])),
}


def _typed(array: Array, rng: random.Random) -> Array:
    with np.errstate(invalid="ignore", over="ignore"):
        return array.astype(rng.choice(list(CODES)))


def _shuffled(array: Array, rng: random.Random) -> Array:
    flat = array.reshape(-1).tolist()
    rng.shuffle(flat)
    return np.array(flat, array.dtype).reshape(array.shape)


_ON_WHOLE: dict[str, Callable[[Array, random.Random], Array]] = {
    "another type": _typed,
    "flat": lambda array, rng: array.reshape(-1),
    "another axis": lambda array, rng: array[None],
    "turned": lambda array, rng: array.T,
    "cut": lambda array, rng: array[: len(array) // 2] if array.ndim else array[None][:0],
    "one less": lambda array, rng: array[:-1] if array.ndim else array[None],
    "one more": lambda array, rng: np.concatenate([array, array[-1:]]) if array.ndim else array,
    "empty": lambda array, rng: array[:0] if array.ndim else array[None][:0],
    "permuted": _shuffled,
}


# --- the file ----------------------------------------------------------------------------------


def _packed(parts: dict[str, Any], arrays: dict[str, Array], version: str) -> bytes:
    """Return the bytes of a file with any content; its checksum is right."""
    metadata = {
        "linnet_format": str(format_of(arrays)),
        "checksum": "00000000",
        "linnet_version": version,
        "class": parts["name"],
        # 1e999 is how JSON spells a number that is read as infinity
        "config": json.dumps(parts["config"]).replace("Infinity", "1e999"),
        "record": json.dumps(parts["record"]).replace("Infinity", "1e999"),
    }
    header: dict[str, Any] = {"__metadata__": metadata}
    start, data = 0, []
    for name, array in sorted(arrays.items(), key=lambda item: -item[1].itemsize):
        raw = np.ascontiguousarray(array).tobytes()
        code = CODES[f"{array.dtype.kind}{array.itemsize}"]
        end = start + len(raw)
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": [start, end]}
        start = end
        data.append(raw)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    whole = b"".join([len(text).to_bytes(8, "little"), text, *data])
    at = 8 + len(PREFIXES[0])
    return whole[:at] + checksum([whole]) + whole[at + 8 :]
