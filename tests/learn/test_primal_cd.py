"""Primal coordinate descent: one Newton step a feature, with a line search (SPEC M-84)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from linnet import SVM, MaxEnt
from linnet.data import SentimentCorpus
from linnet.errors import ParameterError

from .risks import clouds, objective, words


def descended(**settings: Any) -> SVM:
    return SVM(
        **{
            "loss": "squared_hinge", "multi_class": "ovr", "solver": "primal_cd", "tol": 1e-9,
            "max_iter": 10_000, "random_state": 0, **settings,
        }
    )  # fmt: skip


@pytest.mark.spec("M-84", "M-85", "M-92")
@pytest.mark.parametrize("penalize", [True, False])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("make", [clouds, words])
def test_primal_descent_reaches_newtons_optimum_with_a_certificate(
    make: Any, classes: int, penalize: bool
) -> None:
    X, y = make(rows=150, classes=classes)
    clf = descended(penalize_intercept=penalize).fit(X, y)
    newton = descended(solver="newton", penalize_intercept=penalize).fit(X, y)
    np.testing.assert_allclose(clf.coef_, newton.coef_, atol=1e-4)
    np.testing.assert_allclose(clf.intercept_, newton.intercept_, atol=1e-4)
    assert clf.optimality_ <= 1e-9
    assert clf.history_["objective"][-1] == pytest.approx(objective(clf, X, y), rel=1e-10)


@pytest.mark.spec("M-84")
def test_the_objective_of_primal_descent_never_rises_and_the_gap_bounds_it() -> None:
    X, y = words(rows=200)
    history = descended(C=3.0).fit(X, y).history_
    value, gap = history["objective"], history["gap"]
    assert (np.diff(value) <= 1e-12 * value[0]).all()
    assert (value - gap <= value[-1] * (1 + 1e-9)).all()


@pytest.mark.spec("M-84", "R-05")
def test_primal_descent_reaches_the_reference_optimum_of_amazon_books(
    data_dir: Callable[[str], Path],
) -> None:
    books = SentimentCorpus(folder=data_dir("amazon_books"), cutoff_on="all")
    clf = descended(C=0.01, tol=1e-7).fit(books.train_X, books.train_y)
    assert clf.history_["objective"][-1] == pytest.approx(3.793906465, rel=1e-5)
    assert clf.score(books.test_X, books.test_y) == 0.8625


@pytest.mark.spec("M-84", "M-92")
@pytest.mark.parametrize("multi_class", ["multinomial", "ovr"])
def test_the_log_loss_of_two_classes_and_one_vs_rest_is_descended_too(multi_class: str) -> None:
    X, y = words(rows=120, classes=2 if multi_class == "multinomial" else 3)
    settings: dict[str, Any] = {"multi_class": multi_class, "tol": 1e-9, "random_state": 0}
    clf = MaxEnt(solver="primal_cd", max_iter=10_000, **settings).fit(X, y)
    newton = MaxEnt(solver="newton", **settings).fit(X, y)
    np.testing.assert_allclose(clf.coef_, newton.coef_, atol=1e-4)


@pytest.mark.spec("C-31")
@pytest.mark.parametrize("ones", [False, True])
def test_threads_and_value_types_do_not_change_the_descent(ones: bool) -> None:
    X, y = words(rows=100, classes=3)
    X = sp.csr_matrix((X > 0) if ones else X, dtype=np.float64)
    one, two = (descended(n_threads=n, tol=1e-3).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    same = descended(tol=1e-3).fit(X.astype(np.float32), y)
    np.testing.assert_array_equal(one.coef_, same.coef_)


@pytest.mark.parametrize(
    ("model", "reason"),
    [(SVM(solver="primal_cd"), "differentiable"),
     (SVM(solver="primal_cd", loss="squared_hinge"), "differentiable"),
     (MaxEnt(solver="primal_cd"), "multi_class='ovr'"),
     (MaxEnt(solver="primal_cd", penalty="l1", multi_class="ovr"), "lbfgs")],
)  # fmt: skip
def test_primal_descent_refuses_joint_losses_kinks_and_l1(model: Any, reason: str) -> None:
    X, y = clouds(rows=30, classes=3)
    with pytest.raises(ParameterError, match=reason):
        model.fit(X, y)
