"""Sums of what parts give: arrays, and rows of a table of which a part has only some.

A part knows few of all features, and its gradient is 0 at the others. So only its own rows are
computed, added up and sent. A zero that is not added changes no bit of a sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FewRows", "added", "dense"]

_FEW = 0.7  # share of the rows from which on all of them are held


@dataclass(frozen=True)
class FewRows:
    """Some rows of a table; the others are 0.

    Attributes
    ----------
    ids : array of int, ascending
    values : array of shape (len(ids), columns)
    n : int
        How many rows the table has.
    """

    ids: NDArray[np.int64]
    values: NDArray[np.float64]
    n: int

    def whole(self) -> NDArray[np.float64]:
        """Return the table, flat."""
        table = np.zeros((self.n, self.values.shape[1]))
        table[self.ids] = self.values
        return table.reshape(-1)

    def __sizeof__(self) -> int:
        return int(self.ids.nbytes + self.values.nbytes)


def added(parts: list[Any]) -> Any:
    """Return the sum of arrays, of some rows of tables, or of tuples of these, in their order."""
    first, *others = parts
    if isinstance(first, tuple):
        return tuple(added([part[k] for part in parts]) for k in range(len(first)))
    if all(isinstance(part, FewRows) for part in parts):
        return _united(parts)
    total = np.array(dense(first))
    for other in others:
        if isinstance(other, FewRows):
            table = total.reshape(other.n, -1)
            table[other.ids] += other.values
        else:
            total += other
    return total


def dense(value: Any) -> Any:
    """Return an array, whether some or all of its rows are held."""
    return value.whole() if isinstance(value, FewRows) else value


def _united(parts: list[FewRows]) -> Any:
    """Return the sum of some rows of tables: of those that any part has."""
    n, columns = parts[0].n, parts[0].values.shape[1]
    has = np.zeros(n, bool)
    for part in parts:
        has[part.ids] = True
    ids = np.flatnonzero(has)
    if len(ids) > _FEW * n:
        table = np.zeros((n, columns))
        for part in parts:
            table[part.ids] += part.values
        return table.reshape(-1)
    place = np.cumsum(has) - 1
    values = np.zeros((len(ids), columns))
    for part in parts:
        values[place[part.ids]] += part.values
    return FewRows(ids, values, n)
