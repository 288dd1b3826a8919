r"""Stochastic gradient descent on the objective of a CRF: a step a sentence.

.. math:: w \leftarrow (1 - \lambda\eta_t)\,w - \eta_t\,a_i \nabla\ell_i(w), \qquad
   \eta_t = \eta_0/(1 + \lambda\eta_0 t)

with λ and the weights :math:`a_i` of sentences as in :mod:`linnet.learn.flat.sgd`; η₀ is found by
trial on up to 1,000 sentences, as Bottou's programs and CRFsuite do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import ParameterError
from linnet.learn.shared.history import History
from linnet.learn.shared.online_run import Floats, RunState, order_of
from linnet.learn.shared.solvers import SGD

__all__ = [
    "CrfSteps",
    "CrfWalk",
    "SentencesHere",
    "check_settings",
    "first_rate",
    "fit_crf_sgd",
    "scaled_costs",
]

SAMPLE = 1000  # sentences on which the first rate is tried
PATIENCE = 5


def check_settings(solver: SGD) -> None:
    """Refuse what a CRF's steps do not have: other rates, batches, truncation, other averages."""
    others = {"schedule": None, "batch_size": 1, "truncate": 0.0, "record_objective": True}
    wrong = [name for name, value in others.items() if getattr(solver, name) != value]
    if wrong:
        raise ParameterError(
            "A CRF finds its rates by trial and goes from sentence to sentence; "
            f"its SGD has no {wrong[0]}."
        )
    if not isinstance(solver.average, bool):
        raise ParameterError(f"A CRF's SGD takes average True or False, got {solver.average!r}.")


@dataclass(frozen=True)
class CrfSteps:
    """What a step on a sentence does: η₀, λ, and in which order sentences come."""

    rate: float
    decay: float
    shuffle: bool
    seed: int

    def go(
        self, chain: _core.Chain, gold: NDArray[np.int32], scaled: Floats, number: int,
        weights: Floats, sums: Floats | None, state: RunState,
    ) -> None:  # fmt: skip
        """Take a step on each sentence of positive weight; change weights, sums and state."""
        order = order_of(np.flatnonzero(scaled > 0.0), self.seed, number, self.shuffle)
        with state.lent("steps", "scale", "sum") as numbers:
            _core.crf_sgd_pass(
                chain, gold, scaled, self.decay, self.rate, order, weights, sums, numbers
            )

    def last(self, steps: float) -> float:
        """Return the rate after so many steps."""
        return self.rate / (1.0 + self.decay * self.rate * steps)


class CrfWalk(Protocol):
    """Rounds of steps over sentences, here or elsewhere."""

    def round(self, number: int) -> tuple[Floats, float]:
        """Go over the sentences once; return the weights to be returned now, and the last rate."""

    def objective(self, weights: Floats) -> float:
        """Return the objective at weights."""


class SentencesHere:
    """Rounds of steps over the sentences of a chain that is here."""

    def __init__(
        self, chain: _core.Chain, gold: NDArray[np.int32], cost: Floats, solver: SGD, *,
        start: Floats, seed: int, rounds: int, threads: int,
    ) -> None:  # fmt: skip
        self._chain, self._gold, self._cost, self._threads = chain, gold, cost, threads
        decay, self._scaled = scaled_costs(cost)
        rate = first_rate(chain, gold, self._scaled, decay, seed, rounds)
        self._steps = CrfSteps(rate, decay, solver.shuffle, seed)
        self._weights, self._state = start.copy(), RunState()
        self._sums = np.zeros_like(start) if solver.average else None
        self._n = int(np.count_nonzero(cost > 0.0))

    def round(self, number: int) -> tuple[Floats, float]:
        """Go over the sentences once; return the weights to be returned now, and the last rate."""
        weights, sums, state = self._weights, self._sums, self._state
        if sums is not None and number == 1:
            sums[:], state.sum = 0.0, 0.0
        self._steps.go(self._chain, self._gold, self._scaled, number, weights, sums, state)
        n_summed = self._n * max(1, number)
        now = weights * state.scale if sums is None else (state.sum * weights - sums) / n_summed
        return now, self._steps.last(state.steps)

    def objective(self, weights: Floats) -> float:
        """Return the objective at weights."""
        value: float = _core.crf_value(
            self._chain, self._gold, self._cost, 1.0, weights, self._threads
        )
        return value


def scaled_costs(cost: Floats) -> tuple[float, Floats]:
    """Return λ and the weight a_i of each sentence."""
    total = float(cost[cost > 0.0].sum())
    n = int(np.count_nonzero(cost > 0.0))
    return 1.0 / total, np.ascontiguousarray(cost * (n / total))


def first_rate(
    chain: _core.Chain, gold: NDArray[np.int32], scaled: Floats, decay: float, seed: int,
    rounds: int,
) -> float:  # fmt: skip
    """Return η₀, found by trial on some sentences, in an order that no round has."""
    chosen = np.flatnonzero(scaled > 0.0)
    sample = order_of(chosen, seed, rounds, shuffle=True)[:SAMPLE].copy()
    rate: float = _core.crf_sgd_rate(chain, gold, scaled, decay, sample)
    return rate


def fit_crf_sgd(
    walk: CrfWalk, start: Floats, *, tol: float, max_iter: int, history: History
) -> Floats:
    """Return the weights after ``max_iter`` rounds, or of the best round once progress ends.

    The history gets one row a round: ``objective``, exact, at the weights that would be returned
    after it; ``gap`` infinite, for SGD certifies nothing; ``step``, the last rate. The run ends
    when the objective has not fallen by ``tol`` times itself in 5 rounds. The average is over the
    steps from the second round on.
    """
    best, least, idle = start, np.inf, 0
    for number in range(max_iter):
        now, last = walk.round(number)
        objective = walk.objective(now)
        history.follow(now)
        history.record(number + 1, objective, np.inf, 0.0, last)
        idle = 0 if objective < least - tol * abs(objective) else idle + 1
        if objective < least:
            best, least = now, objective
        if idle >= PATIENCE or history.stopped:
            break
    return best
