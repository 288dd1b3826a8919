"""Settings that suit the data, found on a part of the training data within a budget.

Each learner has a short list of settings (C, smoothing, rounds), the most likely ones first. In
round r every learner tries its r-th on the development part, four fifths of the training part to
learn from and one to measure; the best score wins, and among equals the earlier one. Learners with
a C go on from the weights of the last fit.

The budget is a number of seconds of a machine that multiplies 5·10⁸ times a second: what a fit
costs is estimated from the size of the data, never measured. So the same data, seed and budget
give the same settings on any machine and under any load, and the real time differs from the budget
as the machine differs from that one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sklearn.base import clone

from linnet.comparison.outcome import Arena
from linnet.errors import LinnetError
from linnet.learn.shared.declaration import declaration_of, ignores_c
from linnet.model.fitting.linear_form import walking

__all__ = ["candidates", "search"]

_SPEED = 5e8  # multiplications a second


def candidates(learner: Any) -> list[dict[str, Any]]:
    """Return the settings to try, the most likely ones first; none if the learner names none.

    Examples
    --------
    >>> import linnet
    >>> candidates(linnet.Perceptron())
    [{'max_iter': 10}, {'max_iter': 5}, {'max_iter': 20}, {'max_iter': 40}]
    """
    grid = [dict(setting) for setting in declaration_of(learner).grid]
    return [setting for setting in grid if not ("C" in setting and ignores_c(learner))]


def search(
    learners: Mapping[str, Any],
    arena: Arena,
    budget: float,
    say: Callable[[str], None] = lambda what: None,
) -> dict[str, dict[str, Any]]:
    """Return the best settings of each learner.

    Parameters
    ----------
    learners : mapping from names to estimators
    arena : Arena
        The development split.
    budget : float
        Seconds of the machine described above.
    say : function
        Is told what is tried.

    Returns
    -------
    dict
        Empty for a learner for which the budget allowed no choice.
    """
    left = budget * _SPEED
    walkers = {name: walking(clone(learner)) for name, learner in learners.items()}
    best: dict[str, tuple[float, dict[str, Any]]] = {}
    tried = dict.fromkeys(learners, 0)
    grids = {name: candidates(learner) for name, learner in learners.items()}
    for number in range(max(map(len, grids.values()), default=0)):
        for name, learner in walkers.items():
            grid = grids[name]
            if number >= len(grid):
                continue
            learner.set_params(**grid[number])
            cost = arena.work(learner)
            if cost > left:
                continue
            left -= cost
            say(f"{name} {_named(grid[number])}")
            try:
                score = arena.quick(learner)
            except LinnetError:  # it cannot learn from this data; the comparison says why
                continue
            tried[name] += 1
            if name not in best or score > best[name][0]:
                best[name] = score, grid[number]
    return {name: best[name][1] if tried[name] > 1 else {} for name in learners}


def _named(setting: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value:g}" for name, value in setting.items())
