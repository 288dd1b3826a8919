r"""Stochastic gradient descent on a regularised risk.

SPEC M-62–M-64, M-67, M-75, M-76, M-86, M-87.

.. math:: F(W) = \tfrac12\lVert W\rVert^2 + \sum_i \text{cost}_i\, \ell_i(W)
   = S\Big(\tfrac\lambda2\lVert W\rVert^2 + \tfrac1M\sum_i a_i\,\ell_i(W)\Big),
   \qquad S = \sum_i \text{cost}_i,\ \lambda = 1/S,\ a_i = M\,\text{cost}_i/S

With equal costs C this is the lectures' mean form with λ = 1/(CM). One step on example i is

.. math:: W \leftarrow (1 - \lambda\eta_t) W - \eta_t\, a_i \nabla\ell_i(W)

so S4's step η' on ½|w|² + CN·hinge is η = CN·η', and η' = 1/t is Pegasos's η = 1/(λt).

For the CRF an example is a sentence and the rate :math:`\eta_0/(1 + \lambda\eta_0 t)`; η₀ is found
by trial on up to 1,000 sentences, as Bottou's programs and CRFsuite do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.data.copies import Copies
from linnet.data.splits import split
from linnet.errors import ParameterError
from linnet.learn.flat.online_run import Examples, FlatRun
from linnet.learn.flat.regularised_risk import Solution, Task, subgradient_gap
from linnet.learn.shared.checks import LARGEST, check_choice, check_positive
from linnet.learn.shared.history import History
from linnet.learn.shared.online_run import Floats, Rule, RunState, order_of
from linnet.learn.shared.schedules import HeldOut, Pegasos, Power, Schedule, check_schedule

__all__ = ["SgdRun", "default_schedule", "fit_crf_sgd", "fit_sgd", "objective"]

RULES = ("log", "probability", "hinge", "squared_hinge", "perceptron")
# Largest second derivative of the loss in a score; piecewise linear losses have none and take 1.
CURVATURE = {"log": 0.25, "probability": 0.25, "squared_hinge": 2.0}
PATIENCE = 10  # rounds without progress before tol stops the run
CRF_SAMPLE = 1000  # sentences on which the first rate is tried
CRF_PATIENCE = 5


@dataclass(frozen=True)
class SgdRun:
    """The outcome: weights (J + 1, columns), one history row a round, how far the steps went."""

    weights: Floats
    history: History
    n_iter: int
    n_steps: int


def fit_sgd(
    task: Task,
    *,
    rule: str,
    schedule: Schedule | float | None = None,
    max_iter: int = 10,
    tol: float = 0.0,
    average: bool | str = False,
    shuffle: bool = True,
    truncate: float = 0.0,
    seed: int = 0,
    threads: int = 1,
    verbose: int = 0,
    start: Solution | None = None,
    pegasos: bool = False,
    batch_size: int = 1,
    projection: bool = True,
) -> SgdRun:
    """Minimise a task by steps on single examples or small batches.

    Parameters
    ----------
    task : Task
        ``form`` "columns" takes one column, or one-vs-rest; "joint" and "grouped" let all classes
        compete. ``l2=0`` leaves the penalty out (λ = 0). ``margins[gold, guess]`` is the cost
        of the joint hinge.
    rule : {"log", "probability", "hinge", "squared_hinge", "perceptron"}
        The loss; "probability" ascends P(gold | x) instead of its logarithm (M-64).
    schedule : Schedule or float, optional
        Learning rates (:mod:`linnet.learn.shared.schedules`). None takes :func:`default_schedule`,
        or 1/(λt) for Pegasos.
    max_iter : int
        Rounds over the examples; a round has ceil(M / batch_size) steps (A-73).
    tol : float
        Stop when the objective has not fallen by ``tol`` times itself in 10 rounds, and return the
        best weights of any round, whose row of the history is repeated at its end; 0 makes all
        rounds and returns the last weights, as the lectures do.
    average : bool or str
        False returns the last weights, True the mean over all steps.
    truncate : float
        Shrink every weight but the bias by this much before each step (M-67).
    pegasos : bool
        The hinge does not act on a margin of exactly 1, and ``projection`` keeps |W| in the ball
        that holds the optimum (M-76).
    batch_size : int
        Examples per step; the number of examples gives batch subgradient descent (M-87).

    Returns
    -------
    SgdRun
        Its history has ``iteration``, ``objective`` (recomputed at the weights that would be
        returned), ``gap`` (infinite but for the last round), ``step`` (last rate), ``mistakes``.
    """
    _check(task, rule, max_iter, truncate, batch_size)
    chosen, kept = _part(task, schedule, seed)
    total = float(task.cost[chosen].sum())
    decay = task.l2 / total
    if schedule is None:
        schedule = Pegasos(decay) if pegasos else default_schedule(task, rule, decay)
    run = FlatRun(
        _rule(task, rule, pegasos),
        task.zeros().shape if start is None else start.weights,
        bias=task.bias,
        penalize_bias=task.penalize_bias,
        average=average,
        decay=decay,
        truncate=float(truncate),
        radius=_radius(task, decay) if pegasos and projection else 0.0,
        batch_size=int(batch_size),
    )
    examples = Examples(task.features, task.gold, task.cost * (len(chosen) / total))
    rates = check_schedule(schedule)
    history = History(verbose, "sgd")
    patience = _Patience(tol)
    best: Floats | None = None
    for number in range(int(max_iter)):
        eta = rates.rates(run.steps, -(-len(chosen) // int(batch_size)))
        order = order_of(chosen, seed, number, shuffle)
        seen = run.go(examples, order, eta, threads=threads)
        weights = run.average_weights(threads)
        history.add(
            iteration=number + 1,
            objective=objective(task, run, weights, threads),
            gap=np.inf,
            gradient_norm=0.0,
            step=float(eta[-1]),
            mistakes=seen.wrong,
        )
        if isinstance(rates, HeldOut):
            rates = rates.after_round(-run.loss_at(kept, weights, threads))
        if tol > 0.0 and history.last("objective") <= history.least("objective"):
            best = weights
        if patience.is_out(history.last("objective")):
            break
    if best is not None and best is not weights:
        weights = best
        history.repeat_least("objective")
    history.revise(gap=subgradient_gap(task, weights))
    return SgdRun(weights, history, number + 1, run.steps)


def default_schedule(task: Task, rule: str, decay: float) -> Schedule:
    """Return 1/(λ(t + t0)), with t0 such that the first steps do not overshoot.

    A step on one example is a contraction while η is at most 1 over the curvature of its loss,
    which is at most the loss's own curvature times |x|²; the mean of |x|² stands for all. Without
    a penalty the rate falls as 1/√t from there.
    """
    norms = np.empty(task.features.rows)
    _core.squared_norms(task.features.matrix, task.bias, norms, 1)
    steepest = max(CURVATURE.get(rule, 1.0) * float(norms.mean()), 1e-12)
    if decay == 0.0:
        return Power(1.0 / steepest, beta=0.5)
    return Pegasos(decay, offset=steepest / decay)


def objective(task: Task, run: FlatRun, weights: Floats, threads: int) -> float:
    """Return the penalty plus the sum of cost times loss, over all examples of the task."""
    penalized = weights[:-1] if task.bias and not task.penalize_bias else weights
    whole = Examples(task.features, task.gold, task.cost)
    # not np.vdot: the threads of a BLAS keep a core busy for a while after each call
    penalty = 0.5 * task.l2 * float(np.einsum("jk,jk->", penalized, penalized))
    return penalty + run.loss_at(whole, weights, threads)


class _Patience:
    """Runs out when the best objective has not fallen by ``tol`` times itself for some rounds."""

    def __init__(self, tol: float) -> None:
        self.tol = tol
        self.best = np.inf
        self.rounds = 0

    def is_out(self, value: float) -> bool:
        if value < self.best - self.tol * abs(value):
            self.best, self.rounds = value, 0
        else:
            self.rounds += 1
        return self.tol > 0.0 and self.rounds >= PATIENCE


def _check(task: Task, rule: str, max_iter: int, truncate: float, batch_size: int) -> None:
    check_choice("rule", rule, RULES)
    check_positive(max_iter=max_iter, batch_size=batch_size)
    if not 0.0 <= truncate <= LARGEST:
        raise ParameterError(f"truncate must be finite and not negative, got {truncate}.")
    if rule == "squared_hinge" and _form(task) != "columns":
        raise ParameterError("The squared hinge needs two classes or one-vs-rest.")


def _form(task: Task) -> str:
    return "columns" if task.form == "joint" and task.n_classes == 2 else task.form


def _rule(task: Task, rule: str, pegasos: bool) -> Rule:
    form = _form(task)
    cost = task.margins if form != "columns" and rule == "hinge" else None
    tie = "strict" if pegasos else "nonpositive"
    return Rule(rule, form, task.n_classes, tie=tie, cost=cost)


def _radius(task: Task, decay: float) -> float:
    """Return a bound on |W| at the optimum: λ|W|² is at most the largest cost of one example."""
    if decay == 0.0:
        raise ParameterError("Projection needs an l2 penalty.")
    largest = 1.0 if task.margins is None else float(task.margins.max())
    return float(np.sqrt(largest / decay))


def _part(
    task: Task, schedule: Schedule | float | None, seed: int
) -> tuple[NDArray[np.int64], Examples]:
    """Return the examples to learn from and, for HeldOut, those kept aside (the rest weigh 0)."""
    indices = np.arange(len(task.gold), dtype=np.int64)
    aside = np.zeros(len(indices))
    if isinstance(schedule, HeldOut):
        copies = Copies.of(task.features.csr) if task.form != "grouped" else None
        shares = (1.0 - schedule.share, schedule.share)
        indices, kept = split(len(indices), shares, seed, task.gold, copies)
        aside[kept] = 1.0
    return indices, Examples(task.features, task.gold, aside)


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
    sample = order_of(chosen, seed, max_iter, shuffle=True)[:CRF_SAMPLE].copy()
    rate = _core.crf_sgd_rate(chain, gold, scaled, decay, sample)
    weights, state = start.copy(), RunState()
    sums = np.zeros_like(weights) if average else None
    best, least, idle = weights, np.inf, 0
    for number in range(max_iter):
        if sums is not None and number == 1:
            sums[:], state.sum = 0.0, 0.0
        order = order_of(chosen, seed, number, shuffle)
        with state.lent("steps", "scale", "sum") as numbers:
            _core.crf_sgd_pass(chain, gold, scaled, decay, rate, order, weights, sums, numbers)
        steps = len(chosen) * max(1, number)
        now = weights * state.scale if sums is None else (state.sum * weights - sums) / steps
        objective = _core.crf_value(chain, gold, cost, 1.0, now, threads)
        last = rate / (1.0 + decay * rate * state.steps)
        history.record(number + 1, objective, np.inf, 0.0, last)
        idle = 0 if objective < least - tol * abs(objective) else idle + 1
        if objective < least:
            best, least = now, objective
        if idle >= CRF_PATIENCE:
            break
    return best
