"""NumPy's arrays in pickles and in joblib's files: bytes of the file, of checked type and shape.

Numbers stay a view of the bytes that are there, so that no size a file claims is ever allocated.
An array of objects may hold texts and numbers alone.
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from linnet.foreign.pickled.machine import Machine

__all__ = [
    "DType", "Held", "dtype", "encoded", "held", "of_buffer", "scalar", "set_of", "wrapped_array",
]  # fmt: skip

_TYPES = re.compile(r"[<>=|]?(?:f[248]|[iu][1248]|b1|U[1-9]\d{0,5}|S[1-9]\d{0,5}|O[48]?)")
_AXES = 2
_LAST_POINT = 0x10FFFF
_PLAIN = (str, int, float)


class DType:
    """A type of numbers or texts, whose order of bytes comes later."""

    def __init__(self, code: str) -> None:
        self.code = code

    @property
    def objects(self) -> bool:
        """Whether an array of it has its items in a list."""
        return "O" in self.code

    def fill(self, state: Any) -> None:
        """Take the order of bytes."""
        order = state[1] if isinstance(state, tuple) and len(state) > 3 else None
        if order not in ("<", ">", "|", "=") or state[3] is not None:
            raise ValueError("a type of numbers with parts")
        self.code = order + self.code.lstrip("<>=|")

    def numpy(self) -> np.dtype[Any]:
        """Return NumPy's type."""
        return np.dtype(self.code)


class Held:
    """An array, empty until its state is known."""

    def __init__(self) -> None:
        self.array: NDArray[Any] = np.empty(0)

    def fill(self, state: Any) -> None:
        """Take version, shape, type, whether it is by columns, and bytes or a list of objects."""
        _, shape, kind, by_columns, raw = state
        self.array = _array(kind, shape, "F" if by_columns else "C", raw)


def dtype(code: Any, *options: Any) -> DType:
    """Return a type, as NumPy spells it.

    Examples
    --------
    >>> kind = dtype("f8", False, True)
    >>> kind.fill((3, "<", None, None, None, -1, -1, 0))
    >>> kind.numpy()
    dtype('float64')
    """
    if not isinstance(code, str) or not _TYPES.fullmatch(code):
        raise ValueError(f"the type of numbers {str(code)[:20]!r}")
    return DType(code)


def held(*options: Any) -> Held:
    """Return an array without a state."""
    return Held()


def scalar(kind: Any, raw: Any) -> Any:
    """Return one number or text."""
    array = _array(kind, (1,), "C", raw)
    return array[0].item()


def of_buffer(raw: Any, kind: Any, shape: Any, order: Any, *axes: Any) -> NDArray[Any]:
    """Return an array of bytes."""
    return _array(kind, shape, order, raw)


def encoded(text: Any, code: Any = "latin1") -> bytes:
    """Return the bytes that stand as a text in older pickles."""
    if not isinstance(text, str) or code not in ("latin1", "latin-1"):
        raise ValueError("a text in another code")
    return text.encode("latin-1")


def set_of(items: Any = ()) -> set[Any]:
    """Return a set of a list."""
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, _PLAIN) for item in items):
        raise ValueError("a set of something else")
    return set(items)


def wrapped_array(machine: Machine, state: dict[Any, Any]) -> NDArray[Any]:
    """Return the array behind joblib's wrapper, whose bytes follow right there.

    Since joblib 1.2 the bytes are aligned: one byte says how many more come before them.
    """
    kind, shape, order = state.get("dtype"), state.get("shape"), state.get("order")
    if not isinstance(kind, DType):
        raise ValueError("an array without a type")
    if kind.objects:
        inner = machine.nested()
        if not isinstance(inner, Held) or inner.array.shape != shape:
            raise ValueError("an array of objects")
        return inner.array
    if state.get("numpy_array_alignment_bytes") is not None:
        machine.take(machine.number("B", 1))
    size = prod(_shape(shape)) * kind.numpy().itemsize
    return _array(kind, shape, order, machine.take(size))


def _array(kind: Any, shape: Any, order: Any, raw: Any) -> NDArray[Any]:
    """Return an array, a view of the bytes unless it holds objects."""
    if not isinstance(kind, DType) or order not in ("C", "F"):
        raise ValueError("an array without a type or order")
    size = prod(_shape(shape))
    if kind.objects:
        if not isinstance(raw, list) or len(raw) != size:
            raise ValueError("an array of objects that are not there")
        if not all(isinstance(item, _PLAIN) for item in raw) or len({*map(type, raw)}) > 1:
            raise ValueError("an array of objects that are neither texts nor numbers")
        return np.array(raw, object).reshape(shape, order=order)
    if isinstance(raw, str):  # of Python 2
        raw = raw.encode("latin-1")
    numbers = kind.numpy()
    if not isinstance(raw, bytes) or len(raw) != size * numbers.itemsize:
        raise ValueError("an array of another size than its bytes")
    if numbers.kind == "U" and not _is_text(raw, numbers):
        raise ValueError("an array of texts with characters that do not exist")
    return np.frombuffer(raw, numbers).reshape(shape, order=order)


def _is_text(raw: bytes, kind: np.dtype[Any]) -> bool:
    """Tell whether bytes are code points, which Python makes texts of only if they exist."""
    points = np.frombuffer(raw, np.dtype(np.uint32).newbyteorder(kind.byteorder))
    return bool((points <= _LAST_POINT).all())


def _shape(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, tuple) or len(shape) > _AXES:
        raise ValueError("the shape of an array")
    if not all(type(length) is int and 0 <= length < 1 << 40 for length in shape):
        raise ValueError("the shape of an array")
    return shape
