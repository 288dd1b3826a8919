"""The two-class machines that a kernel support vector machine is made of (SPEC M-88, M-89).

Two classes are one machine; more are one for each pair of classes or each class against the rest.
All of them go to the core in one call, as flat arrays with one part for each machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.kernel.kernels import Table

__all__ = ["Plan", "feasible_start", "is_large", "pair_sums", "plan_machines"]


@dataclass(frozen=True)
class Plan:
    """The machines to solve, one after the other in flat arrays: examples, signs, costs."""

    pairs: list[tuple[int, int | None]]  # (negative, positive) classes; (k, None): k against rest
    start: NDArray[np.int64]
    ids: NDArray[np.int32]
    sign: Table
    cost: Table


def pair_sums(values: Table, dual: Table, n_support: NDArray[np.intp]) -> Table:
    """Return Σ_i values[:, i] dual_i for each pair of classes, i over their support vectors."""
    ends = np.cumsum(n_support)
    by_class = [
        values[:, end - count : end] @ dual[:, end - count : end].T
        for count, end in zip(n_support, ends, strict=True)
    ]
    pairs = combinations(range(len(n_support)), 2)
    return np.column_stack([by_class[a][:, b - 1] + by_class[b][:, a] for a, b in pairs])


def plan_machines(
    gold: NDArray[np.int32], weights: Table, C: float, n_classes: int, multi_class: str
) -> Plan:
    """List the machines; examples of weight 0 take no part."""
    rows = np.flatnonzero(weights > 0)
    pairs: list[tuple[int, int | None]]
    if n_classes == 2 or multi_class == "ovo":
        pairs = list(combinations(range(n_classes), 2))
        members = [rows[(gold[rows] == a) | (gold[rows] == b)] for a, b in pairs]
        signs = [
            np.where(gold[m] == b, 1.0, -1.0) for m, (_, b) in zip(members, pairs, strict=True)
        ]
    else:
        pairs = [(k, None) for k in range(n_classes)]
        members = [rows] * n_classes
        signs = [np.where(gold[rows] == k, 1.0, -1.0) for k in range(n_classes)]
    ids = np.concatenate(members)
    cost = np.full(len(ids), np.inf) if np.inf == C else float(C) * weights[ids]
    start = np.cumsum([0, *(len(m) for m in members)], dtype=np.int64)
    return Plan(pairs, start, ids.astype(np.int32), np.concatenate(signs), cost)


def is_large(data: _core.Matrix | Table) -> bool:
    """Tell whether a Gram matrix has values beyond single precision."""
    return isinstance(data, np.ndarray) and bool(np.abs(data).max(initial=0.0) > 1e30)


def feasible_start(previous: Table | None, plan: Plan) -> Table:
    """Return an earlier solution scaled into the bounds, or zeros if it belongs to other data."""
    if previous is None or previous.shape != plan.sign.shape or (previous * plan.sign < 0).any():
        return np.zeros(len(plan.sign))
    used = previous != 0
    ratio = plan.cost[used] / np.abs(previous[used])
    return previous * min(1.0, float(ratio.min(initial=1.0)))
