"""The tables of a CRFsuite file to be written: names and numbers (CQDB), and lists of features."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.text.names import Names

__all__ = ["FEATURE", "names_of", "written_cqdb", "written_references"]

#: A feature: 0 of (attribute, label), or 1 of (label, next label), and its weight.
FEATURE = np.dtype([("type", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_MARK = 0x62445371
_TABLES = 256
_RECORDS = 24 + 8 * _TABLES


def names_of(names: Names) -> list[bytes]:
    """Return names as bytes."""
    raw = names.data.tobytes()
    return [raw[first:last] for first, last in pairwise(names.offset.tolist())]


def written_cqdb(names: Names) -> bytes:
    """Return the bytes of a table of names."""
    count = len(names)
    records, places, at = [], [], _RECORDS
    for number, name in enumerate(names_of(names)):
        places.append(at)
        records.append(np.array([number, len(name) + 1], "<u4").tobytes() + name + b"\0")
        at += len(records[-1])
    hashes = _hashes(names)
    heads, tables = np.zeros((_TABLES, 2), "<u4"), []
    by_table: list[list[int]] = [[] for _ in range(_TABLES)]
    for number, value in enumerate(hashes.tolist()):
        by_table[value % _TABLES].append(number)
    for table, members in enumerate(by_table):
        if not members:
            continue
        slots = np.zeros((2 * len(members), 2), "<u4")
        for number in members:
            slot = int(hashes[number]) // _TABLES % len(slots)
            while slots[slot, 1]:
                slot = (slot + 1) % len(slots)
            slots[slot] = hashes[number], places[number]
        heads[table] = at, len(slots)
        tables.append(slots.tobytes())
        at += slots.nbytes
    head = np.array([at + 4 * count, 0, _MARK, count, at], "<u4").tobytes()
    links = np.array(places, "<u4").tobytes()
    return b"".join([b"CQDB", head, heads.tobytes(), *records, *tables, links])


def _hashes(names: Names) -> NDArray[np.uint32]:
    """Return the hash of each name with the NUL behind it.

    Examples
    --------
    >>> [f"{value:x}" for value in _hashes(Names.of(["O", "B-PER", "word:street"])).tolist()]
    ['c87780e6', 'bcb36567', '9ecd3cbe']
    """
    hashes = np.empty(len(names), np.uint32)
    _core.lookup3(names.data, names.offset, hashes)
    return hashes


def written_references(
    magic: bytes, owner: Any, number: Any, owners: int, more: int, at: int
) -> bytes:
    """Return the bytes of lists of features, of as many owners and `more` without a list."""
    order = np.argsort(owner, kind="stable")
    lengths = np.bincount(owner.astype(np.int64), minlength=owners)
    first = at + 12 + 4 * (owners + more)
    places = first + np.concatenate([[0], np.cumsum(4 + 4 * lengths)]).astype(np.int64)
    body = np.empty((places[-1] - first) // 4, "<u4")
    heads = (places[:-1] - first) // 4
    body[heads] = lengths
    rest = np.ones(len(body), bool)
    rest[heads] = False
    body[rest] = number[order]
    offsets = np.concatenate([places[:-1], np.zeros(more, np.int64)]).astype("<u4")
    size = int(places[-1]) - at
    head = magic + np.array([size, owners + more], "<u4").tobytes()
    return b"".join([head, offsets.tobytes(), body.tobytes()])
