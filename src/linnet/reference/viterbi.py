r"""Viterbi: the best labelling of a chain, and the n best (M-112, M-114).

Problem
    max_y score(y), without looking at all L^n labellings
Given
    a chain of order 1 or 2.
Returned
    the best labelling and its score; or the n best, the best first.

S1 Eq. 76 in logarithms, with the first token it leaves out (A-57):
    v_1(j) = start[j] + state[1, j]
    v_t(j) = max_i v_{t-1}(i) + transition[i, j] + state[t, j]           back pointer: that i
Order 2 keeps a value for each pair of neighbouring labels:
    v_t(i, j) = max_h v_{t-1}(h, i) + second[h, i, j] + transition[i, j] + state[t, j]

The time is O(n L^2), or O(n L^3) for order 2. Every maximum takes the lowest index. When no
labelling is possible the answer is label 0 everywhere, with score -inf.

The n best keep n prefixes, not one, for each last label (or pair): a prefix that is not among the
n best of those with the same ending cannot begin one of the n best labellings.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from linnet.errors import ParameterError
from linnet.reference.chain import Chain, Path
from linnet.reference.common import FloatArray, IntArray

__all__ = ["best_labels", "n_best", "pruned", "viterbi"]


def viterbi(chain: Chain) -> Path:
    """Best labelling and its score.

    Examples
    --------
    >>> state = np.array([[1.0, 0.0], [0.0, 2.0]])
    >>> viterbi(Chain.of(state)).labels, viterbi(Chain.of(state, np.array([[0, -5.0], [0, 0]])))
    (array([0, 1]), Path(labels=array([1, 1]), score=2.0))
    """
    if chain.n_tokens == 0:
        return Path(np.zeros(0, dtype=np.intp), 0.0)
    if chain.second is not None and chain.n_tokens > 1:
        return _second_order(chain, chain.second)
    return _first_order(chain, chain.n_labels)


def best_labels(chain: Chain) -> IntArray:
    """Best labelling alone, the form of a decoder that the learners take.

    Examples
    --------
    >>> best_labels(Chain.of(np.array([[1.0, 0.0], [0.0, 2.0]])))
    array([0, 1])
    """
    return viterbi(chain).labels


def pruned(chain: Chain, width: int) -> Path:
    """Viterbi that keeps only the `width` best labels at each token (order 1).

    Unlike beam search it joins prefixes with the same last label, so `width` = L is exact.

    Examples
    --------
    >>> chain = Chain.of(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0, -5.0], [0, 0]]))
    >>> pruned(chain, 1), pruned(chain, 2).score
    (Path(labels=array([0, 0]), score=1.0), 2.0)
    """
    if width < 1:
        raise ParameterError(f"width={width}: keep at least one label")
    if chain.order != 1:
        raise ParameterError("pruned Viterbi is for chains of order 1")
    return _first_order(chain, width) if chain.n_tokens else viterbi(chain)


def _first_order(chain: Chain, width: int) -> Path:
    n, L = chain.state.shape
    back = np.zeros((n, L), dtype=np.intp)
    best = chain.start + chain.state[0]
    for t in range(1, n):
        best[np.argsort(-best, kind="stable")[width:]] = -np.inf
        reached = best[:, None] + chain.steps[t - 1]
        back[t] = np.argmax(reached, axis=0)
        best = reached.max(axis=0) + chain.state[t]
    best = best + chain.stop
    labels = np.zeros(n, dtype=np.intp)
    if np.isneginf(best).all():
        return Path(labels, -np.inf)
    labels[-1] = np.argmax(best)
    for t in range(n - 1, 0, -1):
        labels[t - 1] = back[t, labels[t]]
    return Path(labels, float(best.max()))


def _second_order(chain: Chain, second: FloatArray) -> Path:
    n, L = chain.state.shape
    back = np.zeros((n, L, L), dtype=np.intp)
    best = (chain.start + chain.state[0])[:, None] + chain.steps[0] + chain.state[1]
    for t in range(2, n):
        reached = best[:, :, None] + second
        back[t] = np.argmax(reached, axis=0)
        best = reached.max(axis=0) + chain.steps[t - 1] + chain.state[t]
    best = best + chain.stop
    labels = np.zeros(n, dtype=np.intp)
    if np.isneginf(best).all():
        return Path(labels, -np.inf)
    # transposed, so that a tie takes the lowest last label, then the lowest one before it
    labels[-1], labels[-2] = divmod(int(np.argmax(best.T)), L)
    for t in range(n - 1, 1, -1):
        labels[t - 2] = back[t, labels[t - 1], labels[t]]
    return Path(labels, float(best.max()))


def n_best(chain: Chain, n: int) -> list[Path]:
    """Best n possible labellings, the best first; fewer when fewer are possible.

    Examples
    --------
    >>> chain = Chain.of(np.array([[0.0, 1.0], [0.0, 2.0]]))
    >>> [(path.labels.tolist(), path.score) for path in n_best(chain, 3)]
    [([1, 1], 3.0), ([0, 1], 2.0), ([1, 0], 1.0)]
    """
    if n < 1:
        raise ParameterError(f"n={n}: ask for at least one labelling")
    kept: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for t in range(chain.n_tokens):
        cells = defaultdict[tuple[int, ...], list[tuple[float, tuple[int, ...]]]](list)
        for score, before in kept:
            for label, local in enumerate(chain.local(t, before).tolist()):
                labels = (*before, label)
                cells[labels[-chain.order :]].append((score + local, labels))
        kept = [prefix for cell in cells.values() for prefix in sorted(cell, key=_rank)[:n]]
    possible = [prefix for prefix in sorted(kept, key=_rank)[:n] if prefix[0] > -np.inf]
    return [Path(np.array(labels, dtype=np.intp), score) for score, labels in possible]


def _rank(prefix: tuple[float, tuple[int, ...]]) -> tuple[float, tuple[int, ...]]:
    """Sort key: higher scores first, then the labels read from the last one."""
    return -prefix[0], prefix[1][::-1]
