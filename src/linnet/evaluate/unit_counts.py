"""Scores as functions of sums: what every unit of a test set adds to a metric.

A unit is what was drawn independently: a row, or a sentence with its tags. Accuracy and every F1
depend on the predictions only through sums over units of a few counts c_i,

    accuracy = f(Σ_i c_i) with c_i = (right, decisions),
    F1       = f(Σ_i c_i) with c_i = (hits, gold, guessed), of each label or of all together,

so a resampled test set never has to be built: units with equal counts are of one *kind*, a resample
is a number for every kind, and its score is f of a product with a small matrix. With accuracy there
are two kinds, whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.evaluate.rows import (
    check_as_many,
    numbered,
    one_label_each,
    plain,
    ratio,
    sorted_labels,
)

__all__ = ["METRICS", "Metric", "UnitCounts", "metric_name", "unit_counts"]

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Metric: TypeAlias = str | Callable[[Any, Any], float]
METRICS = ("accuracy", "macro_f1", "micro_f1", "chunk_f1")


@dataclass(frozen=True)
class UnitCounts:
    """The kind of each unit, what a unit of each kind adds, and the score of the sums.

    `kind` has shape (n,); `rows` is a sparse matrix of shape (kinds, D); `score` takes sums of
    shape (D, R) and returns R scores.
    """

    kind: Ints
    rows: Any
    score: Callable[[Floats], Floats]

    def observed(self) -> float:
        """Return the score of the units as they are."""
        count = np.bincount(self.kind, minlength=self.rows.shape[0]).astype(np.float64)
        return float(self.score(self.rows.T @ count[:, None])[0])


@dataclass(frozen=True)
class _Decisions:
    """All decisions of a test set: (unit, label) of the true, the guessed and the right ones."""

    n: int
    labels: int
    gold: tuple[Ints, Ints]
    guess: tuple[Ints, Ints]
    hits: tuple[Ints, Ints]
    sets: bool = False  # whether a unit is right only as a whole

    @property
    def parts(self) -> tuple[tuple[Ints, Ints], ...]:
        return self.hits, self.gold, self.guess

    def per_unit(self, part: tuple[Ints, Ints]) -> Ints:
        return np.bincount(part[0], minlength=self.n).astype(np.int64)


def metric_name(metric: Metric) -> str | None:
    """Return the name of a metric known here, or None for any other function."""
    from linnet.evaluate.metrics import accuracy

    if metric is accuracy:
        return "accuracy"
    if not isinstance(metric, str):
        return None
    if metric not in METRICS:
        listed = ", ".join(METRICS)
        raise ParameterError(f"metric must be a function or one of {listed}, got {metric!r}")
    return metric


def unit_counts(gold: Any, guesses: Sequence[Any], metric: str) -> list[UnitCounts]:
    """Return the counts of each list of predictions, with the same columns for all.

    Parameters
    ----------
    gold : sequence
        One label a row; or a list of tags a sentence; or a set of labels a row.
    guesses : sequence of the same
        None is a row without an answer.
    metric : {"accuracy", "macro_f1", "micro_f1", "chunk_f1"}

    Examples
    --------
    >>> [counts] = unit_counts(["x", "y", "y"], [["x", "x", "y"]], "macro_f1")
    >>> round(counts.observed(), 4)
    0.6667
    """
    truth, said = plain(gold), [plain(guess) for guess in guesses]
    check_units(truth, *said)
    if isinstance(truth[0], (set, frozenset)):
        decisions = _of_sets(truth, said)
    elif not one_label_each(truth):
        decisions = _of_sentences(truth, said, chunks=metric == "chunk_f1")
    else:
        decisions = _of_rows(truth, said)
    if metric == "chunk_f1" and not isinstance(truth[0], (list, tuple, np.ndarray)):
        raise DataError("chunk_f1 needs sentences: lists of lists of tags such as B-NP, I-NP, O")
    kinds_of = {"macro_f1": _by_label, "accuracy": _shares}.get(metric, _together)
    return [kinds_of(part) for part in decisions]


def check_units(gold: Sequence[Any], *guesses: Sequence[Any]) -> None:
    """Refuse nothing at all, and predictions that are not as many as the truth."""
    if not len(gold):
        raise DataError("there is nothing to evaluate; pass at least one labelled example")
    check_as_many(gold, *guesses)


def _numbers(*parts: Any) -> tuple[int, list[Ints]]:
    """Return how many distinct labels there are, and the labels as numbers; None is −1."""
    labels, rows = numbered([None], *parts)
    return len(labels) - 1, [row - 1 for row in rows[1:]]


def _of_rows(gold: list[Any], guesses: list[list[Any]]) -> list[_Decisions]:
    labels, (y, *said) = _numbers(gold, *guesses)
    if (y < 0).any():
        row = int(np.argmax(y < 0)) + 1
        raise DataError(f"row {row} has no true label; leave such rows out")
    unit = np.arange(len(y))
    return [_decided(len(y), labels, unit, y, guess) for guess in said]


def _of_sentences(gold: list[Any], guesses: list[list[Any]], *, chunks: bool) -> list[_Decisions]:
    from linnet.evaluate.spans import token_offsets

    for guess in guesses:
        offset = token_offsets(gold, guess)
    flat = [list(chain.from_iterable(part)) for part in (gold, *guesses)]
    if chunks:
        return _of_chunks(flat, offset)
    labels, (y, *said) = _numbers(*flat)
    unit = np.repeat(np.arange(len(gold)), np.diff(offset))
    return [_decided(len(gold), labels, unit, y, guess) for guess in said]


def _decided(n: int, labels: int, unit: Ints, y: Ints, guess: Ints) -> _Decisions:
    there, right = guess >= 0, guess == y
    hits = (unit[right], y[right])
    return _Decisions(n, labels, (unit, y), (unit[there], guess[there]), hits)


def _of_chunks(flat: list[list[str]], offset: Ints) -> list[_Decisions]:
    from linnet.data.tags import are_chunk_tags
    from linnet.evaluate.spans import matched_chunks, sorted_numbers

    tags, numbers = sorted_numbers(*flat)
    if not are_chunk_tags(tags) and set(tags) != {"O"}:  # there may be no chunk at all
        raise DataError(
            f"chunk_f1 needs tags of chunks such as B-NP, I-NP and O, got {tags[:5]}; "
            "use metric='accuracy'"
        )
    types, gold, matches = matched_chunks(tags, offset, *numbers)

    def placed(chunk: Ints) -> tuple[Ints, Ints]:
        return np.searchsorted(offset, chunk[:, 0], side="right") - 1, chunk[:, 2]

    return [
        _Decisions(len(offset) - 1, len(types), placed(gold), placed(guess), placed(gold[recalled]))
        for guess, recalled in matches
    ]


def _of_sets(gold: list[Any], guesses: list[list[Any]]) -> list[_Decisions]:
    parts = [[set(row or ()) for row in part] for part in (gold, *guesses)]
    shared = [[y & said for y, said in zip(parts[0], part, strict=True)] for part in parts]
    flat = [list(chain.from_iterable(part)) for part in (*parts, *shared)]
    labels, [_, *numbers] = _numbers(sorted_labels(set(chain.from_iterable(flat))), *flat)
    units = [
        np.repeat(np.arange(len(part)), [len(row) for row in part]) for part in (*parts, *shared)
    ]
    placed = list(zip(units, numbers, strict=True))
    k = len(parts)
    return [
        _Decisions(len(gold), labels, placed[0], placed[i], placed[k + i], sets=True)
        for i in range(1, k)
    ]


def _shares(decisions: _Decisions) -> UnitCounts:
    """Accuracy: (right, decisions) of each unit."""
    hits, gold = decisions.per_unit(decisions.hits), decisions.per_unit(decisions.gold)
    if decisions.sets:
        right = (hits == gold) & (hits == decisions.per_unit(decisions.guess))
        hits, gold = right.astype(np.int64), np.ones(decisions.n, np.int64)
    return _of_kinds([hits, gold], lambda sums: ratio(sums[0], sums[1]))


def _together(decisions: _Decisions) -> UnitCounts:
    """F1 over all decisions: (hits, gold, guessed) of each unit."""
    columns = [
        decisions.per_unit(part) for part in (decisions.hits, decisions.gold, decisions.guess)
    ]
    return _of_kinds(columns, lambda sums: ratio(2 * sums[0], sums[1] + sums[2]))


def _of_kinds(columns: list[Ints], score: Callable[[Floats], Floats]) -> UnitCounts:
    from scipy.sparse import csr_array

    code = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        code = code * (int(column.max()) + 1) + column
    _, first, kind = np.unique(code, return_index=True, return_inverse=True)
    table = np.stack([column[first] for column in columns], axis=1).astype(np.float64)
    return UnitCounts(kind.astype(np.int64), csr_array(table), score)


def _by_label(decisions: _Decisions) -> UnitCounts:
    """Macro F1: (hits, gold, guessed) of each label of each unit."""
    from scipy.sparse import csr_array

    k = max(decisions.labels, 1)
    unit = np.concatenate([part[0] for part in decisions.parts])
    column = np.concatenate([part[1] + i * k for i, part in enumerate(decisions.parts)])
    table = csr_array((np.ones(len(unit)), (unit, column)), shape=(decisions.n, 3 * k))
    table.sum_duplicates()
    kind, first = _equal_rows(decisions)

    def score(sums: Floats) -> Floats:
        hits, gold, guessed = sums.reshape(3, k, -1)
        there = gold + guessed > 0
        f1 = ratio(2 * hits, gold + guessed)
        return ratio(f1.sum(axis=0), there.sum(axis=0).astype(np.float64))

    return UnitCounts(kind, table[first], score)


def _equal_rows(decisions: _Decisions) -> tuple[Ints, Ints]:
    """Return the kinds of units with one decision each; of others, every unit is a kind."""
    units = np.arange(decisions.n)
    single = not decisions.sets and len(decisions.gold[0]) == decisions.n
    if not single or (decisions.gold[0] != units).any():
        return units, units
    said = np.full(decisions.n, decisions.labels, np.int64)
    said[decisions.guess[0]] = decisions.guess[1]
    code = decisions.gold[1] * (decisions.labels + 1) + said
    _, first, kind = np.unique(code, return_index=True, return_inverse=True)
    return kind.astype(np.int64), first.astype(np.int64)
