"""Cutting examples into parts: train, development and test sets, and folds (SPEC D-14).

Both functions return index arrays: disjoint, together complete, each ascending, and the same for
the same arguments.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.data.copies import Copies
from linnet.errors import DataError, ParameterError

__all__ = ["folds", "hold_out", "split"]

Indices = NDArray[np.int64]


def split(
    n: int,
    shares: Sequence[float] = (0.8, 0.1, 0.1),
    seed: int = 0,
    stratify: ArrayLike | None = None,
    copies: Copies | None = None,
) -> tuple[Indices, ...]:
    """Cut n examples at random into parts of given shares.

    Parameters
    ----------
    n : int
        Number of examples.
    shares : sequence of float
        The share of each part; together 1. A share of 0 gives an empty part.
    seed : int
        The same seed gives the same parts.
    stratify : array of shape (n,), optional
        Labels; every part then gets each label in proportion to its share, as far as whole
        examples allow. A label may be rarer than there are parts.
    copies : Copies, optional
        Equal examples, which stay in one part: the shares are those of the different ones. What
        has more copies than half of the smallest part goes to the largest. Below 20 different
        examples copies are cut like all others.

    Returns
    -------
    tuple of index arrays
        One a share. The parts end at the cumulated shares of `n`, rounded.

    Examples
    --------
    >>> train, dev, test = split(10, (0.6, 0.2, 0.2), stratify=[0] * 5 + [1] * 5)
    >>> len(train), len(dev), len(test)
    (6, 2, 2)
    """
    if n < 0:
        raise ParameterError(f"the number of examples must not be negative, got {n}")
    portion = np.asarray(shares, dtype=np.float64)
    if portion.ndim != 1 or not (portion >= 0).all() or abs(portion.sum() - 1) > 1e-9:
        raise ParameterError(f"shares must not be negative and must sum to 1, got {list(shares)}")
    if copies is not None and copies.matter:
        return _with_copies(copies, portion, seed, stratify)
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    if stratify is not None:
        order = _spread_labels(order, _labels(n, stratify), rng)
    ends = np.rint(np.cumsum(portion)[:-1] * n).astype(np.int64)
    return tuple(np.sort(part) for part in np.split(order, ends))


def hold_out(copies: Copies, share: float, seed: int = 0) -> tuple[Indices, Indices]:
    """Return the examples to train on and a random share of the different ones to measure on.

    Copies stay with their originals, as in :func:`split`; what has more of them than half the share
    is trained on.

    Examples
    --------
    >>> rest, held = hold_out(Copies.of([str(k // 2) for k in range(80)]), 0.25)
    >>> len(rest), len(held), held[:4].tolist()
    (60, 20, [2, 3, 4, 5])
    """
    if not copies.matter:
        copies = Copies(np.arange(len(copies.original)))
    sizes = copies.sizes()
    order = np.random.default_rng(seed).permutation(len(sizes))
    is_held = np.zeros(len(sizes), dtype=bool)
    is_held[order[: round(share * len(sizes))]] = True
    is_held &= (sizes == 1) | (sizes <= share * len(copies.original) / 2)
    return copies.spread(np.flatnonzero(~is_held)), copies.spread(np.flatnonzero(is_held))


def _with_copies(
    copies: Copies, shares: NDArray[np.float64], seed: int, stratify: ArrayLike | None
) -> tuple[Indices, ...]:
    """Cut the different examples, and let the copies follow."""
    rows, n = copies.originals, len(copies.original)
    labels = None if stratify is None else _labels(n, stratify)[rows]
    parts = split(len(rows), shares.tolist(), seed, labels)
    sizes = copies.sizes()
    crowd = np.flatnonzero((sizes > 1) & (sizes > n * shares[shares > 0].min() / 2))
    largest = int(shares.argmax())
    moved = [np.setdiff1d(part, crowd) for part in parts]
    moved[largest] = np.union1d(moved[largest], crowd)
    return tuple(copies.spread(part) for part in moved)


def _spread_labels(order: Indices, labels: Indices, rng: np.random.Generator) -> Indices:
    """Rearrange a random order so that every stretch of it holds the labels in proportion.

    The examples of one label are placed at even distances along the unit interval, from a random
    start, and the order is that of the places.
    """
    places = np.empty(len(order))
    for label in range(int(labels.max(initial=-1)) + 1):
        members = order[labels[order] == label]
        places[members] = (np.arange(len(members)) + rng.random()) / len(members)
    spread: Indices = order[np.argsort(places[order], kind="stable")]
    return spread


def _labels(n: int, stratify: ArrayLike) -> Indices:
    """Return the labels as numbers 0..K-1."""
    labels = np.asarray(stratify)
    if labels.shape != (n,):
        raise DataError(f"stratify needs one label for each of {n} examples, got {labels.shape}")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def folds(
    n: int,
    k: int = 10,
    seed: int = 0,
    stratify: ArrayLike | None = None,
    copies: Copies | None = None,
) -> list[tuple[Indices, Indices]]:
    """Cut n examples at random into k folds for cross-validation.

    Parameters
    ----------
    n, k : int
        Numbers of examples and of folds.
    seed : int
        The same seed gives the same folds.
    stratify : array of shape (n,), optional
        Labels; every fold then gets each label in equal number, as far as whole examples allow.
        scikit-learn warns about a label rarer than k.
    copies : Copies, optional
        Equal examples, which share a fold; the folds are equal in different examples.

    Returns
    -------
    list of (rest, fold)
        k pairs of index arrays: each fold, and before it all other examples to train on.

    Examples
    --------
    >>> [(len(rest), len(fold)) for rest, fold in folds(10, k=3)]
    [(6, 4), (7, 3), (7, 3)]
    """
    from sklearn.model_selection import KFold, StratifiedKFold

    if copies is not None and copies.matter:
        rows = copies.originals
        labels = None if stratify is None else _labels(n, stratify)[rows]
        different = folds(len(rows), k, seed, labels)
        return [(copies.spread(rest), copies.spread(fold)) for rest, fold in different]
    if not 2 <= k <= n:
        raise ParameterError(f"k must lie between 2 and the number of examples {n}, got {k}")
    if stratify is None:
        pairs = KFold(k, shuffle=True, random_state=seed).split(np.empty(n))
    else:
        labels = _labels(n, stratify)
        if np.bincount(labels).max() < k:
            raise DataError(f"no label has as many as k={k} examples; use fewer folds")
        pairs = StratifiedKFold(k, shuffle=True, random_state=seed).split(labels, labels)
    return [(np.asarray(rest, np.int64), np.asarray(fold, np.int64)) for rest, fold in pairs]
