"""All classifiers of the lab on one data set (S0 Exercise 1.8, SPEC P-06)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linnet.explain.plots.comparison import Boundary, plot_boundaries
from linnet.explain.style import series
from linnet.lecture.base import LinearClassifier

if TYPE_CHECKING:
    from linnet.data.gaussian import SimpleDataSet

__all__ = ["boundaries"]


def boundaries(
    data: SimpleDataSet, classifiers: Mapping[str, LinearClassifier]
) -> tuple[Any, list[Boundary]]:
    """Train classifiers on a data set; return the figure of their boundaries, and their rows."""
    rows = []
    for number, (name, classifier) in enumerate(classifiers.items()):
        params = classifier.train(data.train_X, data.train_y)
        train = classifier.evaluate(data.train_y, classifier.test(data.train_X, params))
        test = classifier.evaluate(data.test_y, classifier.test(data.test_X, params))
        rows.append(Boundary(name, series(number).name, params, train, test))
    return plot_boundaries(data, rows), rows
