"""Bayes classifier with normal densities of any covariance (SPEC M-09 - M-11, M-14).

Problem: maximise sum_i ln p(x_i, y_i) with p(x, k) = p(k) N(x; mu_k, S_k).

Given: real features, classes, and what the covariances may be. Returned, in closed form (S1
"Parameter estimation"): p(k) the share of class k, mu_k its mean, and with the scatter
T_k = sum over class k of (x - mu_k)(x - mu_k)'

    "full"             S_k = T_k / n_k                          quadratic boundary
    "diagonal"         the diagonal of that                     quadratic boundary
    "pooled"           S = sum_k T_k / n for all classes        linear boundary
    "pooled-diagonal"  the diagonal of that                     linear boundary
    an array           S_k or S as given                        linear if all are the same

The score is ln p(k) - 1/2 ln |2 pi S_k| - 1/2 (x - mu_k)' S_k^-1 (x - mu_k). With one S the square
of x is common to all classes, and the rest is linear: w_k = S^-1 mu_k,
b_k = ln p(k) - 1/2 mu_k' S^-1 mu_k.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.density.covariance import (
    LEAST_VARIANCE,
    SingularCovariance,
    add_products,
    dense_blocks,
    fitting_covariance,
    given_covariance,
    whiten,
)
from linnet.learn.density.reasons import gaussian_reasons
from linnet.learn.shared.declaration import Declaration
from linnet.learn.shared.generative import Floats, Generative, require_not_negative
from linnet.learn.shared.inputs import ClassWeight, Features
from linnet.learn.shared.reasons import Named, Reasons
from linnet.stored import Array, Fields

__all__ = ["GaussianBayes"]

_KINDS = ("full", "diagonal", "pooled", "pooled-diagonal")


class GaussianBayes(Generative):
    """Bayes classifier with a normal density for each class.

    Parameters
    ----------
    covariance : {"full", "diagonal", "pooled", "pooled-diagonal"} or array, default "full"
        What is estimated, or what is given: a number (that variance for every feature), an array
        of shape (J,) (a variance for each feature), (J, J) (one matrix for all classes) or
        (K, J, J) (one for each class).
    ridge : float, default 0.0
        Added to every estimated variance. With 0 a singular covariance is refused.
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
    means_ : array of shape (K, J)
    covariance_ : array
        Of shape (K, J, J) for "full", (J, J) for "pooled", (K, J) for "diagonal", (J,) for
        "pooled-diagonal", and as given otherwise; a given number becomes (J,).
    scatter_ : array of shape (K, J, J) or (K, J)
        Sums of squares and products of deviations from the means.
    coef_, intercept_ : arrays of shape (K, J) and (K,); for two classes (1, J) and (1,)
        The linear form, where all classes have one covariance.
    history_, n_iter_, optimality_
        The objective is minus the joint log-likelihood; the estimate is a closed form.

    Examples
    --------
    >>> from linnet.data import load_iris
    >>> iris = load_iris()
    >>> model = GaussianBayes().fit(iris.X, iris.y)
    >>> int((model.predict(iris.X) != iris.y).sum())
    3
    """

    stored: ClassVar[Fields] = {
        "means_": Array("f8", "K J"),
        "scatter_": Array("f8", "K J J|K J"),
        "covariance_": Array("f8", "K J J|J J|K J|J"),
        "whitening_": Array("f8", "K J J|J J|K J|J", -1e50, 1e50, optional=True),
        "log_det_": Array("f8", "K|", optional=True),
    }
    _takes_squares = True
    properties = MappingProxyType(
        {
            **Generative.properties,
            "boundary": "quadratic; linear with one covariance",
            "independence": "none",
            "overlapping_features": "good",
        }
    )
    declaration: ClassVar[Declaration] = Declaration(
        short="gaussian",
        place=15,
        reads="numbers",
        linear=False,
        training="counts",
        compared=None,
        measured={"ridge": 0.1},  # some pixels are constant
        shown={"Gaussian Bayes, full covariances": {}},
    )
    _statistics = ("means_", "scatter_")

    means_: Floats
    scatter_: Floats
    covariance_: Floats
    whitening_: Floats | None
    log_det_: Floats | None

    def __init__(
        self,
        covariance: str | float | ArrayLike = "full",
        *,
        ridge: float = 0.0,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        class_weight: ClassWeight = None,
        classes: Any = None,
        n_threads: int | None = None,
    ) -> None:
        self.covariance = covariance
        self.ridge = ridge
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.class_weight = class_weight
        self.classes = classes
        self.n_threads = n_threads

    @classmethod
    def from_parameters(
        cls, means: ArrayLike, covariance: float | ArrayLike, prior: ArrayLike, classes: Any = None
    ) -> GaussianBayes:
        """Return the classifier of known densities: no rule errs less where they are true (M-14).

        Parameters
        ----------
        means : array of shape (K, J)
        covariance : number or array
            As the parameter of the class; not the name of an estimate.
        prior : array of shape (K,)
        classes : array of shape (K,), optional
            Labels in ascending order, 0 … K - 1 by default.

        Examples
        --------
        >>> best = GaussianBayes.from_parameters([[-1, -1], [1, 1]], 1.0, [0.5, 0.5])
        >>> best.coef_.tolist(), best.intercept_.tolist()
        ([[2.0, 2.0]], [0.0])
        """
        mu = np.array(means, dtype=np.float64)
        if mu.ndim != 2 or len(mu) < 2 or not np.isfinite(mu).all():
            raise ParameterError(f"means must be one finite row a class, got shape {mu.shape}.")
        labels = np.arange(len(mu)) if classes is None else np.asarray(classes)
        if labels.shape != (len(mu),) or not np.array_equal(np.unique(labels), labels):
            raise ParameterError("classes must be one label a class, in ascending order.")
        if isinstance(covariance, str):
            raise ParameterError("without examples the covariance must be given, not its kind.")
        model = cls(covariance, class_prior=prior)
        model.n_features_in_ = mu.shape[1]
        model._start(labels)
        model.means_, model.class_count_ = mu, np.ones(len(mu))
        model.class_log_prior_ = model._log_prior()
        model._estimate()
        model._check_estimate()
        return model

    # --- statistics ----------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        if isinstance(self.covariance, str):
            if self.covariance not in _KINDS:
                raise ParameterError(
                    f"covariance must be one of {', '.join(map(repr, _KINDS))}, a number or an "
                    f"array, got {self.covariance!r}."
                )
        else:
            given_covariance(self.covariance)
        require_not_negative("ridge", self.ridge)

    @property
    def _keeps_products(self) -> bool:
        if isinstance(self.covariance, str):
            return not self.covariance.endswith("diagonal")
        return np.ndim(self.covariance) > 1

    def _check_loaded(self) -> None:
        super()._check_loaded()
        products = 3 if self._keeps_products else 2
        shape, whitening, log_det = self.covariance_.shape, self.whitening_, self.log_det_
        if self.scatter_.ndim != products or self._covariances().shape != shape:
            raise DataError("the covariances are of another kind than the parameters say")
        if whitening is None or log_det is None:
            if whitening is not log_det:
                raise DataError("whitening_ and log_det_ go together")
            return
        if whitening.shape != shape or log_det.shape != self._log_det_shape():
            raise DataError("whitening_ and log_det_ do not fit the covariances")
        if self._diagonal and not (self.covariance_ >= 1e-100).all():
            raise DataError("a variance is not positive")

    def _log_det_shape(self) -> tuple[int, ...]:
        axes = 1 if self._diagonal else 2
        return self.covariance_.shape[:-axes]

    def _prepare(self, features: Features) -> Features:
        return features

    def _start(self, classes: NDArray[Any]) -> None:
        super()._start(classes)
        width = self.n_features_in_
        if self._keeps_products:
            if len(classes) * width * width > 1 << 30:
                raise DataError(
                    f"The covariances of {width} features for {len(classes)} classes do not fit "
                    "into memory; use covariance='diagonal', or fewer features."
                )
            self.scatter_ = np.zeros((len(classes), width, width))

    def _add_features(self, bags: Any) -> None:
        before, self.scatter_ = self.scatter_, self.means_  # the products need two axes more
        super()._add_features(bags)
        more = self.n_features_in_ - before.shape[-1]
        edges = ((0, 0), (0, more), (0, more))[: before.ndim]
        self.scatter_ = np.pad(before, edges)

    def _add(self, features: Features, gold: NDArray[np.int32], weights: Floats) -> None:
        """Merge the means and scatters of a piece into those of what came before."""
        n_classes, threads = len(self.classes_), self._threads()
        count = np.bincount(gold, weights, n_classes).astype(np.float64)
        mean = np.empty(self.means_.shape)
        _core.count(features.matrix, gold, weights, mean, threads)
        mean /= np.where(count > 0, count, 1.0)[:, None]
        scatter = np.zeros(self.scatter_.shape)
        if scatter.ndim == 2:
            _core.squared_deviations(features.matrix, gold, weights, mean, count, scatter, threads)
        else:
            add_products(features, gold, weights, mean, scatter)
        before, self.class_count_ = self.class_count_, self.class_count_ + count
        share = count / np.where(self.class_count_ > 0, self.class_count_, 1.0)
        shift = mean - self.means_
        square = shift**2 if scatter.ndim == 2 else shift[:, :, None] * shift[:, None, :]
        factor = (before * share).reshape((-1,) + (1,) * (scatter.ndim - 1))
        self.scatter_ = self.scatter_ + scatter + factor * square
        self.means_ = self.means_ + share[:, None] * shift

    # --- parameters ----------------------------------------------------------------------------

    def _estimate(self) -> float:
        for name in ("coef_", "intercept_"):
            self.__dict__.pop(name, None)
        self.covariance_ = self._covariances()
        self.whitening_ = self.log_det_ = None
        try:
            self._invert()
        except SingularCovariance:
            return np.inf
        seen, count = self.class_count_ > 0, self.class_count_
        width, log_det = self.n_features_in_, self.log_det_
        spread = np.broadcast_to(log_det + width * np.log(2 * np.pi), count.shape)
        prior = count[seen] @ self.class_log_prior_[seen]
        return float(prior - 0.5 * (count @ spread + self._squares().sum()))

    def _covariances(self) -> Floats:
        if not isinstance(self.covariance, str):
            return fitting_covariance(self.covariance, *self.means_.shape)
        count = self.class_count_.reshape((-1,) + (1,) * (self.scatter_.ndim - 1))
        pooled = self.scatter_.sum(axis=0) / self.class_count_.sum()
        estimate = pooled
        if not self.covariance.startswith("pooled"):  # a class without examples borrows
            own = self.scatter_ / np.where(count > 0, count, 1.0)
            estimate = np.where(count > 0, own, pooled)
        if self._keeps_products:
            return np.asarray(estimate + self.ridge * np.eye(self.n_features_in_))
        return np.asarray(estimate + self.ridge)

    @property
    def _diagonal(self) -> bool:
        kind = self.covariance
        return self.covariance_.ndim == 1 or (isinstance(kind, str) and kind.endswith("diagonal"))

    def _invert(self) -> None:
        """Set whitening_ and log_det_, and the linear form where there is one."""
        sigma, mu = self.covariance_, self.means_
        if self._diagonal:
            floor = (1e-13 * mu) ** 2 if isinstance(self.covariance, str) else 0.0 * mu
            flat = ~(np.broadcast_to(sigma, mu.shape) > np.maximum(floor, LEAST_VARIANCE))
            if flat.any():
                raise SingularCovariance(int(np.argwhere(flat)[0][1]), constant=True)
            self.whitening_, self.log_det_ = 1 / np.sqrt(sigma), np.asarray(np.log(sigma).sum(-1))
            if sigma.ndim == 1:
                self._export(mu / sigma, self.class_log_prior_ - (mu**2 / (2 * sigma)).sum(axis=1))
            return
        if sigma.ndim == 2:
            self.whitening_, log_det = whiten(sigma, np.abs(mu).max(axis=0))
            self.log_det_ = np.array(log_det)
            z = mu @ self.whitening_.T
            self._export(z @ self.whitening_, self.class_log_prior_ - (z**2).sum(axis=1) / 2)
            return
        parts = [whiten(one, mean) for one, mean in zip(sigma, mu, strict=True)]
        self.whitening_ = np.stack([matrix for matrix, _ in parts])
        self.log_det_ = np.array([log_det for _, log_det in parts])

    def _squares(self) -> Floats:
        """Return the sum over the examples of each class of (x - mu)' S^-1 (x - mu)."""
        A, T = self.whitening_, self.scatter_
        assert A is not None
        if self._diagonal:
            return np.asarray((T / self.covariance_).sum(axis=-1))
        inverse = np.swapaxes(A, -1, -2) @ A
        return np.asarray((T * inverse).sum(axis=(1, 2)))

    def _check_estimate(self) -> None:
        if self.whitening_ is not None:
            return
        try:
            self._invert()
        except SingularCovariance as error:
            name = self.get_feature_names()[error.feature]
            raise DataError(
                f"{error.reason(f'feature {name}')} With fewer examples in a class than features, "
                "covariance='pooled' or 'diagonal' may do."
            ) from None

    # --- scores --------------------------------------------------------------------------------

    def _joint(self, features: Features) -> Floats:
        shape = n_classes, width = self.means_.shape
        A, log_det = self.whitening_, self.log_det_
        assert A is not None and log_det is not None
        joint = np.empty((features.rows, n_classes))
        if self._diagonal:
            precision = np.ascontiguousarray(np.broadcast_to(1 / self.covariance_, shape))
            _core.gaussian_exponents(
                features.matrix, self.means_, precision, joint, self._threads()
            )
        else:
            matrices = np.broadcast_to(A, (n_classes, width, width))
            for first, rows in dense_blocks(features):
                for k, matrix in enumerate(matrices):
                    z = (rows - self.means_[k]) @ matrix.T
                    joint[first : first + len(rows), k] = -0.5 * (z**2).sum(axis=1)
        joint += self.class_log_prior_ - 0.5 * (log_det + width * np.log(2 * np.pi))
        joint[:, self.class_count_ == 0] = -np.inf  # no examples, no density
        return joint

    def _terms(self, x: Floats, k: int) -> Floats:
        """Return -½ d_j (Σ⁻¹ d)_j for each feature j of one row."""
        d, A = x - self.means_[k], self.whitening_
        if A is None:
            return np.zeros(len(d))
        if self._diagonal:
            precision = np.broadcast_to(A**2, self.means_.shape)[k]
            return np.asarray(-0.5 * precision * d**2)
        one = A if A.ndim == 2 else A[k]
        return np.asarray(-0.5 * d * (one.T @ (one @ d)))

    def _reasons(self, inputs: Any, k: int, other: int, named: Named) -> Reasons:
        return gaussian_reasons(self, inputs, k, other, named)

    def _draw(self, rng: np.random.Generator, gold: NDArray[np.int64]) -> Floats:
        """Return mu_k + A_k^-1 z: the whitening A makes z of x, so its inverse makes x of z."""
        A = self.whitening_
        assert A is not None
        rows = rng.standard_normal((len(gold), self.n_features_in_))
        if self._diagonal:
            return np.asarray(
                self.means_[gold] + rows / np.broadcast_to(A, self.means_.shape)[gold]
            )
        matrices = np.broadcast_to(A, (len(self.classes_), *A.shape[-2:]))
        for k in np.unique(gold):
            rows[gold == k] = np.linalg.solve(matrices[k], rows[gold == k].T).T
        return np.asarray(self.means_[gold] + rows)
