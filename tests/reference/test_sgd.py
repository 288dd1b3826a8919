from __future__ import annotations

import numpy as np
import pytest

from linnet.reference import maxent, sgd, svm
from linnet.reference.conversions import lambda_to_c
from linnet.reference.dual_coordinate_descent import crammer_singer
from linnet.reference.dual_coordinate_descent import svm as dual_svm
from linnet.reference.lbfgs import lbfgs
from linnet.reference.losses import sigmoid
from linnet.reference.schedules import constant, inverse_lambda, power

from .corpora import kyoto, random_classes, random_orders, two_clouds
from .numeric import numeric_gradient


def weights_by_word(result, words):
    return dict(zip(words, result.weights, strict=True))


@pytest.mark.spec("W-07", "M-64", "A-22")
def test_probability_ascent_gives_the_slide_weights():
    X, y, words = kyoto()
    first = weights_by_word(sgd.probability(X[:1], y[:1]), words)
    assert first[","] == -0.5 and first["A"] == first["Kyoto"] == -0.25
    result = sgd.probability(X, y)
    w = weights_by_word(result, words)
    factor = np.e / (1 + np.e) ** 2
    assert factor == pytest.approx(0.196611933, abs=1e-9)
    for word, value, slide in [
        (",", -0.303388, -0.304),
        ("in", -0.053388, -0.054),
        ("Kyoto", -0.053388, -0.054),
        ("Shoken", 0.196612, 0.196),
        ("monk", 0.196612, 0.196),
        ("born", 0.196612, 0.196),
        ("site", -0.25, -0.25),
    ]:
        assert w[word] == pytest.approx(value, abs=1e-6)
        assert w[word] == pytest.approx(slide, abs=1e-3)
    assert sigmoid(-1.0) == pytest.approx(0.268941, abs=1e-6)
    assert sigmoid(float(X[1] @ result.weights)) == pytest.approx(0.544797, abs=1e-6)


@pytest.mark.spec("W-07", "A-23")
def test_log_likelihood_ascent_on_the_same_sentences():
    X, y, words = kyoto()
    assert weights_by_word(sgd.logistic(X[:1], y[:1]), words)["A"] == -0.5
    w = weights_by_word(sgd.logistic(X, y), words)
    assert w["Shoken"] == pytest.approx(0.880797, abs=1e-6)
    assert w[","] == pytest.approx(-0.119203, abs=1e-6)
    assert w["in"] == w["Kyoto"] == pytest.approx(0.380797, abs=1e-6)


@pytest.mark.spec("M-64", "A-23")
def test_probability_gradient_is_the_log_gradient_times_the_probability():
    X, y, _ = kyoto()
    for x, sign in zip(X, y, strict=True):
        log_step = sgd.logistic(x[None], np.array([sign])).weights
        step = sgd.probability(x[None], np.array([sign])).weights
        np.testing.assert_allclose(step, 0.5 * log_step)  # P = 1/2 at w = 0


@pytest.mark.spec("M-62", "M-63", "M-75", "C-30", "A-64")
@pytest.mark.parametrize("learner", [sgd.maxent, sgd.multiclass_hinge])
def test_a_step_follows_the_finite_difference_gradient(learner):
    X, y = random_classes(3, 4, 3)
    lam, eta = 0.2, 0.1
    start = learner(X[:2], y[:2], 3, lam=lam, schedule=constant(eta), n_rounds=1).last
    full = learner(X, y, 3, lam=lam, schedule=constant(eta), n_rounds=1).last
    if learner is sgd.maxent:
        objective = maxent.mean_loss(X[2:], y[2:], 3, lam)
    else:

        def objective(W):
            return svm.mean_hinge(W, X[2:], y[2:], lam)

    numeric = numeric_gradient(lambda W: objective(W)[0], start)
    np.testing.assert_allclose(full - start, -eta * numeric, atol=1e-7)


@pytest.mark.spec("M-63")
def test_residual_update_sums_to_zero_over_classes_and_rewards_gold():
    X, y = random_classes(1, 4, 3)
    W = sgd.maxent(X, y, 3, lam=0.0, schedule=constant(0.5), n_rounds=1).weights
    np.testing.assert_allclose(W.sum(axis=1), 0, atol=1e-15)
    np.testing.assert_allclose(W[:, y[0]], 0.5 * X[0] * (1 - 1 / 3))


@pytest.mark.spec("M-62", "M-92")
def test_maxent_sgd_comes_within_one_percent_of_the_optimum():
    X, y = random_classes(50, 3, 3, seed=1)
    problem = maxent.mean_loss(X, y, 3, 0.1)
    best = lbfgs(problem, np.zeros((3, 3))).value
    found = sgd.maxent(
        X, y, 3, lam=0.1, schedule=inverse_lambda(0.1), n_rounds=40, orders=random_orders(50, 40)
    )
    assert best <= problem(found.weights)[0] <= 1.01 * best


@pytest.mark.spec("M-75", "M-92")
def test_hinge_sgd_comes_within_one_percent_of_the_optimum():
    X, y = random_classes(50, 3, 3, seed=1)
    lam = 0.1
    dual = crammer_singer(X, y, 3, C=lambda_to_c(lam, 50), tolerance=1e-10).weights
    best = svm.mean_hinge(dual, X, y, lam)[0]
    found = sgd.multiclass_hinge(
        X,
        y,
        3,
        lam=lam,
        schedule=inverse_lambda(lam),
        n_rounds=40,
        orders=random_orders(50, 40),
        average="after",
    )
    assert best - 1e-9 <= svm.mean_hinge(found.weights, X, y, lam)[0] <= 1.01 * best


@pytest.mark.spec("F-11", "M-86", "A-37", "A-80")
def test_binary_steps_need_the_factor_n_to_reach_the_stated_optimum():
    X, y = two_clouds()
    optimum = dual_svm(X, y, C=0.1)
    np.testing.assert_allclose(optimum.weights, [0.611107, 0.453072, -0.083560], atol=1e-6)
    value = svm.binary_primal(optimum.weights, X, y, 0.1)[0]
    assert value == pytest.approx(1.043490, abs=1e-6)

    orders = random_orders(40, 1000)
    scaled = sgd.hinge(X, y, C=0.1, n_rounds=1000, orders=orders).weights
    assert svm.binary_primal(scaled, X, y, 0.1)[0] == pytest.approx(value, rel=1e-3)
    plain = sgd.hinge(X, y, C=0.1, n_rounds=1000, orders=orders, scale_by_examples=False).weights
    expected = np.array([0.133618, 0.102540, 0.0])
    np.testing.assert_allclose(plain, expected, atol=2e-3)
    np.testing.assert_allclose(dual_svm(X, y, C=0.1 / 40).weights, expected, atol=1e-5)


@pytest.mark.spec("M-87")
def test_batch_subgradient_descends_to_the_optimum():
    X, y = two_clouds()
    found = sgd.batch_subgradient(X, y, C=0.1, n_iter=2000)
    assert min(found.values) == pytest.approx(1.043490, rel=2e-3)
    assert min(found.values) >= 1.043489


@pytest.mark.spec("M-67")
def test_truncation_comes_before_each_gradient_step():
    X, y = np.eye(2), np.array([1, 1])
    result = sgd.logistic(X, y, truncation=0.25)
    np.testing.assert_allclose(result.weights, [0.25, 0.5])
    W = sgd.maxent(X, np.array([0, 0]), 2, lam=0.0, schedule=constant(1.0), n_rounds=1)
    shrunk = sgd.maxent(
        X, np.array([0, 0]), 2, lam=0.0, schedule=constant(1.0), n_rounds=1, truncation=0.25
    )
    np.testing.assert_allclose(W.weights, [[0.5, -0.5], [0.5, -0.5]])
    np.testing.assert_allclose(shrunk.weights, [[0.25, -0.25], [0.5, -0.5]])


@pytest.mark.spec("A-38")
def test_a_decay_faster_than_one_over_t_warns():
    with pytest.warns(UserWarning, match="stop short"):
        power(1.0, 1.5)
