"""What every page of the reference shares: array types, the bias column, example orders.

Everywhere in this package X is a dense (M, J) float64 matrix, one example a row, that already
contains its bias column if one is wanted; y holds +1 and -1 for two classes and 0..K-1 for
several; w is (J,), W is (J, K).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError

__all__ = [
    "FloatArray",
    "IntArray",
    "Orders",
    "add_bias",
    "check_binary",
    "check_classes",
    "example_sequence",
    "one_hot",
    "rounds",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]
Orders = Sequence[IntArray] | None


def add_bias(X: FloatArray, value: float = 1.0) -> FloatArray:
    """Append a constant last column, so that its weight is the bias (M-24).

    Examples
    --------
    >>> add_bias(np.array([[2.0], [3.0]]))
    array([[2., 1.],
           [3., 1.]])
    """
    return np.hstack([X, np.full((X.shape[0], 1), value)])


def rounds(n_examples: int, n_rounds: int, orders: Orders = None) -> Iterator[IntArray]:
    """Give the order of the examples in each round; None means 0, 1, 2, ... every time.

    Examples
    --------
    >>> [order.tolist() for order in rounds(3, 2)]
    [[0, 1, 2], [0, 1, 2]]
    """
    if orders is None:
        return (np.arange(n_examples) for _ in range(n_rounds))
    if len(orders) < n_rounds:
        raise ParameterError(f"{n_rounds} rounds need {n_rounds} orders, {len(orders)} given")
    return iter(orders[:n_rounds])


def example_sequence(n_examples: int, n_rounds: int, orders: Orders = None) -> IntArray:
    """Join the orders of all rounds into one sequence of single-example steps.

    Examples
    --------
    >>> example_sequence(2, 2).tolist()
    [0, 1, 0, 1]
    """
    return np.concatenate([np.arange(0), *rounds(n_examples, n_rounds, orders)])


def one_hot(y: IntArray, n_classes: int) -> FloatArray:
    """Turn class indices into the rows of an identity matrix: (M,) to (M, K).

    Examples
    --------
    >>> one_hot(np.array([1, 0]), 2)
    array([[0., 1.],
           [1., 0.]])
    """
    eye: FloatArray = np.eye(n_classes)
    return eye[y]


def check_binary(X: FloatArray, y: FloatArray | IntArray) -> FloatArray:
    """Return y as floats, or say why it cannot be the +1/-1 labels of X."""
    if len(y) != len(X):
        raise DataError(f"X has {len(X)} rows but y has {len(y)} labels")
    if not np.isin(y, (-1, 1)).all():
        raise DataError("binary labels must be +1 or -1")
    return np.asarray(y, dtype=np.float64)


def check_classes(X: FloatArray, y: IntArray, n_classes: int) -> None:
    """Say why y cannot be class indices 0..K-1 for the rows of X, if it cannot."""
    if len(y) != len(X):
        raise DataError(f"X has {len(X)} rows but y has {len(y)} labels")
    if len(y) and not (0 <= np.min(y) and np.max(y) < n_classes):
        raise DataError(f"class indices must lie in 0..{n_classes - 1}")
