from __future__ import annotations

import numpy as np
import pytest

from linnet.reference import joint_map, maxent, mira, perceptron
from linnet.reference.joint_map import columns, features, flatten

from .corpora import random_classes, random_orders
from .numeric import numeric_gradient


@pytest.mark.spec("M-25", "C-07")
def test_scores_by_the_map_equal_scores_by_class_vectors():
    X, _ = random_classes(10, 3, 4)
    W = np.random.default_rng(0).normal(size=(3, 4))
    np.testing.assert_allclose(features(X, 4) @ flatten(W), X @ W, atol=1e-12)
    np.testing.assert_array_equal(columns(flatten(W), 4), W)


@pytest.mark.spec("M-25")
def test_difference_of_two_slots_has_twice_the_squared_norm():
    X, _ = random_classes(5, 3, 4)
    F = features(X, 4)
    squared = ((F[:, 1] - F[:, 3]) ** 2).sum(axis=1)
    np.testing.assert_allclose(squared, 2 * (X**2).sum(axis=1))


@pytest.mark.spec("W-04", "M-25")
def test_ronaldo_indicators():
    # f_1 = contains "Ronaldo" and topic sport, f_2 the same and politics, for a third topic (0, 0)
    F = features(np.array([[1.0]]), 3)[0, :, :2]
    np.testing.assert_array_equal(F, [[1, 0], [0, 1], [0, 0]])


@pytest.mark.spec("M-25", "M-32", "C-08")
@pytest.mark.parametrize("average", [False, "after", "mistakes"])
def test_perceptron_over_the_map_is_the_multiclass_perceptron(average):
    X, y = random_classes(30, 4, 3)
    options = {"n_rounds": 4, "orders": random_orders(30, 4), "average": average}
    by_map = joint_map.perceptron(features(X, 3), y, **options)
    by_class = perceptron.multiclass(X, y, 3, **options)
    assert by_map.mistakes == by_class.mistakes
    np.testing.assert_allclose(columns(by_map.weights, 3), by_class.weights, atol=1e-12)


@pytest.mark.spec("M-25", "M-47", "A-62")
@pytest.mark.parametrize("decode", ["predicted", "augmented"])
def test_mira_over_the_map_is_multiclass_mira(decode):
    X, y = random_classes(30, 4, 3)
    options = {"n_rounds": 4, "C": 0.1, "decode": decode}
    by_map = joint_map.mira(features(X, 3), y, **options)
    by_class = mira.multiclass(X, y, 3, **options)
    np.testing.assert_allclose(columns(by_map.weights, 3), by_class.weights, atol=1e-12)


@pytest.mark.spec("M-25", "M-53", "M-54")
def test_maxent_over_the_map_is_maxent_and_its_gradient_is_right_for_any_map():
    X, y = random_classes(12, 3, 3)
    W = np.random.default_rng(1).normal(size=(3, 3))
    value, gradient = joint_map.maxent(features(X, 3), y, 0.2)(flatten(W))
    expected, by_class = maxent.mean_loss(X, y, 3, 0.2)(W)
    assert value == pytest.approx(expected)
    np.testing.assert_allclose(columns(gradient, 3), by_class, atol=1e-12)

    F = np.random.default_rng(2).normal(size=(12, 3, 5))
    objective, w = joint_map.maxent(F, y, 0.2), np.linspace(-1, 1, 5)
    numeric = numeric_gradient(lambda w: objective(w)[0], w)
    np.testing.assert_allclose(objective(w)[1], numeric, rtol=1e-6, atol=1e-8)


@pytest.mark.spec("A-62")
def test_equal_features_of_guess_and_gold_change_nothing():
    F = np.ones((1, 2, 3))
    assert not joint_map.mira(F, np.array([1])).weights.any()
