"""Covariance matrices: their inverses in factored form, checked, and rows to multiply with.

A covariance S = L L' is used through A = L^-1: the squared distance of x from mu is |A (x - mu)|^2
and ln |S| = 2 sum ln L_jj. The factor is taken of the correlations, so that the units of the
features do not decide what counts as singular (SPEC M-09).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.shared.inputs import Features

__all__ = [
    "LEAST_VARIANCE",
    "SingularCovariance",
    "add_products",
    "dense_blocks",
    "fitting_covariance",
    "given_covariance",
    "whiten",
]

Floats = NDArray[np.float64]
_SINGULAR = 1e-12  # the least share of a variance that the earlier features must leave unexplained
_BLOCK = 1 << 22  # numbers of a dense block of rows
LEAST_VARIANCE = 1e-290  # whose inverse, and multiples of it, can be held


class SingularCovariance(DataError):
    """A covariance has no inverse; ``feature`` says which variable is a sum of those before it."""

    def __init__(self, feature: int, constant: bool) -> None:
        self.feature, self.constant = feature, constant
        super().__init__(self.reason(f"feature {feature}"))

    def reason(self, name: str) -> str:
        """Return what is wrong, with the feature called `name`."""
        how = (
            "is constant, or nearly"
            if self.constant
            else "is a linear combination of those before it"
        )
        return f"The covariance is singular: {name} {how}. Remove it, or pass ridge > 0."


def whiten(covariance: Floats, mean: Floats | None = None) -> tuple[Floats, float]:
    """Return the matrix A with A'A = covariance^-1, lower triangular, and ln |covariance|.

    Parameters
    ----------
    covariance : array of shape (J, J)
    mean : array of shape (J,), optional
        Tells a variance of nothing but rounding errors from a small one.

    Raises
    ------
    SingularCovariance
        When the matrix is not positive definite to working precision.

    Examples
    --------
    >>> A, log_det = whiten(np.diag([4.0, 1.0]))
    >>> A.tolist(), round(log_det, 6)
    ([[0.5, 0.0], [0.0, 1.0]], 1.386294)
    """
    variance = np.diag(covariance)
    floor = 0.0 if mean is None else (1e-13 * mean) ** 2
    flat = ~(variance > np.maximum(floor, LEAST_VARIANCE))
    if flat.any():
        raise SingularCovariance(int(flat.argmax()), constant=True)
    deviation = np.sqrt(variance)
    correlation = covariance / deviation / deviation[:, None]
    lower = _cholesky(correlation)
    log_det = 2 * float(np.log(np.diag(lower)).sum() + np.log(deviation).sum())
    return np.tril(np.linalg.inv(lower)) / deviation, log_det


def _cholesky(correlation: Floats) -> Floats:
    """Return the Cholesky factor, or name the first variable that the earlier ones determine."""
    try:
        lower = np.linalg.cholesky(correlation).astype(np.float64)
        left = np.diag(lower) ** 2
    except np.linalg.LinAlgError:
        left = _left_over(correlation)
    if (left <= _SINGULAR).any():
        raise SingularCovariance(int((left <= _SINGULAR).argmax()), constant=False)
    return lower


def _left_over(correlation: Floats) -> Floats:
    """Return the share of each variance that the variables before it leave, up to the first 0."""
    size = len(correlation)
    left, work = np.ones(size), correlation.copy()
    for j in range(size):
        left[j] = work[j, j]
        if left[j] <= _SINGULAR:
            break
        work[j + 1 :, j + 1 :] -= np.outer(work[j + 1 :, j], work[j, j + 1 :]) / work[j, j]
    else:
        left[-1] = 0.0  # not positive definite by a rounding error
    return left


def dense_blocks(features: Features) -> Iterator[tuple[int, Floats]]:
    """Yield (first row, dense rows): sparse rows are spread out a block at a time."""
    step = max(1, _BLOCK // features.cols)
    for first in range(0, features.rows, step):
        yield first, features.csr[first : first + step].toarray().astype(np.float64)


def given_covariance(covariance: Any) -> Floats:
    """Return a given covariance as an array after checking what does not need the data."""
    try:
        given = np.array(covariance, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(f"covariance must hold numbers: {error}.") from None
    if given.ndim > 3 or not given.size or not np.isfinite(given).all():
        raise ParameterError("a given covariance must be finite and have at most three axes.")
    if given.ndim < 2:
        if not (given > 0).all():
            raise ParameterError("given variances must be positive.")
        return given
    if given.shape[-1] != given.shape[-2] or not np.allclose(given, np.swapaxes(given, -1, -2)):
        raise ParameterError("a given covariance matrix must be square and symmetric.")
    for matrix in given.reshape(-1, *given.shape[-2:]):
        try:
            whiten(matrix)
        except SingularCovariance:
            raise ParameterError("a given covariance matrix must be positive definite.") from None
    return given


def fitting_covariance(covariance: Any, n_classes: int, width: int) -> Floats:
    """Return a given covariance after checking that it fits the data; a number becomes (J,)."""
    given = given_covariance(covariance)
    if given.ndim == 0:
        return np.full(width, float(given))
    if given.shape not in ((width,), (width, width), (n_classes, width, width)):
        raise ParameterError(
            f"covariance has shape {given.shape}; {width} features and {n_classes} classes "
            f"need ({width},), ({width}, {width}) or ({n_classes}, {width}, {width})."
        )
    return given


def add_products(
    features: Features, gold: NDArray[np.int32], weights: Floats, mean: Floats, out: Floats
) -> None:
    """Add to out[k] the weighted sum of (x - mean[k])(x - mean[k])' over the rows of class k."""
    for first, rows in dense_blocks(features):
        own = slice(first, first + len(rows))
        labels = gold[own]
        centred = (rows - mean[labels]) * np.sqrt(weights[own])[:, None]
        for k in np.unique(labels):
            part = centred[labels == k]
            out[k] += part.T @ part
