"""Perceptron: the lectures' numbers, and the reference weight for weight."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import check_estimator

from linnet import _core
from linnet.data import count_words, read_person_titles
from linnet.errors import ParameterError
from linnet.learn.flat.online_run import Examples, FlatRun
from linnet.learn.perceptron import Perceptron
from linnet.learn.shared.inputs import checked_features
from linnet.learn.shared.online_run import Rule
from linnet.learn.shared.schedules import HeldOut, InverseTime
from linnet.reference import perceptron as reference

FIVE = np.array([[2, 1], [-1, -2], [1, -1], [-2, 1], [0.5, -2]])
SIGNS = np.array([1, -1, 1, -1, -1])
AVERAGES = (False, "before", "after", "listing", "mistakes")
PLAIN: dict[str, Any] = {"average": False, "shuffle": False}


def with_ones(X: np.ndarray) -> np.ndarray:
    return np.hstack([X, np.ones((len(X), 1))])


def vector(model: Perceptron) -> np.ndarray:
    """(b, w1, w2) as F-01 writes it."""
    return np.array([*model.intercept_, *model.coef_[0]])


def orders(seed: int, n: int, rounds: int) -> list[np.ndarray]:
    out = [np.empty(n, np.int64) for _ in range(rounds)]
    for number, order in enumerate(out):
        _core.permutation(order, seed, number)
    return out


def noisy(seed: int, n: int = 40, d: int = 9, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    return X, (X @ rng.normal(size=(d, k)) + rng.normal(size=(n, k))).argmax(axis=1)


@pytest.mark.spec("F-01", "M-29", "M-30", "M-33", "M-34", "M-35", "M-36", "A-12", "A-14", "A-15")
@pytest.mark.parametrize(
    ("tie", "average", "expected"),
    [
        ("nonpositive", False, (1, 2.5, 2)),
        ("nonpositive", "before", (0.84, 2.2, 1.88)),
        ("nonpositive", "after", (0.88, 2.3, 1.96)),
        ("nonpositive", "listing", (0.88 * 25 / 26, 2.3 * 25 / 26, 1.96 * 25 / 26)),
        ("nonpositive", "mistakes", (2 / 3, 2, 2)),
        ("sign", False, (0, 2, 1)),
        ("sign", "before", (-0.04, 1.8, 0.96)),
        ("sign", "after", (-0.04, 1.88, 1.0)),
        ("sign", "listing", (-0.04 * 25 / 26, 1.88 * 25 / 26, 25 / 26)),
        ("sign", "mistakes", (-0.5, 1.5, 1.5)),
    ],
)
def test_five_points_give_the_hand_computed_weights(
    tie: str, average: bool | str, expected: tuple[float, ...]
) -> None:
    model = Perceptron(
        tie=tie, average=average, max_iter=5, shuffle=False, stop_when_clean=False
    ).fit(FIVE, SIGNS)
    np.testing.assert_allclose(vector(model), expected, atol=1e-12)
    assert (
        model.mistakes_.tolist() == {"nonpositive": [2, 1, 0, 0, 0], "sign": [2, 0, 0, 0, 0]}[tie]
    )
    assert model.t_ == 25


@pytest.mark.spec("M-29", "M-42", "M-43", "E-10")
def test_training_stops_after_a_round_without_update_and_respects_the_mistake_bound() -> None:
    model = Perceptron(**PLAIN).fit(FIVE, SIGNS)
    assert model.mistakes_.tolist() == [2, 1, 0]
    assert model.n_iter_ == 3
    assert model.optimality_ == 0.0
    assert model.mistakes_.sum() <= 26.142857


@pytest.mark.spec("W-06", "A-21", "A-68", "A-70")
@pytest.mark.parametrize("tie", ["nonpositive", "sign"])
def test_the_two_kyoto_sentences_give_the_slides_weights(tie: str) -> None:
    bags = [count_words("A site , located in Maizuru , Kyoto")]
    bags.append(count_words("Shoken , monk born in Kyoto"))
    model = Perceptron(tie=tie, fit_intercept=False, max_iter=1, **PLAIN)
    first, second = list(model.steps(bags, [-1, 1]))
    assert first.changed.pop(",") == -2
    assert {float(change[0]) for change in first.changed.values()} == {-1.0}
    assert second.scores == -4
    weights = dict(zip(model.get_feature_names(), model.coef_[0], strict=True))
    assert weights == {
        **dict.fromkeys(["A", "site", "located", "Maizuru", ","], -1),
        **dict.fromkeys(["in", "Kyoto"], 0),
        **dict.fromkeys(["Shoken", "monk", "born"], 1),
    }


@pytest.mark.spec("M-31")
def test_the_learning_rate_only_scales_the_weights() -> None:
    X, y = noisy(1)
    one = Perceptron(random_state=0).fit(X, y)
    for eta in (0.125, 8.0):  # powers of two, so that rounding is the same
        other = Perceptron(learning_rate=eta, random_state=0).fit(X, y)
        np.testing.assert_array_equal(other.coef_, eta * one.coef_)


@pytest.mark.spec(
    "M-29", "M-30", "M-33", "M-34", "M-35", "M-36", "M-37", "M-45", "A-17", "A-19", "C-23"
)
@given(
    seed=st.integers(0, 10_000),
    tie=st.sampled_from(["nonpositive", "sign", "strict"]),
    margin=st.sampled_from([0.0, 0.5]),
    average=st.sampled_from(AVERAGES),
    truncate=st.sampled_from([0.0, 0.05, 0.4]),
)
@settings(max_examples=60, deadline=None)
def test_two_classes_equal_the_reference(
    seed: int, tie: str, margin: float, average: bool | str, truncate: float
) -> None:
    X, y = noisy(seed)
    if len(np.unique(y)) < 2:
        return
    model = Perceptron(
        tie=tie, margin=margin, average=average, truncate=truncate, max_iter=4, random_state=seed,
        stop_when_clean=False,
    ).fit(X, y)  # fmt: skip
    expected = reference.binary(
        with_ones(X), 2 * y - 1, n_rounds=4, tie=tie, margin=margin, average=average,
        truncation=truncate, truncate_last=False, orders=orders(seed, len(X), 4),
        stop_when_clean=False,
    )  # fmt: skip
    assert tuple(model.mistakes_) == expected.mistakes
    np.testing.assert_allclose(model.coef_[0], expected.weights[:-1], atol=1e-11)
    np.testing.assert_allclose(model.intercept_, expected.weights[-1], atol=1e-11)


@pytest.mark.spec("M-32", "M-34", "M-37")
@given(
    seed=st.integers(0, 10_000),
    margin=st.sampled_from([0.0, 0.7]),
    average=st.sampled_from(AVERAGES),
)
@settings(max_examples=30, deadline=None)
def test_several_classes_equal_the_reference(seed: int, margin: float, average: bool | str) -> None:
    X, y = noisy(seed, k=5)
    classes, gold = np.unique(y, return_inverse=True)
    if len(classes) < 3:
        return
    model = Perceptron(margin=margin, average=average, max_iter=3, random_state=seed).fit(X, y)
    expected = reference.multiclass(
        with_ones(X), gold, len(classes), n_rounds=3, margin=margin, average=average,
        orders=orders(seed, len(X), 3),
    )  # fmt: skip
    np.testing.assert_allclose(model.coef_.T, expected.weights[:-1], atol=1e-11)
    np.testing.assert_allclose(model.intercept_, expected.weights[-1], atol=1e-11)


@pytest.mark.spec("M-45", "F-10")
def test_truncation_moves_each_weight_as_the_fixture_says() -> None:
    rule = Rule("perceptron", "columns", 2)
    run = FlatRun(rule, np.array([[0.05], [0.3], [-0.3], [0.1]]), bias=0.0, truncate=0.1)
    empty_row = checked_features(sp.csr_matrix((1, 4)))  # an update that adds nothing
    examples = Examples(empty_row, np.zeros(1, np.int32), np.ones(1))
    run.go(examples, np.zeros(1, np.int64), np.ones(1))
    np.testing.assert_allclose(run.last_weights()[:, 0], [0, 0.2, -0.2, 0], atol=1e-15)


@pytest.mark.spec("M-45")
def test_fewer_weights_survive_stronger_truncation() -> None:
    X, y = noisy(3, n=200, d=60)
    kept = [
        Perceptron(truncate=c, random_state=0, average=False).fit(X, y).n_nonzero_
        for c in (0.0, 0.05, 0.3)
    ]
    assert kept[0] > kept[1] > kept[2]


@pytest.mark.spec("M-37")
def test_a_margin_perceptron_ends_with_every_margin_beyond_it() -> None:
    model = Perceptron(margin=2.0, max_iter=1000, **PLAIN).fit(FIVE, SIGNS)
    assert model.n_iter_ < 1000
    assert (SIGNS * model.decision_function(FIVE) > 2.0).all()


@pytest.mark.spec("M-38")
def test_the_geometric_margin_does_not_depend_on_the_scale_of_the_weights() -> None:
    model = Perceptron(**PLAIN).fit(FIVE, SIGNS)
    functional = SIGNS * model.decision_function(FIVE)
    geometric = functional / np.linalg.norm(model.coef_)
    model.coef_, model.intercept_ = 3 * model.coef_, 3 * model.intercept_
    scaled = SIGNS * model.decision_function(FIVE)
    np.testing.assert_allclose(scaled, 3 * functional)
    np.testing.assert_allclose(scaled / np.linalg.norm(model.coef_), geometric)


@pytest.mark.spec("M-26", "M-32")
def test_two_columns_make_the_mistakes_of_one_and_are_twice_as_far_apart() -> None:
    X, y = noisy(5)
    one = Perceptron(tie="sign", max_iter=3, **PLAIN).fit(X, y)
    # class order (+, -): the argmax breaks ties for the positive class, as sign(0) = + does
    two = reference.multiclass(with_ones(X), 1 - y, 2, n_rounds=3, average=False)
    assert tuple(one.mistakes_) == two.mistakes
    difference = two.weights[:, 0] - two.weights[:, 1]
    np.testing.assert_allclose(difference[:-1], 2 * one.coef_[0], atol=1e-12)


@pytest.mark.spec("M-23", "M-24", "C-12")
def test_the_folded_intercept_is_the_weight_of_a_column_of_ones() -> None:
    X, y = noisy(6)
    folded = Perceptron(random_state=0).fit(X, y)
    column = Perceptron(fit_intercept=False, random_state=0).fit(with_ones(X), y)
    np.testing.assert_allclose(column.coef_[0, :-1], folded.coef_[0], atol=1e-14)
    np.testing.assert_allclose(column.coef_[0, -1:], folded.intercept_, atol=1e-14)


@pytest.mark.spec("M-44", "A-24")
def test_the_recorded_objective_is_the_perceptron_criterion_of_the_last_weights() -> None:
    X, y = noisy(7)
    for margin in (0.0, 1.0):
        model = Perceptron(margin=margin, average=False, random_state=0)
        model.fit(X, y)
        slack = margin - (2 * y - 1) * model.decision_function(X)
        assert model.history_["objective"][-1] == pytest.approx(np.maximum(0, slack).sum())
    assert "objective" not in Perceptron(record_objective=False).fit(X, y).history_


@pytest.mark.spec("M-125", "C-19")
def test_the_rate_may_follow_a_schedule() -> None:
    X, y = noisy(19)
    model = Perceptron(learning_rate=InverseTime(2.0), max_iter=1, random_state=0)
    sizes = [(t, step.step_size) for t, step in enumerate(model.steps(X, y)) if step.step_size]
    np.testing.assert_allclose([s for _, s in sizes], [1 / (2 + t) for t, _ in sizes])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"average": "often"}, "average must be one of"),
        ({"tie": "maybe"}, "tie must be one of 'nonpositive'"),
        ({"margin": -1.0}, "margin"),
        ({"truncate": np.nan}, "truncate"),
        ({"max_iter": 0}, "max_iter"),
        ({"learning_rate": "fast"}, "schedule"),
        ({"learning_rate": HeldOut()}, "likelihood"),
        ({"validation_fraction": 1.0}, "validation_fraction"),
        ({"snapshot_every": 0}, "snapshot_every"),
        ({"joint_map": 3}, "joint_map"),
    ],
)
def test_a_bad_parameter_is_refused_with_its_name(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Perceptron(**parameters).fit(FIVE, SIGNS)


NOT_EQUIVALENT = "a weight scales one step; a repeated example takes two steps"
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": NOT_EQUIVALENT,
    "check_sample_weight_equivalence_on_sparse_data": NOT_EQUIVALENT,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("average", [True, False])
def test_the_estimator_keeps_the_scikit_learn_contract(average: bool) -> None:
    check_estimator(
        Perceptron(average=average), expected_failed_checks=EXPECTED_FAILURES, on_skip=None
    )


@pytest.mark.spec("R-02", "M-30", "M-34", "D-05", "E-09")
@pytest.mark.parametrize(
    ("tie", "mistakes", "plain", "averaged"),
    [
        (
            "sign",
            [1372, 824, 665, 515, 424, 349, 306, 238, 215, 189],
            [2568, 2591, 2619, 2564, 2593, 2591, 2618, 2585, 2608, 2638],
            [2622, 2636, 2643, 2653, 2657, 2649, 2653, 2655, 2655, 2655],
        ),
        (
            "nonpositive",
            [1420, 848, 629, 512, 427, 342, 323, 286, 238, 234],
            [2539, 2593, 2515, 2628, 2623, 2580, 2605, 2605, 2619, 2594],
            [2622, 2643, 2651, 2650, 2651, 2649, 2651, 2649, 2650, 2647],
        ),
    ],
)
def test_wikipedia_titles_are_learnt_with_exactly_the_tutorials_counts(
    data_dir: Callable[[str], Path],
    tie: str,
    mistakes: list[int],
    plain: list[int],
    averaged: list[int],
) -> None:
    folder = data_dir("wikipedia_titles")
    (train, test) = (sorted(folder.glob(f"*{part}*"))[0] for part in ("train", "test"))
    train_y, train_texts = read_person_titles(train)
    test_y, test_texts = read_person_titles(test)
    model = Perceptron(tie=tie, fit_intercept=False, shuffle=False, snapshot_every=1)
    train_bags = [count_words(text) for text in train_texts]
    model.fit(train_bags, train_y)
    assert model.mistakes_.tolist() == mistakes
    bags = [count_words(text) for text in test_texts]
    correct: dict[str, list[int]] = {"coef": [], "last_coef": []}
    for snapshot in model.snapshots_:
        for kind, counts in correct.items():
            model.coef_ = getattr(snapshot, kind)
            counts.append(int((model.predict(bags) == test_y).sum()))
    assert correct == {"last_coef": plain, "coef": averaged}
    if tie == "sign":
        weights = model.snapshots_[-1].last_coef
        assert (np.count_nonzero(weights), np.abs(weights).sum()) == (10_843, 26_698)
        model.coef_ = weights
        assert (model.predict(train_bags) == train_y).sum() == 11_205
