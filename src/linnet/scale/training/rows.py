"""Classifiers of rows over parts: the columns of all, then any learner that can ask.

What the columns are is seen in few of their values: the distinct symbols, the least and the largest
number. Those of all parts, one below the other, make the vectors that all rows would.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linnet.data.copies import Copies
from linnet.data.rows import RowTable
from linnet.errors import DataError, ParameterError
from linnet.learn.shared.restore import restored_on_error
from linnet.model.fitting.reading import Read, labels_of
from linnet.model.fitting.steps import class_weights, kept_whole, learner_of
from linnet.model.readers.rows import RowReader, RowVectors, as_table, takes_numbers, takes_rows
from linnet.scale.training.matrix import DistributedRows, blocks_of, is_non_negative
from linnet.scale.training.origins import Parts
from linnet.scale.training.pieces import Piece
from linnet.scale.workers import Cluster
from linnet.stream.exact import digests_of, originals_of

if TYPE_CHECKING:
    from linnet.model.row_classifier import RowClassifier

__all__ = ["fit"]


def fit(classifier: RowClassifier, cluster: Cluster, parts: Parts) -> None:
    """Fit a classifier of rows in place."""
    began = perf_counter()
    classifier._check()
    learner = learner_of(classifier)
    if takes_rows(learner):
        raise ParameterError(
            f"{type(learner).__name__} compares rows with each other and needs all of them in one "
            "place; over parts of them learn linear learners such as MaxEnt or MultinomialNB."
        )
    known = cluster.fetch(cluster.each(_known, parts.pieces))
    y = [label for part in known for label in part.y]
    classes, gold = labels_of(y, len(y), "RowClassifier", classifier.classes)
    vectors = RowVectors.fit(_together([part.sample for part in known]), classifier.kinds)
    if takes_numbers(learner):
        vectors.require_numbers(type(learner).__name__)
    names = vectors.attributes.names
    blocks = cluster.each(_matrix, parts.pieces, cluster.held(vectors))
    signs = cluster.fetch(cluster.each(is_non_negative, blocks))
    lengths = np.array([len(part.y) for part in known])
    rows = DistributedRows(cluster, blocks, lengths, vectors.width, non_negative=all(signs))
    copies = Copies(originals_of(b"".join(part.digests for part in known)))
    data = Read(RowReader(names, list(vectors.attributes.kinds), vectors), rows, copies)
    seconds = {"features": perf_counter() - began}
    weights = class_weights(classifier, learner, None, classes, gold)
    with restored_on_error(classifier):
        attributes = kept_whole(classifier, learner, data, classes, gold, weights)
        seconds["all"] = perf_counter() - began
        classifier.__dict__.update(attributes, seconds_=seconds)


class _Known(NamedTuple):
    """What travels of a part: labels, what tells its rows from others, and a few values."""

    y: list[Any]
    digests: bytes
    sample: RowTable


def _known(piece: Piece) -> _Known:
    table = piece.X
    columns = [_telling(column) for column in table.values]
    most = max(map(len, columns), default=0)
    sample = RowTable(table.names, [[*c, *[None] * (most - len(c))] for c in columns])
    return _Known(piece.y, digests_of(repr(row).encode() for row in table.rows()), sample)


def _telling(column: Any) -> list[Any]:
    """Return the values of a column that say what it holds, in the order in which they come."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        present = column[~np.isnan(column)] if column.dtype.kind == "f" else column
        return [float(present.min()), float(present.max())] if len(present) else []
    values = column.tolist() if isinstance(column, np.ndarray) else column
    return list(dict.fromkeys(value for value in values if value is not None))


def _together(samples: list[RowTable]) -> RowTable:
    """Return the values of all parts below each other."""
    names = samples[0].names
    values: list[list[Any]] = []
    for name in names:
        columns = [as_table(sample, names)[name] for sample in samples]
        column = [value for part in columns for value in part]
        kinds = {isinstance(v, str) for v in column if v is not None}
        if len(kinds) > 1:
            raise DataError(
                f"column {name} holds numbers in some parts and text in others; make them alike"
            )
        values.append(column)
    return RowTable(list(names), values)


def _matrix(piece: Piece, vectors: RowVectors) -> sp.csr_matrix:
    return blocks_of(vectors.matrix(as_table(piece.X, vectors.attributes.names)))
