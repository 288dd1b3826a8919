"""What an explanation is made of, and the reasons of decision trees and of linear learners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from linnet.errors import ParameterError
from linnet.learn.tree import DecisionTree
from linnet.model.linear import linear_parts

if TYPE_CHECKING:
    from linnet.model.row_model import RowModel

__all__ = ["Reasons", "linear_reasons", "path_reasons", "values_text", "vector_text"]

_SHOWN = 6  # features of a vector that are spelled out


@dataclass(frozen=True)
class Reasons:
    """A table of reasons, its headings, and what it sums up to."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""


def values_text(names: Sequence[str], values: Sequence[Any]) -> str:
    """Return a row for people.

    Examples
    --------
    >>> values_text(["outlook", "degrees"], ["sunny", 21.5])
    'outlook=sunny degrees=21.5'
    """
    parts = zip(names, values, strict=True)
    return " ".join(f"{name}={_spelled(value)}" for name, value in parts)


def _spelled(value: Any) -> str:
    if value is None or value != value:
        return "?"
    return f"{value:g}" if isinstance(value, float) else str(value)


def vector_text(model: RowModel, index: Any, value: Any) -> str:
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


def path_reasons(tree: DecisionTree, inputs: Any) -> Reasons:
    """Return the tests of a decision tree from the root down."""
    node = int(tree.apply(inputs)[0])
    rows, labels = [], tree.classes_.tolist()
    from linnet.learn.tree_text import path_of

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


def linear_reasons(model: RowModel, inputs: Any, k: int) -> Reasons:
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
