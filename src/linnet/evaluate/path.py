"""One parameter, many values: which does best on development data, and how much it matters.

A learner with a convex objective penalty(w) + C Σ loss goes from one C to the next with the weights
of the last fit, ascending: the optimum moves little, so most of the work is done once (the solver
and its warm start are in the core). Every fit still stops at the learner's own tolerance, so what
is found at a value is what a fit from zero would find there. Any other learner or parameter (the
smoothing ``alpha`` of naive Bayes, the learning rate ``schedule`` of an online learner, ``k``) is
fitted afresh at every value.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.copies import Copies
from linnet.data.splits import split
from linnet.errors import DataError, ParameterError
from linnet.evaluate.resampling import predicted_score
from linnet.evaluate.rows import labels_of, one_label_each, taken
from linnet.evaluate.unit_counts import Metric
from linnet.learn.shared.declaration import declaration_of

__all__ = ["ParameterPath", "parameter_path"]

Floats = NDArray[np.float64]
_STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_STOCHASTIC = ("sgd", "pegasos")


@dataclass(frozen=True)
class ParameterPath:
    """What :func:`parameter_path` found.

    Attributes
    ----------
    parameter : str
    values : tuple
        As they were fitted.
    train_scores, scores : arrays of shape (values,)
        On the training and on the development examples.
    iterations : tuple of int or None
        Of each fit, where the learner counts them.
    seconds : float
        Of all fits together.
    best : the value of the largest development score, among equals the first
    learner : the estimator fitted at `best`
    """

    parameter: str
    values: tuple[Any, ...]
    train_scores: Floats
    scores: Floats
    iterations: tuple[int | None, ...]
    seconds: float
    best: Any
    learner: Any

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; a value that is no number becomes text."""
        values = [v if isinstance(v, (int, float)) else str(v) for v in self.values]
        return {
            "parameter": self.parameter,
            "values": values,
            "train_scores": self.train_scores.tolist(),
            "scores": self.scores.tolist(),
            "iterations": list(self.iterations),
            "seconds": self.seconds,
            "best": values[self.values.index(self.best)],
        }


def parameter_path(
    learner: Any,
    X: Any,
    y: Any = None,
    parameter: str = "C",
    values: Sequence[Any] | None = None,
    *,
    development: tuple[Any, Any] | None = None,
    metric: Metric = "accuracy",
    seed: int = 0,
) -> ParameterPath:
    """Fit a learner at every value of one parameter and score it on development data.

    Parameters
    ----------
    learner : estimator
        It stays as it is; a copy walks.
    X, y : examples and labels, or sentences and tags
    parameter : str, default="C"
    values : sequence, optional
        By default nine values of C from 0.01 to 100; other parameters need them. Numbers are
        tried in ascending order.
    development : (X, y), optional
        By default a fifth of the examples, labels in proportion.
    metric : as in :func:`linnet.evaluate.approximate_randomisation`
    seed : int
        Of the split.

    Examples
    --------
    >>> from linnet import MaxEnt, MultinomialNB
    >>> from linnet.data import load_iris
    >>> iris = load_iris()
    >>> path = parameter_path(MaxEnt(), iris.X, iris.y, values=(0.001, 1, 100))
    >>> bool(path.scores[0] < path.scores[2]), path.best
    (True, 1)
    >>> parameter_path(MultinomialNB(), iris.X, iris.y, "alpha", (0.1, 1.0)).values
    (0.1, 1.0)
    """
    from sklearn.base import clone

    steps = _ordered(learner, parameter, values)
    train, held = _parts(X, y, development, seed)
    model = clone(learner)
    warm = parameter == "C" and _goes_on(model)
    if warm:
        model.set_params(warm_start=True)
    scores, iterations, seconds = np.empty((2, len(steps))), [], 0.0
    best, kept = 0, None
    for number, value in enumerate(steps):
        if not warm:
            model = clone(learner)
        model.set_params(**{parameter: value})
        began = perf_counter()
        model.fit(*train)
        seconds += perf_counter() - began
        for row, (examples, gold) in enumerate((train, held)):
            scores[row, number] = predicted_score(model, examples, gold, metric)
        rounds = getattr(model, "n_iter_", None)
        iterations.append(None if rounds is None else int(rounds))
        if kept is None or scores[1, number] > scores[1, best]:
            best, kept = number, copy(model)  # later fits set new arrays
    if warm and kept is not None:
        kept.set_params(warm_start=learner.warm_start)
    return ParameterPath(
        parameter, steps, scores[0], scores[1], tuple(iterations), seconds, steps[best], kept
    )


def _ordered(learner: Any, parameter: str, values: Sequence[Any] | None) -> tuple[Any, ...]:
    known = learner.get_params(deep=True)
    if parameter not in known:
        listed = ", ".join(sorted(known))
        raise ParameterError(
            f"{type(learner).__name__} has no parameter {parameter!r}; it has {listed}"
        )
    if values is None and parameter != "C":
        raise ParameterError(f"name the values of {parameter} to try, such as values=(0.1, 1.0)")
    tried = list(_STRENGTHS if values is None else values)
    if not tried:
        raise ParameterError("values must hold at least one value to try")
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in tried)
    return tuple(sorted(tried) if numbers else tried)


def _parts(X: Any, y: Any, development: tuple[Any, Any] | None, seed: int) -> Any:
    """Return what to train on and what to measure on, each as (examples, labels)."""
    gold = labels_of(X, y)
    if development is not None:
        return (X, gold), (development[0], labels_of(*development))
    labels, copies = np.asarray(gold) if one_label_each(gold) else None, Copies.of(X)
    rest, held = split(len(gold), (0.8, 0.2), seed, labels, copies)
    if not len(rest) or not len(held):
        raise DataError(f"{len(gold)} examples leave none to measure on; pass development=(X, y)")
    return (taken(X, rest), taken(gold, rest)), (taken(X, held), taken(gold, held))


def _goes_on(learner: Any) -> bool:
    """Tell whether a fit may start from the weights of the last one and end where it would."""
    return declaration_of(learner).convex and getattr(learner, "solver", None) not in _STOCHASTIC
