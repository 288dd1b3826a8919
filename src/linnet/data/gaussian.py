"""Classes that are Gaussian clouds, and the best any classifier can do on them (SPEC D-01, M-14).

Class y has prior p(y) and points x ~ N(mu_y, v_y I), with one variance v_y for all J features.
The best decision is the largest of

    g_y(x) = ln p(y) - J/2 ln(2 pi v_y) - ||x - mu_y||^2 / (2 v_y).

When all variances equal v this is linear: g_y(x) = b_y + w_y . x + (terms common to all classes)
with w_y = mu_y / v and b_y = ln p(y) - ||mu_y||^2 / (2 v). Otherwise the boundary between two
classes is a sphere.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import ParameterError

__all__ = ["SimpleDataSet", "make_gaussians"]

Array = NDArray[np.float64]


def make_gaussians(
    n: int,
    means: ArrayLike,
    variances: ArrayLike = 1.0,
    priors: ArrayLike | None = None,
    seed: int | None = 0,
    draw_classes: bool = False,
) -> tuple[Array, NDArray[np.int64]]:
    """Draw points from Gaussian classes with covariance v I.

    Parameters
    ----------
    n : int
        Number of points.
    means : array of shape (K, J)
        One mean a class.
    variances : float or array of shape (K,)
        One variance (not standard deviation) a class.
    priors : array of shape (K,), optional
        Shares of the classes, equal by default.
    seed : int or None
        The same seed gives the same points; None draws a fresh one.
    draw_classes : bool
        Draw each class from the priors instead of fixing the class counts, which are otherwise
        the shares of `n` rounded down, the last class taking the rest (SPEC A-81).

    Returns
    -------
    X : array of shape (n, J)
    y : array of shape (n,)
        Classes 0..K-1, in random order.

    Examples
    --------
    >>> X, y = make_gaussians(10, means=[[-1, -1], [1, 1]], variances=0.25, priors=[0.3, 0.7])
    >>> X.shape, np.bincount(y).tolist()
    ((10, 2), [3, 7])
    """
    mu, v, p = _checked_classes(means, variances, priors)
    if n < 0:
        raise ParameterError(f"the number of points must not be negative, got {n}")
    rng = np.random.default_rng(seed)
    if draw_classes:
        y = rng.choice(len(mu), size=n, p=p)
    else:
        ends = (n * np.cumsum(p)[:-1]).astype(np.int64)
        counts = np.diff(ends, prepend=0, append=n)
        y = rng.permutation(np.repeat(np.arange(len(mu)), counts))
    X = mu[y] + np.sqrt(v)[y, None] * rng.standard_normal((n, mu.shape[1]))
    return X, y.astype(np.int64)


def _checked_classes(
    means: ArrayLike, variances: ArrayLike, priors: ArrayLike | None
) -> tuple[Array, Array, Array]:
    """Return means (K, J), variances (K,) and priors (K,), all usable."""
    mu = np.asarray(means, dtype=np.float64)
    if mu.ndim != 2 or mu.size == 0 or not np.isfinite(mu).all():
        raise ParameterError(f"means must be one finite row a class, got shape {mu.shape}")
    classes = len(mu)
    try:
        v = np.broadcast_to(np.asarray(variances, dtype=np.float64), (classes,))
        share = np.full(classes, 1 / classes) if priors is None else priors
        p = np.broadcast_to(np.asarray(share, dtype=np.float64), (classes,))
    except ValueError as error:
        raise ParameterError(f"expected {classes} variances and {classes} priors") from error
    if not (np.isfinite(v).all() and (v > 0).all()):
        raise ParameterError(f"variances must be positive and finite, got {v.tolist()}")
    if not ((p >= 0).all() and abs(p.sum() - 1) <= 1e-9):
        raise ParameterError(f"priors must be shares that sum to 1, got {p.tolist()}")
    return mu, v, p


class SimpleDataSet:
    """Two Gaussian classes, cut into training, development and test parts (S0, Exercise 1.1).

    Parameters
    ----------
    nr_examples : int
        Number of points in all three parts together (SPEC A-06).
    g1, g2 : (mean, variance)
        The two classes; the second entry is the variance, not the standard deviation (A-07).
    balance : float
        Share of the first class: int(nr_examples * balance) points.
    split : (train, dev, test)
        Shares of the parts. Points are in random order; the training part is the first
        int(n * train) of them, the development part goes up to int(n * (train + dev)), and the
        test part is the rest.
    seed : int or None
        The same seed gives the same data; None draws a fresh one.
    draw_classes : bool
        Draw each point's class at random instead of fixing the class counts (A-81).

    Attributes
    ----------
    train_X, dev_X, test_X : arrays of shape (points, features)
    train_y, dev_y, test_y : arrays of shape (points,)
        0 for the first class, 1 for the second (A-79). Each name also exists in lower case.
    means, variances, priors : arrays of shape (2, features), (2,), (2,)
        The true distribution.

    Examples
    --------
    >>> data = SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5,
    ...                      split=[0.5, 0, 0.5])
    >>> data.train_X.shape, data.dev_X.shape, data.test_X.shape
    ((50, 2), (0, 2), (50, 2))
    >>> round(data.bayes_error(), 6)
    0.07865
    """

    def __init__(
        self,
        nr_examples: int = 100,
        g1: Sequence[Any] = ((-1.0, -1.0), 1.0),
        g2: Sequence[Any] = ((1.0, 1.0), 1.0),
        balance: float = 0.5,
        split: Sequence[float] = (0.5, 0.0, 0.5),
        seed: int | None = 0,
        draw_classes: bool = False,
    ) -> None:
        if not 0 <= balance <= 1:
            raise ParameterError(f"balance is the first class's share, 0 to 1, got {balance}")
        means, variances = _two_gaussians(g1, g2)
        priors = [balance, 1 - balance]
        self.means, self.variances, self.priors = _checked_classes(means, variances, priors)
        X, y = make_gaussians(nr_examples, means, variances, priors, seed, draw_classes)
        first, second = _cuts(nr_examples, split)
        self.train_X, self.dev_X, self.test_X = np.split(X, [first, second])
        self.train_y, self.dev_y, self.test_y = np.split(y, [first, second])
        self.train_x, self.dev_x, self.test_x = self.train_X, self.dev_X, self.test_X

    def scores(self, X: ArrayLike) -> Array:
        """Return the true ln p(x, y): an array of shape (points, 2).

        The Bayes-optimal class is the larger column, and their difference is zero on the
        optimal boundary, whatever the variances (A-10).
        """
        points = np.asarray(X, dtype=np.float64)
        squared = ((points[:, None, :] - self.means) ** 2).sum(axis=2)
        with np.errstate(divide="ignore"):
            prior = np.log(self.priors)
        width = np.log(2 * np.pi * self.variances) * self.means.shape[1]
        scores: Array = prior - 0.5 * (width + squared / self.variances)
        return scores

    def get_bayes_optimal(self) -> Array:
        """Return the optimal classifier as parameters of shape (features + 1, 2), bias first.

        Raises
        ------
        ParameterError
            When the variances differ: the optimal boundary is then a circle, which no linear
            parameters describe (:meth:`scores` does). Also when a class has no share at all.
        """
        v1, v2 = self.variances.tolist()
        if v1 != v2:
            raise ParameterError(
                f"the variances {v1:g} and {v2:g} differ, so the optimal boundary is a circle and "
                "has no linear parameters; use scores(X), or give both classes one variance"
            )
        if not self.priors.all():
            raise ParameterError("one class has no share, so there is no boundary; change balance")
        bias = np.log(self.priors) - (self.means**2).sum(axis=1) / (2 * v1)
        return np.vstack([bias, self.means.T / v1])

    def bayes_error(self) -> float:
        """Return the exact error rate of the optimal decision, the least any classifier can have.

        For equal variances it follows from the normal distribution of the distance to the
        boundary; for unequal ones from the non-central chi-squared distribution of the squared
        distance to the boundary's centre.
        """
        p1, p2 = self.priors.tolist()
        if min(p1, p2) == 0:
            return 0.0
        if self.variances[0] == self.variances[1]:
            return self._error_of_plane(p1, p2)
        return self._error_of_sphere(p1, p2)

    def _error_of_plane(self, p1: float, p2: float) -> float:
        from scipy.special import ndtr

        distance = float(np.linalg.norm(self.means[1] - self.means[0]))
        if distance == 0:
            return min(p1, p2)
        half = distance / (2 * sqrt(self.variances[0]))  # in standard deviations
        shift = log(p1 / p2) / (2 * half)
        return float(p1 * ndtr(-half - shift) + p2 * ndtr(-half + shift))

    def _error_of_sphere(self, p1: float, p2: float) -> float:
        from scipy.special import chndtr

        mu, v, features = self.means, self.variances, self.means.shape[1]
        narrow, wide = (0, 1) if v[0] < v[1] else (1, 0)  # the narrow class owns the inside
        bend = 1 / v[narrow] - 1 / v[wide]
        centre = (mu[narrow] / v[narrow] - mu[wide] / v[wide]) / bend
        at_centre = self.scores(centre[None, :])[0]
        radius2 = 2 * (at_centre[narrow] - at_centre[wide]) / bend
        if radius2 <= 0:  # the narrow class is never the more probable one
            return float(self.priors[narrow])
        inside = [
            chndtr(radius2 / v[k], features, ((mu[k] - centre) ** 2).sum() / v[k]) for k in (0, 1)
        ]
        return float(self.priors[narrow] * (1 - inside[narrow]) + self.priors[wide] * inside[wide])

    def plot_data(self, bayes: bool = True) -> tuple[Any, Any]:
        """Plot the points, with the optimal boundary unless told otherwise; return (fig, axis)."""
        from linnet.explain.plots import plot_simple_data

        result: tuple[Any, Any] = plot_simple_data(self, bayes=bayes)
        return result

    def add_line(
        self, fig: Any, axis: Any, params: ArrayLike, name: str, colour: str
    ) -> tuple[Any, Any]:
        """Add a linear classifier's boundary to a plot of :meth:`plot_data`; return (fig, axis)."""
        from linnet.explain.plots import add_line

        result: tuple[Any, Any] = add_line(fig, axis, params, name, colour)
        return result


def _two_gaussians(g1: Sequence[Any], g2: Sequence[Any]) -> tuple[Array, Array]:
    try:
        (mean1, variance1), (mean2, variance2) = g1, g2
        means = np.array([mean1, mean2], dtype=np.float64)
        variances = np.array([variance1, variance2], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"g1 and g2 must be [mean, variance] with means of one length, got {g1!r}, {g2!r}"
        ) from error
    return means, variances


def _cuts(n: int, split: Sequence[float]) -> tuple[int, int]:
    """Return where the development part and the test part begin."""
    shares = [float(share) for share in split]
    if len(shares) != 3 or not all(share >= 0 for share in shares) or sum(shares) > 1 + 1e-9:
        raise ParameterError(f"split must be three shares that sum to at most 1, got {shares}")
    return min(n, int(n * shares[0])), min(n, int(n * (shares[0] + shares[1])))
