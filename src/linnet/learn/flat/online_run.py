"""An online run over rows: the weights of a flat learner on their way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import ParameterError
from linnet.learn.shared.inputs import WORTH_THREADS
from linnet.learn.shared.large_pages import large_empty
from linnet.learn.shared.online_run import Floats, OnlineRun, Pass, Rule, Trace
from linnet.stored import Array, Dict, Fields, Number, Text

if TYPE_CHECKING:
    from linnet.learn.shared.inputs import Features

__all__ = ["Examples", "FlatRun"]

_SMALL_PIECE = 1 / 16  # stored values a row of weights; with more, copying all rows is faster
_NUMBERS = ("steps", "updates", "scale", "sum", "bias_scale", "bias_sum")


@dataclass(frozen=True)
class Examples:
    """Checked examples: features, gold class numbers, weights; norms |x|² + bias² for MIRA."""

    features: Features
    gold: NDArray[np.int32]
    weights: Floats
    norms: Floats | None = None

    @property
    def count(self) -> int:
        """The number of examples."""
        return len(self.gold)

    @property
    def used(self) -> NDArray[np.int64]:
        """The numbers of the examples whose weight is not 0."""
        return np.flatnonzero(self.weights > 0.0)


_CLOCKED = ("_alone", "_together")


class FlatRun(OnlineRun):
    """Weights of rows on their way.

    Parameters
    ----------
    rule : Rule
    start : array, or the shape of one: (J + 1, columns), or (J, columns) without bias
        First weights, of which the run takes a copy; a shape means zeros.
    bias : float
        Value of the feature folded in as the last weight row, 0 for none.
    average : bool or str
        Which mean :meth:`average_weights` returns.
    decay : float
        λ of the penalty λ/2 |W|².
    truncate : float
        Taken off every weight, the bias apart, at each update (M-45) or step (M-67).
    radius : float
        Project on the ball |W| <= radius after each step; 0 = do not.
    batch_size : int
        Examples per step.
    """

    stored: ClassVar[Fields] = {
        "bias": Number(),
        "_options": Dict(
            {
                "bias": Number(),
                "penalize_bias": Number(bool),
                "averaging": Text(),
                "decay": Number(low=0),
                "truncation": Number(low=0),
                "radius": Number(low=0),
                "batch": Number(int, 1, 2**31 - 1),
            }
        ),
        "_weights": Array("f8", "rows R"),
        "_sums": Array("f8", "rows R", optional=True),
    }

    # seconds an example of the last pass by one thread, and by two; 0 before there was one
    _alone: float = 0.0
    _together: float = 0.0

    def __init__(
        self,
        rule: Rule,
        start: Floats | tuple[int, int],
        *,
        bias: float,
        penalize_bias: bool = True,
        average: bool | str = False,
        decay: float = 0.0,
        truncate: float = 0.0,
        radius: float = 0.0,
        batch_size: int = 1,
    ) -> None:
        super().__init__(rule, start, average)
        self.bias = bias
        self._options: dict[str, Any] = {
            "bias": bias,
            "penalize_bias": penalize_bias,
            "averaging": self._averaging,
            "decay": decay,
            "truncation": truncate,
            "radius": radius,
            "batch": batch_size,
        }

    def resumed(self, rule: Rule, truncate: float = 0.0) -> Self:
        """Return a run that goes on under another rule and truncation, with numbers of its own.

        It works on the weights and sums of this one: see :meth:`restored_on_error`.
        """
        run = super().resumed(rule)
        run._options = {**self._options, "truncation": truncate}
        return run

    def is_like(self, fresh: OnlineRun) -> bool:
        """Tell whether the run could have begun as that one; truncation may be turned on later."""
        return (
            isinstance(fresh, FlatRun)
            and super().is_like(fresh)
            and self.bias == fresh.bias
            and {**self._options, "truncation": 0.0} == {**fresh._options, "truncation": 0.0}
        )

    @contextmanager
    def restored_on_error(self, examples: Examples) -> Iterator[None]:
        """Give weights and sums their values back if the body, passes over `examples`, fails.

        A pass changes only the rows of features that occur, and of the bias, unless it truncates:
        a small piece must not cost a copy of all weights.
        """
        if self.steps == 0:  # a new run, that nobody else holds
            yield
            return
        n, cells = len(self._weights), examples.features.csr.indices
        is_small = len(cells) < _SMALL_PIECE * n and not self.truncates
        rows = np.append(cells, n - 1) if is_small else slice(None)
        tables = [table for table in (self._weights, self._sums) if table is not None]
        before = [table[rows].copy() for table in tables]
        try:
            yield
        except BaseException:
            for table, values in zip(tables, before, strict=True):
                table[rows] = values
            raise

    @property
    def truncates(self) -> bool:
        """Whether an update also shrinks weights that its example does not have."""
        return bool(self._options["truncation"] > 0.0)

    def go(
        self,
        examples: Examples,
        order: NDArray[np.int64],
        rates: Floats,
        trace: Trace | None = None,
        threads: int = 1,
    ) -> Pass:
        """Meet the examples in this order, one rate a step; threads do not change the result.

        On some machines a message between cores takes longer than half a row. So the first pass is
        made by one thread, the second by two, each later one in the way that was last seen to be
        faster.
        """
        threads = examples.features.threads(threads, self._weights.shape[1])
        together = threads > 1 and self._alone > 0.0 and self._together <= self._alone
        began = perf_counter()
        traced = None if trace is None else (trace.scores, trace.guess, trace.loss, trace.step)
        with self._state.lent(*_NUMBERS) as numbers:
            loss, updates, wrong = _core.online_pass(
                x=examples.features.matrix,
                gold=examples.gold,
                cost=examples.weights,
                rule=self.rule.core(),
                order=order,
                rates=rates,
                norms=examples.norms,
                weights=self._weights,
                sums=self._sums,
                state=numbers,
                trace=traced,
                threads=threads if together else 1,
                pace=self._alone if together else 0.0,
                **self._options,
            )
        pace = (perf_counter() - began) / max(1, len(order))
        if together:
            self._together = pace
        else:
            self._alone = pace
        return Pass(loss, updates, wrong)

    def __getstate__(self) -> dict[str, Any]:
        """Return all but what the clock said: another machine may be another matter."""
        return {name: part for name, part in vars(self).items() if name not in _CLOCKED}

    def last_weights(self, threads: int = 1) -> Floats:
        """Return the current weights."""
        return self._read(None, 1.0, threads)

    def average_weights(self, threads: int = 1) -> Floats:
        """Return the mean the run was asked for; the current weights if none, or before a step."""
        if self._sums is None or self.steps == 0:
            return self.last_weights(threads)
        return self._read(self._sums, self._divisor, threads)

    def _read(self, sums: Floats | None, count: float, threads: int) -> Floats:
        out = large_empty(*self._weights.shape)
        threads = threads if out.size >= WORTH_THREADS else 1
        with self._state.lent(*_NUMBERS) as numbers:
            is_finite = _core.online_weights(
                self._weights, sums, numbers, count, bool(self.bias), out, threads
            )
        if not is_finite:
            raise ParameterError(
                "The weights grew beyond all bounds; use a smaller learning rate or scale X."
            )
        return out

    def loss_at(self, examples: Examples, weights: Floats, threads: int) -> float:
        """Return the sum of weight times loss over all examples at fixed weights."""
        threads = examples.features.threads(threads, weights.shape[1])
        total: float = _core.total_loss(
            x=examples.features.matrix,
            gold=examples.gold,
            cost=examples.weights,
            rule=self.rule.core(),
            weights=weights,
            bias=self.bias,
            threads=threads,
        )
        return total
