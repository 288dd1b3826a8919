"""The linear form of a fitted learner: weights and intercepts, whatever it is called."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError

__all__ = ["linear_parts"]

Floats = NDArray[np.float64]


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
        raise ParameterError(
            f"{name} has no finite linear form, which TextClassifier needs; use MaxEnt, SVM, "
            "Perceptron, MIRA, or MultinomialNB or BernoulliNB with alpha > 0."
        )
    weights = np.atleast_2d(np.asarray(coef, np.float64)).T
    columns = 1 if len(learner.classes_) == 2 else len(learner.classes_)
    if weights.shape[1] != columns:
        raise ParameterError(
            f"{name} does not decide by one score a class; use multi_class='ovr' instead of 'ovo'."
        )
    bias = np.broadcast_to(np.asarray(intercept, np.float64), (columns,))
    if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
        raise ParameterError(f"{name} has weights that are not finite; smooth it more.")
    return weights, bias.copy()
