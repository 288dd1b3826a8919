from __future__ import annotations

import numpy as np
import pytest

from linnet.errors import DataError
from linnet.reference import joint_map, perceptron
from linnet.reference.dual_coordinate_descent import svm as dual_svm
from linnet.reference.margins import (
    functional_margins,
    geometric_margins,
    joint_mistake_bound,
    mistake_bound,
)

from .corpora import five_points, random_orders


@pytest.mark.spec("F-01", "M-43", "M-77", "E-10")
def test_five_points_have_the_fixture_margin_and_bound():
    X, y = five_points()
    w = dual_svm(X, y, C=1e6).weights
    np.testing.assert_allclose(w, [22 / 14, 17 / 14, 9 / 14], atol=1e-6)
    assert geometric_margins(w, X, y).min() == pytest.approx(0.479070, abs=1e-6)
    assert (X**2).sum(axis=1).max() == 6
    bound = mistake_bound(w, X, y)
    assert bound == pytest.approx(26.142857, abs=1e-5)
    assert sum(perceptron.binary(X, y).mistakes) == 3 <= bound


@pytest.mark.spec("M-38")
def test_scaling_changes_the_functional_margin_only():
    X, y = five_points()
    w = np.array([1.0, 2.0, -0.5])
    np.testing.assert_allclose(functional_margins(3 * w, X, y), 3 * functional_margins(w, X, y))
    np.testing.assert_allclose(geometric_margins(3 * w, X, y), geometric_margins(w, X, y))


@pytest.mark.spec("M-43", "M-37")
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_updates_stay_below_the_bound_on_separable_data(seed, margin):
    rng = np.random.default_rng(seed)
    u = rng.normal(size=4)
    X = rng.normal(size=(60, 4))
    X = X[np.abs(X @ u) > 0.3 * np.linalg.norm(u)]
    y = np.where(X @ u > 0, 1, -1)
    result = perceptron.binary(
        X, y, n_rounds=500, margin=margin, orders=random_orders(len(X), 500, seed)
    )
    assert result.mistakes[-1] == 0
    assert sum(result.mistakes) <= mistake_bound(u, X, y, margin)


@pytest.mark.spec("M-43", "M-32")
@pytest.mark.parametrize("seed", range(5))
def test_multiclass_updates_stay_below_the_joint_bound(seed):
    rng = np.random.default_rng(seed)
    U = rng.normal(size=(4, 3))
    X = rng.normal(size=(80, 4))
    top = np.sort(X @ U, axis=1)
    X = X[top[:, -1] - top[:, -2] > 0.5]
    y = np.argmax(X @ U, axis=1)
    F = joint_map.features(X, 3)
    result = perceptron.multiclass(X, y, 3, n_rounds=500)
    assert result.mistakes[-1] == 0
    assert sum(result.mistakes) <= joint_mistake_bound(joint_map.flatten(U), F, y)


def test_a_vector_that_does_not_separate_bounds_nothing():
    X, y = five_points()
    with pytest.raises(DataError, match="separate"):
        mistake_bound(-np.ones(3), X, y)
