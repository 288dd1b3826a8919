"""Rounds of chance: scores of test sets drawn anew, and of two models with answers exchanged.

A test set of n units, n_k of kind k, drawn anew with replacement holds M_k units of kind k, where
(M_1, …, M_K) ~ Multinomial(n, n_k / n). With two models, a kind is a pair of kinds; exchanging the
answers of each unit with probability ½ exchanges M_k ~ Binomial(n_k, ½) units of kind k. Scores
follow from the sums Σ_k M_k c_k. Any other function is called with the units of every round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, reduce
from operator import sub
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.evaluate.unit_counts import Metric, UnitCounts, check_units, metric_name, unit_counts

__all__ = ["CalledScores", "CountedScores", "scores_by_chance"]

Floats = NDArray[np.float64]
_CELLS = 1 << 21  # numbers drawn at a time


class CountedScores:
    """Scores that are functions of sums: of one model, or of two on the same units."""

    def __init__(self, *counts: UnitCounts) -> None:
        code = np.zeros(len(counts[0].kind), np.int64)
        for part in counts:
            code = code * part.rows.shape[0] + part.kind
        _, first, self._number = np.unique(code, return_index=True, return_counts=True)
        self._rows = [part.rows[part.kind[first]] for part in counts]
        self._score = counts[0].score

    @cached_property
    def _gap(self) -> Any:
        """What exchanging the answers to a unit of each kind adds to the sums of the first."""
        return (self._rows[1] - self._rows[0]).tocsr()

    @cached_property
    def _differ(self) -> NDArray[np.int64]:
        return np.flatnonzero(np.abs(self._gap).sum(axis=1))

    @property
    def apart(self) -> int:
        """The number of units that tell two models apart."""
        return int(self._number[self._differ].sum())

    def observed(self) -> tuple[float, ...]:
        """Return the score of each model."""
        return tuple(float(self._score(sums)[0]) for sums in self._sums())

    def _sums(self) -> list[Floats]:
        number = self._number.astype(np.float64)[:, None]
        return [rows.T @ number for rows in self._rows]

    def resampled(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Return the scores of `rounds` resamples, of two models the differences."""
        n, parts = int(self._number.sum()), []
        for size in _blocks(rounds, max(self._rows[0].shape)):
            drawn = rng.multinomial(n, self._number / n, size=size).astype(np.float64).T
            parts.append(reduce(sub, (self._score(rows.T @ drawn) for rows in self._rows)))
        return np.concatenate(parts)

    def exchanged(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Return the differences of two models after `rounds` random exchanges."""
        gap, number = self._gap[self._differ], self._number[self._differ]
        (sums_a, sums_b), parts = self._sums(), []
        for size in _blocks(rounds, max(*self._rows[0].shape, 1)):
            swapped = rng.binomial(number, 0.5, size=(size, len(number))).astype(np.float64)
            moved = gap.T @ swapped.T
            parts.append(self._score(sums_a + moved) - self._score(sums_b - moved))
        return np.concatenate(parts)


class CalledScores:
    """The same of any function of truth and answers, which is called for every round."""

    def __init__(self, metric: Any, gold: Any, *answers: Any) -> None:
        check_units(gold, *answers)
        self._metric, self._gold = metric, _units(gold)
        self._answers = [_units(part) for part in answers]

    @property
    def apart(self) -> int:
        """The number of units that tell two models apart."""
        return sum(not np.all(np.asarray(x == y)) for x, y in zip(*self._answers, strict=True))

    def observed(self) -> tuple[float, ...]:
        """Return the score of each model."""
        return tuple(self._called(self._gold, part) for part in self._answers)

    def resampled(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Return the scores of `rounds` resamples, of two models the differences."""
        scores, n = np.empty(rounds), len(self._gold)
        for i in range(rounds):
            rows = rng.integers(0, n, n)
            gold, *answers = (_take(part, rows) for part in (self._gold, *self._answers))
            scores[i] = reduce(sub, (self._called(gold, part) for part in answers))
        return scores

    def exchanged(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Return the differences of two models after `rounds` random exchanges."""
        differences, pairs = np.empty(rounds), list(zip(*self._answers, strict=True))
        for i in range(rounds):
            swap = rng.integers(0, 2, len(pairs)).tolist()
            a = [pair[s] for pair, s in zip(pairs, swap, strict=True)]
            b = [pair[1 - s] for pair, s in zip(pairs, swap, strict=True)]
            parts = (_like(old, new) for old, new in zip(self._answers, (a, b), strict=True))
            differences[i] = reduce(sub, (self._called(self._gold, part) for part in parts))
        return differences

    def _called(self, gold: Any, answers: Any) -> float:
        value = float(self._metric(gold, answers))
        if not np.isfinite(value):
            raise DataError(f"the metric returned {value}; it must be finite for every resample")
        return value


def scores_by_chance(gold: Any, metric: Metric, *answers: Any) -> CountedScores | CalledScores:
    """Return the scores of one model's answers, or of two models', ready for rounds of chance."""
    name = metric_name(metric)
    if name is None:
        return CalledScores(metric, gold, *answers)
    return CountedScores(*unit_counts(gold, answers, name))


def _blocks(rounds: int, width: int) -> Iterator[int]:
    """Cut rounds into blocks of bounded memory, the same for the same problem."""
    step = max(1, _CELLS // width)
    return (min(step, rounds - begin) for begin in range(0, rounds, step))


def _units(part: Any) -> Any:
    return part if isinstance(part, np.ndarray) else list(part)


def _take(part: Any, rows: NDArray[np.int64]) -> Any:
    return part[rows] if isinstance(part, np.ndarray) else [part[i] for i in rows.tolist()]


def _like(part: Any, values: Sequence[Any]) -> Any:
    return np.array(values, part.dtype) if isinstance(part, np.ndarray) else values
