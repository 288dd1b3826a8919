"""How sure a score is: bootstrap intervals of accuracy, of every F1, and of any other function.

The test set is one draw of n units (rows or sentences). Drawing n of them again with replacement,
many times, shows how far the score of such a draw strays; the (1 − level) / 2 quantiles at both
ends of the scores bound it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.evaluate.metrics import wilson_interval
from linnet.evaluate.rounds import scores_by_chance
from linnet.evaluate.unit_counts import Metric, metric_name
from linnet.learn.shared.checks import check_count

__all__ = ["ScoreInterval", "bootstrap_interval", "check_share", "generator", "quantiles"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ScoreInterval:
    """A score and the interval that covers its true value with probability `level`."""

    score: float
    low: float
    high: float
    level: float
    rounds: int


def bootstrap_interval(
    gold: Sequence[Any],
    guess: Sequence[Any],
    metric: Metric = "accuracy",
    level: float = 0.95,
    rounds: int = 10_000,
    seed: int = 0,
) -> ScoreInterval:
    """Return a score and its bootstrap interval: quantiles over test sets drawn from this one.

    Takes what :func:`approximate_randomisation` takes. Where all answers are right, or all wrong,
    every resample looks the same and the bootstrap would promise certainty; the interval is then
    Wilson's for n of n units.

    Examples
    --------
    >>> macro = bootstrap_interval([0, 1] * 50, [0, 1] * 40 + [1, 0] * 10, "macro_f1")
    >>> round(macro.score, 2), 0.7 < macro.low < 0.75, 0.85 < macro.high < 0.9
    (0.8, True, True)
    >>> bootstrap_interval([0, 1], [0, 1]).low
    0.34238...
    """
    check_share(level)
    rng = generator(rounds, seed)
    scores = scores_by_chance(gold, metric, guess)
    [score] = scores.observed()
    if score in (0.0, 1.0) and metric_name(metric) is not None:
        low, high = wilson_interval(round(score * len(gold)), len(gold), level)
    else:
        low, high = quantiles(scores.resampled(rng, rounds), level)
    return ScoreInterval(score, low, high, level, rounds)


def quantiles(drawn: Floats, level: float) -> tuple[float, float]:
    """Return the bounds that hold a share `level` of the values between them."""
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def generator(rounds: int, seed: int) -> np.random.Generator:
    """Return a source of chance for so many rounds, which must be at least one."""
    check_count("rounds", rounds)
    return np.random.default_rng(seed)


def check_share(level: float) -> None:
    """Refuse a level outside (0, 1)."""
    if not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1, got {level}")
