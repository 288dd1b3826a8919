"""The normal density and its maximum likelihood estimate (SPEC M-08, M-09, A-43).

Problem: maximise sum_i ln N(x_i; mu, S) with

    ln N(x; mu, v) = -1/2 ln(2 pi v) - (x - mu)^2 / (2 v)                    one variable
    ln N(x; mu, S) = -1/2 ln |2 pi S| - 1/2 (x - mu)' S^-1 (x - mu)          J variables

Given: a sample. Returned: mu the sample mean, v or S the mean squared deviation from it, divided
by the number of examples, not by one less (S1 Eq 7 - 19). S is symmetric and positive
semi-definite; where it is singular there is no density, and ``ridge`` adds a multiple of the
identity. Distances are taken in whitened coordinates z = L^-1 (x - mu), S = L L'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.density.covariance import whiten
from linnet.learn.shared.checks import LARGEST, sample_weights

__all__ = ["MultivariateNormal", "UnivariateNormal", "moments"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class UnivariateNormal:
    """The normal density of one variable.

    Parameters
    ----------
    mean, variance : float

    Examples
    --------
    >>> normal = UnivariateNormal.fit([1, 2, 3, 4])
    >>> normal
    UnivariateNormal(mean=2.5, variance=1.25)
    >>> round(normal.log_likelihood([1, 2, 3, 4]), 6)
    -6.122041
    """

    mean: float
    variance: float

    def __post_init__(self) -> None:
        if not (abs(self.mean) <= LARGEST and 0 < self.variance <= LARGEST):
            raise ParameterError(
                "a normal density needs a finite mean and a positive variance, got "
                f"{self.mean} and {self.variance}."
            )

    @classmethod
    def fit(cls, x: ArrayLike, sample_weight: Any = None) -> UnivariateNormal:
        """Return the most likely normal density of a sample.

        Raises
        ------
        DataError
            When the sample is empty, not finite, or all of one value, whose density is infinite.
        """
        sample = _sample(x, 1)
        weights = sample_weights(sample_weight, len(sample))
        mean, variance = moments(sample[:, None], weights)
        if not variance[0, 0] > (1e-13 * mean[0]) ** 2:
            raise DataError(
                f"All values of the sample are {mean[0]:g}: the most likely variance is 0 and the "
                "density infinite. A second value is needed."
            )
        return cls(float(mean[0]), float(variance[0, 0]))

    def log_density(self, x: ArrayLike) -> Floats:
        """Return ln p(x) for each number, in natural logarithms."""
        square = (np.asarray(x, dtype=np.float64) - self.mean) ** 2
        return np.asarray(-0.5 * (np.log(2 * np.pi * self.variance) + square / self.variance))

    def log_likelihood(self, x: ArrayLike) -> float:
        """Return the sum of ln p(x) over a sample."""
        return float(self.log_density(x).sum())


@dataclass(frozen=True)
class MultivariateNormal:
    """The normal density of J variables.

    Parameters
    ----------
    mean : array of shape (J,)
    covariance : array of shape (J, J)

    Examples
    --------
    >>> normal = MultivariateNormal.fit([[0, 0], [2, 0], [0, 2], [2, 2]])
    >>> normal.mean.tolist(), normal.covariance.tolist()
    ([1.0, 1.0], [[1.0, 0.0], [0.0, 1.0]])
    >>> normal.log_density([[1, 1]]).round(6).tolist()
    [-1.837877]
    """

    mean: Floats
    covariance: Floats

    @classmethod
    def fit(cls, X: ArrayLike, sample_weight: Any = None, ridge: float = 0.0) -> MultivariateNormal:
        """Return the most likely normal density of rows; `ridge` is added to every variance.

        A singular covariance is returned as it is; only :meth:`log_density` refuses it.
        """
        if not 0 <= ridge <= LARGEST:
            raise ParameterError(f"ridge must be a finite number of at least 0, got {ridge!r}.")
        rows = _sample(X, 2)
        mean, covariance = moments(rows, sample_weights(sample_weight, len(rows)))
        return cls(mean, covariance + ridge * np.eye(len(mean)))

    def log_density(self, X: ArrayLike) -> Floats:
        """Return ln p(x) for each row, in natural logarithms.

        Raises
        ------
        DataError
            When the covariance is singular; the message names a variable that causes it.
        """
        rows = np.atleast_2d(np.asarray(X, dtype=np.float64))
        if rows.shape[1] != len(self.mean):
            raise DataError(f"X has {rows.shape[1]} features, the density has {len(self.mean)}.")
        whitening, log_det = whiten(self.covariance, self.mean)
        square = ((rows - self.mean) @ whitening.T) ** 2
        size = len(self.mean) * np.log(2 * np.pi)
        return np.asarray(-0.5 * (size + log_det + square.sum(axis=1)))

    def log_likelihood(self, X: ArrayLike) -> float:
        """Return the sum of ln p(x) over the rows of a sample."""
        return float(self.log_density(X).sum())


def moments(rows: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return mean (J,) and covariance (J, J) of weighted rows; the sum is divided by the weight."""
    total = weights.sum()
    mean = weights @ rows / total
    centred = rows - mean
    return mean, (centred * weights[:, None]).T @ centred / total


def _sample(x: ArrayLike | Sequence[Any], ndim: int) -> Floats:
    try:
        sample = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"A sample must hold numbers: {error}.") from None
    if sample.ndim != ndim or sample.size == 0:
        raise DataError(f"A sample needs {ndim} dimension(s) and values, got shape {sample.shape}.")
    if not np.isfinite(sample).all():
        raise DataError("The sample contains NaN or infinity; remove or replace those values.")
    return sample
