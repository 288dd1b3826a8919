"""Curves over thresholds, by hand and against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve, roc_curve

from linnet.errors import DataError
from linnet.evaluate import abstention_curve, threshold_curve


def test_the_threshold_curve_equals_scikit_learns() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 300)
    p = np.round(np.clip(0.5 * gold + rng.normal(0.25, 0.3, 300), 0, 1), 2)  # with ties
    found = threshold_curve(gold, p, 1)
    precision, recall, threshold = precision_recall_curve(gold, p)
    np.testing.assert_allclose(found.threshold, threshold[::-1])
    np.testing.assert_allclose(found.precision, precision[-2::-1])
    np.testing.assert_allclose(found.recall, recall[-2::-1])
    alarms, hits, _ = roc_curve(gold, p, drop_intermediate=False)
    np.testing.assert_allclose(found.false_alarms, alarms[1:])
    np.testing.assert_allclose(found.recall, hits[1:])
    at, best = found.best()
    said = p >= at
    assert best == pytest.approx(2 * (said & (gold == 1)).sum() / (said.sum() + gold.sum()))


def test_a_label_that_is_never_or_always_there() -> None:
    never, always = threshold_curve(["a", "a"], [0.1, 0.9], "b"), threshold_curve([1], [0.4], 1)
    assert never.f1.tolist() == never.recall.tolist() == [0.0, 0.0]
    assert never.false_alarms.tolist() == [0.5, 1.0]
    assert (always.best(), always.false_alarms.tolist()) == ((0.4, 1.0), [0.0])


def test_the_abstention_curve_by_definition() -> None:
    rng = np.random.default_rng(1)
    p = rng.dirichlet([1, 1, 1], 200).round(2)
    gold = [int(rng.choice(3, p=row / row.sum())) for row in p]
    found = abstention_curve(gold, p, [0, 1, 2])
    right = p.argmax(axis=1) == gold
    for at, coverage, share in zip(found.threshold, found.coverage, found.accuracy, strict=True):
        answered = p.max(axis=1) >= at
        assert coverage == pytest.approx(answered.mean())
        assert share == pytest.approx(right[answered].mean())
    assert found.coverage[-1] == 1.0
    assert found.accuracy[-1] == pytest.approx(right.mean())
    errors = [1 - right[p.max(axis=1) >= sure].mean() for sure in p.max(axis=1)]
    assert found.area == pytest.approx(np.mean(errors))
    assert found.area < 1 - right.mean()  # the model knows what it does not know


def test_the_threshold_for_an_accuracy_has_the_largest_coverage() -> None:
    p = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]])
    curve = abstention_curve(["a", "b", "a", "a"], p, ["a", "b"])
    assert curve.accuracy.tolist() == pytest.approx([1.0, 0.5, 2 / 3, 0.75])
    assert curve.threshold_for(0.7) == 0.6
    assert curve.threshold_for(0.9) == 0.9
    assert curve.threshold_for(0.9, level=0.95) is None
    assert abstention_curve(["b"] * 4, p, ["a", "b"]).threshold_for(0.1) is None


def test_rows_of_one_confidence_stand_or_fall_together() -> None:
    curve = abstention_curve(["a", "b"], [[0.5, 0.5]] * 2, ["a", "b"])
    assert (curve.coverage.tolist(), curve.accuracy.tolist()) == ([1.0], [0.5])


def test_what_is_no_curve_is_refused() -> None:
    with pytest.raises(DataError, match="shape"):
        abstention_curve(["a"], [[1.0]], ["a", "b"])
    with pytest.raises(DataError, match="finite"):
        threshold_curve(["a"], [np.nan], "a")
    with pytest.raises(DataError, match="nothing"):
        threshold_curve([], [], "a")
