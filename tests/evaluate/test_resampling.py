"""Cross-validation of texts, bags, matrices and sentences; learning curves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import t
from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score

import linnet
from linnet.data import TextColumn, load_iris, make_gaussians
from linnet.errors import DataError, ParameterError
from linnet.evaluate import cross_probabilities, cross_validate, learning_curve, wilson_interval

TEXTS = [f"{word} number {i}" for i in range(15) for word in ("good", "fine", "poor", "dull")]
LABELS = ["+", "+", "-", "-"] * 15
SENTENCES = [["the", "dog", "ran"], ["a", "cat", "sat", "down"], ["rain"]] * 8
TAGS = [["B-NP", "I-NP", "B-VP"], ["B-NP", "I-NP", "B-VP", "O"], ["B-NP"]] * 8


class Recorder(BaseEstimator):  # type: ignore[misc]
    """Remembers the rows that copies of it were fitted on and asked about."""

    log: list[tuple[set[int], set[int]]] = []  # noqa: RUF012

    def fit(self, X: Any, y: Any) -> Recorder:
        self.rows_ = {int(row) for row in np.asarray(X)[:, 0]}
        return self

    def predict(self, X: Any) -> Any:
        self.log.append((self.rows_, {int(row) for row in np.asarray(X)[:, 0]}))
        return np.array(["a"] * len(X))


@pytest.fixture
def log() -> list[tuple[set[int], set[int]]]:
    Recorder.log = []
    return Recorder.log


def test_scores_and_predictions_equal_scikit_learns_on_its_folds() -> None:
    iris = load_iris()
    found = cross_validate(linnet.MaxEnt(), iris.X, iris.y, folds=4, seed=3)
    cutter = StratifiedKFold(4, shuffle=True, random_state=3)
    peer = cross_val_score(linnet.MaxEnt(), iris.X, iris.y, cv=cutter)
    np.testing.assert_allclose(found.scores[0], peer)
    said = cross_val_predict(linnet.MaxEnt(), iris.X, iris.y, cv=cutter)
    assert found.predictions[0] == said.tolist()


def test_the_interval_is_nadeau_and_bengios() -> None:
    iris = load_iris()
    found = cross_validate(linnet.MaxEnt(), iris.X, iris.y, folds=5, repeats=3, seed=1)
    scores = found.scores.ravel()
    assert scores.shape == (15,)
    half = t.ppf(0.975, 14) * scores.std(ddof=1) * np.sqrt(1 / 15 + 1 / 4)
    low, high = found.interval
    assert found.mean == pytest.approx(scores.mean())
    assert low == pytest.approx(scores.mean() - half)
    assert high == pytest.approx(min(1.0, scores.mean() + half))
    assert len({tuple(row) for row in found.scores.tolist()}) > 1


def test_every_row_is_predicted_once_by_a_model_that_did_not_see_it(log: Any) -> None:
    X = np.arange(30.0)[:, None]
    cross_validate(Recorder(), X, ["a", "b", "c"] * 10, folds=5, repeats=2)
    assert len(log) == 10
    for repeat in (log[:5], log[5:]):
        assert sorted(row for _, part in repeat for row in part) == list(range(30))
        assert all(not rest & part and len(rest | part) == 30 for rest, part in repeat)
        assert all(len({row % 3 for row in part}) == 3 for _, part in repeat)


@pytest.mark.parametrize("stratify", [True, False])
def test_no_group_is_on_both_sides(log: Any, stratify: bool) -> None:
    X, group = np.arange(40.0)[:, None], np.arange(40) // 4
    cross_validate(Recorder(), X, ["a", "b"] * 20, folds=3, groups=group, stratify=stratify)
    assert len(log) == 3
    for rest, part in log:
        assert not {row // 4 for row in rest} & {row // 4 for row in part}


def test_texts_bags_columns_and_matrices_give_the_same_shape_of_answer() -> None:
    matrix = csr_matrix([[i % 4 < 2, i % 4 >= 2] for i in range(60)], dtype=float)
    bags = [{word: 1.0 for word in text.split()} for text in TEXTS]
    for X in (TEXTS, TextColumn.from_strings(TEXTS), np.array(TEXTS, object), bags, matrix):
        found = cross_validate(linnet.TextClassifier(C=1.0), X, LABELS, folds=3)
        assert found.scores.shape == (1, 3)
        assert found.mean > 0.9
        assert len(found.predictions[0]) == 60


def test_several_labels_a_row_are_scored_as_sets() -> None:
    y = [["good", "seen"] if i % 4 < 2 else ["bad"] for i in range(60)]
    X = [f"{'good' if i % 4 < 2 else 'bad'} film {i % 5}" for i in range(60)]
    found = cross_validate(linnet.TextClassifier(C=1.0), X, y, folds=3, metric="micro_f1")
    assert found.mean > 0.9


def test_sentences_are_scored_by_chunks() -> None:
    learner = linnet.SequenceTagger(linnet.StructuredPerceptron(random_state=0))
    found = cross_validate(learner, SENTENCES, TAGS, folds=3, metric="chunk_f1")
    assert found.mean > 0.9
    assert [len(row) for row in found.predictions[0]] == [len(row) for row in TAGS]
    hmm = cross_validate(linnet.HMM(), SENTENCES, TAGS, folds=3)
    assert 0 <= hmm.interval[0] <= hmm.mean <= 1


def test_sequences_bring_their_tags(tmp_path: Any) -> None:
    lines = (
        "\n".join(f"{word}\t{tag}" for word, tag in zip(words, tags, strict=True))
        for words, tags in zip(SENTENCES, TAGS, strict=True)
    )
    (tmp_path / "some.conll").write_text("\n\n".join(lines) + "\n")
    sequences = linnet.data.read_sequences(tmp_path / "some.conll")
    learner = linnet.SequenceTagger(linnet.StructuredPerceptron(random_state=0))
    assert cross_validate(learner, sequences, folds=3).mean > 0.9


def test_rare_labels_are_spread_as_far_as_they_go(recwarn: pytest.WarningsRecorder) -> None:
    X, y = make_gaussians(40, [[-3, 0], [3, 0]], seed=0)
    labels = ["a" if value == y[0] else "b" for value in y]
    labels[0] = labels[1] = "once"
    found = cross_validate(linnet.MaxEnt(), X, labels, folds=5)
    assert found.scores.shape == (1, 5)
    assert not [w for w in recwarn if "least populated" in str(w.message)]


def test_out_of_fold_probabilities_equal_scikit_learns() -> None:
    iris = load_iris()
    table, classes = cross_probabilities(linnet.MaxEnt(), iris.X, iris.y, folds=4, seed=3)
    cutter = StratifiedKFold(4, shuffle=True, random_state=3)
    peer = cross_val_predict(linnet.MaxEnt(), iris.X, iris.y, cv=cutter, method="predict_proba")
    np.testing.assert_allclose(table, peer)
    assert classes.tolist() == np.unique(iris.y).tolist()


def test_a_label_of_one_row_has_probability_0_where_it_was_not_seen() -> None:
    X, _ = make_gaussians(30, [[-3, 0], [3, 0]], seed=0)
    labels = ["a", "b"] * 15
    labels[7] = "once"
    table, classes = cross_probabilities(linnet.MaxEnt(), X, labels, folds=3)
    assert classes.tolist() == ["a", "b", "once"]
    assert table[7, 2] == 0.0
    np.testing.assert_allclose(table.sum(axis=1), 1.0)


def test_what_cannot_be_cut_is_refused() -> None:
    X, y = [[0.0], [1.0]] * 4, ["a", "b"] * 4
    learner = linnet.MaxEnt()
    with pytest.raises(ParameterError, match="folds must lie between 2"):
        cross_validate(learner, X, y, folds=9)
    with pytest.raises(ParameterError, match="number of groups 2"):
        cross_validate(learner, X, y, folds=3, groups=[0, 1] * 4)
    with pytest.raises(DataError, match="8 examples and 3 groups"):
        cross_validate(learner, X, y, folds=3, groups=[0, 1, 1])
    with pytest.raises(DataError, match="8 examples and 2 labels"):
        cross_validate(learner, X, ["a", "b"])
    with pytest.raises(DataError, match="no labels"):
        cross_validate(learner, X)
    with pytest.raises(ParameterError, match="repeats"):
        cross_validate(learner, X, y, repeats=0)
    with pytest.raises(ParameterError, match="no probabilities"):
        cross_probabilities(linnet.SVM(), X, y, folds=2)
    with pytest.raises(DataError):  # one class: the learner says so
        cross_validate(learner, X, ["a"] * 8, folds=2)
    with pytest.raises(DataError):  # two examples leave one class to learn from
        cross_validate(learner, X[:2], y[:2], folds=2)


def test_perfect_separation_scores_1_without_spread() -> None:
    found = cross_validate(linnet.MaxEnt(), [[-1.0], [1.0]] * 20, ["a", "b"] * 20)
    assert (found.mean, found.deviation) == (1.0, 0.0)
    assert found.interval == wilson_interval(40, 40)  # not certain for all that


# --- learning curves --------------------------------------------------------------------------


def test_a_learning_curve_trains_on_nested_parts(log: Any) -> None:
    X = np.arange(50.0)[:, None]
    curve = learning_curve(Recorder(), X, ["a", "b"] * 25, sizes=(4, 0.5, 1.0))
    assert curve.sizes == (4, 20, 40)
    trained = [rest for rest, _ in log[::2]]
    assert trained[0] < trained[1] < trained[2]
    assert {row % 2 for row in trained[0]} == {0, 1}
    assert all(not rest & part for rest, part in log[1::2])
    np.testing.assert_allclose(curve.test_scores, 0.5)


def test_more_examples_help() -> None:
    X, y = make_gaussians(600, [[-0.7] * 20, [0.7] * 20], seed=0)
    test = make_gaussians(500, [[-0.7] * 20, [0.7] * 20], seed=1)
    curve = learning_curve(linnet.MaxEnt(), X, y, (10, 600), test=test, repeats=3)
    assert curve.mean[0] < curve.mean[-1]
    assert curve.train_scores.shape == (2, 3)


def test_a_learning_curve_of_sentences() -> None:
    learner = linnet.SequenceTagger(linnet.StructuredPerceptron(random_state=0))
    curve = learning_curve(learner, SENTENCES, TAGS, (0.5, 1.0), metric="chunk_f1")
    assert curve.mean[-1] > 0.9


def test_sizes_must_fit() -> None:
    with pytest.raises(ParameterError, match="between 1 and 8"):
        learning_curve(linnet.MaxEnt(), [[0.0], [1.0]] * 5, ["a", "b"] * 5, (9,))
    with pytest.raises(DataError, match="none to test on"):
        learning_curve(linnet.MaxEnt(), [[0.0], [1.0]], ["a", "b"])
