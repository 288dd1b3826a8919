"""Arrays on their way to the page: as JSON where they are small, as their bytes where not.

Writing 50,000 numbers as decimal text takes longer than computing them. An array of more than a few
hundred becomes ``{"float64": base64 of its little-endian bytes, "shape": [...]}``, which the page
reads back bit for bit (``numbers.js``).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Table", "packed"]

_MOST_SPELLED = 256  # numbers
# the names of the page, and how their bytes lie; whole numbers are places and fit 32 bits
_KINDS = {"float64": ("float64", "<f8"), "float32": ("float32", "<f4"), "int64": ("int32", "<i4")}


class Table(list[Any]):
    """An array as nested lists, None for minus infinity, that remembers the array it is.

    Examples
    --------
    >>> Table(np.array([[0.5, -np.inf]]))
    [[0.5, None]]
    """

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        if not np.isfinite(array).all():
            array = array.astype(object)
            array[~np.isfinite(self.array)] = None
        super().__init__(array.tolist())


def packed(value: Any) -> Any:
    """Return plain values, with large arrays as their bytes.

    Examples
    --------
    >>> packed({"w": np.array([0.5, 1.0]), "grid": np.zeros((30, 10), np.float32)})
    {'w': [0.5, 1.0], 'grid': {'float32': 'AAAA...', 'shape': [30, 10]}}
    """
    if isinstance(value, Table) and value.array.size > _MOST_SPELLED:
        value = value.array
    if isinstance(value, np.ndarray):
        return value.tolist() if value.size <= _MOST_SPELLED else _bytes(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {key: packed(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [packed(one) for one in value]
    return value


def _bytes(array: NDArray[Any]) -> dict[str, Any]:
    kind, layout = _KINDS[array.dtype.name]
    text = b64encode(array.astype(layout).tobytes()).decode()
    return {kind: text, "shape": list(array.shape)}
