"""The support vectors that decided, with what each adds to the score."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.learn.shared.reasons import Named, Reasons, vector_text

__all__ = ["kernel_reasons"]


def kernel_reasons(learner: Any, inputs: Any, k: int, other: int, named: Named) -> Reasons:
    """Return the support vectors by the size of what they add to the score of class k.

    Of a one-against-one machine that is the score of k against `other`.
    """
    gram = np.vstack(list(learner._cross_grams(inputs)))[0]
    coefficient, base, against = _machine(learner, k, other)
    parts = coefficient * gram
    labels = learner.classes_.tolist()
    order = np.argsort(-np.abs(parts), kind="stable")
    rows = [
        (
            float(parts[s]), float(gram[s]), float(coefficient[s]), int(learner.support_[s]) + 1,
            _support_text(learner, s, named),
        )
        for s in order.tolist()
        if coefficient[s]
    ]  # fmt: skip
    versus = f" against {labels[other]}" if against else ""
    return Reasons(
        f"what the support vectors add to the score of {labels[k]}{versus}",
        ("contribution", "kernel", "coefficient", "training row", "values"),
        tuple(rows),
        f"with the intercept {base:+.4g} all {len(rows)} sum to {base + float(parts.sum()):.4g}",
    )


def _machine(learner: Any, k: int, other: int) -> tuple[NDArray[np.float64], float, bool]:
    """Return the coefficients and the intercept that speak for class k, and whether for a pair."""
    dual, n_classes = learner.dual_coef_, len(learner.classes_)
    if n_classes == 2:
        sign = 1.0 if k == 1 else -1.0
        return sign * dual[0], sign * float(learner.intercept_[0]), False
    if getattr(learner, "multi_class", "ovr") != "ovo":
        return dual[k], float(learner.intercept_[k]), False
    first, second = min(k, other), max(k, other)
    edges = np.concatenate([[0], np.cumsum(learner.n_support_)])
    coefficients = np.zeros(dual.shape[1])
    for group, row in ((first, second - 1), (second, first)):
        part = slice(edges[group], edges[group + 1])
        coefficients[part] = dual[row, part]
    pairs = [(a, b) for a in range(n_classes) for b in range(a + 1, n_classes)]
    base = float(learner.intercept_[pairs.index((first, second))])
    sign = 1.0 if k == second else -1.0  # a positive score is a vote for the second class
    return sign * coefficients, sign * base, True


def _support_text(learner: Any, s: int, named: Named) -> str:
    if not learner._over_features():
        return str(learner.support_vectors_[s])
    rows = learner._support_rows
    part = slice(rows["start"][s], rows["start"][s + 1])
    return vector_text(named, rows["index"][part], rows["value"][part])
