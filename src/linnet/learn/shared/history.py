"""What a fit leaves behind: one line an iteration, and a final optimality figure (SPEC M-127)."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.learn.shared.watching import is_watched, tell, time_left

__all__ = ["Examples", "History"]

Examples = Mapping[str, tuple[Any, Any]]


class History:
    """Collects what a solver reports and prints it when asked to.

    Parameters
    ----------
    verbose : int
        0 is silent; 1 or more prints a line for each recorded iteration to standard error.
    label : str
        What the printed lines are headed by.
    examples : mapping from names to pairs (X, y), optional
        Each row also gets ``<name>_accuracy``, of the weights that the solver is at.
    limit : int, optional
        The most iterations there can be.
    tol : float, optional
        The gap, as a share of the objective, at which a solver stops.

    Attributes
    ----------
    stopped : bool
        Whether somebody who watches has ended the fit.
    """

    def __init__(
        self,
        verbose: int = 0,
        label: str = "fit",
        examples: Examples | None = None,
        stream: TextIO | None = None,
        *,
        limit: int | None = None,
        tol: float | None = None,
    ) -> None:
        self.stopped = False
        self._limit, self._tol = limit, tol
        self._began = time.perf_counter()
        self._rows: list[dict[str, float]] = []
        self._verbose = verbose
        self._label = label
        self._stream = stream
        self._before = 0  # iterations of solvers that have finished
        self._examples = checked_examples(examples)
        self._model_of: Callable[[Any], Any] | None = None
        self._weights: Any = None

    @property
    def is_watched(self) -> bool:
        """Whether each row says how well its weights do on some examples."""
        return bool(self._examples)

    def watch(self, model_of: Callable[[Any], Any]) -> None:
        """Take the function that makes a model, which predicts, of a solver's weights."""
        self._model_of = model_of

    def follow(self, weights: Any) -> None:
        """Take the array that holds the weights of the next rows; the solver changes it."""
        self._weights = weights

    def accuracies(self, model: Any) -> dict[str, float]:
        """Return the accuracy of a model on the examples of each name."""
        return {
            f"{name}_accuracy": _accuracy(model.predict(X), y)
            for name, (X, y) in self._examples.items()
        }

    def record(
        self, iteration: int, objective: float, gap: float, gradient_norm: float, step: float
    ) -> bool:
        """Take one iteration of a batch solver; this is the core's callback, which may end it."""
        iteration += self._before
        return self.add(
            iteration=iteration,
            objective=objective,
            gap=gap,
            gradient_norm=gradient_norm,
            step=step,
        )

    def add(self, **values: float) -> bool:
        """Take one iteration of any learner, with the seconds since the start; False ends it."""
        watched = {}
        if self.is_watched and self._model_of is not None:
            watched = self.accuracies(self._model_of(self._weights))
        row = {**values, **watched, "seconds": time.perf_counter() - self._began}
        self._rows.append(row)
        if self._verbose:
            text = "  ".join(f"{key} {value:.6g}" for key, value in row.items())
            print(f"{self._label}: {text}", file=self._stream or sys.stderr, flush=True)
        if is_watched():
            left = time_left(self._rows, self._tol, self._limit)
            self.stopped = self.stopped or not tell(self._label, row, self._limit, left)
        return not self.stopped

    def next_solver(self) -> None:
        """Count on from here: another solver goes on where the last one stopped."""
        self._before = int(self.last("iteration"))

    def revise(self, **values: float) -> None:
        """Change values of the newest row."""
        self._rows[-1].update(values)

    def least(self, key: str) -> float:
        """Return the smallest value of one column."""
        return min(row[key] for row in self._rows)

    def repeat_least(self, key: str) -> None:
        """Add the row with the smallest value of a column once more, as the one that counts."""
        row = min(self._rows, key=lambda row: row[key])
        self._rows.append({**row, "seconds": time.perf_counter() - self._began})

    def __len__(self) -> int:
        return len(self._rows)

    def last(self, key: str) -> float:
        """Return the newest value of one column."""
        return self._rows[-1][key]

    def as_dict(self) -> dict[str, NDArray[np.float64]]:
        """Return the columns as arrays of equal length; absent values are NaN."""
        keys = dict.fromkeys(key for row in self._rows for key in row)
        return {
            key: np.array([row.get(key, np.nan) for row in self._rows], dtype=np.float64)
            for key in keys
        }


def checked_examples(examples: Examples | None) -> Examples:
    """Return named pairs (X, y).

    Examples
    --------
    >>> list(checked_examples({"train": ([[1.0]], ["yes"])}))
    ['train']
    """
    if examples is None:
        return {}
    if not isinstance(examples, Mapping) or not all(
        isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in examples.values()
    ):
        raise ParameterError(
            "accuracy_on must be a dictionary from names to pairs (X, y), such as "
            "{'train': (X, y), 'held_out': (X_test, y_test)}."
        )
    return examples


def _accuracy(guess: Any, gold: Any) -> float:
    """Return the share of labels, or of the labels of all tokens, that are right."""
    pairs = list(zip(guess, gold, strict=True))
    if isinstance(guess, list):  # sentences
        pairs = [pair for labels in pairs for pair in zip(*labels, strict=True)]
    return float(sum(a == b for a, b in pairs) / max(1, len(pairs)))
