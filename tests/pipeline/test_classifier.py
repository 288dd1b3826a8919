"""TextClassifier as an estimator: learners, parameters, weights, refusals, reproducibility."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

import linnet
from linnet import TextClassifier
from linnet.data.columns import TextColumn
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.pipeline import fitting

from .made import bags_of, same_bits, texts_of

TEXTS, LABELS = texts_of(90)
PAIR, PAIR_LABELS = texts_of(60, classes=2, seed=1)
NEW = [*texts_of(30, seed=2)[0], "", "unseen words only", "goal goal goal soup", "ÄPFEL"]


def learners_of_linnet() -> list[str]:
    return [
        name
        for name in linnet.__all__
        if name not in ("TextClassifier", "GaussianNB")
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
        ("svm", "an estimator such as SVM"),
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
        ([{"a": 1}, {"a": "many"}], ["x", "y"], "must be numbers"),
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


# Kinds of input


def test_columns_lists_and_generators_of_the_same_texts_give_the_same_bits() -> None:
    import pandas as pd
    import pyarrow as pa

    model = TextClassifier().fit(TEXTS, LABELS)
    for X in (
        tuple(TEXTS), TextColumn.from_strings(TEXTS), pa.array(TEXTS), pd.Series(TEXTS),
        np.array(TEXTS), (text for text in TEXTS),
    ):  # fmt: skip
        same_bits(model, TextClassifier().fit(X, LABELS), NEW)


def test_labels_may_be_lists_arrays_and_series() -> None:
    import pandas as pd

    model = TextClassifier().fit(TEXTS, LABELS)
    for y in (tuple(LABELS), np.array(LABELS), np.array(LABELS, object), pd.Series(LABELS)):
        same_bits(model, TextClassifier().fit(TEXTS, y), NEW)


@pytest.mark.parametrize("values", [(0, 1), (False, True), (-1.0, 2.0), ("−", "très bien"), (7, 3)])
def test_labels_of_every_plain_kind_come_back_as_given(values: Any, tmp_path: Any) -> None:
    y = [values[label == "food"] for label in PAIR_LABELS]
    clf = TextClassifier().fit(PAIR, y)
    assert clf.classes_.tolist() == sorted(values)
    assert set(map(type, clf.predict(PAIR).tolist())) == {type(values[0])}
    clf.save(tmp_path / "m.linnet")
    same_bits(clf, linnet.load(tmp_path / "m.linnet"), NEW)
    same_bits(clf, clf.model_, NEW)


def test_bags_of_counts_are_weighted_as_texts_are() -> None:
    settings: dict[str, Any] = {"ngrams": 1, "tokenizer": "whitespace", "C": 1.0}
    texts = TextClassifier(**settings).fit(TEXTS, LABELS)
    bags = TextClassifier(**settings).fit(bags_of(TEXTS), LABELS)
    assert bags.kind == "bag" and not hasattr(bags, "features_")
    np.testing.assert_allclose(
        bags.decision_function(bags_of(NEW)), texts.decision_function(NEW), atol=1e-5
    )


@pytest.mark.parametrize("weighting", ["count", "binary", "tfidf", "log_count_ratio"])
@pytest.mark.parametrize("norm", [None, "l2"])
def test_every_weighting_is_the_same_for_bags_and_texts(weighting: str, norm: Any) -> None:
    settings: dict[str, Any] = {"ngrams": 1, "tokenizer": "whitespace", "C": 1.0, "norm": norm}
    settings |= {"weighting": weighting, "sublinear_tf": False, "max_features": 12}
    texts = TextClassifier(**settings).fit(TEXTS, LABELS)
    bags = TextClassifier(**settings).fit(bags_of(TEXTS), LABELS)
    assert bags.model_.n_features == 12
    np.testing.assert_allclose(
        bags.decision_function(bags_of(NEW)), texts.decision_function(NEW), atol=1e-4
    )


def test_bags_of_other_values_than_counts_are_taken_as_they_are() -> None:
    bags = [{"x": 0.1, "y": -2.0}, {"x": 0.9, "y": 2.0}] * 12
    clf = TextClassifier().fit(bags, [0, 1] * 12)
    settings = clf.model_.extractor.settings
    assert (settings.count, settings.norm, clf.model_.extractor.scale) == ("plain", "none", None)
    found = clf.explain({"x": 0.5})
    assert found.contributions[0].value == pytest.approx(0.5)


def test_vectors_may_be_dense_or_sparse_and_sparse_ones_narrower_or_wider() -> None:
    X = sp.random(60, 9, 0.4, random_state=0, format="csr")
    y = (X.toarray()[:, 0] > 0).astype(int)
    clf = TextClassifier().fit(X, y)
    assert clf.kind == "vector"
    same_bits(clf, TextClassifier().fit(X.toarray(), y), X)
    scores = clf.decision_function(X)
    wide = sp.hstack([X, np.ones((60, 2))]).tocsr()
    assert clf.decision_function(wide).tobytes() == scores.tobytes()
    narrow = X.copy()
    narrow.data[narrow.indices == 8] = 0
    narrow.eliminate_zeros()
    assert clf.decision_function(narrow[:, :8]).tobytes() == clf.decision_function(narrow).tobytes()
    with pytest.raises(DataError, match="8 features, the model has 9"):
        clf.predict(X.toarray()[:, :8])


def test_vectors_so_large_that_a_score_overflows_are_refused() -> None:
    clf = TextClassifier().fit(np.array([[1.0], [-1.0]] * 12), [0, 1] * 12)
    clf.model_.weights_ = clf.model_.weights_ * 100
    with pytest.raises(DataError, match="rescale"):
        clf.predict(np.array([[1e308]]))


def test_what_a_model_does_not_read_is_refused(fitted: TextClassifier) -> None:
    with pytest.raises(DataError, match="reads texts"):
        fitted.predict(bags_of(NEW))
    with pytest.raises(DataError, match=r"pass \[text\]"):
        fitted.predict("one text")
    bags = TextClassifier().fit(bags_of(TEXTS), LABELS)
    for X, message in ((NEW, "row 0 is a str"), ({"a": 1}, "list of feature"), (3, "got int")):
        with pytest.raises(DataError, match=message):
            bags.predict(X)


# Weights


def test_an_example_of_weight_0_counts_as_if_it_were_not_there() -> None:
    weights = np.ones(len(TEXTS))
    weights[::7] = 0
    kept = np.flatnonzero(weights)
    part = TextClassifier().fit([TEXTS[i] for i in kept], [LABELS[i] for i in kept])
    for X in (TEXTS, TextColumn.from_strings(TEXTS), np.array(TEXTS)):
        whole = TextClassifier().fit(X, LABELS, sample_weight=weights)
        assert whole.record_["examples"] == len(kept)
        same_bits(part, whole, NEW)


def test_a_weight_of_2_counts_like_two_copies() -> None:
    twice = TextClassifier(linnet.SVM(loss="squared_hinge", tol=1e-8), C=1.0, weighting="count")
    copies = clone(twice).fit(TEXTS * 2, LABELS * 2)
    weighted = twice.fit(TEXTS, LABELS, sample_weight=np.full(len(TEXTS), 2.0))
    np.testing.assert_allclose(
        copies.decision_function(NEW), weighted.decision_function(NEW), atol=1e-3
    )


def test_balanced_classes_are_the_weights_that_even_them_out() -> None:
    texts, labels = TEXTS[:30] + PAIR[::2], LABELS[:30] + PAIR_LABELS[::2]
    balanced = TextClassifier(class_weight="balanced", C=1.0).fit(texts, labels)
    names, counts = np.unique(labels, return_counts=True)
    factor = {name: len(labels) / (len(names) * c) for name, c in zip(names, counts, strict=True)}
    by_hand = TextClassifier(class_weight={str(k): v for k, v in factor.items()}, C=1.0)
    same_bits(balanced, by_hand.fit(texts, labels), NEW)


def test_a_heavier_class_is_predicted_more_often() -> None:
    plain = TextClassifier(C=1.0).fit(TEXTS, LABELS).predict(NEW)
    heavy = TextClassifier(C=1.0, class_weight={"food": 50.0}).fit(TEXTS, LABELS).predict(NEW)
    assert (heavy == "food").sum() > (plain == "food").sum()


# The same bits


@pytest.mark.parametrize("options", [{}, {"learner": linnet.MaxEnt()}, {"hashing": 12}])
def test_the_number_of_threads_changes_no_bit(options: dict[str, Any]) -> None:
    models = [TextClassifier(**options, n_threads=n).fit(TEXTS, LABELS) for n in (1, 2, 4)]
    for other in models[1:]:
        same_bits(models[0], other, NEW * 20)


@pytest.mark.parametrize("kind", ["text", "bag", "vector"])
def test_a_prediction_depends_neither_on_the_batch_nor_on_the_order(kind: str) -> None:
    if kind == "text":
        clf, X = TextClassifier().fit(TEXTS, LABELS), NEW
    elif kind == "bag":
        clf, X = TextClassifier().fit(bags_of(TEXTS), LABELS), bags_of(NEW)
    else:
        matrix = TextClassifier().fit(TEXTS, LABELS).features_.transform(TEXTS)
        clf, X = TextClassifier().fit(matrix, LABELS), matrix[:40]
    whole = clf.decision_function(X)
    n = len(whole)
    single = np.vstack([clf.decision_function(X[i : i + 1]) for i in range(n)])
    assert single.tobytes() == whole.tobytes()
    if kind != "vector":
        back = clf.decision_function(X[::-1])
        assert np.ascontiguousarray(back[::-1]).tobytes() == whole.tobytes()


def test_the_classifier_and_its_model_agree_in_every_bit(fitted: TextClassifier) -> None:
    same_bits(fitted, fitted.model_, NEW)


def test_no_texts_give_no_answers(fitted: TextClassifier) -> None:
    assert fitted.predict([]).shape == (0,)
    assert fitted.predict_proba([]).shape == (0, 3)
    assert fitted.predict_top([], 2)[0].shape == (0, 2)


# Unusual data


@pytest.mark.parametrize("n", [2, 3, 19, 20, 21])
def test_few_examples_are_enough(n: int) -> None:
    clf = TextClassifier().fit(PAIR[:n], PAIR_LABELS[:n])
    assert (clf.tuning_.n_held_out > 0) == (n >= 20)
    probability = clf.predict_proba(NEW)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)


def test_a_class_with_one_example_duplicates_and_empty_texts_do_no_harm() -> None:
    texts, labels = [*TEXTS, "tuba", *TEXTS[:30], "", ""], [*LABELS, "brass", *LABELS[:30], "food"]
    labels.append("sport")
    clf = TextClassifier().fit(texts, labels)
    assert clf.predict(["tuba"]).tolist() == ["brass"]
    assert clf.score(texts[:90], labels[:90]) > 0.9


def test_two_classes_of_which_one_has_one_example() -> None:
    clf = TextClassifier().fit(["plain words here"] * 24 + ["odd"], ["many"] * 24 + ["one"])
    assert clf.predict(["odd", "plain words"]).tolist() == ["one", "many"]


def test_equal_texts_with_different_labels_give_even_chances() -> None:
    clf = TextClassifier().fit(["same text"] * 40, ["a", "b"] * 20)
    np.testing.assert_allclose(clf.predict_proba(["same text"]), 0.5, atol=0.05)


def test_unknown_words_and_empty_texts_get_the_intercepts(fitted: TextClassifier) -> None:
    scores = fitted.decision_function(["xyzzy plugh", "", "   "])
    assert (scores == fitted.model_.intercept_).all()


def test_a_label_unseen_in_training_counts_as_wrong(fitted: TextClassifier) -> None:
    assert fitted.score(["goal match team"], ["weather"]) == 0.0


def test_score_is_the_weighted_share_of_right_answers(fitted: TextClassifier) -> None:
    right = fitted.predict(NEW[:2]).tolist()
    assert fitted.score(NEW[:2], [right[0], "?"]) == 0.5
    assert fitted.score(NEW[:2], [right[0], "?"], sample_weight=[3, 1]) == 0.75
    with pytest.raises(DataError, match="2 rows, y has 1"):
        fitted.score(NEW[:2], right[:1])


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

    monkeypatch.setattr(fitting, "_record", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(PAIR, PAIR_LABELS)
    assert vars(clf) == state


def test_a_second_fit_on_bags_forgets_the_features_of_texts() -> None:
    clf = TextClassifier().fit(TEXTS, LABELS).fit(bags_of(TEXTS), LABELS)
    assert not hasattr(clf, "features_")
