from __future__ import annotations

import numpy as np
import pytest

from linnet.reference import losses
from linnet.reference.losses import LOSSES
from linnet.reference.mira import zero_one_cost

from .numeric import numeric_gradient

SMOOTH = ["squared_hinge", "logistic", "squared", "probability"]
CONVEX = ["perceptron", "hinge", "squared_hinge", "logistic", "squared"]


@pytest.mark.spec("W-27", "M-50")
def test_sigmoid_limits_and_centre():
    np.testing.assert_array_equal(losses.sigmoid(np.array([-np.inf, 0.0, np.inf])), [0, 0.5, 1])
    assert np.isfinite(losses.sigmoid(np.array([-1e4, 1e4]))).all()


@pytest.mark.spec("M-50")
def test_sigmoid_symmetry_derivative_and_inverse():
    z = np.linspace(-8, 8, 41)
    s = losses.sigmoid(z)
    np.testing.assert_allclose(s + losses.sigmoid(-z), 1.0, rtol=1e-15)
    slope = (losses.sigmoid(z + 1e-6) - losses.sigmoid(z - 1e-6)) / 2e-6
    np.testing.assert_allclose(slope, s * (1 - s), atol=1e-9)
    np.testing.assert_allclose(losses.logit(s), z, atol=1e-9)


@pytest.mark.spec("W-24", "M-51")
def test_probability_above_one_half_means_positive_score():
    z = np.array([-3.0, -1e-9, 0.0, 1e-9, 3.0])
    np.testing.assert_array_equal(losses.sigmoid(z) > 0.5, z > 0)


@pytest.mark.spec("M-91", "M-83")
@pytest.mark.parametrize("name", LOSSES)
def test_derivatives_agree_with_finite_differences_away_from_kinks(name):
    m = np.array([-2.3, -0.4, 0.3, 0.9, 1.2, 3.1])
    loss = LOSSES[name]
    numeric = (loss.value(m + 1e-6) - loss.value(m - 1e-6)) / 2e-6
    np.testing.assert_allclose(loss.derivative(m), numeric, atol=1e-8)


@pytest.mark.spec("M-91")
@pytest.mark.parametrize(
    ("name", "scale"), [("hinge", 1), ("squared_hinge", 1), ("logistic", np.log(2))]
)
def test_surrogates_bound_the_zero_one_loss(name, scale):
    m = np.linspace(-4, 4, 161)
    assert (LOSSES[name].value(m) / scale >= LOSSES["zero_one"].value(m)).all()


@pytest.mark.spec("M-126")
@pytest.mark.parametrize("name", CONVEX)
def test_subgradient_inequality_of_margin_losses(name):
    rng = np.random.default_rng(0)
    a = np.concatenate([rng.normal(size=500) * 2, [0.0, 1.0, 1.0, 0.0]])
    b = rng.permutation(a)
    loss = LOSSES[name]
    assert (loss.value(b) >= loss.value(a) + loss.derivative(a) * (b - a) - 1e-12).all()


@pytest.mark.spec("M-126", "M-73")
@pytest.mark.parametrize(
    "loss", [losses.multiclass_hinge, losses.multiclass_perceptron, losses.multiclass_log]
)
def test_subgradient_inequality_of_score_losses(loss):
    rng = np.random.default_rng(1)
    for _ in range(200):
        a, b = rng.integers(-2, 3, (2, 4)).astype(float)
        gold = int(rng.integers(4))
        value, residual = loss(a, gold)
        assert loss(b, gold)[0] >= value + residual @ (b - a) - 1e-12
        assert value >= 0 and residual.sum() == pytest.approx(0)


@pytest.mark.spec("M-91", "M-54", "M-73")
@pytest.mark.parametrize(
    "loss",
    [
        losses.multiclass_hinge,
        losses.multiclass_perceptron,
        losses.multiclass_log,
        losses.joint_log,
    ],
)
def test_residuals_agree_with_finite_differences(loss):
    scores = np.array([0.31, -1.2, 0.77, 0.05])
    for gold in range(4):
        numeric = numeric_gradient(lambda s: loss(s, gold)[0], scores)  # noqa: B023
        np.testing.assert_allclose(loss(scores, gold)[1], numeric, atol=1e-8)


@pytest.mark.spec("M-73")
def test_both_forms_of_the_multiclass_hinge_agree_and_bound_the_cost():
    rng = np.random.default_rng(2)
    for scores in rng.normal(size=(200, 5)):
        value, _ = losses.multiclass_hinge(scores, 2)
        others = np.delete(scores, 2)
        assert value == pytest.approx(max(0.0, others.max() + 1 - scores[2]))
        assert (value == 0) == bool((scores[2] - others >= 1).all())
        assert value >= zero_one_cost(5)[np.argmax(scores), 2]


@pytest.mark.spec("A-63")
def test_hinge_prefers_gold_then_lowest_index_on_ties():
    assert not losses.multiclass_hinge(np.array([1.0, 0.0]), 0)[1].any()
    np.testing.assert_array_equal(losses.multiclass_hinge(np.zeros(3), 2)[1], [1, 0, -1])


@pytest.mark.spec("C-01")
def test_log_sum_exp_survives_huge_scores():
    assert losses.log_sum_exp(np.array([1e4, -1e4])) == 1e4
    np.testing.assert_array_equal(losses.softmax(np.array([1e4, -1e4])), [1, 0])
