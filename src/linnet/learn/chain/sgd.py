r"""Stochastic gradient descent on the objective of a CRF: a step a sentence.

.. math:: w \leftarrow (1 - \lambda\eta_t)\,w - \eta_t\,a_i \nabla\ell_i(w), \qquad
   \eta_t = \eta_0/(1 + \lambda\eta_0 t)

with λ and the weights :math:`a_i` of sentences as in :mod:`linnet.learn.flat.sgd`; η₀ is found by
trial on up to 1,000 sentences, as Bottou's programs and CRFsuite do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import ParameterError
from linnet.learn.shared.history import History
from linnet.learn.shared.online_run import Floats, RunState, order_of
from linnet.learn.shared.solvers import SGD

__all__ = ["check_settings", "fit_crf_sgd"]

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


def fit_crf_sgd(
    chain: _core.Chain,
    gold: NDArray[np.int32],
    cost: Floats,
    solver: SGD,
    *,
    start: Floats,
    seed: int,
    tol: float,
    max_iter: int,
    history: History,
    threads: int,
) -> Floats:
    """Return the weights after ``max_iter`` rounds, or of the best round once progress ends.

    The history gets one row a round: ``objective``, exact, at the weights that would be returned
    after it; ``gap`` infinite, for SGD certifies nothing; ``step``, the last rate. The run ends
    when the objective has not fallen by ``tol`` times itself in 5 rounds. The average is over the
    steps from the second round on.
    """
    chosen = np.flatnonzero(cost > 0.0)
    total = float(cost[chosen].sum())
    scaled = np.ascontiguousarray(cost * (len(chosen) / total))
    decay = 1.0 / total
    sample = order_of(chosen, seed, max_iter, shuffle=True)[:SAMPLE].copy()
    rate = _core.crf_sgd_rate(chain, gold, scaled, decay, sample)
    weights, state = start.copy(), RunState()
    sums = np.zeros_like(weights) if solver.average else None
    best, least, idle = weights, np.inf, 0
    for number in range(max_iter):
        if sums is not None and number == 1:
            sums[:], state.sum = 0.0, 0.0
        order = order_of(chosen, seed, number, solver.shuffle)
        with state.lent("steps", "scale", "sum") as numbers:
            _core.crf_sgd_pass(chain, gold, scaled, decay, rate, order, weights, sums, numbers)
        steps = len(chosen) * max(1, number)
        now = weights * state.scale if sums is None else (state.sum * weights - sums) / steps
        objective = _core.crf_value(chain, gold, cost, 1.0, now, threads)
        history.follow(now)
        last = rate / (1.0 + decay * rate * state.steps)
        history.record(number + 1, objective, np.inf, 0.0, last)
        idle = 0 if objective < least - tol * abs(objective) else idle + 1
        if objective < least:
            best, least = now, objective
        if idle >= PATIENCE or history.stopped:
            break
    return best
