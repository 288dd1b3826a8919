from __future__ import annotations

import numpy as np
import pytest

import linnet.reference
from linnet.errors import DataError, ParameterError
from linnet.reference import conversions, perceptron
from linnet.reference.common import add_bias, example_sequence
from linnet.reference.stopping import best_round

from .corpora import random_classes


@pytest.mark.spec("M-53", "A-39", "A-41", "C-15")
def test_conversions_are_inverse_and_agree():
    for lam in (0.01, 1.0, 7.0):
        variance = conversions.lambda_to_variance(lam, 50)
        assert variance == conversions.lambda_to_c(lam, 50) == 1 / (lam * 50)
        assert conversions.variance_to_lambda(variance, 50) == pytest.approx(lam)
        for two_columns in (False, True):
            C = conversions.lambda_to_c(lam, 50, two_columns=two_columns)
            back = conversions.c_to_lambda(C, 50, two_columns=two_columns)
            assert back == pytest.approx(lam)
    with pytest.raises(ParameterError, match="positive"):
        conversions.lambda_to_c(0.0, 10)


@pytest.mark.spec("M-42", "C-20")
def test_held_out_stopping_restores_the_best_round():
    X, labels = random_classes(80, 5, 2, seed=12)
    y = 2 * labels - 1
    result = perceptron.binary(
        X[:60], y[:60], n_rounds=12, snapshot_every=60, stop_when_clean=False
    )

    def accuracy(w):
        return float((perceptron.predict(X[60:], w) == y[60:]).mean())

    index, weights = best_round(result.snapshots, accuracy)
    scores = [accuracy(w) for w in result.snapshots]
    assert scores[index] == max(scores) and index == int(np.argmax(scores))
    np.testing.assert_array_equal(weights, result.snapshots[index])


@pytest.mark.spec("C-20")
def test_patience_limits_how_far_to_look():
    rounds = [np.array([v]) for v in (1.0, 0.5, 0.5, 2.0)]
    assert best_round(rounds, lambda w: float(w[0]), patience=2)[0] == 0
    assert best_round(rounds, lambda w: float(w[0]), patience=3)[0] == 3
    with pytest.raises(DataError, match="no rounds"):
        best_round([], float)


@pytest.mark.spec("M-24")
def test_bias_is_the_last_column():
    np.testing.assert_array_equal(add_bias(np.zeros((2, 1)), 0.5), [[0, 0.5], [0, 0.5]])


@pytest.mark.spec("C-02")
def test_orders_are_followed_exactly():
    orders = [np.array([2, 0, 1]), np.array([1, 2, 0])]
    assert example_sequence(3, 2, orders).tolist() == [2, 0, 1, 1, 2, 0]
    assert example_sequence(3, 0).tolist() == []


def test_every_listed_module_has_a_text():
    for name in linnet.reference.__all__:
        assert len(getattr(linnet.reference, name).__doc__) > 80
