"""Settings that cost little to choose, tried on held-out examples of the training part.

A learner says by its declaration that its whole grid is cheap: naive Bayes counts once and smooths
the counts anew, an HMM counts, memory asks its neighbours to vote again. Each setting is scored on
the folds on which C is chosen too (one of large data, five of small), by what the comparison
measures. The learner keeps its own setting unless another one does better.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from linnet.comparison.outcome import Arena
from linnet.errors import LinnetError
from linnet.learn.shared.declaration import declaration_of

__all__ = ["choose"]


def choose(learner: Any, arena: Arena) -> dict[str, Any]:
    """Return the best setting of a learner whose grid is cheap; of others none.

    Parameters
    ----------
    learner : estimator
        It stays as it is.
    arena : Arena
        The split whose training part is cut into folds.
    """
    grid = _own_first(learner)
    parts = arena.parts(learner) if grid else []
    if not parts:
        return {}
    total = np.zeros(len(grid))
    for part in parts:
        walker = clone(learner)
        for number, setting in enumerate(grid):
            try:
                score = part.quick(walker.set_params(**setting))
            except LinnetError:  # it cannot learn from this data; the comparison says why
                return {}
            total[number] += score * len(part.gold)
    return grid[int(total.argmax())]


def _own_first(learner: Any) -> list[dict[str, Any]]:
    """Return the grid of settings that are always tried, the learner's own before all others."""
    declared = declaration_of(learner)
    if not declared.tries_all:
        return []
    known = learner.get_params(deep=False)
    grid = [dict(setting) for setting in declared.grid]
    return sorted(grid, key=lambda setting: setting != {name: known[name] for name in setting})
