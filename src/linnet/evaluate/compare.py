"""Several learners on one data set, side by side: estimators as they are, on arrays.

:func:`linnet.compare` starts from raw data instead, and says whether differences are significant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from linnet.evaluate.metrics import accuracy, wilson_interval

__all__ = ["Row", "compare", "compare_one"]

Examples: TypeAlias = tuple[Any, Any]
"""Features X, in any form a learner takes, and labels y."""


@dataclass(frozen=True)
class Row:
    """What one learner did.

    ``objective`` is the last value of the learner's history and ``optimality`` its distance from
    the optimum; each is None for a learner that has none. Intervals are Wilson's, at 95 %.
    """

    name: str
    train_accuracy: float
    train_interval: tuple[float, float]
    test_accuracy: float
    test_interval: tuple[float, float]
    objective: float | None
    optimality: float | None
    seconds: float


def compare(learners: Mapping[str, Any], train: Examples, test: Examples) -> list[Row]:
    """Fit a copy of each learner on `train` and evaluate it on both parts.

    Parameters
    ----------
    learners : mapping
        Name to estimator; the estimators themselves stay as they are.
    train, test : (X, y)

    Returns
    -------
    list of Row
        In the order of `learners`. ``seconds`` is the time of fitting alone.

    Examples
    --------
    >>> from linnet.learn.maxent import MaxEnt
    >>> from linnet.data import make_gaussians
    >>> train = make_gaussians(100, [[-2, 0], [2, 0]], seed=1)
    >>> test = make_gaussians(100, [[-2, 0], [2, 0]], seed=2)
    >>> [row] = compare({"MaxEnt": MaxEnt()}, train, test)
    >>> row.name, row.test_accuracy > 0.9
    ('MaxEnt', True)
    """
    return [compare_one(name, learner, train, test) for name, learner in learners.items()]


def compare_one(name: str, learner: Any, train: Examples, test: Examples) -> Row:
    """Return one row of :func:`compare`."""
    from sklearn.base import clone  # here, so that evaluating a saved model does not load it

    model = clone(learner)
    began = perf_counter()
    model.fit(*train)
    seconds = perf_counter() - began
    on_train, train_interval = _evaluated(model, train)
    on_test, test_interval = _evaluated(model, test)
    record = getattr(model, "history_", {}).get("objective", ())
    optimality = getattr(model, "optimality_", None)
    return Row(
        name=name,
        train_accuracy=on_train,
        train_interval=train_interval,
        test_accuracy=on_test,
        test_interval=test_interval,
        objective=float(record[-1]) if len(record) else None,
        optimality=None if optimality is None else float(optimality),
        seconds=seconds,
    )


def _evaluated(model: Any, examples: Examples) -> tuple[float, tuple[float, float]]:
    X, y = examples
    gold = np.asarray(y)
    share = accuracy(gold, model.predict(X))
    return share, wilson_interval(round(share * len(gold)), len(gold))
