"""The steps of stochastic gradient descent over some rows, wherever these are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from linnet.learn.flat.online_run import Examples, FlatRun
from linnet.learn.shared.online_run import Floats, Pass, Rule, order_of
from linnet.learn.shared.schedules import Schedule

__all__ = ["Steps", "Walk"]


class Walk(Protocol):
    """Rounds of steps over the examples of a task."""

    adapts: bool  # whether the rates depend on what the weights are worth

    @property
    def steps(self) -> int:
        """How many were made."""

    def round(self, number: int) -> tuple[float, float]:
        """Go over the examples once; return how many were answered wrongly, and the last rate."""

    def weights(self) -> Floats:
        """Return the weights that would be returned now."""

    def judge(self, weights: Floats) -> None:
        """Let a schedule that adapts know what the weights are worth."""

    def loss_at(self, examples: Examples, weights: Floats, threads: int) -> float:
        """Return the sum of weight times loss over all examples at fixed weights."""


@dataclass(frozen=True)
class Steps:
    """What a step does and which rate it has: see :mod:`linnet.learn.flat.sgd`.

    A `batch_size` of None is all examples.
    """

    rule: Rule
    schedule: Schedule
    bias: float
    penalize_bias: bool
    average: bool | str
    decay: float
    truncate: float
    radius: float
    batch_size: int | None
    shuffle: bool
    seed: int

    def run(self, start: Floats | tuple[int, int], n: int) -> FlatRun:
        """Return a run over n examples that has made no step."""
        return FlatRun(
            self.rule, start, bias=self.bias, penalize_bias=self.penalize_bias,
            average=self.average, decay=self.decay, truncate=self.truncate, radius=self.radius,
            batch_size=self._batch(n),
        )  # fmt: skip

    def each_round(self, n: int) -> int:
        """Return how many steps a round over n examples has."""
        return -(-n // self._batch(n))

    def go(
        self, run: FlatRun, examples: Examples, chosen: NDArray[np.int64], number: int, first: int,
        threads: int,
    ) -> tuple[Pass, float]:  # fmt: skip
        """Go over the chosen examples once, when `first` steps were made before.

        Returns what was met and the last rate.
        """
        rates = self.schedule.rates(first, self.each_round(len(chosen)))
        order = order_of(chosen, self.seed, number, self.shuffle)
        return run.go(examples, order, rates, threads=threads), float(rates[-1])

    def _batch(self, n: int) -> int:
        return n if self.batch_size is None else int(self.batch_size)
