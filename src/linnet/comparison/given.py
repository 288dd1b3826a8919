"""What is compared on: texts (bags, vectors), or rows, with labels, or sentences with tags."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet.data.copies import Copies
from linnet.data.examples import read_examples
from linnet.data.files import open_bytes
from linnet.data.formats.common import Examples
from linnet.data.formats.rows import read_rows, rows_by_plan
from linnet.data.recognise import sniff_sequences
from linnet.data.recognise_rows import sniff_rows
from linnet.data.rows import RowFile, RowTable
from linnet.data.sequences import Sequences, read_sequences
from linnet.data.splits import split
from linnet.errors import DataError, LinnetError, ParameterError
from linnet.evaluate.resampling import fold_pairs
from linnet.learn.shared.known import Kind
from linnet.model.fitting.reading import row_count, rows_of
from linnet.model.readers.column_values import column_kinds, table_of
from linnet.model.readers.rows import as_table
from linnet.model.readers.tokens import given_tags, read_tags, read_tokens

__all__ = ["Cut", "Labelled", "Split", "Tagged", "as_given", "splits_of"]

Ints: TypeAlias = NDArray[np.intp]
_HEAD = 1 << 17
_TEST_SHARE = 0.2


@dataclass(frozen=True)
class Labelled:
    """Examples with one label each; rows of values are in a RowTable.

    So are rows of columns of texts, categories and numbers; `columns` then says what each holds.
    """

    X: Any
    y: list[Any]
    columns: Mapping[str, Any] | None = None

    @property
    def kind(self) -> Kind:
        """What the examples are: rows of values, or texts (with others), bags and vectors."""
        return "rows" if isinstance(self.X, RowTable) and self.columns is None else "texts"

    def __len__(self) -> int:
        return len(self.y)

    def take(self, rows: Ints) -> Labelled:
        """Return some of the examples."""
        labels = [self.y[row] for row in rows.tolist()]
        return Labelled(rows_of(self.X, rows), labels, self.columns)

    @cached_property
    def copies(self) -> Copies:
        """Which examples equal others."""
        return Copies.of(self.X)

    def codes(self) -> NDArray[np.int64]:
        """Return the labels as numbers; text and numbers may stand side by side."""
        number: dict[Any, int] = {}
        return np.array([number.setdefault(label, len(number)) for label in self.y], np.int64)


@dataclass(frozen=True)
class Tagged:
    """Sentences with a tag for each token."""

    sentences: Any
    tags: list[list[str]]
    kind: ClassVar[Kind] = "sequences"

    def __len__(self) -> int:
        return len(self.tags)

    @cached_property
    def copies(self) -> Copies:
        """Which sentences have the words of others."""
        return Copies.of(self.sentences)

    def take(self, rows: Ints) -> Tagged:
        """Return some of the sentences."""
        own = self.sentences
        part = own.take(rows) if isinstance(own, Sequences) else [own[i] for i in rows.tolist()]
        return Tagged(part, [self.tags[row] for row in rows.tolist()])


@dataclass(frozen=True)
class Split:
    """What to train on and what to test on, of one kind, and the group of each test example."""

    train: Any
    test: Any
    groups: list[Any] | None = None


def as_given(
    data: Any, like: Labelled | Tagged | None = None, columns: Mapping[str, Any] | None = None
) -> Labelled | Tagged:
    """Return data in one of the two forms.

    Parameters
    ----------
    data : path, Examples, RowFile, Sequences, or (examples, labels)
        A list of lists of tags instead of labels makes sentences; a list of lists with labels, a
        RowTable and a data frame that has symbols make rows.
    like : Labelled or Tagged, optional
        Rows of a file are read like these: what is a symbol there is one here.
    columns : dict, optional
        What some columns of a table hold, as for TextClassifier; these are then the examples.

    Examples
    --------
    >>> as_given(([{"t": "a film", "n": 3}], ["f"]), columns={"t": "words"}).X.names
    ['t']
    >>> as_given((["a film", "a book"], ["f", "b"])).y
    ['f', 'b']
    >>> as_given(([["a", "film"]], [["D", "N"]])).tags
    [['D', 'N']]
    """
    columns = like.columns if isinstance(like, Labelled) else columns
    if columns is not None:
        return _with_columns(data, columns)
    if isinstance(data, (str, os.PathLike)):
        data = _read(data, like)
    if isinstance(data, Sequences):
        if data.word is None:
            raise DataError("The sequences have features but no words; pass sentences of words.")
        return _tagged(data, None)
    if isinstance(data, Examples):
        if data.y is None:
            raise DataError("The data has no labels; name their column.")
        return _labelled(data.X, data.y)
    if isinstance(data, RowFile):
        if data.labels is None:
            raise DataError("The rows have no class; name its column.")
        return _labelled(data.table, data.labels)
    if not isinstance(data, tuple) or len(data) != 2:
        raise DataError(
            f"Expected a path, Examples, RowFile, Sequences or a pair (examples, labels), got "
            f"{type(data).__name__}."
        )
    X, y = data
    y = y.tolist() if hasattr(y, "tolist") else list(y)
    if isinstance(X, Sequences) or _is_sentences(X, y):
        return _tagged(X, y)
    return _labelled(as_table(X) if _is_rows(X) else X, y)


def _with_columns(data: Any, columns: Mapping[str, Any]) -> Labelled:
    """Return some columns of a table, each read as what it holds."""
    kinds = column_kinds(columns)
    if isinstance(data, (str, os.PathLike)):
        data = read_examples(data, columns=kinds)
    if isinstance(data, Examples):
        if data.y is None:
            raise DataError("The data has no labels; name their column.")
        data = (data.X, data.y)
    if not isinstance(data, tuple) or len(data) != 2:
        raise DataError(
            f"With columns, expected a path, Examples or a pair (rows, labels), got "
            f"{type(data).__name__}."
        )
    X, y = data
    return replace(_labelled(table_of(X, kinds), list(y)), columns=columns)


def _read(
    path: str | os.PathLike[str], like: Labelled | Tagged | None
) -> Examples | RowFile | Sequences:
    name = os.fspath(path)
    with open_bytes(path) as file:
        head = file.read(_HEAD)
    whole = head if len(head) < _HEAD else head[: head.rfind(b"\n") + 1] or head
    try:
        sequences = sniff_sequences(whole, name)
        rows = None if sequences is not None else sniff_rows(whole, name)
    except LinnetError:
        sequences = rows = None  # those who read it say better what is wrong
    if sequences is not None:
        return read_sequences(path, format=sequences.format)
    if rows is None:
        return read_examples(path)
    table = like.X if isinstance(like, Labelled) else None
    if not isinstance(table, RowTable) or table.names != rows.used:
        return read_rows(path)
    return rows_by_plan(path, rows).with_numbers(table.kinds)


def _is_sentences(X: Any, y: list[Any]) -> bool:
    if not y or not isinstance(y[0], (list, tuple)) or not isinstance(X, Sequence) or not len(X):
        return False
    return isinstance(X[0], (list, tuple))


def _is_rows(X: Any) -> bool:
    """Tell rows of values from texts, bags and vectors of numbers."""
    if hasattr(X, "columns") and hasattr(X, "dtypes"):  # a data frame
        return any(dtype.kind not in "fiub" for dtype in X.dtypes)
    plain = isinstance(X, (list, tuple)) and len(X) and isinstance(X[0], (list, tuple))
    return bool(plain) and any(isinstance(cell, str) for row in X for cell in row)


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


@dataclass(frozen=True)
class Cut:
    """How to cut data into what to train on and what to test on.

    Without `folds` a fifth is held out. `groups` has for each example what must not be on both
    sides, for example its author. Everything is cut anew `repeats` times.
    """

    folds: int | None = None
    repeats: int = 1
    groups: Sequence[Any] | None = None
    seed: int = 0

    def words(self) -> str:
        """Return it in words."""
        how = "a fifth held out" if self.folds is None else f"{self.folds} folds"
        whole = "" if self.groups is None else ", groups kept whole"
        return how + whole + ("" if self.repeats == 1 else f", {self.repeats} times")


def splits_of(data: Labelled | Tagged, test: Any, cut: Cut) -> tuple[list[Split], str]:
    """Return what to train and test on, repeat after repeat, and that in words.

    Parameters
    ----------
    data : Labelled or Tagged
    test : what :func:`as_given` takes, or None
    cut : Cut
    """
    for name, value, least in (("folds", cut.folds, 2), ("repeats", cut.repeats, 1)):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if value is not None and not (whole and value >= least):
            raise ParameterError(f"{name} must be a number of at least {least}, got {value!r}.")
    if test is not None:
        for name, default in (("folds", None), ("repeats", 1), ("groups", None)):
            if getattr(cut, name) != default:
                raise ParameterError(f"Give test or {name}, not both.")
        return [Split(data, _test_of(data, test))], "own test data"
    if cut.groups is not None and len(cut.groups) != len(data):
        raise DataError(f"There are {len(data)} examples and {len(cut.groups)} groups.")
    pairs = [pair for r in range(cut.repeats) for pair in _pairs(data, cut, cut.seed + r)]
    splits = []
    for rest, part in pairs:
        groups = None if cut.groups is None else [cut.groups[row] for row in part.tolist()]
        splits.append(Split(data.take(rest), data.take(part), groups))
    return splits, cut.words()


def _test_of(data: Labelled | Tagged, test: Any) -> Labelled | Tagged:
    other = as_given(test, data)
    if type(other) is not type(data):
        raise DataError("One of data and test has labels, the other sentences with tags.")
    if other.kind != data.kind:
        raise DataError("One of data and test has rows of values, the other texts or vectors.")
    if not len(other):
        raise DataError("The test data is empty.")
    return other


def _pairs(data: Labelled | Tagged, cut: Cut, seed: int) -> list[tuple[Any, Any]]:
    """Return the rows to train and to test on, for one repeat."""
    n, copies = len(data), data.copies
    if cut.folds is None and cut.groups is None:
        labels = data.codes() if isinstance(data, Labelled) else None
        rest, held = split(n, (1 - _TEST_SHARE, _TEST_SHARE), seed, labels, copies)
        if not len(held) or not len(rest):
            raise DataError(
                f"{n} examples are too few to hold some out for testing; pass more, or test data."
            )
        return [(rest, held)]
    if not n:
        raise DataError("The data is empty.")
    gold = data.codes().tolist() if isinstance(data, Labelled) else data.tags
    if cut.folds is not None:
        return list(fold_pairs(gold, int(cut.folds), cut.groups, True, seed, copies))
    n_groups = len(set(cut.groups or ()))
    if n_groups < 2:
        raise DataError("All examples are of one group; nothing can be held out.")
    return list(fold_pairs(gold, min(round(1 / _TEST_SHARE), n_groups), cut.groups, True, seed))[:1]
