"""An online run over sentences: the weights of a chain on their way (SPEC M-116, M-123)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.chain.sentences import Ragged
from linnet.learn.shared.online_run import Floats, OnlineRun, Pass, Trace
from linnet.stored import Array, Fields

__all__ = ["ChainRun", "Sentences"]

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Sentences:
    """Checked sentences: features and gold label numbers of their tokens, weights, the chain."""

    features: Ragged
    gold: NDArray[np.int32]
    weights: Floats
    chain: _core.Chain

    @property
    def used(self) -> Longs:
        """The numbers of the sentences whose weight is not 0."""
        return np.flatnonzero(self.weights > 0.0)


class ChainRun(OnlineRun):
    """Weights of sentences on their way, in one vector: :mod:`linnet.learn.chain.weights`."""

    stored: ClassVar[Fields] = {
        "_weights": Array("f8", "weights"),
        "_sums": Array("f8", "weights", optional=True),
    }

    def go(
        self,
        sentences: Sentences,
        orders: Longs,
        beam: int,
        record: Callable[[Pass], bool],
        trace: Trace | None = None,
    ) -> None:
        """Meet the sentences in the order of each row, as long as `record` wants to go on."""
        traced = None if trace is None else (trace.guess, trace.loss, trace.step)
        with self._state.lent("steps", "updates") as numbers:
            _core.structured_rounds(
                chain=sentences.chain,
                gold=sentences.gold,
                cost=sentences.weights,
                orders=orders,
                rule=self.rule.name,
                variant=self.rule.variant,
                cap=self.rule.cap,
                augmented=self.rule.augmented,
                beam=beam,
                averaging=self._averaging,
                weights=self._weights,
                sums=self._sums,
                state=numbers,
                trace=traced,
                record=lambda *seen: record(Pass(*seen)),
            )

    def meet(self, sentences: Sentences, i: int, beam: int, trace: Trace) -> Pass:
        """Meet sentence i once, and trace what happens."""
        passes: list[Pass] = []

        def record(seen: Pass) -> bool:
            passes.append(seen)
            return True

        self.go(sentences, np.array([[i]]), beam, record, trace)
        return passes[0]

    @contextmanager
    def restored_on_error(self, sentences: Sentences) -> Iterator[None]:
        """Do nothing: a run that goes on works on weights that :meth:`moved` has copied."""
        yield

    def last_weights(self) -> Floats:
        """Return the current weights."""
        return self._weights.copy()

    def average_weights(self) -> Floats:
        """Return the mean the run was asked for; the current weights if none, or before a step."""
        if self._sums is None or self.steps == 0:
            return self.last_weights()
        counted = self._state.updates if self.average == "mistakes" else self._state.steps
        mean: Floats = (counted * self._weights - self._sums) / self._divisor
        return mean

    def moved(self, places: Longs, size: int) -> Self:
        """Return the run in a larger vector: weight k goes to places[k], the rest are zero."""

        def spread(values: Floats) -> Floats:
            out = np.zeros(size)
            out[places] = values
            return out

        run = self.resumed(self.rule)
        run._weights = spread(self._weights)
        run._sums = None if self._sums is None else spread(self._sums)
        return run

    def kept(self, places: Longs) -> Self:
        """Return the run with only the weights at these places."""
        run = self.resumed(self.rule)
        run._weights = self._weights[places]
        run._sums = None if self._sums is None else self._sums[places]
        return run

    def touched(self, n: int) -> NDArray[np.bool_]:
        """Return which of the first n weights an update has ever changed."""
        is_touched = self._weights[:n] != 0
        if self._sums is not None:
            is_touched |= self._sums[:n] != 0
        return np.asarray(is_touched)
