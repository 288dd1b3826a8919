"""Wapiti's text models: patterns, labels, observations, and a list of weights.

    #mdl#TYPE#N            0 maximum entropy, 1 Markov model, 2 random field; N weights
    #rdr#P/C/A             P patterns up to column C; A: bare observations
    LENGTH:BYTES,          the patterns, one a line
    #qrk#Y, #qrk#O         labels and observations, one a line, in the order of their numbers
    INDEX=VALUE            weights that are not 0

An observation that begins with ``u`` owns Y weights, one with ``b`` Y * Y for (label before,
label), one with ``*`` both; they are numbered one observation after the other. Where all weights of
pairs belong to observations that every token has, they are the transitions of an ordinary chain.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.foreign.bytes import Cursor, mapped
from linnet.foreign.crfsuite_tables import names_of
from linnet.foreign.wapiti.chain import PairChain, PairScorer
from linnet.foreign.wapiti.reader import WapitiReader
from linnet.learn.chain import LinearChain
from linnet.model.decision import Decision
from linnet.model.model import Model
from linnet.model.scorers.chain import ChainScorer
from linnet.text.names import Names

__all__ = ["read"]

_TYPES = ("maximum entropy", "Markov model of maximum entropy", "conditional random field")
_HEAD = re.compile(rb"#mdl#(?:(\d)#)?(\d{1,18})$")
_READER = re.compile(rb"#rdr#(\d{1,9})/(\d{1,9})(?:/([01]))?$")
_COUNT = re.compile(rb"#qrk#(\d{1,10})$")
_LENGTH = re.compile(rb"(\d{1,10}):")
_LABELS = 5792  # with so many the transitions take 256 MB
_MOST = 1e100


def read(file: str) -> Model:
    """Return the model of a file, after checking it."""
    data = mapped(file)
    cursor = Cursor(data, file, "Wapiti")
    head = _line(cursor, _HEAD, "its first line")
    kind, count = int(head[1] or 0), int(head[2])
    if kind >= len(_TYPES):
        cursor.wrong("the type of model", kind)
    reading = _line(cursor, _READER, "its second line")
    patterns, columns = int(reading[1]), int(reading[2])
    sources = _netstrings(cursor, patterns, "a pattern")
    labels = _labels(cursor)
    observations = int(_line(cursor, _COUNT, "the count of observations")[1])
    names = _netstrings(cursor, observations, "an observation")
    weights = _weights(cursor, count)
    reader = _reader(cursor, sources, names, columns, reading[3] == b"1")
    chain = _chain(cursor, names, len(labels), weights, _constant(reader), local=kind == 1)
    decision = Decision(np.array(labels))
    record = {"format": "Wapiti model", "learner": _TYPES[kind], "n_features": len(names)}
    scorer = ChainScorer(chain) if isinstance(chain, LinearChain) else PairScorer(chain)
    return Model(reader, scorer, decision, record)


def _line(cursor: Cursor, form: re.Pattern[bytes], name: str) -> re.Match[bytes]:
    stop = cursor.data.find(b"\n", cursor.at, min(cursor.end, cursor.at + 64))
    if stop < 0:
        cursor.ends(name) if cursor.left < 64 else cursor.wrong(name, "so long")
    match = form.match(bytes(cursor.data[cursor.at : stop]))
    if match is None:
        cursor.wrong(name, bytes(cursor.data[cursor.at : stop]))
    cursor.at = stop + 1
    return match


def _netstrings(cursor: Cursor, count: int, name: str) -> Names:
    """Return texts, each behind its length."""
    if count > cursor.left // 4:
        cursor.ends(f"{count} netstrings")
    out, offset = np.empty(cursor.left, np.uint8), np.empty(count + 1, np.int64)
    end = _core.wapiti_netstrings(np.frombuffer(cursor.data, np.uint8), cursor.at, out, offset)
    if end < 0:
        return _netstrings_one_by_one(cursor, count, name)
    cursor.at = end
    return Names(out[: offset[-1]].copy(), offset)


def _netstrings_one_by_one(cursor: Cursor, count: int, name: str) -> Names:
    """Return the same; the core leaves to it what is not as it should be."""
    texts = []
    for _ in range(count):
        match = _LENGTH.match(cursor.data, cursor.at, min(cursor.end, cursor.at + 12))
        if match is None:
            cursor.wrong(f"the length of {name}", bytes(cursor.data[cursor.at : cursor.at + 12]))
        cursor.at = match.end()
        size = int(match[1])
        cursor.need(size + 2, name)
        raw = bytes(cursor.data[cursor.at : cursor.at + size])
        cursor.at += size + 2
        if bytes(cursor.data[cursor.at - 2 : cursor.at]) != b",\n" or b"\0" in raw:
            cursor.wrong(f"the end of {name}", "another than a comma and a line feed")
        texts.append(raw)
    sizes = [0, *map(len, texts)]
    return Names(np.frombuffer(b"".join(texts), np.uint8), np.cumsum(sizes, dtype=np.int64))


def _labels(cursor: Cursor) -> list[str]:
    count = int(_line(cursor, _COUNT, "the count of labels")[1])
    if not 1 <= count <= _LABELS:
        cursor.wrong("the count of labels", count)
    try:
        labels = [raw.decode() for raw in names_of(_netstrings(cursor, count, "a label"))]
    except UnicodeDecodeError as error:
        cursor.refuse(f"has a label that is not UTF-8 ({error})")
    if len(set(labels)) < count or not all(
        label and not re.search(r"\s", label) for label in labels
    ):
        cursor.refuse("has a label twice, or one that is empty or has white space in it")
    return labels


class _Weights(NamedTuple):
    place: NDArray[np.int64]
    value: NDArray[np.float64]


def _weights(cursor: Cursor, count: int) -> _Weights:
    place, value = np.empty(0, np.int64), np.empty(0)
    if count <= cursor.left // 4:  # as "0=1" and a line feed
        place, value = np.empty(count, np.int64), np.empty(count)
    rest = np.frombuffer(cursor.data, np.uint8)[cursor.at :]
    if len(place) != count or not _core.wapiti_weights(rest, place, value):
        place, value = _weights_one_by_one(cursor, count)
    if count and (place[0] < 0 or (np.diff(place) <= 0).any()):
        cursor.wrong("the numbers of weights", "other than ascending")
    if not (np.abs(value) < _MOST).all():  # false for NaN
        cursor.wrong("a weight", "NaN, infinite or huge")
    return _Weights(place, value)


def _weights_one_by_one(cursor: Cursor, count: int) -> _Weights:
    """Return the same; the core leaves to it numbers that are written in other ways."""
    lines = bytes(cursor.data[cursor.at : cursor.end]).split(b"\n")
    if lines[-1] or len(lines) - 1 != count:
        cursor.refuse(f"has {len(lines) - 1} lines of weights where {count} belong")
    place, value = np.empty(count, np.int64), np.empty(count)
    for number, line in enumerate(lines[:-1]):
        index, _, text = line.partition(b"=")
        try:
            place[number] = int(index) if index.isdigit() else -1
            hexadecimal = b"x" in text
            value[number] = float.fromhex(text.decode()) if hexadecimal else float(text)
        except (ValueError, OverflowError):
            cursor.refuse(f"has {line[:40]!r} where a weight belongs")
    return _Weights(place, value)


def _reader(cursor: Cursor, sources: Names, names: Names, columns: int, bare: bool) -> WapitiReader:
    for listed in (sources, names):
        owners = _owners(listed)
        if not np.isin(owners, list(b"ub*")).all():
            wrong = int(np.flatnonzero(~np.isin(owners, list(b"ub*")))[0])
            cursor.wrong("a pattern or observation", listed[wrong])
    reader = WapitiReader(names, sources=tuple(names_of(sources)), bare=bare)
    try:
        reader.check()
    except DataError as error:
        cursor.refuse(f"is damaged: {error}")
    if any(pattern.columns > columns + 1 for pattern in reader.patterns):
        cursor.wrong("the largest column", columns)
    return reader


def _owners(names: Names) -> NDArray[np.uint8]:
    """Return the first byte of each name, which says what it owns; 0 if it is empty."""
    padded = np.append(names.data, np.uint8(0))
    return np.where(np.diff(names.offset) > 0, padded[names.offset[:-1]], 0).astype(np.uint8)


def _constant(reader: WapitiReader) -> set[bytes]:
    """Return the observations that every token has, once."""
    constant = [pattern.raw for pattern in reader.patterns if pattern.constant]
    return {raw for raw in constant if constant.count(raw) == 1}


def _chain(
    cursor: Cursor, names: Names, labels: int, weights: _Weights, constant: set[bytes],
    *, local: bool,
) -> LinearChain | PairChain:  # fmt: skip
    """Return the weights of all observations, each in its place."""
    owns = _owners(names)
    singles = np.where(owns != ord("b"), labels, 0).astype(np.int64)
    pairs = np.where(owns != ord("u"), labels * labels, 0).astype(np.int64)
    edge = np.concatenate([[0], np.cumsum(singles + pairs)]).astype(np.int64)
    if len(weights.place) and weights.place[-1] >= edge[-1]:
        cursor.wrong("the number of a weight", int(weights.place[-1]))
    owner = np.searchsorted(edge, weights.place, side="right") - 1
    inside = weights.place - edge[owner]
    single = inside < singles[owner]
    zero = np.zeros(labels)
    transition = np.zeros((labels, labels))
    inside_pair = (inside - singles[owner])[~single]
    pair_owner, pair_value = owner[~single], weights.value[~single]
    with_pairs = names_of(names.take(np.unique(pair_owner)))
    everywhere = not local and constant.issuperset(with_pairs)
    if everywhere:
        np.add.at(transition.reshape(-1), inside_pair, pair_value)
    states = LinearChain(
        _starts(owner[single], len(names)), inside[single].astype(np.int32),
        weights.value[single].copy(), transition, zero, zero,
    )  # fmt: skip
    if everywhere:
        return states
    start = _starts(pair_owner, len(names))
    return PairChain(states, start, inside_pair.astype(np.int32), pair_value.copy(), local)


def _starts(owner: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    counts = np.bincount(owner, minlength=count)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
