"""The stored examples that decided, with their votes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.learn.shared.reasons import Named, Reasons, values_text, vector_text

__all__ = ["neighbour_reasons"]

_MOST = 1000  # neighbours looked at
_EPSILON = 1e-10  # distances that differ by less are one


def neighbour_reasons(learner: Any, inputs: Any, k: int, named: Named) -> Reasons:
    """Return the nearest stored examples, nearest first.

    Equal distances count as one of the `k` where the learner counts distances.
    """
    stored = _stored_labels(learner)
    wanted = min(_MOST, len(stored))
    distances, rows = (part[0] for part in learner.kneighbors(inputs, k=wanted))
    near = _voters(learner, distances)
    distances, rows = distances[:near], rows[:near]
    votes = _votes(learner, distances)
    labels = learner.classes_.tolist()
    table = [
        (
            f"{d:.6g}",
            labels[stored[row]],
            float(vote),
            int(row) + 1,
            _row_text(learner, int(row), named),
        )
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


def _stored_labels(learner: Any) -> NDArray[np.int64]:
    """Return the class number of each training row."""
    if hasattr(learner, "_vectors"):
        return np.asarray(learner._seen[learner._vectors.label])
    memory = learner._memory
    labels = np.empty(len(memory.row), dtype=np.int64)
    labels[memory.row] = learner._seen[memory.label]
    return labels


def _voters(learner: Any, distances: NDArray[np.float64]) -> int:
    """Return how many of the sorted neighbours vote."""
    finite = int(np.isfinite(distances).sum())
    if learner.neighbors == "examples":
        return min(int(learner.k), finite)
    steps = np.flatnonzero(np.diff(distances[:finite]) > _EPSILON)
    return finite if len(steps) < int(learner.k) else int(steps[int(learner.k) - 1]) + 1


def _votes(learner: Any, d: NDArray[np.float64]) -> NDArray[np.float64]:
    if learner.vote == "inverse_linear" and len(d) and d[-1] - d[0] > _EPSILON:
        return np.asarray((d[-1] - d) / (d[-1] - d[0]))
    if learner.vote == "inverse_distance":
        return np.asarray(1.0 / (d + np.finfo(np.float64).eps))
    if learner.vote == "exponential_decay":
        return np.asarray(np.exp(-learner.alpha * d**learner.beta))
    return np.ones(len(d))


def _row_text(learner: Any, row: int, named: Named) -> str:
    """Return a training row for people, from what the learner has stored of it."""
    if hasattr(learner, "_vectors"):
        vectors = learner._vectors
        part = slice(vectors.start[row], vectors.start[row + 1])
        return vector_text(named, vectors.index[part], vectors.value[part])
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
    return values_text(named.names or learner.attributes_.names, values)
