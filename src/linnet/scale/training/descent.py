"""Stochastic gradient descent over parts, by mixing (:mod:`linnet.scale.training.mixing`).

In each round every part takes its steps over its own rows, from the same weights; the next round
begins with the mean of where they arrived, each part by its number of rows. Penalty and weights of
examples are those of all rows, and the rates those of as many steps as a part has made: a part is
on its way to the same minimum, and the mean takes out what its few rows do by chance. With all rows
in a batch it is gradient descent, as on one machine (Zinkevich and others 2010).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.learn.flat.online_run import Examples, FlatRun
from linnet.learn.shared.inputs import checked_features
from linnet.learn.shared.schedules import HeldOut
from linnet.scale.training.sums import added

if TYPE_CHECKING:
    from linnet.learn.flat.regularised_risk import Solution, Task
    from linnet.learn.flat.steps import Steps
    from linnet.scale.training.matrix import DistributedRows

__all__ = ["MixedWalk"]

Floats = NDArray[np.float64]
Part = tuple[sp.csr_matrix, NDArray[np.int32], Floats]  # rows, gold classes, weights of examples


class MixedWalk:
    """Rounds of steps over rows on workers: see :class:`linnet.learn.flat.steps.Walk`.

    Parameters
    ----------
    rows : DistributedRows
    parts : list of futures of Part
    task : Task
    steps : Steps
    start : Solution, optional
    """

    adapts = False

    def __init__(
        self, rows: DistributedRows, parts: list[Any], task: Task, steps: Steps,
        start: Solution | None,
    ) -> None:  # fmt: skip
        if isinstance(steps.schedule, HeldOut):
            raise ParameterError(
                "the rates of HeldOut need all rows in one place; take another schedule."
            )
        self._rows, self._parts, self._settings = rows, parts, steps
        self._shared = rows.cluster.held(steps)
        self._last = task.zeros() if start is None else start.weights
        self._means: Any = 0.0
        self._rounds = 0
        self._sizes = np.diff(rows.offset)

    @property
    def steps(self) -> int:
        """How many were made, over all parts."""
        return self._rounds * sum(self._settings.each_round(int(n)) for n in self._sizes if n)

    def round(self, number: int) -> tuple[float, float]:
        """Let every part go over its rows once; return wrong answers and the last rate."""
        cluster, point = self._rows.cluster, self._rows.cluster.held(self._last)
        numbers = list(range(len(self._parts)))
        sums = cluster.total(added, _round, self._parts, self._shared, point, numbers, number)
        last, mean, wrong = cluster.fetch(sums)
        n = self._rows.shape[0]
        self._last, self._means = last / n, self._means + mean / n
        self._rounds += 1
        each = self._settings.each_round(int(self._sizes.max()))
        return float(wrong[0]), float(self._settings.schedule.rates(number * each, each)[-1])

    def weights(self) -> Floats:
        """Return the mean over the rounds where one is asked for, else the last weights."""
        mean: Floats = self._means / self._rounds
        return mean if self._settings.average else self._last

    def judge(self, weights: Floats) -> None:
        """Do nothing: the rates do not depend on it."""

    def loss_at(self, examples: Examples, weights: Floats, threads: int) -> float:
        """Return the sum of weight times loss over all rows at fixed weights."""
        cluster, costs = self._rows.cluster, self._rows.split(examples.weights)
        point = cluster.held(weights)
        losses = cluster.total(added, _loss, self._parts, self._shared, point, costs)
        return float(cluster.fetch(losses)[0])


def _round(part: Part, steps: Steps, weights: Floats, number: int, round_number: int) -> Any:
    """Return where a part arrived and the mean on the way, times its rows, and wrong answers."""
    rows, gold, scaled = part
    n = len(gold)
    if not n:
        return 0.0 * weights, 0.0 * weights, np.zeros(1)
    run = steps.run(weights, n)
    own = replace(steps, seed=steps.seed + number)  # every part has orders of its own
    examples = Examples(checked_features(rows), gold, scaled)
    first = round_number * steps.each_round(n)
    seen, _ = own.go(run, examples, np.arange(n), round_number, first, 1)
    return n * run.last_weights(), n * run.average_weights(), np.array([float(seen.wrong)])


def _loss(part: Part, steps: Steps, weights: Floats, cost: Floats) -> Floats:
    rows, gold, _ = part
    if not len(gold):
        return np.zeros(1)
    run = FlatRun(steps.rule, (1, 1), bias=steps.bias)
    return np.array([run.loss_at(Examples(checked_features(rows), gold, cost), weights, 1)])
