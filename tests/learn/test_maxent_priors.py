"""Maximum entropy: Gaussian priors, L1, elastic net, the intercept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linnet.learn.maxent import MaxEnt
from linnet.learn.svm import SVM
from linnet.reference import maxent, newton
from linnet.reference.lbfgs import orthant_wise

from .risks import clouds, folded, objective, words


def exact(**settings: Any) -> MaxEnt:
    return MaxEnt(**{"tol": 1e-12, "max_iter": 100_000, "random_state": 0, **settings})


@pytest.mark.spec("M-65", "M-53")
@pytest.mark.parametrize("classes", [2, 3])
def test_one_prior_variance_for_all_is_that_much_more_c(classes: int) -> None:
    X, y = clouds(classes=classes)
    scalar = exact(prior_variance=4.0, fit_intercept=False).fit(X, y)
    vector = exact(prior_variance=[4.0] * 4, fit_intercept=False).fit(X, y)
    more = exact(C=4.0, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(scalar.coef_, more.coef_, atol=1e-6)
    np.testing.assert_allclose(vector.coef_, more.coef_, atol=1e-6)


@pytest.mark.spec("M-65")
@pytest.mark.parametrize("solver", ["newton", "dual_cd", "lbfgs"])
def test_prior_variances_of_their_own_give_the_optimum_of_the_reference(solver: str) -> None:
    X, y = clouds(classes=3)
    variance = np.array([0.01, 1.0, 5.0, 100.0])
    problem = maxent.gaussian_prior(folded(X), y, 3, np.append(variance, 1.0)[:, None])
    optimum = newton.newton(problem, problem.hessian, np.zeros(problem.shape)).x
    clf = exact(prior_variance=variance, solver=solver).fit(X, y)
    # a gap of tol * F allows |w - w*| <= sigma * sqrt(2 tol F), sigma being 10 at most
    np.testing.assert_allclose(clf.coef_.T, optimum[:-1], atol=1e-4)
    np.testing.assert_allclose(clf.intercept_, optimum[-1], atol=1e-5)


@pytest.mark.spec("M-65")
def test_a_wide_prior_is_maximum_likelihood() -> None:
    X, y = clouds(rows=200)
    free = exact(penalty=None, fit_intercept=False).fit(X, y)
    wide = exact(prior_variance=1e9, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(wide.coef_, free.coef_, rtol=1e-6)


@pytest.mark.spec("M-66")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("multi_class", ["multinomial", "ovr"])
def test_l1_meets_its_optimality_conditions(classes: int, multi_class: str) -> None:
    X, y = words(rows=150, cols=60, classes=classes)
    clf = exact(C=0.3, penalty="l1", multi_class=multi_class).fit(X, y)
    gold = np.arange(classes) == y[:, None]
    scores = clf.decision_function(X)
    if classes == 2:
        residual = (1.0 / (1.0 + np.exp(-scores)) - gold[:, 1])[:, None]
    elif multi_class == "ovr":
        residual = 1.0 / (1.0 + np.exp(-scores)) - gold
    else:
        residual = clf.predict_proba(X) - gold
    slope = 0.3 * folded(X).T @ residual
    w = np.vstack([clf.coef_.T, clf.intercept_])
    assert (np.abs(slope[w == 0]) <= 1 + 1e-5).all()
    np.testing.assert_allclose(slope[w != 0], -np.sign(w[w != 0]), atol=1e-5)


@pytest.mark.spec("M-66", "M-68")
def test_l1_empties_the_model_as_c_falls() -> None:
    X, y = words(rows=150, cols=60)
    counts = [exact(C=C, penalty="l1").fit(X, y).n_nonzero_ for C in (10.0, 1.0, 0.1)]
    assert counts[0] > counts[1] > counts[2]
    steepest = np.abs(folded(X).T @ (0.5 - y)).max()
    assert exact(C=0.999 / steepest, penalty="l1").fit(X, y).n_nonzero_ == 0
    assert exact(C=1.001 / steepest, penalty="l1").fit(X, y).n_nonzero_ > 0


@pytest.mark.spec("M-66")
def test_l1_finds_the_optimum_of_the_reference() -> None:
    X, y = clouds(classes=3)
    smooth = maxent.gaussian_prior(folded(X), y, 3, np.inf)
    best = orthant_wise(smooth, np.zeros(smooth.shape), 1.0, tolerance=1e-9)
    clf = exact(penalty="l1").fit(X, y)
    assert objective(clf, X, y) == pytest.approx(best.value, rel=1e-8)


def test_elastic_net_runs_from_l2_to_l1() -> None:
    X, y = words(rows=150, cols=60, classes=3)
    settings: dict[str, Any] = {"C": 0.5, "solver": "lbfgs"}
    l2, l1 = exact(**settings).fit(X, y), exact(penalty="l1", **settings).fit(X, y)
    ends = [exact(penalty="elasticnet", l1_ratio=r, **settings).fit(X, y) for r in (0.0, 1.0)]
    np.testing.assert_allclose(ends[0].coef_, l2.coef_, atol=1e-4)
    assert objective(ends[1], X, y) == pytest.approx(objective(l1, X, y), rel=1e-9)
    between = exact(penalty="elasticnet", l1_ratio=0.5, **settings).fit(X, y)
    assert l1.n_nonzero_ < between.n_nonzero_ < l2.n_nonzero_
    assert between.history_["objective"][-1] == pytest.approx(objective(between, X, y), rel=1e-10)


@pytest.mark.spec("M-24", "C-12", "A-40")
@pytest.mark.parametrize("multi_class", ["multinomial", "ovr"])
def test_folded_and_free_intercepts_differ_and_each_meets_its_own_objective(
    multi_class: str,
) -> None:
    X, y = clouds(classes=3)
    X = X + 5.0
    folded_in = exact(multi_class=multi_class).fit(X, y)
    free = exact(multi_class=multi_class, penalize_intercept=False, tol=1e-8).fit(X, y)
    assert np.abs(folded_in.intercept_ - free.intercept_).max() > 0.1
    for clf, other in ((folded_in, free), (free, folded_in)):
        own = objective(clf, X, y)
        stranger = exact(multi_class=multi_class, penalize_intercept=clf.penalize_intercept)
        stranger.classes_, stranger.C = clf.classes_, clf.C
        stranger.coef_, stranger.intercept_ = other.coef_, other.intercept_
        assert own < objective(stranger, X, y)


@pytest.mark.spec("M-24")
def test_a_large_intercept_scaling_makes_the_penalty_of_the_intercept_vanish() -> None:
    X, y = clouds()
    free = exact(penalize_intercept=False, tol=1e-9).fit(X + 5, y)
    scaled = exact(intercept_scaling=1e4).fit(X + 5, y)
    np.testing.assert_allclose(scaled.intercept_, free.intercept_, rtol=1e-5)
    np.testing.assert_allclose(scaled.coef_, free.coef_, rtol=1e-5)


@pytest.mark.spec("M-23", "M-24")
@pytest.mark.parametrize("model", [MaxEnt(C=2.0), SVM(C=2.0)])
def test_the_weights_are_normal_to_the_boundary(model: Any) -> None:
    X, y = clouds(cols=2)
    model.fit(X, y)
    (w,), (b,) = model.coef_, model.intercept_
    on_line = np.array([[t, -(b + w[0] * t) / w[1]] for t in (-1.0, 0.0, 2.0)])
    np.testing.assert_allclose(model.decision_function(on_line), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.diff(on_line, axis=0) @ w, 0.0, atol=1e-12)
    foot = X - np.outer(model.decision_function(X) / (w @ w), w)
    np.testing.assert_allclose(model.decision_function(foot), 0.0, atol=1e-12)
    distance = np.abs(model.decision_function(X)) / np.linalg.norm(w)
    np.testing.assert_allclose(np.linalg.norm(X - foot, axis=1), distance, rtol=1e-9)
