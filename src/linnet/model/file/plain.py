"""Plain Python and NumPy values as JSON and arrays, and back.

What a learner holds is a tree: numbers, text, lists, dictionaries, arrays, and a few records of
linnet's own. :class:`Encoder` turns a value into JSON, moving arrays and whatever is long into
``arrays``; :func:`decode` is its inverse. In the JSON every object has a ``kind``:

=============  ==================================================================================
number         text "nan", "inf" or "-inf", which JSON has no numbers for
array          name of a stored array, and its order in memory
scalar         name of a stored array without axes
strings        name of packed strings, as a list; as an array of text when ``array`` is true
numbers        name of a stored array, as a list
objects        shape and items of an array of Python objects
tuple, dict    items; keys and values
record         class and fields of one of :data:`RECORDS`
learner        class, parameters and state of a learner inside another
=============  ==================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from importlib import import_module
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.model.file.layout import CODES, pack_strings, unpack_strings

Arrays: TypeAlias = dict[str, NDArray[Any]]

#: The classes whose objects a file may hold, and where they live. Nothing else is ever made.
RECORDS = {
    "Attributes": "linnet.learn.shared.attributes",
    "ChainRun": "linnet.learn.chain.online_run",
    "Constant": "linnet.learn.shared.schedules",
    "FlatRun": "linnet.learn.flat.online_run",
    "GradientDescent": "linnet.learn.shared.solvers",
    "HeldOut": "linnet.learn.shared.schedules",
    "InverseTime": "linnet.learn.shared.schedules",
    "MemoryIndex": "linnet.learn.memory.index",
    "MemoryVectors": "linnet.learn.memory.vectors",
    "Pegasos": "linnet.learn.shared.schedules",
    "PegasosSGD": "linnet.learn.shared.solvers",
    "Power": "linnet.learn.shared.schedules",
    "ProbabilitySGD": "linnet.learn.shared.solvers",
    "Rule": "linnet.learn.shared.online_run",
    "RunState": "linnet.learn.shared.online_run",
    "SGD": "linnet.learn.shared.solvers",
    "Snapshot": "linnet.learn.flat.online_classifier",
}
_SHORT = 16  # shorter lists stay in the JSON, where they can be read
_MAX_TEXT = 1 << 28  # bytes of an array of text, whose every item is as wide as the longest


class Encoder:
    """Turn values into JSON; what belongs into arrays is collected in ``arrays``.

    Examples
    --------
    >>> encoder = Encoder()
    >>> encoder.encode("w", {"a": np.ones(2), "b": None})["values"]
    [{'kind': 'array', 'name': 'w.a', 'order': 'C'}, None]
    >>> encoder.arrays
    {'w.a': array([1., 1.])}
    """

    def __init__(self) -> None:
        self.arrays: Arrays = {}
        self._known: dict[tuple[object, ...], tuple[str, NDArray[Any]]] = {}

    def encode(self, path: str, value: object) -> Any:
        """Return `value` as JSON; `path` names it in errors and its arrays in the file.

        Raises
        ------
        DataError
            When the value is of a kind that a file cannot hold.
        """
        if value is None or type(value) in (bool, int):
            return value
        if isinstance(value, str):
            return str(value)  # NumPy's strings are a class of their own
        if type(value) is float:
            return value if math.isfinite(value) else {"kind": "number", "text": str(value)}
        if isinstance(value, np.ndarray):
            return self._array(path, value)
        if isinstance(value, np.generic):
            return {"kind": "scalar", "name": self._store(path, np.asarray(value))}
        if isinstance(value, list):
            return self._list(path, value)
        if isinstance(value, tuple):
            return {"kind": "tuple", "items": self._list(path, list(value))}
        if isinstance(value, Mapping):
            return self._dict(path, value)
        if hasattr(value, "get_params") and type(value).__name__ not in RECORDS:
            return self._learner(path, value)
        return self._record(path, value)

    def _learner(self, path: str, value: Any) -> Any:
        from linnet.model.file.classes import stored_form, stored_name
        from linnet.model.file.learners import encode_learner

        if stored_name(type(value)) is None:
            raise DataError(_refusal(path, value))
        name, value = stored_form(value)
        return {"kind": "learner", "class": name, **encode_learner(value, self, f"{path}.")}

    def _array(self, path: str, value: NDArray[Any]) -> Any:
        if value.dtype.kind == "U":
            strings = value.ravel().tolist()
            if value.ndim != 1 or value.nbytes > _MAX_TEXT:
                raise DataError(
                    f"{path} is an array of text that is too large or has not one axis; "
                    "use shorter labels"
                )
            return {"kind": "strings", "name": self._pack(path, strings), "array": True}
        if value.dtype.kind == "O":
            items = self._list(path, value.ravel().tolist())
            return {"kind": "objects", "shape": list(value.shape), "items": items}
        turned = value.flags.f_contiguous and not value.flags.c_contiguous
        key = (value.__array_interface__["data"][0], value.shape, value.strides, value.dtype)
        if key not in self._known:  # two attributes may be the same array
            self._known[key] = self._store(path, value.T if turned else value), value
        name = self._known[key][0]
        return {"kind": "array", "name": name, "order": "F" if turned else "C"}

    def _store(self, path: str, value: NDArray[Any]) -> str:
        if f"{value.dtype.kind}{value.itemsize}" not in CODES:
            raise DataError(f"{path} has the type {value.dtype}, which a model file cannot hold")
        name = path
        while name in self.arrays:
            name += "'"
        self.arrays[name] = value
        return name

    def _pack(self, path: str, strings: list[str]) -> str:
        raw, offsets = pack_strings(strings)
        name = path
        while name in self.arrays or f"{name}.offsets" in self.arrays:
            name += "'"
        self.arrays[name], self.arrays[f"{name}.offsets"] = raw, offsets
        return name

    def _list(self, path: str, values: list[Any]) -> Any:
        packed = self._packed(path, values)
        if packed is not None:
            return packed
        return [self.encode(f"{path}[{i}]", value) for i, value in enumerate(values)]

    def _packed(self, path: str, values: list[Any]) -> Any:
        """Return a long list of one kind as an array, else None."""
        kinds = set(map(type, values)) if len(values) >= _SHORT else set()
        if kinds == {str}:
            return {"kind": "strings", "name": self._pack(path, values), "array": False}
        if kinds == {float} or (kinds == {int} and _are_int64(values)):
            number = np.float64 if kinds == {float} else np.int64
            return {"kind": "numbers", "name": self._store(path, np.array(values, number))}
        return None

    def _dict(self, path: str, values: Mapping[Any, Any]) -> Any:
        items = self._packed(path, list(values.values()))
        if items is None:
            items = [self.encode(f"{path}.{key}", value) for key, value in values.items()]
        return {"kind": "dict", "keys": self._list(f"{path}.keys", list(values)), "values": items}

    def _record(self, path: str, value: object) -> Any:
        name = type(value).__name__
        if RECORDS.get(name) != type(value).__module__:
            raise DataError(_refusal(path, value))
        state: dict[str, Any] = value.__getstate__()  # type: ignore[assignment]  # no slots
        fields = {key: self.encode(f"{path}.{key}", inner) for key, inner in state.items()}
        return {"kind": "record", "class": name, "fields": fields}


def _are_int64(values: list[int]) -> bool:
    return -(2**63) <= min(values) and max(values) < 2**63


def _refusal(path: str, value: object) -> str:
    if callable(value):
        what = f"{path} is a function, and a model file holds no code"
    else:
        what = f"{path} is a {type(value).__name__}, which a model file cannot hold"
    return (
        f"{what}; it takes numbers, text, lists, dictionaries, arrays, schedules and solvers "
        "of linnet. Set another value, or keep this model with pickle"
    )


def decode(node: Any, arrays: Arrays) -> Any:
    """Return the value that :meth:`Encoder.encode` was given.

    Arrays are those of `arrays`, not copies.

    Raises
    ------
    DataError, KeyError, TypeError, ValueError
        When the JSON is not what the encoder writes.

    Examples
    --------
    >>> encoder = Encoder()
    >>> node = encoder.encode("p", {"x": (1.5, float("inf"))})
    >>> decode(node, encoder.arrays)
    {'x': (1.5, inf)}
    """
    if isinstance(node, list):
        return [decode(item, arrays) for item in node]
    if isinstance(node, dict):
        if node.get("kind") not in _DECODERS:
            raise DataError(f"unknown kind {str(node.get('kind'))[:40]!r}")
        return _DECODERS[node["kind"]](node, arrays)
    return node


def _number(node: dict[str, Any], arrays: Arrays) -> float:
    return float({"nan": "nan", "inf": "inf", "-inf": "-inf"}[node["text"]])


def _ndarray(node: dict[str, Any], arrays: Arrays) -> NDArray[Any]:
    return arrays[node["name"]].T if node["order"] == "F" else arrays[node["name"]]


def _scalar(node: dict[str, Any], arrays: Arrays) -> Any:
    value = arrays[node["name"]]
    if value.ndim:
        raise DataError(f"array {node['name']!r} should hold one number")
    return value[()]


def _strings(node: dict[str, Any], arrays: Arrays) -> Any:
    name = node["name"]
    strings = unpack_strings(arrays[name], arrays[f"{name}.offsets"])
    if not node["array"]:
        return strings
    if 4 * len(strings) * max(map(len, strings), default=0) > _MAX_TEXT:
        raise DataError(f"the text of {name!r} is too long for an array")
    return np.array(strings, dtype=np.str_)


def _numbers(node: dict[str, Any], arrays: Arrays) -> list[Any]:
    values = arrays[node["name"]]
    if values.ndim != 1:
        raise DataError(f"array {node['name']!r} should have one axis")
    return list(values.tolist())


def _objects(node: dict[str, Any], arrays: Arrays) -> NDArray[Any]:
    items, shape = decode(node["items"], arrays), node["shape"]
    if any(type(n) is not int or n < 0 for n in shape) or prod(shape) != len(items):
        raise DataError("an array of objects has not as many items as its shape says")
    flat = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):  # an item may itself be a list
        flat[i] = item
    return flat.reshape(shape)


def _dict(node: dict[str, Any], arrays: Arrays) -> dict[Any, Any]:
    keys, values = decode(node["keys"], arrays), decode(node["values"], arrays)
    mapping = dict(zip(keys, values, strict=True))
    if len(mapping) != len(keys):
        raise DataError("a dictionary has the same key twice")
    return mapping


def _record(node: dict[str, Any], arrays: Arrays) -> Any:
    name = node["class"]
    fields = {key: decode(inner, arrays) for key, inner in node["fields"].items()}
    cls = getattr(import_module(RECORDS[name]), name)
    if hasattr(cls, "__dataclass_fields__"):
        return cls(**fields)
    made = cls.__new__(cls)
    for key, value in fields.items():  # unlike the rest, these objects work on their arrays
        vars(made)[key] = np.array(value) if isinstance(value, np.ndarray) else value
    return made


def _learner(node: dict[str, Any], arrays: Arrays) -> Any:
    from linnet.model.file.classes import required_class
    from linnet.model.file.learners import decode_learner

    return decode_learner(required_class(node["class"]), node, arrays)


_DECODERS: dict[object, Callable[[dict[str, Any], Arrays], Any]] = {
    "array": _ndarray,
    "dict": _dict,
    "learner": _learner,
    "number": _number,
    "numbers": _numbers,
    "objects": _objects,
    "record": _record,
    "scalar": _scalar,
    "strings": _strings,
    "tuple": lambda node, arrays: tuple(decode(node["items"], arrays)),
}
