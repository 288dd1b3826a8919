"""The run of an online learner: weights on their way, whatever the structure.

All online learners are one loop in the core (SPEC C-14): score an example, compare with its gold
answer, add a multiple of its features. A :class:`Rule` says which of them; an :class:`OnlineRun`
owns what the loop works on: weights, running sums for the average, and a :class:`RunState`.
Everything between two passes (orders, rates, stopping, snapshots) is plain Python. An example is a
row (:mod:`linnet.learn.flat.online_run`) or a sentence (:mod:`linnet.learn.chain.online_run`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.shared.checks import check_choice
from linnet.learn.shared.large_pages import large_zeros
from linnet.stored import Array, Fields, Number, Object, Text

__all__ = [
    "AVERAGES",
    "Floats",
    "OnlineRun",
    "Pass",
    "Rule",
    "RunState",
    "Step",
    "Trace",
    "average_kind",
    "order_of",
]

Floats: TypeAlias = NDArray[np.float64]
AVERAGES = (False, True, "before", "after", "listing", "mistakes")
_KINDS = ("none", *(kind for kind in AVERAGES if isinstance(kind, str)))


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

    ``form`` is "columns" (one column, or one-vs-rest), "joint" (all classes compete), "grouped"
    (rows come K at a time) or "chain" (labellings of a sentence compete). ``cost[gold, guess]`` is
    None for 0/1 cost, of a sentence the number of wrong labels.
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
        """Return the rule for single rows as the core knows it."""
        return _core.Rule(
            name=self.name, form=self.form, classes=self.n_classes, tie=self.tie,
            margin=self.margin, variant=self.variant, cap=self.cap, augmented=self.augmented,
            cost=self.cost,
        )  # fmt: skip


@dataclass(frozen=True)
class Pass:
    """What one pass met.

    The sum of losses, the examples that changed the weights, and the wrong decisions: rows, or
    tokens of sentences.
    """

    loss: float = 0.0
    updates: int = 0
    wrong: int = 0

    def __add__(self, other: Pass) -> Pass:
        return Pass(
            self.loss + other.loss, self.updates + other.updates, self.wrong + other.wrong
        )  # fmt: skip


@dataclass(frozen=True)
class Trace:
    """What each example of a pass met, in the order of the pass: filled by the core.

    ``guess`` has a label for each row, or for each token of the sentences. ``scores`` has a row for
    each example, without columns for sentences.
    """

    guess: NDArray[np.int32]
    loss: Floats
    step: Floats
    scores: Floats

    @classmethod
    def empty(cls, examples: int, labels: int, width: int = 0) -> Trace:
        """Return a trace to be filled; `width` is the number of scores of a row."""
        loss, step, scores = np.zeros(examples), np.zeros(examples), np.zeros((examples, width))
        return cls(np.zeros(labels, np.int32), loss, step, scores)


@dataclass(frozen=True)
class Step:
    """What a learner did with one example.

    Attributes
    ----------
    round : int
        From 1.
    example : int
        The row of X, or the number of the sentence.
    label, guess : a class label, or a list with the label of each token
        The gold label, and the label the learner held against it.
    scores : array, or None for a sentence
        One score for two classes (that of ``classes_[1]``), else one for each class.
    loss, step_size : float
        ``step_size`` 0 means that nothing was changed.
    changed : dict
        The change of every weight that changed. Of rows: from feature name to the change of its
        weight in each column. Of sentences: from ("state", feature, label), ("transition", label,
        label), ("start", label) or ("stop", label) to a number.
    weights : array
        A read-only view of the current weights, of rows with shape (J + 1, columns), or
        (J, columns) without intercept; copy it to keep it.
    """

    round: int
    example: int
    label: Any
    guess: Any
    scores: Floats | None
    loss: float
    step_size: float
    changed: dict[Any, Any]
    weights: Floats


@dataclass
class RunState:
    """The numbers of a run.

    Attributes
    ----------
    steps, updates : float
        Steps made, and those that changed the weights by an example.
    scale, sum : float
        The weights are scale times the stored ones, and their sum over the steps is sum times the
        stored ones minus the stored sums: decay costs nothing (core/solvers/lazy_weights.hpp).
    bias_scale, bias_sum : float
        The same for the intercept, which may have no penalty.
    """

    stored: ClassVar[Fields] = {
        name: Number(low=0, high=2.0**53)
        for name in ("steps", "updates", "scale", "sum", "bias_scale", "bias_sum")
    }
    steps: float = 0.0
    updates: float = 0.0
    scale: float = 1.0
    sum: float = 0.0
    bias_scale: float = 1.0
    bias_sum: float = 0.0

    @contextmanager
    def lent(self, *names: str) -> Iterator[Floats]:
        """Lend some of the numbers to the core as an array; what it leaves there is kept."""
        numbers = np.array([getattr(self, name) for name in names])
        try:
            yield numbers
        finally:
            for name, number in zip(names, numbers.tolist(), strict=True):
                setattr(self, name, number)


class OnlineRun:
    """Weights on their way.

    Parameters
    ----------
    rule : Rule
    start : array, or the shape of one
        First weights, of which the run takes a copy; a shape means zeros.
    average : bool or str
        Which mean the run is asked for.
    """

    stored: ClassVar[Fields] = {
        "rule": Object(Rule),
        "average": Text(_KINDS),
        "_state": Object(RunState),
    }

    def __init__(self, rule: Rule, start: Floats | tuple[int, ...], average: bool | str) -> None:
        self.rule = rule
        self.average = average_kind(average)
        # zeros touch no memory, so features that never occur in an update cost nothing
        is_shape = isinstance(start, tuple)
        self._weights = large_zeros(*start) if is_shape else np.array(start, np.float64, order="C")
        self._sums = None if self.average == "none" else large_zeros(*self._weights.shape)
        self._state = RunState()

    @property
    def steps(self) -> int:
        """The number of steps made."""
        return int(self._state.steps)

    def resumed(self, rule: Rule) -> Self:
        """Return a run that goes on under another rule, with numbers of its own.

        It works on the weights and sums of this one.
        """
        run = copy(self)
        run.rule = rule
        run._state = replace(self._state)
        return run

    def is_like(self, fresh: OnlineRun) -> bool:
        """Tell whether the run could have begun as that one."""
        return (
            self.rule.form == fresh.rule.form
            and self.average == fresh.average
            and self._weights.shape == fresh._weights.shape
            and (self._sums is None) == (fresh._sums is None)
        )

    def live_weights(self) -> Floats:
        """Return a read-only view of the current weights; for runs without decay only."""
        view = self._weights.view()
        view.flags.writeable = False
        return view

    @property
    def _averaging(self) -> str:
        """What the core sums up; the lectures' listing differs in the divisor alone."""
        return {"listing": "after"}.get(self.average, self.average)

    @property
    def _divisor(self) -> float:
        """How many weights the sums hold, as the kind of average counts them."""
        if self.average == "listing":
            return self._state.steps + 1.0
        counted = self._state.updates if self.average == "mistakes" else self._state.steps
        return max(1.0, counted)
