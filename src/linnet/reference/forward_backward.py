r"""Forward-backward: ln Z and the marginals of a chain (M-118, M-119).

Problem
    Z = sum_y e^score(y),   P(y_t = j),   P(y_{t-1} = i, y_t = j)         S1 "CRF - tractability"
Given
    a chain of order 1 or 2.
Returned
    `Marginals`: ln Z, token, pair and, for order 2, triple probabilities.

Order 1, with logsum in place of Viterbi's max:
    a_1(j) = start[j] + state[1, j]
    a_t(j) = logsum_i a_{t-1}(i) + transition[i, j] + state[t, j]
    b_n(i) = stop[i]
    b_t(i) = logsum_j transition[i, j] + state[t+1, j] + b_{t+1}(j)
    ln Z   = logsum_j a_n(j) + stop[j]
    ln P(y_t = j)              = a_t(j) + b_t(j) - ln Z
    ln P(y_{t-1} = i, y_t = j) = a_{t-1}(i) + transition[i, j] + state[t, j] + b_t(j) - ln Z
Order 2 runs over pairs of neighbouring labels: O(n L^3) instead of O(n L^2).

`scaled` computes the same without logarithms: scores are exponentiated once, after subtracting the
largest, and every a_t is divided by its sum c_t; ln Z is the sum of what was taken out. It is how
the fast code works. Scores more than about 700 below the best of their row count as -inf there.

When no labelling is possible, ln Z = -inf and the marginals are uniform, as naive Bayes decides for
an impossible document (A-05).
"""

from __future__ import annotations

import numpy as np

from linnet.errors import ParameterError
from linnet.reference.chain import Chain, Marginals
from linnet.reference.common import FloatArray

__all__ = ["forward_backward", "log_partition", "scaled"]


def _logsum(scores: FloatArray, axis: int) -> FloatArray:
    """Logarithm of a sum of exponentials; -inf when every score is -inf."""
    return np.asarray(np.logaddexp.reduce(scores, axis=axis), dtype=np.float64)


def log_partition(chain: Chain) -> float:
    """Return ln Z.

    Examples
    --------
    >>> round(log_partition(Chain.of(np.zeros((3, 2)))), 6)
    2.079442
    """
    return forward_backward(chain).log_partition


def forward_backward(chain: Chain) -> Marginals:
    """Return ln Z and all marginals, in the log domain.

    Examples
    --------
    >>> chain = Chain.of(np.zeros((2, 2)), np.array([[0.0, -np.inf], [0.0, 0.0]]))
    >>> marginals = forward_backward(chain)
    >>> round(float(np.exp(marginals.log_partition)), 12), marginals.token.round(6).tolist()
    (3.0, [[0.333333, 0.666667], [0.666667, 0.333333]])
    """
    if chain.n_tokens == 0:
        return _uniform(chain, 0.0)
    if chain.second is None:
        return _first_order(chain)
    return _second_order(chain, chain.second)


def _uniform(chain: Chain, log_z: float) -> Marginals:
    n, L = chain.state.shape
    triple = np.full((max(n - 2, 0), L, L, L), L**-3.0) if chain.order == 2 else None
    pair = np.full((max(n - 1, 0), L, L), L**-2.0)
    return Marginals(log_z, np.full((n, L), 1.0 / L), pair, triple)


def _first_order(chain: Chain) -> Marginals:
    n, L = chain.state.shape
    state, steps = chain.state, chain.steps
    a, b = np.zeros((n, L)), np.zeros((n, L))
    a[0], b[-1] = chain.start + state[0], chain.stop
    for t in range(1, n):
        a[t] = _logsum(a[t - 1][:, None] + steps[t - 1], axis=0) + state[t]
    for t in range(n - 2, -1, -1):
        b[t] = _logsum(steps[t] + state[t + 1] + b[t + 1], axis=1)
    log_z = float(_logsum(a[-1] + chain.stop, axis=0))
    if np.isneginf(log_z):
        return _uniform(chain, log_z)
    pair = np.exp(a[:-1, :, None] + steps + (state[1:] + b[1:])[:, None, :] - log_z)
    return Marginals(log_z, np.exp(a + b - log_z), pair)


def _second_order(chain: Chain, second: FloatArray) -> Marginals:
    n, L = chain.state.shape
    if n == 1:
        short = _first_order(chain)
        return Marginals(short.log_partition, short.token, short.pair, np.zeros((0, L, L, L)))
    # token t >= 1 with the one before it: a[t-1] and b[t-1] are (L, L); local[t-1] is what they add
    local = chain.steps + chain.state[1:, None, :]
    a, b = np.zeros((n - 1, L, L)), np.zeros((n - 1, L, L))
    a[0], b[-1] = (chain.start + chain.state[0])[:, None] + local[0], chain.stop
    for t in range(1, n - 1):
        a[t] = _logsum(a[t - 1][:, :, None] + second, axis=0) + local[t]
    for t in range(n - 3, -1, -1):
        b[t] = _logsum(second + local[t + 1] + b[t + 1], axis=2)
    log_z = float(_logsum((a[-1] + chain.stop).ravel(), axis=0))
    if np.isneginf(log_z):
        return _uniform(chain, log_z)
    pair = np.exp(a + b - log_z)
    triple = np.exp(a[:-1, :, :, None] + second + (local[1:] + b[1:])[:, None] - log_z)
    token = np.concatenate([pair[:1].sum(axis=2), pair.sum(axis=1)])
    return Marginals(log_z, token, pair, triple)


def _exponentials(scores: FloatArray, axes: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """e^(score - largest) over the given axes, and the largest; 0 stands for a largest of -inf."""
    top = scores.max(axis=axes, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    return np.exp(scores - top), np.squeeze(top, axis=axes)


def scaled(chain: Chain) -> Marginals:
    """Return the marginals of an order-1 chain by scaled products of matrices and vectors.

    Examples
    --------
    >>> marginals = scaled(Chain.of(np.zeros((5000, 2))))
    >>> bool(np.isclose(marginals.log_partition, 5000 * np.log(2.0))), marginals.token[-1]
    (True, array([0.5, 0.5]))
    """
    if chain.order != 1:
        raise ParameterError("scaled forward-backward is for chains of order 1")
    n, L = chain.state.shape
    if n == 0:
        return _uniform(chain, 0.0)
    step, step_top = _exponentials(chain.steps, (1, 2))
    stop, stop_top = _exponentials(chain.stop, (0,))
    state = chain.state.copy()
    state[0] += chain.start
    emit, emit_top = _exponentials(state, (1,))
    a, b, c = np.zeros((n, L)), np.zeros((n, L)), np.zeros(n)
    for t in range(n):
        a[t] = emit[t] if t == 0 else (a[t - 1] @ step[t - 1]) * emit[t]
        c[t] = a[t].sum()
        if c[t] == 0:
            return _uniform(chain, -np.inf)
        a[t] /= c[t]
    end = float(a[-1] @ stop)
    if end == 0:
        return _uniform(chain, -np.inf)
    b[-1] = stop / end
    for t in range(n - 2, -1, -1):
        b[t] = step[t] @ (emit[t + 1] * b[t + 1]) / c[t + 1]
    taken_out = np.log(c).sum() + emit_top.sum() + step_top.sum() + float(stop_top)
    onward = emit[1:] * b[1:] / c[1:, None]
    pair = a[:-1, :, None] * step * onward[:, None, :]
    return Marginals(float(taken_out + np.log(end)), a * b, pair)
