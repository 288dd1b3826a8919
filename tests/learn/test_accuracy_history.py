"""Accuracy after every iteration, on any examples, for rows and sentences alike (SPEC M-127)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linnet
from linnet import (
    CRF,
    MEMM,
    MIRA,
    SVM,
    MaxEnt,
    PegasosSGD,
    Perceptron,
    StructuredMIRA,
    StructuredPerceptron,
    StructuredSVM,
)  # fmt: skip
from linnet.errors import DataError, ParameterError

from .risks import clouds, words

FLAT: dict[str, Any] = {
    **{f"maxent, {solver}": MaxEnt(solver=solver, random_state=0, max_iter=30)
       for solver in ("dual_cd", "newton", "lbfgs", "gradient_descent", "conjugate_gradient",
                      "gis", "sgd", "probability_sgd")},
    **{f"svm, {solver}": SVM(loss="squared_hinge", multi_class="ovr", solver=solver,
                             random_state=0, max_iter=30)
       for solver in ("dual_cd", "primal_cd", "newton", "lbfgs")},
    "svm, hinge": SVM(random_state=0),
    "svm, pairs": SVM(multi_class="ovr", penalize_intercept=False),
    "svm, ovo": SVM(multi_class="ovo", random_state=0),
    "svm, pegasos": SVM(multi_class="ovr", solver=PegasosSGD(), random_state=0, max_iter=5),
    "scaled": MaxEnt(prior_variance=np.linspace(0.1, 2.0, 40), random_state=0),
    "perceptron": Perceptron(max_iter=4, random_state=0),
    "perceptron, last": Perceptron(max_iter=4, average=False, random_state=0),
    "mira": MIRA(max_iter=4, random_state=0),
}  # fmt: skip
CHAIN: dict[str, Any] = {
    "crf": CRF(max_iter=20), "crf, sgd": CRF(solver="sgd", max_iter=4, random_state=0),
    "memm": MEMM(max_iter=20), "svm": StructuredSVM(max_iter=5, random_state=0),
    "perceptron": StructuredPerceptron(max_iter=4, random_state=0),
    "perceptron, updated pairs": StructuredPerceptron(max_iter=4, pairs="updated", random_state=0),
    "mira": StructuredMIRA(max_iter=4, random_state=0),
}  # fmt: skip


def sentences(n: int) -> tuple[list[list[list[str]]], list[list[str]]]:
    """Words that fit two tags, of which the last one says more."""
    rng = np.random.default_rng(0)
    y = [list(rng.choice(["A", "B", "C"], 5)) for _ in range(n)]
    near = {"A": "B", "B": "C", "C": "A"}
    return [
        [[f"w={tag if rng.random() < 0.7 else near[tag]}{rng.integers(5)}"] for tag in tags]
        for tags in y
    ], [[str(tag) for tag in tags] for tags in y]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.spec("M-127")
@pytest.mark.parametrize("model", FLAT.values(), ids=FLAT.keys())
def test_the_last_accuracies_are_those_of_the_fitted_classifier(model: Any) -> None:
    X, y = words(rows=120, cols=40, classes=3)
    held, gold = words(rows=60, cols=40, classes=3, seed=1)
    plain = linnet.estimator.clone(model).fit(X, y)
    clf = linnet.estimator.clone(model)
    clf.fit(X, y, accuracy_on={"train": (X, y), "held_out": (held, gold)})
    np.testing.assert_array_equal(clf.coef_, plain.coef_)  # watching changes nothing
    for name, examples in {"train": (X, y), "held_out": (held, gold)}.items():
        column = clf.history_[f"{name}_accuracy"]
        assert len(column) == len(clf.history_["iteration"])
        assert ((column >= 0) & (column <= 1)).all()
        assert column[-1] == pytest.approx(clf.score(*examples))
    assert "train_accuracy" not in plain.history_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.spec("M-127")
@pytest.mark.parametrize("model", CHAIN.values(), ids=CHAIN.keys())
def test_the_last_accuracies_are_those_of_the_fitted_tagger(model: Any) -> None:
    X, y = sentences(40)
    plain = linnet.estimator.clone(model).fit(X[:30], y[:30])
    tagger = linnet.estimator.clone(model)
    tagger.fit(X[:30], y[:30], accuracy_on={"train": (X[:30], y[:30]), "held": (X[30:], y[30:])})
    assert tagger.predict(X) == plain.predict(X)
    history = tagger.history_
    assert len(history["held_accuracy"]) == len(history["iteration"]) > 1
    assert history["train_accuracy"][-1] == pytest.approx(tagger.score(X[:30], y[:30]))
    assert history["held_accuracy"][-1] == pytest.approx(tagger.score(X[30:], y[30:]))


@pytest.mark.spec("M-127")
@pytest.mark.parametrize("solver", ["newton", "dual_cd"])
def test_many_classes_solved_in_groups_are_watched_as_few_are(solver: str) -> None:
    X, y = words(rows=400, cols=60, classes=40)
    clf = MaxEnt(multi_class="ovr", solver=solver, random_state=0)
    clf.fit(X, y, accuracy_on={"train": (X, y)})
    column = clf.history_["train_accuracy"]
    assert column[0] < 0.2  # weights of zero choose the first class
    assert column[-1] == pytest.approx(clf.score(X, y))
    assert len(column) > 2 and (column[1:] > 0.2).all()  # those between are no zeros


@pytest.mark.spec("M-127", "M-123")
def test_early_rounds_of_the_record_are_the_models_of_fewer_rounds() -> None:
    X, y = words(rows=150, cols=40, classes=3)
    long = Perceptron(max_iter=5, random_state=0, stop_when_clean=False)
    long.fit(X, y, accuracy_on={"train": (X, y)})
    for rounds in range(1, 6):
        short = Perceptron(max_iter=rounds, random_state=0, stop_when_clean=False).fit(X, y)
        assert long.history_["train_accuracy"][rounds - 1] == pytest.approx(short.score(X, y))


def test_examples_that_do_not_fit_are_refused_and_leave_the_model_alone() -> None:
    X, y = clouds(rows=20)
    clf = MaxEnt().fit(X, y)
    before = clf.coef_.copy()
    with pytest.raises(ParameterError, match=r"accuracy_on must be a dictionary"):
        clf.fit(X, y, accuracy_on=[(X, y)])
    with pytest.raises(DataError, match="features"):
        clf.fit(X, y, accuracy_on={"other": (X[:, :2], y)})
    np.testing.assert_array_equal(clf.coef_, before)
