"""The solvers of MaxEnt and SVM that need a row only once: AdaGrad and SGD."""

from __future__ import annotations

from functools import partial
from typing import Any

from linnet.errors import ParameterError
from linnet.learn.flat.incremental import Adaptive, Incremental, Stepwise
from linnet.learn.flat.sgd import CURVATURE
from linnet.learn.shared.checks import check_positive
from linnet.learn.shared.online_run import Rule
from linnet.learn.shared.schedules import Constant, HeldOut, Pegasos, Schedule, check_schedule
from linnet.learn.shared.solvers import SGD, AdaGrad, solver_name

__all__ = ["by_steps"]

_NORM = 1.0  # |x|² of texts, whose rows are divided by their norm


def by_steps(
    learner: Any, loss: str, joint: bool, n_features: int, n_classes: int, examples: int | None
) -> Incremental:
    """Return who minimises a loss row by row; see :meth:`RegularisedClassifier.incremental`."""
    name, bias = solver_name(learner.solver), learner._bias()
    check_positive(C=learner.C)
    if learner.penalty not in ("l2", None):
        raise ParameterError(f"penalty={learner.penalty!r} needs all rows; leave it out.")
    rule_of = partial(_rule, loss, joint)
    if name in ("auto", "adagrad"):
        settings = learner.solver if isinstance(learner.solver, AdaGrad) else AdaGrad()
        settings.check()
        return Adaptive(rule_of, n_features, n_classes, rate=float(settings.rate), bias=bias)
    if name != "sgd":
        raise ParameterError(
            f"solver={name!r} needs all rows at once; over a stream use 'adagrad' or 'sgd'."
        )
    sgd = learner.solver if isinstance(learner.solver, SGD) else SGD()
    sgd.check()
    if sgd.batch_size != 1:
        raise ParameterError("batch_size must be 1 over a stream.")
    decay = 1.0 / (learner.C * examples) if examples and learner.penalty == "l2" else 0.0
    return Stepwise(
        rule_of, n_features, n_classes, rates=_schedule(sgd, loss, decay, bias).rates, bias=bias,
        penalize_bias=learner.penalize_intercept, average=sgd.average, decay=decay,
        truncate=float(sgd.truncate),
    )  # fmt: skip


def _rule(loss: str, joint: bool, n_classes: int) -> Rule:
    return Rule(loss, "joint" if joint and n_classes > 2 else "columns", n_classes)


def _schedule(sgd: SGD, loss: str, decay: float, bias: float) -> Schedule:
    """Return the rates.

    With a penalty they are by default those of :func:`linnet.learn.flat.sgd.default_schedule`.
    Without one the first of those stays: nobody knows when the stream will end.
    """
    if sgd.schedule is not None:
        schedule = check_schedule(sgd.schedule)
        if isinstance(schedule, HeldOut):
            raise ParameterError("HeldOut needs all rows; choose another schedule.")
        return schedule
    steepest = CURVATURE.get(loss, 1.0) * (_NORM + bias * bias)
    if decay == 0.0:
        return Constant(1.0 / steepest)
    return Pegasos(decay, offset=steepest / decay)
