"""Where classifiers change their minds, as data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import linnet
from linnet.data import SimpleDataSet, load_iris
from linnet.errors import DataError
from linnet.explain import bayes_boundary, boundary_lines, linear_parameters

BOX = (-3.0, 3.0)


@pytest.mark.spec("P-03", "M-07")
@pytest.mark.parametrize(
    "normal, segment",
    [
        ((1.0, 0.0), [[0.5, -3], [0.5, 3]]),  # vertical
        ((0.0, 1.0), [[-3, 0.5], [3, 0.5]]),  # horizontal
        ((1.0, 1.0), [[-2.5, 3], [3, -2.5]]),  # leaves by two sides
    ],
)
def test_a_line_ends_where_it_leaves_the_rectangle(normal: tuple, segment: list) -> None:
    weights = np.array([-0.5, *normal])
    for params in (np.stack([-weights, weights], axis=1), np.stack([0 * weights, weights], axis=1)):
        assert boundary_lines(params, BOX, BOX) == pytest.approx(np.array([segment]))


@pytest.mark.spec("M-07")
def test_no_line_is_drawn_outside_the_rectangle_or_without_weights() -> None:
    assert boundary_lines([[0, 9], [-1, 1], [0, 0]], BOX, BOX).shape == (0, 2, 2)
    assert boundary_lines([[0, 9], [1, 1], [0, 0]], BOX, BOX).shape == (0, 2, 2)


@pytest.mark.spec("M-07", "M-23")
@given(
    st.integers(2, 5).flatmap(
        lambda k: arrays(np.float64, (3, k), elements=st.floats(-5, 5, width=16))
    )
)
def test_on_a_boundary_the_two_largest_scores_tie(params: np.ndarray) -> None:
    for segment in boundary_lines(params, BOX, BOX):
        for share in (0.01, 0.5, 0.99):
            point = (1 - share) * segment[0] + share * segment[1]
            assert (np.abs(point) <= 3 + 1e-9).all()
            second, first = np.sort(params[0] + point @ params[1:])[-2:]
            assert first - second == pytest.approx(0, abs=1e-9)


def test_three_classes_meet_in_a_point() -> None:
    params = np.array([[0, 0, 0], [1, -0.5, -0.5], [0, 0.8, -0.8]])
    segments = boundary_lines(params, BOX, BOX)
    assert len(segments) == 3
    assert all(np.isclose(segment, 0).all(axis=1).any() for segment in segments)


@pytest.mark.spec("P-02", "W-21", "M-14")
def test_the_best_boundary_of_equal_variances_is_a_line_moved_towards_the_rare_class() -> None:
    data = SimpleDataSet(nr_examples=100, balance=0.9)
    line = bayes_boundary(data, BOX, BOX)
    assert line.sum(axis=1) == pytest.approx([1.098612, 1.098612], abs=1e-6)


@pytest.mark.spec("P-02", "F-09", "A-10")
def test_the_best_boundary_of_unequal_variances_is_the_true_circle() -> None:
    data = SimpleDataSet(g1=[[-1, -1], 1], g2=[[1, 1], 0.25])
    circle = bayes_boundary(data, BOX, BOX)
    radii = np.linalg.norm(circle - 5 / 3, axis=1)
    assert radii == pytest.approx(np.full(len(circle), 2.116542), abs=1e-6)
    assert np.ptp(data.scores(circle), axis=1).max() < 1e-12
    swapped = SimpleDataSet(g1=[[1, 1], 0.25], g2=[[-1, -1], 1])
    assert bayes_boundary(swapped, BOX, BOX) == pytest.approx(circle)


def test_there_is_no_best_boundary_when_one_class_owns_everything() -> None:
    absent = SimpleDataSet(balance=1.0)
    rare_and_narrow = SimpleDataSet(g1=[[0, 0], 0.9], g2=[[0.1, 0], 1], balance=0.01)
    for data in (absent, rare_and_narrow):
        assert bayes_boundary(data, BOX, BOX).shape == (0, 2)


def test_parameters_of_a_model_score_like_the_model() -> None:
    iris = load_iris()
    for keep in (iris.y < 2, iris.y < 3):
        X, y = iris.X[keep], iris.y[keep]
        model = linnet.MaxEnt().fit(X, y)
        params = linear_parameters(model)
        scores = params[0] + X @ params[1:]
        expected = model.decision_function(X)
        found = scores[:, 1] - scores[:, 0] if expected.ndim == 1 else scores
        assert found == pytest.approx(expected)


def test_what_has_no_linear_parameters_is_refused() -> None:
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 2]
    with pytest.raises(DataError, match="fit"):
        linear_parameters(linnet.MaxEnt())
    with pytest.raises(DataError, match="ovo"):
        linear_parameters(linnet.SVM(multi_class="ovo").fit(X, y))
    for params in ([[1, 2]], [[1], [2], [3]], [[0, np.inf], [1, 1], [2, 0]]):
        with pytest.raises(DataError):
            boundary_lines(params, BOX, BOX)
