r"""Naive Bayes with normal features (M-08, M-12, M-13).

Problem
    Maximise sum_i ln p(x_i, y_i), with p(x, k) = p(k) prod_j N(x_j; mu_jk, v_jk).
Given
    X (M, J), y in 0..K-1, and what the variances may be.
Returned
    ln p(k) (K,), means (J, K), variances (J, K).

Maximum likelihood (S0 Eq. 1.8, S1 Eq. 9-19): p(k) = |I_k|/M, mu_jk the class mean, and

    "given"        v_jk = the number given, common to all (S0 Section 1.2.1, A-11)
    "shared"       v_jk = v: mean squared deviation over all classes and features
    "per-feature"  v_jk = v_j: mean squared deviation over all classes
    "per-class"    v_jk = mean squared deviation within class k

All but the last have a linear boundary (S0 Exercise 1.3): w_jk = mu_jk / v_j and
b_k = ln p(k) - sum_j mu_jk^2 / (2 v_j). Deviations are from the class mean and divided by the
number of values, not by one less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from linnet.errors import DataError, ParameterError
from linnet.reference.common import FloatArray, IntArray, check_classes, one_hot

__all__ = ["Gaussian", "Variance", "gaussian"]

Variance = Literal["given", "shared", "per-feature", "per-class"]


@dataclass(frozen=True)
class Gaussian:
    """log_prior (K,), means (J, K), variances (J, K)."""

    log_prior: FloatArray
    means: FloatArray
    variances: FloatArray

    def scores(self, X: FloatArray) -> FloatArray:
        """Log joint ln p(x, k) for each row, densities included: (M, K)."""
        squared = (X[:, :, None] - self.means) ** 2 / self.variances
        densities = -0.5 * (np.log(2 * np.pi * self.variances) + squared)
        scores: FloatArray = self.log_prior + densities.sum(axis=1)
        return scores

    def linear(self) -> tuple[FloatArray, FloatArray]:
        """Weights (J, K) and bias (K,); needs one variance a feature for all classes."""
        if np.ptp(self.variances, axis=1).any():
            raise ParameterError("class variances differ: the boundary is quadratic, not linear")
        bias = self.log_prior - (self.means**2 / (2 * self.variances)).sum(axis=0)
        return self.means / self.variances, bias


def gaussian(
    X: FloatArray,
    y: IntArray,
    n_classes: int,
    *,
    variance: Variance = "given",
    value: float = 1.0,
    ridge: float = 0.0,
) -> Gaussian:
    """Estimate means, priors and, unless given, variances; `ridge` is added to every variance.

    Examples
    --------
    >>> model = gaussian(np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1]), 2)
    >>> model.means, model.linear()[0]
    (array([[1., 5.]]), array([[1., 5.]]))
    """
    check_classes(X, y, n_classes)
    member = one_hot(y, n_classes)
    size = member.sum(axis=0)
    if not size.all():
        raise DataError(f"class {int(np.argmin(size))} has no examples, so it has no mean")
    means = X.T @ member / size
    deviation = (X - means.T[y]) ** 2
    match variance:
        case "given":
            estimate = np.asarray(value)
        case "shared":
            estimate = np.asarray(deviation.mean())
        case "per-feature":
            estimate = deviation.mean(axis=0)[:, None]
        case "per-class":
            estimate = deviation.T @ member / size
        case _:
            raise ParameterError(
                f"variance={variance!r}: use 'given', 'shared', 'per-feature' or 'per-class'"
            )
    variances = np.broadcast_to(estimate + ridge, means.shape).astype(np.float64)
    if not (variances > 0).all():
        raise DataError("a variance is zero, its density is infinite: use ridge > 0")
    return Gaussian(np.log(size / len(y)), means, variances)
