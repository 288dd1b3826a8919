"""What perceptron and MIRA share as estimators: resuming, watching, stopping, refusing."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.learn.perceptron import Perceptron

FIVE = np.array([[2, 1], [-1, -2], [1, -1], [-2, 1], [0.5, -2]])
SIGNS = np.array([1, -1, 1, -1, -1])
AVERAGES = (False, "before", "after", "listing", "mistakes")


def noisy(seed: int, n: int = 40, d: int = 9, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    return X, (X @ rng.normal(size=(d, k)) + rng.normal(size=(n, k))).argmax(axis=1)


@pytest.mark.spec("C-10")
def test_the_online_loss_is_what_the_examples_met() -> None:
    X, y = noisy(8)
    model = Perceptron(max_iter=2, random_state=0)
    steps = list(model.steps(X, y))
    for number in (1, 2):
        met = sum(step.loss for step in steps if step.round == number)
        assert model.history_["online_loss"][number - 1] == pytest.approx(met)


@pytest.mark.spec("C-10")
@pytest.mark.parametrize("k", [2, 4])
def test_steps_reach_exactly_the_weights_of_fit(k: int) -> None:
    X, y = noisy(9, k=k)
    fitted = Perceptron(random_state=3).fit(X, y)
    watched = Perceptron(random_state=3)
    steps = list(watched.steps(X, y))
    np.testing.assert_array_equal(watched.coef_, fitted.coef_)
    np.testing.assert_array_equal(watched.intercept_, fitted.intercept_)
    np.testing.assert_array_equal(watched.mistakes_, fitted.mistakes_)
    assert len(steps) == watched.t_
    total = sum(step.changed.get("x0", 0.0) for step in steps)
    np.testing.assert_allclose(total, steps[-1].weights[0], atol=1e-12)
    assert all((step.step_size != 0) == bool(step.changed) for step in steps)
    with pytest.raises(ValueError, match="read-only"):
        steps[-1].weights[0, 0] = 1.0


def test_steps_under_truncation_list_every_weight_that_moved() -> None:
    X, y = noisy(10)
    model = Perceptron(truncate=0.1, average=False, max_iter=2, random_state=0)
    total = np.zeros(X.shape[1])
    for step in model.steps(X, y):
        total += [float(step.changed.get(f"x{j}", np.zeros(1))[0]) for j in range(X.shape[1])]
    np.testing.assert_allclose(total, model.coef_[0], atol=1e-12)


@pytest.mark.spec("C-10", "A-66")
@pytest.mark.parametrize("average", AVERAGES)
def test_partial_fit_in_rounds_equals_fit(average: bool | str) -> None:
    X, y = noisy(11)
    whole = Perceptron(average=average, max_iter=3, random_state=1, stop_when_clean=False)
    whole.fit(X, y)
    parts = Perceptron(average=average, random_state=1)
    for _ in range(3):
        parts.partial_fit(X, y)
    np.testing.assert_array_equal(parts.coef_, whole.coef_)
    assert parts.t_ == whole.t_


@pytest.mark.spec("C-10")
def test_partial_fit_in_pieces_in_order_equals_one_round() -> None:
    X, y = noisy(12, k=3)
    whole = Perceptron(shuffle=False, max_iter=1).fit(X, y)
    parts = Perceptron(shuffle=False)
    for first in range(0, len(X), 7):
        rows = slice(first, first + 7)
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    np.testing.assert_array_equal(parts.coef_, whole.coef_)


def test_partial_fit_names_a_label_it_was_not_told_of() -> None:
    model = Perceptron().partial_fit(FIVE, SIGNS)
    with pytest.raises(DataError, match=r"\[7\].*classes="):
        model.partial_fit(FIVE, [7, 1, 1, 1, 1])
    with pytest.raises(DataError, match="first call"):
        model.partial_fit(FIVE, SIGNS, classes=[1, 2, 3])


@pytest.mark.spec("A-66")
def test_warm_start_goes_on_where_fit_stopped() -> None:
    X, y = noisy(13)
    long = Perceptron(max_iter=6, random_state=2, stop_when_clean=False).fit(X, y)
    short = Perceptron(max_iter=3, random_state=2, stop_when_clean=False, warm_start=True)
    short.fit(X, y).fit(X, y)
    np.testing.assert_array_equal(short.coef_, long.coef_)


@pytest.mark.spec("M-46")
def test_snapshots_equal_runs_stopped_at_that_round() -> None:
    X, y = noisy(14)
    model = Perceptron(max_iter=6, snapshot_every=2, random_state=0, stop_when_clean=False)
    model.fit(X, y)
    assert [snapshot.round for snapshot in model.snapshots_] == [2, 4, 6]
    for snapshot in model.snapshots_:
        for average, coef in ((True, snapshot.coef), (False, snapshot.last_coef)):
            again = clone(model).set_params(max_iter=snapshot.round, average=average).fit(X, y)
            np.testing.assert_array_equal(coef, again.coef_)


@pytest.mark.spec("C-20", "M-42")
def test_early_stopping_restores_the_best_weights() -> None:
    X, y = noisy(15, n=300)
    model = Perceptron(
        early_stopping=True, max_iter=50, n_iter_no_change=3, validation_fraction=0.3,
        average=False, snapshot_every=1, random_state=0,
    ).fit(X, y)  # fmt: skip
    best = int(np.argmax(model.validation_scores_))
    assert model.n_iter_ == len(model.validation_scores_) <= 50
    assert model.n_iter_ == 50 or model.n_iter_ == best + 4
    np.testing.assert_array_equal(model.coef_, model.snapshots_[best].coef)


@pytest.mark.spec("C-02")
def test_the_same_seed_gives_the_same_bits() -> None:
    X, y = noisy(16, k=3)
    first, again, other = (
        Perceptron(random_state=seed, n_threads=threads).fit(X, y).coef_
        for seed, threads in ((4, 1), (4, 2), (5, 1))
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.spec("C-05")
def test_dense_sparse_and_dictionaries_give_one_model() -> None:
    X, y = noisy(17)
    names = [f"f{j}" for j in range(X.shape[1])]
    bags = [dict(zip(names, row, strict=True)) for row in X.tolist()]
    dense = Perceptron(random_state=0).fit(X, y)
    for other in (sp.csr_matrix(X), sp.csc_array(X), bags):
        np.testing.assert_allclose(
            Perceptron(random_state=0).fit(other, y).coef_, dense.coef_, atol=1e-12
        )


def test_a_weight_of_zero_removes_an_example_and_a_weight_scales_a_step() -> None:
    X, y = noisy(18)
    weight = np.ones(len(X))
    weight[::3] = 0
    part = Perceptron(random_state=0).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(
        Perceptron(random_state=0).fit(X, y, sample_weight=weight).coef_, part.coef_
    )
    twice = Perceptron(random_state=0).fit(X, y, sample_weight=np.full(len(X), 2.0))
    np.testing.assert_allclose(twice.coef_, 2 * Perceptron(random_state=0).fit(X, y).coef_)


def test_one_class_or_no_fit_is_an_error() -> None:
    with pytest.raises(DataError, match="1 class"):
        Perceptron().fit(FIVE, [1] * 5)
    with pytest.raises(NotFittedError):
        Perceptron().predict(FIVE)
    with pytest.raises(DataError, match="too few"):
        Perceptron(early_stopping=True).fit(FIVE[:2], SIGNS[:2])
    with pytest.raises(ParameterError, match="balanced"):
        Perceptron(class_weight="balanced").partial_fit(FIVE, SIGNS)


def test_a_rate_that_overflows_is_reported_not_returned() -> None:
    with pytest.raises(ParameterError, match="smaller learning rate"):
        Perceptron(learning_rate=1e300, max_iter=50).fit(FIVE * 1e200, SIGNS)


def test_models_survive_pickling_and_copying_and_go_on_learning() -> None:
    X, y = noisy(20)
    model = Perceptron(random_state=0).fit(X, y)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        np.testing.assert_array_equal(
            other.partial_fit(X, y).coef_, copy.deepcopy(model).partial_fit(X, y).coef_
        )
    before = model.coef_.copy()
    copy.deepcopy(model).partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, before)
