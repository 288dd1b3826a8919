"""Rounds of chance: scores of test sets drawn anew, and of two models with answers exchanged.

A test set of n units, n_k of kind k, drawn anew with replacement holds M_k units of kind k, where
(M_1, …, M_K) ~ Multinomial(n, n_k / n). With two models, a kind is a pair of kinds; exchanging the
answers of each unit with probability ½ exchanges M_k ~ Binomial(n_k, ½) units of kind k. Scores
follow from the sums Σ_k M_k c_k. The `Given` classes do the same unit by unit for any function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.evaluate.unit_counts import UnitCounts, check_lengths

__all__ = ["CountedPair", "CountedScore", "GivenPair", "GivenScore"]

Floats = NDArray[np.float64]
_CELLS = 1 << 21  # numbers drawn at a time


class CountedScore:
    """A score that is a function of sums, over test sets drawn anew."""

    def __init__(self, counts: UnitCounts) -> None:
        self._counts = counts
        self._number = np.bincount(counts.kind, minlength=counts.rows.shape[0])

    def resampled(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Return the scores of `rounds` resamples."""
        n, rows = int(self._number.sum()), self._counts.rows
        parts = [
            self._counts.score(rows.T @ _drawn(rng, n, self._number, size).T)
            for size in _blocks(rounds, max(rows.shape))
        ]
        return np.concatenate(parts)


class CountedPair:
    """The difference of two such scores on the same units."""

    def __init__(self, a: UnitCounts, b: UnitCounts) -> None:
        width = b.rows.shape[0]
        both, number = np.unique(a.kind * width + b.kind, return_counts=True)
        self._number, self._score = number, a.score
        self._a, self._b = a.rows[both // width], b.rows[both % width]
        self._gap = (self._b - self._a).tocsr()
        self._differ = np.flatnonzero(np.abs(self._gap).sum(axis=1))

    @property
    def apart(self) -> int:
        """The number of units that tell a and b apart."""
        return int(self._number[self._differ].sum())

    def observed(self) -> tuple[float, float]:
        """Return the scores of a and of b."""
        number = self._number.astype(np.float64)[:, None]
        a, b = self._score(self._a.T @ number), self._score(self._b.T @ number)
        return float(a[0]), float(b[0])

    def resampled(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Return the differences on `rounds` resamples."""
        n, parts = int(self._number.sum()), []
        for size in _blocks(rounds, max(self._a.shape)):
            drawn = _drawn(rng, n, self._number, size).T
            parts.append(self._score(self._a.T @ drawn) - self._score(self._b.T @ drawn))
        return np.concatenate(parts)

    def exchanged(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Return the differences after `rounds` random exchanges."""
        gap, number = self._gap[self._differ], self._number[self._differ]
        all_of = self._number.astype(np.float64)[:, None]
        total_a, total_b = self._a.T @ all_of, self._b.T @ all_of
        parts = []
        for size in _blocks(rounds, max(*self._a.shape, 1)):
            swapped = rng.binomial(number, 0.5, size=(size, len(number))).astype(np.float64)
            moved = gap.T @ swapped.T
            parts.append(self._score(total_a + moved) - self._score(total_b - moved))
        return np.concatenate(parts)


class GivenScore:
    """Any function of truth and answers, over test sets drawn anew."""

    def __init__(self, gold: Any, guess: Any, metric: Any) -> None:
        check_lengths(gold, [guess])
        self._gold, self._guess, self._metric = _units(gold), _units(guess), metric

    def observed(self) -> float:
        """Return the score as it is."""
        return _checked(self._metric(self._gold, self._guess))

    def resampled(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Return the scores of `rounds` resamples."""
        n = len(self._gold)
        rows = (rng.integers(0, n, n) for _ in range(rounds))
        scores = [self._metric(_take(self._gold, i), _take(self._guess, i)) for i in rows]
        return np.array([_checked(score) for score in scores])


class GivenPair:
    """The difference of such a function between two lists of answers."""

    def __init__(self, gold: Any, a: Any, b: Any, metric: Any) -> None:
        check_lengths(gold, [a, b])
        self._gold, self._a, self._b = _units(gold), _units(a), _units(b)
        self._metric = metric

    @property
    def apart(self) -> int:
        """The number of units that tell a and b apart."""
        return sum(not _equal(x, y) for x, y in zip(self._a, self._b, strict=True))

    def observed(self) -> tuple[float, float]:
        """Return the scores of a and of b."""
        scores = self._metric(self._gold, self._a), self._metric(self._gold, self._b)
        return _checked(scores[0]), _checked(scores[1])

    def resampled(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Return the differences on `rounds` resamples."""
        n = len(self._gold)
        rows = (rng.integers(0, n, n) for _ in range(rounds))
        return np.array(
            [self._gap(_take(self._gold, i), _take(self._a, i), _take(self._b, i)) for i in rows]
        )

    def exchanged(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Return the differences after `rounds` random exchanges."""
        answer = np.empty(rounds)
        pairs = list(zip(self._a, self._b, strict=True))
        for i in range(rounds):
            swap = rng.integers(0, 2, len(pairs)).tolist()
            a = [pair[s] for pair, s in zip(pairs, swap, strict=True)]
            b = [pair[1 - s] for pair, s in zip(pairs, swap, strict=True)]
            answer[i] = self._gap(self._gold, _like(self._a, a), _like(self._b, b))
        return answer

    def _gap(self, gold: Any, a: Any, b: Any) -> float:
        return _checked(self._metric(gold, a)) - _checked(self._metric(gold, b))


def _drawn(rng: np.random.Generator, n: int, number: NDArray[np.int64], size: int) -> Floats:
    return rng.multinomial(n, number / n, size=size).astype(np.float64)


def _blocks(rounds: int, width: int) -> Iterator[int]:
    """Cut rounds into blocks of bounded memory, the same for the same problem."""
    step = max(1, _CELLS // width)
    return (min(step, rounds - begin) for begin in range(0, rounds, step))


def _equal(x: Any, y: Any) -> bool:
    return bool(np.all(np.asarray(x == y)))


def _units(part: Any) -> Any:
    return part if isinstance(part, np.ndarray) else list(part)


def _take(part: Any, rows: NDArray[np.int64]) -> Any:
    return part[rows] if isinstance(part, np.ndarray) else [part[i] for i in rows.tolist()]


def _like(part: Any, values: Sequence[Any]) -> Any:
    return np.array(values, part.dtype) if isinstance(part, np.ndarray) else values


def _checked(score: Any) -> float:
    value = float(score)
    if not np.isfinite(value):
        raise DataError(f"the metric returned {value}; it must be finite for every resample")
    return value
