from __future__ import annotations

import numpy as np
import pytest

from linnet.errors import DataError
from linnet.reference.iterative_scaling import generalised, improved, targets
from linnet.reference.joint_map import features, maxent
from linnet.reference.lbfgs import lbfgs
from linnet.reference.losses import softmax

from .corpora import reviews

BOTH = pytest.mark.parametrize("scale", [generalised, improved])


def small_problem(seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (40, 3)).astype(float), rng.integers(0, 3, 40)
    return features(np.hstack([X, np.ones((40, 1))]), 3), y


def entropy_bits(p):
    return float(-(p * np.log2(p)).sum())


@pytest.mark.spec("M-60")
@BOTH
@pytest.mark.parametrize("lam", [0.0, 0.05])
def test_objective_never_decreases_and_reaches_the_lbfgs_optimum(scale, lam):
    F, y = small_problem()
    result = scale(F, targets(F, y), lam=lam, n_iter=4000, tolerance=1e-8)
    assert (np.diff(result.objective) >= -1e-14).all()
    best = lbfgs(maxent(F, y, lam), np.zeros(F.shape[2]), tolerance=1e-9)
    assert -result.objective[-1] == pytest.approx(best.value, abs=1e-9)
    np.testing.assert_allclose(softmax(F @ result.weights), softmax(F @ best.x), atol=1e-5)
    if lam > 0:
        np.testing.assert_allclose(result.weights, best.x, atol=1e-5)


@pytest.mark.spec("M-60", "F-04")
@BOTH
def test_reviews_with_a_prior_reach_the_fixture(scale):
    counts, y, _ = reviews()
    F = features(np.hstack([counts, np.ones((5, 1))]), 2)
    result = scale(F, targets(F, y), lam=1.0)
    assert -result.objective[-1] == pytest.approx(0.5334190474, abs=1e-9)


@pytest.mark.spec("W-13", "M-60", "M-70")
@BOTH
def test_maximum_entropy_with_a_total_of_six_tenths(scale):
    F = np.array([[[1.0], [0.0], [1.0], [0.0]]])  # (a, b=0), (a, b=1), (c, b=0), (c, b=1)
    w = scale(F, np.array([0.6])).weights
    p = softmax(F[0] @ w)
    np.testing.assert_allclose(p, [0.3, 0.2, 0.3, 0.2], atol=1e-9)
    assert w[0] == pytest.approx(np.log(1.5), abs=1e-8)
    assert entropy_bits(p) == pytest.approx(1.970951, abs=1e-6)


@pytest.mark.spec("W-14", "M-60", "M-70", "A-61")
@BOTH
def test_die_with_ten_low_and_thirty_high_throws(scale):
    F = np.array([[[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]]])
    assert entropy_bits(softmax(F[0] @ np.zeros(1))) == pytest.approx(2.584963, abs=1e-6)
    w = scale(F, np.array([30 / 40])).weights
    p = softmax(F[0] @ w)
    np.testing.assert_allclose(p, [1 / 12] * 3 + [1 / 4] * 3, atol=1e-9)
    assert w[0] == pytest.approx(np.log(3), abs=1e-8)
    assert entropy_bits(p) == pytest.approx(2.396241, abs=1e-6)


@pytest.mark.spec("M-55", "M-60")
@BOTH
def test_model_means_equal_the_targets_without_a_prior(scale):
    F, y = small_problem(1)
    t = targets(F, y)
    w = scale(F, t, n_iter=4000, tolerance=1e-9).weights
    means = np.einsum("mk,mkd->d", softmax(F @ w), F) / len(F)
    np.testing.assert_allclose(means, t, atol=1e-6)


@BOTH
def test_impossible_inputs_are_refused(scale):
    F = np.array([[[1.0], [0.0]]])
    with pytest.raises(DataError, match="non-negative"):
        scale(-F, np.array([0.5]))
    with pytest.raises(DataError, match="never observed"):
        scale(F, np.array([0.0]))
