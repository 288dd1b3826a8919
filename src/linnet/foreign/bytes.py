"""A walk through the bytes of a file that nobody vouches for.

A large file is mapped, and every field is asked of a :class:`Cursor`, which says where it stands
when the file ends too early. Counts are compared with the bytes that are left before any array is
made.
"""

from __future__ import annotations

import mmap
import os
import struct
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ModelFileError
from linnet.stored import LARGEST

__all__ = ["Cursor", "mapped"]

_SMALL = 1 << 21  # so many bytes are read sooner than mapped


def mapped(path: str | os.PathLike[str]) -> mmap.mmap | bytes:
    """Return the bytes of a file; of a large one those that are looked at, when they are."""
    with open(path, "rb", buffering=0) as raw:
        if os.fstat(raw.fileno()).st_size <= _SMALL:
            return raw.readall()
        return mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ)


class Cursor:
    """A place in the bytes of a file; all numbers are little-endian.

    Parameters
    ----------
    data : bytes-like
    file : str
        The name of the file, for messages.
    what : str
        The format, for messages.

    Examples
    --------
    >>> cursor = Cursor(b"\\x07\\x00\\x00\\x00ab\\x00", "m.bin", "fastText")
    >>> cursor.number("i", "size"), cursor.text("name")
    (7, b'ab')
    >>> cursor.number("i", "count")
    Traceback (most recent call last):
        ...
    linnet.errors.ModelFileError: m.bin: this fastText model ends at byte 7, within count; ...
    """

    def __init__(self, data: Any, file: str, what: str, at: int = 0) -> None:
        self.data, self.file, self.what, self.at = data, file, what, at
        self.end = len(data)

    @property
    def left(self) -> int:
        """The number of bytes that follow."""
        return self.end - self.at

    def number(self, code: str, name: str) -> Any:
        """Return the next number, of a type that :mod:`struct` names."""
        size = struct.calcsize(f"<{code}")
        self.need(size, name)
        (value,) = struct.unpack_from(f"<{code}", self.data, self.at)
        self.at += size
        return value

    def array(self, dtype: str, count: int, name: str) -> NDArray[Any]:
        """Return the next numbers as a read-only view of the file."""
        kind = np.dtype(f"<{dtype}")
        if not 0 <= count <= self.left // kind.itemsize:
            self.ends(name) if count > 0 else self.wrong(name, count)
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += count * kind.itemsize
        return values

    def text(self, name: str) -> bytes:
        """Return the bytes up to the next NUL, and pass over it."""
        stop = self.data.find(b"\0", self.at, self.end)
        if stop < 0:
            self.ends(name)
        raw = bytes(self.data[self.at : stop])
        self.at = stop + 1
        return raw

    def chunk(self, at: int, magic: bytes, name: str) -> None:
        """Go to a part of the file that begins with certain bytes, and pass over these."""
        if not 0 <= at <= self.end - 12 or bytes(self.data[at : at + len(magic)]) != magic:
            self.wrong(f"the place of {name}", at)
        self.at = at + len(magic)

    def need(self, size: int, name: str) -> None:
        """Refuse a file that ends before so many more bytes."""
        if size > self.left:
            self.ends(name)

    def finish(self) -> None:
        """Refuse what follows the last field."""
        if self.left:
            self.damaged(f"has {self.left} bytes after its end at byte {self.at}")

    def ends(self, name: str) -> NoReturn:
        """Refuse a file that is cut short."""
        self.damaged(f"ends at byte {self.end}, within {name}")

    def wrong(self, name: str, value: Any) -> NoReturn:
        """Refuse a field that cannot be what it says."""
        self.damaged(f"is damaged before byte {self.at}: {name} cannot be {str(value)[:40]}")

    def damaged(self, why: str) -> NoReturn:
        """Refuse a file that nobody has written like this."""
        self.refuse(f"{why}; copy it again")

    def refuse(self, why: str) -> NoReturn:
        """Refuse the file."""
        raise ModelFileError(f"this {self.what} model {why}", file=self.file)

    def sound(self, values: NDArray[Any], name: str) -> NDArray[Any]:
        """Return numbers that are all finite, as are the sums of many of them."""
        if not (np.abs(values) <= LARGEST).all():  # false for NaN
            self.wrong(name, "NaN, infinite or beyond 1e100")
        return values
