"""Checks of arrays that come out of a model file, so that a forged one cannot break the core."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError

__all__ = ["checked_array", "checked_table"]

_EMPTY = 2**32 - 1  # the row of a slot without an entry


def checked_array(arrays: dict[str, NDArray[Any]], name: str, kind: Any) -> NDArray[Any]:
    """Return a one-dimensional array of the right kind.

    Examples
    --------
    >>> checked_array({"size": np.arange(3)}, "size", np.int64)
    array([0, 1, 2])
    """
    array = arrays.get(name)
    if array is None or array.dtype != kind or array.ndim != 1:
        raise DataError(f"The array {name!r} is missing or of the wrong kind.")
    return np.ascontiguousarray(array)


def checked_table(
    arrays: dict[str, NDArray[Any]], slots: str, prints: str, size: int, what: str
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the slots and fingerprints of a table of `size` entries.

    Examples
    --------
    >>> empty = {"slots": np.full(4, 2**32 - 1, np.uint64), "prints": np.empty(0, np.uint64)}
    >>> len(checked_table(empty, "slots", "prints", 0, "the vocabulary")[0])
    4
    """
    slot = checked_array(arrays, slots, np.uint64)
    print_ = checked_array(arrays, prints, np.uint64)
    rows = slot.astype(np.uint32)  # the lower halves
    inside = (rows < size) | (rows == _EMPTY)
    if len(print_) != size or len(slot) != _core.table_capacity(size) or not inside.all():
        raise DataError(f"The table of {what} is broken.")
    return slot, print_
