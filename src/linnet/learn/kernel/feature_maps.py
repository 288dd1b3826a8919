r"""Feature maps φ written out, so that a linear learner can do what a kernel does.

For each map there is a kernel with :math:`K(x, z) = \varphi(x) \cdot \varphi(z)`, and computing it
costs O(J) where the map costs O(J²) or more (S1 "Why does it matter"; SPEC M-40, W-16, W-17, W-28).

=====================  ==============================================================
map                    kernel
=====================  ==============================================================
:func:`quadratic`      (x·z)²
:func:`polynomial`     (gamma x·z + coef0)^degree
:func:`circle`         (x·z)² in two dimensions, with three features
:func:`conjunctions`   for 0/1 rows: the number of shared sets of 1 to ``order`` features
=====================  ==============================================================
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from math import comb, factorial, prod
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.shared.inputs import check_structure

__all__ = ["circle", "conjunctions", "polynomial", "quadratic", "with_squares"]

Rows = NDArray[np.float64]
_MOST = 10_000_000  # features of a map


def _dense(X: Any) -> Rows:
    if sp.issparse(X):
        check_structure(X)
        X = X.toarray()
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2:
        raise DataError(f"X must have two dimensions, it has {rows.ndim}.")
    if not np.isfinite(rows).all():
        raise DataError("Input X contains NaN or infinity; remove or replace those values.")
    return rows


def _refuse_too_many(features: int) -> None:
    if features > _MOST:
        raise ParameterError(
            f"The map has {features} features, more than {_MOST}; use the kernel instead."
        )


def quadratic(X: Any) -> Rows:
    """Map x to all products x_i x_j, each order counted (S1 Eq 46, SPEC W-16).

    Examples
    --------
    >>> quadratic([[1, 2]])
    array([[1., 2., 2., 4.]])
    """
    rows = _dense(X)
    _refuse_too_many(rows.shape[1] ** 2)
    products: Rows = rows[:, :, None] * rows[:, None, :]
    return products.reshape(len(rows), -1)


def circle(X: Any, *, cross: float = np.sqrt(2.0)) -> Rows:
    """Map (x1, x2) to (x1², cross·x1 x2, x2²) (S1 "Separability in 2D and 3D", SPEC W-17).

    With √2 its dot product is the quadratic kernel. The lecture prints 2, which also makes what a
    circle separates linearly separable, but belongs to another kernel (A-52).

    Examples
    --------
    >>> (circle([[1, 2]]) @ circle([[3, -1]]).T).round(12)
    array([[1.]])
    """
    rows = _dense(X)
    if rows.shape[1] != 2:
        raise DataError(f"This map is for two features, X has {rows.shape[1]}.")
    first, second = rows.T
    return np.column_stack([first**2, cross * first * second, second**2])


def polynomial(X: Any, *, degree: int = 2, gamma: float = 1.0, coef0: float = 1.0) -> Rows:
    """Map x to all monomials up to a degree, scaled as the polynomial kernel has them.

    Each monomial occurs once; its factor is the square root of how often the expanded kernel
    has it. With ``coef0=0`` only those of the highest degree remain.

    Examples
    --------
    >>> polynomial([[3]], degree=2).round(4)
    array([[1.    , 4.2426, 9.    ]])
    """
    rows = _dense(X)
    if int(degree) != degree or degree < 1 or gamma <= 0 or coef0 < 0:
        raise ParameterError("The map needs degree >= 1, gamma > 0 and coef0 >= 0.")
    width = rows.shape[1]
    lowest = degree if coef0 == 0 else 0
    _refuse_too_many(sum(comb(width + d - 1, d) for d in range(lowest, degree + 1)))
    columns = []
    for size in range(lowest, degree + 1):
        outside = comb(degree, size) * gamma**size * coef0 ** (degree - size)
        for chosen in combinations_with_replacement(range(width), size):
            counts = np.unique(np.array(chosen, dtype=np.intp), return_counts=True)[1]
            ways = factorial(size) // prod(factorial(int(count)) for count in counts)
            columns.append(np.sqrt(outside * ways) * rows[:, list(chosen)].prod(axis=1))
    return np.column_stack(columns)


def conjunctions(X: Any, *, order: int = 2) -> Rows:
    """Map 0/1 rows to the conjunctions of 1 to ``order`` of their features.

    Its dot product counts the sets of features that two rows share:
    :math:`\\sum_{k=1}^{order} \\binom{x \\cdot z}{k}`.

    Examples
    --------
    >>> conjunctions([[1, 1, 0]])
    array([[1., 1., 0., 1., 0., 0.]])
    """
    rows = _dense(X)
    if int(order) != order or order < 1:
        raise ParameterError(f"order must be a positive integer, got {order!r}.")
    if not np.isin(rows, (0.0, 1.0)).all():
        raise DataError("Conjunctions need features that are 0 or 1.")
    width = rows.shape[1]
    _refuse_too_many(sum(comb(width, k) for k in range(1, order + 1)))
    columns = [
        rows[:, list(chosen)].prod(axis=1)
        for size in range(1, order + 1)
        for chosen in combinations(range(width), size)
    ]
    return np.column_stack(columns)


def with_squares(X: Any) -> Rows:
    """Map x to (x, x²): an interval on a line becomes linearly separable (SPEC W-28).

    Examples
    --------
    >>> with_squares([[-3], [1]])
    array([[-3.,  9.],
           [ 1.,  1.]])
    """
    rows = _dense(X)
    return np.hstack([rows, rows**2])
