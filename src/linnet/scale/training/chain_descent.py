"""Stochastic gradient descent for a CRF over sentences in parts, by parameter mixing.

As :mod:`linnet.scale.training.descent` does with rows: every part takes a step on each of its
sentences from the same weights, and the next round begins with the mean. The first rate is tried on
sentences of the first part.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.learn.chain.sgd import CrfSteps, first_rate, scaled_costs
from linnet.learn.shared.online_run import RunState
from linnet.learn.shared.solvers import SGD
from linnet.scale.training.chain_losses import ChainProblem
from linnet.scale.training.losses import Point
from linnet.scale.training.sums import added
from linnet.scale.workers import Cluster

__all__ = ["MixedSentences"]

Floats = NDArray[np.float64]


class MixedSentences:
    """Rounds of steps over sentences on workers: see :class:`linnet.learn.chain.sgd.CrfWalk`.

    Parameters
    ----------
    cluster : Cluster
    problems : list of futures of ChainProblem
    cost : array
        Of each sentence of all parts.
    sizes : list of int
        How many sentences each part has.
    """

    def __init__(
        self, cluster: Cluster, problems: list[Any], cost: Floats, sizes: list[int], solver: SGD, *,
        start: Floats, seed: int, rounds: int,
    ) -> None:  # fmt: skip
        decay, scaled = scaled_costs(cost)
        self._cluster, self._problems, self._average = cluster, problems, solver.average
        self._scaled = np.split(scaled, np.cumsum(sizes)[:-1])
        trial = cluster.one(_rate, 0, problems[0], self._scaled[0], decay, seed, rounds)
        self._steps = CrfSteps(cluster.fetch(trial), decay, solver.shuffle, seed)
        self._last, self._means, self._most = start, np.zeros_like(start), max(sizes)
        self._n = int(np.count_nonzero(scaled > 0.0))

    def round(self, number: int) -> tuple[Floats, float]:
        """Let every part go over its sentences once; return the weights and the last rate."""
        cluster, numbers = self._cluster, list(range(len(self._problems)))
        point = cluster.held(self._last)
        sums = cluster.total(
            added, _round, self._problems, self._scaled, cluster.held(self._steps), point, numbers,
            number, self._average,
        )  # fmt: skip
        last, mean = cluster.fetch(sums)
        self._last = last / self._n
        # the mean is that of all rounds but the first
        self._means = mean / self._n + (self._means if number > 1 else 0.0)
        now = self._means / max(1, number) if self._average else self._last
        return now, self._steps.last(self._most * (number + 1))

    def objective(self, weights: Floats) -> float:
        """Return the objective at weights."""
        cluster = self._cluster
        losses = cluster.total(added, _value, self._problems, cluster.held(Point("", weights)))
        return 0.5 * float(weights @ weights) + float(cluster.fetch(losses)[0])


def _rate(problem: ChainProblem, scaled: Floats, decay: float, seed: int, rounds: int) -> float:
    return first_rate(problem.chain, problem.gold, scaled, decay, seed, rounds)


def _round(
    problem: ChainProblem, scaled: Floats, steps: CrfSteps, weights: Floats, part: int, number: int,
    average: bool,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return where a part arrived and the mean on the way, both times its sentences."""
    n = int(np.count_nonzero(scaled > 0.0))
    if not n:
        return 0.0 * weights, 0.0 * weights
    own, state = replace(steps, seed=steps.seed + part), RunState(steps=number * n)
    w, sums = weights.copy(), np.zeros_like(weights) if average else None
    own.go(problem.chain, problem.gold, scaled, number, w, sums, state)
    last = n * state.scale * w
    return last, last if sums is None else state.sum * w - sums


def _value(problem: ChainProblem, point: Point) -> Floats:
    return problem.value(point)
