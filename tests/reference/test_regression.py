from __future__ import annotations

import numpy as np
import pytest

from linnet.reference.common import add_bias
from linnet.reference.regression import least_squares, line, squared_error

from .numeric import numeric_gradient

VAGUE = np.array([4.0, 3, 2, 2, 1, 0])
PRICE = np.array([0.0, 1000, 1500, 6000, 14000, 18000])


@pytest.mark.spec("W-20", "M-93", "M-94", "D-13")
def test_vague_adjectives_lower_the_price():
    fit = line(VAGUE, PRICE)
    assert fit.slope == pytest.approx(-4900) and fit.intercept == pytest.approx(16550)
    assert fit.squared_error == pytest.approx(45_775_000)
    w = least_squares(add_bias(VAGUE[:, None]), PRICE)
    np.testing.assert_allclose(w, [-4900, 16550], rtol=1e-10)


@pytest.mark.spec("M-94", "A-71")
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_normal_equations_hold_even_when_singular(ridge):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    X = np.hstack([X, X[:, :1]])  # a repeated column
    y = rng.normal(size=20)
    w = least_squares(X, y, ridge)
    np.testing.assert_allclose(X.T @ (X @ w - y) + ridge * w, 0, atol=1e-8)
    assert w[0] == pytest.approx(w[3])  # least norm shares the weight


@pytest.mark.spec("M-94", "C-30")
def test_squared_error_gradient_agrees_with_finite_differences():
    X, w = np.random.default_rng(1).normal(size=(8, 3)), np.array([0.2, -1.0, 0.4])
    y = X[:, 0] + 1
    numeric = numeric_gradient(lambda w: squared_error(w, X, y)[0], w)
    np.testing.assert_allclose(squared_error(w, X, y)[1], numeric, atol=1e-6)


def test_a_constant_input_gives_the_mean():
    fit = line(np.ones(3), np.array([1.0, 2.0, 6.0]))
    assert (fit.slope, fit.intercept) == (0.0, 3.0)
