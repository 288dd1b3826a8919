"""The stored examples of a memory-based learner, as the core searches them.

Equal rows are kept once, sorted by their values in the order in which features are summed, so the
arrays are a trie. With the value difference metric two values of a feature are the same when the
classes are distributed alike with both: instances are merged by these levels, and values remain
only to find the rows that equal a query.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.learn.memory.feature_weights import value_counts
from linnet.learn.shared.attributes import AttributeTable
from linnet.stored import Array, Each, Fields

__all__ = ["MemoryIndex", "build_index"]

Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]

_OVERLAP, _VALUE_DIFFERENCE, _NUMBER = 0, 1, 2


@dataclass(frozen=True)
class MemoryIndex:
    """Instances of J features, in the order in which their distances are summed.

    Attributes
    ----------
    order : array of shape (J,)
        The column of each feature.
    delta, slot, n_levels, weight, scale : arrays of shape (J,)
        Metric, row in its table, number of codes, weight and range of each feature.
    levels : list of arrays
        From values to levels of equal class distribution; empty where values are compared.
    probability : array
        p(class | level) of the features with levels, one after the other.
    code, value : arrays of shape (symbolic features, instances)
    number : array of shape (numeric features, instances)
    start : array of shape (instances + 1,)
    row, label : arrays of shape (training rows,)
    frequency : array of shape (K,)
    """

    stored: ClassVar[Fields] = {
        "order": Array("i8", "J", order="places"),
        "delta": Array("i4", "J", 0, 2),
        "slot": Array("i4", "J", low=0),
        "n_levels": Array("i4", "J", low=0),
        "weight": Array("f8", "J", low=0),
        "scale": Array("f8", "J", low=1e-100, beyond=(0.0,)),
        "levels": Each(Array("i4", "values", low=0), "J"),
        "probability": Array("f8", "shares", 0, 1),
        "code": Array("i4", "symbols instances", low=-2),
        "value": Array("i4", "symbols instances", low=-2),
        "number": Array("f8", "numbers instances", beyond=(np.nan,)),
        "row": Array("i4", "rows", order="places"),
        "start": Array("i8", "instances+1", 0, "rows", order="starts"),
        "label": Array("i4", "rows", 0, "K-1"),
        "frequency": Array("f8", "K", low=0),
    }
    order: NDArray[np.int64]
    delta: Ints
    slot: Ints
    n_levels: Ints
    weight: Floats
    scale: Floats
    levels: list[Ints]
    probability: Floats
    code: Ints
    value: Ints
    number: Floats
    start: NDArray[np.int64]
    row: Ints
    label: Ints
    frequency: Floats

    @cached_property
    def core(self) -> _core.Instances:
        """What the core searches; made and checked once, and not part of the stored state."""
        return _core.Instances(
            self.delta, self.slot, self.n_levels, self.weight, self.scale, self.code, self.value,
            self.number, self.probability, self.start, self.row, self.label, self.frequency,
        )  # fmt: skip

    def check(self, kinds: list[str], n_values: list[int], n_classes: int) -> None:
        """Refuse what a forged file may hold: features that do not fit columns of these kinds."""
        shares = 0
        for j, column in enumerate(self.order.tolist()):
            delta, slot, n_levels = int(self.delta[j]), int(self.slot[j]), int(self.n_levels[j])
            numeric = kinds[column] == "numeric"
            room = len(self.number) if numeric else len(self.code)
            if (delta == _NUMBER) != numeric or slot >= room:
                raise DataError(f"feature {j} of the stored examples does not fit its column")
            if numeric:
                continue
            leveled = delta == _VALUE_DIFFERENCE
            levels = self.levels[j]
            if len(levels) != (n_values[column] if leveled else 0):
                raise DataError(f"the levels of feature {j} are not those of its values")
            highest = (self.code[slot].max(initial=-1), levels.max(initial=-1))
            least = 1 if leveled else n_values[column]
            if max(highest) >= n_levels or not least <= n_levels <= n_values[column]:
                raise DataError(f"feature {j} has a code outside 0 .. {n_levels - 1}")
            if self.value[slot].max(initial=-1) >= n_values[column]:
                raise DataError(f"feature {j} has a value that its column has not")
            shares += n_levels * n_classes if leveled else 0
        if shares != len(self.probability):
            raise DataError("the probabilities of the levels are not as many as the levels")
        _ = self.core  # it checks the rest, and is needed anyway

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "core"}

    def queries(self, table: AttributeTable) -> tuple[Ints, Ints, Floats]:
        """Return codes, values and numbers of rows, each of shape (rows, J)."""
        shape = (table.n_rows, len(self.order))
        value, number = np.zeros(shape, np.int32), np.zeros(shape)
        for j, column in enumerate(self.order.tolist()):
            if self.delta[j] == _NUMBER:
                number[:, j] = table.columns[column]
            else:
                value[:, j] = table.columns[column]
        code = value.copy()
        for j, levels in enumerate(self.levels):
            if len(levels):
                known = value[:, j] >= 0
                code[known, j] = levels[value[known, j]]
        return code, value, number


def build_index(
    table: AttributeTable,
    gold: Ints,
    *,
    order: NDArray[np.int64],
    weight: Floats,
    scale: Floats,
    value_difference: bool,
    merge: bool,
) -> MemoryIndex:
    """Store rows with classes `gold`, numbered by first appearance.

    `order`, `weight` and `scale` are by column; `merge` makes one instance of rows whose values
    have the same levels.
    """
    classes = int(gold.max()) + 1
    delta, slot, n_levels = (np.zeros(len(order), np.int32) for _ in range(3))
    levels: list[Ints] = [np.empty(0, np.int32) for _ in order]
    tables: list[Floats] = []
    values: list[Ints] = []
    codes: list[Ints] = []
    numbers: list[Floats] = []
    for j, column in enumerate(order.tolist()):
        found: Any = table.columns[column]
        if table.kinds[column] == "numeric":
            delta[j], slot[j] = _NUMBER, len(numbers)
            numbers.append(found)
            continue
        slot[j], n_levels[j], code = len(values), int(found.max()) + 1, found
        if value_difference:
            delta[j] = _VALUE_DIFFERENCE
            distribution, levels[j] = _levels(found, gold, classes)
            n_levels[j], code = len(distribution), _mapped(found, levels[j])
            tables.append(distribution.ravel())
        values.append(found)
        codes.append(code)
    keys = [
        numbers[s] if d == _NUMBER else (codes if merge else values)[s]
        for d, s in zip(delta, slot, strict=True)
    ]
    rows, start = _group(keys)
    first = rows[start[:-1]]
    return MemoryIndex(
        order.astype(np.int64), delta, slot, n_levels, weight[order], scale[order], levels,
        np.concatenate(tables) if tables else np.empty(0),
        _stack(codes, first, np.int32), _stack(codes if merge else values, first, np.int32),
        _stack(numbers, first, np.float64), start, rows.astype(np.int32), gold[rows],
        np.bincount(gold, minlength=classes).astype(np.float64),
    )  # fmt: skip


def _levels(values: Ints, gold: Ints, classes: int) -> tuple[Floats, Ints]:
    """Return the different class distributions of a feature's values, and that of each value."""
    counts = value_counts(values, gold, classes)[: int(values.max()) + 1]
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    distribution, level = np.unique(share, axis=0, return_inverse=True)
    return distribution, level.ravel().astype(np.int32)


def _mapped(values: Ints, levels: Ints) -> Ints:
    return np.where(values >= 0, levels[np.maximum(values, 0)], values).astype(np.int32)


def _group(keys: list[NDArray[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows sorted by their keys, and where each run of equal rows starts."""
    rows = np.lexsort(keys[::-1])
    change = np.zeros(len(rows), dtype=bool)
    change[0] = True
    for key in keys:
        ordered = key[rows]
        differs = ordered[1:] != ordered[:-1]
        if ordered.dtype.kind == "f":  # one missing number is like another
            differs &= ~(np.isnan(ordered[1:]) & np.isnan(ordered[:-1]))
        change[1:] |= differs
    return rows, np.append(np.flatnonzero(change), len(rows))


def _stack(columns: list[Any], rows: NDArray[np.int64], dtype: Any) -> NDArray[Any]:
    made = np.empty((len(columns), len(rows)), dtype)
    for j, column in enumerate(columns):
        made[j] = column[rows]
    return made
