"""The record of a fit: true objectives, certificates, warnings, warm starts, printed progress."""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from linnet.learn.flat import regularised_risk
from linnet.learn.maxent import MaxEnt
from linnet.learn.shared.history import History
from linnet.learn.svm import SVM

from .risks import objective, words

Model = MaxEnt | SVM
MODELS: dict[str, Model] = {
    "dual_cd": MaxEnt(solver="dual_cd"),
    "newton": MaxEnt(solver="newton"),
    "lbfgs": MaxEnt(solver="lbfgs"),
    "gradient_descent": MaxEnt(solver="gradient_descent"),
    "conjugate_gradient": MaxEnt(solver="conjugate_gradient"),
    "gis": MaxEnt(solver="gis"),
    "iis": MaxEnt(solver="iis"),
    "l1": MaxEnt(penalty="l1"),
    "svm": SVM(),
    "svm ovr": SVM(multi_class="ovr"),
}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())


@pytest.mark.spec("M-127")
@each_model
@pytest.mark.parametrize("classes", [2, 3])
def test_a_fit_that_converges_says_so(model: Model, classes: int) -> None:
    X, y = words(rows=150, cols=80, classes=classes)
    clf = clone(model).set_params(C=0.3, max_iter=20_000, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.fit(X, y)
    history = clf.history_
    assert {"iteration", "objective", "gap", "gradient_norm", "step", "seconds"} == set(history)
    assert len({len(column) for column in history.values()}) == 1
    assert history["iteration"][-1] == clf.n_iter_
    assert (np.diff(history["iteration"]) > 0).all() and (np.diff(history["seconds"]) >= 0).all()
    assert clf.optimality_ == history["gap"][-1] / history["objective"][-1] <= clf.tol
    assert history["objective"][-1] == pytest.approx(objective(clf, X, y), rel=1e-10)


@each_model
def test_a_fit_cut_short_warns_with_a_number_that_is_true(model: Model) -> None:
    X, y = words(rows=150, cols=80, classes=3)
    clf = clone(model).set_params(max_iter=2, tol=1e-10, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"stopped after 2 iterations.*within \d") as caught:
        clf.fit(X, y)
    assert f"{clf.optimality_:.1e}" in str(caught[0].message)
    assert clf.n_iter_ == 2 and clf.optimality_ > 1e-10
    best = clone(clf).set_params(max_iter=100_000, tol=1e-6).fit(X, y)
    true_distance = objective(clf, X, y) - objective(best, X, y)
    assert true_distance <= clf.history_["gap"][-1] * (1 + 1e-9)


@pytest.mark.parametrize("name", ["newton", "lbfgs", "gradient_descent", "gis", "iis", "l1"])
def test_the_objective_never_rises(name: str) -> None:
    X, y = words(rows=150, cols=80, classes=3)
    clf = clone(MODELS[name]).set_params(max_iter=20_000).fit(X, y)
    values = clf.history_["objective"]
    assert (np.diff(values) <= 1e-12 * values[0]).all()


@pytest.mark.parametrize("name", ["newton", "lbfgs", "conjugate_gradient", "l1"])
def test_a_warm_start_shortens_a_path_of_c(name: str) -> None:
    X, y = words(rows=200, classes=3)
    path = [0.1, 0.11, 0.12, 0.13]
    model = clone(MODELS[name]).set_params(max_iter=10_000, tol=1e-6)
    cold = sum(clone(model).set_params(C=C).fit(X, y).n_iter_ for C in path)
    warm = clone(model).set_params(warm_start=True)
    steps = sum(warm.set_params(C=C).fit(X, y).n_iter_ for C in path)
    assert steps < cold
    last = clone(model).set_params(C=path[-1]).fit(X, y)
    assert objective(warm, X, y) == pytest.approx(objective(last, X, y), rel=2e-6)


SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "scaled intercept": {"intercept_scaling": 3.0},
    "no intercept": {"fit_intercept": False},
    "priors": {"prior_variance": np.linspace(0.01, 9.0, 80)},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("unweighted_rows", [0, 7])
@pytest.mark.parametrize("classes", [2, 3])
@each_model
def test_a_warm_start_at_the_optimum_stays_there(
    model: Model, classes: int, unweighted_rows: int, settings: dict[str, Any]
) -> None:
    if "prior_variance" in settings and (isinstance(model, SVM) or model.penalty != "l2"):
        pytest.skip("priors of their own belong to MaxEnt with penalty='l2'")
    X, y = words(rows=150, cols=80, classes=classes)
    weight = (np.arange(len(y)) >= unweighted_rows).astype(float)
    clf = clone(model).set_params(C=0.3, max_iter=20_000, random_state=0, **settings)
    clf.set_params(warm_start=True).fit(X, y, sample_weight=weight)
    reached = clf.history_["objective"][-1]
    clf.fit(X, y, sample_weight=weight)
    assert clf.history_["objective"][0] <= reached * (1 + 1e-6)
    assert clf.n_iter_ == 1


def test_a_warm_start_on_data_of_another_shape_begins_afresh() -> None:
    X, y = words(rows=100, cols=50)
    clf = MaxEnt(warm_start=True).fit(X, y)
    clf.fit(X[:, :20], y)
    assert clf.coef_.shape == (1, 20)


def test_auto_lets_newton_finish_what_dual_descent_began(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regularised_risk, "PATIENCE", 0.0)
    X, y = words(rows=200, cols=300)
    clf = MaxEnt(C=100.0, tol=1e-9, random_state=0).fit(X, y)
    assert clf.optimality_ <= 1e-9 and clf.dual_coef_ is None
    assert (np.diff(clf.history_["iteration"]) >= 0).all()
    assert 3 < clf.n_iter_ == clf.history_["iteration"][-1]
    with pytest.warns(ConvergenceWarning, match="after 4 iterations"):
        assert clf.set_params(max_iter=4).fit(X, y).n_iter_ == 4


def test_verbose_prints_a_line_for_each_record_to_standard_error(capsys: Any) -> None:
    X, y = words(rows=60, cols=30)
    clf = MaxEnt(solver="newton", verbose=1).fit(X, y)
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert len(lines) == len(clf.history_["gap"])
    assert all(line.startswith("MaxEnt: iteration ") and "gap" in line for line in lines)


def test_a_history_keeps_columns_and_counts_on_over_solvers() -> None:
    stream = io.StringIO()
    history = History(verbose=1, label="try", stream=stream)
    history.record(0, 2.0, 1.0, 0.5, 0.0)
    history.record(3, 1.5, 0.5, 0.1, 1.0)
    history.next_solver()
    history.record(2, 1.0, 0.1, 0.0, 1.0)
    history.add(iteration=6, mistakes=4)
    columns = history.as_dict()
    assert columns["iteration"].tolist() == [0, 3, 5, 6] and len(history) == 4
    assert np.isnan(columns["mistakes"][:3]).all() and columns["mistakes"][3] == 4
    assert history.last("mistakes") == 4
    assert stream.getvalue().startswith("try: iteration 0  objective 2  gap 1")
