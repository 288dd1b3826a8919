from __future__ import annotations

import numpy as np
import pytest

from linnet.reference import dual_coordinate_descent as dcd
from linnet.reference import perceptron
from linnet.reference.multiclass import one_vs_one, one_vs_rest, vote

from .corpora import random_classes


def svm(X, y):
    return dcd.svm(X, y, C=0.5, tolerance=1e-10).weights


@pytest.mark.spec("M-88")
def test_one_vs_rest_with_two_classes_is_the_binary_model():
    X, y = random_classes(40, 3, 2)
    W = one_vs_rest(X, y, 2, svm)
    np.testing.assert_allclose(W[:, 1], svm(X, 2.0 * y - 1), atol=1e-12)
    np.testing.assert_allclose(W[:, 0], -W[:, 1], atol=1e-4)


@pytest.mark.spec("M-88")
def test_one_vs_rest_trains_each_class_against_the_others():
    X, y = random_classes(30, 3, 4)
    W = one_vs_rest(X, y, 4, lambda X, y: perceptron.binary(X, y).weights)
    assert W.shape == (3, 4)
    expected = perceptron.binary(X, np.where(y == 2, 1, -1)).weights
    np.testing.assert_array_equal(W[:, 2], expected)


@pytest.mark.spec("M-89")
def test_one_vs_one_trains_each_pair_on_its_own_examples():
    X, y = random_classes(60, 3, 5)
    seen = []

    def learner(X, y):
        seen.append(len(y))
        return X.T @ y

    models = one_vs_one(X, y, 5, learner)
    size = np.bincount(y)
    assert len(models) == 10
    assert seen == [size[a] + size[b] for a, b in models]


@pytest.mark.spec("M-89")
def test_vote_breaks_ties_by_summed_scores_then_lowest_index():
    # 0 beats 1, 1 beats 2, 2 beats 0: one vote each
    models = {(0, 1): np.array([-1.0]), (1, 2): np.array([-3.0]), (0, 2): np.array([1.0])}
    assert vote(np.ones((1, 1)), models, 3).tolist() == [1]
    even = {pair: np.sign(w) for pair, w in models.items()}
    assert vote(np.ones((1, 1)), even, 3).tolist() == [0]


@pytest.mark.spec("M-88", "M-89")
def test_both_reductions_separate_clear_classes():
    y = np.arange(30) % 3
    X = 5 * np.eye(3)[y] + np.random.default_rng(0).normal(size=(30, 3)) * 0.3
    assert (np.argmax(X @ one_vs_rest(X, y, 3, svm), axis=1) == y).all()
    assert (vote(X, one_vs_one(X, y, 3, svm), 3) == y).all()
