"""The weight of the losses in the words of the lectures and of SVMlight (SPEC M-74, A-36, E-01)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet import SVM, TextClassifier, lecture
from linnet.data import SentimentCorpus
from linnet.errors import DataError, ParameterError

from .risks import clouds, losses, words


@pytest.mark.spec("M-74", "A-36", "R-05")
@pytest.mark.parametrize("classes", [2, 3])
def test_the_printed_sum_is_the_mean_with_a_regulariser_m_times_smaller(classes: int) -> None:
    X, y = words(rows=80, classes=classes)
    settings: dict[str, Any] = {"tol": 1e-10, "max_iter": 100_000, "random_state": 0}
    printed = SVM(regularizer=2.0, loss_sum=True, **settings).fit(X, y)
    mean = SVM(regularizer=2.0 / 80, **settings).fit(X, y)
    np.testing.assert_allclose(printed.coef_, mean.coef_, atol=1e-6)
    factor = 2.0 if classes == 2 else 1.0  # two columns -w/2 and w/2
    assert printed.C_ == pytest.approx(factor / 2.0)
    assert mean.C_ == pytest.approx(factor / (2.0 / 80 * 80))
    # Eq 1.35 itself: lambda/2 |W|^2 + sum of hinges, W with a column for each class
    W = np.hstack([printed.coef_, printed.intercept_[:, None]])
    square = (W**2).sum() / (2 if classes == 2 else 1)
    value = 2.0 / 2 * square + losses(printed, X, y).sum()
    assert value == pytest.approx(printed.history_["objective"][-1] / printed.C_, rel=1e-9)


@pytest.mark.spec("M-74", "R-05", "A-36")
def test_amazon_books_reach_the_reference_optimum_by_the_lectures_lambda(
    data_dir: Callable[[str], Path],
) -> None:
    books = SentimentCorpus(folder=data_dir("amazon_books"), cutoff_on="all")
    clf = SVM(regularizer=0.1, tol=1e-7, max_iter=100_000, random_state=0)
    clf.fit(books.train_X, books.train_y)
    assert clf.history_["objective"][-1] * 0.1 / 2 == pytest.approx(0.283750096, rel=1e-5)
    M = len(books.train_y)
    printed = SVM(regularizer=0.1 * M, loss_sum=True, tol=1e-7, max_iter=100_000, random_state=0)
    printed.fit(books.train_X, books.train_y)
    assert printed.C_ == pytest.approx(clf.C_)
    np.testing.assert_array_equal(printed.coef_, clf.coef_)


@pytest.mark.spec("M-74", "A-36")
@pytest.mark.parametrize("classes", [2, 3])
def test_the_labs_machine_minimises_the_printed_sum_on_request(classes: int) -> None:
    X, y = clouds(rows=60, classes=classes)
    printed = lecture.SVM(regularizer=6.0, loss_sum=True, nr_epochs=200, initial_step=10.0)
    W = printed.train(X, y)
    same = lecture.SVM(regularizer=0.1, nr_epochs=200, initial_step=10.0)
    np.testing.assert_allclose(W, same.train(X, y))
    np.testing.assert_allclose(printed.objectives, 60 * same.objectives)
    scores = printed.get_scores(X, W)
    own = scores[np.arange(60), y]
    slack = (scores + (np.arange(classes) != y[:, None])).max(axis=1) - own
    value = 6.0 / 2 * (W**2).sum() + slack.sum()
    assert printed.objectives[-1] == pytest.approx(value, rel=1e-9)
    optimum = SVM(regularizer=6.0, loss_sum=True, tol=1e-9, max_iter=100_000).fit(X, y)
    assert value >= optimum.history_["objective"][-1] / optimum.C_ * (1 - 1e-9)
    assert value == pytest.approx(optimum.history_["objective"][-1] / optimum.C_, rel=0.05)


@pytest.mark.spec("E-01")
def test_svmlights_default_is_one_over_the_mean_squared_norm() -> None:
    X, y = words(rows=60)
    clf = SVM(C="svmlight", penalize_intercept=False).fit(X, y)
    assert clf.C_ == pytest.approx(1.0 / X.multiply(X).sum(axis=1).mean())
    same = SVM(C=clf.C_, penalize_intercept=False).fit(X, y)
    np.testing.assert_array_equal(clf.coef_, same.coef_)
    text = TextClassifier(SVM(C="svmlight")).fit(["a b", "b c", "c d", "d a"] * 3, [0, 1, 1, 0] * 3)
    assert text.learner_.C_ == pytest.approx(1.0)  # rows of length 1


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"loss_sum": True}, "needs regularizer"), ({"regularizer": -1.0}, "regularizer"),
     ({"C": "liblinear"}, "C must be")],
)  # fmt: skip
def test_strengths_that_mean_nothing_are_refused(settings: dict[str, Any], reason: str) -> None:
    X, y = clouds(rows=20)
    with pytest.raises(ParameterError, match=reason):
        SVM(**settings).fit(X, y)
    with pytest.raises(DataError, match="all rows are zero"):
        SVM(C="svmlight").fit(np.zeros((4, 2)), [0, 1, 0, 1])
