"""One learner of the demonstration: accuracies, and how far its training came.

:func:`linnet.compare` compares learners on raw data, and says whether differences are significant.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone

from linnet.evaluate.metrics import accuracy, wilson_interval

__all__ = ["Row", "row_of"]

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


def row_of(name: str, learner: Any, train: Examples, test: Examples) -> Row:
    """Fit a copy of a learner on `train` and evaluate it on both parts.

    Examples
    --------
    >>> from linnet.learn.maxent import MaxEnt
    >>> from linnet.data import make_gaussians
    >>> train = make_gaussians(100, [[-2, 0], [2, 0]], seed=1)
    >>> test = make_gaussians(100, [[-2, 0], [2, 0]], seed=2)
    >>> row = row_of("MaxEnt", MaxEnt(), train, test)
    >>> row.name, row.test_accuracy > 0.9
    ('MaxEnt', True)
    """
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
