"""Dual coordinate descent: feasible duals, certified gaps, optimality conditions, warm starts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize

from linnet.learn.maxent import MaxEnt
from linnet.learn.svm import SVM
from linnet.reference import dual_coordinate_descent as reference
from linnet.reference import svm

from .risks import clouds, folded, losses, objective, words

Model = MaxEnt | SVM
DUAL: dict[str, Any] = {"solver": "dual_cd", "tol": 1e-8, "max_iter": 20_000, "random_state": 0}
MODELS: dict[str, Model] = {
    "hinge": SVM(**DUAL),
    "squared_hinge": SVM(loss="squared_hinge", **DUAL),
    "log": MaxEnt(**DUAL),
    "hinge_ovr": SVM(multi_class="ovr", **DUAL),
    "squared_hinge_ovr": SVM(loss="squared_hinge", multi_class="ovr", **DUAL),
    "log_ovr": MaxEnt(multi_class="ovr", **DUAL),
}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
each_size = pytest.mark.parametrize("classes", [2, 3, 12])


def x_log_x(p: Any) -> Any:
    return np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0)


def conjugates(clf: Any, y: Any) -> Any:
    """Return -D(A) - 1/2 |W|^2: the sum of C times the conjugate losses at the duals."""
    A, C, kind = clf.dual_coef_, clf.C, getattr(clf, "loss", "log")
    chosen = np.arange(A.shape[1]) == y[:, None]
    if A.shape[1] > 1 and clf.multi_class != "ovr":
        assert (A[chosen] >= 0).all() and (A[~chosen] <= 0).all()
        np.testing.assert_allclose(A.sum(axis=1), 0.0, atol=1e-12)
        own = A[chosen]
        if kind == "log":
            return C * x_log_x(chosen - A / C).sum()
        gain = own if kind == "hinge" else own - own**2 / (4 * C)
        assert kind != "hinge" or (own <= C * (1 + 1e-12)).all()
        return -gain.sum()
    assert (A >= 0).all() and (kind == "squared_hinge" or (A <= C * (1 + 1e-12)).all())
    if kind == "log":
        return C * (x_log_x(A / C) + x_log_x(1 - A / C)).sum()
    return -(A if kind == "hinge" else A - A**2 / (4 * C)).sum()


def primal_weights(clf: Any, X: Any, y: Any) -> Any:
    """Return W = X^T (signed duals), the intercept last."""
    A = clf.dual_coef_
    if A.shape[1] == 1:
        A = np.where(y == 1, 1.0, -1.0)[:, None] * A
    elif clf.multi_class == "ovr":
        A = np.where(np.arange(A.shape[1]) == y[:, None], A, -A)
    return folded(X).T @ A


@pytest.mark.spec("M-80", "M-84", "M-69", "M-92", "C-24", "C-30")
@each_model
@each_size
def test_the_reported_gap_is_primal_minus_dual(model: Model, classes: int) -> None:
    X, y = words(classes=classes, rows=150, cols=80)
    clf = clone(model).set_params(C=0.2).fit(X, y)
    W = primal_weights(clf, X, y)
    np.testing.assert_allclose(W[:-1], clf.coef_.T, atol=1e-9)
    lag = 0.5 * ((W[-1] - clf.intercept_) ** 2).sum()  # the intercept follows at its own pace
    assert lag <= clf.history_["gap"][-1]
    primal = objective(clf, X, y)
    dual = -0.5 * (W**2).sum() - conjugates(clf, y)
    assert clf.history_["objective"][-1] == pytest.approx(primal, rel=1e-10)
    assert clf.history_["gap"][-1] == pytest.approx(primal - dual, abs=1e-10 * primal)
    assert 0 <= clf.optimality_ <= 1e-8


@pytest.mark.spec("M-84", "M-82", "M-83", "M-69")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_two_classes_reach_the_optimum_of_the_reference(loss: Any) -> None:
    X, y = clouds(rows=50, cols=8)
    sign = np.where(y == 1, 1.0, -1.0)
    if loss == "logistic":
        expected = reference.logistic(folded(X), sign, C=0.5, tolerance=1e-12)
        clf: Model = MaxEnt(C=0.5, **DUAL).set_params(tol=1e-12)
    else:
        expected = reference.svm(folded(X), sign, C=0.5, loss=loss, tolerance=1e-12)
        clf = SVM(C=0.5, loss=loss, **DUAL).set_params(tol=1e-12)
    clf.fit(X, y)
    weights = np.append(clf.coef_[0], clf.intercept_)
    np.testing.assert_allclose(weights, expected.weights, atol=1e-5)
    value, _ = svm.binary_primal(expected.weights, folded(X), sign, 0.5, loss)
    assert clf.history_["objective"][-1] == pytest.approx(value, rel=1e-10)


@pytest.mark.spec("M-74", "M-84")
def test_the_joint_hinge_reaches_the_optimum_of_the_reference() -> None:
    X, y = clouds(rows=40, cols=8, classes=4)
    expected = reference.crammer_singer(folded(X), y, 4, C=0.5, tolerance=1e-9)
    value, _ = svm.crammer_singer_primal(expected.weights, folded(X), y, 0.5)
    clf = SVM(C=0.5, **DUAL).fit(X, y)
    assert clf.history_["objective"][-1] == pytest.approx(value, rel=1e-7)


@pytest.mark.spec("M-74", "M-80")
def test_the_joint_hinge_meets_its_optimality_conditions() -> None:
    X, y = words(classes=4, rows=150, cols=80)
    clf = SVM(C=0.1, **DUAL).set_params(tol=1e-12).fit(X, y)
    assert clf.dual_coef_ is not None
    scores = clf.decision_function(X) + (np.arange(4) != y[:, None])
    rows = np.arange(len(y))
    wrong = clf.dual_coef_.copy()
    wrong[rows, y] = 0.0
    # mass lies only on the cost-augmented argmax, and is all of C where the loss is positive
    worst = scores.max(axis=1, keepdims=True)
    assert (worst - scores)[wrong < 0].max() <= 1e-4
    np.testing.assert_allclose(clf.dual_coef_[rows, y][losses(clf, X, y) > 1e-4], 0.1)


@pytest.mark.spec("M-84")
def test_no_epoch_lowers_the_dual() -> None:
    X, y = words(rows=200)
    for model in MODELS.values():
        duals = []
        for epochs in (1, 2, 4, 8):
            clf = clone(model).set_params(max_iter=epochs, C=0.5)
            with warnings.catch_warnings():  # some arrive in eight
                warnings.simplefilter("ignore", ConvergenceWarning)
                clf.set_params(tol=1e-14).fit(X, y)
            duals.append(clf.history_["objective"][-1] - clf.history_["gap"][-1])
        assert (np.diff(duals) >= -1e-9).all()


@pytest.mark.spec("M-84", "C-24")
@pytest.mark.parametrize("scaling", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_an_intercept_takes_hardly_more_epochs_than_none(loss: str, scaling: float) -> None:
    X, y = words(rows=1500, cols=4000)
    X = normalize(X)
    clf = SVM(loss=loss, solver="dual_cd", tol=1e-3, random_state=0)
    without = clone(clf).set_params(fit_intercept=False).fit(X, y)
    clf.set_params(intercept_scaling=scaling).fit(X, y)
    assert clf.optimality_ <= 1e-3
    assert clf.n_iter_ <= without.n_iter_ + 3


@each_model
@pytest.mark.parametrize("classes", [2, 3])
def test_a_warm_start_goes_on_where_the_last_fit_stopped(model: Model, classes: int) -> None:
    X, y = words(classes=classes, rows=200)
    cold = clone(model).set_params(C=0.5, tol=1e-6).fit(X, y)
    warm = clone(model).set_params(C=0.5, tol=1e-6, warm_start=True).fit(X, y)
    warm.fit(X, y)
    assert warm.n_iter_ == 1 < cold.n_iter_
    path = clone(model).set_params(tol=1e-6, warm_start=True)
    total = sum(path.set_params(C=C).fit(X, y).n_iter_ for C in (0.4, 0.45, 0.5))
    assert objective(path, X, y) == pytest.approx(objective(cold, X, y), rel=1e-5)
    assert total < 3 * cold.n_iter_


@each_model
@pytest.mark.parametrize("change", ["labels", "weights", "scheme", "smaller C", "loss"])
def test_a_warm_start_is_sound_whatever_has_changed(model: Model, change: str) -> None:
    X, y = words(classes=3, rows=100)
    clf = clone(model).set_params(C=0.5, warm_start=True, tol=1e-6).fit(X, y)
    weight = np.ones(len(y))
    if change == "labels":
        y = (y + 1) % 3
    elif change == "weights":
        weight = np.linspace(0.1, 2.0, len(y))
    elif change == "scheme":
        schemes = ["ovr", "multinomial" if isinstance(clf, MaxEnt) else "crammer_singer"]
        clf.set_params(multi_class=schemes[clf.multi_class == "ovr"])
    elif change == "smaller C":
        clf.set_params(C=0.01)
    elif isinstance(clf, SVM):
        clf.set_params(loss="hinge" if clf.loss == "squared_hinge" else "squared_hinge")
    clf.fit(X, y, sample_weight=weight)
    cold = clone(clf).fit(X, y, sample_weight=weight)
    assert objective(clf, X, y, weight) == pytest.approx(objective(cold, X, y, weight), rel=2e-6)
    assert clf.optimality_ <= 1e-6
    if clf.multi_class != "ovr" and clf.dual_coef_ is not None:
        chosen = np.arange(3) == y[:, None]
        assert (clf.dual_coef_[chosen] >= 0).all() and (clf.dual_coef_[~chosen] <= 0).all()


@each_model
@pytest.mark.parametrize("classes", [2, 3])
def test_rows_without_features_are_solved_exactly(model: Model, classes: int) -> None:
    y = np.array([0, 1, 1, classes - 1, 0, 1])
    clf = clone(model).set_params(fit_intercept=False).fit(np.zeros((6, 2)), y)
    assert not clf.coef_.any() and clf.optimality_ <= 1e-12
    assert clf.history_["objective"][-1] == pytest.approx(objective(clf, np.zeros((6, 2)), y))


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_what_is_recorded_last_is_the_objective_of_the_weights_that_are_returned(loss: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 2))
    y = (X @ [1.0, 0.5] + 0.7 * rng.normal(size=80) > 0).astype(int)
    for rounds in range(1, 40):
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            svm = SVM(C=0.7, loss=loss, solver="dual_cd", max_iter=rounds, tol=1e-9).fit(X, y)
        w, b = svm.coef_.ravel(), float(svm.intercept_[0])
        slack = np.maximum(0.0, 1.0 - np.where(y == 1, 1, -1) * (X @ w + b))
        losses = slack if loss == "hinge" else slack**2
        objective = 0.5 * (w @ w + b * b) + 0.7 * losses.sum()
        assert svm.history_["objective"][-1] == pytest.approx(objective, rel=1e-9), rounds


def spread(X: Any, step: int) -> Any:
    """Return the same features as every step-th column of a wider matrix."""
    return sp.csr_matrix((X.data, X.indices * step, X.indptr), (X.shape[0], X.shape[1] * step))


@pytest.mark.spec("M-84", "M-69", "C-24", "C-30")
@pytest.mark.parametrize("tol", [1e-3, 1e-9])
@pytest.mark.parametrize("name", ["squared_hinge", "log"])
def test_rounded_weights_of_many_features_end_exact(name: str, tol: float) -> None:
    X, y = words(classes=2, rows=1000, cols=400, per_row=300)  # long enough for two threads
    plain = clone(MODELS[name]).set_params(tol=1e-10).fit(X, y)  # too few features to be rounded
    wide = spread(X, step=200)
    one, two = (clone(MODELS[name]).set_params(tol=tol, n_threads=n).fit(wide, y) for n in (1, 2))
    assert (one.coef_ == two.coef_).all() and (one.dual_coef_ == two.dual_coef_).all()
    W = primal_weights(one, X, y)
    np.testing.assert_allclose(one.coef_[0, ::200], W[:-1, 0], rtol=1e-10, atol=1e-12)
    assert np.count_nonzero(one.coef_) <= X.shape[1]
    dual = -0.5 * (W**2).sum() - conjugates(one, y)
    value, best = one.history_["objective"][-1], plain.history_["objective"][-1]
    assert one.history_["gap"][-1] == pytest.approx(value - dual, abs=1e-10 * value)
    assert best * (1 - 1e-9) <= value <= best * (1 + tol)
    assert one.optimality_ <= tol


def texts_of_many_words(rows: int = 3000) -> tuple[Any, Any]:
    """Return unit rows: a quarter of a row are frequent features, the rest are of 80,000 others."""
    rng = np.random.default_rng(4)
    columns = np.hstack([rng.integers(0, 300, (rows, 60)), rng.integers(300, 80_000, (rows, 180))])
    columns = [row[: rng.integers(4, 240)] if k % 10 == 0 else row for k, row in enumerate(columns)]
    row = np.repeat(np.arange(rows), [len(c) for c in columns])  # a few are short
    X = sp.csr_matrix((np.ones(len(row)), (row, np.concatenate(columns))))
    X = normalize(X).astype(np.float32)
    y = (X @ rng.normal(size=X.shape[1]) + 0.3 * rng.normal(size=rows) > 0).astype(np.int64)
    return X, y


@pytest.mark.spec("M-84", "M-69", "C-02", "C-24", "C-30")
@pytest.mark.parametrize("repeats", [1, 4])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("name", ["squared_hinge", "log"])
def test_rows_that_share_rounded_weights_in_batches_end_exact(
    name: str, fit_intercept: bool, repeats: int
) -> None:
    X, y = texts_of_many_words()
    kept = np.repeat(np.arange(len(y) // repeats), repeats)  # neighbours may be the same row
    X, y = X[kept], y[kept]
    model = clone(MODELS[name]).set_params(tol=1e-4, fit_intercept=fit_intercept)
    one, two = (clone(model).set_params(n_threads=n).fit(X, y) for n in (1, 2))
    assert (one.coef_ == two.coef_).all() and (one.dual_coef_ == two.dual_coef_).all()
    assert one.optimality_ <= 1e-4
    W = primal_weights(one, X, y)
    np.testing.assert_allclose(one.coef_[0], W[:-1, 0], rtol=1e-10, atol=1e-12)
    best = clone(MODELS[name]).set_params(solver="newton", fit_intercept=fit_intercept).fit(X, y)
    value = one.history_["objective"][-1]
    assert best.history_["objective"][-1] * (1 - 1e-9) <= value
    assert value <= best.history_["objective"][-1] * (1 + 1e-4)
