"""What generative learners share: ln p(x, y) in, decisions and probabilities out.

A generative model scores class k by the joint log probability ln p(k) + ln p(x | k); dividing by
p(x), which all classes share, gives the posterior (SPEC M-01, M-05). Training is counting, so the
statistics of two pieces of data add up and ``partial_fit`` equals ``fit``.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import Classifier
from linnet.learn.shared.checks import LARGEST, check_count, class_order
from linnet.learn.shared.decision import winners
from linnet.learn.shared.drawing import Drawer, bags_of, draw, generator
from linnet.learn.shared.history import History
from linnet.learn.shared.inputs import (
    ClassWeight,
    Features,
    bag_vocabulary,
    encode_labels,
    example_weights,
    is_bags,
    label_numbers,
    require_two_classes,
)
from linnet.learn.shared.properties import GENERATIVE, Properties
from linnet.learn.shared.restore import restored_on_error
from linnet.stored import Array, Fields

if TYPE_CHECKING:
    from linnet.typing import Labels, Vectors, Weights

Floats = NDArray[np.float64]


class Generative(Classifier):
    """Fit by adding up statistics, decide by the joint log probability.

    A subclass names its statistics, arrays of shape (K, J) that start at zero, and says how to
    add examples to them, how to turn them into parameters, and what the joint is.
    """

    properties: ClassVar[Properties] = GENERATIVE
    stored: ClassVar[Fields] = {
        "class_count_": Array("f8", "K", low=0),
        "class_log_prior_": Array("f8", "K", high=1e-6, beyond=(-np.inf,)),
        "coef_": Array("f8", "R J", optional=True),
        "intercept_": Array("f8", "R", beyond=(-np.inf, np.inf), optional=True),
    }
    _statistics: ClassVar[tuple[str, ...]]

    fit_prior: bool
    class_prior: ArrayLike | None
    class_weight: ClassWeight
    class_count_: Floats
    class_log_prior_: Floats
    coef_: Floats  # there where the scores are linear
    intercept_: Floats
    history_: dict[str, Floats]
    n_iter_: int
    optimality_: float

    @abstractmethod
    def _check_parameters(self) -> None: ...

    @abstractmethod
    def _prepare(self, features: Features) -> Features:
        """Refuse values the model cannot have, and turn the rest into what it counts."""

    @abstractmethod
    def _add(self, features: Features, gold: NDArray[np.int32], weights: Floats) -> None:
        """Add examples to the statistics and to class_count_, in new arrays."""

    @abstractmethod
    def _estimate(self) -> float:
        """Turn the statistics into parameters; return the joint log-likelihood of the data."""

    def _check_loaded(self) -> None:
        """Refuse what a forged file may hold: more than two scores cannot be +inf."""
        intercept = vars(self).get("intercept_")
        if intercept is not None and len(intercept) > 1 and np.isposinf(intercept).any():
            raise DataError("an intercept is infinite")
        self._log_prior()  # refuses a class_prior that is none

    def _check_estimate(self) -> None:
        """Refuse parameters that cannot score; after a few pieces that need not be the end."""

    @abstractmethod
    def _joint(self, features: Features) -> Floats:
        """Return ln p(x, k), shape (n, K); -inf is legal, NaN is not."""

    @abstractmethod
    def _draw(self, rng: np.random.Generator, gold: NDArray[np.int64]) -> Any:
        """Return a row of features for each of the classes, as an array or a CSR matrix."""

    def fit(self, X: Vectors, y: Labels, sample_weight: Weights | None = None) -> Self:
        """Estimate the model from examples.

        Parameters
        ----------
        X : array, sparse matrix, data frame or list of dictionaries, n rows
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            How often each example counts.

        Returns
        -------
        self
        """
        self._check_parameters()
        with restored_on_error(self):
            features = self._prepare(self._read(X, reset=True))
            classes, gold = encode_labels(y, features.rows, self.classes)
            self._start(classes)
            self._learn(features, gold, sample_weight)
            self._check_estimate()
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add more examples; pieces one after the other give the model of ``fit`` on all.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``. Feature dictionaries may bring names not seen before: the features
            gain columns.
        classes : array, optional
            All classes that will ever occur, for the first call; by default those in `y`.

        Returns
        -------
        self

        Raises
        ------
        DataError
            When `y` holds a class that the first call did not know.
        """
        self._check_parameters()
        if self.class_weight == "balanced":
            raise ParameterError(
                "class_weight='balanced' needs all data at once; pass a dictionary of weights."
            )
        with restored_on_error(self):
            first = not hasattr(self, "classes_")
            if not first and is_bags(X) and hasattr(self, "vocabulary_"):
                self._add_features(X)
            features = self._prepare(self._read(X, reset=first))
            seen, codes = encode_labels(y, features.rows)
            listed = self.classes if classes is None else classes
            if first:
                self._start(seen if listed is None else class_order(listed))
            elif classes is not None and set(class_order(classes).tolist()) != set(
                self.classes_.tolist()
            ):
                raise DataError(f"classes differ from those of the first call, {self.classes_}.")
            unknown = ~np.isin(seen, self.classes_)
            if unknown.any():
                raise DataError(
                    f"y holds classes {seen[unknown]} that are not among {self.classes_}; "
                    "name all classes in the first call of partial_fit."
                )
            gold = label_numbers(self.classes_, seen)[codes]
            self._learn(features, gold, sample_weight)
        return self

    def _start(self, classes: NDArray[Any]) -> None:
        require_two_classes(classes, type(self).__name__)
        self.classes_ = classes
        self.class_count_ = np.zeros(len(classes))
        for name in self._statistics:  # zeros that take no memory; _add makes new arrays
            setattr(self, name, np.broadcast_to(0.0, (len(classes), self.n_features_in_)))

    def _add_features(self, bags: Any) -> None:
        """Give names not seen before a column of their own, with statistics of zero."""
        new = [name for name in bag_vocabulary(bags) if name not in self.vocabulary_]
        width = self.n_features_in_
        self.vocabulary_ = self.vocabulary_ | {name: width + k for k, name in enumerate(new)}
        self.n_features_in_ = width + len(new)
        for name in self._statistics:
            setattr(self, name, np.pad(getattr(self, name), ((0, 0), (0, len(new)))))

    def _learn(self, features: Features, gold: NDArray[np.int32], sample_weight: Any) -> None:
        history = History()
        weights = example_weights(sample_weight, self.class_weight, self.classes_, gold)
        self._add(features, gold, weights)
        self.class_log_prior_ = self._log_prior()
        history.add(iteration=1, objective=-self._estimate())
        self.history_ = history.as_dict()
        self.n_iter_ = 1
        self.optimality_ = 0.0  # a closed form has no distance left

    def _log_prior(self) -> Floats:
        n_classes = len(self.classes_)
        if self.class_prior is not None:
            try:
                prior = np.asarray(self.class_prior, dtype=np.float64)
            except (TypeError, ValueError, OverflowError) as error:
                raise ParameterError(f"class_prior must hold numbers: {error}.") from None
            if prior.shape != (n_classes,):
                raise ParameterError(
                    f"class_prior has shape {prior.shape}, but there are {n_classes} classes."
                )
            if not (prior >= 0).all() or abs(prior.sum() - 1.0) > 1e-8:
                raise ParameterError("class_prior must not be negative and must sum to 1.")
        elif self.fit_prior:
            prior = self.class_count_ / self.class_count_.sum()
        else:
            prior = np.full(n_classes, 1.0 / n_classes)
        return log(prior)

    def sample(self, n: int = 1, *, random_state: Any = None) -> tuple[Any, NDArray[Any]]:
        """Draw examples from the model: a class by its prior, then features of that class.

        Parameters
        ----------
        n : int, default 1
        random_state : int, RandomState or None

        Returns
        -------
        X : array, CSR matrix or list of dictionaries, n rows
            Dictionaries where the model was fitted on such.
        y : array of shape (n,)
            The classes; one that had no examples has no features to draw and does not occur.
        """
        return self._sample(n, random_state, self._draw)

    def _sample(self, n: int, random_state: Any, features: Drawer) -> tuple[Any, NDArray[Any]]:
        self._require_fitted("class_log_prior_")
        self._check_estimate()
        rng = generator(random_state)
        prior = np.exp(self.class_log_prior_) * (self.class_count_ > 0)
        gold = draw(rng, prior[None, :], np.zeros(check_count("n", n, least=0), np.int64))
        rows = features(rng, gold)
        if hasattr(self, "vocabulary_"):
            rows = bags_of(rows, self.vocabulary_)
        return rows, self.classes_[gold]

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Return ln p(x, k) for each row and class, shape (n, K) (SPEC M-05)."""
        self._require_fitted("class_log_prior_")
        self._check_estimate()
        joint = self._joint(self._prepare(self._read(X, reset=False)))
        impossible = int(np.isneginf(joint).all(axis=1).sum())
        if impossible:
            warnings.warn(
                f"{impossible} of {len(joint)} rows have probability 0 under every class and go "
                f"to the first, {self.classes_[0]}; smoothing prevents this.",
                stacklevel=2,
            )
        return joint

    def predict_log_proba(self, X: Any) -> Floats:
        """Return ln p(k | x); a row that no class can produce gets the same for all."""
        return self._log_proba(self.decision_function(X))

    def _predict_with_proba(self, X: Any) -> tuple[NDArray[Any], Floats]:
        """Return what ``predict`` and ``predict_proba`` return, from one set of scores."""
        scores = self.decision_function(X)
        return self.classes_[winners(scores)], np.exp(self._log_proba(scores))

    def _log_proba(self, scores: Floats) -> Floats:
        if scores.ndim == 1:
            return -np.logaddexp(0.0, np.stack([scores, -scores], axis=1))
        scores[np.isneginf(scores).all(axis=1)] = 0.0
        return np.asarray(scores - logsumexp(scores, axis=1, keepdims=True))

    def predict_proba(self, X: Any) -> Floats:
        """Return p(k | x), shape (n, K); rows sum to 1."""
        return np.exp(self.predict_log_proba(X))

    def decision_function(self, X: Any) -> Floats:
        """Return the joint log probabilities, or for two classes their difference, shape (n,).

        A row that neither of two classes can produce has the negative number nearest to 0, so
        that it goes to the first (SPEC A-05).
        """
        joint = self.predict_joint_log_proba(X)
        if joint.shape[1] > 2:
            return joint
        difference = minus(joint[:, 1], joint[:, 0])
        difference[np.isneginf(joint).all(axis=1)] = -np.finfo(np.float64).smallest_subnormal
        return difference

    def _export(self, weights: Floats, bias: Floats) -> None:
        """Set coef_ and intercept_ from weights (K, J) and bias (K,), feature-major in memory."""
        if len(bias) == 2:
            weights, bias = minus(weights[1:], weights[:1]), minus(bias[1:], bias[:1])
        self.coef_, self.intercept_ = np.asfortranarray(weights), bias


def require_not_negative(name: str, value: Any) -> None:
    """Refuse a parameter that is not a finite number of at least 0."""
    if not isinstance(value, (int, float, np.number)) or not 0 <= value <= LARGEST:
        raise ParameterError(f"{name} must be a finite number of at least 0, got {value!r}.")


def log(values: Floats) -> Floats:
    """Return the logarithm, with ln 0 = -inf and no warning.

    Examples
    --------
    >>> log(np.array([1.0, 0.0]))
    array([  0., -inf])
    """
    return np.log(values, out=np.full(values.shape, -np.inf), where=values > 0)


def minus(a: Floats, b: Floats) -> Floats:
    """Return a - b, and 0 where both are the same infinity.

    Examples
    --------
    >>> minus(np.array([3.0, -np.inf, -np.inf]), np.array([1.0, 1.0, -np.inf]))
    array([  2., -inf,   0.])
    """
    if np.isfinite(a).all() and np.isfinite(b).all():
        return np.asarray(a - b)
    return np.subtract(a, b, out=np.zeros(np.broadcast_shapes(a.shape, b.shape)), where=a != b)
