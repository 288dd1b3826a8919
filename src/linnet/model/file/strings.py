"""Many strings as two arrays: their UTF-8 bytes and where each one ends.

String i is ``bytes[offsets[i]:offsets[i + 1]]``. A lone surrogate, which a Python string may hold
and UTF-8 may not, is kept as the three bytes it would have.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError


def pack_strings(strings: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return strings as bytes and offsets.

    Parameters
    ----------
    strings : sequence of str, length n

    Returns
    -------
    bytes : array of uint8
    offsets : array of int64, shape (n + 1,)

    Examples
    --------
    >>> raw, offsets = pack_strings(["a", "", "né"])
    >>> raw.tobytes(), offsets.tolist()
    (b'an\\xc3\\xa9', [0, 1, 1, 4])
    """
    pieces = [string.encode("utf-8", "surrogatepass") for string in strings]
    offsets = np.fromiter(accumulate(map(len, pieces), initial=0), np.int64, len(pieces) + 1)
    return np.frombuffer(b"".join(pieces), np.uint8), offsets


def unpack_strings(raw: NDArray[Any], offsets: NDArray[Any]) -> list[str]:
    """Return the strings that :func:`pack_strings` was given.

    Raises
    ------
    DataError
        When the arrays do not describe strings.

    Examples
    --------
    >>> unpack_strings(*pack_strings(["a", "", "né"]))
    ['a', '', 'né']
    """
    if raw.dtype != np.uint8 or raw.ndim != 1 or offsets.dtype != np.int64 or offsets.ndim != 1:
        raise DataError("packed strings need bytes (uint8) and offsets (int64), each of one axis")
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(raw):
        raise DataError("the offsets of packed strings must go from 0 to the number of bytes")
    if (offsets[1:] < offsets[:-1]).any():
        raise DataError("the offsets of packed strings must not descend")
    block, ends = raw.tobytes(), offsets.tolist()
    spans = pairwise(ends)
    try:
        if block.isascii():
            text = block.decode("ascii")
            return [text[start:end] for start, end in spans]
        return [block[start:end].decode("utf-8", "surrogatepass") for start, end in spans]
    except UnicodeDecodeError as error:
        raise DataError(f"packed strings are not UTF-8: {error}") from None
