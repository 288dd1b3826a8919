from __future__ import annotations

import numpy as np
import pytest

from linnet.reference import sgd
from linnet.reference.conversions import lambda_to_c
from linnet.reference.dual_coordinate_descent import svm as dual_svm
from linnet.reference.pegasos import pegasos
from linnet.reference.schedules import inverse_lambda
from linnet.reference.svm import binary_primal

from .corpora import random_orders, two_clouds


def mean_objective(w, X, y, lam):
    return lam * binary_primal(w, X, y, lambda_to_c(lam, len(X)))[0]


@pytest.mark.spec("M-76")
@pytest.mark.parametrize("lam", [0.1, 1.0])
def test_projection_keeps_the_norm_in_the_ball(lam):
    X, y = two_clouds()
    batches = np.random.default_rng(0).integers(0, 40, (200, 1))
    result = pegasos(5 * X, y, list(batches), lam=lam)
    assert max(result.norms) <= 1 / np.sqrt(lam) + 1e-12


@pytest.mark.spec("M-76", "M-75")
def test_without_projection_it_is_stochastic_subgradient_with_the_same_schedule():
    X, y = two_clouds()
    orders, lam = random_orders(40, 3), 0.5

    def direction(w, i):
        return np.where(y[i] * (w @ X[i]) < 1, 1.0, 0.0) * y[i] * X[i]

    sequence = np.concatenate(orders)
    expected = sgd.stochastic(direction, np.zeros(3), sequence, inverse_lambda(lam), lam=lam)
    found = pegasos(X, y, [np.array([i]) for i in sequence], lam=lam, project=False)
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-12)


@pytest.mark.spec("M-76", "E-05")
@pytest.mark.parametrize("size", [1, 8])
def test_objective_approaches_the_optimum(size):
    X, y = two_clouds()
    lam = 0.25
    best = mean_objective(dual_svm(X, y, C=lambda_to_c(lam, 40)).weights, X, y, lam)
    batches = np.random.default_rng(1).integers(0, 40, (4000, size))
    found = mean_objective(pegasos(X, y, list(batches), lam=lam).weights, X, y, lam)
    assert best - 1e-12 <= found <= best + 0.01
