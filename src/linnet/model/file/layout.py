"""How the bytes of a model file lie: what its writer and its reader agree on.

    8 bytes    length of the header, unsigned, little-endian
    header     UTF-8 JSON, padded with spaces so that the data begin at a multiple of 64
    data       the arrays one after the other, without holes, widest numbers first

That is the safetensors container. Its header maps array names to ``dtype``, ``shape`` and
``data_offsets``; the strings under ``__metadata__`` are linnet's. The header of every file begins
with one of :data:`PREFIXES`, which are equally long, so the checksum has a fixed place and can be
compared before anything is parsed. Many strings are two arrays: their UTF-8 bytes and where each
one ends; string i is ``bytes[offsets[i]:offsets[i + 1]]``. The whole format is described in
docs/model_file.md.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

#: The formats this linnet reads. A file is written in the first of them that can hold it.
PLAIN, FORMAT = 2, 3

#: What every header begins with; the eight digits of the checksum follow.
PREFIXES = tuple(
    b'{"__metadata__":{"linnet_format":"%d","checksum":"' % number for number in (PLAIN, FORMAT)
)

#: What the eight digits are taken for while the checksum is computed.
BLANK = b"0" * 8

#: Longest header. Settings are short; what can be long, such as a vocabulary, is an array.
MAX_HEADER = 1 << 25

#: Data begin at a multiple of this: a cache line.
ALIGNMENT = 64

#: Key of the strings that are not arrays.
METADATA = "__metadata__"

#: Names of the number types, by kind and bytes as NumPy writes them.
CODES = {
    "f2": "F16", "f4": "F32", "f8": "F64",
    "i1": "I8", "i2": "I16", "i4": "I32", "i8": "I64",
    "u1": "U8", "u2": "U16", "u4": "U32", "u8": "U64",
    "b1": "BOOL",
}  # fmt: skip
DTYPES = {code: np.dtype(f"<{name}") for name, code in CODES.items()}


class ModelFile(NamedTuple):
    """The content of a model file.

    Attributes
    ----------
    name : str
        The class that wrote it, one of linnet's public names.
    config : dict
        What that class needs beside the arrays.
    record : dict
        How the model came about.
    arrays : dict of str to array
        Read-only views of the mapped file, shared with every other process that reads it.
    version : str
        The linnet that wrote the file.
    path : str
    format : int
        The version of the format.
    """

    name: str
    config: dict[str, Any]
    record: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    version: str
    path: str
    format: int = PLAIN


def format_of(arrays: Iterable[str]) -> int:
    """Return the number of the format that these arrays need: packed names came with the third.

    Examples
    --------
    >>> format_of(["coef_"]), format_of(["features.names_packed", "start"])
    (2, 3)
    """
    return FORMAT if any(name.endswith("_packed") for name in arrays) else PLAIN


def checksum(parts: Iterable[bytes | memoryview]) -> bytes:
    """Return the CRC-32 of some bytes, in pieces, as eight hexadecimal digits.

    It finds accidents, not forgery: whoever can write the file can also write its checksum.

    Examples
    --------
    >>> checksum([b"one ", b"two"]) == checksum([b"one two"])
    True
    """
    total = 0
    for part in parts:
        total = zlib.crc32(part, total)
    return b"%08x" % total


def pack_strings(strings: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return strings as bytes and offsets.

    A lone surrogate, which a Python string may hold and UTF-8 may not, is kept as the three bytes
    it would have.

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
