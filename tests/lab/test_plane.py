"""The plane's numbers are those of the library and of the reference."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.lab.plane import answer
from linnet.lab.views import spelled
from linnet.learn.shared.online_run import order_of
from linnet.reference import losses, mira, perceptron


def only(settings: dict[str, Any], learner: str) -> tuple[dict[str, Any], dict[str, Any]]:
    told = answer({**settings, "learners": [learner]})
    return told, told["learners"][0]


def signs(told: dict[str, Any]) -> Any:
    return np.where(told["labels"] == 1, 1.0, -1.0)


@pytest.mark.spec("X-08")
@pytest.mark.parametrize("rate", [1.0, 0.25])
def test_each_step_of_the_perceptron_is_that_of_the_reference(rate: float) -> None:
    told, shown = only({"n": 30, "rate": rate, "variance0": 2.0}, "perceptron")
    X, y = np.column_stack([told["points"], np.ones(30)]), signs(told)
    w = np.zeros(3)
    for k in range(1, 201):
        i = shown["example"][k]
        score = float(w @ X[i])
        assert shown["score"][k] == pytest.approx(score, abs=1e-9)
        if perceptron.is_mistake(y[i], score, "nonpositive", 0.0):
            w = w + rate * y[i] * X[i]
        np.testing.assert_allclose(shown["weights"][k], w, rtol=0, atol=1e-9)


@pytest.mark.spec("X-08")
def test_the_steps_of_the_online_learners_end_where_fit_ends() -> None:
    for name, learner in {
        "perceptron": linnet.Perceptron(10, average=False, random_state=0),
        "mira": linnet.MIRA(0.3, max_iter=10, average=False, random_state=0),
    }.items():
        told, shown = only({"n": 60, "C": 0.3, "seed": 3}, name)
        model = learner.fit(told["points"], told["labels"])
        last = np.append(model.coef_[0], model.intercept_[0])
        np.testing.assert_array_equal(shown["weights"][-1], last)
        assert shown["accuracy"][-1] == model.score(told["points"], told["labels"])
        steps = list(islice(learner.steps(told["points"], told["labels"]), 50))
        assert [step.example for step in steps] == shown["example"][1:51]


def test_each_step_of_mira_is_the_shortest_that_the_reference_knows() -> None:
    told, shown = only({"n": 20, "C": 0.5}, "mira")
    X, y = np.column_stack([told["points"], np.ones(20)]), told["labels"]
    order = np.concatenate([order_of(np.arange(20), 0, r, True) for r in range(10)])
    assert shown["example"][1:201] == order.tolist()
    W = np.zeros((3, 2))
    for k, i in enumerate(order.tolist(), start=1):
        scores = X[i] @ W
        guess = int(np.argmax(scores))
        if guess != y[i]:
            tau = mira.step_size(1.0 - (scores[y[i]] - scores[guess]), 2 * float(X[i] @ X[i]), 0.5)
            W[:, y[i]] += tau * X[i]
            W[:, guess] -= tau * X[i]
        np.testing.assert_allclose(shown["weights"][k], W[:, 1] - W[:, 0], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("learner", "loss", "penalty"),
    [("perceptron", "perceptron", 0), ("maxent", "logistic", 1), ("svm", "hinge", 1)],
)
def test_objectives_are_those_of_the_reference(learner: str, loss: str, penalty: int) -> None:
    told, shown = only({"n": 50, "C": 2.0, "balance": 0.3}, learner)
    for w, objective in zip(shown["weights"], shown["objective"], strict=True):
        margins = signs(told) * (told["points"] @ w[:2] + w[2])
        cost = 2.0 if penalty else 1.0
        total = penalty * 0.5 * w @ w + cost * losses.LOSSES[loss].value(margins).sum()
        assert objective == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize(("learner", "model"), [("maxent", linnet.MaxEnt), ("svm", linnet.SVM)])
def test_the_certified_gap_bounds_the_distance_to_the_optimum(learner: str, model: Any) -> None:
    told, shown = only({"n": 80, "C": 0.7}, learner)
    best = model(0.7, tol=1e-10, max_iter=100_000).fit(told["points"], told["labels"])
    least = best.history_["objective"][-1]
    for objective, gap in zip(shown["objective"], shown["gap"], strict=True):
        if gap is not None:
            assert objective - least <= gap + 1e-9 * least
    assert shown["objective"][-1] - least <= 1e-3 * least
    np.testing.assert_allclose(
        shown["weights"][-1], np.append(best.coef_, best.intercept_), atol=5e-2
    )


def test_points_outside_the_margin_are_no_support_vectors() -> None:
    told, shown = only({"n": 100}, "svm")
    w, support = shown["weights"][-1], set(shown["support"][-1].tolist())
    margins = signs(told) * (told["points"] @ w[:2] + w[2])
    assert set(np.flatnonzero(margins < 0.99)) <= support
    assert not support & set(np.flatnonzero(margins > 1.01))


@pytest.mark.parametrize("data", ["clouds", "inside", "xor"])
def test_the_dashed_line_is_where_both_classes_are_as_likely(data: str) -> None:
    told = answer({"data": data, "n": 400, "variance0": 0.5, "learners": ["naive_bayes"]})
    lines, truth = told["lines"], np.array(told["truth"]).reshape(len(told["lines"]), -1)
    means = {
        "clouds": ([(-1, -1)], [(1, 1)], 1.0),
        "inside": ([(0, 0)], [(0, 0)], 8.0),
        "xor": ([(-2, -2), (2, 2)], [(2, -2), (-2, 2)], 1.0),
    }[data]
    x = np.array([lines[7], lines[30]])  # a column, and a row, of the grid

    def density(centres: Any, variance: float) -> float:
        squared = ((x - np.array(centres)) ** 2).sum(axis=1)
        return float(np.exp(-squared / (2 * variance)).sum() / variance)

    score = np.log(density(means[1], means[2])) - np.log(density(means[0], 0.5))
    assert truth[30, 7] == pytest.approx(score, rel=1e-3)


def test_other_learners_show_what_they_predict() -> None:
    settings = {"n": 60, "data": "xor", "k": 3, "gamma": 0.3, "depth": 2}
    models = {
        "neighbours": linnet.MemoryBased(k=3, metric="l2"),
        "tree": linnet.DecisionTree(max_depth=2),
        "kernel_svm": linnet.KernelSVM(gamma=0.3),
        "naive_bayes": linnet.GaussianNB(),
    }
    for name, model in models.items():
        told, shown = only(settings, name)
        model.fit(told["points"], told["labels"])
        grid = np.stack(np.meshgrid(told["lines"], told["lines"]), axis=-1).reshape(-1, 2)
        scores, labels = np.array(shown["grids"][-1]), model.predict(grid)
        clear = np.abs(scores) > 1e-9
        np.testing.assert_array_equal((scores > 0)[clear], (labels == 1)[clear])
        assert shown["accuracy"][-1] == model.score(told["points"], told["labels"])


def test_points_are_moved_and_added() -> None:
    before = answer({"n": 10})
    after = answer({"n": 10, "moved": [[3, 9.5, -2.0]], "added": [[1.0, 2.0, 0]]})
    expected = before["points"].copy()
    expected[3] = [9.5, -2.0]
    np.testing.assert_array_equal(after["points"], [*expected, [1.0, 2.0]])
    assert after["labels"].tolist() == [*before["labels"].tolist(), 0]
    assert after["span"] >= 9.5


@pytest.mark.parametrize("added", [[], [[0, 0, 1]], [[0, 0, 1], [1, 1, 1]]])
def test_without_two_classes_there_is_nothing_to_divide(added: list[Any]) -> None:
    told = answer({"data": "none", "added": added})
    assert all("draw both classes" in one["problem"] for one in told["learners"])
    assert spelled(told)


def test_the_same_point_in_both_classes_harms_no_learner() -> None:
    added = [[1, 1, 0], [1, 1, 1]]
    for names in (["perceptron", "mira", "maxent", "svm"], ["naive_bayes", "neighbours", "tree"]):
        told = answer({"data": "none", "added": added, "learners": names})
        for one in told["learners"]:
            assert one.get("accuracy", [0.5])[-1] == 0.5, one
        assert spelled(told)
