"""The state of an online run, and one pass of it over the examples.

All online learners are one loop in the core (SPEC C-14). A :class:`Rule` says which of them; an
:class:`OnlineRun` owns the arrays the loop works on: weights, running sums for the average, and
six counters. Everything between two passes (orders, rates, stopping, snapshots) is plain Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import ParameterError
from linnet.learn.shared.checks import check_choice
from linnet.stored import Array, Dict, Fields, Number, Object, Text

if TYPE_CHECKING:
    from linnet.learn.shared.inputs import Features

__all__ = ["AVERAGES", "Examples", "OnlineRun", "Pass", "Rule", "Trace", "average_kind", "order_of"]

Floats: TypeAlias = NDArray[np.float64]
AVERAGES = (False, True, "before", "after", "listing", "mistakes")
_SMALL_PIECE = 1 / 16  # stored values a row of weights; with more, copying all rows is faster


def average_kind(average: bool | str) -> str:
    """Return the kind of averaging by its full name.

    Examples
    --------
    >>> average_kind(True), average_kind(False)
    ('after', 'none')
    """
    check_choice("average", average, AVERAGES)
    if isinstance(average, str):
        return average
    return "after" if average else "none"


def order_of(
    indices: NDArray[np.int64], seed: int, number: int, shuffle: bool
) -> NDArray[np.int64]:
    """Return the examples in the order of one round (SPEC A-66)."""
    if not shuffle:
        return indices
    order = np.empty(len(indices), dtype=np.int64)
    _core.permutation(order, seed, number)
    return np.ascontiguousarray(indices[order])


@dataclass(frozen=True)
class Rule:
    """What a learner does with one example; see core/solvers/rules.hpp.

    ``form`` is "columns" (one column, or one-vs-rest), "joint" (all classes compete) or "grouped"
    (rows come K at a time). ``cost[gold, guess]`` is None for 0/1 cost.
    """

    stored: ClassVar[Fields] = {
        "name": Text(),
        "form": Text(),
        "n_classes": Number(int, size="K"),
        "tie": Text(),
        "margin": Number(),
        "variant": Text(),
        "cap": Number(),
        "augmented": Number(bool),
        "cost": Array("f8", "K K", optional=True),
    }
    name: str
    form: str
    n_classes: int
    tie: str = "nonpositive"
    margin: float = 0.0
    variant: str = "pa1"
    cap: float = 1.0
    augmented: bool = False
    cost: Floats | None = None

    def core(self) -> Any:
        """Return the rule as the core knows it."""
        return _core.Rule(
            self.name, self.form, self.n_classes, self.tie, self.margin, self.variant, self.cap,
            self.augmented, self.cost,
        )  # fmt: skip


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


@dataclass(frozen=True)
class Pass:
    """What one pass met: the sum of losses, examples that changed the weights, wrong decisions."""

    loss: float
    updates: int
    errors: int


@dataclass(frozen=True)
class Trace:
    """What each example of a pass met, in the order of the pass."""

    scores: Floats
    guess: NDArray[np.int32]
    loss: Floats
    step: Floats

    @classmethod
    def empty(cls, n: int, width: int) -> Trace:
        """Return a trace for the core to fill."""
        return cls(np.zeros((n, width)), np.zeros(n, np.int32), np.zeros(n), np.zeros(n))


class OnlineRun:
    """Weights on their way.

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
        "rule": Object(Rule),
        "bias": Number(),
        "average": Text(("none", *(kind for kind in AVERAGES if isinstance(kind, str)))),
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
        "_state": Array("f8", "6", low=0, high=2.0**53),
    }

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
        self.rule = rule
        self.bias = bias
        self.average = average_kind(average)
        self._options: dict[str, Any] = {
            "bias": bias,
            "penalize_bias": penalize_bias,
            "averaging": {"listing": "after"}.get(self.average, self.average),
            "decay": decay,
            "truncation": truncate,
            "radius": radius,
            "batch": batch_size,
        }
        # np.zeros touches no memory, so features that never occur in an update cost nothing
        is_shape = isinstance(start, tuple)
        self._weights = np.zeros(start) if is_shape else np.array(start, np.float64, order="C")
        self._sums = None if self.average == "none" else np.zeros(self._weights.shape)
        self._state = np.array([0.0, 0.0, 1.0, 0.0, 1.0, 0.0])

    @property
    def steps(self) -> int:
        """The number of steps made."""
        return int(self._state[0])

    @property
    def updates(self) -> int:
        """The number of steps that changed the weights by an example."""
        return int(self._state[1])

    def resumed(self, rule: Rule, truncate: float) -> OnlineRun:
        """Return a run that goes on under another rule, with counters of its own.

        It works on the weights and sums of this one: see :meth:`restored_on_error`.
        """
        run = copy(self)
        run.rule = rule
        run._options = {**self._options, "truncation": truncate}
        run._state = self._state.copy()
        return run

    @contextmanager
    def restored_on_error(self, features: Features) -> Iterator[None]:
        """Give weights and sums their values back if the body, passes over `features`, fails.

        A pass changes only the rows of features that occur, and of the bias, unless it truncates:
        a small piece must not cost a copy of all weights.
        """
        if self.steps == 0:  # a new run, that nobody else holds
            yield
            return
        n, cells = len(self._weights), features.csr.indices
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
        """Meet the examples in this order, one rate a step; threads do not change the result."""
        loss, updates, errors = _core.online_pass(
            x=examples.features.matrix,
            gold=examples.gold,
            cost=examples.weights,
            rule=self.rule.core(),
            order=order,
            rates=rates,
            norms=examples.norms,
            weights=self._weights,
            sums=self._sums,
            state=self._state,
            trace=None if trace is None else (trace.scores, trace.guess, trace.loss, trace.step),
            threads=threads,
            **self._options,
        )
        return Pass(loss, updates, errors)

    def live_weights(self) -> Floats:
        """Return a read-only view of the current weights; for runs without decay only."""
        view = self._weights.view()
        view.flags.writeable = False
        return view

    def last_weights(self, threads: int = 1) -> Floats:
        """Return the current weights."""
        return self._read(None, 1.0, threads)

    def average_weights(self, threads: int = 1) -> Floats:
        """Return the mean the run was asked for; the current weights if none, or before a step."""
        counts = {"listing": self.steps + 1, "mistakes": self.updates}
        count = counts.get(self.average, self.steps)
        if self._sums is None or self.steps == 0:
            return self.last_weights(threads)
        return self._read(self._sums, float(max(1, count)), threads)

    def _read(self, sums: Floats | None, count: float, threads: int) -> Floats:
        out = np.empty_like(self._weights)
        is_finite = _core.online_weights(
            self._weights, sums, self._state, count, bool(self.bias), out, threads
        )
        if not is_finite:
            raise ParameterError(
                "The weights grew beyond all bounds; use a smaller learning rate or scale X."
            )
        return out

    def loss_at(self, examples: Examples, weights: Floats, threads: int) -> float:
        """Return the sum of weight times loss over all examples at fixed weights."""
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
