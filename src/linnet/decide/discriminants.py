"""A classifier as functions to compare: one a class, or one for two classes (SPEC M-05, M-06)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError

__all__ = ["dichotomiser", "discriminants"]

Floats = NDArray[np.float64]
Form = Literal["posterior", "joint", "log_joint"]


def discriminants(model: Any, X: Any, form: Form = "log_joint") -> Floats:
    """Return g_k(x): the decision is the class of the largest (SPEC M-05).

    Parameters
    ----------
    model : a fitted classifier
        The joint forms need a generative model, one with ``predict_joint_log_proba``.
    X : rows
    form : {"posterior", "joint", "log_joint"}
        P(k | x), p(x, k) or ln p(x, k). Each is an increasing function of the other for one x, so
        that all give the same labels; a decreasing one would turn the order round (A-45).

    Returns
    -------
    array of shape (n, K)

    Examples
    --------
    >>> from linnet import GaussianNB
    >>> model = GaussianNB(variance=1.0).fit([[-1.0], [1.0]], ["a", "b"])
    >>> [discriminants(model, [[0.5]], form).argmax() for form in ("posterior", "joint")]
    [np.int64(1), np.int64(1)]
    """
    if form not in ("posterior", "joint", "log_joint"):
        raise ParameterError(f"form must be 'posterior', 'joint' or 'log_joint', got {form!r}.")
    name = "predict_proba" if form == "posterior" else "predict_joint_log_proba"
    if not hasattr(model, name):
        kind = "probabilities" if form == "posterior" else "joint densities p(x, k)"
        raise ParameterError(f"{type(model).__name__} has no {kind} ({name}).")
    values: Floats = np.asarray(getattr(model, name)(X), dtype=np.float64)
    return np.exp(values) if form == "joint" else values


def dichotomiser(
    model: Any, X: Any, form: Literal["posterior", "log_ratio"] = "log_ratio"
) -> Floats:
    """Return one function for two classes: positive for ``classes_[1]`` (SPEC M-06).

    Parameters
    ----------
    model : a fitted classifier of two classes
    X : rows
    form : {"posterior", "log_ratio"}
        P(1 | x) - P(0 | x), or ln p(x | 1) / p(x | 0) + ln P(1) / P(0). Both have the same sign;
        exactly 0 goes to ``classes_[1]`` (A-17).

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> from linnet import GaussianNB
    >>> model = GaussianNB(variance=1.0).fit([[-1.0], [1.0]], ["a", "b"])
    >>> dichotomiser(model, [[0.0], [3.0]]).tolist()
    [0.0, 6.0]
    """
    if form not in ("posterior", "log_ratio"):
        raise ParameterError(f"form must be 'posterior' or 'log_ratio', got {form!r}.")
    g = discriminants(model, X, "posterior" if form == "posterior" else "log_joint")
    if g.shape[1] != 2:
        raise DataError(f"A dichotomiser tells two classes apart, the model has {g.shape[1]}.")
    return np.subtract(g[:, 1], g[:, 0], out=np.zeros(len(g)), where=g[:, 1] != g[:, 0])
