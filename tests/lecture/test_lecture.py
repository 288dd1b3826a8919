"""S0's calling style: the same numbers as the reference, whatever the class is called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import linnet.lecture as lab
from linnet.data import make_gaussians
from linnet.errors import DataError, ParameterError
from linnet.learn.shared.online_run import order_of
from linnet.lecture import LinearClassifier
from linnet.reference import maxent, mira, perceptron, sgd, svm

MEANS = {2: [[-1, -1], [1, 1]], 3: [[-1, -1], [1, 1], [2, -1]]}
ALL: list[Callable[[], LinearClassifier]] = [
    lab.GaussianNaiveBayes,
    lab.Perceptron,
    lab.Mira,
    lab.MaxEnt_batch,
    lab.MaxEnt_online,
    lab.SVM,
]

two_and_three = pytest.mark.parametrize("n_classes", [2, 3])


def points(n_classes: int, n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return inputs, inputs with a leading 1, and labels."""
    X, y = make_gaussians(n, MEANS[n_classes], seed=4)
    return X, np.column_stack([np.ones(n), X]), y


def orders(n: int, rounds: int, seed: int = 0) -> list[np.ndarray]:
    return [order_of(np.arange(n), seed, number, True) for number in range(rounds)]


@pytest.mark.spec("C-21", "X-17")
@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_the_exercises_of_the_lab_run_as_printed(make: Callable[[], LinearClassifier]) -> None:
    sd = lab.SimpleDataSet(
        nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5]
    )
    learner = make()
    assert not learner.trained
    params = learner.train(sd.train_X, sd.train_y)
    assert learner.trained
    assert params.shape == (3, 2)
    acc_train = learner.evaluate(sd.train_y, learner.test(sd.train_X, params))
    acc_test = learner.evaluate(sd.test_y, learner.test(sd.test_X, params))
    assert acc_train > 0.8
    assert acc_test > 0.8


@pytest.mark.spec("C-21", "A-79")
@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_columns_follow_the_labels_and_input_may_be_sparse(
    make: Callable[[], LinearClassifier],
) -> None:
    X, _, y = points(3)
    learner = make()
    params = learner.train(X, y)
    assert params.shape == (3, 3)
    assert learner.train(sp.csr_matrix(X), y[:, None]) == pytest.approx(params, abs=1e-12)
    guess = learner.test(sp.csr_matrix(X), params)
    assert guess.tolist() == (params[0] + X @ params[1:]).argmax(axis=1).tolist()
    assert learner.evaluate(y[:, None], guess) > 0.7


@pytest.mark.spec("C-21", "M-12", "X-03")
def test_gaussian_naive_bayes_has_means_priors_and_the_derived_weights() -> None:
    X, _, y = points(2)
    for variance in (1.0, 2.5):
        gnb = lab.GaussianNaiveBayes(variance)
        params = gnb.train(X, y)
        means = np.array([X[y == k].mean(axis=0) for k in (0, 1)])
        assert gnb.means == pytest.approx(means)
        assert gnb.prior == pytest.approx(np.bincount(y) / len(y))
        assert params[1:] == pytest.approx(means.T / variance)
        assert params[0] == pytest.approx(np.log(gnb.prior) - (means**2).sum(axis=1) / 2 / variance)


@pytest.mark.spec("C-21", "M-15", "M-16", "A-05")
def test_multinomial_naive_bayes_keeps_impossible_words_without_nan() -> None:
    X, y = np.array([[2, 0, 1], [0, 1, 1]]), [0, 1]
    mnb = lab.MultinomialNaiveBayes()
    params = mnb.train(X, y)
    assert mnb.likelihood.T == pytest.approx(np.array([[2 / 3, 0, 1 / 3], [0, 1 / 2, 1 / 2]]))
    for form in (np.array, sp.csr_matrix):
        scores = mnb.get_scores(form([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 3]]), params)
        assert scores[0] == pytest.approx([np.log(1 / 2) + np.log(2 / 3), -np.inf])
        assert scores[1] == pytest.approx([-np.inf, np.log(1 / 4)])
        assert np.isneginf(scores[2]).all()
        assert np.isfinite(scores[3]).all()
    assert mnb.test([[1, 1, 0]], params).tolist() == [0], "a tie goes to the lowest label"
    smoothed = lab.MultinomialNaiveBayes(smoothing=1.0).train(X, y)
    assert np.isfinite(smoothed).all()
    assert np.exp(smoothed[1:]).sum(axis=0) == pytest.approx([1, 1])


@pytest.mark.spec("C-21", "E-08", "M-32")
@two_and_three
@pytest.mark.parametrize("averaged", [False, True])
def test_the_perceptron_is_the_lectures_weight_for_weight(n_classes: int, averaged: bool) -> None:
    X, bordered, y = points(n_classes)
    perc = lab.Perceptron(nr_rounds=4, averaged=averaged)
    expected = perceptron.multiclass(
        bordered,
        y,
        n_classes,
        n_rounds=4,
        average=averaged,
        orders=orders(60, 4),
        stop_when_clean=False,
    )
    assert perc.train(X, y) == pytest.approx(expected.weights, abs=1e-12)
    assert len(perc.params_per_round) == 4
    assert perc.params_per_round[-1] == pytest.approx(expected.last, abs=1e-12)


@pytest.mark.spec("C-21", "E-08", "M-47", "A-62")
@two_and_three
@pytest.mark.parametrize("regularizer", [0.1, 1.0, 50.0])
def test_mira_is_the_lectures_weight_for_weight(n_classes: int, regularizer: float) -> None:
    X, bordered, y = points(n_classes)
    learner = lab.Mira(nr_rounds=4)
    learner.regularizer = regularizer
    expected = mira.multiclass(
        bordered, y, n_classes, C=1 / regularizer, n_rounds=4, orders=orders(60, 4)
    )
    assert learner.train(X, y) == pytest.approx(expected.weights, abs=1e-12)


@pytest.mark.spec("C-21", "M-53", "A-41", "M-59")
@two_and_three
@pytest.mark.parametrize("regularizer", [1.0, 0.1, 0.001])
def test_batch_maxent_minimises_the_mean_loss(n_classes: int, regularizer: float) -> None:
    X, bordered, y = points(n_classes)
    learner = lab.MaxEnt_batch(regularizer)
    params = learner.train(X, y)
    value, gradient = maxent.mean_loss(bordered, y, n_classes, regularizer)(params)
    assert np.abs(gradient).max() < 1e-4
    assert learner.objectives[0] == pytest.approx(np.log(n_classes))
    assert learner.objectives[-1] == pytest.approx(value, rel=1e-9)
    assert params.sum(axis=1) == pytest.approx(np.zeros(3), abs=1e-6)


@pytest.mark.spec("C-21", "E-08", "M-62", "A-38")
@two_and_three
@pytest.mark.parametrize("regularizer, step, alpha", [(1.0, 1.0, 1.0), (0.1, 0.5, 0.7)])
def test_online_maxent_takes_the_lectures_steps(
    n_classes: int, regularizer: float, step: float, alpha: float
) -> None:
    X, bordered, y = points(n_classes)
    learner = lab.MaxEnt_online(
        nr_epochs=4, initial_step=step, alpha=alpha, regularizer=regularizer
    )
    expected = sgd.maxent(
        bordered,
        y,
        n_classes,
        lam=regularizer,
        schedule=lambda t: step * t**-alpha,
        n_rounds=4,
        orders=orders(60, 4),
    ).weights
    assert learner.train(X, y) == pytest.approx(expected, abs=1e-12)
    value, _ = maxent.mean_loss(bordered, y, n_classes, regularizer)(expected)
    assert len(learner.objectives) == 4
    assert learner.objectives[-1] == pytest.approx(value)


@pytest.mark.spec("C-21", "E-08", "M-75", "A-36")
@two_and_three
@pytest.mark.parametrize("regularizer", [1.0, 0.1])
def test_the_svm_takes_the_lectures_steps(n_classes: int, regularizer: float) -> None:
    X, bordered, y = points(n_classes)
    learner = lab.SVM(nr_epochs=4, regularizer=regularizer)
    expected = sgd.multiclass_hinge(
        bordered, y, n_classes, lam=regularizer, n_rounds=4, orders=orders(60, 4)
    ).weights
    assert learner.train(X, y) == pytest.approx(expected, abs=1e-12)
    value, _ = svm.mean_hinge(expected, bordered, y, regularizer)
    assert learner.objectives[-1] == pytest.approx(value)


@pytest.mark.spec("E-08")
def test_defaults_are_those_of_the_lab() -> None:
    assert lab.Perceptron().nr_rounds == lab.Mira().nr_rounds == 10
    assert lab.Mira().regularizer == lab.MaxEnt_batch().regularizer == 1.0
    for learner in (lab.MaxEnt_online(), lab.SVM()):
        assert (learner.nr_epochs, learner.initial_step, learner.alpha, learner.regularizer) == (
            10,
            1.0,
            1.0,
            1.0,
        )


@pytest.mark.parametrize("y", [[1, 2], [0, 0], [0, 2], ["a", "b"]])
def test_labels_other_than_0_to_k_minus_1_are_refused(y: list) -> None:
    with pytest.raises(DataError, match=r"0\.\.K-1"):
        lab.GaussianNaiveBayes().train([[0.0], [1.0]], y)


def test_wrong_shapes_and_parameters_are_refused() -> None:
    gnb = lab.GaussianNaiveBayes()
    params = gnb.train([[0.0], [1.0]], [0, 1])
    with pytest.raises(DataError, match="1 features"):
        gnb.test([[0.0, 1.0]], params)
    for learner in (
        lab.Mira(regularizer=0.0),
        lab.MaxEnt_batch(0.0),
        lab.SVM(regularizer=-1.0),
    ):
        with pytest.raises(ParameterError):
            learner.train([[0.0], [1.0]], [0, 1])


@pytest.mark.spec("C-21", "D-02")
def test_reviews_are_read_by_the_labs_name(data_dir: Callable[[str], Path]) -> None:
    corpus = lab.SentimentCorpus("books", folder=data_dir("amazon_books"))
    assert corpus.train_X.shape == (1600, 11_532)
    mnb = lab.MultinomialNaiveBayes(smoothing=1.0)
    params = mnb.train(corpus.train_X, corpus.train_y)
    assert mnb.evaluate(corpus.test_y, mnb.test(corpus.test_X, params)) == 0.84
