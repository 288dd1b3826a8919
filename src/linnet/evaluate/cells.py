"""The examples behind each cell of the confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linnet.errors import DataError
from linnet.evaluate.units import pairs_of

__all__ = ["Cell", "confusion_cells"]


@dataclass(frozen=True)
class Cell:
    """The rows labelled `truth` that the model called `guess`, the most confident first.

    Of sentences, `rows` are pairs of sentence and token.
    """

    truth: Any
    guess: Any
    rows: tuple[Any, ...]

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.rows)


def confusion_cells(
    gold: Sequence[Any], guess: Sequence[Any], confidence: ArrayLike | None = None
) -> list[Cell]:
    """Return the cells of the confusion matrix with their rows, the fullest wrong cell first.

    Parameters
    ----------
    gold, guess : sequences of n labels, of lists of tags, or of sets of labels
        None is a row without an answer. Every token of a sentence is a unit of its own, and so is
        the yes or no to every label of a set, called ``x`` and ``not x``.
    confidence : array of shape (units,), optional
        Orders the rows of a cell; by default they come as they stand.

    Examples
    --------
    >>> cells = confusion_cells(["a", "b", "b", "b"], ["a", "a", "b", "a"], [0.5, 0.6, 0.9, 0.8])
    >>> [(cell.truth, cell.guess, cell.rows) for cell in cells]
    [('b', 'a', (3, 1)), ('a', 'a', (0,)), ('b', 'b', (2,))]
    >>> confusion_cells([["N", "V"]], [["N", "N"]])[0]
    Cell(truth='V', guess='N', rows=((0, 1),))
    """
    truth, said, places = pairs_of(gold, guess)
    order: Sequence[int] = range(len(truth))
    if confidence is not None:
        sure = np.asarray(confidence, np.float64)
        if sure.shape != (len(truth),):
            raise DataError(f"confidence must have the shape ({len(truth)},), got {sure.shape}")
        order = np.argsort(-sure, kind="stable").tolist()
    cells: dict[tuple[Any, Any], list[Any]] = {}
    for unit in order:
        cells.setdefault((truth[unit], said[unit]), []).append(places[unit])
    found = [Cell(*pair, tuple(rows)) for pair, rows in cells.items()]
    return sorted(found, key=lambda cell: (cell.truth == cell.guess, -cell.count, min(cell.rows)))
