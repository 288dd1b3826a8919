"""Lines, margins, lifts and updates: what the plots show is exact."""

from __future__ import annotations

import numpy as np
import pytest

import linnet
from linnet.data import SimpleDataSet
from linnet.errors import DataError, ParameterError
from linnet.explain import (
    boundary_lines,
    compare_fits,
    effect_of_c,
    hyperplane,
    lift,
    linear_parameters,
    maximum_margin,
    perceptron_lines,
    perceptron_update,
    plot_effect_of_c,
    plot_fits,
    plot_hyperplane,
    plot_lift,
    plot_margin,
    plot_perceptron_lines,
    plot_perceptron_update,
    plot_separating_lines,
    plot_tree,
    plot_voronoi,
    separating_lines,
    tree_layout,
    voronoi_cells,
)

_DATA = SimpleDataSet(60, [[-2, -1], 0.3], [[2, 1], 0.3], seed=1)
APART = (_DATA.train_X, _DATA.train_y)
SIMPLE = SimpleDataSet(nr_examples=80)


@pytest.mark.spec("P-04", "P-23")
def test_the_perceptrons_lines_are_its_weights_after_every_five_rounds() -> None:
    lines = perceptron_lines(SIMPLE, every=5, rounds=20)
    assert list(lines) == [5, 10, 15, 20]
    for rounds, params in lines.items():
        model = linnet.Perceptron(
            max_iter=rounds, average=False, stop_when_clean=False, random_state=0
        ).fit(SIMPLE.train_X, SIMPLE.train_y)
        assert params == pytest.approx(linear_parameters(model))


@pytest.mark.spec("P-04")
def test_each_of_the_perceptrons_lines_is_drawn_and_named() -> None:
    fig, axis = plot_perceptron_lines(SIMPLE, every=5, rounds=20)
    drawn = {line.get_label().split(" (")[0]: line for line in axis.lines}
    for rounds, params in perceptron_lines(SIMPLE, every=5, rounds=20).items():
        expected = boundary_lines(params, axis.get_xlim(), axis.get_ylim())
        line = drawn[f"after round {rounds}"].get_xydata()
        assert line == pytest.approx(expected[0]) if len(expected) else np.isnan(line).all()
    [legend] = fig.legends
    assert len(legend.get_texts()) == 9


@pytest.mark.spec("P-10", "P-23")
@pytest.mark.parametrize(("w", "b"), [((3.0, 4.0), -10.0), ((0.0, -2.0), 1.0), ((1.0, 0.0), 0.0)])
def test_the_normal_vector_is_orthogonal_to_the_line_and_the_foot_is_on_it(w, b) -> None:
    line = hyperplane(w, b)
    ends = boundary_lines(np.column_stack([np.zeros(3), [b, *w]]), (-9, 9), (-9, 9))[0]
    assert line.normal @ (ends[1] - ends[0]) == pytest.approx(0)
    assert np.dot(w, line.foot) + b == pytest.approx(0)
    assert np.dot(w, line.foot + line.normal) + b > 0
    assert line.distance == pytest.approx(np.linalg.norm(line.foot))
    _, axis = plot_hyperplane(w, b, (-9, 9), (-9, 9))
    assert axis.lines[0].get_xydata() == pytest.approx(ends)


@pytest.mark.parametrize("w", [(0.0, 0.0), (1.0, np.inf), (1.0, 2.0, 3.0)])
def test_weights_without_a_line_are_refused(w) -> None:
    with pytest.raises(ParameterError):
        hyperplane(w, 1.0)


@pytest.mark.spec("P-10", "P-23")
def test_several_different_lines_separate_the_same_points() -> None:
    X, y = APART
    lines = separating_lines(X, y, 5)
    assert lines.shape == (5, 3)
    for bias, *weights in lines:
        assert np.array_equal(X @ weights + bias > 0, y == 1)
    apart = np.abs(lines[:, None] - lines).max(axis=2)
    assert apart[np.triu_indices(5, 1)].min() > 0.01
    _, axis = plot_separating_lines(X, y, 5)
    assert sum(line.get_label().startswith("line") for line in axis.lines) == 5


def test_points_that_no_line_separates_have_no_separating_lines() -> None:
    with pytest.raises(DataError, match="No line"):
        separating_lines([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1], 2)


@pytest.mark.spec("P-11", "P-23", "W-29")
def test_the_margin_touches_its_support_vectors_and_no_point_is_inside() -> None:
    X, y = APART
    margin = maximum_margin(X, y)
    scores = (X @ margin.weights + margin.bias) * np.where(y == 1, 1, -1)
    assert scores[margin.support] == pytest.approx(np.ones(len(margin.support)), abs=1e-5)
    assert scores.min() > 1 - 1e-5
    assert margin.width == pytest.approx(2 / np.linalg.norm(margin.weights))
    assert set(y[margin.support]) == {0, 1} and margin.mistakes == 0
    for other in separating_lines(X, y, 5):  # of all separating lines it is the widest
        distance = np.abs(X @ other[1:] + other[0]) / np.linalg.norm(other[1:])
        assert 2 * distance.min() < margin.width + 1e-6


@pytest.mark.spec("P-11")
def test_the_support_vectors_are_ringed_and_the_margin_is_drawn() -> None:
    X, y = APART
    margin = maximum_margin(X, y)
    _, axis = plot_margin(X, y)
    rings = next(line for line in axis.lines if line.get_label() == "support vectors")
    assert np.array_equal(rings.get_xydata(), X[margin.support])
    levels = [line.get_xydata() @ margin.weights + margin.bias for line in axis.lines[:3]]
    assert np.array(levels) == pytest.approx(np.array([[0, 0], [-1, -1], [1, 1]]), abs=1e-9)


@pytest.mark.spec("P-12", "P-23", "W-28", "A-80")
def test_points_of_a_line_become_separable_with_their_squares() -> None:
    x = np.arange(-3, 4)
    y = (np.abs(x) >= 2).astype(int)
    found = lift(x, y)
    assert not found.separable
    assert np.array_equal(found.lifted, np.column_stack([x, x**2]))
    assert found.weights == pytest.approx([0, 2 / 3], abs=1e-6)
    assert found.bias == pytest.approx(-5 / 3, abs=1e-6)
    assert np.array_equal(found.lifted @ found.weights + found.bias > 0, y == 1)
    _, [left, right] = plot_lift(x, y)
    thresholds = sorted(line.get_xdata()[0] for line in left.lines[-2:])
    assert thresholds == pytest.approx([-np.sqrt(2.5), np.sqrt(2.5)], abs=1e-6)
    assert right.lines[-1].get_ydata() == pytest.approx([2.5, 2.5], abs=1e-6)


@pytest.mark.spec("P-12")
def test_points_of_a_plane_become_separable_in_space() -> None:
    rng = np.random.default_rng(0)
    radius, angle = np.r_[rng.uniform(0, 1, 20), rng.uniform(1.5, 2, 20)], rng.uniform(0, 7, 40)
    X, y = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), radius > 1.2
    found = lift(X, y)
    assert not found.separable
    assert np.array_equal(found.lifted @ found.weights + found.bias > 0, y)
    _, [_, space] = plot_lift(X, y)
    assert space.name == "3d"
    assert lift(*APART).separable


def test_what_stays_inseparable_when_lifted_is_refused() -> None:
    with pytest.raises(DataError, match="separated"):
        lift([-1, 1, 1], [0, 0, 1])
    with pytest.raises(DataError, match="line or a plane"):
        lift(np.zeros((2, 3)), [0, 1])


@pytest.mark.spec("P-18", "P-23")
@pytest.mark.parametrize("label", [1, -1])
def test_an_update_adds_the_example_with_its_sign(label: int) -> None:
    X, y = [[2.0, 1.0], [-1.0 * label, 2.0]], [1, label]
    update = perceptron_update(X, y, [1.0, 0.0])
    assert update.index == 1 and update.label == label
    assert update.after == pytest.approx(update.before + label * update.example)
    before, after = (label * (w @ update.example) for w in (update.before, update.after))
    assert after == pytest.approx(before + update.example @ update.example)
    _, axes = plot_perceptron_update(X, y, [1.0, 0.0])
    assert [axis.get_title(loc="left") for axis in axes][1] == ("w + x" if label > 0 else "w − x")


def test_without_a_mistake_there_is_no_update() -> None:
    with pytest.raises(DataError, match="no mistake"):
        perceptron_update([[1, 0]], [1], [1, 0])
    with pytest.raises(DataError, match="-1 and 1"):
        perceptron_update([[1, 0]], [0], [1, 0])
    with pytest.raises(ParameterError):
        perceptron_update([[1, 0]], [1], [1, 0, 0])


@pytest.mark.spec("P-19", "P-23")
def test_a_larger_c_narrows_the_margin_and_needs_no_more_support() -> None:
    X, y = SIMPLE.train_X, SIMPLE.train_y
    margins = effect_of_c(X, y, (0.01, 0.1, 1.0, 10.0))
    widths = [margin.width for margin in margins]
    assert widths == sorted(widths, reverse=True)
    for margin in margins:  # who is inside the margin holds it
        slack = np.maximum(0, 1 - np.where(y == 1, 1, -1) * (X @ margin.weights + margin.bias))
        assert set(np.flatnonzero(slack > 1e-4)) <= set(margin.support)
    fig, axes = plot_effect_of_c(X, y, (0.01, 10.0))
    assert [axis.get_title(loc="left").split("\n")[0] for axis in axes] == ["C = 0.01", "C = 10"]
    assert len(fig.legends) == 1


@pytest.mark.spec("P-20", "P-23")
def test_a_local_model_overfits_and_a_line_underfits() -> None:
    from sklearn.datasets import make_moons

    train = make_moons(80, noise=0.3, random_state=0)
    test = make_moons(1000, noise=0.3, random_state=1)
    line, right, local = compare_fits(train, test)
    assert local.train_accuracy == 1.0 > right.train_accuracy > line.train_accuracy
    assert right.test_accuracy > max(line.test_accuracy, local.test_accuracy)
    assert right.test_accuracy == pytest.approx(right.model.score(*test))
    _, [axis] = plot_fits(train, test, {"mine": linnet.MaxEnt()}, steps=10)
    assert axis.get_title(loc="left").startswith("mine\ntraining 0.81")


@pytest.mark.spec("P-08", "M-105", "P-23")
def test_the_cells_of_the_nearest_neighbour_tile_the_plane() -> None:
    X = np.random.default_rng(0).uniform(-2, 2, (15, 2))
    cells = voronoi_cells(X, (-3, 3), (-2, 2))
    areas = [
        0.5 * abs(np.dot(c[:, 0], np.roll(c[:, 1], 1)) - np.dot(c[:, 1], np.roll(c[:, 0], 1)))
        for c in cells
    ]
    assert sum(areas) == pytest.approx(24)
    for point, cell in zip(X, cells, strict=True):
        for corner in cell:  # no other point is nearer to a corner, or to anything inside
            distance = np.linalg.norm(X - corner, axis=1)
            assert np.linalg.norm(point - corner) <= distance.min() + 1e-9
    _, axis = plot_voronoi(X, np.arange(15) % 2, (-3, 3), (-2, 2))
    assert len(axis.patches) == 15


def test_of_equal_points_only_the_first_has_a_cell() -> None:
    cells = voronoi_cells([[0, 0], [0, 0], [1, 0]], (-1, 2), (-1, 1))
    assert [len(cell) for cell in cells] == [4, 0, 4]
    with pytest.raises(ParameterError):
        voronoi_cells([[0, 0]], (1, 0), (0, 1))


@pytest.mark.spec("P-09", "P-23")
def test_a_drawn_tree_says_what_its_text_says() -> None:
    days = [{"sky": sky, "wind": wind} for sky in ("sun", "rain") for wind in ("weak", "strong")]
    model = linnet.DecisionTree("information_gain").fit(days, ["go", "go", "go", "stay"])
    layout = tree_layout(model)
    _, axis = plot_tree(model)
    drawn = [(text.get_text(), *text.get_position()) for text in axis.texts]
    for (across, height), text in zip(layout.positions.tolist(), layout.texts, strict=True):
        assert (text, across, height) in drawn
    written = model.export_text()
    names = {text for text, *_ in drawn}
    assert all(test in names and test in written for test in layout.tests)
