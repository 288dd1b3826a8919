"""Several labels a row: from lists of labels to a table of 0 and 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

__all__ = ["label_table"]


def label_table(rows: Sequence[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the labels, sorted, and table[i, k] = 1 where row i has label k.

    Examples
    --------
    >>> classes, table = label_table([["red", "blue"], [], ["blue"]])
    >>> classes.tolist(), table.tolist()
    (['blue', 'red'], [[1, 1], [0, 0], [1, 0]])
    """
    for number, labels in enumerate(rows):
        if isinstance(labels, str) or not hasattr(labels, "__iter__"):
            raise DataError(f"Row {number} has the label {labels!r}, other rows have lists.")
    try:
        found = sorted({label for labels in rows for label in labels})
    except TypeError as error:
        raise DataError(f"Labels must be of one kind, such as str: {error}.") from None
    if not found:
        raise DataError("No row has a label.")
    number_of = {label: k for k, label in enumerate(found)}
    table = np.zeros((len(rows), len(found)), np.int32)
    for row, labels in enumerate(rows):
        for label in labels:
            table[row, number_of[label]] = 1
    return np.array(found), table
