"""Perceptron: the lectures' numbers, the reference weight for weight, and the estimator's habits."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from linnet import _core
from linnet.data import count_words, read_person_titles
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.learn.inputs import checked_features
from linnet.learn.online_run import Examples, OnlineRun, Rule
from linnet.learn.perceptron import Perceptron
from linnet.learn.schedules import HeldOut, InverseTime
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


@pytest.mark.spec("M-29", "M-42", "M-43")
def test_training_stops_after_a_round_without_update_and_respects_the_mistake_bound() -> None:
    model = Perceptron(**PLAIN).fit(FIVE, SIGNS)
    assert model.mistakes_.tolist() == [2, 1, 0]
    assert model.n_iter_ == 3
    assert model.optimality_ == 0.0
    assert model.mistakes_.sum() <= 26.142857


@pytest.mark.spec("W-06", "A-21")
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
    run = OnlineRun(rule, np.array([[0.05], [0.3], [-0.3], [0.1]]), bias=0.0, truncate=0.1)
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
        model = Perceptron(
            margin=margin, record_objective=True, random_state=0, **{"average": False}
        )
        model.fit(X, y)
        slack = margin - (2 * y - 1) * model.decision_function(X)
        assert model.history_["objective"][-1] == pytest.approx(np.maximum(0, slack).sum())
    assert "objective" not in Perceptron().fit(X, y).history_


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


@pytest.mark.spec("R-02", "M-30", "M-34", "D-05")
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
