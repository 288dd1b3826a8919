from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from linnet.errors import DataError, ParameterError
from linnet.reference.gaussian_naive_bayes import gaussian

from .corpora import random_classes


@pytest.mark.spec("M-12", "M-19", "X-03")
def test_given_variance_has_the_lecture_linear_form():
    X, y = random_classes(60, 3, 3)
    model = gaussian(X, y, 3)
    weights, bias = model.linear()
    np.testing.assert_array_equal(weights, model.means)
    prior = np.bincount(y) / 60
    np.testing.assert_allclose(bias, np.log(prior) - (model.means**2).sum(axis=0) / 2)
    np.testing.assert_array_equal(
        np.argmax(X @ weights + bias, axis=1), np.argmax(model.scores(X), axis=1)
    )


@pytest.mark.spec("M-12", "M-13")
@pytest.mark.parametrize("variance", ["given", "shared", "per-feature"])
def test_linear_scores_equal_density_scores_up_to_a_constant_per_row(variance):
    X, y = random_classes(60, 3, 4, seed=1)
    model = gaussian(X * [1.0, 2.0, 3.0], y, 4, variance=variance, value=0.7)
    weights, bias = model.linear()
    difference = model.scores(X) - (X @ weights + bias)
    np.testing.assert_allclose(difference, difference[:, :1] * np.ones((1, 4)), rtol=1e-10)


@pytest.mark.spec("M-08", "M-13")
def test_maximum_likelihood_of_one_sample():
    x = np.array([[1.0], [2.0], [3.0], [4.0]])
    model = gaussian(x, np.zeros(4, int), 1, variance="per-class")
    assert model.means.item() == 2.5 and model.variances.item() == 1.25
    assert model.scores(x).sum() == pytest.approx(-6.122041, abs=1e-6)


@pytest.mark.spec("M-13", "R-01")
@pytest.mark.parametrize(
    ("variance", "resubstitution", "leave_one_out"),
    [("per-class", 6, 7), ("per-feature", 6, 6), ("given", 11, 12)],
)
def test_iris_error_counts(variance, resubstitution, leave_one_out):
    data = load_iris()
    X, y = data.data[50:], data.target[50:] - 1
    guess = np.argmax(gaussian(X, y, 2, variance=variance).scores(X), axis=1)
    assert (guess != y).sum() == resubstitution
    errors = 0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        model = gaussian(X[rest], y[rest], 2, variance=variance)
        errors += int(np.argmax(model.scores(X[i : i + 1])) != y[i])
    assert errors == leave_one_out


def test_quadratic_boundary_has_no_linear_form():
    X, y = random_classes(30, 2, 2)
    with pytest.raises(ParameterError, match="quadratic"):
        gaussian(X, y, 2, variance="per-class").linear()


def test_zero_variance_is_refused_unless_ridged():
    X, y = np.ones((4, 1)), np.array([0, 0, 1, 1])
    with pytest.raises(DataError, match="ridge"):
        gaussian(X, y, 2, variance="per-class")
    assert np.isfinite(gaussian(X, y, 2, variance="per-class", ridge=0.1).scores(X)).all()
