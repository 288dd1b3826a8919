r"""The terms of the log densities that decided.

With one class k, mean μ and covariance Σ, the log density is a sum over features: with d = x - μ,

.. math:: \ln p(x, k) = \ln P(k) - \tfrac12 \ln|2πΣ| - \tfrac12 \sum_j d_j (Σ^{-1} d)_j
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet.learn.shared.reasons import Named, Reasons

__all__ = ["gaussian_reasons", "window_reasons"]


def gaussian_reasons(learner: Any, inputs: Any, k: int, other: int, named: Named) -> Reasons:
    """Return what each feature adds to the log density of class k, and of the runner-up.

    The learner gives its terms for one row and class, and has ``means_``.
    """
    x = np.asarray(inputs.toarray() if hasattr(inputs, "toarray") else inputs)[0]
    terms, rest = learner._terms(x, k), learner._terms(x, other)
    labels, mean = learner.classes_.tolist(), learner.means_
    joint = learner.predict_joint_log_proba(inputs)[0]
    order = np.argsort(-np.abs(terms - rest), kind="stable")
    rows = [
        (
            named.feature_name(j), float(x[j]), float(mean[k, j]), float(mean[other, j]),
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


def window_reasons(learner: Any, inputs: Any) -> Reasons:
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
