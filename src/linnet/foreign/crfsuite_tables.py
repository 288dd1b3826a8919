"""The tables within a CRFsuite file: names and numbers (CQDB), and lists of features."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.foreign.bytes import Cursor
from linnet.text.names import Names

__all__ = [
    "FEATURE", "cqdb", "names_of", "references", "written_cqdb", "written_references",
]  # fmt: skip

Ints = NDArray[np.int64]
#: A feature: 0 of (attribute, label), or 1 of (label, next label), and its weight.
FEATURE = np.dtype([("type", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_MARK = 0x62445371
_TABLES = 256
_RECORDS = 24 + 8 * _TABLES


def cqdb(cursor: Cursor, at: int, count: int) -> Names:
    """Return the names in a table, by their numbers.

    They are found by the links back from numbers to names; the hash tables in the other direction
    are not looked at.
    """
    cursor.chunk(at, b"CQDB", "a table of names")
    size, flag, mark, links, place = (
        cursor.number("I", name) for name in ("size", "flag", "mark", "links", "place of links")
    )
    if flag != 0 or mark != _MARK or not _RECORDS <= size <= cursor.end - at:
        cursor.wrong("the head of a table of names", (size, flag, hex(mark)))
    if links != count or not _RECORDS <= place <= size or links > (size - place) // 4:
        cursor.wrong("the links of a table of names", (links, place))
    raw = np.frombuffer(cursor.data, np.uint8, size, at)
    record = _words(raw, place + 4 * np.arange(links))
    if links and (record.min() < _RECORDS or record.max() > size - 9):
        cursor.wrong("a link of a table of names", int(record.max()))
    number, length = _words(raw, record), _words(raw, record + 4)
    if not np.array_equal(number, np.arange(links)):
        cursor.damaged("has a table of names whose numbers do not agree")
    if links and (length.min() < 1 or (record + 8 + length).max() > size):
        cursor.wrong("the length of a name", int(length.max()))
    if links and length.sum() > size:
        cursor.damaged("has names that lie over each other")
    if raw[record + 7 + length].any():
        cursor.damaged("has a name that does not end")
    offset = np.zeros(links + 1, np.int64)
    np.cumsum(length - 1, out=offset[1:])
    end = record + 8 + length
    ordered = links and np.array_equal(record[1:], end[:-1])  # as CRFsuite writes them
    spelled = _between(raw, record, end) if ordered else _gathered(raw, record + 8, length - 1)
    return Names(spelled, offset)


def _between(raw: NDArray[np.uint8], record: Ints, end: Ints) -> NDArray[np.uint8]:
    """Return the names of records that follow each other: all but number, length and NUL."""
    kept = np.ones(int(end[-1] - record[0]), bool)
    kept[(record[:, None] - record[0] + np.arange(8)).reshape(-1)] = False
    kept[end - record[0] - 1] = False
    return raw[record[0] : end[-1]][kept]


def _gathered(raw: NDArray[np.uint8], first: Ints, length: Ints) -> NDArray[np.uint8]:
    """Return the bytes of names wherever they lie."""
    shift = np.repeat(first - np.cumsum(length) + length, length)
    return raw[np.arange(int(length.sum())) + shift]


def _words(raw: NDArray[np.uint8], at: Ints) -> Ints:
    """Return the 32-bit numbers at some bytes."""
    everywhere = np.ndarray(max(0, len(raw) - 3), "<u4", raw, strides=(1,))  # one at each byte
    return everywhere[at].astype(np.int64)


def names_of(names: Names) -> list[bytes]:
    """Return names as bytes."""
    raw = names.data.tobytes()
    return [raw[first:last] for first, last in pairwise(names.offset.tolist())]


def references(cursor: Cursor, at: int, magic: bytes, owners: int) -> tuple[Ints, Ints]:
    """Return the numbers of the features in all lists, and whose list each is in."""
    cursor.chunk(at, magic, "lists of features")
    size, count = cursor.number("I", "size of lists"), cursor.number("I", "number of lists")
    if not owners <= count <= cursor.left // 4 or not 12 <= size <= cursor.end - at:
        cursor.wrong("the number of lists of features", count)
    place = cursor.array("u4", count, "lists of features")[:owners].astype(np.int64)
    end = at + size
    raw = np.frombuffer(cursor.data, np.uint8)
    if owners and (place.min() < at + 12 or place.max() > end - 4):
        cursor.wrong("the place of a list of features", int(place.max()))
    length = _words(raw, place)
    if owners and ((place + 4 + 4 * length).max() > end or 4 * length.sum() > size):
        cursor.wrong("the length of a list of features", int(length.max()))
    owner = np.repeat(np.arange(owners), length)
    first = np.repeat(place + 4, length)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(length) - length, length)
    return _words(raw, first + 4 * within), owner


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
    ended = np.insert(names.data, names.offset[1:], 0)
    hashes = np.empty(len(names), np.uint32)
    _core.lookup3(ended, names.offset + np.arange(len(names.offset)), hashes)
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
