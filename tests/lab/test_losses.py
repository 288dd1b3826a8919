"""The race of the solvers: its numbers are those of the objective, and they meet at one place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linnet
from linnet.data import make_gaussians
from linnet.errors import ParameterError
from linnet.lab.losses import answer
from linnet.reference.losses import LOSSES


def test_curves_are_those_of_the_reference() -> None:
    told = answer({})
    assert told["margins"][[0, 60, 120]].tolist() == [-3.0, 0.0, 3.0]
    assert set(told["losses"]) == set(LOSSES)
    for name, loss in LOSSES.items():
        shown = told["losses"][name]
        np.testing.assert_array_equal(shown["values"], loss.value(told["margins"]))
        np.testing.assert_array_equal(shown["slopes"], loss.derivative(told["margins"]))


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "hinge"])
def test_every_solver_that_stops_has_found_the_one_optimum(loss: str) -> None:
    every = ["gradient_descent", "conjugate_gradient", "lbfgs", "newton", "dual_cd", "sgd"]
    told = answer({"loss": loss, "C": 0.5, "n": 30, "stretch": 2.0, "solvers": every})
    assert [one["solver"] for one in told["paths"]] == [x for x in every if x in told["solvers"]]
    X, y = make_gaussians(30, [[-1.0, -0.5], [1.0, 0.5]], 1.0)
    margins = np.where(y == 1, 1.0, -1.0)[:, None] * (X * [1.0, 2.0])
    least = told["best"]["objective"]
    for one in told["paths"]:
        for w, value in zip(one["weights"], one["objective"], strict=True):
            expected = 0.5 * w @ w + 0.5 * LOSSES[loss].value(margins @ w).sum()
            assert value == pytest.approx(expected, rel=1e-9)
            assert value >= least * (1 - 1e-9)
        assert one["iterations"] == sorted(set(one["iterations"]))
        if one["solver"] != "sgd":
            assert one["objective"][-1] <= least * (1 + 1e-8), one["solver"]
            np.testing.assert_allclose(one["weights"][-1], told["best"]["weights"], atol=1e-3)


def test_each_place_of_a_path_is_that_of_a_fit_with_so_many_iterations() -> None:
    told = answer({"solvers": ["lbfgs"], "stretch": 1.0})
    path = told["paths"][0]
    X, y = make_gaussians(40, [[-1.0, -0.5], [1.0, 0.5]], 1.0)
    with pytest.warns(UserWarning):
        model = linnet.MaxEnt(solver="lbfgs", fit_intercept=False, tol=1e-9, max_iter=3).fit(X, y)
    np.testing.assert_allclose(path["weights"][3], model.coef_[0], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "settings", [{"loss": "perceptron"}, {"solvers": ["simplex"]}, {"stretch": 0}, {"n": 2.5}]
)
def test_a_race_that_cannot_be_run_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(settings))):
        answer(settings)
