"""Weights that do not matter are left out, and what is left answers, explains and is stored."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import DataError, ParameterError
from linnet.learn.shared.sparse_weights import SparseWeights
from linnet.model.file.reading import read_model
from linnet.model.fitting.linear_form import linear_parts
from linnet.model.fitting.pruning import some_labels
from linnet.model.scorers import sparse as sparse_scorer
from linnet.model.scorers.sparse import SparseScorer

CORPUS = linnet.data.load_pydoc()
TRAIN = (CORPUS.train_texts, CORPUS.train_labels)


@pytest.fixture(scope="module")
def pruned() -> linnet.TextClassifier:
    return linnet.TextClassifier(features="words", prune="auto").fit(*TRAIN)


def test_pruning_leaves_held_out_accuracy_and_most_weights_out(
    pruned: linnet.TextClassifier,
) -> None:
    record, weights = pruned.record_, pruned.model_.weights_
    assert record["accuracy_pruned"] >= record["accuracy_unpruned"]
    assert isinstance(pruned.model_.scorer, SparseScorer)
    assert len(weights.value) < 0.3 * np.prod(weights.shape)
    assert np.abs(weights.value).min() >= np.float32(record["least_weight"])
    assert record["weights"].startswith(f"{len(weights.value):,} of ")


def test_what_is_left_are_the_weights_of_the_learner(pruned: linnet.TextClassifier) -> None:
    whole = linear_parts(pruned.learner_)[0].astype(np.float32)
    whole[np.abs(whole) < pruned.record_["least_weight"]] = 0.0
    model = pruned.model_
    assert np.array_equal(np.asarray(model.weights_), whole)
    for k in (0, 5):
        assert np.array_equal(model.weights_of(k), whole[:, k].astype(np.float64))
    X = CORPUS.test_texts[:40]
    scores = pruned.features_.transform(X).astype(np.float64) @ whole.astype(np.float64)
    np.testing.assert_allclose(model.decision_function(X), scores + model.intercept_, rtol=1e-6)


def test_answers_do_not_depend_on_threads_or_on_the_batch(pruned: linnet.TextClassifier) -> None:
    model, X = pruned.model_, CORPUS.test_texts[:30]
    expected = model.decision_function(X)
    model.n_threads = 1
    try:
        assert np.array_equal(model.decision_function(X), expected)
        alone = np.vstack([model.decision_function([text]) for text in X])
        assert np.array_equal(alone, expected)
    finally:
        model.n_threads = None


def test_many_examples_are_answered_some_at_a_time(
    pruned: linnet.TextClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = CORPUS.test_texts[:50]
    expected = pruned.model_.judge(texts).labels
    monkeypatch.setattr(sparse_scorer, "_TABLE", 7 * len(pruned.classes_))
    assert np.array_equal(pruned.predict(texts), expected)
    assert pruned.predict([]).tolist() == []


def test_an_explanation_sums_to_the_score_of_the_stored_weights(
    pruned: linnet.TextClassifier,
) -> None:
    model, text = pruned.model_, CORPUS.test_texts[3]
    why = model.explain(text)
    k = model.classes_.tolist().index(why.label)
    total = why.intercept + sum(part.contribution for part in why.contributions)
    assert total == pytest.approx(why.score, abs=1e-12)
    assert why.score == pytest.approx(model.decision_function([text])[0, k], abs=1e-6)


@pytest.mark.parametrize(
    ("options", "least"), [({}, 1.0), ({"dtype": "float16"}, 0.95), ({"max_features": 3000}, 0.6)]
)
def test_a_pruned_model_is_stored_small_and_comes_back(
    pruned: linnet.TextClassifier, options: dict[str, Any], least: float, tmp_path: Path
) -> None:
    pruned.save(tmp_path / "small.linnet", **options)
    linnet.TextClassifier(features="words").fit(*TRAIN).save(tmp_path / "whole.linnet", **options)
    small, whole = ((tmp_path / f"{name}.linnet").stat().st_size for name in ("small", "whole"))
    assert small < whole
    X = CORPUS.test_texts[:50]
    again = linnet.load(tmp_path / "small.linnet")
    assert (again.predict(X) == pruned.predict(X)).mean() >= least
    other = pickle.loads(pickle.dumps(pruned))
    assert np.array_equal(other.decision_function(X), pruned.decision_function(X))


@pytest.mark.parametrize("change", ["label", "start", "order", "short"])
def test_a_forged_file_of_sparse_weights_is_refused(
    pruned: linnet.TextClassifier, change: str, tmp_path: Path
) -> None:
    pruned.save(tmp_path / "m.linnet")
    file = read_model(tmp_path / "m.linnet")
    arrays = {name: np.array(array) for name, array in file.arrays.items()}
    if change == "label":
        arrays["weight_label"][0] = 10_000
    elif change == "start":
        arrays["weight_start"][1] = -1
    elif change == "order":
        arrays["weight_label"][:] = 0
    else:
        arrays["weights"] = arrays["weights"][:-1]
    with pytest.raises(DataError):
        linnet.Model._from_file(file._replace(arrays=arrays))


def test_two_labels_and_several_labels_a_row_are_pruned_too() -> None:
    texts = ["good film old", "bad film old", "good book", "bad book new"] * 10
    two = linnet.TextClassifier(prune=0.05).fit(texts, ["+", "-"] * 20)
    assert two.predict(["good", "bad"]).tolist() == ["+", "-"]
    assert two.model_.top_features(1)["-"][0][0].startswith("bad")
    why = two.model_.explain("bad film")
    assert why.label == "-"
    assert why.score > 0
    several = linnet.TextClassifier(prune="auto").fit(texts, [["good"], []] * 20)
    assert several.predict(["good old book"]).tolist() == [["good"]]


def test_a_threshold_may_be_given_and_nonsense_is_refused() -> None:
    texts, labels = ["a b", "c d"] * 20, ["x", "y"] * 20
    clf = linnet.TextClassifier(prune=1e6).fit(texts, labels)
    assert len(clf.model_.weights_.value) == 0
    assert clf.model_.decision_function(["a"]) == clf.model_.intercept_
    for wrong in ("yes", -1.0, True, float("nan")):
        with pytest.raises(ParameterError, match="prune must be"):
            linnet.TextClassifier(prune=wrong).fit(texts, labels)


def test_a_pruned_model_can_go_on_learning_and_be_a_table() -> None:
    weights = SparseWeights.of(np.array([[0.0, 2.0], [0.1, -3.0]]), 0.5)
    assert np.asarray(weights).tolist() == [[0.0, 2.0], [0.0, -3.0]]
    assert weights.take(np.array([1])).value.tolist() == [-3.0]


def test_with_many_labels_strength_is_chosen_on_the_examples_of_some() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(600), 3)
    texts = [f"w{label} w{label % 50} w{rng.integers(200)}" for label in labels]
    clf = linnet.TextClassifier(ngrams=1, random_state=0).fit(texts, labels)
    assert clf.tuning_.C in (0.1, 0.3, 1.0, 3.0, 10.0)
    assert len(clf.tuning_.path) >= 2
    assert clf.tuning_.n_held_out > 256 * 3, "calibrated on held-out examples of all labels"
    assert clf.score(texts, labels) > 0.9


def test_some_labels_are_whole() -> None:
    gold = np.random.default_rng(1).integers(0, 50, 500).astype(np.int32)
    rows, few = some_labels(gold, 10, 3)
    assert len(np.unique(gold[rows])) == 10 == few.max() + 1
    assert set(gold[np.delete(np.arange(500), rows)]).isdisjoint(gold[rows])
