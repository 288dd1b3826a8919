"""Why a learner that is kept whole decides as it does: one function for each family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from linnet.errors import ParameterError
from linnet.learn.density import GaussianBayes, ParzenWindows
from linnet.learn.kernel.base import KernelClassifier
from linnet.learn.memory import MemoryBased
from linnet.learn.naive_bayes import GaussianNB
from linnet.learn.tree import DecisionTree
from linnet.model.linear import linear_parts

if TYPE_CHECKING:
    from linnet.model.model import Model

__all__ = ["Reasons", "reasons_of", "vector_text"]

_SHOWN = 6  # features of a vector that are spelled out


@dataclass(frozen=True)
class Reasons:
    """A table of reasons, its headings, and what it sums up to."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""


def reasons_of(model: Model, inputs: Any, k: int, other: int) -> Reasons:
    """Return what speaks for class k of one example, and against another where that matters."""
    from linnet.model.reasons.density import gaussian_reasons, window_reasons
    from linnet.model.reasons.examples import kernel_reasons, neighbour_reasons

    learner = model.learner_
    if isinstance(learner, MemoryBased):
        return neighbour_reasons(model, inputs, k)
    if isinstance(learner, DecisionTree):
        return _path_reasons(learner, inputs)
    if isinstance(learner, KernelClassifier):
        return kernel_reasons(model, inputs, k, other)
    if isinstance(learner, ParzenWindows):
        return window_reasons(learner, inputs)
    if isinstance(learner, (GaussianBayes, GaussianNB)):
        return gaussian_reasons(model, inputs, k, other)
    return _linear_reasons(model, inputs, k)


def vector_text(model: Model, index: Any, value: Any) -> str:
    """Return the largest features of a vector for people."""
    if model.kind == "row":  # few columns: all of them, in their order
        order, most = np.arange(len(index)), len(index)
    else:
        order, most = np.argsort(-np.abs(value), kind="stable"), _SHOWN
    named = []
    for i in order[:most].tolist():
        name = model.feature_name(int(index[i]))
        named.append(name if "=" in name and value[i] == 1 else f"{name} {value[i]:.3g}")
    return ", ".join(named) + (", …" if len(order) > most else "")


def _path_reasons(tree: DecisionTree, inputs: Any) -> Reasons:
    """Return the tests of a decision tree from the root down."""
    node = int(tree.apply(inputs)[0])
    rows, labels = [], tree.classes_.tolist()
    from linnet.learn.tree.text import path_of

    for step in path_of(tree, node):
        shares = ", ".join(f"{label} {count:g}" for label, count in step.counts.items())
        rows.append((step.test, step.guess, shares))
    note = ""
    if tree.feature_[node] >= 0:
        asked = tree.names_[int(tree.feature_[node])]
        note = f"the value of {asked} was not seen here in training, so the last node answers"
    elif not rows:
        note = f"the tree has no test: it always answers {labels[int(tree.counts_[0].argmax())]}"
    return Reasons(
        "the tests that lead to the answer",
        ("test", "most frequent class", "examples"),
        tuple(rows),
        note,
    )


def _linear_reasons(model: Model, inputs: Any, k: int) -> Reasons:
    """Return what each feature adds to the score of class k."""
    try:
        weights, intercept = linear_parts(model.learner_)
    except ParameterError as error:
        raise ParameterError(f"There is no explanation for this learner: {error}") from None
    row = csr_matrix(inputs)
    column, sign = (k, 1.0) if weights.shape[1] > 1 else (0, 1.0 if k == 1 else -1.0)
    parts = sorted(
        (
            (model.feature_name(j), v, sign * weights[j, column], sign * v * weights[j, column])
            for j, v in zip(row.indices.tolist(), row.data.tolist(), strict=True)
        ),
        key=lambda part: -abs(part[3]),
    )
    base = sign * float(intercept[column])
    score = base + sum(part[3] for part in parts)
    return Reasons(
        "what each feature adds to the score",
        ("feature", "value", "weight", "contribution"),
        tuple((n, float(v), float(w), float(c)) for n, v, w, c in parts),
        f"with the intercept {base:+.4g} they sum to the score {score:.4g}",
    )
