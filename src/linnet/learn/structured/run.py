"""The state of an online run over sentences, and one pass of it.

The perceptron and MIRA are one loop in the core (SPEC M-116, M-123). A run is three arrays:
weights, running sums for the average, and two counters, so that a model file can hold it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.shared.online_run import average_kind

__all__ = ["Pass", "SentenceStep", "SentenceTrace", "StructuredRun"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Pass:
    """What one pass met: the sum of losses, sentences that changed the weights, wrong tokens."""

    loss: float
    updates: int
    wrong: int


@dataclass(frozen=True)
class SentenceTrace:
    """What each sentence of a pass met, in the order of the pass."""

    guess: Ints
    loss: Floats
    step: Floats


@dataclass(frozen=True)
class SentenceStep:
    """What a learner did with one sentence.

    Attributes
    ----------
    round : int
        From 1.
    sentence : int
        Its number in X.
    labels, guess : lists of labels
        The gold labels, and those the learner held against them.
    loss, step_size : float
        ``step_size`` 0 means that nothing was changed.
    changed : dict
        From ("state", feature, label), ("transition", label, label), ("start", label) or
        ("stop", label) to the change of that weight.
    """

    round: int
    sentence: int
    labels: list[Any]
    guess: list[Any]
    loss: float
    step_size: float
    changed: dict[tuple[Any, ...], float]


@dataclass
class StructuredRun:
    """Weights on their way, in one vector: :mod:`linnet.learn.chain.weights`."""

    weights: Floats
    sums: Floats | None
    state: Floats  # steps, updates
    average: str

    @classmethod
    def begin(cls, size: int, average: bool | str) -> StructuredRun:
        """Return a run that starts from zero weights."""
        kind = average_kind(average)
        return cls(np.zeros(size), None if kind == "none" else np.zeros(size), np.zeros(2), kind)

    def go(
        self,
        chain: _core.Chain,
        gold: Ints,
        cost: Floats,
        orders: Longs,
        rule: dict[str, Any],
        record: Callable[[Pass], bool],
        trace: SentenceTrace | None = None,
    ) -> None:
        """Meet the sentences in the order of each row, as long as `record` wants to go on."""
        _core.structured_rounds(
            chain=chain, gold=gold, cost=cost, orders=orders,
            averaging={"listing": "after"}.get(self.average, self.average),
            weights=self.weights, sums=self.sums, state=self.state,
            trace=None if trace is None else (trace.guess, trace.loss, trace.step),
            record=lambda *seen: record(Pass(*seen)), **rule,
        )  # fmt: skip

    def meet(
        self,
        chain: _core.Chain,
        gold: Ints,
        cost: Floats,
        order: Longs,
        rule: dict[str, Any],
        trace: SentenceTrace,
    ) -> Pass:
        """Meet some sentences once, and trace what happens."""
        met: list[Pass] = []

        def record(seen: Pass) -> bool:
            met.append(seen)
            return True

        self.go(chain, gold, cost, order[None], rule, record, trace)
        return met[0]

    def averaged(self) -> Floats:
        """Return the mean the run was asked for; the current weights if none, or before a step."""
        steps, updates = self.state.tolist()
        if self.sums is None or steps == 0:
            return self.weights.copy()
        counted = updates if self.average == "mistakes" else steps
        divisor = counted + 1 if self.average == "listing" else max(1.0, counted)
        mean: Floats = (counted * self.weights - self.sums) / divisor
        return mean

    def moved(self, places: Longs, size: int) -> StructuredRun:
        """Return the run in a larger vector: weight k goes to places[k], the rest are zero."""
        return StructuredRun(
            _moved(self.weights, places, size),
            None if self.sums is None else _moved(self.sums, places, size),
            self.state.copy(),
            self.average,
        )

    def kept(self, places: Longs) -> StructuredRun:
        """Return the run with only the weights at these places."""
        sums = None if self.sums is None else self.sums[places]
        return StructuredRun(self.weights[places], sums, self.state, self.average)


def _moved(values: Floats, places: Longs, size: int) -> Floats:
    out = np.zeros(size)
    out[places] = values
    return out
