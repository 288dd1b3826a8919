r"""Pegasos: primal estimated sub-gradient solver for SVM (M-76).

Problem
    min lambda/2 ||w||^2 + (1/M) sum_i max(0, 1 - y_i w.x_i)
Given
    X (M, J), y in {+1, -1}, lambda, one batch of example indices for each step.
Returned
    w (J,), with ||w|| <= 1/sqrt(lambda) after every step when projecting.

Step t, batch B, eta_t = 1/(lambda t):
    w <- (1 - lambda eta_t) w + (eta_t / |B|) sum_{i in B, y_i w.x_i < 1} y_i x_i
    w <- min(1, 1/(sqrt(lambda) ||w||)) w

The optimum lies in that ball, so projecting never hurts. Named in S0 Section 1.5.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linnet.reference.common import FloatArray, IntArray, check_binary

__all__ = ["PegasosResult", "pegasos"]


@dataclass(frozen=True)
class PegasosResult:
    """Last weights and the norm of w after each step."""

    weights: FloatArray
    norms: tuple[float, ...]


def pegasos(
    X: FloatArray,
    y: FloatArray | IntArray,
    batches: Sequence[IntArray],
    *,
    lam: float = 1.0,
    project: bool = True,
) -> PegasosResult:
    """Take one step for each batch; batches of one index give the single-example form.

    Examples
    --------
    >>> X, y = np.array([[0.5], [-0.25]]), np.array([1, -1])
    >>> pegasos(X, y, [np.array([0]), np.array([0, 1])]).weights
    array([0.4375])
    """
    sign = check_binary(X, y)
    w, norms = np.zeros(X.shape[1]), []
    for t, batch in enumerate(batches, start=1):
        eta = 1.0 / (lam * t)
        wrong = batch[sign[batch] * (X[batch] @ w) < 1]
        w = (1 - lam * eta) * w + (eta / len(batch)) * (sign[wrong] @ X[wrong])
        norm = float(np.sqrt(w @ w))
        if project and norm > 1 / np.sqrt(lam):
            w = w / (np.sqrt(lam) * norm)
            norm = float(np.sqrt(w @ w))
        norms.append(norm)
    return PegasosResult(w, tuple(norms))
