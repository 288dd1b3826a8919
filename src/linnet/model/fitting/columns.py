"""From rows of several columns to the matrix that a learner takes, and the reader of new rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.data.copies import Copies
from linnet.data.rows import RowTable
from linnet.errors import DataError, ParameterError
from linnet.learn.shared.declaration import declaration_of
from linnet.model.fitting.reading import Read
from linnet.model.readers.blocks import text_reader
from linnet.model.readers.column_parts import CategoryPart, NumberPart, TextPart
from linnet.model.readers.column_values import parse_columns
from linnet.model.readers.columns import ColumnReader
from linnet.text.blocks import joined
from linnet.text.extractor import Rows
from linnet.text.features import TextFeatures
from linnet.text.vocabulary import EmptyVocabularyError
from linnet.text.weighting import reweighed

__all__ = ["described", "read_columns"]

Matrix = Any


class ColumnRead(Read):
    """Columns and their matrix; only values of texts may depend on labels."""

    def without(self, part: NDArray[np.intp], gold: NDArray[np.int32]) -> Any:
        """Return the matrix in which the labels of some rows play no part."""
        if not self.by_labels:
            return self.matrix
        seen = np.delete(np.arange(len(gold)), part)
        pieces = []
        for column, (first, behind) in zip(
            self.reader.parts, pairwise(self.reader.first), strict=True
        ):
            piece = self.matrix[:, first:behind]
            if column.kind == "text":
                piece = reweighed(column.reader.extractor, piece, seen, gold)
            pieces.append(piece)
        return sp.hstack(pieces, "csr")


def read_columns(
    table: RowTable,
    columns: Any,
    make_features: Callable[[list[str]], TextFeatures],
    learner: Any,
    gold: NDArray[np.int32],
    threads: int,
) -> ColumnRead:
    """Learn the features of each column and return the matrix of all.

    Parameters
    ----------
    table : RowTable
    columns : dict
        What each column holds; see :func:`linnet.model.readers.column_values.parse_columns`.
    make_features : function
        Returns the features of a column of texts for the names of its blocks.
    learner : the unfitted learner
    gold : array of shape (n,), or (n, K) for several labels a row
    threads : int
    """
    classes = gold if gold.ndim == 1 else None
    parts: list[Any] = []
    pieces: list[Rows] = []
    for name, held in parse_columns(columns).items():
        if isinstance(held, str):
            _refuse_numbers(name, held, learner)
            kind: Any = CategoryPart if held == "category" else NumberPart
            part = kind.fit(name, table[name])
            piece = part.rows(table[name], threads)
        else:
            features = make_features([str(block) for block in held])
            part, piece = _texts(name, table[name], features, classes)
        parts.append(part)
        pieces.append(piece)
    reader = ColumnReader(tuple(parts))
    rows = pieces[0]
    if len(pieces) > 1:
        rows = joined(pieces, [part.width for part in parts], threads)
    shape = (len(table), reader.n_features)
    matrix = sp.csr_matrix((rows.value, rows.index, rows.start), shape=shape)
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    texts = any(part.kind == "text" for part in parts)
    by_labels = texts and make_features(["words"]).weighting == "log_count_ratio"
    return ColumnRead(reader, matrix, Copies.of(table), by_labels=by_labels)


def _texts(
    name: str, column: Any, features: TextFeatures, gold: NDArray[np.int32] | None
) -> tuple[TextPart, Rows]:
    try:
        matrix = features.fit_transform(column, gold)
    except EmptyVocabularyError as error:
        raise DataError(f"Column {name!r}: {error}") from None
    rows = Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data)
    return TextPart(name, text_reader(features.extractor_)), rows


def _refuse_numbers(name: str, held: str, learner: Any) -> None:
    """Refuse numbers for a learner of counts: standardised, half of them are negative."""
    if held == "number" and declaration_of(learner).reads in ("counts", "presence"):
        raise ParameterError(
            f"{type(learner).__name__} models counts, and column {name!r} holds numbers, which may "
            "be negative; leave it out, or use a learner such as SVM or MaxEnt."
        )


def described(columns: Any) -> str:
    """Return in one line what is looked at.

    Examples
    --------
    >>> described({"title": ["words:1", "char_wb:3"], "price": "number"})
    'title words:1 + char_wb:3, price number'
    """
    return ", ".join(_phrases(columns))


def _phrases(columns: Any) -> Iterator[str]:
    for name, held in parse_columns(columns).items():
        yield f"{name} {held if isinstance(held, str) else ' + '.join(map(str, held))}"
