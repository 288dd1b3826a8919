"""From a table of attributes to the nodes of a tree: the core searches, this translates.

The core splits on codes. A symbolic column has them already; a numeric one gets the ranks of its
values, and the ranks between which the core cuts become a threshold half-way between two values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.shared.attributes import MISSING, AttributeTable
from linnet.learn.tree.nodes import Nodes

__all__ = ["grow", "rows_of"]

Floats = NDArray[np.float64]


def grow(
    table: AttributeTable,
    gold: NDArray[np.int32],
    weights: Floats,
    n_classes: int,
    *,
    ratio: bool,
    min_leaf: float,
    max_depth: int | None,
) -> Nodes:
    """Return the tree of some rows with classes `gold` and positive weights."""
    columns, sizes, sorted_values = _codes(table)
    room = 2 * table.n_rows
    nodes, gain = np.empty((6, room), np.int32), np.empty(room)
    leaf = np.empty(table.n_rows, np.int32)
    ordered = np.array([kind == "numeric" for kind in table.kinds], np.uint8)
    made = _core.grow_tree(
        columns,
        sizes,
        ordered,
        np.ascontiguousarray(gold),
        np.ascontiguousarray(weights),
        n_classes,
        ratio,
        min_leaf,
        -1 if max_depth is None else min(int(max_depth), 2**31 - 1),
        nodes,
        gain,
        leaf,
    )
    parent, branch, feature, low, high, depth = nodes[:, :made].copy()
    threshold = np.full(made, np.nan)
    for node in np.flatnonzero((feature >= 0) & (ordered[feature] > 0)).tolist():
        threshold[node] = _midpoint(sorted_values[feature[node]], low[node], high[node])
    counts = np.zeros((made, n_classes))
    np.add.at(counts, (leaf, gold), weights)
    grown = Nodes(parent, branch, feature, threshold, depth, gain[:made].copy(), counts)
    return replace(grown, counts=grown.subtree_sums(counts))


def rows_of(table: AttributeTable, rows: NDArray[np.intp]) -> AttributeTable:
    """Return some rows of a table."""
    if len(rows) == table.n_rows:
        return table
    return AttributeTable(len(rows), table.kinds, [column[rows] for column in table.columns])


def _codes(table: AttributeTable) -> tuple[NDArray[Any], NDArray[Any], list[Floats]]:
    """Return codes (J, n), the number of codes of each column, and what numeric codes stand for."""
    codes = np.empty((len(table.columns), table.n_rows), np.int32)
    sorted_values: list[Floats] = []
    for j, (kind, column) in enumerate(zip(table.kinds, table.columns, strict=True)):
        values = np.empty(0)
        if kind == "numeric":
            known = ~np.isnan(column)
            values, ranks = np.unique(column[known], return_inverse=True)
            codes[j] = MISSING
            codes[j, known] = ranks
        else:
            codes[j] = column
        sorted_values.append(values)
    sizes = codes.max(axis=1, initial=-1) + 1
    return codes, sizes.astype(np.int32), sorted_values


def _midpoint(values: Floats, low: int, high: int) -> float:
    """Return a number that is at least values[low] and less than values[high]."""
    if high < 0:
        return np.inf
    a, b = float(values[low]), float(values[high])
    middle = a / 2 + b / 2
    return middle if a <= middle < b else a
