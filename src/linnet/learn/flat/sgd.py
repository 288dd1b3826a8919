r"""Stochastic gradient descent on a regularised risk.

SPEC M-62–M-64, M-67, M-75, M-76, M-86, M-87.

.. math:: F(W) = \tfrac12\lVert W\rVert^2 + \sum_i \text{cost}_i\, \ell_i(W)
   = S\Big(\tfrac\lambda2\lVert W\rVert^2 + \tfrac1M\sum_i a_i\,\ell_i(W)\Big),
   \qquad S = \sum_i \text{cost}_i,\ \lambda = 1/S,\ a_i = M\,\text{cost}_i/S

With equal costs C this is the lectures' mean form with λ = 1/(CM). One step on example i is

.. math:: W \leftarrow (1 - \lambda\eta_t) W - \eta_t\, a_i \nabla\ell_i(W)

so S4's step η' on ½|w|² + CN·hinge is η = CN·η', and η' = 1/t is Pegasos's η = 1/(λt).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from linnet.data.copies import Copies
from linnet.data.splits import split
from linnet.errors import ParameterError
from linnet.learn.flat.online_run import Examples, FlatRun
from linnet.learn.flat.regularised_risk import FeaturesElsewhere, Solution, Task, subgradient_gap
from linnet.learn.flat.steps import Steps, Walk
from linnet.learn.shared.checks import check_choice, check_positive
from linnet.learn.shared.history import History
from linnet.learn.shared.online_run import Floats, Rule
from linnet.learn.shared.schedules import HeldOut, Pegasos, Power, Schedule, check_schedule
from linnet.learn.shared.solvers import SGD, PegasosSGD

__all__ = ["SgdRun", "default_schedule", "fit_sgd", "objective"]

RULES = ("log", "probability", "hinge", "squared_hinge", "perceptron")
# Largest second derivative of the loss in a score; piecewise linear losses have none and take 1.
CURVATURE = {"log": 0.25, "probability": 0.25, "squared_hinge": 2.0}
PATIENCE = 10  # rounds without progress before tol stops the run


@dataclass(frozen=True)
class SgdRun:
    """The outcome: weights (J + 1, columns), one history row a round, how far the steps went."""

    weights: Floats
    history: History
    n_iter: int
    n_steps: int


def fit_sgd(
    task: Task,
    solver: SGD,
    *,
    rule: str,
    max_iter: int = 10,
    tol: float = 0.0,
    seed: int = 0,
    threads: int = 1,
    history: History | None = None,
    start: Solution | None = None,
) -> SgdRun:
    """Minimise a task by steps on single examples or small batches.

    Parameters
    ----------
    task : Task
        ``form`` "columns" takes one column, or one-vs-rest; "joint" and "grouped" let all classes
        compete. ``l2=0`` leaves the penalty out (λ = 0). ``margins[gold, guess]`` is the cost
        of the joint hinge.
    solver : SGD
        With :class:`PegasosSGD` the hinge does not act on a margin of exactly 1 (M-76).
    rule : {"log", "probability", "hinge", "squared_hinge", "perceptron"}
        The loss; "probability" ascends P(gold | x) instead of its logarithm (M-64).
    max_iter : int
        Rounds over the examples; a round has ceil(M / batch_size) steps (A-73).
    tol : float
        Stop when the objective has not fallen by ``tol`` times itself in 10 rounds, and return the
        best weights of any round, whose row of the history is repeated at its end; 0 makes all
        rounds and returns the last weights, as the lectures do.
    history : History, optional
        Where a row is added for each round.
    start : Solution, optional
        Where to begin.

    Returns
    -------
    SgdRun
        Its history has ``iteration``, ``objective`` (recomputed at the weights that would be
        returned), ``gap`` (infinite but for the last round), ``step`` (last rate), ``mistakes``.
    """
    _check(task, solver, rule, max_iter)
    if isinstance(task.features, FeaturesElsewhere):
        steps, scaled = _steps(task, solver, rule, np.arange(len(task.gold)), seed)
        walk = task.features.walk(task, steps, scaled, start)
    else:
        walk = _Here(task, solver, rule, seed, threads, start)
    history = History(0, solver.name) if history is None else history
    patience = _Patience(tol)
    best: Floats | None = None
    # whether somebody asks for the weights and the objective of every round
    looks = solver.record_objective or tol > 0.0 or history.is_watched or walk.adapts
    for number in range(int(max_iter)):
        wrong, rate = walk.round(number)
        weights = walk.weights() if looks or number + 1 == max_iter else None
        history.follow(weights)
        history.add(
            iteration=number + 1,
            objective=np.nan if weights is None else objective(task, walk, weights, threads),
            gap=np.inf,
            gradient_norm=0.0,
            step=rate,
            mistakes=wrong,
        )
        if weights is not None:
            walk.judge(weights)
        if tol > 0.0 and history.last("objective") <= history.least("objective"):
            best = weights
        if patience.is_out(history.last("objective")) or history.stopped:
            break
    if weights is None:  # somebody who watches has ended the run
        weights = walk.weights()
        history.revise(objective=objective(task, walk, weights, threads))
    if best is not None and best is not weights:
        weights = best
        history.repeat_least("objective")
    history.revise(gap=subgradient_gap(task, weights, threads))
    return SgdRun(weights, history, number + 1, walk.steps)


class _Here:
    """The rounds of a run over rows that are here: see :class:`Walk`."""

    def __init__(
        self, task: Task, solver: SGD, rule: str, seed: int, threads: int, start: Solution | None
    ) -> None:
        self._chosen, self._kept = _part(task, solver.schedule, seed)
        self._steps, scaled = _steps(task, solver, rule, self._chosen, seed)
        first = task.zeros().shape if start is None else start.weights
        self._run = self._steps.run(first, len(self._chosen))
        self._examples = Examples(task.features, task.gold, scaled)
        self._threads = threads
        self.adapts = isinstance(self._steps.schedule, HeldOut)

    @property
    def steps(self) -> int:
        return self._run.steps

    def round(self, number: int) -> tuple[float, float]:
        seen, rate = self._steps.go(
            self._run, self._examples, self._chosen, number, self._run.steps, self._threads
        )
        return seen.wrong, rate

    def weights(self) -> Floats:
        weights: Floats = self._run.average_weights(self._threads)
        return weights

    def judge(self, weights: Floats) -> None:
        """Let a schedule that adapts know what the weights are worth."""
        schedule = self._steps.schedule
        if isinstance(schedule, HeldOut):
            likelihood = -self._run.loss_at(self._kept, weights, self._threads)
            self._steps = replace(self._steps, schedule=schedule.after_round(likelihood))

    def loss_at(self, examples: Examples, weights: Floats, threads: int) -> float:
        return self._run.loss_at(examples, weights, threads)


def _steps(
    task: Task, solver: SGD, rule: str, chosen: NDArray[np.int64], seed: int
) -> tuple[Steps, Floats]:
    """Return how steps are made, and the weight a_i of each example."""
    total = float(task.cost[chosen].sum())
    decay = task.l2 / total
    settings = Steps(
        _rule(task, rule, solver), _schedule(task, solver, rule, decay), bias=task.bias,
        penalize_bias=task.penalize_bias, average=solver.average, decay=decay,
        truncate=float(solver.truncate), radius=_radius(task, solver, decay),
        batch_size=solver.batch_size, shuffle=solver.shuffle, seed=seed,
    )  # fmt: skip
    return settings, task.cost * (len(chosen) / total)


def _schedule(task: Task, solver: SGD, rule: str, decay: float) -> Schedule:
    if solver.schedule is not None:
        return check_schedule(solver.schedule)
    return Pegasos(decay) if isinstance(solver, PegasosSGD) else default_schedule(task, rule, decay)


def default_schedule(task: Task, rule: str, decay: float) -> Schedule:
    """Return 1/(λ(t + t0)), with t0 such that the first steps do not overshoot.

    A step on one example is a contraction while η is at most 1 over the curvature of its loss,
    which is at most the loss's own curvature times |x|²; the mean of |x|² stands for all. Without
    a penalty the rate falls as 1/√t from there.
    """
    norms = task.features.squared_norms(task.bias)
    steepest = max(CURVATURE.get(rule, 1.0) * float(norms.mean()), 1e-12)
    if decay == 0.0:
        return Power(1.0 / steepest, beta=0.5)
    return Pegasos(decay, offset=steepest / decay)


def objective(task: Task, run: FlatRun | Walk, weights: Floats, threads: int) -> float:
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


def _check(task: Task, solver: SGD, rule: str, max_iter: int) -> None:
    check_choice("rule", rule, RULES)
    check_positive(max_iter=max_iter)
    solver.check()
    if rule == "squared_hinge" and _form(task) != "columns":
        raise ParameterError("The squared hinge needs two classes or one-vs-rest.")


def _form(task: Task) -> str:
    return "columns" if task.form == "joint" and task.n_classes == 2 else task.form


def _rule(task: Task, rule: str, solver: SGD) -> Rule:
    form = _form(task)
    cost = task.margins if form != "columns" and rule == "hinge" else None
    tie = "strict" if isinstance(solver, PegasosSGD) else "nonpositive"
    return Rule(rule, form, task.n_classes, tie=tie, cost=cost)


def _radius(task: Task, solver: SGD, decay: float) -> float:
    """Return a bound on |W| at the optimum: λ|W|² is at most the largest cost of one example.

    It is 0 where the solver does not project.
    """
    if not (isinstance(solver, PegasosSGD) and solver.projection):
        return 0.0
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
