"""What is compared on: texts (or bags, or vectors) with labels, or sentences with tags."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet.data.examples import read_examples
from linnet.data.files import open_bytes
from linnet.data.formats.common import Examples
from linnet.data.sequences import Sequences, read_sequences
from linnet.data.sniff_sequences import sniff_sequences
from linnet.data.splits import folds, split
from linnet.errors import DataError, LinnetError, ParameterError
from linnet.pipeline.reading import row_count, rows_of
from linnet.pipeline.tokens import given_tags, read_tags, read_tokens

__all__ = ["Labelled", "Split", "Tagged", "as_given", "splits_of"]

Ints: TypeAlias = NDArray[np.intp]
_HEAD = 1 << 17
_TEST_SHARE = 0.2


@dataclass(frozen=True)
class Labelled:
    """Examples with one label each."""

    X: Any
    y: list[Any]

    def __len__(self) -> int:
        return len(self.y)

    def take(self, rows: Ints) -> Labelled:
        """Return some of the examples."""
        return Labelled(rows_of(self.X, rows), [self.y[row] for row in rows.tolist()])

    def codes(self) -> NDArray[np.int64]:
        """Return the labels as numbers; text and numbers may stand side by side."""
        number: dict[Any, int] = {}
        return np.array([number.setdefault(label, len(number)) for label in self.y], np.int64)


@dataclass(frozen=True)
class Tagged:
    """Sentences with a tag for each token."""

    sentences: Any
    tags: list[list[str]]

    def __len__(self) -> int:
        return len(self.tags)

    def take(self, rows: Ints) -> Tagged:
        """Return some of the sentences."""
        own = self.sentences
        part = own.take(rows) if isinstance(own, Sequences) else [own[i] for i in rows.tolist()]
        return Tagged(part, [self.tags[row] for row in rows.tolist()])


@dataclass(frozen=True)
class Split:
    """What to train on and what to test on, of one kind."""

    train: Any
    test: Any


def as_given(data: Any) -> Labelled | Tagged:
    """Return data in one of the two forms.

    Parameters
    ----------
    data : path, Examples, Sequences, or (examples, labels)
        A list of lists of tags instead of labels makes sentences.

    Examples
    --------
    >>> as_given((["a film", "a book"], ["f", "b"])).y
    ['f', 'b']
    >>> as_given(([["a", "film"]], [["D", "N"]])).tags
    [['D', 'N']]
    """
    if isinstance(data, (str, os.PathLike)):
        data = _read(data)
    if isinstance(data, Sequences):
        if data.word is None:
            raise DataError("The sequences have features but no words; pass sentences of words.")
        return _tagged(data, None)
    if isinstance(data, Examples):
        if data.y is None:
            raise DataError("The data has no labels; name their column.")
        return _labelled(data.X, data.y)
    if not isinstance(data, tuple) or len(data) != 2:
        raise DataError(
            f"Expected a path, Examples, Sequences or a pair (texts, labels), got "
            f"{type(data).__name__}."
        )
    X, y = data
    y = y.tolist() if hasattr(y, "tolist") else list(y)
    if isinstance(X, Sequences) or _is_sentences(X, y):
        return _tagged(X, y)
    return _labelled(X, y)


def _read(path: str | os.PathLike[str]) -> Examples | Sequences:
    name = os.fspath(path)
    with open_bytes(path) as file:
        head = file.read(_HEAD)
    whole = head if len(head) < _HEAD else head[: head.rfind(b"\n") + 1] or head
    try:
        found = sniff_sequences(whole, name)
    except LinnetError:
        found = None  # those who read it say better what is wrong
    return read_examples(path) if found is None else read_sequences(path, format=found.format)


def _is_sentences(X: Any, y: list[Any]) -> bool:
    if not y or not isinstance(y[0], (list, tuple)) or not isinstance(X, Sequence) or not len(X):
        return False
    return isinstance(X[0], (list, tuple))


def _labelled(X: Any, y: Sequence[Any]) -> Labelled:
    rows = row_count(X)
    if rows != len(y):
        raise DataError(f"There are {rows} examples and {len(y)} labels.")
    if any(isinstance(label, (list, tuple, set, frozenset)) for label in y):
        raise DataError("The data has several labels a row; compare takes one label a row.")
    missing = next((row for row, label in enumerate(y) if label is None or label != label), None)
    if missing is not None:
        raise DataError(f"Row {missing + 1} has no label; leave such rows out.")
    return Labelled(X, list(y))


def _tagged(sentences: Any, tags: Any) -> Tagged:
    tokens = read_tokens(sentences)
    gold = read_tags(given_tags(sentences, tags), tokens)
    own = sentences if isinstance(sentences, Sequences) else list(sentences)
    full = np.flatnonzero(np.diff(tokens.offset))  # an empty sentence says nothing
    found = Tagged(own, gold)
    return found if len(full) == len(gold) else found.take(full)


def splits_of(
    data: Labelled | Tagged, test: Any, n_folds: int | None, seed: int
) -> tuple[list[Split], str]:
    """Return what to train and test on, and that in words.

    Parameters
    ----------
    data : Labelled or Tagged
    test : what :func:`as_given` takes, or None
    n_folds : int, optional
        Cross-validation; without it and without `test`, a fifth is held out.
    seed : int
    """
    if test is not None:
        if n_folds is not None:
            raise ParameterError("Give test or folds, not both.")
        other = as_given(test)
        if type(other) is not type(data):
            raise DataError("One of data and test has labels, the other sentences with tags.")
        if not len(other):
            raise DataError("The test data is empty.")
        return [Split(data, other)], "own test data"
    n = len(data)
    labels = data.codes() if isinstance(data, Labelled) else None
    if n_folds is not None:
        parts = _folds(n, n_folds, seed, labels)
        return [Split(data.take(a), data.take(b)) for a, b in parts], f"{n_folds} folds"
    rest, held = split(n, (1 - _TEST_SHARE, _TEST_SHARE), seed, labels)
    if not len(held) or not len(rest):
        raise DataError(
            f"{n} examples are too few to hold some out for testing; pass more, or test data."
        )
    return [Split(data.take(rest), data.take(held))], "a fifth held out"


def _folds(n: int, k: int, seed: int, labels: Any) -> list[tuple[Any, Any]]:
    import warnings

    if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
        raise ParameterError(f"folds must be a number of at least 2, got {k!r}.")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")  # some folds lack it
        return folds(n, int(k), seed, labels)
