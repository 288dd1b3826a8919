"""Bias and variance by resampling: the identity, and what the lectures say moves them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linnet
from linnet.data import SimpleDataSet
from linnet.errors import DataError, ParameterError
from linnet.explain import prediction_spread

DATA = SimpleDataSet(nr_examples=160, seed=4)
PARTS = (DATA.train_X, DATA.train_y, DATA.test_X, DATA.test_y)


@pytest.mark.spec("C-13")
@pytest.mark.parametrize("learner", [linnet.MaxEnt(), linnet.DecisionTree(), linnet.MemoryBased()])
def test_with_two_classes_error_is_bias_and_what_variance_adds_and_takes(learner: Any) -> None:
    found = prediction_spread(learner, *PARTS)
    net = np.where(found.bias == 0, found.variance, -found.variance)
    np.testing.assert_allclose(found.error, found.bias + net, atol=1e-12)
    assert str(found).startswith("error 0.")


@pytest.mark.spec("C-13")
def test_averaging_and_a_wider_neighbourhood_lower_the_variance() -> None:
    def variance(learner: Any) -> float:
        return float(prediction_spread(learner, *PARTS, rounds=30).variance.mean())

    averaged, plain = (
        variance(linnet.Perceptron(average=average, random_state=0)) for average in (True, False)
    )
    assert averaged < plain
    assert variance(linnet.MemoryBased(15, "l2")) < variance(linnet.MemoryBased(1, "l2"))


@pytest.mark.spec("C-13")
def test_a_smaller_c_lowers_the_variance_and_too_small_a_c_raises_the_bias() -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.3).astype(int)
    X = rng.normal(size=(400, 30)) + 0.4 * y[:, None]  # thirty weak signals
    parts = (X[:80], y[:80], X[80:], y[80:])
    tiny, fair, large = (
        prediction_spread(linnet.MaxEnt(C=C, penalize_intercept=False), *parts)
        for C in (1e-5, 0.1, 100.0)
    )
    assert tiny.variance.mean() < fair.variance.mean() < large.variance.mean()
    assert tiny.bias.mean() > fair.bias.mean()
    assert fair.error.mean() < min(tiny.error.mean(), large.error.mean())


def test_the_seed_decides_and_bad_arguments_are_refused() -> None:
    one, two = (prediction_spread(linnet.MaxEnt(), *PARTS, rounds=3, seed=1) for _ in range(2))
    np.testing.assert_array_equal(one.variance, two.variance)
    with pytest.raises(ParameterError, match="rounds"):
        prediction_spread(linnet.MaxEnt(), *PARTS, rounds=1)
    with pytest.raises(DataError, match="as many labels"):
        prediction_spread(linnet.MaxEnt(), PARTS[0], PARTS[1][:3], *PARTS[2:])
    with pytest.raises(DataError, match="an example"):
        prediction_spread(linnet.MaxEnt(), *PARTS[:2], PARTS[2][:0], PARTS[3][:0])


def test_one_rare_label_is_always_drawn() -> None:
    X, y = np.arange(6.0)[:, None], [0, 0, 0, 0, 0, 1]
    found = prediction_spread(linnet.MaxEnt(), X, y, X, y, rounds=10)
    assert found.error.shape == (6,)


@pytest.mark.spec("C-13")
def test_smoothing_lowers_the_variance_of_naive_bayes_and_too_much_of_it_raises_the_bias() -> None:
    rng = np.random.default_rng(1)  # short documents of two topics with many rare words
    topics, y = rng.dirichlet(np.full(200, 0.3), 2), (rng.random(460) < 0.35).astype(int)
    X = np.stack([rng.multinomial(8, 0.5 * topics[k] + 0.5 / 200) for k in y])
    little, fair, far_too_much = (
        prediction_spread(linnet.MultinomialNB(alpha=alpha), X[:60], y[:60], X[60:], y[60:])
        for alpha in (0.001, 1.0, 1000.0)
    )
    assert far_too_much.variance.mean() < fair.variance.mean() < little.variance.mean()
    assert far_too_much.bias.mean() > fair.bias.mean()


@pytest.mark.spec("C-13", "M-42")
def test_stopping_early_lowers_the_variance_of_descent() -> None:
    rng = np.random.default_rng(1)
    y = (rng.random(400) < 0.5).astype(int)
    X = rng.normal(size=(400, 30)) + 0.4 * y[:, None]
    solver = linnet.GradientDescent(schedule=0.3)
    early, late = (
        prediction_spread(
            linnet.MaxEnt(1e4, solver=solver, max_iter=n, tol=0.0), X[:80], y[:80], X[80:], y[80:]
        )
        for n in (1, 1000)
    )
    assert early.variance.mean() < late.variance.mean()
    assert early.error.mean() < late.error.mean()
