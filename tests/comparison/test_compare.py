"""``linnet.compare``: the rows are what training gives, the winner is earned, odd data is met."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.comparison import Comparison
from linnet.comparison.given import Cut, as_given, splits_of
from linnet.comparison.outcome import measured
from linnet.data import split
from linnet.errors import DataError, ParameterError
from linnet.evaluate import evaluate, evaluate_sequences
from linnet.evaluate.significance import corrected, mcnemar

CORPUS = linnet.data.load_pydoc()
TRAIN = (CORPUS.train_texts[::3], CORPUS.train_labels[::3])
TEST = (CORPUS.test_texts[::2], CORPUS.test_labels[::2])
LINEAR = ["MultinomialNB", "BernoulliNB", "Perceptron", "MIRA", "MaxEnt", "SVM"]


def made_sentences(n: int, seed: int = 0) -> tuple[list[list[str]], list[list[str]]]:
    """Return noun phrases with some noise, so that learners differ but learn."""
    rng = np.random.default_rng(seed)
    sentences, tags = [], []
    for _ in range(n):
        words, own = [], []
        for _ in range(int(rng.integers(1, 4))):
            noun = str(rng.choice(["dog", "cat", "run", "walk"]))
            words += ["the", noun, str(rng.choice(["runs", "run", "walk", "sat"]))]
            own += ["B-NP", "I-NP", "O"]
        if rng.random() < 0.1:
            own[-1] = "B-NP"
        sentences.append(words)
        tags.append(own)
    return sentences, tags


@pytest.fixture(scope="module")
def texts() -> Comparison:
    return linnet.compare(TRAIN, test=TEST, seed=3, curve=(0.3, 1))


@pytest.fixture(scope="module")
def sentences() -> Comparison:
    return linnet.compare(made_sentences(60), test=made_sentences(40, 1), curve=(0.5, 1))


@pytest.mark.parametrize("name", LINEAR)
def test_a_row_is_what_text_classifier_gives(texts: Comparison, name: str) -> None:
    from linnet.comparison.learners import compared_learners

    row = next(row for row in texts.rows if row.name == name)
    learner = compared_learners("texts")[name]
    chosen = {key: value for key, value in row.parameters.items() if key == "alpha"}
    counts = {"weighting": "count", "sublinear_tf": False, "norm": None}
    features: dict[str, Any] = counts if row.features == "counts" else {}
    clf = linnet.TextClassifier(learner.set_params(**chosen), random_state=3, **features)
    clf.fit(*TRAIN)
    report = evaluate(
        TEST[1], clf.predict(TEST[0]).tolist(), clf.predict_proba(TEST[0]), clf.classes_.tolist()
    )
    assert row.score == row.accuracy == report.accuracy
    assert row.macro_f1 == pytest.approx(report.macro_f1)
    assert report.calibration is not None
    assert row.calibration_error == pytest.approx(report.calibration.error)
    assert row.parameters.get("C") == clf.record_.get("C")


def test_a_model_is_as_large_as_its_file(texts: Comparison, tmp_path: Path) -> None:
    row = next(row for row in texts.rows if row.name == "SVM")
    linnet.TextClassifier(features="words", random_state=3).fit(*TRAIN).save(tmp_path / "m.linnet")
    size = (tmp_path / "m.linnet").stat().st_size
    assert row.model_bytes < size < row.model_bytes + 20_000


def test_rows_are_ranked_and_all_pairs_are_tested(texts: Comparison) -> None:
    names = [row.name for row in texts.rows]
    assert sorted(names) == sorted([*LINEAR, "MemoryBased", "KernelSVM"])
    scores = [row.score for row in texts.rows]
    assert scores == sorted(scores, reverse=True)
    assert all(row.interval[0] < row.score < row.interval[1] for row in texts.rows)
    assert len(texts.pairs) == 8 * 7 // 2
    raw = [pair.p for pair in texts.pairs]
    assert [pair.p_corrected for pair in texts.pairs] == corrected(raw).tolist()
    for pair in texts.pairs:
        gap = scores[names.index(pair.better)] - scores[names.index(pair.worse)]
        assert pair.difference == pytest.approx(gap)
        assert gap >= 0


def test_a_pair_has_the_p_value_of_mcnemar(texts: Comparison) -> None:
    guess = {
        name: linnet.TextClassifier(learner, features="words", random_state=3)
        .fit(*TRAIN)
        .predict(TEST[0])
        .tolist()
        for name, learner in {"SVM": None, "Perceptron": linnet.Perceptron()}.items()
    }
    expected = mcnemar(TEST[1], guess["SVM"], guess["Perceptron"]).p
    assert texts.pair("Perceptron", "SVM").p == pytest.approx(expected)


@pytest.mark.spec("T-08")
def test_rows_carry_the_properties_of_the_learners(texts: Comparison) -> None:
    found = {row.name: row.properties for row in texts.rows}
    assert found["MaxEnt"] == linnet.MaxEnt.properties
    assert found["MultinomialNB"]["kind"] == "generative"
    assert "P(y | x)" in str(texts)


def test_a_winner_is_named_only_if_it_beats_all_others() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)  # no line separates these
    found = linnet.compare((X, y), "perceptron, kernelsvm, maxent")
    assert found.winner == "KernelSVM"
    assert found.not_worse == ()
    assert found.verdict().startswith("KernelSVM wins: accuracy ")
    again = linnet.compare(
        (X, y), {"a": linnet.KernelSVM(), "b": linnet.KernelSVM(), "c": linnet.MaxEnt()}
    )
    assert again.winner is None
    assert again.not_worse == ("b",)
    assert "not significantly better than b " in again.verdict()


def test_learners_of_the_same_answers_are_equal() -> None:
    data = (["good film", "bad film"] * 30, ["pos", "neg"] * 30)
    found = linnet.compare(data)
    assert {row.score for row in found.rows} == {1.0}
    assert {pair.p_corrected for pair in found.pairs} == {1.0}
    assert found.winner is None
    assert found.verdict() == "No winner: all 8 learners reach accuracy 100.00 %."
    assert all(0.7 < row.interval[0] < 1.0 for row in found.rows), "no certainty from 12 examples"


def test_one_learner_is_no_winner() -> None:
    found = linnet.compare((["good film", "bad film"] * 30, ["pos", "neg"] * 30), "svm")
    assert found.pairs == ()
    assert found.winner is None
    assert "no other learner" in str(found)


def test_folds_pool_the_answers_to_every_example() -> None:
    found = linnet.compare(TRAIN, "nb, bernoulli", folds=3, seed=1)
    assert found.card["n_test"] == len(TRAIN[1])
    for row in found.rows:
        assert len(row.splits) == 3
        assert min(row.splits) < row.score < max(row.splits)


def test_the_same_seed_gives_the_same_answer_at_any_number_of_threads() -> None:
    runs = [
        linnet.compare(TRAIN, "nb, mira, svm", seed=5, time_budget=1.0, n_threads=n) for n in (1, 2)
    ]
    first, second = (
        [(row.name, row.score, row.interval, row.parameters) for row in run.rows] for run in runs
    )
    assert first == second
    assert runs[0].pairs == runs[1].pairs


@pytest.mark.parametrize("budget", [None, 1.0])
def test_a_machine_with_a_regularizer_is_compared_as_it_is(budget: float | None) -> None:
    machine = linnet.SVM(regularizer=0.1, loss="squared_hinge", random_state=0)
    found = linnet.compare(TRAIN, [machine, "nb"], test=TEST, time_budget=budget)
    row = next(row for row in found.rows if row.name == "SVM")
    assert row.parameters == {"regularizer": 0.1}


def test_a_budget_finds_better_smoothing_and_none_changes_nothing() -> None:
    plain = linnet.compare(TRAIN, [linnet.MultinomialNB()], test=TEST)
    none = linnet.compare(TRAIN, [linnet.MultinomialNB()], test=TEST, time_budget=0.0)
    tuned = linnet.compare(TRAIN, "nb", test=TEST, time_budget=2.0)
    assert plain.rows[0].parameters == none.rows[0].parameters == {"alpha": 1.0}
    assert tuned.rows[0].parameters["alpha"] < 1.0
    assert tuned.rows[0].score > plain.rows[0].score


def test_estimators_keep_the_strength_they_are_given() -> None:
    learners = {"weak": linnet.SVM(C=0.01), "strong": linnet.SVM(C=1.0)}
    found = linnet.compare((["a b", "c d"] * 30, ["x", "y"] * 30), learners)
    assert {row.name: row.parameters["C"] for row in found.rows} == {"weak": 0.01, "strong": 1.0}
    assert not hasattr(learners["weak"], "classes_"), "the learner passed in is left alone"


def test_a_curve_ends_at_the_score(texts: Comparison, sentences: Comparison) -> None:
    for row in (*texts.rows, *sentences.rows):
        (few, _), (many, last) = row.curve
        assert few < many
        assert last == row.score
    assert texts.rows[0].curve[0][1] < texts.rows[0].score


def test_each_point_of_a_curve_has_its_interval(texts: Comparison, sentences: Comparison) -> None:
    for row in (*texts.rows, *sentences.rows):
        assert len(row.curve_intervals) == len(row.curve) == 2
        for (_, score), (low, high) in zip(row.curve, row.curve_intervals, strict=True):
            assert 0 <= low <= score <= high <= 1 and low < high
        assert row.curve_intervals[-1] == row.interval, "the last point is the learner itself"
    assert texts.to_dict()["rows"][0]["curve_intervals"][-1] == list(texts.rows[0].interval)


def test_taggers_are_compared_by_chunks_and_sentences(sentences: Comparison) -> None:
    assert sentences.metric == "chunk_f1"
    assert sentences.test == "approximate_randomisation"
    assert len(sentences.rows) == 7
    X, y = made_sentences(60)
    test_X, gold = made_sentences(40, 1)
    tagger = linnet.SequenceTagger(linnet.HMM()).fit(X, y)
    report = evaluate_sequences(gold, tagger.predict(test_X))
    row = next(row for row in sentences.rows if row.name == "HMM")
    assert report.chunks is not None
    assert row.score == pytest.approx(report.chunks.f1)
    assert row.accuracy == pytest.approx(report.accuracy)
    assert row.calibration_error is not None
    assert sentences.card["n_tokens"] == sum(map(len, y))


def test_parts_of_speech_are_compared_by_tokens() -> None:
    X, y = made_sentences(30)
    tags = [[tag[0] for tag in row] for row in y]
    found = linnet.compare((X, tags), "hmm, perceptron", folds=2, time_budget=0.5)
    assert found.metric == "accuracy"
    assert found.card["baseline"] > 0.5


def test_the_baseline_is_the_most_frequent_label(texts: Comparison) -> None:
    [(label, _)] = Counter(TRAIN[1]).most_common(1)
    assert texts.card["baseline"] == pytest.approx(np.mean([y == label for y in TEST[1]]))


def test_everything_goes_into_json(texts: Comparison, sentences: Comparison) -> None:
    for found in (texts, sentences):
        plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert plain["winner"] == found.winner
        assert [row["name"] for row in plain["rows"]] == [row.name for row in found.rows]
        assert plain["rows"][0]["properties"] == dict(found.rows[0].properties)
        assert all(line == line.rstrip() for line in str(found).split("\n"))


@pytest.mark.parametrize("kind", ["path", "examples", "bags", "vectors"])
def test_data_may_come_in_any_form(kind: str, tmp_path: Path) -> None:
    texts, labels = ["good film", "bad film", "good book", "bad book"] * 20, ["p", "n"] * 40
    data: Any
    if kind in ("path", "examples"):
        path = tmp_path / "data.tsv"
        path.write_text("".join(f"{y}\t{x}\n" for x, y in zip(texts, labels, strict=True)))
        data = path if kind == "path" else linnet.data.read_examples(path)
    elif kind == "bags":
        data = ([Counter(text.split()) for text in texts], labels)
    else:
        data = (np.array([[text.startswith("good"), 1.0] for text in texts]), np.array(labels))
    found = linnet.compare(data, "nb, bernoulli, maxent, memory")
    assert {row.score for row in found.rows} == {1.0}


def test_sentences_may_come_from_a_file(tmp_path: Path) -> None:
    X, y = made_sentences(30)
    rows = [
        "".join(f"{w}\t{t}\n" for w, t in zip(*pair, strict=True))
        for pair in zip(X, y, strict=True)
    ]
    (tmp_path / "data.conll").write_text("\n".join(rows))
    found = linnet.compare(tmp_path / "data.conll", "hmm, crf")
    assert found.card["kind"] == "sentences"
    assert found.card["n"] == 30


def test_what_cannot_learn_from_the_data_is_left_out_with_a_reason() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    found = linnet.compare((X, y))
    assert "negative" in found.skipped["MultinomialNB"]
    assert "left out: MultinomialNB" in str(found)
    with pytest.raises(DataError, match="negative"):
        linnet.compare((X, y), "nb, svm")


TWO = (["good", "bad"], ["p", "n"])


@pytest.mark.parametrize(
    ("data", "options", "says"),
    [
        ((["a"] * 20, ["x"] * 20), {}, "have the label 'x'"),
        (TWO, {}, "2 examples are too few"),
        (([["a"], ["b"]] * 9, [["X"], ["X"]] * 9), {}, r"have the tags \['X'\]"),
        (([["a"], ["b"]], [["X"], ["Y"]]), {}, "too few"),
        ((["a"], ["x", "y"]), {}, "1 examples and 2 labels"),
        ((["a", "b"], ["x", None]), {}, "Row 2 has no label"),
        ((["a", "b"], [["x"], ["y", "z"]]), {}, "several labels a row"),
        ((TWO[0] * 9, TWO[1] * 9), {"test": ([["a"]], [["X"]])}, "sentences with tags"),
        ((TWO[0] * 9, TWO[1] * 9), {"test": ([], [])}, "test data is empty"),
        (3, {}, "Expected a path"),
    ],
)  # fmt: skip
def test_data_that_cannot_be_compared_on_is_refused(data: Any, options: Any, says: str) -> None:
    with pytest.raises(DataError, match=says):
        linnet.compare(data, **options)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"learners": "svn"}, "no learner 'svn' for texts; did you mean SVM"),
        ({"learners": []}, "no learners to compare"),
        ({"learners": "svm, SVM"}, "SVM is there twice"),
        ({"learners": [linnet.SVM]}, "must be an estimator"),
        ({"folds": 2, "test": TWO}, "test or folds, not both"),
        ({"folds": 1}, "folds must be a number of at least 2"),
        ({"folds": 2.5}, "folds must be a number"),
        ({"time_budget": -1.0}, "time_budget"),
        ({"curve": [0.0]}, "curve must hold shares"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        linnet.compare((TWO[0] * 9, TWO[1] * 9), **options)


def test_two_examples_and_a_test_set_are_enough() -> None:
    found = linnet.compare(TWO, test=TWO)
    assert {row.score for row in found.rows} <= {0.5, 1.0}
    assert found.winner is None
    assert np.isfinite([row.calibration_error or 0.0 for row in found.rows]).all()


def test_labels_the_learners_never_saw_count_as_wrong() -> None:
    found = linnet.compare(
        (TWO[0] * 20, TWO[1] * 20), "nb, svm", test=(["good", "bad", "x"], ["p", "n", "q"])
    )
    assert {row.score for row in found.rows} == {2 / 3}


def test_splits_are_stratified_and_disjoint() -> None:
    y = ["a"] * 50 + ["b"] * 10
    data = as_given(([f"text {i}" for i in range(60)], y))
    [one], how = splits_of(data, None, Cut())
    assert how == "a fifth held out"
    assert Counter(one.test.y) == {"a": 10, "b": 2}
    assert sorted([*one.train.X, *one.test.X]) == sorted(data.X)  # type: ignore[union-attr]
    rest, _ = split(60, (0.8, 0.2), 0, [0] * 50 + [1] * 10)
    assert one.train.X == [f"text {i}" for i in rest]


def test_progress_grows_to_the_end() -> None:
    told: list[tuple[str, float]] = []
    linnet.compare(
        TRAIN, "nb, svm", folds=2, time_budget=0.2, progress=lambda *what: told.append(what)
    )
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert {"features", "SVM", "MultinomialNB"} <= {what for what, _ in told}


def test_memory_is_the_growth_of_the_process() -> None:
    with measured() as cost:
        np.ones(8_000_000)  # more than malloc ever keeps for itself
    assert cost.peak_bytes is None or cost.peak_bytes > 60_000_000


def test_a_comparison_can_be_pickled() -> None:
    found = linnet.compare((["good", "bad"] * 10, ["a", "b"] * 10), "nb, svm", explain=True)
    other = pickle.loads(pickle.dumps(found))
    assert other.to_dict() == found.to_dict()
    assert other.to_html() == found.to_html()
