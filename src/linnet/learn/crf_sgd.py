r"""Stochastic gradient descent for the CRF, a sentence at a time.

.. math:: F(w) = S\Big(\tfrac\lambda2\lVert w\rVert^2 + \tfrac1M\sum_i a_i\,\ell_i(w)\Big),
   \qquad S = \sum_i \text{cost}_i,\ \lambda = 1/S,\ a_i = M\,\text{cost}_i/S

The rate is :math:`\eta_0/(1 + \lambda\eta_0 t)`; η₀ is found by trial on up to 1,000 sentences, as
Bottou's programs and CRFsuite do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.history import History
from linnet.learn.online_run import order_of

__all__ = ["fit_crf_sgd"]

SAMPLE = 1000  # sentences on which the first rate is tried
PATIENCE = 5  # rounds without progress before tol stops the run
Floats = NDArray[np.float64]


def fit_crf_sgd(
    chain: _core.Chain,
    gold: NDArray[np.int32],
    cost: Floats,
    *,
    start: Floats,
    average: bool,
    shuffle: bool,
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
    weights, state = start.copy(), np.array([0.0, 1.0, 0.0])
    sums = np.zeros_like(weights) if average else None
    best, least, idle = weights, np.inf, 0
    for number in range(max_iter):
        if sums is not None and number == 1:
            sums[:], state[2] = 0.0, 0.0
        order = order_of(chosen, seed, number, shuffle)
        _core.crf_sgd_pass(chain, gold, scaled, decay, rate, order, weights, sums, state)
        steps = len(chosen) * max(1, number)
        now = weights * state[1] if sums is None else (state[2] * weights - sums) / steps
        objective = _core.crf_value(chain, gold, cost, 1.0, now, threads)
        last = rate / (1.0 + decay * rate * state[0])
        history.record(number + 1, objective, np.inf, 0.0, last)
        idle = 0 if objective < least - tol * abs(objective) else idle + 1
        if objective < least:
            best, least = now, objective
        if idle >= PATIENCE:
            break
    return best
