r"""The terms of the log densities that decided.

With one class k, mean μ and covariance Σ, the log density is a sum over features: with d = x - μ,

.. math:: \ln p(x, k) = \ln P(k) - \tfrac12 \ln|2πΣ| - \tfrac12 \sum_j d_j (Σ^{-1} d)_j
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.learn.density import GaussianBayes, ParzenWindows
from linnet.learn.naive_bayes import GaussianNB
from linnet.model.reasons import Reasons

if TYPE_CHECKING:
    from linnet.model.model import Model

__all__ = ["gaussian_reasons", "window_reasons"]

Floats = NDArray[np.float64]


def gaussian_reasons(model: Model, inputs: Any, k: int, other: int) -> Reasons:
    """Return what each feature adds to the log density of class k, and of the runner-up."""
    learner: GaussianBayes | GaussianNB = model.learner_
    x = np.asarray(inputs.toarray() if hasattr(inputs, "toarray") else inputs)[0]
    terms, rest = _terms(learner, x, k), _terms(learner, x, other)
    labels, mean = learner.classes_.tolist(), _means(learner)
    joint = learner.predict_joint_log_proba(inputs)[0]
    order = np.argsort(-np.abs(terms - rest), kind="stable")
    rows = [
        (
            model.feature_name(j), float(x[j]), float(mean[k, j]), float(mean[other, j]),
            float(terms[j]), float(rest[j]),
            float(terms[j] - rest[j]),
        )
        for j in order.tolist()
    ]  # fmt: skip
    base = (joint[k] - terms.sum()) - (joint[other] - rest.sum())
    return Reasons(
        f"the log densities, feature by feature, of {labels[k]} and {labels[other]}",
        (
            "feature", "value", f"mean of {labels[k]}", f"mean of {labels[other]}",
            f"for {labels[k]}", f"for {labels[other]}", "difference",
        ),
        tuple(rows),
        f"with {base:+.4g} for priors and determinants the differences sum to "
        f"{joint[k] - joint[other]:.4g}",
    )  # fmt: skip


def _means(learner: GaussianBayes | GaussianNB) -> Floats:
    return learner.theta_ if isinstance(learner, GaussianNB) else learner.means_


def _terms(learner: GaussianBayes | GaussianNB, x: Floats, k: int) -> Floats:
    """Return -½ d_j (Σ⁻¹ d)_j for each feature j."""
    d = x - _means(learner)[k]
    if isinstance(learner, GaussianNB):
        return np.asarray(-0.5 * d**2 / learner.var_[k])
    A = learner.whitening_
    if A is None:
        return np.zeros(len(d))
    if learner._diagonal:
        precision = np.broadcast_to(A**2, learner.means_.shape)[k]
        return np.asarray(-0.5 * precision * d**2)
    one = A if A.ndim == 2 else A[k]
    return np.asarray(-0.5 * d * (one.T @ (one @ d)))


def window_reasons(learner: ParzenWindows, inputs: Any) -> Reasons:
    """Return the log density of each class, the most probable first."""
    density = learner.predict_log_density(inputs)[0]
    prior = learner.class_log_prior_
    joint = density + prior
    labels = learner.classes_.tolist()
    order = np.argsort(-joint, kind="stable").tolist()
    return Reasons(
        "the density of each class at this point",
        ("label", "log density", "log prior", "sum"),
        tuple((labels[k], float(density[k]), float(prior[k]), float(joint[k])) for k in order),
        f"windows of width {learner.h:g}",
    )
