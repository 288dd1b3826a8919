"""scikit-learn's parameters mean here what they mean there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import linear_model, svm
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_extraction import text

from linnet.compat.sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from linnet.compat.sklearn.linear_model import LogisticRegression, SGDClassifier
from linnet.compat.sklearn.svm import LinearSVC
from linnet.errors import ParameterError

TEXTS = ["The good old Book", "the bad book, the bad film", "A café in 1984", "good film good"]
X, Y = load_iris(return_X_y=True)
X = X - X.mean(axis=0)


@pytest.mark.parametrize(
    "settings",
    [
        {}, {"ngram_range": (1, 2)}, {"analyzer": "char_wb", "ngram_range": (2, 3)},
        {"binary": True, "min_df": 2}, {"stop_words": "english"}, {"token_pattern": r"\w+"},
        {"tokenizer": str.split, "token_pattern": None}, {"lowercase": False},
        {"analyzer": str.split},
        {"strip_accents": "unicode", "max_df": 0.5}, {"vocabulary": ["good", "bad"]},
    ],
)  # fmt: skip
def test_the_matrix_is_scikit_learns(settings: dict[str, Any]) -> None:
    ours, theirs = CountVectorizer(**settings), text.CountVectorizer(**settings)
    a, b = ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS)
    assert a.dtype == b.dtype and (a.toarray() == b.toarray()).all()
    assert ours.vocabulary_ == theirs.vocabulary_
    assert (ours.transform(TEXTS[:1]).toarray() == a[:1].toarray()).all()
    kept = [[set(row) for row in one.inverse_transform(a)] for one in (ours, theirs)]
    assert kept[0] == kept[1]


@pytest.mark.parametrize(
    "settings",
    [{}, {"use_idf": False}, {"sublinear_tf": True, "norm": "l1"}, {"binary": True, "norm": None},
     {"use_idf": False, "binary": True}, {"smooth_idf": False}],
)  # fmt: skip
def test_tfidf_is_scikit_learns(settings: dict[str, Any]) -> None:
    ours, theirs = TfidfVectorizer(**settings), text.TfidfVectorizer(**settings)
    a, b = ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS)
    np.testing.assert_allclose(a.toarray(), b.toarray(), atol=1e-6)
    if settings.get("use_idf", True):
        np.testing.assert_allclose(ours.idf_, theirs.idf_, atol=1e-6)


def mean_objective(model: Any, alpha: float, loss: str, targets: np.ndarray) -> float:
    """Return what SGDClassifier minimises, summed over the classes."""
    total = 0.0
    for k, (w, b) in enumerate(zip(model.coef_, model.intercept_, strict=True)):
        margins = np.where(targets == k, 1.0, -1.0) * (X @ w + b)
        losses = np.log1p(np.exp(-margins)) if loss == "log_loss" else np.maximum(0, 1 - margins)
        total += alpha / 2 * w @ w + losses.mean()
    return total


@pytest.mark.parametrize("loss", ["hinge", "log_loss"])
def test_no_stochastic_steps_come_below_the_objective_reached(loss: str) -> None:
    alpha = 0.01
    ours = SGDClassifier(loss, alpha=alpha, random_state=0).fit(X, Y)
    theirs = linear_model.SGDClassifier(
        loss, alpha=alpha, random_state=0, max_iter=3000, tol=None, average=True
    ).fit(X, Y)
    here, there = (mean_objective(model, alpha, loss, Y) for model in (ours, theirs))
    folded = 0.02 if loss == "hinge" else 1e-4  # there the intercept is penalised
    assert here <= there * (1 + folded) and there <= here * 1.05, "the same problem"
    assert ours.coef_.shape == theirs.coef_.shape and ours.n_features_in_ == 4


def test_optima_are_scikit_learns() -> None:
    ours = LogisticRegression(C=0.5, tol=1e-8).fit(X, Y)
    theirs = linear_model.LogisticRegression(C=0.5, tol=1e-10, max_iter=10_000).fit(X, Y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    machine = LinearSVC(C=0.5, tol=1e-8, max_iter=100_000, random_state=0).fit(X, Y)
    other = svm.LinearSVC(C=0.5, tol=1e-8, max_iter=1_000_000, random_state=0).fit(X, Y)
    np.testing.assert_allclose(machine.coef_, other.coef_, atol=1e-3)


def test_probabilities_are_there_where_the_loss_has_them() -> None:
    ours = SGDClassifier("log_loss", alpha=0.01).fit(X, Y)
    np.testing.assert_allclose(ours.predict_proba(X).sum(axis=1), 1.0)
    np.testing.assert_allclose(ours.predict_log_proba(X), np.log(ours.predict_proba(X)))
    with pytest.raises(AttributeError, match="not available for this loss"):
        SGDClassifier().fit(X, Y).predict_proba(X)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(SGDClassifier, linear_model.SGDClassifier), (LinearSVC, svm.LinearSVC),
     (LogisticRegression, linear_model.LogisticRegression),
     (CountVectorizer, text.CountVectorizer), (TfidfVectorizer, text.TfidfVectorizer)],
)  # fmt: skip
def test_every_parameter_of_there_is_taken(ours: Any, theirs: Any) -> None:
    missing = set(theirs().get_params()) - set(ours().get_params())
    assert missing - {"multi_class"} == set()
    copied = clone(ours())
    assert copied.get_params().keys() == ours().get_params().keys()


def test_what_cannot_be_done_here_is_said() -> None:
    with pytest.raises(ParameterError, match="loss='modified_huber' is not learned here, 'hinge'"):
        SGDClassifier("modified_huber").fit(X, Y)
    with pytest.raises(ParameterError, match=r"linnet\.Perceptron makes its steps"):
        SGDClassifier("perceptron").fit(X, Y)
    assert not hasattr(SGDClassifier(), "partial_fit")
    with pytest.raises(AttributeError, match=r"linnet\.Perceptron and linnet\.MIRA have one"):
        SGDClassifier().partial_fit(X, Y)
    with pytest.raises(ParameterError, match="alpha"):
        SGDClassifier(alpha=0.0).fit(X, Y)
    with pytest.raises(ParameterError, match="needs loss='log_loss' here"):
        SGDClassifier(penalty="elasticnet").fit(X, Y)
    with pytest.raises(ParameterError, match="pass their texts"):
        CountVectorizer(input="filename").fit(["a.txt"])
    with pytest.raises(ParameterError, match="prepare the texts first"):
        CountVectorizer(preprocessor=str.upper).fit(TEXTS)
