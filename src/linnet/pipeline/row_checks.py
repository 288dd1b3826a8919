"""What a file may claim about a stored learner, checked before anyone asks it.

The core checks what it is given when it is asked. Here is what would otherwise fail later: when an
explanation looks up a stored example, or a query meets a value that only some rows have.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.learn.kernel_base import KernelClassifier
from linnet.learn.memory import MemoryBased
from linnet.learn.memory_index import MemoryIndex

__all__ = ["check_learner"]


def check_learner(learner: Any) -> None:
    """Refuse a learner whose stored examples do not fit each other."""
    if isinstance(learner, KernelClassifier) and hasattr(learner, "_support_rows"):
        _check_support(learner)
    if isinstance(learner, MemoryBased) and not hasattr(learner, "_vectors"):
        for memory in (learner._memory, learner._trie):
            if memory is not None:
                _check_memory(memory, [len(own) for own in learner.attributes_.values])


def _check_memory(memory: MemoryIndex, n_values: list[int]) -> None:
    _require_numbering("columns", memory.order, len(n_values))
    _require_numbering("rows", memory.row, len(memory.label))
    if len(memory.levels) != len(n_values):
        raise DataError("there are levels for another number of columns")
    for j, levels in enumerate(memory.levels):
        if not len(levels):
            continue
        _require_integers(f"levels of column {j}", levels, n_values[int(memory.order[j])])
        if levels.min() < 0 or levels.max() >= memory.n_levels[j]:
            raise DataError(f"the levels of column {j} are outside 0 .. {memory.n_levels[j] - 1}")


def _check_support(learner: KernelClassifier) -> None:
    rows, n = learner._support_rows, len(learner.support_)
    _require_integers("support", learner.support_, n)
    _require_integers("starts of the support vectors", rows["start"], n + 1)
    start, index = rows["start"], rows["index"]
    if start[0] != 0 or (np.diff(start) < 0).any() or start[-1] != len(index):
        raise DataError("the support vectors do not lie one after the other")
    _require_integers("features of the support vectors", index, len(rows["value"]))
    if len(index) and (index.min() < 0 or index.max() >= learner.n_features_in_):
        raise DataError("a support vector has a feature that the learner has not")
    if learner.intercept_.ndim != 1 or not np.isfinite(learner.intercept_).all():
        raise DataError("the intercepts are not finite numbers")


def _require_numbering(what: str, numbers: NDArray[Any], size: int) -> None:
    _require_integers(what, numbers, size)
    if not np.array_equal(np.sort(numbers), np.arange(size)):
        raise DataError(f"the {what} of the stored examples are not numbered once each")


def _require_integers(what: str, numbers: NDArray[Any], size: int) -> None:
    if numbers.dtype.kind != "i" or numbers.shape != (size,):
        raise DataError(f"the {what} are not {size} whole numbers")
