"""Curves of the lectures: losses, penalties, logistic function, descent, regression, sweeps."""

from __future__ import annotations

import numpy as np
import pytest

import linnet
from linnet.data import SimpleDataSet, load_vague_adjectives
from linnet.errors import DataError, ParameterError
from linnet.explain import (
    accuracy_sweep,
    descent_points,
    logistic_curves,
    loss_curves,
    penalty_curves,
    plot_accuracy_sweep,
    plot_descent,
    plot_logistic,
    plot_losses,
    plot_optimisers,
    plot_penalties,
    plot_regression,
    regression_line,
    relative_gaps,
)


@pytest.mark.spec("P-13", "P-23", "W-20")
def test_the_regression_line_of_the_vague_adjectives() -> None:
    X, y = load_vague_adjectives()
    line = regression_line(X, y)
    assert (line.slope, line.intercept) == pytest.approx((-4900, 16550))
    assert line.squared_error == pytest.approx(45_775_000)
    assert line.residuals.sum() == pytest.approx(0, abs=1e-6)
    _, axis = plot_regression(X, y, "adjectives", "dollars")
    drawn, data = axis.lines
    assert drawn.get_label() == "y = 16550 − 4900 x"
    assert drawn.get_ydata() == pytest.approx(16550 - 4900 * drawn.get_xdata())
    assert np.array_equal(data.get_xydata(), np.column_stack([np.ravel(X), y]))
    stems = np.array(axis.collections[0].get_segments())
    assert stems[:, 1, 1] - stems[:, 0, 1] == pytest.approx(line.residuals)
    with pytest.raises(DataError):
        regression_line([1, 2], [1, 2, 3])


@pytest.mark.spec("P-14", "P-23", "W-24", "W-27")
def test_step_logistic_and_derivative() -> None:
    z = np.array([-800.0, -1.0, 0.0, 1.0, 800.0])
    curves = logistic_curves(z)
    assert curves["step"].tolist() == [0, 0, 1, 1, 1]
    assert curves["logistic"] == pytest.approx([0, 0.268941421, 0.5, 0.731058579, 1])
    assert curves["derivative"] == pytest.approx([0, 0.196611933, 0.25, 0.196611933, 0])
    small = 1e-6
    slope = (logistic_curves([small])["logistic"] - logistic_curves([-small])["logistic"]) / 2e-6
    assert slope == pytest.approx([0.25])
    _, [left, right] = plot_logistic(6.0)
    assert [line.get_label() for line in left.lines] == ["step", "logistic"]
    x, y = right.lines[0].get_data()
    assert (x[np.argmax(y)], y.max()) == pytest.approx((0, 0.25))


@pytest.mark.spec("P-15", "P-23")
def test_penalties_meet_at_one_and_l1_is_steeper_near_zero() -> None:
    curves = penalty_curves([-2.0, -1.0, 0.1, 1.0])
    assert curves["L1"].tolist() == [2.0, 1.0, 0.1, 1.0]
    assert curves["L2"] == pytest.approx([4.0, 1.0, 0.01, 1.0])
    _, axis = plot_penalties(3.0)
    for line, name in zip(axis.lines, ("L1", "L2"), strict=True):
        assert np.array_equal(line.get_ydata(), penalty_curves(line.get_xdata())[name])


@pytest.mark.spec("P-16", "P-23", "W-12")
def test_five_iterations_of_gradient_descent() -> None:
    theta = [-1, -0.6, -0.36, -0.216, -0.1296, -0.07776]
    points = descent_points()
    assert points[:, 0] == pytest.approx(theta)
    assert points[:, 1] == pytest.approx(np.square(theta))
    _, axis = plot_descent()
    assert np.array_equal(axis.lines[-1].get_xydata(), points)
    assert len([text for text in axis.texts if text.arrow_patch is not None]) == 5
    with pytest.raises(ParameterError, match="smaller"):
        descent_points(1.0, 1e200, 5)


@pytest.mark.spec("P-17", "P-23", "M-91")
def test_losses_at_margins() -> None:
    curves = loss_curves([-1.0, 0.0, 0.5, 1.0, 2.0])
    assert curves["zero_one"].tolist() == [1, 0, 0, 0, 0]
    assert curves["hinge"].tolist() == [2, 1, 0.5, 0, 0]
    assert curves["squared_hinge"].tolist() == [4, 1, 0.25, 0, 0]
    assert curves["logistic"] == pytest.approx(
        [1.313261688, 0.693147181, 0.474076984, 0.313261688, 0.126928011]
    )
    _, axis = plot_losses()
    for line, (name, values) in zip(
        axis.lines, loss_curves(axis.lines[0].get_xdata()).items(), strict=True
    ):
        assert np.array_equal(line.get_ydata(), values), name
    with pytest.raises(ParameterError, match="anger"):
        loss_curves([0.0], ["anger"])
    with pytest.raises(ParameterError, match="reach"):
        plot_losses(-1)


@pytest.mark.spec("P-21", "P-23")
def test_gaps_are_relative_to_the_best_run() -> None:
    data = SimpleDataSet(nr_examples=200)
    histories = {
        solver: linnet.MaxEnt(solver=solver, tol=1e-9).fit(data.train_X, data.train_y).history_
        for solver in ("lbfgs", "newton")
    }
    best = min(float(np.min(history["objective"])) for history in histories.values())
    gaps = relative_gaps(histories)
    for name, (seconds, gap) in gaps.items():
        objective = np.asarray(histories[name]["objective"])
        assert gap == pytest.approx((objective[objective > best] - best) / best)
        assert (np.diff(seconds) >= 0).all() and (gap > 0).all()
    assert relative_gaps(histories, optimum=best / 2)["lbfgs"][1].min() > 0.9
    _, axis = plot_optimisers(histories)
    assert axis.get_yscale() == "log"
    for line, (name, curve) in zip(axis.lines, gaps.items(), strict=True):
        assert line.get_label() == name
        assert np.array_equal(line.get_xydata(), np.column_stack(curve))


def test_gaps_of_nothing_and_of_a_zero_optimum() -> None:
    assert relative_gaps({}) == {}
    run = {"a": {"seconds": [0, 1], "objective": [2.0, 1.0]}}
    assert relative_gaps(run, optimum=0.0)["a"][1].tolist() == [2.0, 1.0]
    with pytest.raises(ParameterError):
        relative_gaps(run, optimum=np.nan)
    with pytest.raises(DataError, match="2 iterations"):
        relative_gaps({"a": {"iteration": [0, 1], "objective": [2.0]}}, by="iteration")


@pytest.mark.spec("P-07", "P-23", "W-21")
def test_accuracy_falls_with_the_variance_and_grows_with_the_points() -> None:
    learners = {"naive Bayes": linnet.GaussianNB(variance="shared"), "MaxEnt": linnet.MaxEnt()}
    sweep = accuracy_sweep("variance", [0.25, 1.0, 4.0], learners, samples=3)
    assert sweep.best == pytest.approx([1 - 0.002339, 1 - 0.078650, 1 - 0.239750], abs=1e-6)
    for table in sweep.accuracy.values():
        assert table.shape == (3, 3)
        assert table.mean(axis=1) == pytest.approx(sweep.best, abs=0.03)
    _, axis = plot_accuracy_sweep(sweep)
    drawn = {line.get_label(): line for line in axis.lines}
    assert drawn["MaxEnt"].get_ydata() == pytest.approx(sweep.accuracy["MaxEnt"].mean(axis=1))
    assert np.array_equal(drawn["best possible"].get_ydata(), sweep.best)
    sizes = accuracy_sweep("points", [10, 1000], learners, samples=3)
    assert all(table[1].mean() > table[0].mean() for table in sizes.accuracy.values())
    balance = accuracy_sweep("balance", [0.5, 0.9], learners, samples=1)
    assert balance.best[1] == pytest.approx(1 - 0.038996, abs=1e-6)


def test_a_sweep_of_nothing_known_is_refused() -> None:
    with pytest.raises(ParameterError, match="quantity"):
        accuracy_sweep("mood", [1])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="samples"):
        accuracy_sweep("points", [10], samples=0)
