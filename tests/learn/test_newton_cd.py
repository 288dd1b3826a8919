"""Newton's steps by coordinate descent: sparse weights with a certificate (SPEC M-66)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from linnet import SVM, MaxEnt
from linnet.errors import ParameterError

from .risks import clouds, objective, words

LEARNERS: dict[str, Any] = {
    "log": MaxEnt(multi_class="ovr"),
    "softmax": MaxEnt(multi_class="multinomial"),
    "squared hinge": SVM(loss="squared_hinge", multi_class="ovr"),
}


def exact(name: str, **settings: Any) -> Any:
    clf = LEARNERS[name]
    return type(clf)(
        **{**clf.get_params(), "penalty": "l1", "solver": "newton_cd", "tol": 1e-9, **settings}
    )


@pytest.mark.spec("M-66", "M-92")
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("penalize", [True, False])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("make", [clouds, words])
def test_the_optimum_is_that_of_the_orthant_wise_solver(
    make: Any, classes: int, penalize: bool, name: str
) -> None:
    X, y = make(rows=150, classes=classes)
    how = {"C": 0.5, "penalize_intercept": penalize, "max_iter": 3000}
    clf = exact(name, **how).fit(X, y)
    other = exact(name, solver="lbfgs", **(how | {"tol": 1e-7})).fit(X, y)
    assert clf.optimality_ <= 1e-9
    assert clf.history_["objective"][-1] == pytest.approx(objective(clf, X, y), rel=1e-10)
    best = objective(other, X, y)
    assert objective(clf, X, y) <= best * (1 + 1e-9)
    assert objective(clf, X, y) >= best * (1 - other.optimality_ - 1e-9)


@pytest.mark.spec("M-66")
@pytest.mark.parametrize("name", ["log", "softmax"])
@pytest.mark.parametrize("ratio", [0.0, 0.3, 1.0])
def test_an_elastic_net_is_descended_from_l2_to_l1(name: str, ratio: float) -> None:
    X, y = words(rows=120, cols=60, classes=3)
    net = exact(name, penalty="elasticnet", l1_ratio=ratio).fit(X, y)
    other = exact(name, penalty="elasticnet", l1_ratio=ratio, solver="lbfgs", max_iter=5000).fit(
        X, y
    )
    assert objective(net, X, y) == pytest.approx(objective(other, X, y), rel=1e-7)
    assert (net.n_nonzero_ == net.coef_.size + net.intercept_.size) == (ratio == 0.0)


@pytest.mark.spec("M-66")
@pytest.mark.parametrize("name", LEARNERS)
def test_the_objective_never_rises_and_the_gap_bounds_it(name: str) -> None:
    X, y = words(rows=200, classes=3)
    history = exact(name, C=3.0).fit(X, y).history_
    value, gap = history["objective"], history["gap"]
    assert (np.diff(value) <= 1e-12 * value[0]).all()
    assert (value - gap <= value[-1] * (1 + 1e-9)).all()


@pytest.mark.spec("C-31")
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("ones", [False, True])
def test_threads_and_value_types_do_not_change_the_descent(name: str, ones: bool) -> None:
    X, y = words(rows=100, classes=3)
    X = sp.csr_matrix((X > 0) if ones else X, dtype=np.float64)
    one, two = (exact(name, n_threads=n, tol=1e-3, random_state=1).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    same = exact(name, tol=1e-3, random_state=1).fit(X.astype(np.float32), y)
    np.testing.assert_array_equal(one.coef_, same.coef_)


@given(st.integers(0, 10_000), st.sampled_from(sorted(LEARNERS)), st.floats(1e-3, 100.0))
def test_every_weight_meets_its_optimality_condition(seed: int, name: str, C: float) -> None:
    X, y = words(rows=40, cols=20, classes=2, seed=seed)
    if len(np.unique(y)) < 2:
        return
    clf = exact(name, C=C, fit_intercept=False, tol=1e-8).fit(X, y)
    sign = np.where(y == clf.classes_[1], 1.0, -1.0)
    margin = sign * clf.decision_function(X)
    if name == "squared hinge":
        slope = -2.0 * np.maximum(0.0, 1.0 - margin)
    else:
        slope = -1.0 / (1.0 + np.exp(margin))
    gradient, w = C * (X.T @ (sign * slope)), clf.coef_[0]
    room = 1e-3
    assert (np.abs(gradient[w == 0]) <= 1 + room).all()
    np.testing.assert_allclose(gradient[w != 0], -np.sign(w[w != 0]), atol=room)


def test_it_is_what_auto_takes_for_sparse_weights() -> None:
    X, y = words(rows=100, classes=3)
    chosen, named = (
        MaxEnt(penalty="l1", solver=s, random_state=0).fit(X, y) for s in ("auto", "newton_cd")
    )
    np.testing.assert_array_equal(chosen.coef_, named.coef_)


@pytest.mark.parametrize(
    ("model", "reason"),
    [(SVM(solver="newton_cd"), "differentiable"),
     (SVM(solver="newton_cd", loss="squared_hinge"), "differentiable"),
     (MaxEnt(solver="newton_cd", joint_map=lambda x, k: {f"{k}": x[0]}), "lbfgs")],
)  # fmt: skip
def test_kinks_and_grouped_rows_are_refused(model: Any, reason: str) -> None:
    X, y = clouds(rows=30, classes=3)
    with pytest.raises(ParameterError, match=reason):
        model.fit(X, y)
