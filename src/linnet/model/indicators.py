"""Several labels a row as a table of 0 and 1: one column for each label.

A model knows labels, not columns: it learns from lists of labels and answers with them. Here they
become a table again, for programs that asked with one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

__all__ = ["Indicators"]


@dataclass(frozen=True)
class Indicators:
    """The columns of a table of labels.

    Attributes
    ----------
    columns : list
        The names of a data frame's columns; else 0, 1, ….
    """

    columns: list[Any]

    @classmethod
    def of(cls, y: Any) -> Indicators | None:
        """Return the columns of y, or None if it is no table.

        A list of lists is no table: those are lists of labels.

        Examples
        --------
        >>> Indicators.of(np.array([[1, 0], [1, 1]])), Indicators.of([["red"], []])
        (Indicators(columns=[0, 1]), None)
        """
        if len(getattr(y, "shape", ())) != 2 or y.shape[1] < 2:
            return None
        if getattr(getattr(y, "dtype", None), "kind", "i") not in "iubf":
            return None
        names = getattr(y, "columns", None)
        return cls(list(range(y.shape[1])) if names is None else list(names))

    def lists(self, y: Any) -> list[list[Any]]:
        """Return the labels of each row of a table.

        Examples
        --------
        >>> Indicators(["red", "blue"]).lists(np.array([[1, 0], [1, 1], [0, 0]]))
        [['red'], ['red', 'blue'], []]
        """
        table = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
        if table.shape[1:] != (len(self.columns),):
            raise DataError(
                f"The table of labels has the shape {table.shape}; {len(self.columns)} columns "
                "were learned, one for each label."
            )
        strange = table[(table != 0) & (table != 1)]
        if len(strange):
            raise DataError(
                f"A table of labels holds 0 and 1, this one {strange.tolist()[0]!r}; for one label "
                "a row pass a list of labels."
            )
        return [[self.columns[k] for k in np.flatnonzero(row)] for row in table]

    def table(self, rows: Any) -> NDArray[np.int64]:
        """Return lists of labels as a table.

        Examples
        --------
        >>> Indicators(["red", "blue"]).table([["blue"], []])
        array([[0, 1],
               [0, 0]])
        """
        number_of = {label: k for k, label in enumerate(self.columns)}
        table = np.zeros((len(rows), len(self.columns)), np.int64)
        for row, labels in enumerate(rows):
            table[row, [number_of[label] for label in labels]] = 1
        return table
