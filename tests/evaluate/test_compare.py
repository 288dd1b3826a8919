"""Learners side by side."""

from __future__ import annotations

import pytest

import linnet
from linnet.data import make_gaussians
from linnet.evaluate import compare, wilson_interval

TRAIN = make_gaussians(80, [[-1, -1], [1, 1]], seed=1)
TEST = make_gaussians(60, [[-1, -1], [1, 1]], seed=2)


def test_rows_come_in_order_and_agree_with_the_learners_themselves() -> None:
    learners = {"Gaussian": linnet.GaussianNB(), "MaxEnt": linnet.MaxEnt(C=2.0)}
    rows = compare(learners, TRAIN, TEST)
    assert [row.name for row in rows] == ["Gaussian", "MaxEnt"]
    for row, learner in zip(rows, learners.values(), strict=True):
        assert not hasattr(learner, "classes_"), "the learner passed in is left alone"
        model = learner.fit(*TRAIN)
        assert row.train_accuracy == model.score(*TRAIN)
        assert row.test_accuracy == model.score(*TEST)
        assert row.test_interval == wilson_interval(round(row.test_accuracy * 60), 60)
        assert row.objective == pytest.approx(model.history_["objective"][-1])
        assert row.optimality == pytest.approx(model.optimality_)
        assert row.seconds > 0


def test_learners_without_a_record_have_empty_cells() -> None:
    from sklearn.neighbors import KNeighborsClassifier

    [row] = compare({"neighbours": KNeighborsClassifier()}, TRAIN, TEST)
    assert row.objective is None
    assert row.optimality is None
