"""Pairs of features and labels without places that stay empty.

Batch solvers like a place for every label of a frequent feature; those that touch a few weights at
a time want only the pairs that may have one.
"""

from __future__ import annotations

import numpy as np

from linnet.learn.chain import PairTable

__all__ = ["without_frozen"]


def without_frozen(table: PairTable) -> PairTable:
    """Return the table without its frozen places.

    Examples
    --------
    >>> frozen = np.array([0, 1, 0], np.uint8)
    >>> table = PairTable(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), frozen)
    >>> exact = without_frozen(table)
    >>> exact.start.tolist(), exact.label.tolist()
    ([0, 1, 2], [0, 1])
    """
    if table.frozen is None:
        return table
    is_kept = table.frozen[: len(table.label)] == 0
    counts = np.concatenate([[0], np.cumsum(is_kept)]).astype(np.int64)
    return PairTable(counts[table.start], table.label[is_kept], None)
