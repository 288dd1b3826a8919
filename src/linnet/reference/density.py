r"""Densities and the Bayes classifiers made of them (M-08 to M-11, M-106).

Problem
    Estimate p(x) from a sample, and with one density a class decide by the largest
    ln p(k) + ln p(x | k) (M-01).
Given
    X (M, J), y in 0..K-1.
Returned
    Log densities and log joints.

Normal density (S1 Eq. 7-19; the sign and the square of A-43 put right):
    ln N(x; mu, S) = -1/2 ln |2 pi S| - 1/2 (x - mu)' S^-1 (x - mu)
Its maximum likelihood estimate is the mean and (1/M) sum (x - mu)(x - mu)'. The classifier may use

    "full"             one S a class
    "diagonal"         its diagonal
    "pooled"           S = sum_k (M_k / M) S_k
    "pooled-diagonal"  its diagonal

Parzen windows: p(x) = (1/M) sum_i h^-J phi((x - x_i) / h), where phi is the cube of side 1 or the
normal density.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from linnet.errors import DataError, ParameterError
from linnet.reference.common import FloatArray, IntArray, check_classes

__all__ = [
    "BayesClassifier",
    "Covariance",
    "fit_normal",
    "gaussian_bayes",
    "normal",
    "parzen",
    "parzen_joint",
]

Covariance = Literal["full", "diagonal", "pooled", "pooled-diagonal"]


def fit_normal(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean (J,) and covariance (J, J) of largest likelihood.

    Examples
    --------
    >>> fit_normal(np.array([[1.0], [2.0], [3.0], [4.0]]))
    (array([2.5]), array([[1.25]]))
    """
    mean = X.mean(axis=0)
    return mean, (X - mean).T @ (X - mean) / len(X)


def normal(X: FloatArray, mean: FloatArray, covariance: FloatArray) -> FloatArray:
    """Return ln N(x; mean, covariance) of each row.

    Examples
    --------
    >>> normal(np.zeros((1, 1)), np.zeros(1), np.eye(1)).round(6)
    array([-0.918939])
    """
    sign, log_det = np.linalg.slogdet(2 * np.pi * covariance)
    if sign <= 0 or np.linalg.matrix_rank(covariance) < len(mean):
        raise DataError("the covariance is singular and has no density: use ridge > 0")
    away = X - mean
    squares = (away * np.linalg.solve(covariance, away.T).T).sum(axis=1)
    density: FloatArray = -0.5 * (log_det + squares)
    return density


@dataclass(frozen=True)
class BayesClassifier:
    """log_prior (K,), means (K, J), covariances (K, J, J)."""

    log_prior: FloatArray
    means: FloatArray
    covariances: FloatArray

    def scores(self, X: FloatArray) -> FloatArray:
        """Log joint ln p(x, k) for each row: (M, K)."""
        parts = zip(self.means, self.covariances, strict=True)
        densities = [normal(X, mean, covariance) for mean, covariance in parts]
        scores: FloatArray = self.log_prior + np.column_stack(densities)
        return scores

    def linear(self) -> tuple[FloatArray, FloatArray]:
        """Weights (J, K) and bias (K,); needs one covariance for all classes (M-11)."""
        if np.ptp(self.covariances, axis=0).any():
            raise ParameterError("the covariances differ: the boundary is quadratic, not linear")
        weights = np.linalg.solve(self.covariances[0], self.means.T)
        return weights, self.log_prior - (self.means.T * weights).sum(axis=0) / 2


def gaussian_bayes(
    X: FloatArray,
    y: IntArray,
    n_classes: int,
    *,
    covariance: Covariance = "full",
    ridge: float = 0.0,
) -> BayesClassifier:
    """Estimate priors, means and covariances; `ridge` is added to every variance.

    Examples
    --------
    >>> X, y = np.array([[0.0], [2.0], [5.0], [7.0]]), np.array([0, 0, 1, 1])
    >>> gaussian_bayes(X, y, 2).covariances.ravel()
    array([1., 1.])
    """
    check_classes(X, y, n_classes)
    if covariance not in ("full", "diagonal", "pooled", "pooled-diagonal"):
        raise ParameterError(f"covariance={covariance!r} is not one of the four kinds")
    size = np.bincount(y, minlength=n_classes)
    if not size.all():
        raise DataError(f"class {int(np.argmin(size))} has no examples, so it has no mean")
    fits = [fit_normal(X[y == k]) for k in range(n_classes)]
    means, covariances = np.stack([mean for mean, _ in fits]), np.stack([S for _, S in fits])
    if covariance.startswith("pooled"):
        covariances = np.broadcast_to(
            np.tensordot(size / len(y), covariances, axes=1), covariances.shape
        )
    if covariance.endswith("diagonal"):
        covariances = covariances * np.eye(X.shape[1])
    return BayesClassifier(np.log(size / len(y)), means, covariances + ridge * np.eye(X.shape[1]))


def parzen(
    X: FloatArray, sample: FloatArray, h: float, window: Literal["gaussian", "hypercube"]
) -> FloatArray:
    """Return p(x) of each row, as the formula has it.

    Examples
    --------
    >>> parzen(np.array([[0.5]]), np.array([[0.0], [1.0]]), 1.0, "gaussian").round(6)
    array([0.352065])
    """
    J = X.shape[1]
    u = (X[:, None, :] - sample) / h
    if window == "hypercube":
        phi = (np.abs(u) <= 0.5).all(axis=2).astype(np.float64)
    else:
        phi = np.exp(-0.5 * (u**2).sum(axis=2)) / (2 * np.pi) ** (J / 2)
    density: FloatArray = phi.mean(axis=1) / h**J
    return density


def parzen_joint(
    X: FloatArray,
    sample: FloatArray,
    y: IntArray,
    n_classes: int,
    h: float,
    window: Literal["gaussian", "hypercube"] = "gaussian",
) -> FloatArray:
    """Return p(x, k) = p(k) p(x | k) for each row: (M, K).

    Examples
    --------
    >>> sample, y = np.array([[0.0], [4.0]]), np.array([0, 1])
    >>> parzen_joint(np.array([[1.0]]), sample, y, 2, 1.0).argmax(axis=1)
    array([0])
    """
    check_classes(sample, y, n_classes)
    share = np.bincount(y, minlength=n_classes) / len(y)
    parts = [parzen(X, sample[y == k], h, window) for k in range(n_classes)]
    joint: FloatArray = share * np.column_stack(parts)
    return joint
