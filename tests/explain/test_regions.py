"""Regions and boundaries of any model in the plane."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

import linnet
from linnet import DecisionTree, GaussianBayes, MaxEnt
from linnet.data import SimpleDataSet
from linnet.errors import DataError, ParameterError
from linnet.explain import boundary_lines, decision_regions, linear_parameters, plot_regions

BOX = ((-4.0, 4.0), (-3.0, 3.0))


@pytest.mark.spec("M-07")
def test_the_boundary_of_a_linear_model_is_its_line() -> None:
    data = SimpleDataSet()
    for model in (MaxEnt(), GaussianBayes("pooled")):
        model.fit(data.train_X, data.train_y)
        regions = decision_regions(model, *BOX, steps=37)
        score = regions.points @ model.coef_[0] + model.intercept_[0]
        assert len(regions.points) > 30
        assert np.abs(score).max() < 1e-9
        exact = boundary_lines(linear_parameters(model), *BOX)
        length = np.linalg.norm(np.diff(regions.segments, axis=1), axis=2).sum()
        assert length == pytest.approx(np.linalg.norm(exact[0, 1] - exact[0, 0]), rel=1e-9)


@pytest.mark.spec("M-07", "F-09", "A-10")
def test_the_boundary_of_unequal_covariances_is_the_circle() -> None:
    best = GaussianBayes.from_parameters([[-1, -1], [1, 1]], [np.eye(2), np.eye(2) / 4], [0.5, 0.5])
    regions = decision_regions(best, (-1, 4), (-1, 4), steps=60)
    radius = np.linalg.norm(regions.points - 5 / 3, axis=1)
    np.testing.assert_allclose(radius, 2.116542, atol=1e-6)
    assert np.ptp(radius) < 1e-9


@pytest.mark.spec("M-07", "M-105")
def test_the_boundary_of_the_nearest_neighbour_is_equally_far_from_two_points() -> None:
    X = np.random.default_rng(0).uniform(-3, 3, (12, 2))
    model = KNeighborsClassifier(1).fit(X, np.arange(12) % 3)
    regions = decision_regions(model, *BOX, steps=50)
    distance = np.linalg.norm(regions.points[:, None] - X, axis=2)
    nearest = np.sort(distance, axis=1)
    np.testing.assert_allclose(nearest[:, 0], nearest[:, 1], atol=1e-9)


def test_labels_are_the_predictions_and_segments_part_them() -> None:
    X = np.random.default_rng(1).uniform(-3, 3, (40, 2))
    y = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 1)]
    model = DecisionTree().fit(X, y)
    regions = decision_regions(model, *BOX, steps=20)
    assert regions.labels.shape == (21, 21) and set(regions.labels.ravel()) == {"a", "b", "c"}
    point = [[regions.x[3], regions.y[17]]]
    assert regions.labels[17, 3] == model.predict(point)[0]
    assert regions.segments.shape[1:] == (2, 2)
    one = linnet.GaussianNB().fit([[0, 0], [0, 1], [9, 9], [9, 8]], [0, 0, 1, 1])
    assert len(decision_regions(one, (0, 1), (0, 1), steps=4).segments) == 0


@pytest.mark.spec("P-08", "P-23")
def test_a_plot_shows_each_label() -> None:
    import matplotlib

    matplotlib.use("agg")
    data = SimpleDataSet()
    model = MaxEnt().fit(data.train_X, data.train_y)
    fig, axis = plot_regions(model, *BOX, steps=15)
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["0", "1"]
    assert plot_regions(model, *BOX, steps=5, axis=axis)[1] is axis
    matplotlib.pyplot.close(fig)


def test_what_is_no_plane_is_refused() -> None:
    three = GaussianBayes("diagonal").fit(
        np.random.default_rng(0).normal(size=(9, 3)), [0, 1, 2] * 3
    )
    with pytest.raises(DataError, match="the model has 3"):
        decision_regions(three, *BOX)
    model = linnet.GaussianNB(1.0).fit([[0, 0], [1, 1]], [0, 1])
    for bad in ({"steps": 0}, {"xlim": (1, 0)}, {"ylim": (0, np.inf)}):
        with pytest.raises(ParameterError):
            decision_regions(model, **{"xlim": (0, 1), "ylim": (0, 1), **bad})
