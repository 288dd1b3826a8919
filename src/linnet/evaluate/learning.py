"""Learning curves: what more examples buy.

The score on a fixed test part after fitting on nested random parts of the other examples: each is
contained in the next, and labels are spread evenly over all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.copies import Copies
from linnet.data.splits import split
from linnet.errors import DataError, ParameterError
from linnet.evaluate.resampling import predicted_score
from linnet.evaluate.rows import labels_of, one_label_each, row_count, taken
from linnet.evaluate.unit_counts import Metric

__all__ = ["LearningCurve", "learning_curve"]

Floats = NDArray[np.float64]


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
