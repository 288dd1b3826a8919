from __future__ import annotations

import numpy as np
import pytest

from linnet.errors import ParameterError
from linnet.reference import svm
from linnet.reference.conversions import lambda_to_c

from .corpora import random_classes, two_clouds, two_points
from .numeric import numeric_gradient


@pytest.mark.spec("F-03", "M-82", "M-83", "M-80", "W-29")
@pytest.mark.parametrize(
    ("loss", "C", "weight", "value"),
    [
        ("hinge", 0.1, 0.2, 0.16),
        ("hinge", 0.25, 0.5, 0.25),
        ("hinge", 5.0, 0.5, 0.25),
        ("squared_hinge", 0.1, 2 / 9, 1 / 9),
        ("squared_hinge", 1.0, 4 / 9, 2 / 9),
        ("logistic", 0.1, 0.090932, 0.129537),
        ("logistic", 0.25, 0.200529, 0.296507),
        ("logistic", 1.0, 0.521298, 0.875718),
    ],
)
def test_two_points_have_equal_primal_and_dual_optima(loss, C, weight, value):
    X, y = two_points()
    w, alpha = np.full(2, weight), np.full(2, weight / 2)
    assert svm.binary_primal(w, X, y, C, loss)[0] == pytest.approx(value, abs=1e-6)
    assert svm.binary_dual(alpha, X, y, C, loss) == pytest.approx(value, abs=1e-6)
    np.testing.assert_allclose(svm.dual_to_primal(alpha, X, y), w)
    if loss == "hinge" and C >= 0.25:
        assert 2 / np.linalg.norm(w) == pytest.approx(2.828427, abs=1e-6)


@pytest.mark.spec("M-80")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_dual_never_exceeds_primal(loss):
    X, y = two_clouds()
    rng = np.random.default_rng(0)
    for _ in range(100):
        w, alpha = rng.normal(size=3), rng.uniform(0, 0.7, 40)
        primal = svm.binary_primal(w, X, y, 0.7, loss)[0]
        assert svm.binary_dual(alpha, X, y, 0.7, loss) <= primal


@pytest.mark.spec("M-80")
def test_infeasible_duals_are_minus_infinity():
    X, y = two_points()
    assert svm.binary_dual(np.array([-0.1, 0.0]), X, y) == -np.inf
    assert svm.binary_dual(np.array([1.1, 0.0]), X, y) == -np.inf
    assert svm.binary_dual(np.array([1.1, 0.0]), X, y, loss="squared_hinge") > -np.inf
    A = np.array([[0.5, 0.5], [0.0, 0.0]])
    assert svm.crammer_singer_dual(A, X, np.array([0, 1])) == -np.inf


@pytest.mark.spec("M-82", "M-83", "C-30")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_binary_gradients_agree_with_finite_differences(loss):
    X, y = two_clouds()
    w = np.array([0.31, -0.52, 0.17])
    numeric = numeric_gradient(lambda w: svm.binary_primal(w, X, y, 0.7, loss)[0], w)
    np.testing.assert_allclose(svm.binary_primal(w, X, y, 0.7, loss)[1], numeric, atol=1e-6)


@pytest.mark.spec("M-74", "C-30")
@pytest.mark.parametrize("loss_sum", [False, True])
def test_multiclass_subgradients_agree_with_finite_differences(loss_sum):
    X, y = random_classes(15, 3, 4)
    W = np.random.default_rng(1).normal(size=(3, 4))
    cost = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))

    def objective(W):
        return svm.mean_hinge(W, X, y, 0.3, cost=cost, loss_sum=loss_sum)

    np.testing.assert_allclose(
        objective(W)[1], numeric_gradient(lambda W: objective(W)[0], W), atol=1e-7
    )


@pytest.mark.spec("M-126")
def test_subgradient_inequality_of_the_objectives():
    X, y = two_clouds()
    rng = np.random.default_rng(2)
    for a, b in rng.integers(-1, 2, (100, 2, 3)).astype(float):
        value, gradient = svm.binary_primal(a, X, y)
        assert svm.binary_primal(b, X, y)[0] >= value + gradient @ (b - a) - 1e-9
    X, y = random_classes(10, 3, 3)
    for a, b in rng.integers(-1, 2, (100, 2, 3, 3)).astype(float):
        value, gradient = svm.crammer_singer_primal(a, X, y)
        bound = value + (gradient * (b - a)).sum()
        assert svm.crammer_singer_primal(b, X, y)[0] >= bound - 1e-9


@pytest.mark.spec("M-74", "A-36")
def test_printed_sum_with_lambda_is_the_mean_with_lambda_over_m():
    X, y = random_classes(20, 3, 3)
    W = np.random.default_rng(3).normal(size=(3, 3))
    mean = svm.mean_hinge(W, X, y, 0.5 / 20)[0]
    assert svm.mean_hinge(W, X, y, 0.5, loss_sum=True)[0] == pytest.approx(20 * mean)
    scaled = svm.crammer_singer_primal(W, X, y, lambda_to_c(0.5, 20))[0]
    assert svm.mean_hinge(W, X, y, 0.5)[0] == pytest.approx(0.5 * scaled)


@pytest.mark.spec("M-78", "A-32")
def test_slack_form_equals_hinge_form():
    X, y = two_clouds()
    w = np.array([0.3, 0.1, -0.2])
    xi = svm.slacks(w, X, y)
    assert (xi >= 0).all() and (y * (X @ w) >= 1 - xi - 1e-12).all()
    assert 0.5 * w @ w + 2.0 * xi.sum() == pytest.approx(svm.binary_primal(w, X, y, 2.0)[0])


def test_unknown_loss_is_refused():
    X, y = two_points()
    with pytest.raises(ParameterError, match="loss"):
        svm.binary_dual(np.zeros(2), X, y, loss="ramp")
