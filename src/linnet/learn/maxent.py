r"""Maximum entropy: logistic regression for two classes, multinomial for more (SPEC M-50–M-69).

.. math::
   p(y \mid x) = \frac{e^{w_y \cdot x}}{\sum_{y'} e^{w_{y'} \cdot x}}, \qquad
   \min_W\ \tfrac12 \lVert W \rVert^2 + C \sum_i -\ln p(y_i \mid x_i)

Two classes keep the single vector :math:`w = w_1 - w_0` and the objective
:math:`\tfrac12\lVert w\rVert^2 + C\sum_i \ln(1 + e^{-y_i w \cdot x_i})`. The lectures' λ and σ² are
conversions of C (:mod:`linnet.reference.conversions`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, softmax

from linnet.errors import ParameterError
from linnet.learn.flat.joint import JointMap
from linnet.learn.flat.regularised_risk import BATCH_SOLVERS, SCALING_SOLVERS, Task
from linnet.learn.flat.regularized import RegularizedClassifier
from linnet.learn.shared.checks import check_choice
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.inputs import checked_features
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.restore import restored_on_error

SOLVERS = ("auto", "dual_cd", *BATCH_SOLVERS, *SCALING_SOLVERS, "sgd")


class MaxEnt(RegularizedClassifier):
    """Maximum-entropy classifier: the most uniform model that matches the feature counts.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the penalty; larger fits the training data closer.
    penalty : {"l2", "l1", "elasticnet", None}, default="l2"
    l1_ratio : float, default=0.5
        Share of l1 in "elasticnet".
    solver : str, default="auto"
        "dual_cd", "newton", "lbfgs", "gradient_descent", "conjugate_gradient", "gis", "iis" or
        "sgd". All but the last certify their distance from the optimum. "auto" takes "newton" for
        few features, "lbfgs" for l1, and otherwise "dual_cd", finished by "newton" if need be.
    multi_class : {"multinomial", "ovr"}, default="multinomial"
    prior_variance : array of shape (J,), optional
        The variance σ_j² of a Gaussian prior for each feature (SPEC M-65); the penalty of w_j is
        then w_j² / (2 σ_j²).
    fit_intercept, penalize_intercept : bool, default=True
        The intercept is the weight of an extra feature of value ``intercept_scaling``.
    tol : float, default=1e-4
        Stop when the objective is certified to be within this share of its optimum.
    max_iter : int, default=1000
        Iterations of a batch solver, epochs of "dual_cd" and "sgd".
    schedule, average, shuffle, truncate
        For "sgd" only: learning rates (:mod:`linnet.learn.shared.schedules`), averaging, order of
        the examples, truncation of small weights.
    joint_map : callable, optional
        f(x, y) returning a feature dictionary; X is then a sequence of any objects (SPEC M-25).
    class_weight : dict, "balanced" or None
    warm_start : bool, default=False
        Start from the weights of the previous fit.
    n_threads : int, optional
        None uses all cores. The result does not depend on it.
    random_state : int, RandomState or None
    verbose : int, default=0

    Examples
    --------
    >>> import linnet
    >>> clf = linnet.MaxEnt(C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    >>> clf.predict([[0.5], [2.5]]).tolist()
    ['no', 'yes']
    >>> bool(clf.optimality_ <= 1e-4)
    True
    """

    properties: ClassVar[Properties] = discriminative(models="P(y | x)", training="fair")
    declaration: ClassVar[Declaration] = Declaration(
        place=40,
        convex=True,
        strengths=(1.0, 4.0, 16.0, 64.0, 256.0),
        compared={"tol": 1e-2},
        grid=tried("C", 64.0, 16.0, 256.0, 4.0, 1024.0, 1.0),
        shown={"maximum entropy": {"random_state": 0}},
    )

    def __init__(
        self,
        C: float = 1.0,
        *,
        penalty: str | None = "l2",
        l1_ratio: float = 0.5,
        solver: str = "auto",
        multi_class: str = "multinomial",
        prior_variance: Any = None,
        fit_intercept: bool = True,
        penalize_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int = 1000,
        tol: float = 1e-4,
        schedule: Any = None,
        average: bool | str = False,
        shuffle: bool = True,
        truncate: float = 0.0,
        joint_map: Callable[[Any, Any], dict[str, float]] | None = None,
        class_weight: Any = None,
        warm_start: bool = False,
        n_threads: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.multi_class = multi_class
        self.prior_variance = prior_variance
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.intercept_scaling = intercept_scaling
        self.max_iter = max_iter
        self.tol = tol
        self.schedule = schedule
        self.average = average
        self.shuffle = shuffle
        self.truncate = truncate
        self.joint_map = joint_map
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_threads = n_threads
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the weights.

        Parameters
        ----------
        X : array, sparse matrix, data frame or list of feature dictionaries, shape (rows, J)
        y : array of shape (rows,)
        sample_weight : array of shape (rows,), optional
        """
        with restored_on_error(self):
            return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        if self.joint_map is not None:
            return self._fit_joint_map(X, y, sample_weight)
        features, gold, weights, kept = self._read_examples(X, y, sample_weight)
        deviations = self._deviations(features.cols)
        if deviations is not None:
            scaled = features.csr.multiply(deviations[None, :]).tocsr()
            features = checked_features(scaled, self._threads())
        l1, l2 = self._penalties()
        task = Task(
            features=features,
            gold=gold,
            n_classes=len(self.classes_),
            cost=self.C * weights,
            loss="log",
            form="joint" if self.multi_class == "multinomial" else "columns",
            bias=self._bias(),
            penalize_bias=self.penalize_intercept,
            l1=l1,
            l2=l2,
            kept=kept,
            scale=deviations,
        )
        self._minimize(task)
        return self

    def _check_parameters(self) -> None:
        self._check_common()
        check_choice("penalty", self.penalty, ("l2", "l1", "elasticnet", None))
        check_choice("solver", self.solver, SOLVERS)
        check_choice("multi_class", self.multi_class, ("multinomial", "ovr"))
        if not (isinstance(self.l1_ratio, (int, float, np.number)) and 0 <= self.l1_ratio <= 1):
            raise ParameterError(f"l1_ratio must lie in [0, 1], got {self.l1_ratio!r}.")
        if self.prior_variance is not None and self.penalty != "l2":
            raise ParameterError("prior_variance describes Gaussian priors; it needs penalty='l2'.")

    def _penalties(self) -> tuple[float, float]:
        share = {"l2": 0.0, "l1": 1.0, "elasticnet": float(self.l1_ratio)}.get(self.penalty or "")
        return (0.0, 0.0) if share is None else (share, 1.0 - share)

    def _deviations(self, cols: int) -> NDArray[np.float64] | None:
        """Return σ_j: a prior of variance σ_j² on w_j is a unit prior on w_j / σ_j."""
        if self.prior_variance is None:
            return None
        try:
            variance = np.asarray(self.prior_variance, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ParameterError(f"prior_variance must hold numbers: {error}.") from None
        if variance.ndim == 0:
            variance = np.full(cols, float(variance))
        if variance.shape != (cols,):
            raise ParameterError(f"prior_variance must have shape ({cols},), got {variance.shape}.")
        if not np.isfinite(variance).all() or (variance <= 0).any():
            raise ParameterError("prior_variance must be positive and finite.")
        return np.sqrt(variance)

    def _minimize(self, task: Task) -> None:
        if self.solver != "sgd":
            self._solve(task, self.solver)
        elif self.penalty != "l2":
            raise ParameterError("solver='sgd' needs penalty='l2' (and truncate= for sparsity).")
        else:
            self._fit_sgd(task, "log", truncate=self.truncate)

    def _fit_joint_map(self, X: Any, y: Any, sample_weight: Any) -> Self:
        assert self.joint_map is not None
        self.joint_ = JointMap(self.joint_map)
        grouped = self.joint_.fit(X, y, sample_weight, self.class_weight, self._threads())
        self.classes_ = grouped.classes
        self.vocabulary_ = self.joint_.vocabulary
        self.n_features_in_ = grouped.features.cols
        l1, l2 = self._penalties()
        task = Task(
            features=grouped.features,
            gold=grouped.gold,
            n_classes=len(grouped.classes),
            cost=self.C * grouped.weights,
            loss="log",
            form="grouped",
            l1=l1,
            l2=l2,
        )
        self._minimize(task)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores: shape (n,) for two classes, else (n, K)."""
        if self.joint_map is None:
            return super().decision_function(X)
        self._require_fitted()
        scores = self.joint_.scores(X, self.coef_, self._threads())
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return p(class | x), shape (n, K), columns in the order of ``classes_``."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            positive = expit(scores)
            return np.column_stack([expit(-scores), positive])
        if self.multi_class == "ovr" and self.joint_map is None:
            scores = log_expit(scores)
        return np.asarray(softmax(scores, axis=1))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of :meth:`predict_proba`, exact for small probabilities."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([-np.logaddexp(0.0, scores), -np.logaddexp(0.0, -scores)])
        if self.multi_class == "ovr" and self.joint_map is None:
            scores = log_expit(scores)
        return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
