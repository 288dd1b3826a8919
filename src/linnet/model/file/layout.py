"""How the bytes of a model file lie: what its writer and its reader agree on.

    8 bytes    length of the header, unsigned, little-endian
    header     UTF-8 JSON, padded with spaces so that the data begin at a multiple of 64
    data       the arrays one after the other, without holes, widest numbers first

That is the safetensors container. Its header maps array names to ``dtype``, ``shape`` and
``data_offsets``; the strings under ``__metadata__`` are linnet's. The header of every file begins
with the same bytes, :data:`PREFIX`, so the checksum has a fixed place and can be compared before
anything is parsed. The whole format is described in docs/model_file.md.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: The format this linnet writes, and the newest it reads.
FORMAT = 1

#: What every header begins with; the eight digits of the checksum follow.
PREFIX = b'{"__metadata__":{"linnet_format":"1","checksum":"'

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
    format: int = FORMAT


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
