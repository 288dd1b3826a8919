"""The bytes of a fastText file, checked one field after the other.

magic, version 11 or 12
dim, ..., word n-grams, loss, model, bucket, minn, maxn      32 bits each, one of 64
sizes of the dictionary, and its entries: words, then labels
which buckets were kept, if some were pruned
input matrix, output matrix: dense, or quantised
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.foreign.bytes import Cursor, mapped
from linnet.foreign.fasttext.folded import folded
from linnet.foreign.fasttext.matrices import MOST, Dense, Quantised
from linnet.foreign.fasttext.reader import LABEL, FastTextReader
from linnet.foreign.fasttext.scorer import LOSSES, FastTextScorer
from linnet.model.decision import Decision
from linnet.model.model import Model
from linnet.text.names import Names

__all__ = ["entry_counts", "read"]

_SUPERVISED = 3
_MODELS = {1: "cbow", 2: "skipgram"}
_MOST = 1000  # code points or words of an n-gram
_ROWS = 1 << 31
_COUNTS = 10**15  # fastText's own sentinel


class _Arguments(NamedTuple):
    """What the file says about training that predicting needs."""

    dim: int
    word_ngrams: int
    loss: str
    bucket: int
    minn: int
    maxn: int


def read(file: str) -> Model:
    """Return the model of a file, after checking it."""
    cursor = Cursor(mapped(file), file, "fastText", at=4)
    arguments = _arguments(cursor)
    reader, counts = _dictionary(cursor, arguments)
    labels = _labels(cursor, reader)
    quantised = _flag(cursor, "the sign of quantised matrices")
    if reader.kept is not None and not quantised:
        cursor.refuse("has a dense matrix and pruned buckets, which do not go together")
    rows, dim = reader.n_features, arguments.dim
    matrix = _quantised(cursor, rows, dim, "input") if quantised else _dense(cursor, rows, dim)
    output, scale = _output(cursor, quantised, len(labels), dim)
    cursor.finish()
    classes = Decision(np.array(labels), sharpness=1.0)
    record: dict[str, Any] = {"format": "fastText model", "loss": arguments.loss}
    record |= {"dimensions": dim, "quantised": quantised}
    if arguments.loss == "softmax" and len(labels) < dim:
        if scale is not None:
            output = output * scale[:, None]
        record["folded"] = f"{dim} dimensions into {classes.columns} columns of weights"
        return Model(reader, folded(matrix, output, classes.columns), classes, record)
    scorer = FastTextScorer(matrix, arguments.loss, output, scale, counts[reader.words :])
    return Model(reader, scorer, classes, record)


def _arguments(cursor: Cursor) -> _Arguments:
    version = cursor.number("i", "version")
    if version not in (11, 12):
        cursor.refuse(f"has version {version}; linnet reads versions 11 and 12")
    names = ("dim", "ws", "epoch", "minCount", "neg", "wordNgrams", "loss", "model", "bucket",
             "minn", "maxn", "lrUpdateRate")  # fmt: skip
    values = {name: cursor.number("i", name) for name in names}
    cursor.number("d", "t")
    if values["model"] in _MODELS:
        cursor.refuse(
            f"holds {_MODELS[values['model']]} vectors of words, no classifier; linnet runs "
            "supervised models"
        )
    if values["model"] != _SUPERVISED:
        cursor.wrong("model", values["model"])
    if version == 11:
        values["maxn"] = 0  # then these were not yet used by classifiers
    for name, low, high in (("dim", 1, 1 << 24), ("bucket", 0, _ROWS), ("minn", 0, _ROWS),
                            ("maxn", -_ROWS, _MOST), ("wordNgrams", -_ROWS, _MOST),
                            ("loss", 1, 4)):  # fmt: skip
        if not low <= values[name] <= high:
            cursor.wrong(name, values[name])
    if not values["bucket"] and (values["maxn"] > 0 or values["wordNgrams"] > 1):
        cursor.wrong("bucket", 0)
    return _Arguments(
        values["dim"], values["wordNgrams"], LOSSES[values["loss"]], values["bucket"],
        values["minn"], values["maxn"],
    )  # fmt: skip


def _dictionary(cursor: Cursor, arguments: _Arguments) -> tuple[FastTextReader, NDArray[np.int64]]:
    """Return the reader, and how often each entry was there in training."""
    size, words, labels = (cursor.number("i", name) for name in ("size", "nwords", "nlabels"))
    cursor.number("q", "ntokens")
    pruned = cursor.number("q", "pruned buckets")
    if words < 0 or labels < 2 or size != words + labels:
        cursor.refuse(
            f"has {size} entries, {words} words and {labels} labels; a classifier has two labels "
            "or more, and all entries are words or labels"
        )
    if size > cursor.left // 10:
        cursor.ends("its dictionary")
    names, counts = _entries(cursor, size, words)
    kept = None
    if pruned != -1:
        if not 0 <= pruned <= cursor.left // 8:
            cursor.wrong("the number of pruned buckets", pruned)
        kept = _kept(cursor, pruned, arguments.bucket)
    if words + arguments.bucket >= _ROWS:
        cursor.wrong("bucket", arguments.bucket)
    reader = FastTextReader(
        names, words, max(arguments.word_ngrams, 1), arguments.minn, max(arguments.maxn, 0),
        arguments.bucket, kept,
    )  # fmt: skip
    try:
        reader.check()
    except DataError as error:
        cursor.refuse(f"is damaged in its dictionary: {error}")
    return reader, counts


def entry_counts(file: str) -> NDArray[np.int64]:
    """Return how often each word, and each label, was there in training."""
    cursor = Cursor(mapped(file), file, "fastText", at=4)
    return _dictionary(cursor, _arguments(cursor))[1]


def _entries(cursor: Cursor, size: int, words: int) -> tuple[Names, NDArray[np.int64]]:
    data = np.frombuffer(cursor.data, np.uint8)
    end = _core.fasttext_dictionary_end(data, cursor.at, size)
    if end < 0:
        cursor.ends("its dictionary")
    names = np.empty(end - cursor.at - 10 * size, np.uint8)
    offset, counts, types = (
        np.empty(size + 1, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.uint8),
    )
    _core.fasttext_dictionary(data, cursor.at, names, offset, counts, types)
    cursor.at = end
    if (types[:words] != 0).any() or (types[words:] != 1).any():
        cursor.wrong("the type of an entry", "another: words come first, then labels")
    if (counts < 0).any() or (counts >= _COUNTS).any():
        cursor.wrong("the count of an entry", "negative or too large")
    return Names(names, offset), counts


def _kept(cursor: Cursor, pruned: int, bucket: int) -> NDArray[np.int32]:
    """Return the bucket behind each row after those of the words."""
    pairs = cursor.array("i4", 2 * pruned, "pruned buckets").reshape(pruned, 2)
    order = np.argsort(pairs[:, 1])
    kept = np.ascontiguousarray(pairs[order, 0])
    if not np.array_equal(pairs[order, 1], np.arange(pruned)):
        cursor.wrong("the numbers of kept buckets", "other than 0, 1, ...")
    ascending = np.sort(kept)
    if pruned and (ascending[0] < 0 or ascending[-1] >= bucket or not np.diff(ascending).all()):
        cursor.wrong("a kept bucket", "outside the buckets, or twice")
    return kept


def _labels(cursor: Cursor, reader: FastTextReader) -> list[str]:
    """Return the labels, without the prefix if all have it."""
    try:
        labels = [raw.decode() for raw in reader.raw_labels()]
    except UnicodeDecodeError as error:
        cursor.refuse(f"has a label that is not UTF-8 ({error})")
    if all(label.startswith(LABEL) and label != LABEL for label in labels):
        return [label.removeprefix(LABEL) for label in labels]
    return labels


def _flag(cursor: Cursor, name: str) -> bool:
    value = cursor.number("B", name)
    if value > 1:
        cursor.wrong(name, value)
    return bool(value)


def _dense(cursor: Cursor, rows: int, dim: int) -> Dense:
    shape = (cursor.number("q", "rows"), cursor.number("q", "columns"))
    if shape != (rows, dim):
        cursor.refuse(f"has a matrix of {shape[0]} x {shape[1]} where {rows} x {dim} belongs")
    dense = Dense(cursor.array("f4", rows * dim, "a matrix").reshape(rows, dim))
    for _, block in dense.blocks():
        _sound(cursor, block, "a number of a matrix")
    return dense


def _sound(cursor: Cursor, values: NDArray[Any], name: str) -> NDArray[Any]:
    """Return numbers whose products and sums cannot overflow."""
    with np.errstate(invalid="ignore"):
        if values.size and not (values.min() >= -MOST and values.max() <= MOST):
            cursor.wrong(name, "NaN, infinite or beyond a million")
    return values


def _quantised(cursor: Cursor, rows: int, dim: int, name: str) -> Quantised:
    normed = _flag(cursor, "the sign of norms")
    shape = (cursor.number("q", "rows"), cursor.number("q", "columns"))
    if shape != (rows, dim):
        cursor.refuse(f"has a matrix of {shape[0]} x {shape[1]} where {rows} x {dim} belongs")
    size = cursor.number("i", "the number of codes")
    codes = cursor.array("u1", size, f"the codes of the {name} matrix")
    width, centroid = _centroids(cursor, dim)
    parts = -(-dim // width)
    if size != rows * parts:
        cursor.wrong("the number of codes", size)
    norm_code = norm = None
    if normed:
        norm_code = cursor.array("u1", rows, "the codes of norms")
        norm = _centroids(cursor, 1)[1]
    return Quantised(codes.reshape(rows, parts), centroid, width, norm_code, norm)


def _centroids(cursor: Cursor, dim: int) -> tuple[int, NDArray[np.float32]]:
    """Return how wide the parts of a row are, and the centroids of all parts."""
    names = ("dim", "nsubq", "dsub", "lastdsub")
    stored, parts, width, last = (cursor.number("i", f"{name} of centroids") for name in names)
    if stored != dim or width < 1 or parts != -(-dim // width):
        cursor.wrong("the parts of centroids", (stored, parts, width))
    if last != (dim % width or width):
        cursor.wrong("the last part of centroids", last)
    values = cursor.array("f4", 256 * dim, "centroids")
    return width, _sound(cursor, values, "a centroid").copy()


def _output(
    cursor: Cursor, quantised: bool, labels: int, dim: int
) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
    """Return the output matrix, dense, and the norms its products are multiplied by."""
    if not (_flag(cursor, "the sign of a quantised output") and quantised):
        return np.array(_dense(cursor, labels, dim).values), None
    matrix = _quantised(cursor, labels, dim, "output")
    scale: Any = None if matrix.norm is None else matrix.norm[matrix.norm_code]
    return matrix.without_norms().block(0, labels), scale
