"""Each learner is tuned where that is cheap, given what it models, left out only with a word."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.comparison import Comparison
from linnet.comparison.learners import left_out
from linnet.learn.shared.known import Kind, learners

CORPUS = linnet.data.load_pydoc()
TRAIN = (CORPUS.train_texts[::4], CORPUS.train_labels[::4])
TEST = (CORPUS.test_texts[::3], CORPUS.test_labels[::3])


@pytest.fixture(scope="module")
def named() -> Comparison:
    return linnet.compare(TRAIN, "nb, bernoulli, svm, perceptron", test=TEST)


def row_of(found: Comparison, name: str) -> Any:
    return next(row for row in found.rows if row.name == name)


def test_smoothing_is_chosen_on_the_training_part_alone(named: Comparison) -> None:
    wrong = (TEST[0], list(reversed(TEST[1])))
    again = linnet.compare(TRAIN, "nb, bernoulli", test=wrong)
    for name in ("MultinomialNB", "BernoulliNB"):
        assert row_of(named, name).tuned == ("alpha",)
        assert row_of(named, name).parameters["alpha"] < 1.0
        assert row_of(again, name).parameters == row_of(named, name).parameters


def test_naive_bayes_with_its_smoothing_chosen_beats_the_one_as_it_is(named: Comparison) -> None:
    plain = linnet.compare(TRAIN, [linnet.MultinomialNB()], test=TEST).rows[0]
    assert plain.tuned == ()
    assert plain.parameters == {"alpha": 1.0}
    assert row_of(named, "MultinomialNB").score > plain.score


def test_a_learner_is_given_what_it_models_and_the_output_says_so(named: Comparison) -> None:
    features = {row.name: row.features for row in named.rows}
    assert features == {
        "MultinomialNB": "counts", "BernoulliNB": "presence", "SVM": "TF-IDF",
        "Perceptron": "TF-IDF",
    }  # fmt: skip
    text, page = str(named), named.to_html()
    for said in ("counts for MultinomialNB", "presence for BernoulliNB", "C of SVM"):
        assert said in text
    assert "as they are: Perceptron" in text
    assert "alpha chosen on held-out examples" in page
    assert '<td class="left">counts</td>' in page
    rows = json.loads(json.dumps(named.to_dict()))["rows"]
    said = {row["name"]: (row["tuned"], row["features"]) for row in rows}
    assert said["MultinomialNB"] == (["alpha"], "counts")
    assert said["Perceptron"] == ([], "TF-IDF")


@pytest.mark.parametrize("kind", ["texts", "rows", "sequences"])
def test_every_learner_of_the_kind_has_a_row_or_a_reason(kind: Kind) -> None:
    words, labels = [["good", "film"], ["bad", "film"]] * 15, ["pos", "neg"] * 15
    data: dict[str, Any] = {
        "texts": ([" ".join(row) for row in words], labels),
        "rows": (words, labels),
        "sequences": (words, [["X", "Y"], ["Z", "Y"]] * 15),
    }
    found = linnet.compare(data[kind])
    assert {row.name for row in found.rows} | set(found.skipped) == set(learners(kind))
    assert not {row.name for row in found.rows} & set(found.skipped)
    assert all(why and f"{name}" in str(found) for name, why in found.skipped.items())


def test_slow_learners_are_left_out_of_large_data_with_a_reason() -> None:
    assert "all pairs of 2,001 examples" in left_out("texts", 2_001)["MemoryBased"]
    assert "MemoryBased" not in left_out("texts", 2_000)


def test_memory_and_hmm_choose_their_settings_too() -> None:
    rng = np.random.default_rng(0)
    rows = [[str(rng.integers(3)), str(rng.integers(3))] for _ in range(200)]
    labels = [a if rng.random() < 0.7 else "0" for a, _ in rows]
    memory = linnet.compare((rows, labels), "memory").rows[0]
    assert (memory.tuned, memory.features) == (("k",), "values")
    sentences = [[f"w{rng.integers(40)}", "the"] for _ in range(80)]
    tags = [["A" if int(word[1:]) % 2 else "B", "D"] for word, _ in sentences]
    hmm = linnet.compare((sentences, tags), "hmm").rows[0]
    assert (hmm.tuned, hmm.features) == (("alpha",), "words")


@pytest.mark.parametrize("cls", [linnet.MultinomialNB, linnet.BernoulliNB])
def test_counts_smoothed_anew_are_those_of_another_fit(cls: Any) -> None:
    X = np.random.default_rng(1).integers(0, 3, size=(40, 7)).astype(float)
    y = np.arange(40) % 3
    again = cls(alpha=1.0).fit(X, y).set_params(alpha=0.03).reestimate()
    fresh = cls(alpha=0.03).fit(X, y)
    for name in ("coef_", "intercept_", "feature_log_prob_"):
        assert np.array_equal(getattr(again, name), getattr(fresh, name))
    assert again.history_["objective"].tolist() == fresh.history_["objective"].tolist()
    with pytest.raises(linnet.errors.ParameterError, match="alpha"):
        again.set_params(alpha=-1.0).reestimate()
