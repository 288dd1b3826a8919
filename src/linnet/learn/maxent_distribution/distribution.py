"""The distribution of largest entropy under constraints (SPEC M-70, W-13, W-14).

Problem: maximise H(p) = -sum_i p_i log2 p_i over distributions on given outcomes, subject to

    sum_i p_i f_d(i) = t_d         for each constraint d

Given: outcomes, features f_d and targets t_d. Returned: p, weights w_d with
p_i = exp(sum_d w_d f_d(i)) / Z, and the entropy in bits. The weights minimise the convex dual

    ln sum_i exp(sum_d w_d (f_d(i) - t_d))

whose value is never below H(p) in nats for a p that meets the constraints: the difference
certifies the answer. Newton's method takes a few steps, because the Hessian is the covariance
of the features. Two linear programmes come first. One finds whether any distribution meets the
constraints, and if not which of them contradict each other: a set from which none can be left out.
The other finds the outcomes that no such distribution can use; their p is 0, which no finite
weights express, and the weights describe the rest.

With a base distribution q the answer is the distribution nearest to q that meets the constraints:
it minimises the Kullback-Leibler divergence sum_i p_i log2 (p_i / q_i). Then
p_i = q_i exp(sum_d w_d f_d(i)) / Z, the dual is ln sum_i q_i exp(sum_d w_d (f_d(i) - t_d)), and
minus its value is never above the divergence of a p that meets the constraints. A uniform q gives
the largest entropy, for the divergence is then log2 n - H(p).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.learn.maxent_distribution.dual import minimise_dual, require_feasible, support
from linnet.learn.shared.checks import check_count
from linnet.learn.shared.drawing import draw, generator
from linnet.stored import Anything, Array, Each, Fields, Number, Sizes, Text

__all__ = ["MaxEntDistribution", "entropy"]

Floats = NDArray[np.float64]
Feature: TypeAlias = Callable[[Any], float] | Sequence[float] | Collection[Any] | Floats
Constraints: TypeAlias = Mapping[str, tuple[Feature, float]] | Sequence[tuple[Feature, float]]


def entropy(p: Any) -> float:
    """Return -sum p log2 p in bits, with 0 log 0 = 0.

    Examples
    --------
    >>> entropy([0.5, 0.25, 0.25])
    1.5
    """
    share = np.asarray(p, dtype=np.float64)
    share = share[share > 0]
    return float(-(share @ np.log2(share))) + 0.0


class MaxEntDistribution(BaseEstimator):  # type: ignore[misc]
    """The distribution of largest entropy that meets expectation constraints.

    Parameters
    ----------
    base : array of shape (n,) or dict from outcome to weight, optional
        The distribution to stay near to: of those that meet the constraints the one of least
        divergence from it is returned. Weights are divided by their sum; an outcome of weight 0
        stays impossible. Without it the entropy is made as large as can be.
    tol : float, default 1e-12
        The largest difference between an expectation and its target, relative to the range of the
        feature.
    max_iter : int, default 200
        Newton steps at most.

    Attributes
    ----------
    outcomes_ : list
    names_ : list of str
        The constraints.
    features_ : array of shape (D, n)
    targets_ : array of shape (D,)
    probabilities_ : array of shape (n,)
    weights_ : dict
        The weight of each constraint. Where constraints repeat each other, the smallest ones.
    log_partition_ : float
        ln Z, over the outcomes that are possible.
    possible_ : array of shape (n,) of bool
        False where the constraints force probability 0.
    entropy_ : float
        In bits.
    base_ : array of shape (n,)
        The base distribution; uniform if none was given.
    divergence_ : float
        sum p log2(p / base), in bits.
    n_iter_ : int
    optimality_ : float
        The largest difference between an expectation and its target.

    Examples
    --------
    >>> die = MaxEntDistribution().fit(range(1, 7), {"high": ({4, 5, 6}, 0.75)})
    >>> die.probabilities_.round(6).tolist()
    [0.083333, 0.083333, 0.083333, 0.25, 0.25, 0.25]
    >>> round(die.entropy_, 6), round(die.weights_["high"], 6)
    (2.396241, 1.098612)
    >>> worn = MaxEntDistribution(base=[1, 1, 1, 1, 1, 3])
    >>> worn = worn.fit(range(1, 7), {"six": ({6}, 0.5)})
    >>> worn.probabilities_.round(6).tolist(), round(worn.divergence_, 6)
    ([0.1, 0.1, 0.1, 0.1, 0.1, 0.5], 0.046555)
    >>> MaxEntDistribution().fit(range(1, 7), {"mean": (lambda i: i, 7.0)})
    Traceback (most recent call last):
        ...
    linnet.errors.DataError: No distribution meets the constraint mean = 7 (its values go from 1 ...
    """

    outcomes_: list[Any]
    names_: list[str]
    features_: Floats
    targets_: Floats
    probabilities_: Floats
    weights_: dict[str, float]
    log_partition_: float
    possible_: NDArray[np.bool_]
    entropy_: float
    n_iter_: int
    optimality_: float

    stored: ClassVar[Fields] = {
        "outcomes_": Each(Anything(object), "outcomes"),
        "names_": Each(Text(), "constraints"),
        "features_": Array("f8", "constraints outcomes"),
        "targets_": Array("f8", "constraints"),
        "possible_": Array("?", "outcomes"),
        "probabilities_": Array("f8", "outcomes", 0, 1),
        "weights_": Anything(dict, optional=False),
        "log_partition_": Number(),
        "entropy_": Number(),
        "n_iter_": Anything(int),
        "optimality_": Anything(float),
    }

    def __init__(
        self,
        tol: float = 1e-12,
        max_iter: int = 200,
        *,
        base: ArrayLike | Mapping[Any, float] | None = None,
    ) -> None:
        self.base = base
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, outcomes: Any, constraints: Constraints | None = None) -> Self:
        """Find the distribution.

        Parameters
        ----------
        outcomes : sequence
            All different.
        constraints : dict from name to (feature, target), or list of (feature, target)
            A feature is a function of an outcome, an array with a value for each outcome, or a
            set of outcomes, which has the value 1 on them and 0 elsewhere.

        Returns
        -------
        self

        Raises
        ------
        DataError
            When no distribution meets the constraints; the message names those that contradict
            each other.
        """
        self._check_parameters()
        items = _distinct(outcomes)
        names, features, targets = _read(items, constraints)
        base = _base(items, self.base)
        possible = base > 0
        reachable = features[:, possible]
        scaled, goal = _scaled(names, reachable, targets)
        require_feasible(names, reachable, targets, scaled, goal)
        inside = support(scaled, goal)
        possible[possible] = inside
        # a base that was not given adds nothing to the scores, so that ln Z is that of the weights
        log_base = np.zeros(inside.sum()) if self.base is None else np.log(base[possible])
        F = scaled[:, inside] - goal[:, None]
        w, steps = minimise_dual(F, log_base, self.tol, self.max_iter)
        spread = np.where(np.ptp(reachable, axis=1) > 0, np.ptp(reachable, axis=1), 1.0)
        weights = w / spread
        scores = weights @ features[:, possible] + log_base
        top = scores.max()
        p = np.zeros(len(items))
        p[possible] = np.exp(scores - top)
        self.log_partition_ = float(top + np.log(p.sum()))
        p /= p.sum()
        self.outcomes_, self.names_ = items, names
        self.features_, self.targets_, self.possible_ = features, targets, possible
        self.probabilities_, self.entropy_ = p, entropy(p)
        self.weights_ = dict(zip(names, weights.tolist(), strict=True))
        self.n_iter_ = steps
        self.optimality_ = float(np.abs(features @ p - targets).max(initial=0.0))
        return self

    def _check_parameters(self) -> None:
        if not isinstance(self.tol, (int, float)) or not 0 < self.tol < 1:
            raise ParameterError(f"tol must be between 0 and 1, got {self.tol!r}.")
        if not isinstance(self.max_iter, int) or self.max_iter < 1:
            raise ParameterError(f"max_iter must be a positive integer, got {self.max_iter!r}.")

    @property
    def base_(self) -> Floats:
        """The base distribution over the outcomes; uniform if none was given."""
        self._require_fitted()
        return _base(self.outcomes_, self.base)

    @property
    def divergence_(self) -> float:
        """How far the answer is from its base: sum p log2(p / base), in bits."""
        return _divergence(self.probabilities_, self.base_)

    def sample(self, n: int = 1, *, random_state: Any = None) -> list[Any]:
        """Draw n outcomes."""
        self._require_fitted()
        count = check_count("n", n, least=0)
        p = self.probabilities_[None, :]
        drawn = draw(generator(random_state), p, np.zeros(count, np.int64))
        return [self.outcomes_[i] for i in drawn.tolist()]

    def probability(self, outcome: Any) -> float:
        """Return the probability of one outcome."""
        self._require_fitted()
        if outcome not in self.outcomes_:
            raise DataError(f"{outcome!r} is not among the outcomes.")
        return float(self.probabilities_[self.outcomes_.index(outcome)])

    def expectation(self, feature: Feature) -> float:
        """Return the mean of a feature, given as for :meth:`fit`."""
        self._require_fitted()
        return float(_values("the feature", self.outcomes_, feature) @ self.probabilities_)

    def _require_fitted(self) -> None:
        if not hasattr(self, "probabilities_"):
            raise NotFittedError("This MaxEntDistribution is not fitted yet; call fit first.")

    def _stored_sizes(self) -> Sizes:
        return {}

    def _check_loaded(self) -> None:
        """Refuse what a forged file may hold."""
        _distinct(self.outcomes_)
        if not all(isinstance(weight, float) for weight in self.weights_.values()):
            raise DataError("a weight is no number")
        p = self.probabilities_
        if abs(p.sum() - 1) > 1e-9 or list(self.weights_) != self.names_:
            raise DataError("the probabilities are no distribution, or weights are missing")
        if (p[self.base_ == 0] > 0).any():
            raise DataError("an outcome is possible that its base makes impossible")


# --- what is given -----------------------------------------------------------------------------


def _base(items: list[Any], given: Any) -> Floats:
    """Return the base distribution over the outcomes."""
    n = len(items)
    if given is None:
        return np.full(n, 1.0 / n)
    if isinstance(given, Mapping):
        missing = [item for item in items if item not in given]
        if missing or len(given) != n:
            what = f"none for {missing[0]!r}" if missing else "one for something else"
            raise DataError(f"base must have a weight for each outcome, but has {what}.")
        given = [given[item] for item in items]
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"base must hold numbers: {error}.") from None
    if weights.shape != (n,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise DataError(f"base must be {n} finite weights that are not negative, one an outcome.")
    if not weights.any():
        raise DataError("base gives no outcome any weight.")
    return np.asarray(weights / weights.sum())


def _divergence(p: Floats, base: Floats) -> float:
    """Return sum p log2(p / base) in bits, with 0 log 0 = 0."""
    there = p > 0
    return max(0.0, float(p[there] @ np.log2(p[there] / base[there])))


def _distinct(outcomes: Any) -> list[Any]:
    items = outcomes.tolist() if isinstance(outcomes, np.ndarray) else list(outcomes)
    if not items:
        raise DataError("There are no outcomes; at least one is needed.")
    try:
        repeated = len(set(items)) != len(items)
    except TypeError:
        raise DataError("Outcomes must be hashable, such as numbers, text or tuples.") from None
    if repeated:
        raise DataError("An outcome occurs twice; all must be different.")
    return items


def _read(items: list[Any], constraints: Constraints | None) -> tuple[list[str], Floats, Floats]:
    """Return names, features (D, n) and targets (D,)."""
    given: list[tuple[str, Any]]
    if isinstance(constraints, Mapping):
        given = [(str(name), pair) for name, pair in constraints.items()]
    else:
        given = [(f"constraint {d}", pair) for d, pair in enumerate(constraints or ())]
    features, targets = np.zeros((len(given), len(items))), np.zeros(len(given))
    for d, (name, pair) in enumerate(given):
        try:
            feature, target = pair
            targets[d] = float(target)
        except (TypeError, ValueError):
            raise DataError(f"{name} must be a pair (feature, target), got {pair!r}.") from None
        if not np.isfinite(targets[d]):
            raise DataError(f"The target of {name} is {targets[d]}; it must be finite.")
        features[d] = _values(name, items, feature)
    return [name for name, _ in given], features, targets


def _values(name: str, items: list[Any], feature: Any) -> Floats:
    if callable(feature):
        raw: Any = [feature(item) for item in items]
    elif isinstance(feature, (set, frozenset)):
        strange = [member for member in feature if member not in items]
        if strange:
            raise DataError(f"{name} names {strange[0]!r}, which is not among the outcomes.")
        raw = [item in feature for item in items]
    else:
        raw = feature
    try:
        values = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"The values of {name} must be numbers: {error}.") from None
    if values.shape != (len(items),) or not np.isfinite(values).all():
        raise DataError(f"{name} needs one finite value for each of the {len(items)} outcomes.")
    return values


def _scaled(names: list[str], features: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """Return features and targets moved and stretched so that each feature fills 0 … 1."""
    low, spread = features.min(axis=1, initial=np.inf), np.ptp(features, axis=1)
    spread = np.where(spread > 0, spread, 1.0)
    return (features - low[:, None]) / spread[:, None], (targets - low) / spread
