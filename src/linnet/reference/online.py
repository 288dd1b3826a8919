"""The loop shared by the perceptron and MIRA (C-14): predict, receive, correct.

Given
    a first weight array w_0 and a rule that looks at one example with the current weights and
    returns either None (nothing to correct) or the corrected weights.
Returned
    the weights, averaged or not, with a record of the run: mistakes a round, steps, snapshots
    and, on request, every correction.

The rule never changes its argument: it returns a new array, so storing every vector costs one
reference a step and the averages of `averaging` can be taken literally.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

from linnet.reference.averaging import Average, mean_weights
from linnet.reference.common import FloatArray, Orders, rounds

__all__ = [
    "AVERAGED",
    "UNTIL_CLEAN",
    "Correction",
    "OnlineResult",
    "Rounds",
    "Rule",
    "Update",
    "pushed",
    "run",
]


@dataclass(frozen=True)
class Correction:
    """What a rule decided: new weights, and the scores, guess and step size behind them."""

    weights: FloatArray
    scores: FloatArray
    guess: int
    size: float


@dataclass(frozen=True)
class Update(Correction):
    """A correction and when it happened: `step` counts examples seen, from 1."""

    step: int
    example: int


Rule = Callable[[FloatArray, int], Correction | None]


class Rounds(TypedDict, total=False):
    """How a run goes: what every online learner hands on to :func:`run`."""

    n_rounds: int
    orders: Orders
    average: Average
    stop_when_clean: bool
    snapshot_every: int | None
    trace: bool


UNTIL_CLEAN: Rounds = {"stop_when_clean": True}
AVERAGED: Rounds = {"average": "after"}


@dataclass(frozen=True)
class OnlineResult:
    """Weights and record of an online run.

    Attributes
    ----------
    weights : the requested average, or the last vector when no average was asked for.
    last : the last vector w_n.
    mistakes : number of updates in each round that was run.
    n_steps : n, the number of examples seen.
    snapshots : the vector after every `snapshot_every` steps (M-46).
    updates : every correction, when `trace=True`.
    """

    weights: FloatArray
    last: FloatArray
    mistakes: tuple[int, ...]
    n_steps: int
    snapshots: tuple[FloatArray, ...]
    updates: tuple[Update, ...]


def run(
    rule: Rule,
    start: FloatArray,
    n_examples: int,
    *,
    n_rounds: int = 10,
    orders: Orders = None,
    average: Average = False,
    stop_when_clean: bool = False,
    snapshot_every: int | None = None,
    trace: bool = False,
) -> OnlineResult:
    """Apply `rule` to the examples in order, round after round.

    With `stop_when_clean` the run ends after the first round without an update (M-42).
    """
    keep = average is not False or snapshot_every is not None
    w, vectors, updated = start, [start], list[bool]()
    mistakes, updates = list[int](), list[Update]()
    for order in rounds(n_examples, n_rounds, orders):
        mistakes.append(0)
        for i in order:
            update = rule(w, int(i))
            updated.append(update is not None)
            if update is not None:
                w = update.weights
                mistakes[-1] += 1
                if trace:
                    updates.append(Update(**vars(update), step=len(updated), example=int(i)))
            if keep:
                vectors.append(w)
        if stop_when_clean and mistakes[-1] == 0:
            break
    return OnlineResult(
        weights=w if average is False else mean_weights(vectors, updated, average),
        last=w,
        mistakes=tuple(mistakes),
        n_steps=len(updated),
        snapshots=tuple(vectors[snapshot_every::snapshot_every]) if snapshot_every else (),
        updates=tuple(updates),
    )


def pushed(W: FloatArray, x: FloatArray, gold: int, guess: int, eta: float) -> FloatArray:
    """W (J, K) with eta x added to the gold class and taken from the guess.

    Examples
    --------
    >>> import numpy as np
    >>> pushed(np.zeros((1, 2)), np.array([3.0]), 0, 1, 0.5)
    array([[ 1.5, -1.5]])
    """
    new = W.copy()
    new[:, gold] += eta * x
    new[:, guess] -= eta * x
    return new
