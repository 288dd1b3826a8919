"""The training examples that decided: neighbours with their votes, support vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.learn.kernel.base import KernelClassifier
from linnet.learn.memory import MemoryBased
from linnet.model.reasons import Reasons, vector_text
from linnet.model.row_reader import values_text

if TYPE_CHECKING:
    from linnet.model.model import Model

__all__ = ["kernel_reasons", "neighbour_reasons"]

_MOST = 1000  # neighbours looked at
_EPSILON = 1e-10  # distances that differ by less are one


def neighbour_reasons(model: Model, inputs: Any, k: int) -> Reasons:
    """Return the nearest stored examples, nearest first.

    Equal distances count as one of the `k` where the learner counts distances.
    """
    learner: MemoryBased = model.learner_
    stored = _stored_labels(learner)
    wanted = min(_MOST, len(stored))
    distances, rows = (part[0] for part in learner.kneighbors(inputs, k=wanted))
    near = _voters(learner, distances)
    distances, rows = distances[:near], rows[:near]
    votes = _votes(learner, distances)
    labels = learner.classes_.tolist()
    table = [
        (f"{d:.6g}", labels[stored[row]], float(vote), int(row) + 1, _row_text(model, int(row)))
        for d, row, vote in zip(distances, rows.tolist(), votes, strict=True)
    ]
    votes_for = float(
        sum(v for v, row in zip(votes, rows.tolist(), strict=True) if stored[row] == k)
    )
    counted = "distances" if learner.neighbors == "distances" else "examples"
    return Reasons(
        f"the neighbours at the {learner.k} nearest {counted}"
        if learner.k > 1
        else "the nearest neighbours",
        ("distance", "label", "vote", "training row", "values"),
        tuple(table),
        f"{votes_for:.4g} of {float(votes.sum()):.4g} votes for {labels[k]}"
        + ("" if learner.search == "exact" else f"; the answer is that of search={learner.search}"),
    )


def _stored_labels(learner: MemoryBased) -> NDArray[np.int64]:
    """Return the class number of each training row."""
    if hasattr(learner, "_vectors"):
        return np.asarray(learner._seen[learner._vectors.label])
    memory = learner._memory
    labels = np.empty(len(memory.row), dtype=np.int64)
    labels[memory.row] = learner._seen[memory.label]
    return labels


def _voters(learner: MemoryBased, distances: NDArray[np.float64]) -> int:
    """Return how many of the sorted neighbours vote."""
    finite = int(np.isfinite(distances).sum())
    if learner.neighbors == "examples":
        return min(learner.k, finite)
    steps = np.flatnonzero(np.diff(distances[:finite]) > _EPSILON)
    return finite if len(steps) < learner.k else int(steps[learner.k - 1]) + 1


def _votes(learner: MemoryBased, d: NDArray[np.float64]) -> NDArray[np.float64]:
    if learner.vote == "inverse_linear" and len(d) and d[-1] - d[0] > _EPSILON:
        return np.asarray((d[-1] - d) / (d[-1] - d[0]))
    if learner.vote == "inverse_distance":
        return np.asarray(1.0 / (d + np.finfo(np.float64).eps))
    if learner.vote == "exponential_decay":
        return np.asarray(np.exp(-learner.alpha * d**learner.beta))
    return np.ones(len(d))


def _row_text(model: Model, row: int) -> str:
    """Return a training row for people, from what the learner has stored of it."""
    learner: MemoryBased = model.learner_
    if hasattr(learner, "_vectors"):
        vectors = learner._vectors
        part = slice(vectors.start[row], vectors.start[row + 1])
        return vector_text(model, vectors.index[part], vectors.value[part])
    memory = learner._memory if learner._trie is None else learner._trie
    at = int(np.searchsorted(memory.start, np.flatnonzero(memory.row == row)[0], "right")) - 1
    values: list[Any] = [None] * len(memory.order)
    for j, column in enumerate(memory.order.tolist()):
        if learner.attributes_.kinds[column] == "numeric":
            values[column] = float(memory.number[memory.slot[j], at])
        else:
            code = int(memory.value[memory.slot[j], at])
            known = learner.attributes_.values[column]
            values[column] = known[code] if 0 <= code < len(known) else None
    return values_text(model.names or learner.attributes_.names, values)


def kernel_reasons(model: Model, inputs: Any, k: int, other: int) -> Reasons:
    """Return the support vectors by the size of what they add to the score of class k.

    Of a one-against-one machine that is the score of k against `other`.
    """
    learner: KernelClassifier = model.learner_
    gram = np.vstack(list(learner._cross_grams(inputs)))[0]
    coefficient, base, against = _machine(learner, k, other)
    parts = coefficient * gram
    labels = learner.classes_.tolist()
    order = np.argsort(-np.abs(parts), kind="stable")
    rows = [
        (
            float(parts[s]), float(gram[s]), float(coefficient[s]), int(learner.support_[s]) + 1,
            _support_text(model, s),
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


def _machine(
    learner: KernelClassifier, k: int, other: int
) -> tuple[NDArray[np.float64], float, bool]:
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


def _support_text(model: Model, s: int) -> str:
    learner: KernelClassifier = model.learner_
    if not learner._over_features():
        return str(learner.support_vectors_[s])
    rows = learner._support_rows
    part = slice(rows["start"][s], rows["start"][s + 1])
    return vector_text(model, rows["index"][part], rows["value"][part])
