"""A sketch of scores: about which of them a share of the rows reaches, in one pass.

Given probabilities, in any order and from any number of places. They are counted in stretches that
are narrow where the smaller of p and 1 - p is small: its leading bits tell one from the next, so
that the odds of two scores of a stretch differ by less than a thousandth. Of each stretch its
number of scores and the least of them are kept. Sketches are added up exactly, in any order.

Returned for a rank is the least score of the stretch it falls into. How many rows reach that score
is counted and not estimated: those that are too many are the error.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Reached", "ScoreSketch", "SketchingJudge"]

_BITS = 10  # of the fraction, that tell stretches apart: 1,024 of them from p to 2 p
_LEAST = 2.0**-64  # smaller probabilities are one stretch, and so are those that near to 1
_SHIFT = np.uint64(52 - _BITS)

Floats = NDArray[np.float64]


class Reached(NamedTuple):
    """A score near a rank, and how many rows reach it: the rank at least."""

    score: float
    kept: int


class ScoreSketch:
    """Counts of probabilities, at most about 130,000 however many are added.

    Examples
    --------
    >>> sketch = ScoreSketch()
    >>> sketch.add(np.linspace(0, 1, 10_001))
    >>> reached = sketch.reach(1_000)
    >>> bool(0.899 < reached.score <= 0.9001), 1_000 <= reached.kept < 1_003
    (True, True)
    """

    def __init__(self) -> None:
        self._stretch = np.empty(0, np.int64)  # ascending
        self._count = np.empty(0, np.int64)
        self._least = np.empty(0)

    def __len__(self) -> int:
        """Return how many scores were added."""
        return int(self._count.sum())

    def add(self, scores: Floats) -> None:
        """Add probabilities."""
        scores = np.asarray(scores, np.float64) + 0.0  # no minus zero
        self._take(_stretches(scores), np.ones(len(scores), np.int64), scores)

    def merge(self, other: ScoreSketch) -> None:
        """Add what another sketch has seen."""
        self._take(other._stretch, other._count, other._least)

    def reach(self, rank: int) -> Reached:
        """Return the score near that rank, from 1, the highest first."""
        above = np.cumsum(self._count[::-1])
        place = int(np.searchsorted(above, rank))
        return Reached(float(self._least[::-1][place]), int(above[place]))

    def reaching(self, score: float) -> int:
        """Return how many scores are at least one that :meth:`reach` gave."""
        first = np.searchsorted(self._stretch, _stretches(np.array([score]))[0])
        return int(self._count[first:].sum())

    def _take(self, stretch: NDArray[np.int64], count: NDArray[np.int64], least: Floats) -> None:
        stretch = np.concatenate([self._stretch, stretch])
        self._stretch, place = np.unique(stretch, return_inverse=True)
        both = np.concatenate([self._count, count])
        size = len(self._stretch)
        self._count = np.bincount(place, both, size).astype(np.int64)
        lowest = np.full(size, np.inf)
        np.minimum.at(lowest, place, np.concatenate([self._least, least]))
        self._least = lowest


class SketchingJudge:
    """A judge whose scores are counted."""

    def __init__(self, judge: Any, sketch: ScoreSketch) -> None:
        self.judge, self.sketch, self.classes = judge, sketch, judge.classes

    def scored(self, X: Any) -> Any:
        """Return what the judge says."""
        answer = self.judge.scored(X)
        self.sketch.add(answer[2])
        return answer


def _stretches(scores: Floats) -> NDArray[np.int64]:
    """Return the number of the stretch of each score, in their order.

    Above a half 1 - p is exact, so that no rounding puts a score before a lower one.
    """
    low = scores <= 0.5
    small = np.maximum(np.where(low, scores, 1.0 - scores), _LEAST)
    code = (small.view(np.uint64) >> _SHIFT).astype(np.int64)
    middle = int(np.array([0.5]).view(np.uint64)[0] >> _SHIFT)
    return np.where(low, code, 2 * middle + 1 - code)
