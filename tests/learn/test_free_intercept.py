"""A free intercept beside the plain hinge: pairs of dual variables keep their sum (SPEC M-24)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC

from linnet import SVM, KernelSVM
from linnet.errors import ParameterError

from .risks import clouds, objective, words


def free(**settings: Any) -> SVM:
    return SVM(**{"penalize_intercept": False, "tol": 1e-9, "max_iter": 100_000, **settings})


@pytest.mark.spec("M-24", "M-78", "M-80")
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("make", [clouds, words])
def test_a_free_intercept_reaches_the_certified_optimum_of_its_own_objective(
    make: Any, C: float
) -> None:
    X, y = make(rows=120)
    clf = free(C=C).fit(X, y)
    assert clf.optimality_ <= 1e-9
    assert clf.history_["objective"][-1] == pytest.approx(objective(clf, X, y), rel=1e-10)
    alpha, sign = clf.dual_coef_[:, 0], np.where(y == 1, 1.0, -1.0)
    assert ((alpha >= 0) & (alpha <= C)).all()
    assert alpha @ sign == pytest.approx(0.0, abs=1e-9 * max(1.0, alpha.sum()))
    np.testing.assert_allclose(np.asarray((alpha * sign) @ X), clf.coef_[0], atol=1e-9)
    # no intercept near by is better: the subgradient of the sum of hinges has 0 in it
    best = clf.history_["objective"][-1]
    for shift in (-1e-3, 1e-3):
        moved = free(C=C)
        moved.__dict__ |= vars(clf) | {"intercept_": clf.intercept_ + shift}
        assert objective(moved, X, y) >= best - 1e-9 * best


@pytest.mark.spec("M-24", "E-02")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_free_intercept_agrees_with_the_kernel_machine_and_with_libsvm(
    classes: int, sparse: bool
) -> None:
    X, y = clouds(rows=150, classes=classes)
    X = X + 3.0  # far from the origin, so that a penalised intercept would differ
    rows = sp.csr_matrix(X) if sparse else X
    clf = free(C=0.7, multi_class="ovo").fit(rows, y)
    kernel = KernelSVM(0.7, kernel="linear", tol=1e-8).fit(rows, y)
    np.testing.assert_allclose(clf.coef_, kernel.coef_, atol=1e-5)
    np.testing.assert_allclose(clf.intercept_, kernel.intercept_, atol=1e-5)
    peer = SVC(C=0.7, kernel="linear", tol=1e-8).fit(rows, y)
    weights = peer.coef_.toarray() if sparse else peer.coef_
    sign = 1.0 if classes == 2 else -1.0  # of pairs it scores the first class
    np.testing.assert_allclose(clf.coef_, sign * weights, atol=1e-5)
    np.testing.assert_allclose(clf.intercept_, sign * peer.intercept_, atol=1e-4)
    np.testing.assert_array_equal(clf.predict(rows), peer.predict(rows))


@pytest.mark.spec("M-24", "M-88")
def test_one_against_the_rest_has_a_free_intercept_for_each_class() -> None:
    X, y = clouds(rows=90, classes=3)
    clf = free(multi_class="ovr").fit(X + 2.0, y)
    for k in range(3):
        alone = free().fit(X + 2.0, (y == k).astype(int))
        np.testing.assert_allclose(clf.coef_[k], alone.coef_[0], atol=1e-5)
        assert clf.intercept_[k] == pytest.approx(alone.intercept_[0], abs=1e-5)


@pytest.mark.spec("M-24")
def test_the_free_intercept_is_no_worse_than_the_folded_one_and_differs() -> None:
    X, y = clouds(rows=100)
    folded = SVM(C=0.05, tol=1e-9, max_iter=100_000, random_state=0).fit(X + 4.0, y)
    loose = free(C=0.05).fit(X + 4.0, y)
    assert abs(folded.intercept_[0] - loose.intercept_[0]) > 0.1
    without = folded.history_["objective"][-1] - 0.5 * folded.intercept_[0] ** 2
    assert loose.history_["objective"][-1] < without


@pytest.mark.spec("M-92", "M-80")
def test_pairs_and_single_variables_reach_one_optimum_with_a_folded_intercept() -> None:
    X, y = words(rows=100)
    pairs = SVM(solver="smo", tol=1e-9, max_iter=100_000, intercept_scaling=2.0).fit(X, y)
    single = SVM(tol=1e-9, max_iter=100_000, intercept_scaling=2.0, random_state=0).fit(X, y)
    np.testing.assert_allclose(pairs.coef_, single.coef_, atol=1e-5)
    np.testing.assert_allclose(pairs.intercept_, single.intercept_, atol=1e-5)
    assert pairs.optimality_ <= 1e-9


def test_a_warm_start_of_pairs_ends_where_a_cold_one_does() -> None:
    X, y = clouds(rows=100)
    warm = free(C=0.1, warm_start=True).fit(X, y)
    warm.set_params(C=1.0).fit(X, y)
    cold = free(C=1.0).fit(X, y)
    np.testing.assert_allclose(warm.coef_, cold.coef_, atol=1e-6)
    assert warm.optimality_ <= 1e-9


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"solver": "smo", "loss": "squared_hinge"}, "loss='hinge'"),
     ({"solver": "smo"}, "two classes"),
     ({"penalize_intercept": False}, "multi_class='ovr'")],
)  # fmt: skip
def test_pairs_are_refused_where_labels_compete_or_the_loss_is_squared(
    settings: dict[str, Any], reason: str
) -> None:
    X, y = clouds(rows=30, classes=3)
    with pytest.raises(ParameterError, match=reason):
        SVM(**settings).fit(X, y)
