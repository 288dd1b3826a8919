"""Stochastic gradient descent as a solver: objectives, optima on real data, options, refusals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from linnet.data import SentimentCorpus, count_words, read_person_titles
from linnet.errors import ParameterError
from linnet.learn.flat.online_run import FlatRun
from linnet.learn.flat.regularised_risk import Solution, Task
from linnet.learn.flat.sgd import objective
from linnet.learn.shared.history import History
from linnet.learn.shared.inputs import bag_vocabulary, bags_to_csr
from linnet.learn.shared.online_run import Rule
from linnet.learn.shared.schedules import HeldOut, Power
from linnet.reference import svm

from .risks import fit_sgd, task_of


def noisy(seed: int, n: int = 30, d: int = 7, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    return X, rng.integers(0, k, n)


@pytest.mark.spec("M-127")
def test_the_recorded_objective_is_the_objective_of_the_returned_weights() -> None:
    X, y = noisy(7)
    task = task_of(X, y, 0.1, loss="hinge")
    run = fit_sgd(task, rule="hinge", max_iter=3, average=True)
    value, _ = svm.binary_primal(run.weights[:, 0], X, 2 * y - 1, float(task.cost[0]))
    assert run.history.last("objective") == pytest.approx(value)
    assert list(run.history.as_dict()) == [
        "iteration", "objective", "gap", "gradient_norm", "step", "mistakes", "seconds",
    ]  # fmt: skip


def test_an_objective_that_nobody_asks_for_is_computed_once_and_changes_nothing() -> None:
    X, y = noisy(7)
    task = task_of(X, y, 0.1, loss="hinge")
    each = fit_sgd(task, rule="hinge", max_iter=4, average=True)
    once = fit_sgd(task, rule="hinge", max_iter=4, average=True, record_objective=False)
    np.testing.assert_array_equal(once.weights, each.weights)
    seen = once.history.as_dict()["objective"]
    assert np.isnan(seen[:-1]).all() and seen[-1] == each.history.last("objective")
    assert once.history.last("gap") == each.history.last("gap")
    stops = fit_sgd(task, rule="hinge", max_iter=4, tol=1e-3, record_objective=False)
    assert np.isfinite(stops.history.as_dict()["objective"]).all()


class Impatient(History):
    """Ends a run after its second round."""

    def add(self, **values: float) -> bool:
        super().add(**values)
        self.stopped = len(self) == 2
        return not self.stopped


def test_a_run_that_is_ended_early_has_the_objective_of_its_last_weights() -> None:
    X, y = noisy(7)
    task = task_of(X, y, 0.1, loss="hinge")
    ended = fit_sgd(task, rule="hinge", max_iter=9, record_objective=False, history=Impatient())
    short = fit_sgd(task, rule="hinge", max_iter=2)
    assert ended.n_iter == 2
    np.testing.assert_array_equal(ended.weights, short.weights)
    assert ended.history.last("objective") == short.history.last("objective")


def test_a_grouped_task_makes_the_steps_of_the_joint_one() -> None:
    X, y = noisy(8, k=3)
    joint = fit_sgd(task_of(X, y, 0.2, "joint"), rule="log", schedule=Power(), average=True)
    rows = np.stack([np.kron(np.eye(3), x) for x in X]).reshape(-1, 3 * X.shape[1])
    grouped = fit_sgd(task_of(rows, y, 0.2, "grouped"), rule="log", schedule=Power(), average=True)
    np.testing.assert_allclose(grouped.weights.reshape(3, -1).T, joint.weights, atol=1e-11)


def test_costs_weigh_the_examples_and_a_start_is_gone_on_from() -> None:
    X, y = noisy(9)
    task = task_of(X, y, 0.2)
    once = fit_sgd(task, rule="log", schedule=0.1, max_iter=2, shuffle=False)
    first = fit_sgd(task, rule="log", schedule=0.1, max_iter=1, shuffle=False)
    start = Solution(first.weights, None, False)
    again = fit_sgd(task, rule="log", schedule=0.1, max_iter=1, shuffle=False, start=start)
    np.testing.assert_allclose(again.weights, once.weights, atol=1e-14)
    heavy = Task(
        task.features, task.gold, 2, task.cost * np.where(y == 1, 5.0, 1.0), "log", "columns"
    )
    light = fit_sgd(task, rule="log", max_iter=20).weights
    assert (X @ (fit_sgd(heavy, rule="log", max_iter=20).weights - light)).mean() > 0


@pytest.mark.spec("M-125", "A-28")
def test_held_out_rates_learn_and_settle() -> None:
    rng = np.random.default_rng(10)
    X = rng.normal(size=(300, 5))
    y = (X @ rng.normal(size=5) + 0.5 * rng.normal(size=300) > 0).astype(int)
    task = task_of(X, y, 0.01)
    run = fit_sgd(task, rule="log", schedule=HeldOut(1.0), max_iter=30, seed=1)
    steps = run.history.as_dict()["step"]
    assert steps[-1] < steps[0]
    best = fit_sgd(task, rule="log", max_iter=100, average=True).history.last("objective")
    assert run.history.last("objective") < 1.1 * best


def test_tol_stops_a_run_that_no_longer_gets_better() -> None:
    X, y = noisy(11)
    run = fit_sgd(task_of(X, y, 0.5), rule="log", tol=1e-3, max_iter=500)
    assert 5 < run.n_iter < 500


def test_what_cannot_work_is_refused() -> None:
    X, y = noisy(12, k=3)
    task = task_of(X, y, 0.1, "joint")
    for options, message in (
        ({"rule": "cubic"}, "rule must be one of"),
        ({"rule": "squared_hinge"}, "one-vs-rest"),
        ({"rule": "log", "truncate": -1.0}, "truncate"),
        ({"rule": "log", "batch_size": 0}, "batch_size"),
        ({"rule": "log", "average": "often"}, "average"),
    ):
        with pytest.raises(ParameterError, match=message):
            fit_sgd(task, **options)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="l2 penalty"):
        fit_sgd(task_of(X, y, 0.0, "joint"), rule="hinge", pegasos=True, schedule=1.0)


@pytest.mark.spec("R-04", "M-62")
@pytest.mark.parametrize(
    ("lam", "best"), [(1.0, 0.622402779), (0.1, 0.442729462), (0.01, 0.206444386)]
)
def test_sgd_comes_within_a_percent_of_the_maxent_optimum_on_amazon_books(
    data_dir: Callable[[str], Path], lam: float, best: float
) -> None:
    corpus = SentimentCorpus("books", folder=data_dir("amazon_books"), cutoff_on="all")
    # two columns under lambda are one column under C = 2 / (lambda M), at half the value
    task = task_of(corpus.train_X, 1 - corpus.train_y, lam / 2, bias=1.0)
    run = fit_sgd(task, rule="log", max_iter=20, seed=0)
    assert run.history.last("objective") * lam / 2 == pytest.approx(best, rel=0.01)


@pytest.mark.spec("R-05", "M-75", "M-86")
@pytest.mark.parametrize(("lam", "best"), [(1.0, 0.715133293), (0.1, 0.283750096)])
def test_subgradients_come_within_a_percent_of_the_svm_optimum_on_amazon_books(
    data_dir: Callable[[str], Path], lam: float, best: float
) -> None:
    corpus = SentimentCorpus("books", folder=data_dir("amazon_books"), cutoff_on="all")
    task = task_of(corpus.train_X, 1 - corpus.train_y, lam / 2, loss="hinge", bias=1.0)
    run = fit_sgd(task, rule="hinge", max_iter=100, seed=0)
    assert run.history.last("objective") * lam / 2 == pytest.approx(best, rel=0.01)


@pytest.mark.spec("R-02", "M-64", "C-31")
def test_probability_ascent_on_wikipedia_titles_reaches_the_safe_lower_bound(
    data_dir: Callable[[str], Path],
) -> None:
    folder = data_dir("wikipedia_titles")
    (train, test) = (sorted(folder.glob(f"*{part}*"))[0] for part in ("train", "test"))
    (y, texts), (test_y, test_texts) = read_person_titles(train), read_person_titles(test)
    bags = [count_words(text) for text in texts]
    vocabulary = bag_vocabulary(bags)
    task = task_of(bags_to_csr(bags, vocabulary), (y > 0).astype(int), 0.0)
    run = fit_sgd(task, rule="probability", schedule=1.0, max_iter=5, shuffle=False)
    scores = bags_to_csr([count_words(t) for t in test_texts], vocabulary) @ run.weights[:, 0]
    assert ((scores >= 0) == (test_y > 0)).sum() >= 2500


def test_the_objective_counts_the_penalty_of_penalised_weights_only() -> None:
    X, y = noisy(13)
    task = task_of(X, y, 0.1, bias=1.0, penalize_bias=False)
    run = FlatRun(Rule("log", "columns", 2), task.zeros(), bias=1.0)
    weights = np.zeros((8, 1))
    weights[-1] = 3.0
    lost = float((task.cost * np.log1p(np.exp(-(2 * y - 1) * 3.0))).sum())
    assert objective(task, run, weights, 1) == pytest.approx(lost)
