"""The rows of the demonstration."""

from __future__ import annotations

import pytest

import linnet
from linnet.cli.demo_tables import row_of
from linnet.data import make_gaussians
from linnet.evaluate import wilson_interval

TRAIN = make_gaussians(80, [[-1, -1], [1, 1]], seed=1)
TEST = make_gaussians(60, [[-1, -1], [1, 1]], seed=2)


def test_a_row_agrees_with_the_learner_itself() -> None:
    learners = {"Gaussian": linnet.GaussianNB(), "MaxEnt": linnet.MaxEnt(C=2.0)}
    for name, learner in learners.items():
        row = row_of(name, learner, TRAIN, TEST)
        assert row.name == name
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

    row = row_of("neighbours", KNeighborsClassifier(), TRAIN, TEST)
    assert row.objective is None
    assert row.optimality is None
