"""Some of the examples, in whatever form they came: lists, columns, matrices, sentences."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.formats.sequence_common import Sequences
from linnet.errors import DataError

__all__ = ["labels_of", "row_count", "taken", "units_of"]


def row_count(X: Any) -> int:
    """Return the number of examples.

    Examples
    --------
    >>> row_count(["one text", "another"])
    2
    """
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def taken(X: Any, rows: NDArray[np.int64]) -> Any:
    """Return some of the examples.

    Examples
    --------
    >>> taken(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    if isinstance(X, (list, tuple)):
        return [X[row] for row in rows.tolist()]
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if not hasattr(X, "shape") and hasattr(X, "take"):  # Arrow, Sequences, RowTable
        return X.take(rows)
    return X[rows]


def labels_of(X: Any, y: Any) -> list[Any]:
    """Return the labels as a list, one an example; by default the tags that sentences carry."""
    given = getattr(X, "tags", None) if y is None else y
    if given is None:
        raise DataError("there are no labels; pass y, one label (or list of tags) an example")
    gold = given.tolist() if hasattr(given, "tolist") else list(given)
    if len(gold) != row_count(X):
        raise DataError(f"there are {row_count(X)} examples and {len(gold)} labels")
    if not gold:
        raise DataError("there are no examples; pass at least two")
    return gold


def units_of(X: Any, gold: list[Any]) -> list[Any]:
    """Return labels as metrics read them: several labels of one text are a set, not a sentence.

    Examples
    --------
    >>> units_of(["one text"], [["a", "b"]]) == [frozenset("ab")]
    True
    >>> units_of([["one", "sentence"]], [["A", "B"]])
    [['A', 'B']]
    """
    listed = isinstance(X, (list, tuple, np.ndarray)) and isinstance(X[0], (list, tuple))
    sentences = isinstance(X, Sequences) or listed
    if sentences or not any(isinstance(row, (list, tuple, set)) for row in gold):
        return gold
    return [frozenset(row or ()) for row in gold]
