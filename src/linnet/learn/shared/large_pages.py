"""Memory for large arrays of weights.

Linux hands out memory when it is first touched, 4 kB at a time, and that takes longer than most
passes take to fill it. NumPy asks for pages of 2 MB, but its arrays begin anywhere, so up to two
such pages of each are small ones after all: half of a table of some megabytes. These begin at a
page. Where a system has no such pages, nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["large_empty", "large_zeros"]

_PAGE = 1 << 21


def large_empty(*shape: int) -> NDArray[np.float64]:
    """Return an array of numbers that are not set yet."""
    return _aligned(shape, np.empty)


def large_zeros(*shape: int) -> NDArray[np.float64]:
    """Return an array of zeros, whose pages cost nothing until they are touched."""
    return _aligned(shape, np.zeros)


def _aligned(shape: tuple[int, ...], make: Callable[..., NDArray[Any]]) -> NDArray[np.float64]:
    size = 8 * prod(shape)
    if size < _PAGE:
        return make(shape, np.float64)
    whole = -(-size // _PAGE) * _PAGE
    memory = make(whole + _PAGE, np.uint8)
    first = -memory.__array_interface__["data"][0] % _PAGE
    return memory[first : first + size].view(np.float64).reshape(shape)
