"""Plots of evaluation: confusion, calibration, abstention, learning curves, intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.errors import DataError
from linnet.evaluate import calibrate
from linnet.explain import (
    abstention_curve,
    confusion_shares,
    forest_rows,
    learning_curve,
    plot_abstention,
    plot_calibration,
    plot_confusion,
    plot_forest,
    plot_learning_curves,
    reliability,
)


def test_rows_of_a_confusion_matrix_are_shares_of_the_gold_label() -> None:
    counts = [[8, 2, 0], [0, 0, 0], [1, 1, 2]]
    shares = confusion_shares(counts)
    assert shares.tolist() == [[0.8, 0.2, 0], [0, 0, 0], [0.25, 0.25, 0.5]]
    _, axis = plot_confusion(counts, ["a", "b", "c"])
    assert np.array_equal(axis.images[0].get_array(), shares)
    assert [text.get_text() for text in axis.texts] == [str(n) for row in counts for n in row]
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("guess", "gold")


def test_the_cells_of_many_labels_stay_without_numbers_and_long_names_are_turned() -> None:
    _, axis = plot_confusion(np.eye(30), [f"label {k}" for k in range(30)])
    assert not axis.texts
    assert {label.get_rotation() for label in axis.get_xticklabels()} == {45.0}


@pytest.mark.parametrize("counts", [[[1, 2]], [], [[-1, 0], [0, 1]], [[np.nan]]])
def test_what_is_no_confusion_matrix_is_refused(counts: list) -> None:
    with pytest.raises(DataError):
        confusion_shares(counts)
    with pytest.raises(DataError, match="as many labels"):
        plot_confusion([[1]], ["a", "b"])


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_reliability_has_the_bins_of_the_evaluation(pairs: list) -> None:
    confidence, correct = np.array(pairs, dtype=float).T
    rows = reliability(confidence, correct.astype(bool), bins=10)
    assert rows[:, 2].sum() == len(pairs)
    assert (rows[:, 2] * rows[:, 1]).sum() == pytest.approx(correct.sum())
    assert (rows[:, 2] * rows[:, 0]).sum() == pytest.approx(confidence.sum())
    assert (np.diff(rows[:, 0]) >= 0).all()


def test_reliability_agrees_with_the_calibration_of_the_evaluation() -> None:
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 1, 1], 300)
    gold = rng.integers(0, 3, 300)
    rows = reliability(p.max(axis=1), p.argmax(axis=1) == gold, bins=15)
    bins = calibrate(p, gold, 15).bins
    assert rows == pytest.approx(np.array([(b.confidence, b.accuracy, b.n) for b in bins]))
    _, axis = plot_calibration({"model": rows})
    assert np.array_equal(axis.lines[1].get_xydata(), rows[:, :2])


def test_answers_that_are_surest_come_first_and_ties_together() -> None:
    curve = abstention_curve([0.9, 0.5, 0.9, 0.7], [True, False, False, True])
    assert curve.threshold.tolist() == [0.9, 0.7, 0.5]
    assert curve.coverage.tolist() == [0.5, 0.75, 1.0]
    assert curve.accuracy == pytest.approx([0.5, 2 / 3, 0.5])
    _, axis = plot_abstention({"model": ([0.9, 0.5, 0.9, 0.7], [1, 0, 0, 1])})
    assert np.array_equal(axis.lines[0].get_ydata(), curve.accuracy)


@pytest.mark.parametrize("confidence", [[], [0.5, 0.6], [np.nan]])
def test_confidences_that_do_not_fit_are_refused(confidence: list) -> None:
    for function in (abstention_curve, reliability):
        with pytest.raises(DataError):
            function(confidence, [True])
    with pytest.raises(DataError, match="probabilities"):
        reliability([1.5], [True])
    with pytest.raises(DataError, match="model"):
        plot_calibration({"model": [[0.5, 0.5]]})


def test_learning_curves_show_mean_and_range_in_the_order_of_the_sizes() -> None:
    curve = learning_curve([100, 10], [[0.8, 0.9], [0.5, 0.7]])
    assert curve.sizes.tolist() == [10, 100]
    assert curve.mean == pytest.approx([0.6, 0.85])
    assert (curve.low.tolist(), curve.high.tolist()) == ([0.5, 0.8], [0.7, 0.9])
    _, axis = plot_learning_curves({"a": ([100, 10], [[0.8, 0.9], [0.5, 0.7]]), "b": ([9], [0.5])})
    assert axis.lines[0].get_ydata() == pytest.approx(curve.mean)
    assert len(axis.collections) == 1  # one score a size has no range
    assert [label.get_text() for label in axis.get_xticklabels()] == ["9", "10", "100"]
    with pytest.raises(DataError):
        learning_curve([1, 2], [0.5])


def test_learners_are_listed_by_score_with_their_intervals() -> None:
    table = (["a", "b", "c"], [0.7, 0.9, 0.8], [0.6, 0.85, 0.7], [0.8, 0.95, 0.9])
    rows = forest_rows(*table)
    assert [(row.name, row.low, row.high) for row in rows] == [
        ("b", 0.85, 0.95),
        ("c", 0.7, 0.9),
        ("a", 0.6, 0.8),
    ]
    _, axis = plot_forest(*table, reference=0.9)
    assert axis.lines[0].get_xdata() == [0.9, 0.9]
    assert [line.get_xdata().tolist() for line in axis.lines[1::2]] == [
        [row.low, row.high] for row in rows
    ]
    assert axis.get_ylim() == (2.5, -0.5)


def test_an_estimate_outside_its_interval_is_refused() -> None:
    with pytest.raises(DataError, match="SVM"):
        forest_rows(["SVM"], [0.5], [0.6], [0.7])
    with pytest.raises(DataError, match="one estimate"):
        forest_rows(["SVM"], [0.5, 0.6], [0.4, 0.4], [0.7, 0.7])
    with pytest.raises(DataError):
        forest_rows([], [], [], [])


def test_bins_with_few_answers_are_joined_and_every_bin_has_its_interval() -> None:
    sure = np.r_[np.full(3, 0.05), np.full(40, 0.55), np.full(50, 0.95), np.full(2, 0.65)]
    right = np.arange(len(sure)) % 2 == 0
    rows = reliability(sure, right, bins=10, fewest=10)
    assert rows[:, 2].tolist() == [43, 52]
    assert rows[0, 0] == pytest.approx((3 * 0.05 + 40 * 0.55) / 43)
    _, axis = plot_calibration({"model": rows})
    drawn = [path.vertices for group in axis.collections for path in group.get_paths()]
    whiskers = [ends for ends in drawn if len(ends) == 2]
    assert len(whiskers) == 2
    for (_, low), (_, high) in whiskers:
        assert high - low > 0.2, "of some fifty answers not much is known"
