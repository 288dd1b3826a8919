"""What must hold for any data: one optimum for all solvers, and how it moves with the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone

from linnet.learn.maxent import MaxEnt
from linnet.learn.shared.solvers import SGD
from linnet.learn.svm import SVM

from .risks import clouds, objective, words

Model = MaxEnt | SVM
BATCH = ["newton", "lbfgs", "gradient_descent", "conjugate_gradient"]
relaxed = settings(deadline=None, max_examples=25, derandomize=True)


def exact(model: Model, **changes: Any) -> Model:
    return clone(model).set_params(tol=1e-9, max_iter=200_000, random_state=0, **changes)


# --- loss x penalty x solver -------------------------------------------------------------------

# Each objective with the solvers that can minimise it.
OBJECTIVES: dict[str, tuple[Model, list[str]]] = {
    "log l2": (MaxEnt(), ["dual_cd", *BATCH, "gis", "iis"]),
    "log l2 ovr": (MaxEnt(multi_class="ovr"), ["dual_cd", *BATCH]),
    "log l2 free intercept": (MaxEnt(penalize_intercept=False), [*BATCH, "gis", "iis"]),
    "log none": (MaxEnt(penalty=None), [*BATCH, "gis", "iis"]),
    "log l1": (MaxEnt(penalty="l1"), ["lbfgs", "auto"]),
    "log elastic net": (MaxEnt(penalty="elasticnet", l1_ratio=0.3), ["lbfgs", "auto"]),
    "hinge l2": (SVM(), ["dual_cd", "auto"]),
    "hinge l2 ovr": (SVM(multi_class="ovr"), ["dual_cd", "auto"]),
    "squared hinge l2 ovr": (SVM(loss="squared_hinge", multi_class="ovr"), ["dual_cd", *BATCH]),
    "squared hinge l2 joint": (SVM(loss="squared_hinge"), ["dual_cd", "auto"]),
    "squared hinge l1 ovr": (
        SVM(loss="squared_hinge", multi_class="ovr", penalty="l1"),
        ["lbfgs", "auto"],
    ),
}
each_objective = pytest.mark.parametrize(
    ("model", "solvers"), OBJECTIVES.values(), ids=OBJECTIVES.keys()
)


@pytest.mark.spec(
    "M-92", "C-09", "C-24", "M-58", "M-59", "M-60", "M-61", "M-69", "M-85", "A-27", "E-03"
)
@each_objective
@pytest.mark.parametrize("classes", [2, 3])
def test_all_solvers_of_one_objective_reach_one_optimum(
    model: Model, solvers: list[str], classes: int
) -> None:
    X, y = clouds(rows=120, classes=classes, seed=1)
    X = np.abs(X)  # iterative scaling wants features that are not negative
    values = {}
    for solver in solvers:
        clf = exact(model, C=0.5, solver=solver)
        if model.penalty is None or not model.penalize_intercept:
            clf.set_params(tol=1e-6)  # the bound of a free weight is linear in its gradient
        values[solver] = objective(clf.fit(X, y), X, y)
        assert clf.history_["objective"][-1] == pytest.approx(values[solver], rel=1e-9)
        assert clf.optimality_ <= clf.tol
    best = min(values.values())
    assert max(values.values()) <= best * (1 + 1e-6), values


@pytest.mark.spec("M-92", "M-62", "M-75", "M-76", "C-09")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [MaxEnt(), MaxEnt(multi_class="ovr"), SVM(), SVM(multi_class="ovr")],
    ids=["log", "log ovr", "hinge", "hinge ovr"],
)
def test_stochastic_gradients_come_near_the_same_optimum(model: Model, classes: int) -> None:
    X, y = clouds(rows=120, classes=classes, seed=1)
    best = objective(exact(model).fit(X, y), X, y)
    sgd = clone(model).set_params(solver=SGD(average=True), max_iter=2000, tol=1e-9)
    sgd.set_params(random_state=0).fit(X, y)
    assert best <= objective(sgd, X, y) <= 1.01 * best


# --- changes of the data -----------------------------------------------------------------------

FAST: dict[str, Model] = {
    "maxent": MaxEnt(solver="newton"),
    "maxent dual": MaxEnt(solver="dual_cd"),
    "maxent l1": MaxEnt(penalty="l1"),
    "svm": SVM(),
    "svm squared": SVM(loss="squared_hinge", multi_class="ovr"),
    "svm ovr": SVM(multi_class="ovr"),
}
each_model = pytest.mark.parametrize("model", FAST.values(), ids=FAST.keys())


@each_model
@pytest.mark.parametrize("classes", [2, 3])
def test_a_weight_of_two_is_a_row_given_twice(model: Model, classes: int) -> None:
    X, y = clouds(rows=60, classes=classes)
    weight = 1.0 + (np.arange(60) % 2)
    weighted = exact(model).fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(60), weight.astype(int))
    repeated = exact(model).fit(X[rows], y[rows])
    first, second = objective(weighted, X, y, weight), objective(repeated, X, y, weight)
    assert first == pytest.approx(second, rel=1e-7)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=2e-3)


@each_model
def test_class_weights_are_sample_weights_by_class(model: Model) -> None:
    X, y = clouds(rows=90, classes=3)
    by_class = exact(model, class_weight={0: 0.5, 2: 3.0}).fit(X, y)
    by_row = exact(model).fit(X, y, sample_weight=np.array([0.5, 1.0, 3.0])[y])
    np.testing.assert_array_equal(by_class.coef_, by_row.coef_)
    balanced = exact(model, class_weight="balanced").fit(X, y)
    by_row = exact(model).fit(X, y, sample_weight=(len(y) / (3 * np.bincount(y)))[y])
    np.testing.assert_array_equal(balanced.coef_, by_row.coef_)


@each_model
@pytest.mark.parametrize("factor", [0.01, 8.0])
def test_scaled_features_with_c_scaled_back_give_the_same_scores(
    model: Model, factor: float
) -> None:
    X, y = words(rows=120, cols=60, classes=3)
    power = 1 if model.penalty == "l1" else 2  # |w / s| against (w / s)^2
    plain = exact(model, C=0.5, fit_intercept=False).fit(X, y)
    scaled = exact(model, C=0.5 / factor**power, fit_intercept=False).fit(factor * X, y)
    np.testing.assert_allclose(
        scaled.decision_function(factor * X), plain.decision_function(X), atol=5e-3
    )
    ratio = objective(scaled, factor * X, y) / objective(plain, X, y)
    assert ratio == pytest.approx(factor**-power, rel=1e-7)


@each_model
def test_renamed_classes_permute_the_columns(model: Model) -> None:
    X, y = words(rows=120, cols=60, classes=3)
    plain, renamed = exact(model, C=0.5).fit(X, y), exact(model, C=0.5).fit(X, 2 - y)
    np.testing.assert_allclose(renamed.coef_[::-1], plain.coef_, atol=2e-3)
    np.testing.assert_array_equal(2 - renamed.predict(X), plain.predict(X))


@each_model
def test_two_renamed_classes_change_the_sign(model: Model) -> None:
    X, y = words(rows=120, cols=60)
    plain, renamed = exact(model, C=0.5).fit(X, y), exact(model, C=0.5).fit(X, 1 - y)
    np.testing.assert_allclose(-renamed.coef_, plain.coef_, atol=2e-3)


@each_model
def test_the_order_of_the_rows_does_not_matter(model: Model) -> None:
    X, y = words(rows=120, cols=60, classes=3)
    order = np.random.default_rng(0).permutation(120)
    first, second = exact(model).fit(X, y), exact(model).fit(X[order], y[order])
    assert objective(first, X, y) == pytest.approx(objective(second, X, y), rel=1e-8)


@each_model
def test_duplicated_features_share_the_weight(model: Model) -> None:
    X, y = clouds(rows=90)
    twice = exact(model, fit_intercept=False).fit(np.hstack([X, X]), y)
    first, second = twice.coef_[0, :4], twice.coef_[0, 4:]
    if model.penalty == "l2":
        np.testing.assert_allclose(first, second, atol=1e-4)
        once = exact(model, fit_intercept=False).fit(np.sqrt(2) * X, y)
        np.testing.assert_allclose(first * np.sqrt(2), once.coef_[0], atol=1e-3)


# --- properties --------------------------------------------------------------------------------

points = arrays(np.float64, (8, 3), elements=st.floats(-1e3, 1e3, width=32))


@relaxed
@given(points, points, st.floats(-5, 5), st.sampled_from([2, 4]))
def test_scores_are_affine_and_probabilities_are_distributions(
    a: Any, b: Any, t: float, classes: int
) -> None:
    X, y = clouds(cols=3, classes=classes)
    clf = MaxEnt(C=2.0).fit(X, y)
    mixed = clf.decision_function(t * a + (1 - t) * b)
    expected = t * clf.decision_function(a) + (1 - t) * clf.decision_function(b)
    np.testing.assert_allclose(mixed, expected, rtol=1e-9, atol=1e-7)
    p = clf.predict_proba(a)
    assert ((p >= 0) & (p <= 1)).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    assert not np.isnan(clf.predict_log_proba(a)).any()


@relaxed
@given(
    arrays(np.float64, (12, 3), elements=st.floats(-100, 100, width=32)),
    arrays(np.int64, 12, elements=st.integers(0, 2)),
    st.floats(1e-3, 10.0),
    st.sampled_from(list(FAST)),
)
def test_every_fit_is_finite_and_its_gap_is_true(X: Any, y: Any, C: float, name: str) -> None:
    y[:3] = [0, 1, 2]
    clf = clone(FAST[name]).set_params(C=C, max_iter=50_000, random_state=0, tol=1e-3).fit(X, y)
    assert np.isfinite(clf.coef_).all() and np.isfinite(clf.intercept_).all()
    value = objective(clf, X, y)
    assert clf.history_["objective"][-1] == pytest.approx(value, rel=1e-9)
    better = clone(clf).set_params(tol=1e-6, max_iter=500_000).fit(X, y)
    assert value - objective(better, X, y) <= clf.history_["gap"][-1] + 1e-9 * value
