"""Training the factors of a MEMM: MaxEnt on single tokens, by the solvers of the CRF.

A CRF on sentences of one token is multinomial logistic regression once its starts, stops and
transitions are held at 0. Weights are kept for the (feature, label) pairs that occur, so memory
does not grow with features times labels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.learn.chain.sentences import Ragged, checked
from linnet.learn.chain.weights import PairTable, observed_pairs

__all__ = ["cross", "previous_labels", "token_pairs", "with_previous", "with_two_before"]

Floats = NDArray[np.float64]


def previous_labels(
    gold: NDArray[np.int32], sentence: NDArray[np.int64], n_labels: int
) -> NDArray[np.int32]:
    """Return the label before each token; `n_labels` is the start symbol.

    Examples
    --------
    >>> previous_labels(np.array([1, 0, 1], np.int32), np.array([0, 2, 2, 3]), 2).tolist()
    [2, 1, 2]
    """
    previous = np.empty(len(gold), np.int32)
    previous[1:] = gold[:-1]
    begins = sentence[:-1]
    previous[begins[begins < len(gold)]] = n_labels
    return previous


def with_previous(features: Ragged, previous: NDArray[np.int32], n_labels: int) -> Ragged:
    """Add L + 1 features: which label, or the start symbol, came before. Tokens stand alone."""
    everywhere = np.ones(len(previous), bool)
    return _with_one_more(features, previous, everywhere, n_labels + 1)


def with_two_before(
    joined: Ragged, previous: NDArray[np.int32], sentence: NDArray[np.int64], n_labels: int
) -> Ragged:
    """Add L² features: which two labels came before; the first two tokens have none of them."""
    place = np.arange(len(previous)) - np.repeat(sentence[:-1], np.diff(sentence))
    pair = np.roll(previous, 1) * n_labels + previous
    return _with_one_more(joined, pair, place >= 2, n_labels**2)


def _with_one_more(
    features: Ragged, number: NDArray[np.int32], has: NDArray[np.bool_], width: int
) -> Ragged:
    """Give each token that has one a feature more, its number among `width` new ones."""
    J, ends = features.n_features, features.start[1:][has]
    column = np.insert(features.column, ends, (J + number[has]).astype(np.int32))
    value = None if features.value is None else np.insert(features.value, ends, 1.0)
    start = features.start + np.concatenate([[0], np.cumsum(has)])
    return _alone(start, column, value, J + width)


def cross(
    features: Ragged,
    previous: NDArray[np.int32],
    known: NDArray[np.int64] | None = None,
) -> tuple[Ragged, NDArray[np.int64]]:
    """Make a feature of each pair (previous label, feature); also return their sorted keys.

    The key of the pair (i, j) is i J + j. Of given keys only those that are known remain.
    """
    sizes = np.diff(features.start)
    owner = np.repeat(previous, sizes).astype(np.int64)
    keys = owner * features.n_features + features.column
    value, start = features.value, features.start
    if known is None:
        known, column = np.unique(keys, return_inverse=True)
    else:
        column = np.searchsorted(known, keys)
        there = np.zeros(len(keys), bool)
        inside = column < len(known)
        there[inside] = known[column[inside]] == keys[inside]
        start = np.concatenate([[0], np.cumsum(there)])[features.start].astype(np.int64)
        column = column[there]
        value = None if value is None else value[there]
    return _alone(start, column.astype(np.int32), value, len(known)), known


def _alone(
    start: NDArray[np.int64], column: NDArray[np.int32], value: Floats | None, width: int
) -> Ragged:
    if width > np.iinfo(np.int32).max:
        raise DataError(f"There are {width} features with their previous labels; 2^31 is the most.")
    tokens = np.arange(len(start), dtype=np.int64)
    return checked(Ragged(start, column, value, width, tokens))


def token_pairs(
    features: Ragged, gold: NDArray[np.int32], n_labels: int, every_from: int
) -> PairTable:
    """Return which pairs have a weight; features from `every_from` on go with every label."""
    start, label = observed_pairs(features, gold, n_labels, every=False)
    if every_from == features.n_features:
        return PairTable(start, label)
    kept = start[: every_from + 1]
    rest = np.arange(1, features.n_features - every_from + 1) * n_labels
    start = np.concatenate([kept, kept[-1] + rest]).astype(np.int64)
    tail = np.tile(np.arange(n_labels, dtype=np.int32), len(rest))
    return PairTable(start, np.concatenate([label[: kept[-1]], tail]))
