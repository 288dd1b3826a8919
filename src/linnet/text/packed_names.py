"""Names in a model file: front-coded and deflated, a fifth of their bytes.

Front coding leaves out what a name shares with the one before it, which for sorted names is most of
it; DEFLATE (zlib) takes what repeats in the rest. Fingerprints and their table follow from the
names, so a file need not hold them: spelling 594,162 features of a chunker and filling their table
takes about as long as a checksum of the 31 MB that they are.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.text.names import Names
from linnet.text.stored import checked_array

__all__ = ["pack_names", "unpack_names", "unpack_table"]

Arrays = dict[str, NDArray[Any]]
_MOST = 256  # bytes of names for a byte of the file: a small file cannot ask for much memory


def pack_names(names: Names) -> NDArray[np.uint8]:
    """Return names as few bytes.

    Examples
    --------
    >>> packed = pack_names(Names.of(["w[0]=cat", "w[0]=cats", "w[0]=dog"]))
    >>> unpack_names({"names_packed": packed}, "names").tolist()
    ['w[0]=cat', 'w[0]=cats', 'w[0]=dog']
    """
    code = _core.front_coded(names.data, names.offset)
    packed = zlib.compress(code, 6)
    if max(len(code), len(names.data)) > _MOST * len(packed):
        packed = zlib.compress(code, 0)
    return np.frombuffer(packed, np.uint8)


def unpack_names(arrays: Arrays, name: str) -> Names:
    """Return the names that a file holds, packed or, from an earlier linnet, plain."""
    if name not in arrays:
        return _spelled(checked_array(arrays, f"{name}_packed", np.uint8))[0]
    return Names(
        checked_array(arrays, name, np.uint8), checked_array(arrays, f"{name}_offset", np.int64)
    )


def unpack_table(
    arrays: Arrays, name: str, seed: int
) -> tuple[Names, NDArray[np.uint64], NDArray[np.uint64]]:
    """Return packed names, the table of their fingerprints for a seed, and these.

    Examples
    --------
    >>> names, slots, prints = unpack_table({"n_packed": pack_names(Names.of(["a", "ab"]))}, "n", 0)
    >>> names[1], len(slots), len(prints)
    ('ab', 8, 2)
    """
    names, prints = _spelled(checked_array(arrays, f"{name}_packed", np.uint8), seed)
    slots = np.empty(_core.table_capacity(len(names)), np.uint64)
    if _core.fill_table(prints, slots) >= 0:
        raise DataError("The list of feature names has two that cannot be told apart.")
    return names, slots, prints


def _spelled(
    packed: NDArray[np.uint8], seed: int | None = None
) -> tuple[Names, NDArray[np.uint64]]:
    """Return the names and, given a seed, their fingerprints."""
    most = _MOST * len(packed)
    stream = zlib.decompressobj()
    try:
        code = np.frombuffer(stream.decompress(packed.data, most), np.uint8)
        n, size = _core.measure_front_coded(code)
    except (zlib.error, ValueError) as error:
        raise DataError(f"The list of feature names is broken: {error}.") from None
    if not stream.eof or stream.unused_data or size > most:
        raise DataError("The list of feature names is broken.")
    data, offset = np.empty(size, np.uint8), np.empty(n + 1, np.int64)
    prints = np.empty(0 if seed is None else n, np.uint64)
    _core.spell_front_coded(code, seed or 0, data, offset, None if seed is None else prints)
    return Names(data, offset), prints
