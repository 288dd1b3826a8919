"""Examples and labels in whatever form they came: lists, columns, matrices, sentences, sets.

An example has one label, or a list of tags if it is a sentence, or a set of labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.data.columns import offsets
from linnet.data.formats.sequence_common import Sequences
from linnet.errors import DataError

__all__ = [
    "check_as_many",
    "labels_of",
    "numbered",
    "one_label_each",
    "plain",
    "ratio",
    "row_count",
    "sentence_offsets",
    "sorted_labels",
    "table_of",
    "taken",
    "units_of",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def plain(labels: Any) -> list[Any]:
    """Return labels as a list."""
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)


def one_label_each(gold: Sequence[Any]) -> bool:
    """Tell whether examples have one label each, rather than a list of tags or a set of labels."""
    return not isinstance(gold[0], (list, tuple, set, frozenset, np.ndarray))


def sorted_labels(labels: Iterable[Any]) -> list[Any]:
    """Return labels in order; strings and numbers side by side by their type first."""
    known = list(labels)
    try:
        return sorted(known)
    except TypeError:
        return sorted(known, key=lambda label: (type(label).__name__, str(label)))


def numbered(*sequences: Iterable[Any]) -> tuple[list[Any], list[Ints]]:
    """Return the distinct labels of sequences as they first occur, and each label as a number.

    Examples
    --------
    >>> numbered(["b", "a"], ["a", "c"])
    (['b', 'a', 'c'], [array([0, 1]), array([1, 2])])
    """
    number: dict[Any, int] = {}
    rows = [
        np.array([number.setdefault(label, len(number)) for label in sequence], np.int64)
        for sequence in sequences
    ]
    return list(number), rows


def ratio(part: ArrayLike, whole: ArrayLike) -> Floats:
    """Return part / whole, where 0 / 0 is 0."""
    below = np.asarray(whole, np.float64)
    return np.divide(part, below, out=np.zeros_like(below), where=below > 0)


def table_of(row: Ints, column: Ints, rows: int, columns: int) -> Ints:
    """Return how often each pair of row and column occurs.

    Examples
    --------
    >>> table_of(np.array([0, 1, 1]), np.array([0, 0, 1]), 2, 2).tolist()
    [[1, 0], [1, 1]]
    """
    cells = np.bincount(row * columns + column, minlength=rows * columns)
    return cells.reshape(rows, columns).astype(np.int64)


def check_as_many(gold: Sequence[Any], *guesses: Sequence[Any]) -> None:
    """Refuse predictions that are not as many as the truth."""
    for guess in guesses:
        if len(guess) != len(gold):
            raise DataError(f"there are {len(gold)} true labels and {len(guess)} predictions")


def sentence_offsets(
    gold: Sequence[Any], other: Sequence[Any], what: str, tags: str = "true tags"
) -> Ints:
    """Return where sentences begin, which must be as long in both; the last number is the end."""
    if len(gold) != len(other):
        raise DataError(f"there are {len(gold)} sentences of {tags} and {len(other)} of {what}")
    for number, (row, others) in enumerate(zip(gold, other, strict=True)):
        if len(row) != len(others):
            message = f"sentence {number} has {len(row)} {tags} and {len(others)} {what}"
            raise DataError(f"{message}; they must be as many")
    return offsets([len(row) for row in gold])


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
    labels = getattr(X, "tags", None) if y is None else y
    if labels is None:
        raise DataError("there are no labels; pass y, one label (or list of tags) an example")
    gold = plain(labels)
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
