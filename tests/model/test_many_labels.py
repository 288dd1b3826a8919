"""Very many labels are learned some at a time: the same answers, and never all weights at once."""

from __future__ import annotations

import itertools
import tracemalloc
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet
from linnet import _core
from linnet.errors import DataWarning
from linnet.learn.flat import label_blocks
from linnet.learn.shared.decision import winners
from linnet.model.fitting import linear as linear_fitting
from linnet.model.fitting.pruning import Evidence

N_LABELS = 600
SVM = {"loss": "squared_hinge", "multi_class": "ovr"}


def made(each: int = 4, seed: int = 0) -> tuple[list[str], list[str]]:
    """Texts of a word of their label, one of its family, and others."""
    draw = np.random.default_rng(seed)
    labels = np.repeat(np.arange(N_LABELS), each)
    texts = [
        f"own{label} kin{label // 7} " + " ".join(f"w{w}" for w in draw.integers(300, size=4))
        for label in labels.tolist()
    ]
    return texts, [f"label{label}" for label in labels.tolist()]


@pytest.fixture
def narrow_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(label_blocks, "_ROOM", 1 << 23)  # some 130 labels at a time
    yield


def fitted(**settings: Any) -> linnet.TextClassifier:
    return linnet.TextClassifier(ngrams=1, C=1.0, **settings).fit(*made())


@pytest.mark.usefixtures("narrow_blocks")
def test_what_is_pruned_are_the_small_weights_of_the_whole_model() -> None:
    whole, few = fitted(), fitted(prune=0.05)
    table = np.where(np.abs(whole.model_.weights_) >= np.float32(0.05), whole.model_.weights_, 0)
    assert np.array_equal(np.asarray(few.model_.weights_), table)
    assert np.array_equal(few.model_.intercept_, whole.model_.intercept_)
    assert 0 < len(few.model_.weights_.value) < 0.5 * table.size


@pytest.mark.usefixtures("narrow_blocks")
def test_the_weights_do_not_depend_on_the_number_of_threads() -> None:
    one, three = fitted(n_threads=1), fitted(n_threads=3)
    assert np.array_equal(one.model_.weights_, three.model_.weights_)
    assert one.tuning_ == three.tuning_


@pytest.mark.usefixtures("narrow_blocks")
def test_who_watches_hears_of_the_labels_and_may_end_the_fit() -> None:
    stages: list[str] = []

    def end(step: Any) -> bool:
        stages.append(step.stage)
        return not step.stage.startswith("fit")

    with linnet.watch(end):
        clf = linnet.TextClassifier(ngrams=1, C=1.0, prune=0.05).fit(*made(5))
    assert stages[0] == "calibrate labels 1 to 120 of 600, round"
    assert stages[-1] == "fit labels 481 to 600 of 600, round"
    assert clf.learner_.n_iter_ == 1
    assert clf.predict(["own3 kin0"]).tolist() == ["label3"], "as far as it was without some"


@pytest.mark.usefixtures("narrow_blocks")
def test_the_optimum_is_that_of_all_labels_together() -> None:
    X = sp.random(900, 80, 0.2, "csr", random_state=0)
    gold = np.random.default_rng(0).permutation(np.arange(900) % 90).astype(np.int32)
    learner = linnet.SVM(**SVM, tol=1e-9, random_state=0, solver="dual_cd")
    blocks = learner.by_blocks(X, gold, None, 90)
    assert blocks is not None
    assert blocks.suits
    bounds = [(0, 30), (30, 60), (60, 90)]
    together = linnet.SVM(**SVM, tol=1e-9, random_state=0).fit(X, gold)
    for block in blocks.solve(bounds):
        some = slice(block.first, block.last)
        np.testing.assert_allclose(block.weights, together.coef_.T[:, some], atol=1e-4)
        np.testing.assert_allclose(block.intercept, together.intercept_[some], atol=1e-4)


def test_a_label_without_examples_is_a_question_too_and_rows_of_others_are_not_it() -> None:
    X, gold = sp.csr_matrix(np.eye(6)), np.array([0, 1, 2, 9, 9, 9], np.int32)
    blocks = linnet.SVM(**SVM, random_state=0).by_blocks(X, gold, None, 10)
    assert blocks is not None
    [block] = blocks.solve(blocks.bounds())
    scores = X @ block.weights + block.intercept
    assert winners(scores).tolist() == [0, 1, 2, 9, 9, 9]
    assert scores[:, 3:9].max() < -0.5


def test_learners_whose_labels_compete_are_fitted_to_all_at_once() -> None:
    X, gold = sp.csr_matrix(np.eye(6)), np.arange(6, dtype=np.int32)
    assert linnet.SVM(multi_class="crammer_singer").by_blocks(X, gold, None, 6) is None
    newton = linnet.SVM(**SVM, solver="newton").by_blocks(X, gold, None, 6)
    assert newton is not None
    assert not newton.suits
    texts, labels = made(2)
    joint = linnet.TextClassifier(linnet.Perceptron(max_iter=2), ngrams=1).fit(texts, labels)
    assert len(joint.classes_) == N_LABELS


@pytest.mark.usefixtures("narrow_blocks")
def test_no_table_of_all_weights_is_made_where_they_are_pruned() -> None:
    texts, labels = made(3)
    texts = [f"{text} " + " ".join(f"r{i}x{k}" for k in range(30)) for i, text in enumerate(texts)]
    clf = linnet.TextClassifier(ngrams=1, C=1.0, prune=0.1, min_df=1)
    tracemalloc.start()
    try:
        clf.fit(texts, labels)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    n_features, n_labels = clf.model_.weights_.shape
    assert peak < 0.5 * 4 * n_features * n_labels, "bytes of all weights"


def test_the_learner_of_a_pruned_model_gives_its_answers() -> None:
    clf = fitted(prune="auto")
    texts, labels = made(1, seed=1)
    record = clf.record_
    assert record["accuracy_pruned"] >= record["accuracy_unpruned"] > 0.8
    assert clf.score(texts, labels) > 0.8
    learner, X = clf.learner_, clf.features_.transform(texts)
    assert np.array_equal(clf.classes_[learner.predict(X)], clf.predict(texts))
    assert learner.n_nonzero_ == len(clf.model_.weights_.value) + N_LABELS
    assert 0 < learner.optimality_ <= learner.tol
    why = clf.explain(texts[5])
    total = why.intercept + sum(part.contribution for part in why.contributions)
    assert total == pytest.approx(why.score, abs=1e-12)


def test_weights_of_gigabytes_are_not_made_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_fitting, "_LARGE", 1 << 20)
    texts, labels = made(4)
    with pytest.warns(DataWarning, match=r"600 labels, .* GB in all. prune='auto'"):
        linnet.TextClassifier(ngrams=1, C=1.0).fit(texts, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linnet.TextClassifier(ngrams=1, C=1.0, prune=0.1).fit(texts, labels)


def test_labels_of_a_single_example_and_weights_of_examples_are_taken() -> None:
    texts, labels = made(2)
    weights = np.where(np.arange(len(texts)) < 40, 0.5, 1.0)
    texts, labels = [*texts, "lonely"], [*labels, "alone"]
    clf = linnet.TextClassifier(ngrams=1, prune=0.01)
    clf = clf.fit(texts, labels, sample_weight=[*weights, 2.0])
    assert clf.predict(["lonely"]).tolist() == ["alone"]
    without = linnet.TextClassifier(ngrams=1, C=1.0, class_weight={"label3": 0.0}).fit(*made(6))
    assert without.predict(["own2 kin0", "own4"]).tolist() == ["label2", "label4"]
    assert clf.tuning_.C in (0.1, 0.3, 1.0, 3.0, 10.0)


def test_the_cut_depends_on_the_size_of_the_data_and_fits_its_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With fewer rows more labels would have room: those held out must not change the cut."""
    texts, labels = made(5)
    wide = {}
    for room in (5_870_000, 1 << 23):  # the first cuts all rows otherwise than four fifths
        monkeypatch.setattr(label_blocks, "_ROOM", room)
        clf = linnet.TextClassifier(ngrams=1, C=1.0).fit(texts, labels)
        wide[room] = len(clf.learner_.history_["gap"])
        assert clf.learner_.optimality_ <= clf.learner_.tol
    X = sp.random(100, 50, 0.1, "csr", random_state=0)
    gold = np.arange(100, dtype=np.int32)
    learner = linnet.SVM(**SVM)
    for rows in (slice(None), slice(0, 20)):
        monkeypatch.setattr(label_blocks, "_ROOM", 64 * 16 * 120)
        found = learner.by_blocks(X[rows], gold[rows], None, 600)
        assert found is not None
        widths = {last - first for first, last in found.bounds()}
        assert max(widths) - min(widths) <= 1
        wide[len(gold[rows])] = len(found.bounds())
    assert wide[5_870_000] > wide[1 << 23] > 1
    assert wide[100] > wide[20]


@pytest.mark.parametrize("cuts", [[0, 12], [0, 5, 12], [0, 1, 2, 11, 12]])
def test_the_threshold_is_the_largest_that_leaves_no_more_answers_wrong(cuts: list[int]) -> None:
    draw = np.random.default_rng(4)
    X = sp.random(200, 30, 0.3, "csr", random_state=4)
    weights = draw.normal(size=(30, 12)) ** 3 * np.linspace(0.2, 3.0, 12)
    intercept = draw.normal(size=12) / 10
    gold = winners(X @ weights + intercept + draw.normal(size=(200, 12)) / 4).astype(np.int32)
    evidence = Evidence(gold)
    for first, last in itertools.pairwise(cuts):
        some = slice(first, last)
        evidence.add(X, weights[:, some], intercept[some], np.arange(first, last))
    found = evidence.threshold()

    def right(least: float) -> float:
        table = np.where(np.abs(weights) >= least, weights, 0.0)
        return float((winners(X @ table + intercept) == gold).mean())

    assert found.before == right(0.0)
    assert found.after == right(found.least) >= found.before
    series = [digit * 2.0**k for k in range(-12, 8) for digit in (1.0, 1.5)]
    assert found.least in series
    larger = [least for least in series if least > found.least]
    assert max(right(least) for least in larger) < found.before


def test_only_questions_of_their_own_have_rows_of_none_of_the_labels() -> None:
    X, gold = sp.csr_matrix(np.eye(4)), np.array([0, 1, 2, 3], np.int32)
    matrix = _core.Matrix(X.indptr.astype(np.int64), X.indices, X.data, 4)

    def solve(classes: int, *, joint: bool) -> None:
        columns = 1 if classes == 2 else classes
        _core.dual_coordinate_descent(
            matrix, np.minimum(gold, classes), np.ones(4), classes, np.zeros((4, columns)),
            np.zeros((4, columns)), "hinge", joint, 0.0, None, 1e-3, 10, 30.0, 0, False, None, 1,
        )  # fmt: skip

    solve(3, joint=False)
    for classes, joint in ((3, True), (2, False)):
        with pytest.raises(ValueError, match="gold holds a number outside"):
            solve(classes, joint=joint)
