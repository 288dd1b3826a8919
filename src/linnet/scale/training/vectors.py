"""Learners by themselves over parts: vectors, whose columns are those of all parts.

Feature dictionaries are numbered by the names of all parts in sorted order, as on one machine;
columns of SVMlight begin with 0 where any part has it, and there are as many as any part has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from linnet.errors import DataError, ParameterError
from linnet.learn.shared.declaration import declaration_of
from linnet.learn.shared.inputs import bag_vocabulary, bags_to_csr, is_bags
from linnet.learn.shared.restore import restored_on_error
from linnet.scale.training.learner_pieces import Numbered
from linnet.scale.training.matrix import DistributedRows, blocks_of, is_non_negative
from linnet.scale.training.origins import Parts
from linnet.scale.training.pieces import Piece
from linnet.scale.training.sentences import united
from linnet.scale.workers import Cluster

__all__ = ["fit"]


def fit(learner: Any, cluster: Cluster, parts: Parts) -> None:
    """Fit a learner in place."""
    if not declaration_of(learner).linear:
        raise ParameterError(
            f"{type(learner).__name__} needs all examples in one place; over parts of them use a "
            "linear learner such as SVM or MaxEnt."
        )
    known = cluster.fetch(cluster.each(_known, parts.pieces))
    columns = _columns(parts.names, known)
    vocabulary = None
    if known[0].kind == "dictionaries":
        names = cluster.fetch(cluster.total(united, _names, parts.pieces))
        vocabulary = {name: number for number, name in enumerate(names)}
        columns = columns._replace(width=len(names), vocabulary=vocabulary)
    blocks = cluster.each(_block, parts.pieces, cluster.held(columns))
    signs = cluster.fetch(cluster.each(is_non_negative, blocks))
    lengths = np.array([len(part.y) for part in known])
    rows = DistributedRows(cluster, blocks, lengths, columns.width, non_negative=all(signs))
    y = [label for part in known for label in part.y]
    with restored_on_error(learner):
        learner.fit(rows, np.array(y) if not isinstance(y[0], str) else y)
        if vocabulary is not None:
            learner.vocabulary_ = vocabulary
        if known[0].names is not None:
            learner.feature_names_in_ = np.array(known[0].names, object)


class _Known(NamedTuple):
    """What travels of a part: labels, of which kind it is, how wide, and how columns are called."""

    y: list[Any]
    kind: str
    width: int
    has_zero: bool
    names: list[str] | None


class _Columns(NamedTuple):
    """How the rows of a part become those of the matrix."""

    width: int
    first: int
    vocabulary: dict[str, int] | None


def _known(piece: Piece) -> _Known:
    X = piece.X
    if isinstance(X, Numbered):
        used = X.rows.indices
        return _Known(piece.y, "a file", X.rows.shape[1], bool((used == 0).any()), None)
    if is_bags(X):
        return _Known(piece.y, "dictionaries", 0, False, None)
    names = [*map(str, X.columns)] if hasattr(X, "columns") else None
    shape = X.shape if hasattr(X, "shape") else np.shape(np.asarray(X, float))
    if len(shape) != 2:
        raise DataError(f"its rows must make a table of numbers, but their shape is {shape}")
    return _Known(piece.y, "a table", int(shape[1]), True, names)


def _columns(names: list[str], known: list[_Known]) -> _Columns:
    """Return what the columns of all parts are; refuse parts that do not fit together."""
    one = known[0]
    for name, part in zip(names, known, strict=True):
        if part.kind != one.kind:
            raise DataError(f"{name} holds {part.kind}, but {names[0]} holds {one.kind}")
        if part.kind == "a table" and (part.width, part.names) != (one.width, one.names):
            raise DataError(
                f"{name} has {part.width} columns, but {names[0]} has {one.width}, or they are "
                "called otherwise"
            )
    first = 0 if any(part.has_zero for part in known) else 1
    return _Columns(max(part.width for part in known) - first, first, None)


def _names(piece: Piece) -> list[str]:
    return list(bag_vocabulary(piece.X))


def _block(piece: Piece, columns: _Columns) -> sp.csr_matrix:
    X = piece.X
    if columns.vocabulary is not None:
        return blocks_of(bags_to_csr(X, columns.vocabulary))
    if isinstance(X, Numbered):
        rows, ids = X.rows, X.rows.indices - columns.first
        shape = (rows.shape[0], columns.width)
        return blocks_of(sp.csr_matrix((rows.data, ids, rows.indptr), shape=shape))
    return blocks_of(X)
