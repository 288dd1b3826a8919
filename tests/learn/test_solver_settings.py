"""The settings of a solver travel with it: given, cloned, searched, stored and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import linnet
from linnet import SGD, PegasosSGD
from linnet.errors import ParameterError
from linnet.learn.shared.schedules import Power

from .risks import clouds

X, Y = clouds(rows=60, classes=3, seed=4)
SENTENCES = [[[f"w{(3 * s + t * t) % 7}", "bias"] for t in range(2 + s % 4)] for s in range(12)]
TAGS = [["ABC"[(s + t) % 3] for t in range(2 + s % 4)] for s in range(12)]
FLAT = {
    "MaxEnt": linnet.MaxEnt(max_iter=5, random_state=0),
    "SVM": linnet.SVM(max_iter=5, random_state=0, multi_class="ovr"),
}


@pytest.mark.parametrize("model", FLAT.values(), ids=FLAT.keys())
def test_a_name_means_the_defaults(model: Any) -> None:
    by_name = clone(model).set_params(solver="sgd").fit(X, Y)
    by_object = clone(model).set_params(solver=SGD()).fit(X, Y)
    np.testing.assert_array_equal(by_name.coef_, by_object.coef_)


def test_pegasos_by_name_means_its_defaults() -> None:
    by_name = clone(FLAT["SVM"]).set_params(solver="pegasos").fit(X, Y)
    by_object = clone(FLAT["SVM"]).set_params(solver=PegasosSGD()).fit(X, Y)
    np.testing.assert_array_equal(by_name.coef_, by_object.coef_)
    free = clone(FLAT["SVM"]).set_params(solver=PegasosSGD(projection=False)).fit(X, Y)
    assert (free.coef_ != by_name.coef_).any()


@pytest.mark.parametrize(
    "settings",
    [
        {"schedule": 0.01},
        {"average": True},
        {"shuffle": False},
        {"batch_size": 7},
        {"truncate": 0.01},
    ],
    ids=str,
)
@pytest.mark.parametrize("model", FLAT.values(), ids=FLAT.keys())
def test_each_setting_reaches_the_solver(model: Any, settings: dict[str, Any]) -> None:
    plain = clone(model).set_params(solver="sgd").fit(X, Y)
    other = clone(model).set_params(solver=SGD(**settings)).fit(X, Y)
    assert (plain.coef_ != other.coef_).any()


def test_a_clone_has_settings_of_its_own() -> None:
    model = linnet.MaxEnt(solver=SGD(Power(0.5)))
    twin = clone(model)
    assert twin.solver == model.solver and twin.solver is not model.solver
    twin.set_params(solver__average=True)
    assert twin.solver.average is True and model.solver.average is False


def test_settings_are_set_by_their_path_also_of_a_solver_given_by_name() -> None:
    model = linnet.MaxEnt().set_params(solver="sgd", solver__average=True)
    assert model.solver == SGD(average=True)
    assert linnet.CRF(solver="sgd").set_params(solver__shuffle=False).solver == SGD(shuffle=False)
    with pytest.raises(ParameterError, match="'lbfgs' has no settings"):
        linnet.CRF(solver="lbfgs").set_params(solver__average=True)
    with pytest.raises(ParameterError, match="Invalid parameter 'rate' for estimator SGD"):
        linnet.MaxEnt().set_params(solver="sgd", solver__rate=1.0)


def test_a_grid_search_reaches_the_settings() -> None:
    model = linnet.MaxEnt(solver=SGD(), max_iter=10, random_state=0)
    grid = {"solver__truncate": [1e3, 0.0]}  # the first leaves no weight but of the last step
    found = GridSearchCV(model, grid, cv=3).fit(X, Y)
    assert found.best_params_ == {"solver__truncate": 0.0}


def test_settings_come_back_from_a_file(tmp_path: Path) -> None:
    solver = PegasosSGD(Power(0.5, beta=0.75), average="before", batch_size=3, projection=False)
    model = linnet.SVM(solver=solver, multi_class="ovr", max_iter=3, random_state=0).fit(X, Y)
    linnet.save(model, tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    assert again.solver == solver
    np.testing.assert_array_equal(again.fit(X, Y).coef_, model.coef_)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (linnet.MaxEnt(solver=SGD(schedule="fast")), "A schedule must be"),
        (linnet.MaxEnt(solver=SGD(average="often")), "average must be one of"),
        (linnet.MaxEnt(solver=SGD(batch_size=0)), "batch_size"),
        (linnet.MaxEnt(solver=SGD(truncate=-1.0)), "truncate"),
        (linnet.MaxEnt(solver=PegasosSGD()), "solver must be one of"),
        (linnet.MaxEnt(solver=SGD(), penalty="l1"), "penalty='l2'"),
        (linnet.SVM(solver=PegasosSGD(), loss="squared_hinge"), "loss='hinge'"),
        (linnet.SVM(solver=SGD(), multi_class="ovo"), "multi_class='ovo'"),
    ],
    ids=str,
)
def test_settings_that_cannot_work_are_refused(model: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        model.fit(X, Y)


@pytest.mark.parametrize(
    "settings",
    [{"schedule": 0.1}, {"batch_size": 2}, {"truncate": 0.1}, {"average": "before"}],
    ids=str,
)
def test_a_crf_refuses_settings_that_its_steps_do_not_have(settings: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(settings))):
        linnet.CRF(solver=SGD(**settings)).fit(SENTENCES, TAGS)


def test_a_memm_starts_from_the_weights_of_the_last_fit() -> None:
    for states in ("shared", "per_state"):
        model = linnet.MEMM(states=states, tol=1e-8, warm_start=True).fit(SENTENCES, TAGS)
        rounds, weights = model.n_iter_, model.pair_weight_
        model.fit(SENTENCES, TAGS)
        assert model.n_iter_ < rounds / 2
        np.testing.assert_allclose(model.pair_weight_, weights, atol=1e-3)
