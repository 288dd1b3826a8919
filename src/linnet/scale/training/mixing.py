"""Iterative parameter mixing: online learners over parts (McDonald, Hall and Mann 2010).

In each round every part goes over its examples once, from the same weights; the next round begins
with the mean of where they arrived, each part by its number of examples. A separable problem is
still separated after finitely many mistakes. It is not the run of one machine, which meets all
examples one after the other: with P parts a round makes about as much way as a P-th of one.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.learn.shared.checks import seed_from
from linnet.learn.shared.history import History
from linnet.scale.training.sums import added
from linnet.scale.workers import Cluster

__all__ = ["mixed", "round_of"]

Floats = NDArray[np.float64]


def mixed(
    cluster: Cluster, learner: Any, tell: Callable[..., Any], parts: list[Any], n: int,
    history: History,
) -> Any:  # fmt: skip
    """Fit an online learner in place.

    Parameters
    ----------
    learner : Online
        With its classes and the shape of its weights set.
    tell : function of a part, a learner and a round
        What a worker does in a round: see :func:`round_of`.
    parts : list of futures
    n : int
        How many examples there are in all.
    history : History
    """
    for name in ("early_stopping", "warm_start"):
        if getattr(learner, name, False):
            raise ParameterError(f"{name}=True needs all examples in one place; leave it out.")
    if getattr(learner, "pairs", None) == "updated":
        raise ParameterError("pairs='updated' needs all sentences in one place; use 'observed'.")
    learner._seed = seed_from(learner.random_state)
    shared = cluster.held(_plain(learner))
    weights = learner._fresh_run(False).last_weights()
    means: Any = 0.0
    for number in range(int(learner.max_iter)):
        point = cluster.held(weights)
        numbers = list(range(len(parts)))
        sums = cluster.total(added, tell, parts, shared, point, numbers, number)
        last, mean, loss, updates, wrong = cluster.fetch(sums)
        weights, means = last / n, means + mean / n
        figures = {"wrong_tokens": float(wrong[0])} if hasattr(learner, "beam") else {}
        history.add(
            iteration=number + 1, online_loss=float(loss[0]), mistakes=float(updates[0]), **figures
        )
        if (learner.stop_when_clean and not updates[0]) or history.stopped:
            break
    learner._n_rounds = len(history)
    learner._run = learner._fresh_run(learner.average, weights)
    learner.snapshots_ = []
    learner._finish(history, n, means / len(history) if learner.average else weights)
    learner.t_ = n * len(history)
    return learner


def round_of(
    learner: Any, examples: Any, weights: Floats, part: int, number: int
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Go over the examples of a part once; return the sums that a mean is made of.

    These are the last weights and the mean of all on the way, both times the number of examples;
    then losses, updates and wrong answers.
    """
    model, n = copy(learner), len(examples.weights)
    rates = model._rates
    model._rates = lambda first, steps: rates(number * n + first, steps)
    model._run = model._fresh_run(learner.average, weights)
    model._seed = learner._seed + part  # every part has orders of its own
    seen: list[Any] = []

    def record(_: int, passed: Any) -> bool:
        seen.append(passed)
        return True

    model._meet(examples, [(number, model._order(examples.used, number))], record)
    last, mean = model._run.last_weights(), model._run.average_weights()
    figures = (seen[0].loss, seen[0].updates, seen[0].wrong)
    counts = [np.array([float(value)]) for value in figures]
    return n * last, n * mean, *counts


def _plain(learner: Any) -> Any:
    """Return the learner without what workers do not need."""
    plain = copy(learner)
    for name in ("history_", "_run", "coef_", "intercept_", "n_threads"):
        plain.__dict__.pop(name, None)
    plain.n_threads = 1
    return plain
