"""The report on predictions, checked against scikit-learn's metrics and by hand."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.preprocessing import MultiLabelBinarizer

from linnet.errors import DataError
from linnet.evaluate import calibrate, evaluate, wilson_interval

LABELS = ["a", "b", "c", "d"]
pairs = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1)
label_sets = st.lists(st.sampled_from(LABELS), unique=True, max_size=3)


@pytest.mark.spec("M-28")
@pytest.mark.filterwarnings("ignore:A single label was found")
@given(pairs)
@settings(max_examples=60, deadline=None)
def test_scores_equal_those_of_scikit_learn(rows: list[tuple[str, str]]) -> None:
    truth, guess = map(list, zip(*rows, strict=True))
    report = evaluate(truth, guess)
    assert report.n == len(rows)
    assert report.accuracy == pytest.approx(metrics.accuracy_score(truth, guess))
    labels = list(report.classes)
    assert labels == sorted({*truth, *guess})
    peer_matrix = metrics.confusion_matrix(truth, guess, labels=labels)
    np.testing.assert_array_equal(report.confusion, peer_matrix)
    precision, recall, f1, support = metrics.precision_recall_fscore_support(
        truth, guess, labels=labels, zero_division=0
    )
    for i, score in enumerate(report.classes.values()):
        assert score.precision == pytest.approx(precision[i])
        assert score.recall == pytest.approx(recall[i])
        assert score.f1 == pytest.approx(f1[i])
        assert score.support == support[i]
    for name in ("macro", "micro", "weighted"):
        peer = metrics.f1_score(truth, guess, average=name, zero_division=0)
        assert getattr(report, f"{name}_f1") == pytest.approx(peer)


@given(st.lists(st.tuples(label_sets, label_sets), min_size=1))
@settings(max_examples=60, deadline=None)
def test_scores_of_several_labels_a_row_equal_those_of_scikit_learn(rows: list) -> None:
    truth, guess = map(list, zip(*rows, strict=True))
    report = evaluate(truth, guess)
    used = list(report.classes)
    binarizer = MultiLabelBinarizer(classes=used)
    t, g = binarizer.fit_transform(truth), binarizer.transform(guess)
    assert report.accuracy == pytest.approx(np.mean([set(a) == set(b) for a, b in rows]))
    assert report.confusion is None
    if len(used) > 1:  # scikit-learn takes a table of one column for two classes
        assert report.hamming_loss == pytest.approx(metrics.hamming_loss(t, g))
        for name in ("macro", "micro", "weighted"):
            peer = metrics.f1_score(t, g, average=name, zero_division=0)
            assert getattr(report, f"{name}_f1") == pytest.approx(peer)


def draw_probabilities(seed: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(k), size=n), rng.integers(k, size=n)


@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(2, 5))
@settings(max_examples=60, deadline=None)
def test_log_loss_and_brier_equal_those_of_scikit_learn(seed: int, n: int, k: int) -> None:
    p, y = draw_probabilities(seed, n, k)
    found = calibrate(p, y)
    labels = list(range(k))
    assert found.log_loss == pytest.approx(metrics.log_loss(y, p, labels=labels))
    if k == 2:
        assert found.brier == pytest.approx(metrics.brier_score_loss(y, p[:, 1], pos_label=1))
    else:
        assert found.brier == pytest.approx(np.mean(((p - np.eye(k)[y]) ** 2).sum(axis=1)))
    assert sum(part.n for part in found.bins) == n
    assert 0 <= found.error <= 1


def test_the_calibration_error_is_the_gap_between_promise_and_outcome() -> None:
    p = np.array([[0.9, 0.1]] * 10)
    right = np.array([0] * 7 + [1] * 3)
    found = calibrate(p, right)
    assert found.error == pytest.approx(0.2)
    (only,) = found.bins
    assert (only.n, only.confidence, only.accuracy) == (10, pytest.approx(0.9), 0.7)
    assert only.low < 0.9 <= only.high


def test_probabilities_of_zero_and_one_give_finite_numbers() -> None:
    found = calibrate(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1, 1]))
    assert np.isfinite([found.error, found.brier, found.log_loss]).all()
    assert found.error == 0.5


def test_an_abstained_row_is_a_miss_but_no_false_alarm() -> None:
    report = evaluate(["a", "a", "b", "b"], ["a", None, "b", "a"])
    assert report.accuracy == 0.5
    assert report.abstained == 0.25
    assert report.answered_accuracy == pytest.approx(2 / 3)
    assert report.classes["a"].recall == 0.5
    assert report.classes["a"].precision == 0.5
    assert report.confusion.sum() == 3


def test_a_model_that_never_answers_has_a_report_too() -> None:
    report = evaluate(["a", "b"], [None, None])
    assert (report.accuracy, report.abstained, report.answered_accuracy) == (0.0, 1.0, None)
    assert report.macro_f1 == 0.0


def test_a_label_the_model_never_saw_is_reported_not_refused() -> None:
    p = np.array([[0.8, 0.2], [0.4, 0.6]])
    report = evaluate(["new", "b"], ["a", "b"], p, classes=["a", "b"])
    assert report.unseen == ("new",)
    assert list(report.classes) == ["a", "b", "new"]
    assert report.classes["new"].support == 1
    assert np.isfinite(report.calibration.log_loss)


def test_labels_of_two_types_and_numpy_scalars_are_told_apart_and_together() -> None:
    report = evaluate([1, "1", np.int64(1)], [np.int64(1), "1", 1])
    assert report.accuracy == 1.0
    assert set(report.classes) == {1, "1"}


def test_the_interval_is_wilsons() -> None:
    assert evaluate(["a"] * 10, ["a"] * 9 + ["b"]).interval == wilson_interval(9, 10)


def test_the_dictionary_is_json_and_names_what_the_command_line_promises() -> None:
    p = np.array([[0.8, 0.2], [0.4, 0.6]])
    report = evaluate(["x", "y"], ["x", "y"], p, classes=["x", "y"])
    plain = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert plain["accuracy"] == plain["macro_f1"] == 1.0
    assert plain["n"] == 2
    assert plain["classes"]["x"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0, "support": 1}
    assert plain["confusion"] == {"labels": ["x", "y"], "matrix": [[1, 0], [0, 1]]}
    assert set(plain["calibration"]) == {"error", "brier", "log_loss", "bins"}


def test_the_largest_confusions_come_first() -> None:
    truth = ["a"] * 5 + ["b"] * 5
    guess = ["b"] * 2 + ["a"] * 3 + ["c"] * 3 + ["b"] * 2
    assert evaluate(truth, guess).confusions() == [("b", "c", 3), ("a", "b", 2)]


def test_several_labels_a_row_have_a_calibration_for_each_decision() -> None:
    p = np.array([[0.9, 0.2], [0.1, 0.7]])
    report = evaluate([["a"], ["b"]], [["a"], None], p, classes=["a", "b"])
    assert report.calibration.brier == pytest.approx(np.mean([0.01, 0.04, 0.01, 0.09]))
    assert report.abstained == 0.5
    assert report.answered_accuracy == 1.0


@pytest.mark.parametrize(
    "arguments",
    [
        ([], []),
        (["a"], []),
        ([None], ["a"]),
        (["a"], ["a"], [[0.5, 0.5]]),
        (["a"], ["a"], [[0.5, 0.5]], ["a"]),
        (["a"], ["a"], [[np.nan, 0.5]], ["a", "b"]),
        (["a"], ["a"], [[1.5, -0.5]], ["a", "b"]),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: tuple) -> None:
    with pytest.raises(DataError):
        evaluate(*arguments)


def test_zero_divided_by_zero_is_zero_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = evaluate(["a", "a"], ["b", "b"])
    assert report.classes["a"].precision == report.classes["b"].recall == 0.0


def test_evaluating_needs_neither_scipy_nor_scikit_learn() -> None:
    code = (
        "import sys; from linnet.evaluate import evaluate; evaluate(['a'], ['a'], [[1.0]], ['a'])\n"
        "print({'scipy', 'sklearn', 'pyarrow', 'rich'} & set(sys.modules))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300
    )
    assert answer.stdout == "set()\n", answer.stderr
