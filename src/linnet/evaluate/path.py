"""One learner fitted again and again: at many values of a parameter, and on more and more examples.

*Parameter path.* Which value does best on development data, and how much it matters.

A learner with a convex objective penalty(w) + C Σ loss goes from one C to the next with the weights
of the last fit, ascending: the optimum moves little, so most of the work is done once (the solver
and its warm start are in the core). Every fit still stops at the learner's own tolerance, so what
is found at a value is what a fit from zero would find there. Any other learner or parameter (the
smoothing ``alpha`` of naive Bayes, the learning rate ``schedule`` of an online learner, ``k``) is
fitted afresh at every value.

*Learning curve.* The score on a fixed test part after fitting on nested random parts of the other
examples: each is contained in the next, and labels are spread evenly over all of them.
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
from linnet.evaluate.rows import labels_of, one_label_each, row_count, taken
from linnet.evaluate.unit_counts import Metric
from linnet.learn.shared.declaration import declaration_of, ignores_c
from linnet.learn.shared.solvers import stochastic

__all__ = ["LearningCurve", "ParameterPath", "learning_curve", "parameter_path"]

Floats = NDArray[np.float64]
_STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


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
    if parameter == "C" and ignores_c(learner):
        raise ParameterError(
            f"C would change nothing: {type(learner).__name__} has "
            f"regularizer={known['regularizer']!r} in its place; vary that, or leave it out."
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
    return declaration_of(learner).convex and stochastic(getattr(learner, "solver", None)) is None


@dataclass(frozen=True)
class LearningCurve:
    """Scores after training on `sizes` examples, arrays of shape (sizes, repeats)."""

    sizes: tuple[int, ...]
    train_scores: Floats
    test_scores: Floats

    @property
    def mean(self) -> Floats:
        """The mean test score of each size."""
        answer: Floats = self.test_scores.mean(axis=1)
        return answer


def learning_curve(
    learner: Any,
    X: Any,
    y: Any = None,
    sizes: Sequence[float] = (0.1, 0.2, 0.4, 0.7, 1.0),
    *,
    test: tuple[Any, Any] | None = None,
    repeats: int = 1,
    seed: int = 0,
    metric: Metric = "accuracy",
) -> LearningCurve:
    """Fit a learner on more and more examples.

    Parameters
    ----------
    learner, X, y, metric
        As in :func:`linnet.evaluate.cross_validate`.
    sizes : sequence of numbers
        Whole numbers count examples, others up to 1.0 are shares of those to train on. A smaller
        part is contained in the larger ones, and labels are spread evenly over all.
    test : (X, y), optional
        By default a fifth of the examples, another one each repeat.
    repeats, seed : int

    Examples
    --------
    >>> from linnet import MultinomialNB
    >>> from linnet.data import load_iris
    >>> iris = load_iris()
    >>> curve = learning_curve(MultinomialNB(), iris.X, iris.y, sizes=(30, 0.5, 1.0), repeats=2)
    >>> curve.sizes, curve.test_scores.shape
    ((30, 60, 120), (3, 2))
    """
    from sklearn.base import clone

    gold = labels_of(X, y)
    flat = one_label_each(gold)
    shape, copies = (len(sizes), repeats), Copies.of(X)
    on_train, on_test, counts = np.empty(shape), np.empty(shape), []
    for repeat in range(repeats):
        shares = (0.8, 0.2) if test is None else (1.0, 0.0)
        pool, held = split(len(gold), shares, seed + repeat, gold if flat else None, copies)
        test_X, test_y = (taken(X, held), taken(gold, held)) if test is None else test
        if not row_count(test_X):
            raise DataError(f"{len(gold)} examples leave none to test on; pass test=(X, y)")
        order, counts = _nested(pool, gold, flat, seed + repeat), _sizes(sizes, len(pool))
        for i, size in enumerate(counts):
            rows = np.sort(order[:size])
            model = clone(learner).fit(taken(X, rows), taken(gold, rows))
            parts = ((taken(X, rows), taken(gold, rows)), (test_X, labels_of(test_X, test_y)))
            on_train[i, repeat], on_test[i, repeat] = (
                predicted_score(model, a, b, metric) for a, b in parts
            )
    return LearningCurve(tuple(counts), on_train, on_test)


def _nested(pool: Any, gold: list[Any], flat: bool, seed: int) -> NDArray[np.int64]:
    """Return the rows of a pool in an order of which every beginning has labels in proportion."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(pool)
    if not flat:
        return order
    labels = np.unique(np.asarray([gold[row] for row in order]), return_inverse=True)[1]
    place = np.empty(len(order))
    for label in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == label)
        place[members] = (np.arange(len(members)) + rng.random()) / len(members)
    return order[np.argsort(place, kind="stable")]


def _sizes(sizes: Sequence[float], n: int) -> list[int]:
    counts = [
        int(size) if isinstance(size, (int, np.integer)) else round(size * n) for size in sizes
    ]
    if not counts or min(counts) < 1 or max(counts) > n:
        raise ParameterError(f"sizes must lie between 1 and {n} examples, got {list(sizes)}")
    return counts
