r"""Maximum entropy: logistic regression for two classes, multinomial for more (SPEC M-50–M-69).

.. math::
   p(y \mid x) = \frac{e^{w_y \cdot x}}{\sum_{y'} e^{w_{y'} \cdot x}}, \qquad
   \min_W\ \tfrac12 \lVert W \rVert^2 + C \sum_i -\ln p(y_i \mid x_i)

Two classes keep the single vector :math:`w = w_1 - w_0` and the objective
:math:`\tfrac12\lVert w\rVert^2 + C\sum_i \ln(1 + e^{-y_i w \cdot x_i})`. The lectures' λ and σ² are
conversions of C (:mod:`linnet.reference.conversions`).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, softmax

from linnet.errors import ParameterError
from linnet.learn.flat.joint import JointClassifier
from linnet.learn.flat.regularised import RegularisedClassifier
from linnet.learn.flat.regularised_risk import BATCH_SOLVERS, SCALING_SOLVERS, Task
from linnet.learn.shared.checks import check_choice, sample_weights
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.history import History
from linnet.learn.shared.inputs import checked_features, example_weights
from linnet.learn.shared.parameters import parameters
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.regularised import ElasticNet
from linnet.learn.shared.soft_targets import is_table, soft_targets

__all__ = ["MaxEnt"]


@parameters
class MaxEnt(ElasticNet, RegularisedClassifier, JointClassifier):
    """Maximum-entropy classifier: the most uniform model that matches the feature counts.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet", None}, default="l2"
    solver : str or SGD, default="auto"
        "dual_cd", "primal_cd" (two classes or "ovr"), "newton_cd" (Newton's steps by coordinate
        descent, for sparse weights), "newton", "lbfgs", "gradient_descent" with
        settings :class:`linnet.GradientDescent`, "conjugate_gradient", "gis", "iis", "sgd" with
        settings :class:`linnet.SGD`, or "probability_sgd" (the gradient of P, not of its
        logarithm; :class:`linnet.ProbabilitySGD`). All but the last two, and descent by given
        steps, certify their distance from the optimum. "auto" takes "newton" for few features,
        "newton_cd" for l1, and otherwise "dual_cd", finished by "newton" if need be.
    multi_class : {"multinomial", "ovr"}, default="multinomial"
    prior_variance : array of shape (J,), optional
        The variance σ_j² of a Gaussian prior for each feature (SPEC M-65); the penalty of w_j is
        then w_j² / (2 σ_j²).
    tol : float, default=1e-4
        Stop when the objective is certified to be within this share of its optimum; with "sgd"
        when it has not fallen by this share in 10 rounds, 0 to make them all.
    max_iter : int, default=1000
        Iterations of a batch solver, epochs of "dual_cd" and "sgd".

    Notes
    -----
    ``fit`` takes for y also a table of shape (n, K): a row of probabilities for each example, which
    sum to 1. Its columns are the classes 0, 1, …, or those that ``classes`` lists, or the names of
    a data frame's columns. The loss is then the cross-entropy, and ``dual_coef_`` has a row for
    each class of each example that is not impossible.

    Examples
    --------
    >>> import linnet
    >>> clf = linnet.MaxEnt(C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    >>> clf.predict([[0.5], [2.5]]).tolist()
    ['no', 'yes']
    >>> bool(clf.optimality_ <= 1e-4)
    True

    Several judges who do not agree, as a row of probabilities for each example:

    >>> import numpy as np
    >>> judged = np.array([[1.0, 0.0], [0.6, 0.4], [0.1, 0.9]])
    >>> model = linnet.MaxEnt(C=100.0, classes=["no", "yes"]).fit([[0.0], [1.0], [2.0]], judged)
    >>> model.predict_proba([[1.0]]).round(1).tolist()
    [[0.6, 0.4]]
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
    penalties: ClassVar[tuple[str | None, ...]] = ("l2", "l1", "elasticnet", None)
    solvers: ClassVar[tuple[str, ...]] = (
        "auto", "dual_cd", "primal_cd", "newton_cd", *BATCH_SOLVERS, *SCALING_SOLVERS,
        "sgd", "probability_sgd",
    )  # fmt: skip

    multi_class: str = "multinomial"
    prior_variance: Any = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("multi_class", self.multi_class, ("multinomial", "ovr"))
        if self.prior_variance is not None and self.penalty != "l2":
            raise ParameterError("prior_variance describes Gaussian priors; it needs penalty='l2'.")

    def _read_examples(self, X: Any, y: Any, sample_weight: Any) -> Any:
        if not is_table(y):
            return super()._read_examples(X, y, sample_weight)
        features = self._read(X, reset=True)
        targets = soft_targets(y, features.rows, self.classes)
        self.classes_ = targets.classes
        each = sample_weights(sample_weight, features.rows)[targets.row] * targets.share
        weights = example_weights(each, self.class_weight, self.classes_, targets.gold)
        used = weights > 0
        rows = checked_features(features.csr[targets.row[used]], self._threads())
        return rows, np.ascontiguousarray(targets.gold[used]), weights[used], None

    def _minimise(self, X: Any, y: Any, sample_weight: Any, history: History) -> bool:
        if self.joint_map is not None:
            return self._solve(self._joint_task(X, y, sample_weight), history)
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
        return self._solve(task, history)

    def _loss(self) -> tuple[str, bool]:
        if self.joint_map is not None or self.prior_variance is not None:
            raise ParameterError("joint_map and prior_variance need all rows; leave them out.")
        return "log", self.multi_class == "multinomial"

    def _joint_task(self, X: Any, y: Any, sample_weight: Any) -> Task:
        grouped = self._read_joint(X, y, sample_weight)
        l1, l2 = self._penalties()
        return Task(
            features=grouped.features,
            gold=grouped.gold,
            n_classes=len(grouped.classes),
            cost=self.C * grouped.weights,
            loss="log",
            form="grouped",
            l1=l1,
            l2=l2,
        )

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
