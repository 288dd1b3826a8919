"""Several labels a row: each label is a question of its own, with a learner of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from linnet.errors import DataError
from linnet.model.linear import agreed_parts, linear_parts
from linnet.model.tuning import fit_at, fit_weighted, walking

__all__ = ["LabelsWalk", "fit_labels", "label_lists", "label_table"]

Floats = NDArray[np.float64]


def label_lists(y: Any) -> Sequence[Any] | None:
    """Return y if it has a list of labels for each row, else None.

    Examples
    --------
    >>> label_lists([["red"], []]), label_lists(["red", "blue"])
    ([['red'], []], None)
    """
    if hasattr(y, "tolist") and str(getattr(y, "dtype", "")) == "object":
        y = y.tolist()
    if isinstance(y, (str, bytes)) or not isinstance(y, Sequence):
        return None
    first = next((entry for entry in y if entry is not None), None)
    return y if isinstance(first, (list, tuple, set, frozenset, np.ndarray)) else None


def label_table(rows: Sequence[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the labels, sorted, and table[i, k] = 1 where row i has label k.

    Examples
    --------
    >>> classes, table = label_table([["red", "blue"], [], ["blue"]])
    >>> classes.tolist(), table.tolist()
    (['blue', 'red'], [[1, 1], [0, 0], [1, 0]])
    """
    for number, labels in enumerate(rows):
        if isinstance(labels, (str, bytes, Mapping)) or not hasattr(labels, "__iter__"):
            raise DataError(
                f"Row {number} has the label {labels!r}, but other rows have lists of labels; "
                "write a list in every row, [] for none."
            )
    plain = [[v.item() if isinstance(v, np.generic) else v for v in labels] for labels in rows]
    found = _sorted_labels(plain)
    number_of = {label: k for k, label in enumerate(found)}
    table = np.zeros((len(rows), len(found)), np.int32)
    for row, labels in enumerate(plain):
        table[row, [number_of[label] for label in labels]] = 1
    return np.array(found), table


def _sorted_labels(rows: list[Any]) -> list[Any]:
    """Return all labels: at least one, of one kind, a text or a number each."""
    try:
        found = sorted({label for labels in rows for label in labels})
    except TypeError as error:
        raise DataError(f"Labels must be of one kind, such as str: {error}.") from None
    if not found:
        raise DataError("No row has a label; at least one must have one.")
    for label in found:
        if not isinstance(label, (str, int, float)) or label in (np.inf, -np.inf) or label != label:
            raise DataError(f"Labels must be texts or finite numbers, got {label!r}.")
    return found


class LabelsWalk:
    """The learners of all labels on their way from C to C, without the examples of one fold."""

    def __init__(
        self,
        learner: Any,
        X: Any,
        table: NDArray[np.int32],
        weights: Floats | None,
        part: NDArray[np.intp],
    ) -> None:
        rest = np.delete(np.arange(len(table)), part)
        self._X, self._table, self._held = X[rest], table[rest], X[part]
        self._weights = None if weights is None else weights[rest]
        self._learners = [walking(learner) for _ in range(table.shape[1])]

    def step(self, C: float | None) -> Floats:
        """Fit at C and return the scores of the fold, shape (rows, labels)."""
        scores = np.empty((self._held.shape[0], len(self._learners)))
        for k, learner in enumerate(self._learners):
            yes = self._table[:, k]
            if yes.min() == yes.max():
                scores[:, k] = _prior(yes)
                continue
            fit_at(learner, C, self._X, yes, self._weights)
            weights, intercept = linear_parts(learner)
            scores[:, k] = self._held @ weights[:, 0] + intercept[0]
        return scores

    def stand(self) -> Any:
        """Return nothing: the final fits start afresh."""
        return None


def fit_labels(
    learner: Any, X: Any, table: NDArray[np.int32], weights: Floats | None
) -> tuple[list[Any], Floats, Floats]:
    """Fit one two-class learner for each label; one that never varies becomes an intercept.

    Returns
    -------
    learners : list
        None for a label that every row has.
    weights : array of shape (J, K)
    intercept : array of shape (K,)
    """
    W, b = np.zeros((X.shape[1], table.shape[1])), np.zeros(table.shape[1])
    fitted: list[Any] = []
    for k in range(table.shape[1]):
        yes = table[:, k]
        if yes.min() == yes.max():
            fitted.append(None)
            b[k] = _prior(yes)
            continue
        own = clone(learner)
        fit_weighted(own, X, yes, weights)
        weights_k, intercept_k = agreed_parts(own, X)
        W[:, k], b[k] = weights_k[:, 0], intercept_k[0]
        fitted.append(own)
    return fitted, W, b


def _prior(yes: NDArray[np.int32]) -> float:
    """Return the score of a label that all rows have, or none: its smoothed log odds."""
    return float(np.log((yes.sum() + 1.0) / (len(yes) - yes.sum() + 1.0)))
