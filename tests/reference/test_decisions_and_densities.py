from __future__ import annotations

import numpy as np
import pytest

from linnet.errors import DataError, ParameterError
from linnet.reference import decision_theory, density, maximum_entropy, tree

from .corpora import random_classes


@pytest.mark.spec("M-11")
@pytest.mark.parametrize("covariance", ["pooled", "pooled-diagonal"])
def test_pooled_scores_are_linear_up_to_a_constant_per_row(covariance):
    X, y = random_classes(60, 3, 3)
    model = density.gaussian_bayes(X, y, 3, covariance=covariance)
    weights, bias = model.linear()
    difference = model.scores(X) - (X @ weights + bias)
    np.testing.assert_allclose(difference - difference[:, :1], 0, atol=1e-10)
    with pytest.raises(ParameterError, match="quadratic"):
        density.gaussian_bayes(X, y, 3).linear()


@pytest.mark.spec("M-09")
def test_a_singular_covariance_has_no_density_unless_ridged():
    X, y = np.ones((4, 2)), np.array([0, 0, 1, 1])
    with pytest.raises(DataError, match="ridge"):
        density.gaussian_bayes(X, y, 2).scores(X)
    assert np.isfinite(density.gaussian_bayes(X, y, 2, ridge=0.1).scores(X)).all()
    with pytest.raises(DataError, match="class 2 has no examples"):
        density.gaussian_bayes(X, y, 3)


@pytest.mark.spec("M-02", "F-07")
def test_the_least_risk_is_the_reject_action():
    loss, p = np.array([[0, 10], [1, 0], [0.5, 0.5]]), np.array([0.7, 0.3])
    np.testing.assert_allclose(decision_theory.risks(loss, p), [3.0, 0.7, 0.5])
    assert decision_theory.bayes_action(loss, p) == 2
    assert decision_theory.bayes_action(np.zeros((3, 2)), p) == 0
    with pytest.raises(DataError, match="no posterior"):
        decision_theory.posterior(np.zeros(2), p)


@pytest.mark.spec("M-70", "W-13")
def test_the_lecture_distribution():
    p, w = maximum_entropy.maximum_entropy(np.array([[1.0, 0.0, 1.0, 0.0]]), np.array([0.6]))
    np.testing.assert_allclose(p, [0.3, 0.2, 0.3, 0.2], atol=1e-12)
    assert w[0] == pytest.approx(np.log(1.5))
    assert maximum_entropy.entropy_bits(p) == pytest.approx(1.970951, abs=1e-6)
    with pytest.raises(DataError, match="no convergence"):
        maximum_entropy.maximum_entropy(np.array([[1.0, 0.0]]), np.array([1.5]))


@pytest.mark.spec("M-107", "W-02", "W-03")
def test_gain_and_gain_ratio_of_the_lecture_table():
    gain, ratio = tree.gain_and_ratio(np.array([[4.0, 100.0], [996.0, 900.0]]))
    assert gain == pytest.approx(0.041523842, abs=1e-9)
    assert ratio == pytest.approx(0.140838603, abs=1e-9)
    assert tree.gain_and_ratio(np.array([[3.0, 1.0]])) == (0.0, 0.0)
