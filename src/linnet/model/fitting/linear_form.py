"""Linear learners: which a classifier takes, their linear form, and their walks from C to C.

A walk fits a learner without the examples of one fold, each time from where it stands, and scores
the fold; :func:`linnet.model.fitting.tuning.tune` leads it. Where a row may have several labels,
each label is a question of its own, with a learner of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning

from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import LinearClassifier
from linnet.learn.shared.declaration import declaration_of
from linnet.learn.shared.inputs import CheckedRows, RowsElsewhere
from linnet.learn.shared.watching import stage

__all__ = [
    "LOOSE", "FoldWalk", "agreed_parts", "fit_at", "fit_labels", "fit_weighted", "linear_parts",
    "narrow", "own_learner", "own_scores", "walking",
]  # fmt: skip

Floats = NDArray[np.float64]
_USE = (
    "use MaxEnt, SVM, Perceptron, MIRA, or MultinomialNB or BernoulliNB with alpha > 0, or a "
    "linear classifier of scikit-learn"
)
LOOSE = 5e-3  # tolerance of the fits along a walk
_COMPARED = 64  # rows on which the linear form is compared with the learner's own scores


def own_learner(learner: Any) -> Any:
    """Return an unfitted copy of the user's learner, if it can work.

    Examples
    --------
    >>> import linnet
    >>> own_learner(linnet.LinearRegression())
    Traceback (most recent call last):
        ...
    linnet.errors.ParameterError: LinearRegression does not classify; use MaxEnt, ...
    """
    name = learner.__name__ if isinstance(learner, type) else type(learner).__name__
    if isinstance(learner, type) or not hasattr(learner, "get_params"):
        raise ParameterError(f"learner must be an estimator such as SVM(), got {learner!r}.")
    if not is_classifier(learner):
        raise ParameterError(f"{name} does not classify; {_USE}.")
    known = learner.get_params()
    if known.get("joint_map") is not None:
        raise ParameterError(f"{name} with a joint_map reads objects, not texts; leave it out.")
    reason = learner._why_not_linear() if hasattr(learner, "_why_not_linear") else ""
    if reason:
        raise ParameterError(f"{name} {reason}; {_USE}.")
    if isinstance(known.get("class_weight"), Mapping):
        raise ParameterError(f"Give class_weight to TextClassifier instead of to {name}.")
    return clone(learner)


def linear_parts(learner: Any) -> tuple[Floats, Floats]:
    """Return weights (J, columns) and intercepts (columns,) of a fitted linear classifier.

    Raises
    ------
    ParameterError
        When its decision is not the largest of linear scores.

    Examples
    --------
    >>> import linnet
    >>> weights, intercept = linear_parts(linnet.SVM().fit([[0.0], [1.0]], ["no", "yes"]))
    >>> weights.shape, intercept.shape
    ((1, 1), (1,))
    """
    name = type(learner).__name__
    coef, intercept = getattr(learner, "coef_", None), getattr(learner, "intercept_", None)
    if coef is None or intercept is None or getattr(learner, "has_zeros_", False):
        raise ParameterError(f"{name} has no finite linear form; {_USE}.")
    if sp.issparse(coef):
        coef = coef.toarray()
    weights = np.atleast_2d(np.asarray(coef, np.float64)).T
    columns = 1 if len(learner.classes_) == 2 else len(learner.classes_)
    pairs = columns > 2 and getattr(learner, "multi_class", None) == "ovo"
    if pairs or weights.shape[1] != columns:
        raise ParameterError(
            f"{name} does not decide by one score a class; use multi_class='ovr' instead of 'ovo'."
        )
    bias = np.broadcast_to(np.asarray(intercept, np.float64), (columns,))
    if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
        raise ParameterError(f"{name} has weights that are not finite; smooth it more.")
    return weights, bias.copy()


def agreed_parts(learner: Any, X: sp.csr_matrix) -> tuple[Floats, Floats]:
    """Return the linear form once it has given the learner's own scores on some rows of X.

    What is added to the scores of all classes alike, such as ln p(x), is no difference.
    """
    weights, intercept = linear_parts(learner)
    theirs = np.asarray(learner.decision_function(X[:_COMPARED])).reshape(-1, weights.shape[1])
    ours = np.asarray(X[:_COMPARED] @ weights + intercept)
    if weights.shape[1] > 1:
        theirs = theirs - theirs.mean(axis=1, keepdims=True)
        ours = ours - ours.mean(axis=1, keepdims=True)
    if not np.allclose(theirs, ours, rtol=1e-5, atol=1e-5 * max(1.0, float(np.abs(theirs).max()))):
        raise ParameterError(
            f"The scores of {type(learner).__name__} are not linear in the values it is given, as "
            f"TextClassifier needs them; give values 0 and 1 (weighting='binary', norm=None), or "
            f"{_USE}."
        )
    return weights, intercept


def narrow(weights: NDArray[Any]) -> NDArray[np.float32]:
    """Return weights in 32 bits, if they fit."""
    with np.errstate(over="ignore", under="ignore"):
        narrow = np.ascontiguousarray(weights, dtype=np.float32)
    if not np.isfinite(narrow).all():
        raise DataError("A weight is too large for 32 bits: scale the features up, or lower C.")
    return narrow


class FoldWalk:
    """A learner, or one for each label of a table, without the examples of one fold.

    `scores` gives the scores of held-out rows, shape (n, columns): by the learner's linear form,
    or for one without by :func:`own_scores`. With `held`, which are the rows of the part, X has
    the others alone.
    """

    def __init__(
        self,
        learner: Any,
        X: Any,
        gold: NDArray[np.int32],
        weights: Floats | None,
        part: NDArray[np.intp],
        scores: Callable[[Any, Any], Floats] | None = None,
        held: Any = None,
    ) -> None:
        rest = np.delete(np.arange(len(gold)), part)
        self._X, self._held = (X[rest], X[part]) if held is None else (X, held)
        self._gold = gold[rest]
        self._weights = None if weights is None else weights[rest]
        self._several = gold.ndim == 2
        self._n_classes = 2 if self._several else int(gold.max()) + 1
        if scores is None:
            self._X = asked_often(self._X, learner, goes_on=not self._several)
            self._held = asked_often(self._held, learner)
        self._scores = linear_scores if scores is None else scores
        ready = walking if scores is None else clone
        self._learners = [ready(learner) for _ in range(gold.shape[1] if self._several else 1)]

    def step(self, C: float | None) -> Floats:
        """Fit at C and return the scores of the fold, shape (rows, columns)."""
        if not self._several:
            return self._answers(self._learners[0], C, self._gold)
        scores = np.empty((self._held.shape[0], len(self._learners)))
        for k, (learner, yes) in enumerate(zip(self._learners, self._gold.T, strict=True)):
            constant = yes.min() == yes.max()
            scores[:, k] = _prior(yes) if constant else self._answers(learner, C, yes)[:, 0]
        return scores

    def _answers(self, learner: Any, C: float | None, gold: NDArray[np.int32]) -> Floats:
        """Return the scores of one question; a class not seen scores below all others."""
        fit_at(learner, C, self._X, gold, self._weights)
        scores = self._scores(learner, self._held)
        seen = np.asarray(learner.classes_, dtype=np.intp)
        if len(seen) == self._n_classes:
            return scores
        if scores.shape[1] == 1:  # two of more classes
            scores = np.hstack([-scores / 2, scores / 2])
        full = np.full((len(scores), self._n_classes), scores.min() - 1.0)
        full[:, seen] = scores
        return full

    def stand(self) -> Any:
        """Return the learner as it is; later fits set new arrays. Of several none is kept."""
        return None if self._several else copy(self._learners[0])


def asked_often(X: Any, learner: Any, *, goes_on: bool = False) -> Any:
    """Return X checked for all of many fits and scores of a learner, where it takes such rows."""
    if not isinstance(learner, LinearClassifier) or isinstance(X, RowsElsewhere):
        return X
    return CheckedRows(X, learner._threads(), goes_on=goes_on)


def linear_scores(learner: Any, X: Any) -> Floats:
    """Return the scores of a linear learner, shape (n, columns)."""
    weights, intercept = linear_parts(learner)
    return np.asarray(X @ weights + intercept)


def own_scores(learner: Any, X: Any) -> Floats:
    """Return the scores that a learner without weights gives, shape (n, columns)."""
    scores = np.asarray(learner.decision_function(X), dtype=np.float64)
    return scores[:, None] if scores.ndim == 1 else scores


def walking(learner: Any) -> Any:
    """Return a copy of the learner whose fits go on from the last one, where it can."""
    going = clone(learner)
    if declaration_of(going).strengths:
        going.set_params(warm_start=True, tol=max(learner.tol, LOOSE))
    return going


def fit_at(
    learner: Any, C: float | None, X: Any, y: NDArray[np.int32], weights: Floats | None
) -> None:
    """Fit on the way to something else: how far from the optimum it stopped is not news."""
    if C is not None:
        learner.set_params(C=C)
    with warnings.catch_warnings(), stage("calibrate" if C is None else "choose C"):
        warnings.simplefilter("ignore", ConvergenceWarning)
        fit_weighted(learner, X, y, weights)


def fit_weighted(learner: Any, X: Any, y: NDArray[np.int32], weights: Floats | None) -> None:
    """Fit, with weights if there are any: not every learner takes them."""
    if weights is None:
        learner.fit(X, y)
    else:
        learner.fit(X, y, sample_weight=weights)


def fit_labels(
    learner: Any, X: Any, table: NDArray[np.int32], weights: Floats | None
) -> tuple[list[Any], Floats, Floats]:
    """Fit one two-class learner for each label; one that never varies becomes an intercept.

    Returns
    -------
    learners : list
        None for a label that every row has.
    weights : array of shape (J, K)
    intercept : array of shape (K,)
    """
    W, b = np.zeros((X.shape[1], table.shape[1])), np.zeros(table.shape[1])
    rows = asked_often(X, learner)
    fitted: list[Any] = []
    for k in range(table.shape[1]):
        yes = table[:, k]
        if yes.min() == yes.max():
            fitted.append(None)
            b[k] = _prior(yes)
            continue
        asked = clone(learner)
        fit_weighted(asked, rows, yes, weights)
        weights_k, intercept_k = agreed_parts(asked, X)
        W[:, k], b[k] = weights_k[:, 0], intercept_k[0]
        fitted.append(asked)
    return fitted, W, b


def _prior(yes: NDArray[np.int32]) -> float:
    """Return the score of a label that all rows have, or none: its smoothed log odds."""
    return float(np.log((yes.sum() + 1.0) / (len(yes) - yes.sum() + 1.0)))
