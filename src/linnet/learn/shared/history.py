"""What a fit leaves behind: one line an iteration, and a final optimality figure (SPEC M-127)."""

from __future__ import annotations

import sys
import time
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from linnet.learn.shared.watching import tell, time_left


class History:
    """Collects what a solver reports and prints it when asked to.

    Parameters
    ----------
    verbose : int
        0 is silent; 1 or more prints a line for each recorded iteration to standard error.
    label : str
        What the printed lines are headed by.
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
        row = {**values, "seconds": time.perf_counter() - self._began}
        self._rows.append(row)
        if self._verbose:
            text = "  ".join(f"{key} {value:.6g}" for key, value in row.items())
            print(f"{self._label}: {text}", file=self._stream or sys.stderr, flush=True)
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
