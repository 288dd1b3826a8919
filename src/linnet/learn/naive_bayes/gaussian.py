"""Naive Bayes with normal features (SPEC M-08, M-12, M-13).

Problem: maximise sum_i ln p(x_i, y_i) with p(x, k) = p(k) prod_j N(x_j; mu_kj, v_kj).

Given: real features, classes, and which variances may differ. Returned, in closed form
(S0 Eq 1.8, S1 Eq 9 - 19): p(k) the share of class k, mu_kj its mean, and

    "per-class"    v_kj = mean squared deviation within class k       quadratic boundary
    "per-feature"  v_kj = v_j, over all classes                       linear boundary
    "shared"       v_kj = v, over all classes and features            linear boundary
    a number       v_kj = that number (S0 Section 1.2.1)              linear boundary

Deviations are from the class mean; sums are divided by the number of examples, not one less. The
linear form is w_kj = mu_kj / v_j, b_k = ln p(k) - sum_j mu_kj^2 / (2 v_j) (S0 Exercise 1.3).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.density.covariance import LEAST_VARIANCE
from linnet.learn.density.reasons import gaussian_reasons
from linnet.learn.shared.checks import LARGEST
from linnet.learn.shared.declaration import Declaration
from linnet.learn.shared.generative import Floats, Generative, require_not_negative
from linnet.learn.shared.inputs import ClassWeight, Features
from linnet.learn.shared.reasons import Named, Reasons
from linnet.stored import Array, Fields, Number

__all__ = ["GaussianNB"]


class GaussianNB(Generative):
    """Naive Bayes with a normal density for each class and feature.

    Parameters
    ----------
    variance : {"per-class", "per-feature", "shared"} or float, default "per-class"
        Which variances are estimated, or the one that is given for all.
    var_smoothing : float, default 1e-9
        This share of the largest variance of a feature over all data is added to each estimated
        variance, so that a constant feature does no harm; 0 is plain maximum likelihood.
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
        None is all cores. The result does not depend on it.

    Attributes
    ----------
    classes_ : array of shape (K,)
    class_count_, class_log_prior_ : arrays of shape (K,)
    theta_, var_ : arrays of shape (K, J)
        Means and variances.
    deviation_ : array of shape (K, J)
        Sums of squared deviations from the means.
    epsilon_ : float
        What was added to each variance.
    coef_, intercept_ : arrays of shape (K, J) and (K,); for two classes (1, J) and (1,)
        The linear form; absent for ``variance="per-class"``, whose boundary is quadratic.
    history_ : dict
        One row: the objective, minus the joint log-likelihood, and seconds.
    n_iter_, optimality_ : 1 and 0.0, for the estimate is a closed form

    Examples
    --------
    >>> X = [[-1.0, 0.0], [-2.0, 1.0], [1.0, 0.0], [2.0, 1.0]]
    >>> model = GaussianNB(variance=1.0).fit(X, ["left", "left", "right", "right"])
    >>> model.coef_.tolist(), model.intercept_.tolist()
    ([[3.0, 0.0]], [0.0])
    >>> model.predict([[0.5, 7.0]]).tolist()
    ['right']
    """

    stored: ClassVar[Fields] = {
        "theta_": Array("f8", "K J"),
        "deviation_": Array("f8", "K J", low=0),
        "var_": Array("f8", "K J", low=1e-100, beyond=(0.0,)),
        "epsilon_": Number(low=0),
    }
    _takes_squares = True
    properties = MappingProxyType(
        {**Generative.properties, "boundary": "linear; quadratic with variances per class"}
    )
    declaration: ClassVar[Declaration] = Declaration(
        place=12,
        reads="numbers",
        training="counts",
        compared=None,
        shown={
            "naive Bayes, one variance": {"variance": "shared"},
            "naive Bayes, variances per class": {},
        },
    )
    _statistics = ("theta_", "deviation_")

    theta_: Floats
    var_: Floats
    deviation_: Floats
    epsilon_: float

    def __init__(
        self,
        variance: Literal["per-class", "per-feature", "shared"] | float = "per-class",
        *,
        var_smoothing: float = 1e-9,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        class_weight: ClassWeight = None,
        classes: Any = None,
        n_threads: int | None = None,
    ) -> None:
        self.variance = variance
        self.var_smoothing = var_smoothing
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.class_weight = class_weight
        self.classes = classes
        self.n_threads = n_threads

    def _check_parameters(self) -> None:
        given = self.variance
        if isinstance(given, str):
            allowed = given in ("per-class", "per-feature", "shared")
        else:
            allowed = isinstance(given, (int, float, np.number)) and 0 < given <= LARGEST
        if not allowed:
            raise ParameterError(
                "variance must be 'per-class', 'per-feature', 'shared' or a positive number, "
                f"got {given!r}."
            )
        require_not_negative("var_smoothing", self.var_smoothing)

    def _prepare(self, features: Features) -> Features:
        return features

    def _add(self, features: Features, gold: NDArray[np.int32], weights: Floats) -> None:
        """Merge the means and deviations of a piece into those of what came before."""
        shape, threads = self.theta_.shape, self._threads()
        count = np.bincount(gold, weights, shape[0]).astype(np.float64)
        mean, deviation = np.empty(shape), np.empty(shape)
        _core.count(features.matrix, gold, weights, mean, threads)
        mean /= np.where(count > 0, count, 1.0)[:, None]
        _core.squared_deviations(features.matrix, gold, weights, mean, count, deviation, threads)
        before, self.class_count_ = self.class_count_, self.class_count_ + count
        share = (count / np.where(self.class_count_ > 0, self.class_count_, 1.0))[:, None]
        shift = mean - self.theta_
        self.deviation_ = self.deviation_ + deviation + before[:, None] * share * shift**2
        self.theta_ = self.theta_ + share * shift

    def _estimate(self) -> float:
        self.__dict__.pop("coef_", None)
        self.__dict__.pop("intercept_", None)
        self.var_ = np.ascontiguousarray(np.broadcast_to(self._variances(), self.theta_.shape))
        if not (self.var_ > LEAST_VARIANCE).all():
            return np.inf
        if self.variance != "per-class":
            offset = (self.theta_**2 / (2 * self.var_)).sum(axis=1)
            self._export(self.theta_ / self.var_, self.class_log_prior_ - offset)
        seen, count = self.class_count_ > 0, self.class_count_[:, None]
        densities = count * np.log(2 * np.pi * self.var_) + self.deviation_ / self.var_
        prior = self.class_count_[seen] @ self.class_log_prior_[seen]
        return float(prior - 0.5 * densities.sum())

    def _check_estimate(self) -> None:
        if not (self.var_ > LEAST_VARIANCE).all():
            k, j = np.argwhere(~(self.var_ > LEAST_VARIANCE))[0]
            raise DataError(
                f"The variance of feature {self.get_feature_names()[j]} in class "
                f"{self.classes_[k]} is {self.var_[k, j]:.3g}, so its density is infinite: remove "
                "the feature, pass var_smoothing > 0 or give the variance."
            )

    def _variances(self) -> Floats:
        """Return the variances in a shape that broadcasts to (K, J)."""
        self.epsilon_ = 0.0
        if not isinstance(self.variance, str):
            return np.array(float(self.variance))
        count, total = self.class_count_[:, None], self.class_count_.sum()
        pooled = self.deviation_.sum(axis=0) / total
        centre = (count * self.theta_).sum(axis=0) / total
        between = (count * (self.theta_ - centre) ** 2).sum(axis=0) / total
        self.epsilon_ = float(self.var_smoothing * (pooled + between).max())
        if self.variance == "per-feature":
            own = pooled
        elif self.variance == "shared":
            own = pooled.mean(keepdims=True)
        else:  # a class without examples yet borrows the variance of the others
            own = np.where(count > 0, self.deviation_ / np.where(count > 0, count, 1.0), pooled)
        return np.asarray(own + self.epsilon_)

    def _joint(self, features: Features) -> Floats:
        joint = np.empty((features.rows, len(self.classes_)))
        _core.gaussian_exponents(
            features.matrix, self.theta_, 1.0 / self.var_, joint, self._threads()
        )
        joint += self.class_log_prior_ - 0.5 * np.log(2 * np.pi * self.var_).sum(axis=1)
        joint[:, self.class_count_ == 0] = -np.inf  # no examples, no density
        return joint

    def _draw(self, rng: np.random.Generator, gold: NDArray[np.int64]) -> Floats:
        noise = rng.standard_normal((len(gold), self.n_features_in_))
        return np.asarray(self.theta_[gold] + noise * np.sqrt(self.var_[gold]))

    @property
    def means_(self) -> Floats:
        """The class means, shape (K, J): S0's name for ``theta_``."""
        self._require_fitted("theta_")
        return self.theta_

    def _why_not_linear(self) -> str:
        by_class = isinstance(self.variance, str) and self.variance == "per-class"
        return "with a variance for each class is not linear" if by_class else ""

    def _terms(self, x: Floats, k: int) -> Floats:
        """Return -½ d_j (Σ⁻¹ d)_j for each feature j of one row."""
        return np.asarray(-0.5 * (x - self.theta_[k]) ** 2 / self.var_[k])

    def _reasons(self, inputs: Any, k: int, other: int, named: Named) -> Reasons:
        return gaussian_reasons(self, inputs, k, other, named)
