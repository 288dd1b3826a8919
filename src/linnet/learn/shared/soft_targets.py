"""Targets that are distributions: a table with a row for each example and a column for each class.

The cross-entropy of a row is the mean, over its distribution, of the log loss of each class,

    - Σ_k p_ik ln q(k | x_i)  =  Σ_k p_ik · loss(x_i, k),

so an example stands for as many as it has classes, with their probabilities as weights. Objective,
solvers and duality gap are those of examples with weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.learn.shared.checks import class_order

__all__ = ["SoftTargets", "is_table", "soft_targets"]

_ROUNDING = 1e-6  # by how much a row may miss 1


class SoftTargets(NamedTuple):
    """The classes, and the example, class and probability of every number that is not 0."""

    classes: NDArray[Any]
    row: NDArray[np.intp]
    gold: NDArray[np.int32]
    share: NDArray[np.float64]


def is_table(y: Any) -> bool:
    """Tell whether targets are a table of two columns or more, and no labels.

    Examples
    --------
    >>> is_table(np.ones((3, 2))), is_table(np.ones((3, 1))), is_table(["a", "b"])
    (True, False, False)
    """
    shape: tuple[int, ...] = getattr(y, "shape", ())
    return len(shape) == 2 and shape[1] > 1


def soft_targets(y: Any, rows: int, classes: Any = None) -> SoftTargets:
    """Return what a table of probabilities says.

    Parameters
    ----------
    y : array, sparse matrix or data frame of shape (n, K)
        The columns of a data frame are named by their classes.
    rows : int
    classes : list of labels, optional
        Of the columns, in their order; by default 0, 1, ….

    Examples
    --------
    >>> found = soft_targets(np.array([[0.25, 0.75], [1.0, 0.0]]), 2, ["no", "yes"])
    >>> found.row.tolist(), found.gold.tolist(), found.share.tolist()
    ([0, 0, 1], [0, 1, 0], [0.25, 0.75, 1.0])
    """
    names = list(y.columns) if hasattr(y, "columns") else classes
    try:
        table = np.asarray(y.toarray() if hasattr(y, "toarray") else y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"A table of targets must hold probabilities: {error}.") from None
    if len(table) != rows:
        raise DataError(f"X has {rows} rows, the table of targets has {len(table)}.")
    right = np.isfinite(table).all(axis=1) & (table >= 0).all(axis=1)
    right &= np.abs(np.where(right, table.sum(axis=1), 0.0) - 1.0) <= _ROUNDING
    if not right.all():
        wrong = int(np.flatnonzero(~right)[0])
        raise DataError(
            f"Row {wrong} of the targets is no distribution: its numbers must not be negative and "
            f"must sum to 1, got {table[wrong].tolist()[:8]}."
        )
    n_classes = table.shape[1]
    ordered = np.arange(n_classes) if names is None else class_order(names)
    if len(ordered) != n_classes:
        raise DataError(f"classes has {len(ordered)} labels, the targets have {n_classes} columns.")
    empty = np.flatnonzero(table.sum(axis=0) == 0)
    if len(empty):
        raise DataError(f"No row gives {ordered[empty[0]]!r} any probability; leave it out.")
    row, gold = np.nonzero(table)
    return SoftTargets(ordered, row, gold.astype(np.int32), table[row, gold])
