"""The cache of features: one file that holds what the passes over a corpus need.

    17 bytes   ``linnet features``, a line feed, and one byte: the version
    arrays     each at a multiple of 64: CSR rows, labels, copies, the vocabulary
    summary    UTF-8 JSON: what the features were made of and how, the arrays and their checksums
    16 bytes   CRC-32 of the summary in hexadecimal, and its length, unsigned, little-endian

The name of the file follows from the names of the sources and the settings, so a later run with the
same wishes finds it. Whether the sources are still as they were, by size and time of change, is in
the summary. The file appears whole or not at all, and its checksums are compared when it is opened.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from linnet.data.replacing import replacing
from linnet.errors import DataError

__all__ = ["CacheKey", "CacheWriter", "Cached", "open_cache", "write_cache"]

_MAGIC = b"linnet features\n\x01"
_ALIGNMENT = 64
_PIECE = 1 << 24
_TAIL = 16
#: Array name to (dtype, shape).
Shapes = Mapping[str, tuple[str, tuple[int, ...]]]


@dataclass(frozen=True)
class CacheKey:
    """What a cache is made of.

    Attributes
    ----------
    sources : sequence of paths
    settings : dict
        How they are read and what becomes a feature; values that JSON can hold.
    """

    sources: Sequence[str | os.PathLike[str]]
    settings: Mapping[str, Any]

    def place(self, folder: str | os.PathLike[str]) -> Path:
        """Return the file of a cache in a folder."""
        names = [os.path.realpath(source) for source in self.sources]
        digest = sha256(json.dumps([names, self.settings], sort_keys=True).encode()).hexdigest()
        return Path(folder) / f"{digest[:24]}.features"

    def state(self) -> list[list[Any]]:
        """Return name, size and time of change of each source as they are now."""
        status = [(os.path.realpath(source), os.stat(source)) for source in self.sources]
        return [[name, s.st_size, s.st_mtime_ns] for name, s in status]


@dataclass(frozen=True)
class Cached:
    """What a cache holds: plain values, and arrays that are mapped."""

    path: Path
    values: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def open_cache(path: Path, state: Any, tell: Callable[[str], None]) -> Cached | None:
    """Return a cache if there is one of the sources as they are; else say why not.

    A cache of sources that have changed, of another version, or that is damaged, is none: it is
    written anew.
    """
    try:
        with open(path, "rb") as file:
            found = _read(file, path)
    except FileNotFoundError:
        return None
    except DataError as error:
        tell(f"{error}; it is written anew")
        return None
    if found.values["sources"] != state:
        tell(f"{path} is of earlier sources; it is written anew")
        return None
    return found


def _read(file: BinaryIO, path: Path) -> Cached:
    """Map a cache and compare its checksums."""
    size = os.fstat(file.fileno()).st_size
    if file.read(len(_MAGIC)) != _MAGIC:
        raise DataError(f"{path} is no cache of features of this version")
    file.seek(max(size - _TAIL, 0))
    tail = file.read(_TAIL)
    length = int.from_bytes(tail[-8:], "little")
    file.seek(max(size - _TAIL - length, 0))
    raw = file.read(length) if length < size else b""
    if b"%08x" % zlib.crc32(raw) != tail[:8] or not raw:
        raise DataError(f"{path} is damaged or cut short")
    summary = json.loads(raw)
    whole = np.asarray(np.memmap(file, np.uint8, "r"))
    pieces = {
        name: whole[place : place + _nbytes(kind, shape)]
        for name, (kind, shape, place, _) in summary["arrays"].items()
    }
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        sums = dict(zip(pieces, pool.map(_crc, pieces.values()), strict=True))
    arrays = {}
    for name, (kind, shape, _, crc) in summary["arrays"].items():
        if sums[name] != crc:
            raise DataError(f"{path} is damaged (its array {name})")
        arrays[name] = pieces[name].view(kind).reshape(shape)
    return Cached(path, summary["values"], arrays)


def _crc(data: NDArray[np.uint8], crc: int = 0) -> int:
    for first in range(0, len(data), _PIECE):
        crc = zlib.crc32(data[first : first + _PIECE].data, crc)
    return crc


class CacheWriter:
    """Fills the arrays of a cache, each from its beginning to its end, side by side."""

    def __init__(self, file: BinaryIO, shapes: Shapes) -> None:
        self._file, self._shapes = file, shapes
        self._sums = dict.fromkeys(shapes, 0)
        self._places: dict[str, int] = {}
        self._end = _ALIGNMENT
        for name, (kind, shape) in shapes.items():
            self._places[name] = self._end
            self._end = _aligned(self._end + _nbytes(kind, shape))
        self._next = dict(self._places)
        file.write(_MAGIC)

    def append(self, name: str, array: NDArray[Any]) -> None:
        """Write what comes next in an array."""
        raw = np.ascontiguousarray(array, dtype=self._shapes[name][0]).reshape(-1).view(np.uint8)
        self._file.seek(self._next[name])
        self._file.write(raw.data)
        self._sums[name] = zlib.crc32(raw.data, self._sums[name])
        self._next[name] += len(raw)

    def finish(self, values: dict[str, Any]) -> None:
        """Write the summary, which says that all is there."""
        arrays = {}
        for name, (kind, shape) in self._shapes.items():
            if self._next[name] != self._places[name] + _nbytes(kind, shape):
                raise DataError(f"the array {name} of the cache is not complete")
            arrays[name] = [kind, shape, self._places[name], self._sums[name]]
        summary = json.dumps({"arrays": arrays, "values": values}).encode()
        self._file.seek(self._end)
        self._file.write(summary + b"%08x" % zlib.crc32(summary))
        self._file.write(len(summary).to_bytes(8, "little"))


@contextmanager
def write_cache(path: Path, shapes: Shapes, tell: Callable[[str], None]) -> Iterator[CacheWriter]:
    """Yield the writer of a cache that appears whole, under its name, when the block ends.

    Two processes that write one cache each write a file of their own; the last one stays, and
    they hold the same. The size is announced, and compared with the room there is, before
    anything is written.

    Parameters
    ----------
    path : Path
    shapes : dict of str to (dtype, shape)
    tell : function of a str
    """
    needed = sum(_aligned(_nbytes(kind, shape)) for kind, shape in shapes.values())
    free = shutil.disk_usage(path.parent).free
    if needed > free:
        raise DataError(
            f"the cache needs {needed / 1e6:,.1f} MB and {path.parent} has {free / 1e6:,.1f} MB "
            "left; name another folder, or ask for fewer features (--min-df, --hashing)"
        )
    tell(f"the cache of features takes {needed / 1e6:,.1f} MB in {path}")
    with replacing(path) as file:
        yield CacheWriter(file, shapes)


def _nbytes(kind: str, shape: Sequence[int]) -> int:
    return int(np.dtype(kind).itemsize * np.prod(shape, dtype=np.int64))


def _aligned(place: int) -> int:
    return -(-place // _ALIGNMENT) * _ALIGNMENT
