"""Is one model better than another? The three paired tests, as their authors describe them.

Given
    n units (rows or sentences), the truth, the answers of models a and b, and a metric.
Returned
    the probability p that equally good models differ by at least as much,

        d = metric(gold, a) − metric(gold, b).

McNemar (1947): of the units that only one model gets right, under the null hypothesis each falls
to a or b like a fair coin. Approximate randomisation (Noreen 1989): the answers to a unit may be
exchanged. Paired bootstrap (Efron and Tibshirani 1993): a resample's d* strays from d as d strays
from the truth. The library's versions draw numbers of units of a kind instead of units; the
distributions are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import comb
from typing import Any

import numpy as np

from linnet.reference.common import FloatArray

__all__ = ["bootstrap_differences", "bootstrap_p", "mcnemar_p", "randomisation_p"]

Metric = Callable[[list[Any], list[Any]], float]
_SAME = 1e-12


def mcnemar_p(gold: Sequence[Any], a: Sequence[Any], b: Sequence[Any]) -> float:
    """Exact two-sided p-value: 2 Σ_{k ≤ min} C(m, k) / 2^m over the m units that differ, at most 1.

    Examples
    --------
    >>> mcnemar_p("xxxxx", "xxxxx", "xyyyy")
    0.125
    """
    rows = list(zip(gold, a, b, strict=True))
    a_only = sum(bool(x == y != z) for y, x, z in rows)
    b_only = sum(bool(z == y != x) for y, x, z in rows)
    m = a_only + b_only
    tail = sum(comb(m, k) for k in range(min(a_only, b_only) + 1))
    return min(1.0, float(2 * tail / 2**m))


def randomisation_p(
    gold: Sequence[Any], a: Sequence[Any], b: Sequence[Any], metric: Metric
) -> float:
    """Share of all 2^n exchanges with |d*| ≥ |d|: what random exchanges approach.

    Examples
    --------
    >>> def share(gold, guess):
    ...     return sum(y == g for y, g in zip(gold, guess)) / len(gold)
    >>> randomisation_p("xxxxx", "xxxxx", "xyyyy", share)
    0.125
    """
    truth, pairs = list(gold), list(zip(a, b, strict=True))
    d = abs(metric(truth, list(a)) - metric(truth, list(b)))
    beyond = 0
    for swaps in product((0, 1), repeat=len(pairs)):
        left = [pair[swap] for pair, swap in zip(pairs, swaps, strict=True)]
        right = [pair[1 - swap] for pair, swap in zip(pairs, swaps, strict=True)]
        beyond += bool(abs(metric(truth, left) - metric(truth, right)) >= d - _SAME)
    return beyond / float(2 ** len(pairs))


def bootstrap_differences(
    gold: Sequence[Any],
    a: Sequence[Any],
    b: Sequence[Any],
    metric: Metric,
    rounds: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return d* of `rounds` test sets of n units drawn with replacement."""
    differences = np.empty(rounds)
    for r in range(rounds):
        rows = rng.integers(0, len(gold), len(gold)).tolist()
        y, x, z = ([part[i] for i in rows] for part in (gold, a, b))
        differences[r] = metric(y, x) - metric(y, z)
    return differences


def bootstrap_p(differences: FloatArray, d: float) -> float:
    """Return (1 + #{|d* − d| ≥ |d|}) / (1 + rounds).

    Examples
    --------
    >>> bootstrap_p(np.array([0.1, 0.2, 0.3]), 0.2)
    0.25
    """
    beyond = int((np.abs(differences - d) >= abs(d) - _SAME).sum())
    return (1 + beyond) / (1 + len(differences))
