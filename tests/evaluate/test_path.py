"""Paths of a parameter: warm starts end where fits from zero end."""

from __future__ import annotations

import json

import numpy as np
import pytest

import linnet
from linnet.data import load_iris, make_gaussians
from linnet.errors import DataError, ParameterError
from linnet.evaluate import parameter_path

IRIS = load_iris()
NOISY = make_gaussians(300, [[-0.7, 0, 0, 0], [0.7, 0, 0, 0]], seed=3)


@pytest.mark.parametrize(
    "learner",
    [
        linnet.MaxEnt(tol=1e-6),
        linnet.MaxEnt(penalty="l1", tol=1e-6),
        linnet.SVM(loss="squared_hinge", tol=1e-6),
    ],
    ids=["maxent", "l1", "squared hinge"],
)
def test_the_path_finds_at_every_value_what_a_fit_from_zero_finds(learner: linnet.MaxEnt) -> None:
    values = (0.01, 0.1, 1.0, 10.0)
    X, y = NOISY
    path = parameter_path(learner, X[:200], y[:200], values=values, development=(X[200:], y[200:]))
    assert not hasattr(learner, "coef_")
    assert not learner.warm_start
    for value, score, on_train in zip(values, path.scores, path.train_scores, strict=True):
        cold = type(learner)(**(learner.get_params() | {"C": value})).fit(X[:200], y[:200])
        assert cold.score(X[200:], y[200:]) == score
        assert cold.score(X[:200], y[:200]) == on_train
        if value == path.best:
            objective = cold.history_["objective"][-1]
            assert path.learner.history_["objective"][-1] == pytest.approx(objective, rel=1e-5)
            assert path.learner.optimality_ <= 1e-6
            np.testing.assert_array_equal(path.learner.predict(X), cold.predict(X))


def test_warm_starts_take_fewer_iterations() -> None:
    X, y = NOISY
    values = tuple(np.geomspace(0.1, 100, 12).tolist())
    warm = parameter_path(linnet.MaxEnt(solver="lbfgs"), X, y, values=values)
    rows = [linnet.MaxEnt(solver="lbfgs", C=C) for C in values]
    cold = [
        parameter_path(own, X, y, values=(C,)).iterations[0]
        for own, C in zip(rows, values, strict=True)
    ]
    assert sum(filter(None, warm.iterations)) < sum(filter(None, cold))


def test_the_kept_learner_is_that_of_the_best_value() -> None:
    path = parameter_path(linnet.MaxEnt(), IRIS.X, IRIS.y, values=(10.0, 0.001, 0.1, 1000.0))
    assert path.values == (0.001, 0.1, 10.0, 1000.0)
    assert path.scores.max() == path.scores[path.values.index(path.best)]
    assert path.learner.C == path.best
    assert not path.learner.warm_start
    json.dumps(path.to_dict())


def test_smoothing_and_learning_rates_are_searched_alike() -> None:
    from linnet.learn.shared.schedules import Constant

    smoothing = parameter_path(linnet.MultinomialNB(), IRIS.X, IRIS.y, "alpha", (0.01, 1.0, 100.0))
    assert smoothing.scores[0] >= smoothing.scores[2]
    rates = (Constant(1e-9), Constant(0.1))
    learner = linnet.MaxEnt(solver=linnet.SGD(), max_iter=30, random_state=0)
    found = parameter_path(learner, IRIS.X, IRIS.y, "solver__schedule", rates)
    assert found.best == rates[1]
    assert found.to_dict()["best"] == str(rates[1])
    again = parameter_path(learner, IRIS.X, IRIS.y, "solver__schedule", rates)
    np.testing.assert_array_equal(found.scores, again.scores)


def test_a_machine_with_a_regularizer_has_a_path_of_that_and_none_of_c() -> None:
    machine = linnet.SVM(regularizer=0.1)
    with pytest.raises(ParameterError, match=r"C would change nothing.*regularizer=0\.1"):
        parameter_path(machine, IRIS.X, IRIS.y)
    path = parameter_path(machine, IRIS.X, IRIS.y, "regularizer", (0.01, 10.0))
    assert path.scores[0] > path.scores[1]


def test_sentences_and_texts_have_paths_too() -> None:
    sentences = [["the", "dog", "ran"], ["dogs", "ran"], ["a", "cat"]] * 5
    tags = [["D", "N", "V"], ["N", "V"], ["D", "N"]] * 5
    tagger = linnet.SequenceTagger(linnet.CRF())
    path = parameter_path(tagger, sentences, tags, "learner__C", (0.001, 1.0))
    assert path.scores[1] == 1.0
    texts = parameter_path(linnet.TextClassifier(), ["up", "down"] * 20, ["+", "-"] * 20)
    assert texts.scores.max() == 1.0


@pytest.mark.parametrize(
    "options, error, says",
    [
        ({"parameter": "K"}, ParameterError, "no parameter 'K'"),
        ({"parameter": "tol"}, ParameterError, "name the values of tol"),
        ({"values": ()}, ParameterError, "at least one"),
        ({"values": (-1.0,)}, ParameterError, "C must"),
    ],
)
def test_what_has_no_path_is_refused(options: dict, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        parameter_path(linnet.MaxEnt(), IRIS.X, IRIS.y, **options)


def test_too_few_examples_are_refused() -> None:
    with pytest.raises(DataError, match="leave none to measure on"):
        parameter_path(linnet.MaxEnt(), IRIS.X[:2], IRIS.y[:2])
