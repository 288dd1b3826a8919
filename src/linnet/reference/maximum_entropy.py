r"""The maximum entropy principle (M-70).

Problem
    max -sum_i p_i log2 p_i   subject to   sum_i p_i F_di = t_d,   sum_i p_i = 1,   p >= 0
Given
    Features F (D, n) of n outcomes, targets t (D,), which some p > 0 meets.
Returned
    p (n,) and weights w (D,) with p_i = exp(w.F_i) / Z.

Why p is log-linear: the Lagrangian -sum p ln p + sum_d w_d (F_d.p - t_d) - v (sum p - 1) has the
derivative -ln p_i - 1 + w.F_i - v, which is zero at p_i proportional to exp(w.F_i). Why it is
also the most likely log-linear model: with that p the dual is ln Z(w) - w.t, the negative
log-likelihood of data whose means are t (S1 "Maxent principle"). It is convex; its gradient is
E_p[F] - t and its Hessian the covariance of F under p.

With a base distribution q the problem is min sum_i p_i log2 (p_i / q_i), the divergence of p from
q. The derivative of the Lagrangian gains ln q_i, so p_i is proportional to q_i exp(w.F_i) and the
dual is ln sum_i q_i exp(w.F_i) - w.t. A uniform q changes nothing.
"""

from __future__ import annotations

import numpy as np

from linnet.errors import DataError
from linnet.reference.common import FloatArray

__all__ = ["divergence_bits", "entropy_bits", "maximum_entropy"]


def entropy_bits(p: FloatArray) -> float:
    """Return H(p) in bits; 0 log 0 is 0.

    Examples
    --------
    >>> entropy_bits(np.array([0.5, 0.5, 0.0]))
    1.0
    """
    return float(-sum(share * np.log2(share) for share in p if share > 0))


def divergence_bits(p: FloatArray, q: FloatArray) -> float:
    """Return the Kullback-Leibler divergence of p from q in bits.

    Examples
    --------
    >>> divergence_bits(np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.25, 0.5]))
    1.0
    """
    return float(sum(a * np.log2(a / b) for a, b in zip(p, q, strict=True) if a > 0))


def _model(w: FloatArray, F: FloatArray, log_q: FloatArray) -> FloatArray:
    scores = w @ F + log_q
    p = np.exp(scores - scores.max())
    answer: FloatArray = p / p.sum()
    return answer


def maximum_entropy(
    F: FloatArray,
    t: FloatArray,
    q: FloatArray | None = None,
    *,
    n_iter: int = 100,
    tolerance: float = 1e-13,
) -> tuple[FloatArray, FloatArray]:
    """Minimise ln Z(w) - w.t by Newton's method, halving steps that do not go down.

    q (n,) is a base distribution without zeros.

    Examples
    --------
    >>> F = np.array([[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]])
    >>> p, w = maximum_entropy(F, np.array([0.75]))
    >>> p.round(6)[[0, 5]], w.round(6)
    (array([0.083333, 0.25    ]), array([1.098612]))
    """
    w = np.zeros(len(F))
    log_q = np.zeros(F.shape[1]) if q is None else np.log(q)

    def dual(w: FloatArray) -> float:
        scores = w @ F + log_q - w @ t
        return float(scores.max() + np.log(np.exp(scores - scores.max()).sum()))

    for _ in range(n_iter):
        p = _model(w, F, log_q)
        gradient = F @ p - t
        if np.abs(gradient).max(initial=0.0) <= tolerance:
            return p, w
        centred = F - (F @ p)[:, None]
        step = np.linalg.pinv((centred * p) @ centred.T) @ gradient
        size = 1.0
        while size > 1e-12 and dual(w - size * step) > dual(w) + 1e-15:
            size /= 2
        w = w - size * step
    raise DataError("no convergence: is there a distribution without zeros that meets the targets?")
