"""The single decisions of a model: labels of rows, tags of tokens, yes or no to every label.

Whatever a model predicts, a closer look at it asks the same of each decision: what is true, what
was said, and how probable are both. For a row of one label that is its label, for a sentence the
tag of every token, and for a row of any number of labels one yes or no a label, called ``sport``
and ``not sport``. The cells of the confusion matrix are the decisions with equal truth and guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError
from linnet.evaluate.rows import check_as_many, plain, sentence_offsets, sorted_labels

__all__ = ["Cell", "Units", "are_sentences", "are_sets", "as_units", "confusion_cells", "pairs_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_SEVERAL = (list, tuple, set, frozenset)


@dataclass(frozen=True)
class Units:
    """n decisions.

    Attributes
    ----------
    gold, guess : lists of n labels
    sure, of_truth : arrays of shape (n,)
        Probabilities of the guess and of the truth; NaN for a truth the model does not know.
    row : array of shape (n,)
        The example that each belongs to.
    token : array of shape (n,), or None
        The place in its sentence.
    """

    gold: list[Any]
    guess: list[Any]
    sure: Floats
    of_truth: Floats
    row: Ints
    token: Ints | None = None

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which guesses are not the truth."""
        return np.array([a != b for a, b in zip(self.gold, self.guess, strict=True)], bool)

    def place(self, unit: int) -> int | tuple[int, int]:
        """Return the row of a decision, or its sentence and token."""
        row = int(self.row[unit])
        return row if self.token is None else (row, int(self.token[unit]))


def are_sets(gold: Sequence[Any], sentences: bool) -> bool:
    """Tell whether these are several labels a row, rather than one or the tags of sentences."""
    return not sentences and any(isinstance(row, _SEVERAL) for row in gold)


def are_sentences(probabilities: Any) -> bool:
    """Tell whether probabilities are one table a sentence."""
    if isinstance(probabilities, np.ndarray):
        return probabilities.ndim == 3
    return any(np.ndim(table) == 2 for table in probabilities)


def as_units(
    gold: Sequence[Any],
    probabilities: Any,
    classes: Sequence[Any],
    guess: Sequence[Any] | None = None,
) -> Units:
    """Return the decisions behind probabilities.

    Parameters
    ----------
    gold : n labels, lists of tags, or sets of labels
    probabilities : array of shape (n, K); for sentences a list of arrays of shape (tokens, K)
    classes : sequence of K labels
    guess : as `gold`, optional
        What was said; by default, and where None, the most probable label.

    Examples
    --------
    >>> units = as_units(["a", "b"], [[0.9, 0.1], [0.8, 0.2]], ["a", "b"])
    >>> units.guess, units.of_truth.tolist(), units.wrong.tolist()
    (['a', 'a'], [0.9, 0.2], [False, True])
    >>> as_units([{"x"}, set()], [[0.7, 0.9], [0.1, 0.2]], ["x", "y"]).guess
    ['x', 'y', 'not x', 'not y']
    """
    truth, known = plain(gold), plain(classes)
    if are_sentences(probabilities):
        return _of_tokens(truth, probabilities, known, guess)
    p = _checked(probabilities, len(truth), len(known))
    if are_sets(truth, sentences=False):
        return _of_sets(truth, p, known)
    return _of_labels(truth, p, known, None if guess is None else plain(guess))


def pairs_of(gold: Sequence[Any], guess: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """Return truths, guesses and places of single decisions; lists are sentences, sets are sets.

    Examples
    --------
    >>> pairs_of([["A", "B"]], [["A", "A"]])
    (['A', 'B'], ['A', 'A'], [(0, 0), (0, 1)])
    """
    truth, said = plain(gold), plain(guess)
    check_as_many(truth, said)
    if any(isinstance(row, (set, frozenset)) for row in truth):
        known = sorted_labels({*chain.from_iterable(truth), *chain.from_iterable(said)})
        yes = np.array([[label in row for label in known] for row in said], np.float64)
        units = _of_sets(truth, yes.reshape(len(truth), len(known)), known)
        return units.gold, units.guess, units.row.tolist()
    if not any(isinstance(row, (list, tuple)) for row in truth):
        return truth, said, list(range(len(truth)))
    sentence_offsets(truth, said, "guessed tags", "tags")
    places = [(s, t) for s, row in enumerate(truth) for t in range(len(row))]
    return list(chain.from_iterable(truth)), list(chain.from_iterable(said)), places


@dataclass(frozen=True)
class Cell:
    """The rows labelled `truth` that the model called `guess`, the most confident first.

    Of sentences, `rows` are pairs of sentence and token.
    """

    truth: Any
    guess: Any
    rows: tuple[Any, ...]

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.rows)


def confusion_cells(
    gold: Sequence[Any], guess: Sequence[Any], confidence: ArrayLike | None = None
) -> list[Cell]:
    """Return the cells of the confusion matrix with their rows, the fullest wrong cell first.

    Parameters
    ----------
    gold, guess : sequences of n labels, of lists of tags, or of sets of labels
        None is a row without an answer. Every token of a sentence is a unit of its own, and so is
        the yes or no to every label of a set, called ``x`` and ``not x``.
    confidence : array of shape (units,), optional
        Orders the rows of a cell; by default they come as they stand.

    Examples
    --------
    >>> cells = confusion_cells(["a", "b", "b", "b"], ["a", "a", "b", "a"], [0.5, 0.6, 0.9, 0.8])
    >>> [(cell.truth, cell.guess, cell.rows) for cell in cells]
    [('b', 'a', (3, 1)), ('a', 'a', (0,)), ('b', 'b', (2,))]
    >>> confusion_cells([["N", "V"]], [["N", "N"]])[0]
    Cell(truth='V', guess='N', rows=((0, 1),))
    """
    truth, said, places = pairs_of(gold, guess)
    order: Sequence[int] = range(len(truth))
    if confidence is not None:
        sure = np.asarray(confidence, np.float64)
        if sure.shape != (len(truth),):
            raise DataError(f"confidence must have the shape ({len(truth)},), got {sure.shape}")
        order = np.argsort(-sure, kind="stable").tolist()
    cells: dict[tuple[Any, Any], list[Any]] = {}
    for unit in order:
        cells.setdefault((truth[unit], said[unit]), []).append(places[unit])
    return sorted(
        (Cell(*pair, tuple(rows)) for pair, rows in cells.items()),
        key=lambda cell: (cell.truth == cell.guess, -cell.count, min(cell.rows)),
    )


def _of_labels(truth: list[Any], p: Floats, known: list[Any], said: list[Any] | None) -> Units:
    column = {label: k for k, label in enumerate(known)}
    if not known:
        raise DataError("the model has no labels")
    best = p.argmax(axis=1)
    if said is not None:
        check_as_many(truth, said)
        best = np.array([column.get(s, b) for s, b in zip(said, best.tolist(), strict=True)], int)
    true = np.array([column.get(label, -1) for label in truth], np.int64)
    rows = np.arange(len(truth))
    of_truth = np.where(true >= 0, p[rows, np.maximum(true, 0)], np.nan)
    guess = [known[k] for k in best.tolist()]
    return Units(truth, guess, p[rows, best], of_truth, rows)


def _of_tokens(truth: list[Any], tables: Any, known: list[Any], guess: Any) -> Units:
    offset = sentence_offsets(truth, tables, "rows of probabilities", "tags")
    flat = list(chain.from_iterable(truth))
    table = np.concatenate([np.asarray(part, np.float64) for part in tables])
    said = None if guess is None else list(chain.from_iterable(guess))
    units = _of_labels(flat, _checked(table, len(flat), len(known)), known, said)
    length = np.diff(offset)
    row = np.repeat(np.arange(len(truth)), length)
    token = np.arange(len(flat)) - np.repeat(offset[:-1], length)
    return replace(units, row=row, token=token)


def _of_sets(truth: list[Any], p: Floats, known: list[Any]) -> Units:
    n, k = p.shape
    true = np.array([[label in (row or ()) for label in known] for row in truth], bool)
    true, said = true.reshape(n, k), p >= 0.5
    names = np.array([[f"not {label}" for label in known], known], dtype=object)
    columns = np.tile(np.arange(k), n)
    return Units(
        names[true.ravel().astype(int), columns].tolist(),
        names[said.ravel().astype(int), columns].tolist(),
        np.where(said, p, 1.0 - p).ravel(),
        np.where(true, p, 1.0 - p).ravel(),
        np.repeat(np.arange(n), k),
    )


def _checked(probabilities: ArrayLike, n: int, k: int) -> Floats:
    table = np.asarray(probabilities, np.float64)
    if table.shape != (n, k):
        raise DataError(f"probabilities must have the shape ({n}, {k}), got {table.shape}")
    if not np.isfinite(table).all():
        raise DataError("probabilities must be finite numbers")
    return table
