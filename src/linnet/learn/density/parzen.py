"""Parzen windows: a density without parameters (SPEC M-106, A-51).

Problem: estimate p(x) from a sample x_1 … x_n without assuming its shape, and decide with it.

    p(x) = (1/n) sum_i h^-J phi((x - x_i) / h)

    hypercube  phi(u) = 1 where every |u_j| <= 1/2, else 0
    gaussian   phi(u) = (2 pi)^(-J/2) exp(-|u|^2 / 2)

Given: the sample, or one for each class, and the width h. Returned: ln p(x), and by Bayes' rule
(M-01) the class of largest p(k) p(x | k). As h goes to 0 the Gaussian window decides like the
nearest neighbour; as it grows, like the priors.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.density.reasons import window_reasons
from linnet.learn.shared.checks import LARGEST, sample_weights
from linnet.learn.shared.declaration import Declaration
from linnet.learn.shared.drawing import draw
from linnet.learn.shared.generative import Floats, Generative, log
from linnet.learn.shared.inputs import LARGE, ClassWeight, Features, bag_vocabulary
from linnet.learn.shared.reasons import Named, Reasons
from linnet.stored import Array, Fields

__all__ = ["ParzenWindows", "parzen_log_density"]

Window = Literal["gaussian", "hypercube"]
_BLOCK = 1 << 21  # distances at a time
_FARTHEST = 1e154  # in windows; its square can still be held


def parzen_log_density(
    X: ArrayLike,
    sample: ArrayLike,
    h: float,
    window: Window = "gaussian",
    sample_weight: Any = None,
) -> Floats:
    """Return ln p(x) of each row of X under the windows of a sample.

    Parameters
    ----------
    X : array of shape (m, J)
    sample : array of shape (n, J)
    h : float
        The width of the windows.
    window : {"gaussian", "hypercube"}, default "gaussian"
    sample_weight : array of shape (n,), optional
        How often each example of the sample counts.

    Returns
    -------
    array of shape (m,)
        Natural logarithms; -inf where no hypercube reaches.

    Examples
    --------
    >>> np.exp(parzen_log_density([[0.5]], [[0.0], [1.0]], h=1.0)).round(6).tolist()
    [0.352065]
    """
    _check_window(h, window)
    rows, points = _points("X", X), _points("The sample", sample)
    if rows.shape[1] != points.shape[1]:
        raise DataError(f"X has {rows.shape[1]} features, the sample has {points.shape[1]}.")
    return _log_density(rows, points, sample_weights(sample_weight, len(points)), h, window)


def _log_density(rows: Floats, points: Floats, weights: Floats, h: float, window: Window) -> Floats:
    from scipy.spatial.distance import cdist

    h, width = float(h), rows.shape[1]
    share = log(weights / weights.sum())
    out = np.empty(len(rows))
    step = max(1, _BLOCK // len(points))
    for first in range(0, len(rows), step):
        block = rows[first : first + step]
        if window == "hypercube":
            inside = cdist(block, points, "chebyshev") <= h / 2
            out[first : first + step] = log(inside @ np.exp(share))
        else:
            with np.errstate(over="ignore"):
                distance = cdist(block, points) / h
            out[first : first + step] = _log_mean_exp(distance, share)
    scale = width * np.log(h)
    if window == "gaussian":
        scale += width * np.log(2 * np.pi) / 2
    return np.asarray(out - scale)


def _log_mean_exp(distance: Floats, share: Floats) -> Floats:
    """Return ln sum_i exp(share_i - distance_i^2 / 2) for each row, however far the points are."""
    distance = np.minimum(distance, _FARTHEST)
    near = np.where(np.isneginf(share), _FARTHEST, distance).min(axis=1, keepdims=True)
    with np.errstate(over="ignore"):
        # the difference of squares as a product keeps the digits that tell near points apart
        terms = share - (distance - near) * (distance + near) / 2
        top = terms.max(axis=1)
        return np.asarray(-(near[:, 0] ** 2) / 2 + top + np.log(np.exp(terms.T - top).sum(axis=0)))


class ParzenWindows(Generative):
    """Bayes classifier with a Parzen density for each class.

    Parameters
    ----------
    h : float, default 1.0
        The width of the windows, in units of the features.
    window : {"gaussian", "hypercube"}, default "gaussian"
    fit_prior : bool, default True
        Estimate the class priors; False takes them as equal.
    class_prior : array of shape (K,), optional
        Given priors.
    class_weight : dict, "balanced" or None
    classes : list of labels, optional
        The labels in the order in which ``classes_``, scores and probabilities have them; sorted by
        default. Ties go to the first of them.
        How often an example of each class counts.
    n_threads : int, optional
        For reading X. The result does not depend on it.

    Attributes
    ----------
    classes_ : array of shape (K,)
    class_count_, class_log_prior_ : arrays of shape (K,)
    sample_ : array of shape (n, J)
        The training examples, which are the model.
    sample_label_, sample_weight_ : arrays of shape (n,)
        The class number and the weight of each.
    history_, n_iter_, optimality_
        There is nothing to optimise; the objective is not defined (NaN).

    Examples
    --------
    >>> model = ParzenWindows(h=1.0).fit([[0.0], [1.0], [4.0]], ["low", "low", "high"])
    >>> model.predict([[2.0], [3.5]]).tolist()
    ['low', 'high']
    """

    stored: ClassVar[Fields] = {
        "sample_": Array("f8", "n J"),
        "sample_label_": Array("i4", "n", 0, "K-1"),
        "sample_weight_": Array("f8", "n", low=1e-100),
    }
    properties = MappingProxyType(
        {
            **Generative.properties,
            "boundary": "any",
            "misspecified": "good",
            "training": "none",
            "independence": "none",
        }
    )
    declaration: ClassVar[Declaration] = Declaration(
        short="parzen",
        place=16,
        reads="numbers",
        linear=False,
        training="pairs",
        compared=None,
        shown={"Parzen windows": {"h": 0.5}},
    )
    _statistics = ()
    _takes_squares = True

    sample_: Floats
    sample_label_: NDArray[np.int32]
    sample_weight_: Floats

    def __init__(
        self,
        h: float = 1.0,
        window: Window = "gaussian",
        *,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        class_weight: ClassWeight = None,
        classes: Any = None,
        n_threads: int | None = None,
    ) -> None:
        self.h = h
        self.window = window
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.class_weight = class_weight
        self.classes = classes
        self.n_threads = n_threads

    def _check_parameters(self) -> None:
        _check_window(self.h, self.window)

    def _check_loaded(self) -> None:
        super()._check_loaded()
        present = np.bincount(self.sample_label_, minlength=len(self.classes_)) > 0
        if (present != (self.class_count_ > 0)).any():
            raise DataError("the classes of the examples are not those that were counted")

    def _prepare(self, features: Features) -> Features:
        return features

    def _start(self, classes: NDArray[Any]) -> None:
        super()._start(classes)
        self.sample_ = np.empty((0, self.n_features_in_))
        self.sample_label_ = np.empty(0, np.int32)
        self.sample_weight_ = np.empty(0)

    def _add_features(self, bags: Any) -> None:
        known = set(self.vocabulary_)
        more = sum(name not in known for name in bag_vocabulary(bags))
        super()._add_features(bags)
        self.sample_ = np.pad(self.sample_, ((0, 0), (0, more)))

    def _add(self, features: Features, gold: NDArray[np.int32], weights: Floats) -> None:
        counted = weights > 0
        rows = features.csr[counted].toarray().astype(np.float64)
        self.sample_ = np.vstack([self.sample_, rows])
        self.sample_label_ = np.append(self.sample_label_, gold[counted])
        self.sample_weight_ = np.append(self.sample_weight_, weights[counted])
        self.class_count_ = self.class_count_ + np.bincount(gold, weights, len(self.classes_))

    def _estimate(self) -> float:
        return np.nan

    def predict_log_density(self, X: Any) -> Floats:
        """Return ln p(x | k) for each row and class, shape (n, K); -inf without examples."""
        self._require_fitted("class_log_prior_")
        return self._densities(self._read(X, reset=False))

    def _joint(self, features: Features) -> Floats:
        return self._densities(features) + self.class_log_prior_

    def _densities(self, features: Features) -> Floats:
        """Return ln p(x | k), shape (n, K)."""
        rows = features.csr.toarray().astype(np.float64)
        density = np.full((features.rows, len(self.classes_)), -np.inf)
        for k in np.flatnonzero(self.class_count_ > 0):
            own = self.sample_label_ == k
            density[:, k] = _log_density(
                rows, self.sample_[own], self.sample_weight_[own], self.h, self.window
            )
        return density

    def _reasons(self, inputs: Any, k: int, other: int, named: Named) -> Reasons:
        return window_reasons(self, inputs)

    def _draw(self, rng: np.random.Generator, gold: NDArray[np.int64]) -> Floats:
        """Return examples of the classes, each moved within its window."""
        weights = self.sample_weight_ * (
            self.sample_label_ == np.arange(len(self.classes_))[:, None]
        )
        centres = self.sample_[draw(rng, weights, gold)]
        if self.window == "gaussian":
            return np.asarray(centres + self.h * rng.standard_normal(centres.shape))
        return np.asarray(centres + self.h * (rng.random(centres.shape) - 0.5))


def _check_window(h: Any, window: Any) -> None:
    if not isinstance(h, (int, float, np.number)) or not 0 < h <= LARGEST:
        raise ParameterError(f"h, the width of the windows, must be positive, got {h!r}.")
    if window not in ("gaussian", "hypercube"):
        raise ParameterError(f"window must be 'gaussian' or 'hypercube', got {window!r}.")


def _points(what: str, X: ArrayLike) -> Floats:
    try:
        points = np.atleast_2d(np.asarray(X, dtype=np.float64))
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{what} must hold numbers: {error}.") from None
    if points.ndim != 2 or points.size == 0 or not np.isfinite(points).all():
        raise DataError(f"{what} must have finite rows, one for each point.")
    if np.abs(points).max() > LARGE:
        raise DataError(f"{what} has values above {LARGE:g}, whose squares overflow; scale it.")
    return points
