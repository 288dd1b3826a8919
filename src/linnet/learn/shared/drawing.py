"""Drawing from a fitted model: what its story of the data says, told with dice.

A generative model states how an example comes about: a class by its prior, then what is seen by
the distribution of that class (S0 Section 1.2). Any distribution on a finite set is drawn by its
running sums: the place at which a uniform number falls between them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.learn.shared.checks import MOST_STEPS, check_count, seed_from

__all__ = ["Drawer", "bags_of", "draw", "draw_lengths", "generator"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: From classes to a row of features for each, as an array or a CSR matrix.
Drawer: TypeAlias = Callable[[np.random.Generator, Ints], Any]


def generator(random_state: Any) -> np.random.Generator:
    """Return a generator of random numbers; the same seed gives the same draws."""
    return np.random.default_rng(seed_from(random_state))


def draw(rng: np.random.Generator, weights: Floats, rows: Ints) -> Ints:
    """Return a column for each of ``rows``, drawn with the weights (L, m) of that row.

    Examples
    --------
    >>> weights = np.array([[1.0, 0.0], [0.0, 3.0]])
    >>> draw(np.random.default_rng(0), weights, np.array([1, 0, 1])).tolist()
    [1, 0, 1]
    """
    chosen = np.empty(len(rows), np.int64)
    uniform = rng.random(len(rows))
    for row in np.unique(rows):
        sums = np.cumsum(weights[row])
        here = rows == row
        last = int(np.flatnonzero(weights[row] > 0)[-1])  # rounding must not go beyond it
        chosen[here] = np.minimum(
            np.searchsorted(sums, uniform[here] * sums[-1], side="right"), last
        )
    return chosen


def draw_lengths(rng: np.random.Generator, length: Any, n: int) -> Ints:
    """Return n lengths: all the same, uniform between two (both included), or as given.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> draw_lengths(rng, 3, 2).tolist(), draw_lengths(rng, [4, 0, 2], 3).tolist()
    ([3, 3], [4, 0, 2])
    >>> sorted(set(draw_lengths(rng, (1, 3), 100).tolist()))
    [1, 2, 3]
    """
    if isinstance(length, tuple):
        if len(length) != 2:
            raise ParameterError(f"A range of lengths is (least, most), got {length!r}.")
        low, high = (check_count("length", bound, least=0) for bound in length)
        if low > high:
            raise ParameterError(f"A range of lengths is (least, most), got {length!r}.")
        return rng.integers(low, high, n, endpoint=True)
    if np.ndim(length) == 0:
        return np.full(n, check_count("length", length, least=0), np.int64)
    given = np.asarray(length)
    whole = given.dtype.kind in "iu" and given.shape == (n,)
    if not whole or (n and not 0 <= given.min() <= given.max() <= MOST_STEPS):
        raise ParameterError(f"length must be a whole number, a pair, or {n} whole numbers.")
    return given.astype(np.int64)


def bags_of(rows: Any, vocabulary: dict[str, int]) -> list[dict[str, float]]:
    """Return the rows of a matrix as feature dictionaries.

    Examples
    --------
    >>> bags_of(np.array([[0.0, 2.0], [1.0, 0.0]]), {"dull": 0, "fun": 1})
    [{'fun': 2.0}, {'dull': 1.0}]
    """
    from scipy.sparse import csr_matrix

    csr, names = csr_matrix(rows), list(vocabulary)
    cells = zip(csr.indices.tolist(), csr.data.tolist(), strict=True)
    return [
        {names[column]: value for column, value in islice(cells, size)}
        for size in np.diff(csr.indptr).tolist()
    ]
