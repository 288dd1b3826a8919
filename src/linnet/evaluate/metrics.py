"""How often predictions are right, and how far that can be trusted (SPEC M-28)."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from linnet.errors import DataError, ParameterError

__all__ = ["accuracy", "wilson_interval"]


def accuracy(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Return the share of predictions that equal the truth.

    Parameters
    ----------
    truth, predicted : arrays of shape (n,)
        Labels of any kind; n must not be 0.

    Examples
    --------
    >>> accuracy(["spam", "ham", "ham", "spam"], ["spam", "ham", "spam", "spam"])
    0.75
    """
    gold, guess = np.asarray(truth), np.asarray(predicted)
    if gold.ndim != 1 or gold.shape != guess.shape:
        raise DataError(
            f"truth and predicted must be two lists of one length, got shapes {gold.shape} "
            f"and {guess.shape}."
        )
    if not len(gold):
        raise DataError("There is no accuracy of no predictions; pass at least one.")
    return float(np.mean(gold == guess))


def wilson_interval(correct: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's confidence interval for a share of which `correct` of `n` were seen.

    It holds its level for few examples and for shares near 0 and 1, where the usual ± formula
    promises too much.

    Parameters
    ----------
    correct, n : int
        0 <= correct <= n, and n > 0.
    level : float
        Probability that the interval covers the true share.

    Examples
    --------
    >>> low, high = wilson_interval(9, 10)
    >>> round(low, 4), round(high, 4)
    (0.5958, 0.9821)
    """
    if n < 1 or not 0 <= correct <= n:
        raise DataError(f"{correct} correct of {n} is not a share; need 0 <= correct <= n, n > 0.")
    if not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1, got {level}.")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, spread = correct / n, z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    low = 0.0 if correct == 0 else max(0.0, middle - half)
    high = 1.0 if correct == n else min(1.0, middle + half)
    return low, high
