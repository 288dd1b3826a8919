"""Batch gradient descent by given steps or by Armijo's search, as settings (SPEC M-56, M-57)."""

from __future__ import annotations

import numpy as np
import pytest

import linnet
from linnet import SVM, GradientDescent, MaxEnt, ProbabilitySGD
from linnet.errors import ParameterError
from linnet.learn.shared.schedules import Power
from linnet.reference import gradient_descent as reference
from linnet.reference import schedules

from .risks import Floats, clouds, folded, words


@pytest.mark.spec("M-56", "M-55")
@pytest.mark.parametrize("classes", [2, 3])
def test_given_steps_are_those_of_the_lectures_algorithm(classes: int) -> None:
    X, y = clouds(rows=40, classes=classes)
    C, M = 0.3, len(y)
    lam = 1.0 / (C * M)
    clf = MaxEnt(C, solver=GradientDescent(Power(0.8, 0.5)), max_iter=15, tol=0.0).fit(X, y)

    def f(flat: Floats) -> tuple[float, Floats]:
        W = flat.reshape(folded(X).shape[1], -1)
        if classes == 2:
            sign = np.where(y == 1, 1.0, -1.0)
            m = sign * (folded(X) @ W[:, 0])
            p = 1.0 / (1.0 + np.exp(m))
            value = np.logaddexp(0.0, -m).mean() + lam / 2 * (W**2).sum()
            return float(value), (lam * W[:, 0] - (sign * p) @ folded(X) / M).ravel()
        scores = folded(X) @ W
        p = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        own = np.eye(classes)[y]
        value = -np.log((p * own).sum(axis=1)).mean() + lam / 2 * (W**2).sum()
        return float(value), (lam * W + folded(X).T @ (p - own) / M).ravel()

    start = np.zeros(folded(X).shape[1] * (1 if classes == 2 else classes))
    run = reference.gradient_descent(f, start, schedules.power(0.8, 0.5), 15)
    W = run.x.reshape(folded(X).shape[1], -1)
    np.testing.assert_allclose(np.vstack([clf.coef_.T, clf.intercept_]), W, rtol=1e-10)
    np.testing.assert_allclose(clf.history_["objective"] * lam, run.values[1:], rtol=1e-10)
    np.testing.assert_allclose(clf.history_["step"], 0.8 * np.arange(1, 16) ** -0.5)


@pytest.mark.spec("M-56", "W-12")
def test_the_slides_descent_on_a_square_is_run_by_the_same_code() -> None:
    # penalty only: lam/2 theta^2 with lam = 2 is theta^2, whose slope is 2 theta; from -1 by 0.2
    clf = MaxEnt(0.25, solver=GradientDescent(0.2), fit_intercept=False, warm_start=True, tol=0.0)
    clf.set_params(max_iter=1)
    X, y = np.zeros((2, 1)), [0, 1]  # rows of zeros: no loss depends on the weight
    clf.fit(X, y)
    clf.coef_[:] = -1.0
    points = [-1.0]
    for _ in range(3):
        points.append(float(clf.fit(X, y).coef_[0, 0]))
    np.testing.assert_allclose(points, reference.scalar(lambda theta: 2 * theta, -1.0, 0.2, 3))


@pytest.mark.spec("M-56")
def test_a_small_constant_step_lowers_the_objective_every_time() -> None:
    X, y = words(rows=100, classes=3)
    clf = MaxEnt(1.0, solver=GradientDescent(0.05), max_iter=50, tol=0.0).fit(X, y)
    assert (np.diff(clf.history_["objective"]) < 0).all()


@pytest.mark.spec("M-56", "M-86")
def test_given_steps_are_batch_subgradients_for_the_hinge() -> None:
    X, y = clouds(rows=30)
    sign, lam, w = np.where(y == 1, 1.0, -1.0), 1.0 / 30, np.zeros(4)
    for _ in range(10):
        active = sign * (X @ w) < 1
        w = (1 - lam * 0.1) * w + 0.1 * (sign * active) @ X / 30
    clf = SVM(1.0, solver=GradientDescent(0.1), fit_intercept=False, max_iter=10, tol=0.0)
    np.testing.assert_allclose(clf.fit(X, y).coef_[0], w, rtol=1e-10)


@pytest.mark.spec("M-57", "A-65")
@pytest.mark.parametrize("settings", [{}, {"decrease": 0.3}, {"shrink": 0.8, "initial_step": 8.0}])
def test_armijos_constants_are_settings_that_steps_obey(settings: dict[str, float]) -> None:
    X, y = clouds(rows=60)
    solver = GradientDescent(**settings)
    clf = MaxEnt(0.5, solver=solver, tol=1e-12, max_iter=400).fit(X, y)
    value, step = clf.history_["objective"], clf.history_["step"][1:]
    assert (np.diff(value) <= 0).all()
    tried = np.log(step / solver.initial_step) / np.log(solver.shrink)
    np.testing.assert_allclose(tried, np.round(tried), atol=1e-9)  # initial step times shrink^n
    # ‖g‖² = 2 gap for a quadratic penalty on every weight, so Armijo's inequality can be checked
    first = clf.history_["gap"][0]
    assert value[1] <= value[0] - solver.decrease * step[0] * 2 * first + 1e-12
    assert clf.optimality_ <= 1e-12


@pytest.mark.spec("A-65")
def test_the_defaults_of_the_search_are_one_a_ten_thousandth_and_a_half() -> None:
    assert GradientDescent().get_params() == {
        "schedule": None, "initial_step": 1.0, "decrease": 1e-4, "shrink": 0.5,
    }  # fmt: skip
    X, y = clouds(rows=40)
    by_name = MaxEnt(solver="gradient_descent", tol=1e-8).fit(X, y)
    with_settings = MaxEnt(solver=GradientDescent(), tol=1e-8).fit(X, y)
    np.testing.assert_array_equal(by_name.coef_, with_settings.coef_)


def test_settings_of_descent_can_be_set_by_name_and_are_kept_in_files(tmp_path: object) -> None:
    clf = MaxEnt().set_params(solver="gradient_descent", solver__shrink=0.3)
    assert repr(clf) == "MaxEnt(solver=GradientDescent(shrink=0.3))"
    X, y = clouds(rows=40)
    path = f"{tmp_path}/model.linnet"
    linnet.save(clf.fit(X, y), path)
    assert linnet.load(path).solver.shrink == 0.3


@pytest.mark.parametrize(
    ("model", "reason"),
    [(MaxEnt(solver=GradientDescent(shrink=1.0)), "shrink"),
     (MaxEnt(solver=GradientDescent(decrease=0.0)), "decrease"),
     (MaxEnt(solver=GradientDescent(initial_step=-1.0)), "initial_step"),
     (MaxEnt(solver=GradientDescent("fast")), "schedule"),
     (SVM(solver=GradientDescent()), "differentiable"),
     (MaxEnt(solver=GradientDescent(0.1), penalty="l1"), "penalty='l2'"),
     (MaxEnt(solver=ProbabilitySGD(), penalty="l1"), "penalty='l2'")],
)  # fmt: skip
def test_settings_of_descent_that_cannot_work_are_refused(model: MaxEnt, reason: str) -> None:
    X, y = clouds(rows=20)
    with pytest.raises(ParameterError, match=reason):
        model.fit(X, y)


def test_the_gradient_descent_of_a_crf_has_no_settings() -> None:
    with pytest.raises(ParameterError, match="no settings"):
        linnet.CRF(solver=GradientDescent(shrink=0.3)).fit([[["a"], ["b"]]], [["X", "Y"]])
