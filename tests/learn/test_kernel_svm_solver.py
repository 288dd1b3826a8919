"""Kernel support vector machines: the plain twin, LIBSVM, and the parts of the solver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

import linnet
from linnet import kernels
from linnet.reference import smo

from .kernel_cloud import cloud, full_dual

# --- the plain twin and LIBSVM -----------------------------------------------------------------


@pytest.mark.spec("M-81")
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), rows=st.integers(4, 40), C=st.sampled_from([0.1, 1.0, 30.0]))
def test_the_solution_equals_the_plain_twin(seed: int, rows: int, C: float) -> None:
    X, y = cloud(rows, seed=seed)
    gram, sign = kernels.gaussian(X, gamma=0.5), np.where(y == 1, 1, -1)
    for penalize in (False, True):
        twin = smo.solve(gram + penalize, sign, C, free_intercept=not penalize, tol=1e-9)
        model = linnet.KernelSVM(C, gamma=0.5, penalize_intercept=penalize, tol=1e-9).fit(X, y)
        assert model.certificate_["dual"] == pytest.approx(twin.dual_objective, rel=1e-7)
        np.testing.assert_allclose(full_dual(model, rows)[0], twin.dual, atol=1e-5 * C)


def libsvm_dual(peer: SVC, gram: np.ndarray, y: np.ndarray) -> float:
    """Return the dual objective of LIBSVM's solution of a binary problem."""
    beta = np.zeros(len(y))
    beta[peer.support_] = peer.dual_coef_[0]
    return float(np.abs(beta).sum() - 0.5 * beta @ gram @ beta)


@pytest.mark.spec("M-81", "E-02")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("kernel", "theirs", "options"),
    [
        ("linear", "linear", {}),
        ("gaussian", "rbf", {"gamma": 0.05}),
        ("polynomial", "poly", {"degree": 2, "gamma": 0.1, "coef0": 1.0}),
        ("sigmoid", "sigmoid", {"gamma": 0.01}),
    ],
)
def test_libsvm_finds_the_same_machine(
    kernel: str, theirs: str, options: dict[str, Any], weighted: bool
) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    weight = np.random.default_rng(0).random(len(y)) * 2 if weighted else None
    model = linnet.KernelSVM(kernel=kernel, **options).fit(X, y, sample_weight=weight)
    peer = SVC(kernel=theirs, **options).fit(X, y, sample_weight=weight)
    gram = kernels.gram(kernel, X, **options)
    assert model.certificate_["dual"] == pytest.approx(libsvm_dual(peer, gram, y), rel=1e-4)
    np.testing.assert_allclose(model.decision_function(X), peer.decision_function(X), atol=2e-2)
    assert (model.predict(X) != peer.predict(X)).mean() < 0.004
    assert len(set(model.support_) ^ set(peer.support_)) <= 0.05 * len(model.support_)


@pytest.mark.spec("M-89", "E-02")
@pytest.mark.parametrize("options", [{}, {"class_weight": "balanced"}])
def test_libsvm_casts_the_same_votes_on_digits(options: dict[str, Any]) -> None:
    X, y = load_digits(return_X_y=True)
    X, y = X[:900], y[:900]
    model = linnet.KernelSVM(tol=1e-5, **options).fit(X, y)
    peer = SVC(tol=1e-5, decision_function_shape="ovo", **options).fit(X, y)
    np.testing.assert_allclose(-model.pair_scores(X), peer.decision_function(X), atol=1e-3)
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))
    np.testing.assert_array_equal(model.n_support_, peer.n_support_)
    np.testing.assert_array_equal(model.support_, peer.support_)
    np.testing.assert_allclose(model.dual_coef_, -peer.dual_coef_, atol=1e-3)


# --- the solver's parts ------------------------------------------------------------------------


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("penalize", [False, True])
def test_cache_and_shrinking_change_nothing_but_time(multi_class: str, penalize: bool) -> None:
    X, y = load_digits(return_X_y=True)
    X, y = X[:600], y[:600] % 4
    base = linnet.KernelSVM(
        5.0, gamma=2e-4, multi_class=multi_class, penalize_intercept=penalize, tol=1e-5
    )
    expected = base.fit(X, y).decision_function(X)
    for options in ({"cache_mb": 1e-6}, {"shrinking": False}, {"cache_mb": 0.05}):
        other = clone(base).set_params(**options).fit(X, y)
        np.testing.assert_allclose(other.decision_function(X), expected, atol=2e-4)
        assert other.certificate_["violation"] <= 1e-5


@pytest.mark.spec("C-02")
@pytest.mark.parametrize("density", [1.0, 0.02])
def test_threads_and_the_cache_do_not_change_a_bit(density: float) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(501, 70)) * (rng.random((501, 70)) < density)
    y = (np.abs(X).sum(axis=1) > np.median(np.abs(X).sum(axis=1))).astype(int) + (X[:, 0] > 1)
    fits = [
        linnet.KernelSVM(20.0, n_threads=threads, cache_mb=cache).fit(X, y)
        for threads, cache in ((1, 200), (2, 200), (3, 0.01), (1, 1e-6))
    ]
    for other in fits[1:]:
        np.testing.assert_array_equal(other.dual_coef_, fits[0].dual_coef_)
        np.testing.assert_array_equal(other.predict(X), fits[0].predict(X))


def test_sparse_rows_give_what_dense_rows_give() -> None:
    rng = np.random.default_rng(0)
    X = sp.random(300, 400, 0.02, format="csr", random_state=1)
    y = np.asarray(X @ rng.normal(size=400) > 0).astype(int)
    sparse = linnet.KernelSVM(10.0, tol=1e-6).fit(X, y)
    table = linnet.KernelSVM(10.0, kernel="precomputed", tol=1e-6)
    gram = kernels.gaussian(X, gamma=sparse.gamma_)
    assert sp.issparse(sparse.support_vectors_)
    np.testing.assert_allclose(
        sparse.decision_function(X), table.fit(gram, y).decision_function(gram), atol=1e-4
    )


def test_gamma_follows_scikit_learn() -> None:
    X, y = cloud()
    for gamma in ("scale", "auto"):
        peer = SVC(gamma=gamma).fit(X, y)
        for data in (X, sp.csr_matrix(X)):
            assert linnet.KernelSVM(gamma=gamma).fit(data, y).gamma_ == pytest.approx(peer._gamma)
    assert linnet.KernelSVM(sigma=2.0).fit(X, y).gamma_ == 0.125


def test_a_warm_start_needs_fewer_steps_and_ends_at_the_same_optimum() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    warm = linnet.KernelSVM(1.0, warm_start=True, tol=1e-4).fit(X, y)
    steps = warm.n_iter_
    assert warm.fit(X, y).n_iter_ <= 0.1 * steps
    for C in (2.0, 0.5):
        cold = linnet.KernelSVM(C, tol=1e-4).fit(X, y)
        warm.set_params(C=C).fit(X, y)
        assert warm.certificate_["dual"] == pytest.approx(cold.certificate_["dual"], rel=1e-5)
    warm.fit(X[:50], y[:50])  # other data: starts anew
    np.testing.assert_array_equal(
        warm.dual_coef_, linnet.KernelSVM(0.5, tol=1e-4).fit(X[:50], y[:50]).dual_coef_
    )


def test_stopping_early_says_how_far_the_optimum_is() -> None:
    X, y = cloud()
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        model = linnet.KernelSVM(max_iter=3).fit(X, y)
    assert model.n_iter_ == 3 and model.certificate_["violation"] > 1e-3


def test_weights_act_as_repetitions_and_zeros_as_absence() -> None:
    X, y = cloud(60)
    weight = np.random.default_rng(1).integers(0, 4, 60).astype(float)
    options = {"gamma": 0.4, "tol": 1e-9}
    weighted = linnet.KernelSVM(**options).fit(X, y, sample_weight=weight)
    repeated = np.repeat(np.arange(60), weight.astype(int))
    other = linnet.KernelSVM(**options).fit(X[repeated], y[repeated])
    np.testing.assert_allclose(weighted.decision_function(X), other.decision_function(X), atol=1e-6)
    assert (weight[weighted.support_] > 0).all()


def test_a_class_without_weight_loses_every_vote() -> None:
    X, y = cloud(60, 3)
    model = linnet.KernelSVM().fit(X, y, sample_weight=(y != 1).astype(float))
    assert set(model.predict(X)) == {0, 2}
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.spec("E-02")
@pytest.mark.parametrize("classes", [2, 4])
def test_libsvms_defaults_are_c_one_gamma_one_over_j_and_tol_a_thousandth(classes: int) -> None:
    X, y = cloud(120, classes)
    model = linnet.KernelSVM(gamma="auto").fit(X, y)
    assert (model.C, model.gamma_, model.tol) == (1.0, 1.0 / X.shape[1], 1e-3)
    peer = SVC(C=1.0, gamma="auto", tol=1e-3, decision_function_shape="ovo").fit(X, y)
    exact = linnet.KernelSVM(gamma="auto", tol=1e-9).fit(X, y)
    assert model.certificate_["dual"] == pytest.approx(exact.certificate_["dual"], rel=1e-4)
    if classes == 2:
        dual = np.abs(peer.dual_coef_).sum() - 0.5 * np.einsum(
            "i,ij,j->", peer.dual_coef_[0],
            kernels.gaussian(peer.support_vectors_, gamma=1.0 / X.shape[1]), peer.dual_coef_[0],
        )  # fmt: skip
        assert model.certificate_["dual"] == pytest.approx(dual, rel=1e-4)
        scores = model.decision_function(X)
        np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-2)
    else:
        scores = -model.pair_scores(X)  # of a pair LIBSVM scores the first class
        np.testing.assert_allclose(model.intercept_, -peer.intercept_, atol=1e-2)
    votes = peer.decision_function(X)
    sure = np.abs(votes) > 1e-2
    np.testing.assert_array_equal((scores > 0)[sure], (votes > 0)[sure])
