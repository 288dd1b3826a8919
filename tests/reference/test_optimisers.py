from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from linnet.reference import maxent, svm
from linnet.reference.common import add_bias
from linnet.reference.conjugate_gradient import conjugate_gradient, solve
from linnet.reference.dual_coordinate_descent import svm as dual_svm
from linnet.reference.gradient_descent import gradient_descent, scalar, with_armijo
from linnet.reference.lbfgs import lbfgs, orthant_wise
from linnet.reference.line_search import armijo, wolfe
from linnet.reference.newton import newton, truncated_newton

from .corpora import random_classes, reviews, two_clouds


def review_problem(lam=0.1):
    counts, y, _ = reviews()
    return maxent.mean_loss(add_bias(counts), y, 2, lam)


def quadratic(n, seed=0):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    A, b = root @ root.T + np.eye(n), rng.normal(size=n)
    return A, b, lambda x: (float(0.5 * x @ A @ x - b @ x), A @ x - b)


@pytest.mark.spec("W-12", "M-124", "M-56", "P-16")
def test_five_steps_on_a_parabola():
    expected = [-1, -0.6, -0.36, -0.216, -0.1296, -0.07776]
    np.testing.assert_allclose(scalar(lambda x: 2 * x, -1.0, 0.2, 5), expected, rtol=1e-12)
    general = gradient_descent(lambda x: (float(x @ x), 2 * x), np.array([-1.0]), lambda t: 0.2, 5)
    assert general.x[0] == pytest.approx(-0.07776)


@pytest.mark.spec("M-58", "M-59", "M-61", "M-57", "C-24", "F-04")
@pytest.mark.parametrize(
    "optimise",
    [
        with_armijo,
        conjugate_gradient,
        lbfgs,
        lambda f, x: newton(f, f.hessian, x),
        lambda f, x: truncated_newton(f, f.hessian_vector, x),
    ],
    ids=["armijo", "conjugate gradient", "lbfgs", "newton", "truncated newton"],
)
@pytest.mark.parametrize(
    ("lam", "value"), [(1.0, 0.5334190474), (0.1, 0.2525300417), (0.01, 0.0704367368)]
)
def test_every_optimiser_finds_the_same_optimum(optimise, lam, value):
    problem = review_problem(lam)
    found = optimise(problem, np.zeros(problem.shape))
    assert found.converged
    assert np.abs(found.gradient).max() <= 1e-6
    assert found.value == pytest.approx(value, abs=1e-9)
    assert found.value == problem(found.x)[0]


@pytest.mark.spec("M-56", "M-57")
def test_small_constant_steps_and_armijo_steps_never_increase_the_objective():
    problem = review_problem()
    start = np.zeros(problem.shape)
    fixed = gradient_descent(problem, start, lambda t: 0.1, 200)
    searched = with_armijo(problem, start)
    assert (np.diff(fixed.values) < 0).all() and (np.diff(searched.values) <= 0).all()


@pytest.mark.spec("M-56")
def test_a_step_is_the_lecture_update():
    counts, y, _ = reviews()
    X, lam, eta = add_bias(counts), 0.3, 0.5
    W = np.random.default_rng(0).normal(size=(21, 2))
    step = gradient_descent(maxent.mean_loss(X, y, 2, lam), W, lambda t: eta, 1).x
    residual = np.eye(2)[y] - maxent.probabilities(X, W)
    np.testing.assert_allclose(step, (1 - lam * eta) * W + eta / 5 * X.T @ residual, rtol=1e-12)


@pytest.mark.spec("M-58")
def test_conjugate_gradient_solves_a_quadratic_in_as_many_steps_as_dimensions():
    A, b, f = quadratic(6)

    def exact(f, x, value, gradient, direction):
        return -(gradient @ direction) / (direction @ A @ direction)

    found = conjugate_gradient(f, np.zeros(6), line_search=exact, tolerance=1e-8)
    assert found.converged and found.n_iter <= 6
    np.testing.assert_allclose(found.x, np.linalg.solve(A, b), atol=1e-8)
    np.testing.assert_allclose(solve(lambda v: A @ v, b), found.x, atol=1e-8)


@pytest.mark.spec("M-61")
def test_newton_converges_quadratically():
    X, y = random_classes(40, 3, 3)
    problem = maxent.mean_loss(X, y, 3, 0.01)
    best = newton(problem, problem.hessian, np.zeros((3, 3)), tolerance=1e-14).x
    errors = [
        np.linalg.norm(newton(problem, problem.hessian, np.zeros((3, 3)), n_iter=n).x - best)
        for n in range(1, 5)
    ]
    for before, after in pairwise(errors):
        assert after <= 2 * before**2 + 1e-14


@pytest.mark.spec("M-66")
@pytest.mark.parametrize("lam", [0.02, 0.1])
def test_l1_optimum_meets_its_conditions(lam):
    X, y = random_classes(60, 12, 2, seed=3)
    smooth = maxent.mean_loss(X, y, 2, 0.0)
    found = orthant_wise(smooth, np.zeros((12, 2)), lam)
    gradient = smooth(found.x)[1]
    zero = found.x == 0
    assert found.converged and (np.diff(found.values) <= 1e-12).all()
    assert (np.abs(gradient[zero]) <= lam + 1e-5).all()
    np.testing.assert_allclose(gradient[~zero], -lam * np.sign(found.x[~zero]), atol=1e-5)


@pytest.mark.spec("M-66", "M-68")
def test_l1_non_zeros_shrink_and_vanish():
    X, y = random_classes(60, 12, 2, seed=3)
    smooth = maxent.mean_loss(X, y, 2, 0.0)
    start = np.zeros((12, 2))
    limit = np.abs(smooth(start)[1]).max()
    sizes = [
        np.count_nonzero(orthant_wise(smooth, start, share * limit).x)
        for share in (0.1, 0.5, 0.9, 1.0)
    ]
    assert sizes == sorted(sizes, reverse=True) and sizes[-1] == 0 < sizes[-2]


@pytest.mark.spec("M-85", "M-83", "M-84")
def test_lbfgs_and_dual_coordinate_descent_agree_on_the_squared_hinge():
    X, y = two_clouds()
    smooth = lbfgs(
        lambda w: svm.binary_primal(w, X, y, 0.5, "squared_hinge"), np.zeros(3), tolerance=1e-9
    )
    dual = dual_svm(X, y, C=0.5, loss="squared_hinge")
    np.testing.assert_allclose(dual.weights, smooth.x, atol=1e-6)


@pytest.mark.spec("M-57")
def test_line_searches_meet_their_conditions_and_give_up_on_ascent():
    _, _, f = quadratic(4, seed=1)
    x = np.ones(4)
    value, gradient = f(x)
    slope = -gradient @ gradient
    step = armijo(f, x, value, gradient, -gradient)
    assert f(x - step * gradient)[0] <= value + 1e-4 * step * slope
    step = wolfe(f, x, value, gradient, -gradient)
    new_value, new_gradient = f(x - step * gradient)
    assert new_value <= value + 1e-4 * step * slope
    assert -new_gradient @ gradient >= 0.9 * slope
    assert armijo(f, x, value, gradient, gradient) == 0.0
