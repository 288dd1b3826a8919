"""TextClassifier as an estimator: learners, parameters, refusals, and fits that fail."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

import linnet
from linnet import TextClassifier
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.model.fitting import linear as linear_fitting

from .made import bags_of, same_bits, texts_of

TEXTS, LABELS = texts_of(90)
PAIR, PAIR_LABELS = texts_of(60, classes=2, seed=1)
NEW = [*texts_of(30, seed=2)[0], "", "unseen words only", "goal goal goal soup", "ÄPFEL"]


NOT_LINEAR = (
    "BayesDecision",
    "DecisionTree",
    "GaussianBayes",
    "GaussianNB",
    "KernelPerceptron",
    "KernelSVM",
    "MemoryBased",
    "ParzenWindows",
)


def learners_of_linnet() -> list[str]:
    return [
        name
        for name in linnet.__all__
        if name not in ("RowClassifier", "TextClassifier", *NOT_LINEAR)
        and hasattr(getattr(linnet, name), "fit")
        and is_classifier(getattr(linnet, name)())
    ]


@pytest.fixture(scope="module")
def fitted() -> TextClassifier:
    return TextClassifier().fit(TEXTS, LABELS)


# Any learner


@pytest.mark.parametrize("texts, labels", [(TEXTS, LABELS), (PAIR, PAIR_LABELS)])
@pytest.mark.parametrize("name", learners_of_linnet())
def test_every_linear_learner_of_linnet_decides_as_it_would_by_itself(
    name: str, texts: list[str], labels: list[str]
) -> None:
    clf = TextClassifier(getattr(linnet, name)()).fit(texts, labels)
    assert clf.score(texts, labels) > 0.8
    matrix = clf.features_.transform(NEW)
    own = clf.learner_.decision_function(matrix)
    np.testing.assert_allclose(clf.decision_function(NEW), own, rtol=1e-4, atol=1e-4)
    assert clf.record_["learner"] == name


@pytest.mark.parametrize(
    "learner",
    [LogisticRegression(), LinearSVC(), RidgeClassifier(), SGDClassifier(random_state=0)],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.parametrize("texts, labels", [(TEXTS, LABELS), (PAIR, PAIR_LABELS)])
def test_linear_classifiers_of_scikit_learn_can_be_used(
    learner: Any, texts: list[str], labels: list[str], tmp_path: Any
) -> None:
    clf = TextClassifier(learner).fit(texts, labels)
    assert clf.score(texts, labels) > 0.8
    clf.save(tmp_path / "m.linnet")
    same_bits(clf, linnet.load(tmp_path / "m.linnet"), NEW)


def test_gaussian_naive_bayes_with_a_shared_variance_is_linear_and_works() -> None:
    clf = TextClassifier(linnet.GaussianNB(variance="shared")).fit(TEXTS, LABELS)
    assert clf.score(TEXTS, LABELS) > 0.8


@pytest.mark.parametrize(
    "learner, message",
    [
        (linnet.GaussianNB(), "variance for each class is not linear; use MaxEnt"),
        (linnet.LinearRegression(), "does not classify; use MaxEnt"),
        (linnet.SVM(multi_class="ovo"), "use multi_class='ovr'"),
        (linnet.MultinomialNB(alpha=0), "alpha > 0"),
        (linnet.BernoulliNB(alpha=0), "alpha > 0"),
        (RandomForestClassifier(n_estimators=2), "no finite linear form; use MaxEnt"),
        (CalibratedClassifierCV(LinearSVC()), "no finite linear form"),
        (linnet.SVM(class_weight={"food": 2.0}), "Give class_weight to TextClassifier"),
        (linnet.MaxEnt(joint_map=lambda x, y: {}), "joint_map"),
        (linnet.SVM, "an estimator such as SVM"),
        ("forest", "no learner 'forest' for texts"),
    ],
)
def test_learners_that_cannot_work_are_refused_with_a_remedy(learner: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        TextClassifier(learner).fit(TEXTS, LABELS)


@pytest.mark.parametrize("name", learners_of_linnet())
def test_every_learner_works_with_hashing(name: str) -> None:
    clf = TextClassifier(getattr(linnet, name)(), hashing=12).fit(TEXTS, LABELS)
    assert clf.score(TEXTS, LABELS) > 0.8


def test_one_against_one_works_for_two_classes_as_it_is_one_machine() -> None:
    assert TextClassifier(linnet.SVM(multi_class="ovo")).fit(PAIR, PAIR_LABELS).score(
        PAIR, PAIR_LABELS
    ) > 0.8  # fmt: skip


def test_bernoulli_naive_bayes_on_vectors_needs_values_of_0_and_1() -> None:
    X = np.random.default_rng(0).integers(0, 3, (40, 6)).astype(float)
    y = (X[:, 0] > 0).astype(int)
    with pytest.raises(ParameterError, match="not linear in the values"):
        TextClassifier(linnet.BernoulliNB()).fit(X, y)
    assert TextClassifier(linnet.BernoulliNB()).fit(np.minimum(X, 1), y).score(
        np.minimum(X, 1), y
    ) > 0.9  # fmt: skip


# The estimator contract


def test_parameters_are_kept_as_given_and_clone_is_independent() -> None:
    given = TextClassifier(linnet.MaxEnt(), ngrams=(1, 3), C=2.0, abstain=0.5)
    twin = clone(given).set_params(learner__tol=1e-2, ngrams=1)
    assert given.learner.tol == 1e-4 and given.ngrams == (1, 3)
    assert twin.get_params()["learner__tol"] == 1e-2
    before = given.get_params(deep=False)
    given.fit(TEXTS, LABELS)
    assert given.get_params(deep=False) == before
    assert not hasattr(given.learner, "coef_")


def test_it_works_in_grid_search_cross_validation_and_pipelines() -> None:
    search = GridSearchCV(TextClassifier(), {"ngrams": [1, (1, 2)], "C": [0.1, 1.0]}, cv=2)
    assert search.fit(TEXTS, LABELS).best_score_ > 0.8
    assert cross_val_score(TextClassifier(), TEXTS, LABELS, cv=3).mean() > 0.8
    pipe = Pipeline([("classify", TextClassifier())]).fit(TEXTS, LABELS)
    assert pipe.score(TEXTS, LABELS) > 0.8


def test_a_pickled_classifier_predicts_the_same_bits(fitted: TextClassifier) -> None:
    same_bits(fitted, pickle.loads(pickle.dumps(fitted)), NEW)


def test_using_it_before_fit_is_an_error_that_scikit_learn_knows_too() -> None:
    from sklearn.exceptions import NotFittedError as Theirs

    for kind in (NotFittedError, Theirs):
        with pytest.raises(kind, match="not fitted"):
            TextClassifier().predict(["x"])
    assert not hasattr(TextClassifier(), "classes_")


@pytest.mark.parametrize(
    "bad, message",
    [
        ({"C": 0}, "C must be"),
        ({"C": "best"}, "C must be"),
        ({"C": True}, "C must be"),
        ({"C": float("nan")}, "C must be"),
        ({"abstain": 1.5}, "abstain must be"),
        ({"abstain": float("nan")}, "abstain must be"),
        ({"abstain_label": ["x"]}, "abstain_label must be"),
        ({"min_df": "few"}, "min_df"),
        ({"class_weight": "even"}, "class_weight"),
        ({"class_weight": {"nowhere": 1}}, "not in y"),
        ({"n_threads": 0}, "n_threads"),
        ({"random_state": -1}, "random_state"),
        ({"learner": linnet.Perceptron(), "C": 1.0}, "has no C"),
        ({"hashing": 10, "max_features": 5}, "hashing"),
    ],
)
def test_parameters_that_cannot_work_are_refused(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        TextClassifier(**bad).fit(TEXTS, LABELS)


@pytest.mark.parametrize(
    "X, y, message",
    [
        (["a b", "c d"], ["same", "same"], "at least 2 classes.*Add examples"),
        (["a b", "c d"], ["x"], "2 rows"),
        (["a b", "c d"], None, "y is None"),
        ("a single text", ["x"], "single one"),
        (5, ["x"], "list or column of texts"),
        (["a b", None], ["x", "y"], "Text 1 is missing"),
        (["a b", 7], ["x", "y"], "Text 1 is of type int"),
        (["", " "], ["x", "y"], "Empty vocabulary"),
        ([], [], "0 samples"),
        (["a", "b"], [float("nan"), 1.0], "NaN"),
        (["a", "b"], [b"x", b"y"], "string or integer"),
        ([{"a": 1}, {"a": b"many"}], ["x", "y"], "must be numbers"),
        ([{"a": 1}, {"a": float("inf")}], ["x", "y"], "NaN, infinite"),
        ([{"a": 1e300}, {"a": 1}], ["x", "y"], "too large"),
        ([{1: 1}, {2: 1}], ["x", "y"], "names of features must be texts"),
        ([{"\ud800": 1}, {"b": 1}], ["x", "y"], "surrogate"),
        ([{"a": 1}, "b"], ["x", "y"], "Row 1 is a str"),
        ([[float("nan")], [1.0]], ["x", "y"], "list"),
    ],
)
def test_data_that_cannot_be_used_is_refused_with_the_place(X: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        TextClassifier().fit(X, y)


# A fit that fails


def test_a_refused_second_fit_leaves_the_classifier_as_it_was() -> None:
    clf = TextClassifier().fit(TEXTS, LABELS)
    before, state = clf.decision_function(NEW), dict(vars(clf))
    for X, y in ((["", ""], ["a", "b"]), (TEXTS, LABELS[:-1]), (["a"], ["b"])):
        with pytest.raises(DataError):
            clf.fit(X, y)
        assert vars(clf) == state
        assert clf.decision_function(NEW).tobytes() == before.tobytes()


def test_an_interrupted_second_fit_leaves_the_classifier_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clf = TextClassifier().fit(TEXTS, LABELS)
    state = dict(vars(clf))

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(linear_fitting, "record_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(PAIR, PAIR_LABELS)
    assert vars(clf) == state


def test_a_second_fit_on_bags_forgets_the_features_of_texts() -> None:
    clf = TextClassifier().fit(TEXTS, LABELS).fit(bags_of(TEXTS), LABELS)
    assert not hasattr(clf, "features_")
