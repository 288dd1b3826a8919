"""RowClassifier: rows of symbols and numbers in, labels out, for every learner."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import linnet
from linnet.data import RowTable, load_iris, read_rows
from linnet.errors import DataError, NotFittedError, ParameterError

ROWS = [["sunny", 30.0], ["sunny", 20.0], ["rain", 20.0], ["rain", 10.0], ["fog", 15.0]] * 8
LABELS = ["stay", "go", "stay", "stay", "stay"] * 8
MIXED: dict[str, Any] = {
    "memory": linnet.MemoryBased(feature_weights="gain_ratio"),
    "mvdm": linnet.MemoryBased(3, "mvdm", vote="inverse_distance"),
    "cosine": linnet.MemoryBased(3, "cosine"),
    "tree": linnet.DecisionTree(),
    "kernel": linnet.KernelSVM(C=100.0),
    "kernel perceptron": linnet.KernelPerceptron(),
    "maxent": linnet.MaxEnt(),
    "svm": linnet.SVM(loss="squared_hinge"),
    "perceptron": linnet.Perceptron(),
    "mira": linnet.MIRA(),
    "naive bayes": linnet.MultinomialNB(),
    "bernoulli": linnet.BernoulliNB(),
}
NUMERIC: dict[str, Any] = {
    "gaussian": linnet.GaussianBayes(),
    "gaussian diagonal": linnet.GaussianBayes("diagonal"),
    "parzen": linnet.ParzenWindows(h=0.5),
    "gaussian naive bayes": linnet.GaussianNB(),
}
each_mixed = pytest.mark.parametrize("learner", MIXED.values(), ids=MIXED.keys())
each_numeric = pytest.mark.parametrize("learner", NUMERIC.values(), ids=NUMERIC.keys())


# Every learner


@each_mixed
def test_every_learner_takes_symbols_and_numbers(learner: Any) -> None:
    clf = linnet.RowClassifier(learner).fit(ROWS, LABELS)
    assert clf.score(ROWS, LABELS) >= 0.8
    p = clf.predict_proba(ROWS)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    best, shares = clf.predict_top(ROWS, 2)
    assert best[:, 0].tolist() == clf.predict(ROWS).tolist()
    np.testing.assert_array_equal(shares[:, 0], p.max(axis=1))
    assert clf.predict([["never seen", 12.0]])[0] in LABELS
    assert clf.record_["examples"] == len(ROWS)


@each_numeric
def test_densities_take_numbers_and_decide_as_they_would_by_themselves(learner: Any) -> None:
    iris = load_iris()
    clf = linnet.RowClassifier(learner).fit(iris.X.tolist(), iris.y.tolist())
    own = clone(learner).fit(iris.X, iris.y)
    assert clf.predict(iris.X).tolist() == own.predict(iris.X).tolist()
    np.testing.assert_array_equal(clf.predict_proba(iris.X), own.predict_proba(iris.X))


@each_numeric
def test_densities_refuse_symbols_and_say_what_to_use(learner: Any) -> None:
    with pytest.raises(ParameterError, match="column x0 holds symbols.*MemoryBased, DecisionTree"):
        linnet.RowClassifier(learner).fit(ROWS, LABELS)


@pytest.mark.spec("M-72")
def test_linear_learners_see_an_indicator_for_each_value() -> None:
    clf = linnet.RowClassifier(linnet.MaxEnt()).fit(ROWS, LABELS)
    names = clf.model_.vectors.names()
    assert names == ["x0=sunny", "x0=rain", "x0=fog", "x1"]
    assert clf.model_.reader.inputs([["rain", 30.0]], 1).toarray().tolist() == [[0, 1, 0, 1.5]]
    assert clf.model_.top_features(1)["go"][0][0] == "x0=sunny"


def test_numbers_without_symbols_stay_as_they_are() -> None:
    iris = load_iris()
    clf = linnet.RowClassifier(linnet.KernelSVM()).fit(iris.X, iris.y)
    np.testing.assert_array_equal(clf.model_.reader.inputs(iris.X, 1).toarray(), iris.X)
    own = linnet.KernelSVM().fit(iris.X, iris.y)
    assert clf.predict(iris.X).tolist() == own.predict(iris.X).tolist()


def test_all_forms_of_rows_give_the_same_answers() -> None:
    import pandas

    names = ["outlook", "degrees"]
    forms: list[Any] = [
        ROWS,
        np.array(ROWS, dtype=object),
        pandas.DataFrame(ROWS, columns=names),
        [dict(zip(names, row, strict=True)) for row in ROWS],
        RowTable(names, [[row[0] for row in ROWS], np.array([row[1] for row in ROWS])]),
    ]
    for learner in (linnet.DecisionTree(), linnet.MaxEnt()):
        answers = [linnet.RowClassifier(learner).fit(X, LABELS).predict_proba(X) for X in forms]
        for other in answers[1:]:
            np.testing.assert_allclose(answers[0], other, atol=1e-12)


def test_named_columns_are_found_whatever_their_order() -> None:
    rows = [{"outlook": o, "degrees": d} for o, d in ROWS]
    clf = linnet.RowClassifier().fit(rows, LABELS)
    turned = RowTable(
        ["degrees", "day", "outlook"],
        [np.array([20.0, 20.0]), ["mon", "tue"], ["sunny", "rain"]],
    )
    assert clf.predict(turned).tolist() == ["go", "stay"]
    with pytest.raises(DataError, match="no column 'outlook'; it has degrees"):
        clf.predict(RowTable(["degrees"], [np.array([20.0])]))


# Real data


@pytest.mark.spec("R-06", "E-07")
@pytest.mark.parametrize(
    "weights, k, correct",
    [
        ("none", 1, 821), ("none", 3, 694), ("none", 5, 595),
        ("gain_ratio", 1, 919), ("gain_ratio", 3, 916), ("gain_ratio", 5, 906),
        ("information_gain", 1, 918), ("information_gain", 3, 920), ("information_gain", 5, 913),
        ("chi2", 1, 918), ("chi2", 3, 921), ("chi2", 5, 913),
    ],
)  # fmt: skip
def test_the_twelve_accuracies_of_timbl(
    weights: Any, k: int, correct: int, data_dir: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = data_dir("dimin_nl")
    train, test = (read_rows(folder / f"dimin.{part}") for part in ("train", "test"))
    clf = linnet.RowClassifier(linnet.MemoryBased(k, feature_weights=weights))
    clf.fit(train.table, train.labels)
    truth = np.array(test.labels)
    assert int((clf.predict(test.table) == truth).sum()) == correct
    clf.save(tmp_path / "m.linnet")
    judged = linnet.load(tmp_path / "m.linnet").judge(test.table)
    assert int((judged.labels == truth).sum()) == correct


# Deciding


def test_ties_are_broken_by_the_learner_and_not_by_the_order_of_labels() -> None:
    rows, labels = [["a", "p"], ["a", "q"], ["b", "q"], ["b", "p"]], ["z", "y", "z", "y"]
    clf = linnet.RowClassifier(linnet.MemoryBased()).fit(rows, labels)
    judged = clf.model_.judge([["a", "new"]])
    assert judged.probability[0].tolist() == [0.5, 0.5]
    assert judged.labels.tolist() == clf.predict([["a", "new"]]).tolist() == ["z"]
    assert clf.predict_top([["a", "new"]], 2)[0].tolist() == [["z", "y"]]


def test_a_classifier_may_abstain() -> None:
    clf = linnet.RowClassifier(linnet.MemoryBased(), abstain=0.7, abstain_label="unsure")
    clf.fit([["a"], ["a"], ["a"], ["b"], ["b"]], ["x", "x", "y", "y", "y"])
    assert clf.predict([["a"], ["b"]]).tolist() == ["unsure", "y"]
    assert clf.model_.judge([["a"], ["b"]]).abstained.tolist() == [True, False]
    assert clf.score([["a"], ["b"]], ["x", "y"]) == 0.5


def test_class_weights_count_where_the_learner_weighs_examples() -> None:
    rows, labels = [["a"]] * 5, ["x", "x", "x", "y", "y"]
    tree = linnet.RowClassifier(linnet.DecisionTree(), class_weight={"y": 9.0}).fit(rows, labels)
    assert tree.predict([["a"]]).tolist() == ["y"]
    with pytest.raises(ParameterError, match="MemoryBased does not weigh examples"):
        linnet.RowClassifier(class_weight="balanced").fit(rows, labels)


def test_held_out_examples_choose_c_and_calibrate() -> None:
    rng = np.random.default_rng(0)
    rows = [[str(a), str(b)] for a, b in rng.integers(0, 4, (400, 2))]
    labels = ["odd" if (int(a) + int(b)) % 2 and rng.random() < 0.8 else "even" for a, b in rows]
    linear = linnet.RowClassifier(linnet.MaxEnt()).fit(rows, labels)
    assert linear.tuning_.n_held_out == 400
    assert linear.learner_.C == linear.tuning_.C
    fixed = linnet.RowClassifier(linnet.MaxEnt(), C=2.0).fit(rows, labels)
    assert fixed.learner_.C == 2.0
    kernel = linnet.RowClassifier(linnet.KernelSVM(C=10.0)).fit(rows, labels)
    sure = kernel.predict_proba(rows).max(axis=1)
    right = kernel.predict(rows) == np.array(labels)
    assert abs(sure.mean() - right.mean()) < 0.1


def test_kinds_overrule_what_the_values_look_like() -> None:
    clf = linnet.RowClassifier(linnet.MaxEnt(), kinds={"x0": "symbolic"})
    clf.fit([[1, 2.0], [2, 3.0], [1, 4.0]], ["a", "b", "a"])
    assert clf.model_.kinds == ["symbolic", "numeric"]
    tree = linnet.RowClassifier(linnet.DecisionTree(), kinds="symbolic")
    assert tree.fit([[1], [2]], ["a", "b"]).model_.kinds == ["symbolic"]


def test_it_is_an_estimator_of_scikit_learn() -> None:
    clf = linnet.RowClassifier(linnet.MemoryBased(3), abstain=0.1)
    twin = clone(clf)
    assert twin is not clf and twin.learner.k == 3 and twin.abstain == 0.1
    search = GridSearchCV(linnet.RowClassifier(linnet.MemoryBased()), {"learner__k": [1, 3]}, cv=2)
    assert search.fit(np.array(ROWS, dtype=object), LABELS).best_params_["learner__k"] in (1, 3)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        linnet.RowClassifier().predict(ROWS)


# What cannot be


@pytest.mark.parametrize(
    "rows, labels, message",
    [
        ([["a", 1], ["b"]], ["x", "y"], "Row 1 has 1 values, row 0 has 2"),
        ([["a"], ["b"]], ["x"], "inconsistent|labels"),
        ([["a"], ["b"]], ["x", "x"], "1 class|one class|two classes"),
        ([], [], "0 feature|0 samples"),
        (["a b", "c d"], ["x", "y"], "for texts use TextClassifier"),
        ("abc", ["x"], "single one"),
        ([["a"], ["b"]], None, "requires y"),
        ([[None], [None]], ["x", "y"], "no value at all"),
    ],
)
def test_bad_training_rows_are_refused(rows: Any, labels: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        linnet.RowClassifier().fit(rows, labels)


@pytest.mark.parametrize(
    "learner", [linnet.LinearRegression(), linnet.CRF(), linnet.DecisionTree, 3]
)
def test_what_is_no_flat_classifier_of_linnet_is_refused(learner: Any) -> None:
    with pytest.raises(ParameterError, match="must be a classifier of linnet"):
        linnet.RowClassifier(learner).fit(ROWS, LABELS)


def test_a_name_that_no_learner_has_is_refused_with_those_there_are() -> None:
    with pytest.raises(ParameterError, match=r"no learner 'forest' for rows; there are"):
        linnet.RowClassifier("forest").fit([["a"], ["b"]], [0, 1])


def test_text_in_a_column_of_numbers_is_refused_when_predicting() -> None:
    for learner in (None, linnet.DecisionTree(), linnet.MaxEnt()):
        clf = linnet.RowClassifier(learner).fit(ROWS, LABELS)
        with pytest.raises(DataError, match="x1, row 0: 'warm' is not a number"):
            clf.predict([["sunny", "warm"]])
        with pytest.raises(DataError, match="features|values"):
            clf.predict([["sunny"]])


def test_missing_values_are_for_learners_that_take_them() -> None:
    rows = [["a", 1.0], [None, 2.0], ["b", None]] * 3
    labels = ["x", "y", "y"] * 3
    for learner in (None, linnet.DecisionTree()):
        assert linnet.RowClassifier(learner).fit(rows, labels).score(rows, labels) == 1.0
    with pytest.raises(DataError, match="column x1, row 2 is missing"):
        linnet.RowClassifier(linnet.KernelSVM()).fit(rows, labels)


def test_a_failed_fit_leaves_the_classifier_as_it_was() -> None:
    clf = linnet.RowClassifier().fit(ROWS, LABELS)
    before = clf.model_
    with pytest.raises(DataError):
        clf.fit([["a"]], ["x", "y"])
    assert clf.model_ is before
