"""Plots: what is on them, and that they can be saved anywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import linnet
from linnet.data import SimpleDataSet
from linnet.errors import DataError, ParameterError
from linnet.explain import (
    add_line,
    bayes_boundary,
    boundary_lines,
    compare_all,
    compare_all_data,
    objective_curves,
    plot_objectives,
    plot_simple_data,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

import matplotlib

matplotlib.use("agg")

DATA = SimpleDataSet(nr_examples=60)


def legend_of(fig: Figure) -> list[str]:
    [legend] = fig.legends
    return [text.get_text() for text in legend.get_texts()]


LECTURE = {
    "naive Bayes": "red",
    "perceptron": "blue",
    "MIRA": "green",
    "MaxEnt": "orange",
    "SVM": "purple",
}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    matplotlib.pyplot.close("all")


@pytest.mark.spec("P-01")
def test_training_points_are_squares_and_test_points_circles_in_red_and_blue() -> None:
    _, axis = DATA.plot_data(bayes=False)
    drawn = {line.get_label(): line for line in axis.lines}
    for part, marker in (("train", "s"), ("test", "o")):
        X, y = getattr(DATA, f"{part}_X"), getattr(DATA, f"{part}_y")
        for label, colour in ((0, "#941809"), (1, "#2293ff")):
            line = drawn[f"class {label + 1}, {part}"]
            assert np.array_equal(line.get_xydata(), X[y == label])
            assert line.get_marker() == marker
            assert line.get_color() == colour
    assert axis.get_aspect() == 1.0


@pytest.mark.spec("P-02", "A-10")
@pytest.mark.parametrize("variance", [1, 0.25])
def test_the_best_boundary_is_on_the_plot(variance: float) -> None:
    data = SimpleDataSet(g2=[[1, 1], variance])
    _, axis = plot_simple_data(data)
    expected = bayes_boundary(data, axis.get_xlim(), axis.get_ylim())
    assert np.array_equal(axis.lines[-1].get_xydata(), expected)


@pytest.mark.spec("P-03")
@pytest.mark.parametrize("normal", [(1.0, 0.0), (0.0, 1.0), (1.0, -2.0)])
def test_a_line_is_added_with_its_colour_and_the_view_stays(normal: tuple) -> None:
    fig, axis = DATA.plot_data()
    limits = axis.get_xlim(), axis.get_ylim()
    params = np.array([[0.0, 0.2], *([0.0, w] for w in normal)])
    assert DATA.add_line(fig, axis, params, "a line", "green") == (fig, axis)
    line = axis.lines[-1]
    assert (axis.get_xlim(), axis.get_ylim()) == limits
    assert line.get_xydata() == pytest.approx(boundary_lines(params, *limits)[0])
    assert line.get_color() == "#1c6e55"
    assert "a line" in legend_of(fig)


def test_a_line_outside_the_plot_is_named_as_such() -> None:
    fig, axis = DATA.plot_data()
    add_line(fig, axis, [[0, 99], [-1, 1], [0, 0]], "far", "gold")
    assert "far (outside the plot)" in legend_of(fig)


def test_the_boundary_of_three_classes_is_one_line_with_gaps() -> None:
    fig, axis = DATA.plot_data(bayes=False)
    params = np.array([[0, 0, 0], [1, -0.5, -0.5], [0, 0.8, -0.8]])
    add_line(fig, axis, params, "three", "blue")
    segments = boundary_lines(params, axis.get_xlim(), axis.get_ylim())
    drawn = axis.lines[-1].get_xydata()
    assert np.isnan(drawn).all(axis=1).sum() == len(segments) - 1
    assert drawn[~np.isnan(drawn).any(axis=1)] == pytest.approx(segments.reshape(-1, 2))


@pytest.mark.spec("P-06", "P-23", "A-67")
def test_all_learners_of_the_lecture_are_compared_in_its_colours() -> None:
    rows = compare_all_data(DATA)
    assert {row.name: row.colour for row in rows} == LECTURE
    for row in rows:
        guess = (row.params[0] + DATA.test_X @ row.params[1:]).argmax(axis=1)
        assert row.test_accuracy == pytest.approx((guess == DATA.test_y).mean())


@pytest.mark.spec("P-06")
def test_the_comparison_shows_boundaries_and_accuracies_of_the_given_learners() -> None:
    fig, rows = compare_all(DATA, {"mine": linnet.MaxEnt(C=0.1)})
    [row] = rows
    assert f"mine: {row.train_accuracy:.3f} / {row.test_accuracy:.3f}" in legend_of(fig)


@pytest.mark.spec("P-05")
def test_objectives_of_two_fits_share_one_axis() -> None:
    X, y = DATA.train_X, DATA.train_y
    histories = {
        solver: linnet.MaxEnt(solver=solver, tol=1e-8).fit(X, y).history_
        for solver in ("lbfgs", "newton")
    }
    for by in ("iteration", "seconds"):
        _, axis = plot_objectives(histories, by)
        for line, (name, (x, objective)) in zip(
            axis.lines, objective_curves(histories, by).items(), strict=True
        ):
            assert line.get_label() == name
            assert np.array_equal(line.get_xydata(), np.column_stack([x, objective]))
            assert objective[-1] <= objective[0]


@pytest.mark.spec("P-05", "M-59", "M-62")
def test_stochastic_gradients_and_lbfgs_descend_to_one_optimum_on_one_axis() -> None:
    X, y = DATA.train_X, DATA.train_y
    sgd = linnet.MaxEnt(solver="sgd", max_iter=50, tol=0, random_state=0).fit(X, y)
    lbfgs = linnet.MaxEnt(solver="lbfgs", tol=1e-8).fit(X, y)
    histories = {"SGD": sgd.history_, "L-BFGS": lbfgs.history_}
    _, axis = plot_objectives(histories, "iteration")
    assert [line.get_label() for line in axis.lines] == ["SGD", "L-BFGS"]
    online, batch = (line.get_ydata() for line in axis.lines)
    assert len(online) == 50 and batch[-1] == batch.min()
    assert batch[-1] <= online[-1] * (1 + 1e-9) and online[-1] < batch[-1] * 1.01
    assert online[0] < batch[0]  # one pass is ahead of no iteration at all


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ParameterError):
        objective_curves({}, by="mood")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="mine"):
        objective_curves({"mine": {"iteration": [1]}})
    with pytest.raises(DataError, match="plane"):
        plot_simple_data(SimpleDataSet(g1=[[0, 0, 0], 1], g2=[[1, 1, 1], 1]))


@pytest.mark.spec("P-23")
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_plots_are_saved_without_a_display_and_fit_on_the_page(tmp_path: Path, suffix: str) -> None:
    fig, _ = compare_all(DATA)
    fig.savefig(tmp_path / f"all.{suffix}")
    assert (tmp_path / f"all.{suffix}").stat().st_size > 10_000
    [axis], [legend] = fig.axes, fig.legends
    for box in (axis.get_tightbbox(), legend.get_window_extent()):
        assert fig.bbox.containsx(box.x0) and fig.bbox.containsx(box.x1)
        assert fig.bbox.containsy(box.y0) and fig.bbox.containsy(box.y1)
    assert not axis.get_tightbbox().overlaps(legend.get_window_extent())


def test_without_matplotlib_a_plot_says_how_to_get_it_and_data_still_comes() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from linnet.data import SimpleDataSet\n"
        "from linnet.explain import compare_all_data, plot_simple_data\n"
        "print(len(compare_all_data(SimpleDataSet())))\n"
        "try: plot_simple_data(SimpleDataSet())\n"
        "except ImportError as error: print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    assert run.stdout.startswith("5\n")
    assert "pip install linnet[plot]" in run.stdout
