"""The order of the classes that a user gives is kept (SPEC C-03)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import DataError, ParameterError

from .risks import clouds

ORDER = ["neutral", "pos", "neg"]
LEARNERS: dict[str, Any] = {
    "maxent": linnet.MaxEnt(random_state=0), "svm": linnet.SVM(random_state=0),
    "svm, ovo": linnet.SVM(multi_class="ovo", random_state=0),
    "perceptron": linnet.Perceptron(random_state=0), "mira": linnet.MIRA(random_state=0),
    "multinomial": linnet.MultinomialNB(), "bernoulli": linnet.BernoulliNB(),
    "gaussian": linnet.GaussianNB(), "gaussian bayes": linnet.GaussianBayes(),
    "parzen": linnet.ParzenWindows(), "tree": linnet.DecisionTree(),
    "memory": linnet.MemoryBased(3, metric="l2"), "kernel svm": linnet.KernelSVM(),
    "kernel perceptron": linnet.KernelPerceptron(random_state=0),
}  # fmt: skip


def opinions() -> tuple[Any, Any]:
    X, y = clouds(rows=90, classes=3)
    return np.abs(X), np.array(["neg", "neutral", "pos"])[y]


@pytest.mark.spec("C-03", "A-79")
@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS.keys())
def test_classes_scores_and_files_have_the_order_of_the_user(learner: Any, tmp_path: Path) -> None:
    X, y = opinions()
    sorted_one = linnet.estimator.clone(learner).fit(X, y)
    assert sorted_one.classes_.tolist() == ["neg", "neutral", "pos"]
    own = linnet.estimator.clone(learner).set_params(classes=ORDER).fit(X, y)
    assert own.classes_.tolist() == ORDER
    linnet.save(own, tmp_path / "model.linnet")
    again = linnet.load(tmp_path / "model.linnet")
    assert again.classes_.tolist() == ORDER
    np.testing.assert_array_equal(again.predict(X), own.predict(X))
    if "perceptron" in type(own).__name__.lower() or isinstance(own, linnet.MIRA):
        return  # a tie at the start goes to another class, so that other updates follow
    moved = [sorted_one.classes_.tolist().index(label) for label in ORDER]
    for verb in ("predict_proba", "decision_function"):
        if hasattr(own, verb) and getattr(own, verb)(X).shape[1:] == (3,):
            np.testing.assert_allclose(
                getattr(own, verb)(X), getattr(sorted_one, verb)(X)[:, moved], rtol=1e-2, atol=2e-2
            )
    assert np.mean(own.predict(X) == sorted_one.predict(X)) > 0.95  # ties, orders of updates


@pytest.mark.spec("C-03", "C-04")
def test_two_classes_in_the_other_order_turn_the_single_score() -> None:
    X, y = clouds(rows=60)
    one = linnet.MaxEnt(tol=1e-10).fit(X, y)
    other = linnet.MaxEnt(tol=1e-10, classes=[1, 0]).fit(X, y)
    np.testing.assert_allclose(one.decision_function(X), -other.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


@pytest.mark.spec("C-03")
@pytest.mark.parametrize("learner", [linnet.Perceptron(random_state=0), linnet.MultinomialNB()])
def test_learning_in_pieces_keeps_the_order_of_the_first_call(learner: Any) -> None:
    X, y = opinions()
    model = linnet.estimator.clone(learner).partial_fit(X[:30], y[:30], classes=ORDER)
    model.partial_fit(X[30:], y[30:])
    assert model.classes_.tolist() == ORDER
    assert model.score(X, y) > 0.4


@pytest.mark.spec("C-03")
def test_texts_and_rows_keep_the_order_in_model_card_and_file(tmp_path: Path) -> None:
    texts = ["good film", "bad film", "a film", "very good", "very bad", "some film"] * 6
    y = ["pos", "neg", "neutral"] * 12
    for clf, X in (
        (linnet.TextClassifier(classes=ORDER), texts),
        (linnet.TextClassifier(linnet.MultinomialNB(), classes=ORDER), texts),
        (linnet.TextClassifier(linnet.KernelSVM(), classes=ORDER), texts),
        (linnet.RowClassifier(classes=ORDER), [[text[0], len(text)] for text in texts]),
        (linnet.RowClassifier(linnet.MaxEnt(), classes=ORDER), [[t[0], len(t)] for t in texts]),
    ):
        clf.fit(X, y)
        assert clf.classes_.tolist() == ORDER
        probabilities = clf.predict_proba(X)
        best = np.array(ORDER)[probabilities.argmax(axis=1)]
        assert np.mean(best == clf.predict(X)) > 0.9
        clf.save(tmp_path / "model.linnet")
        again = linnet.load(tmp_path / "model.linnet")
        assert again.classes_.tolist() == ORDER
        np.testing.assert_array_equal(again.predict(X), clf.predict(X))
        np.testing.assert_allclose(again.predict_proba(X), probabilities, atol=1e-5)


@pytest.mark.spec("C-03")
def test_several_labels_a_text_keep_the_order() -> None:
    texts, y = ["red car", "blue car", "blue bike"] * 4, [["red"], ["blue", "car"], ["blue"]] * 4
    clf = linnet.TextClassifier(classes=["red", "car", "blue"]).fit(texts, y)
    assert clf.classes_.tolist() == ["red", "car", "blue"]
    assert clf.predict_proba(texts).shape == (12, 3)


@pytest.mark.spec("C-03")
def test_risk_of_a_decision_is_that_of_the_label_whatever_the_order() -> None:
    X, y = opinions()
    one, other = (
        linnet.BayesDecision(linnet.MaxEnt(classes=order, tol=1e-8)).fit(X, y)
        for order in (None, ORDER)
    )
    assert one.risk(X, y) == pytest.approx(other.risk(X, y))
    assert one.risk(X, y) == pytest.approx(1 - np.mean(one.predict(X) == y))


@pytest.mark.parametrize(
    ("classes", "error"),
    [(["pos", "neg"], DataError), (["pos", "neg", "neutral", "none"], DataError),
     (["pos", "neg", "neutral", "pos"], ParameterError), ("pos", ParameterError),
     (3, ParameterError)],
)  # fmt: skip
def test_an_order_that_is_not_that_of_the_labels_is_refused(classes: Any, error: Any) -> None:
    X, y = opinions()
    with pytest.raises(error, match="classes"):
        linnet.MaxEnt(classes=classes).fit(X, y)


def test_the_order_belongs_to_the_classifier_of_texts_not_to_its_learner() -> None:
    clf = linnet.TextClassifier(linnet.SVM(classes=["b", "a"]))
    with pytest.raises(ParameterError, match="Give the order of the classes to the TextClassifier"):
        clf.fit(["x y", "z", "x", "z y"], ["a", "b", "a", "b"])


@pytest.mark.spec("C-03")
@pytest.mark.parametrize(
    "learner",
    [linnet.CRF(tol=1e-8), linnet.MEMM(tol=1e-8), linnet.StructuredSVM(random_state=0),
     linnet.StructuredPerceptron(random_state=0), linnet.StructuredMIRA(random_state=0),
     linnet.HMM()],
    ids=lambda learner: type(learner).__name__,
)  # fmt: skip
def test_taggers_keep_the_order_in_their_tables_and_files(learner: Any, tmp_path: Path) -> None:
    words = [["the", "dog", "runs"], ["dogs", "run"], ["the", "dogs", "run"], ["a", "dog", "ran"]]
    y = [["D", "N", "V"], ["N", "V"], ["D", "N", "V"], ["D", "N", "V"]]
    X = words if isinstance(learner, linnet.HMM) else [[[w] for w in row] for row in words]
    order = ["V", "D", "N"]
    plain = linnet.estimator.clone(learner).fit(X, y)
    own = linnet.estimator.clone(learner).set_params(classes=order).fit(X, y)
    assert (plain.classes_.tolist(), own.classes_.tolist()) == (["D", "N", "V"], order)
    assert own.predict(X) == plain.predict(X) == y
    if isinstance(own, (linnet.CRF, linnet.MEMM, linnet.HMM)):
        moved = [plain.classes_.tolist().index(tag) for tag in order]
        np.testing.assert_allclose(
            own.transition_, plain.transition_[np.ix_(moved, moved)], atol=1e-3
        )
    linnet.save(own, tmp_path / "tagger.linnet")
    assert linnet.load(tmp_path / "tagger.linnet").classes_.tolist() == order
    tagger = linnet.SequenceTagger(linnet.estimator.clone(own), constraints=None).fit(words, y)
    assert tagger.classes_.tolist() == order
    tagger.save(tmp_path / "model.linnet")
    again = linnet.load(tmp_path / "model.linnet")
    assert again.classes_.tolist() == order
    assert again.predict(words) == tagger.predict(words)


@pytest.mark.spec("C-03")
def test_an_order_of_tags_that_are_not_there_is_refused_and_pieces_keep_theirs() -> None:
    X, y = [[["the"], ["dog"]], [["dogs"]]], [["D", "N"], ["N"]]
    with pytest.raises(DataError, match="classes must be the labels"):
        linnet.CRF(classes=["D", "N", "V"]).fit(X, y)
    with pytest.raises(ParameterError, match="numbers its labels itself"):
        linnet.LocalTagger(linnet.MaxEnt(classes=["N", "D"])).fit(X, y)
    tagger = linnet.StructuredPerceptron().partial_fit(X[:1], y[:1], classes=["N", "V", "D"])
    assert tagger.partial_fit(X[1:], y[1:]).classes_.tolist() == ["N", "V", "D"]
