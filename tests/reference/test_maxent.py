from __future__ import annotations

import numpy as np
import pytest

from linnet.reference import maxent
from linnet.reference.common import add_bias
from linnet.reference.conversions import lambda_to_c, lambda_to_variance
from linnet.reference.lbfgs import lbfgs
from linnet.reference.newton import newton

from .corpora import random_classes, reviews
from .numeric import numeric_gradient

FIXTURE = [
    (1.0, 0.5334190474, 0.584834),
    (0.1, 0.2525300417, 0.714473),
    (0.01, 0.0704367368, 0.833080),
]


def optimum(problem):
    return newton(problem, problem.hessian, np.zeros(problem.shape), tolerance=1e-12)


@pytest.mark.spec("F-04", "M-53", "A-41", "A-42", "E-04")
@pytest.mark.parametrize(("lam", "value", "probability"), FIXTURE)
def test_reviews_have_the_fixture_optimum_in_every_form(lam, value, probability):
    counts, y, test = reviews()
    X, x = add_bias(counts), add_bias(test)
    problem = maxent.mean_loss(X, y, 2, lam)
    assert problem(np.zeros(problem.shape))[0] == pytest.approx(np.log(2), abs=1e-15)
    best = optimum(problem)
    assert best.x.size == 42
    assert best.value == pytest.approx(value, abs=1e-10)
    assert maxent.probabilities(x, best.x)[0, 0] == pytest.approx(probability, abs=1e-6)
    np.testing.assert_allclose(best.x.sum(axis=1), 0, atol=1e-10)

    prior = optimum(maxent.gaussian_prior(X, y, 2, lambda_to_variance(lam, 5)))
    summed = optimum(maxent.summed_loss(X, y, 2, lambda_to_c(lam, 5)))
    np.testing.assert_allclose(prior.x, best.x, atol=1e-8)
    np.testing.assert_allclose(summed.x, best.x, atol=1e-8)
    assert prior.value / 5 == pytest.approx(value, abs=1e-8)

    C = lambda_to_c(lam, 5, two_columns=True)
    single = lbfgs(
        lambda w: maxent.binary_objective(w, X, 2 * y - 1, C), np.zeros(21), tolerance=1e-9
    )
    np.testing.assert_allclose(single.x, best.x[:, 1] - best.x[:, 0], atol=1e-8)
    assert single.value / (5 * C) == pytest.approx(value, abs=1e-8)


@pytest.mark.spec("F-04")
def test_reviews_have_the_fixture_weights():
    counts, y, test = reviews()
    W = optimum(maxent.mean_loss(add_bias(counts), y, 2, 1.0)).x
    np.testing.assert_allclose(np.abs(W[-1]), 0.047870, atol=1e-6)
    predictable = int(np.flatnonzero(test[0])[0])
    np.testing.assert_allclose(W[predictable], [0.060777, -0.060777], atol=1e-6)


@pytest.mark.spec("M-54", "M-65", "A-69")
@pytest.mark.parametrize("n_classes", [2, 5])
def test_gradients_and_hessians_agree_with_finite_differences(n_classes):
    X, y = random_classes(12, 3, n_classes)
    rng = np.random.default_rng(0)
    W, V = rng.normal(size=(2, 3, n_classes))
    variance = rng.uniform(0.5, 2.0, (3, n_classes))
    for problem in (
        maxent.mean_loss(X, y, n_classes, 0.3),
        maxent.gaussian_prior(X, y, n_classes, variance),
        maxent.summed_loss(X, y, n_classes, 2.0),
    ):
        gradient = problem(W)[1]
        numeric = numeric_gradient(lambda W, p=problem: p(W)[0], W)
        np.testing.assert_allclose(gradient, numeric, rtol=1e-6, atol=1e-7)
        product = problem.hessian_vector(W, V)
        along = (problem(W + 1e-6 * V)[1] - problem(W - 1e-6 * V)[1]) / 2e-6
        np.testing.assert_allclose(product, along, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(problem.hessian(W) @ V.ravel(), product.ravel(), rtol=1e-10)


@pytest.mark.spec("M-54", "M-51")
def test_binary_gradient_agrees_with_finite_differences():
    X, y = random_classes(12, 3, 2)
    w = np.array([0.3, -0.8, 0.1])
    sign = 2 * y - 1
    _, gradient = maxent.binary_objective(w, X, sign, 0.7)
    numeric = numeric_gradient(lambda w: maxent.binary_objective(w, X, sign, 0.7)[0], w)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-6)


@pytest.mark.spec("M-55", "M-71")
@pytest.mark.parametrize("lam", [0.0, 0.25])
def test_moments_match_up_to_lambda_times_the_weights(lam):
    X, y = random_classes(60, 3, 3, seed=1)
    best = lbfgs(maxent.mean_loss(X, y, 3, lam), np.zeros((3, 3)), tolerance=1e-9)
    gap = maxent.observations(X, y, 3) - maxent.expectations(X, best.x)
    np.testing.assert_allclose(gap, lam * best.x, atol=1e-6)


@pytest.mark.spec("M-52")
def test_probabilities_sum_to_one_and_ignore_a_common_shift():
    X, _ = random_classes(10, 3, 2)
    W = np.random.default_rng(1).normal(size=(3, 4))
    P = maxent.probabilities(X, W)
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-14)
    shifted = W + np.array([[1.0], [-2.0], [0.5]])
    np.testing.assert_allclose(maxent.probabilities(X, shifted), P, atol=1e-12)


@pytest.mark.spec("M-52", "M-51")
def test_two_columns_reduce_to_the_logistic_function():
    X, _ = random_classes(10, 3, 2)
    W = np.random.default_rng(2).normal(size=(3, 2))
    expected = 1 / (1 + np.exp(-X @ (W[:, 1] - W[:, 0])))
    np.testing.assert_allclose(maxent.probabilities(X, W)[:, 1], expected, rtol=1e-12)


@pytest.mark.spec("M-65", "A-82")
def test_equal_variances_equal_a_scalar_and_infinity_is_maximum_likelihood():
    X, y = random_classes(20, 3, 2)
    W = np.ones((3, 2))
    scalar = maxent.gaussian_prior(X, y, 2, 0.5)(W)
    vector = maxent.gaussian_prior(X, y, 2, np.full((3, 2), 0.5))(W)
    assert scalar[0] == vector[0]
    free = maxent.gaussian_prior(X, y, 2, np.inf)(W)
    assert free[0] == pytest.approx(20 * maxent.mean_loss(X, y, 2, 0.0)(W)[0])
