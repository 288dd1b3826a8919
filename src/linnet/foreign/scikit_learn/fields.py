"""What is stored of an object of scikit-learn, asked for by name and checked."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ModelFileError
from linnet.foreign.pickled.arrays import Held
from linnet.foreign.pickled.machine import Record

__all__ = ["Fields", "fields_of"]

Floats = NDArray[np.float64]
_MOST = 1e100
_ABSENT = object()
_SPARSE = ("csr_matrix", "csr_array")


class Fields:
    """The state of a record.

    Parameters
    ----------
    record : Record
    file : str
        For messages.
    """

    def __init__(self, record: Record, file: str) -> None:
        self.record, self.file, self.cls = record, file, record.cls

    def refuse(self, why: str) -> NoReturn:
        """Refuse the file."""
        raise ModelFileError(f"this scikit-learn {self.cls} {why}", file=self.file)

    def has(self, name: str) -> bool:
        """Tell whether there is such a value."""
        return name in self.record.state

    def value(self, name: str, default: Any = _ABSENT) -> Any:
        """Return a value as it is."""
        value = self.record.state.get(name, default)
        if value is _ABSENT:
            self.refuse(f"has no {name}; it was not fitted, or another version has written it")
        return value.array if isinstance(value, Held) else value

    def choice(self, name: str, allowed: tuple[Any, ...], default: Any = _ABSENT) -> Any:
        """Return one of some values."""
        value = self.value(name, default)
        if not isinstance(value, (str, int, type(None))) or value not in allowed:
            shown = repr(value) if isinstance(value, (str, int)) else f"a {type(value).__name__}"
            listed = ", ".join(map(repr, allowed))
            self.refuse(f"has {name}={shown[:60]}; linnet reads {listed}")
        return value

    def whole(self, name: str, low: int, high: int) -> int:
        """Return an integer."""
        value = self.value(name)
        if type(value) is not int or not low <= value <= high:
            self.refuse(f"cannot have {name}={str(value)[:40]}")
        return value

    def inner(self, name: str) -> Fields:
        """Return another object."""
        return fields_of(self.value(name), self.file, f"the {name} of this scikit-learn {self.cls}")

    def listed(self, name: str) -> list[Any]:
        """Return a list."""
        value = self.value(name)
        if not isinstance(value, list) or not value:
            self.refuse(f"has {name} that is no list")
        return value

    def numbers(self, name: str) -> Floats:
        """Return an array of finite numbers."""
        return self._finite(name, self.value(name))

    def _finite(self, name: str, value: Any) -> Floats:
        if isinstance(value, (int, float)):
            value = np.array(value)
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiu" or not value.size:
            self.refuse(f"has {name} that is no array of numbers")
        array = np.ascontiguousarray(value, np.float64)
        if not (np.isfinite(array).all() and (np.abs(array) < _MOST).all()):
            self.refuse(f"has {name} that is not finite")
        return array

    def matrix(self, name: str, rows: int, columns: int) -> Floats:
        """Return a matrix of finite numbers of a certain shape, dense or sparse."""
        value = self.value(name)
        if isinstance(value, Record) and value.cls in _SPARSE:
            array = _dense(Fields(value, self.file), rows, columns)
        else:
            array = self._finite(name, value)
        if array.ndim == 1 and rows == 1:
            array = array[None]
        if array.shape != (rows, columns):
            self.refuse(f"has {name} of the shape {array.shape}, where {(rows, columns)} belongs")
        return array

    def labels(self, name: str = "classes_") -> NDArray[Any]:
        """Return the labels: texts or numbers, all different."""
        value = self.value(name)
        if not isinstance(value, np.ndarray) or value.ndim != 1 or len(value) < 2:
            self.refuse(f"has {name} that are no two labels or more")
        try:
            listed = value.tolist()
            longest = max(len(str(label).encode()) for label in listed)
        except ValueError as error:
            self.refuse(f"has a label that is no text ({error})")
        same = len({*map(type, listed)}) == 1 and isinstance(listed[0], (str, int, float))
        if not same or len(set(listed)) != len(listed) or longest * len(listed) > 1 << 28:
            self.refuse(f"has {name} that are not all different texts or numbers")
        if sorted(listed) != listed:
            self.refuse(f"has {name} that are not sorted")
        return np.array(listed)


def fields_of(value: Any, file: str, what: str) -> Fields:
    """Return the state of something that must be a record."""
    if not isinstance(value, Record):
        raise ModelFileError(f"{what} is no object of scikit-learn", file=file)
    return Fields(value, file)


def _dense(sparse: Fields, rows: int, columns: int) -> Floats:
    """Return a sparse matrix in full, if it has the shape that is wanted."""
    data, index, start = (sparse.numbers(name) for name in ("data", "indices", "indptr"))
    if rows * columns > max(1 << 20, 64 * len(data)):
        sparse.refuse("is too sparse to be read; use densify() before it is stored")
    fits = len(start) == rows + 1 and start[0] == 0 and start[-1] == len(data) == len(index)
    if not fits or (np.diff(start) < 0).any():
        sparse.refuse("does not have the rows that are wanted")
    if len(index) and not (index.min() >= 0 and index.max() < columns):
        sparse.refuse("has a column outside")
    full = np.zeros((rows, columns))
    row = np.repeat(np.arange(rows), np.diff(start).astype(np.int64))
    np.add.at(full, (row, index.astype(np.int64)), data)
    return full
