"""Which learners a TextClassifier takes, and the linear form of one that is fitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from linnet.errors import ParameterError

__all__ = ["agreed_parts", "linear_parts", "own_learner"]

Floats = NDArray[np.float64]
_USE = (
    "use MaxEnt, SVM, Perceptron, MIRA, or MultinomialNB or BernoulliNB with alpha > 0, or a "
    "linear classifier of scikit-learn"
)
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
    if known.get("variance") == "per-class":
        raise ParameterError(f"{name} with a variance for each class is not linear; {_USE}.")
    if known.get("alpha") == 0 and "fit_prior" in known:
        raise ParameterError(f"{name} with alpha=0 has infinite weights; give it alpha > 0.")
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
    own = np.asarray(learner.decision_function(X[:_COMPARED])).reshape(-1, weights.shape[1])
    ours = np.asarray(X[:_COMPARED] @ weights + intercept)
    if weights.shape[1] > 1:
        own = own - own.mean(axis=1, keepdims=True)
        ours = ours - ours.mean(axis=1, keepdims=True)
    if not np.allclose(own, ours, rtol=1e-5, atol=1e-5 * max(1.0, float(np.abs(own).max()))):
        raise ParameterError(
            f"The scores of {type(learner).__name__} are not linear in the values it is given, as "
            f"TextClassifier needs them; give values 0 and 1 (weighting='binary', norm=None), or "
            f"{_USE}."
        )
    return weights, intercept
