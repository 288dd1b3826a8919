"""Memory-based learning (M-95..M-104, A-46, A-48).

Problem
    Give a new example the class of the stored examples that are most like it.
Given
    rows of symbols (any object) and numbers (float), classes 0, 1, ... in order of first
    appearance, feature weights w, k.
Returned
    the votes of each class, and the class they elect.

Distances (S1 "Distance metrics", Eq 20-23): D(x, y) = sum_j w_j delta_j(x_j, y_j). The neighbours
are all examples at the k smallest different distances, or k examples, lowest index first. A vote
at distance d weighs (M-104)

    majority          1
    inverse_linear    (d_k - d) / (d_k - d_1); 1 when d_k = d_1, or when there are fewer than k
    inverse_distance  1 / (d + eps)
    exponential_decay exp(-alpha d^beta)

If the best classes are tied, k + 1 is tried and its winner taken if there is only one. Otherwise,
of the classes tied at k, the more frequent in training wins, then the one seen first (A-48).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linnet.reference.common import FloatArray, IntArray

__all__ = [
    "chi2",
    "classify",
    "elect",
    "entropy",
    "gain_ratio",
    "information_gain",
    "minkowski",
    "mixed_distances",
    "nearest_groups",
    "value_differences",
    "votes",
]

EPS = float(np.finfo(np.float64).eps)


def entropy(counts: FloatArray) -> float:
    """Return - sum p log2 p, with 0 log 0 = 0 (A-47)."""
    p = np.asarray(counts, dtype=float)[np.asarray(counts) > 0] / np.sum(counts)
    return float(-np.sum(p * np.log2(p)))


def information_gain(table: FloatArray) -> float:
    """H(Y) - sum_v p(v) H(Y | v) of a table (classes, values) (S1 Eq 24)."""
    table = np.asarray(table, dtype=float)
    shares = table.sum(axis=0) / table.sum()
    inside = [entropy(column) if column.any() else 0.0 for column in table.T]
    return entropy(table.sum(axis=1)) - float(shares @ np.array(inside))


def gain_ratio(table: FloatArray) -> float:
    """Information gain / H(V), 0 when H(V) = 0 (S1 Eq 25)."""
    split = entropy(np.asarray(table, dtype=float).sum(axis=0))
    return information_gain(table) / split if split > EPS else 0.0


def chi2(table: FloatArray) -> float:
    """Return sum (E - O)^2 / E, cells with E = 0 skipped (S1 Eq 26, A-49)."""
    table = np.asarray(table, dtype=float)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    seen = expected > 0
    return float((((expected - table)[seen]) ** 2 / expected[seen]).sum())


def minkowski(x: FloatArray, y: FloatArray, k: float) -> float:
    """(sum |x_j - y_j|^k)^(1/k); k = inf is the largest difference (M-96)."""
    difference = np.abs(np.asarray(x, dtype=float) - np.asarray(y, dtype=float))
    if np.isinf(k):
        return float(difference.max())
    return float((difference**k).sum() ** (1 / k))


def value_differences(
    column: Sequence[Any], gold: IntArray, classes: int
) -> Callable[[Any, Any], float]:
    """1/2 sum_c |p(c | v) - p(c | v')|, 1 when one of them was never seen."""
    count: dict[Any, FloatArray] = {}
    for value, label in zip(column, gold, strict=True):
        count.setdefault(value, np.zeros(classes))[label] += 1

    def delta(v: Any, w: Any) -> float:
        if v not in count or w not in count:
            return 1.0
        p, q = count[v] / count[v].sum(), count[w] / count[w].sum()
        return float(sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2)

    return delta


def mixed_distances(
    train: Sequence[Sequence[Any]],
    query: Sequence[Any],
    weights: FloatArray,
    deltas: Sequence[Callable[[Any, Any], float] | None] | None = None,
    order: Sequence[int] | None = None,
) -> FloatArray:
    """Return D(query, row) for each training row (S1 Eq 22, 23; A-46).

    `deltas` gives a feature a distance of its own; None is 0/1 for symbols and |x - y| / range
    for numbers. A missing value (None, NaN) is at distance 1 from everything. Terms are added in
    `order`.
    """
    total = np.zeros(len(train))
    for j in range(len(query)) if order is None else order:
        column = [row[j] for row in train]
        delta = None if deltas is None else deltas[j]
        known = [v for v in column if not _missing(v)]
        scale = max(known) - min(known) if isinstance(known[0], float) else None
        for i, value in enumerate(column):
            total[i] += _delta(query[j], value, delta, scale) * weights[j]
    return total


def _missing(value: Any) -> bool:
    return value is None or value != value


def _delta(x: Any, y: Any, delta: Callable[[Any, Any], float] | None, scale: float | None) -> float:
    if _missing(x) or _missing(y):
        return 1.0
    if delta is not None:
        return delta(x, y)
    if scale is None:
        return float(x != y)
    return abs((x - y) / scale) if scale else 0.0


def nearest_groups(
    distances: FloatArray, gold: IntArray, classes: int, k: int, examples: bool = False
) -> list[tuple[float, FloatArray]]:
    """Return (distance, classes there) of the k nearest distances, or of k examples."""
    groups: list[tuple[float, FloatArray]] = []
    rounded = _rounded(distances)
    for i in np.argsort(rounded, kind="stable"):
        if not groups or examples or rounded[i] != groups[-1][0]:
            if len(groups) == k:
                break
            groups.append((float(rounded[i]), np.zeros(classes)))
        groups[-1][1][gold[i]] += 1
    return groups


def _rounded(distances: FloatArray) -> FloatArray:
    """Make distances that differ by a rounding error equal: the smallest of them."""
    rounded = np.array(distances, dtype=float)
    start = -np.inf
    for i in np.argsort(distances, kind="stable"):
        if rounded[i] - start >= EPS:
            start = rounded[i]
        rounded[i] = start
    return rounded


def votes(
    groups: list[tuple[float, FloatArray]],
    k: int,
    vote: str = "majority",
    alpha: float = 1.0,
    beta: float = 1.0,
    examples: bool = False,
) -> FloatArray:
    """Return the votes of each class (M-104)."""
    near, far = groups[0][0], groups[-1][0]
    total = np.zeros_like(groups[0][1])
    for d, count in groups:
        if vote == "inverse_linear":
            short = len(groups) < k and not examples
            weight = 1.0 if far == near or short else (far - d) / (far - near)
        elif vote == "inverse_distance":
            weight = 1.0 / (d + EPS)
        elif vote == "exponential_decay":
            weight = float(np.exp(-alpha * d**beta)) or EPS
        else:
            weight = 1.0
        total += weight * count
    return total


def elect(total: FloatArray, frequency: FloatArray) -> tuple[int, bool]:
    """Return the class of most votes and whether others have as many."""
    tied = [c for c in np.flatnonzero(total) if total.max() - total[c] < EPS]
    return int(max(tied, key=lambda c: (frequency[c], -c))), len(tied) > 1


def classify(
    distances: FloatArray,
    gold: IntArray,
    k: int,
    vote: str = "majority",
    alpha: float = 1.0,
    beta: float = 1.0,
    examples: bool = False,
) -> tuple[int, FloatArray]:
    """Return the elected class and the votes that decided (M-95, A-48)."""
    classes = int(np.max(gold)) + 1
    frequency = np.bincount(gold).astype(float)
    elections = []
    for asked in (k, k + 1):
        groups = nearest_groups(distances, gold, classes, asked, examples)
        total = votes(groups, asked, vote, alpha, beta, examples)
        winner, tied = elect(total, frequency)
        if not tied:
            return winner, total
        elections.append((winner, total))
    return elections[0]
