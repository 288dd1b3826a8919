r"""Chains whose transitions differ from token to token, as those of a MEMM do.

Given the scores of the first token, first[L], and for every later token a matrix [previous, next],
in pieces [m, L, L] that need not be in memory together.

.. math:: s(y) = \text{first}_{y_1} + \sum_{t > 1} \text{between}^{(t)}_{y_{t-1} y_t}
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Paths", "best_paths", "forward", "forward_backward", "search_beam"]

Floats = NDArray[np.float64]
Paths = list[tuple[float, list[int]]]


def best_paths(first: Floats, pieces: Iterable[Floats], stop: Floats, k: int) -> Paths:
    """Return the k best labellings, best first; ties go to the lowest label, from the last on.

    Examples
    --------
    >>> first, between = np.array([1.0, 0.0]), np.array([[[0.0, 2.0], [0.0, 5.0]]])
    >>> best_paths(first, [between], np.zeros(2), 2)
    [(5.0, [1, 1]), (3.0, [0, 1])]
    """
    L = len(first)
    kept = np.full((L, k), -np.inf)  # the k best beginnings that end in a label
    kept[:, 0] = first
    back: list[NDArray[np.int32]] = []
    for piece in pieces:
        for matrix in piece:
            reached = (kept[:, :, None] + matrix[:, None, :]).reshape(L * k, L)
            order = np.argsort(-reached, axis=0, kind="stable")[:k]
            kept = np.take_along_axis(reached, order, axis=0).T
            back.append(order.T.astype(np.int32))
    totals = (kept + stop[:, None]).ravel()
    found: Paths = []
    for at in np.argsort(-totals, kind="stable")[:k].tolist():
        if np.isneginf(totals[at]):
            break
        label, rank = divmod(at, k)
        path = [label]
        for origin in reversed(back):
            label, rank = divmod(int(origin[label, rank]), k)
            path.append(label)
        found.append((float(totals[at]), path[::-1]))
    return found


def search_beam(first: Floats, pieces: Iterable[Floats], stop: Floats, width: int) -> Paths:
    """Keep the `width` best beginnings at every token (SPEC M-115, A-58); return the best of all.

    Examples
    --------
    >>> first, between = np.array([1.0, 0.0]), np.array([[[0.0, 2.0], [0.0, 5.0]]])
    >>> search_beam(first, [between], np.zeros(2), 1)
    [(3.0, [0, 1])]
    """
    L = len(first)
    reached, parent = first, np.zeros(L, np.intp)
    label = np.arange(L)
    trail: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    for piece in pieces:
        for matrix in piece:
            kept = np.argsort(-reached, kind="stable")[:width]
            trail.append((label[kept], parent[kept]))
            reached = (reached[kept][:, None] + matrix[label[kept]]).ravel()
            parent = np.repeat(np.arange(len(kept)), L)
            label = np.tile(np.arange(L), len(kept))
    totals = reached + stop[label]
    at = int(np.argmax(totals))
    if np.isneginf(totals[at]):
        return []
    best, path = float(totals[at]), list[int]()
    for labels, parents in [(label, parent), *reversed(trail)]:
        path.append(int(labels[at]))
        at = int(parents[at])
    return [(best, path[::-1])]


def forward(first: Floats, pieces: Iterable[Floats], n: int) -> Floats:
    """Return P(y_t), shape (n, L), of log probabilities that sum to 1 at every token.

    Nothing has to come back from later tokens: that is the label bias (SPEC M-120).

    Examples
    --------
    >>> even = np.log(np.full((1, 2, 2), 0.5))
    >>> forward(np.log(np.array([0.9, 0.1])), [even], 2)
    array([[0.9, 0.1],
           [0.5, 0.5]])
    """
    out = np.empty((n, len(first)))
    out[0], t = np.exp(first), 1
    for piece in pieces:
        for matrix in np.exp(piece):
            out[t] = out[t - 1] @ matrix
            t += 1
    return out


def forward_backward(first: Floats, between: Floats, stop: Floats) -> Floats | None:
    """Return P(y_t), shape (n, L), of any scores; None when no labelling is possible.

    Examples
    --------
    >>> even = np.log(np.full((1, 2, 2), 0.5))
    >>> forward_backward(np.zeros(2), even, np.log(np.array([0.25, 0.75])))
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """
    alpha, beta = [first], [stop]
    for matrix in between:
        alpha.append(np.logaddexp.reduce(alpha[-1][:, None] + matrix, axis=0))
    for matrix in between[::-1]:
        beta.append(np.logaddexp.reduce(matrix + beta[-1], axis=1))
    both = np.asarray(alpha) + np.asarray(beta[::-1])
    total = np.logaddexp.reduce(both[0])
    return None if np.isneginf(total) else np.exp(both - total)
