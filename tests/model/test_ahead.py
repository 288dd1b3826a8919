"""The last fit may be made ahead of time: nothing but the time tells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet
from linnet.model import ahead, linear_fitting
from linnet.model.ahead import Ahead


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    rows, cols, per_row = 4000, 3000, 300
    index = np.sort(rng.permuted(np.tile(np.arange(cols), (rows, 1)), axis=1)[:, :per_row], axis=1)
    X = sp.csr_matrix(
        (rng.random(rows * per_row).astype(np.float32) / 12, index.ravel().astype(np.int32),
         np.arange(0, rows * per_row + 1, per_row)), (rows, cols),
    )  # fmt: skip
    return X, np.where(X @ rng.normal(size=cols) + 0.1 * rng.normal(size=rows) > 0, "yes", "no")


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each fit took what had been fitted ahead."""
    answers: list[bool] = []

    class Told(Ahead):
        def take(self, C: float | None) -> Any:
            fitted = super().take(C)
            answers.append(fitted is not None)
            return fitted

    monkeypatch.setattr(linear_fitting, "Ahead", Told)
    return answers


def test_the_fit_ahead_is_the_fit_afterwards(data: tuple[Any, Any], taken: list[bool]) -> None:
    X, y = data
    after = linnet.TextClassifier("svm", n_threads=1).fit(X, y)
    assert taken == []
    early = linnet.TextClassifier("svm", n_threads=2).fit(X, y)
    assert taken == [True] and len(early.tuning_.path) > 2
    assert early.tuning_ == after.tuning_ and early.record_ == after.record_
    assert (early.learner_.coef_ == after.learner_.coef_).all()
    assert (early.learner_.dual_coef_ == after.learner_.dual_coef_).all()
    assert early.learner_.get_params() == after.learner_.get_params() | {"n_threads": 2}


def test_who_watches_sees_the_last_fit(data: tuple[Any, Any], taken: list[bool]) -> None:
    stages: list[str] = []
    with linnet.watch(lambda step: stages.append(step.stage)):
        linnet.TextClassifier("svm", n_threads=2).fit(*data)
    assert taken == [] and stages[-1] == "fit"


def test_a_fit_ahead_that_falls_short_is_made_again(
    data: tuple[Any, Any], taken: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(self: Any, parts: Any, learner: Any, before: Any) -> None:
        learner.optimality_ = 1.0
        self._fitted = learner

    monkeypatch.setattr(ahead.Ahead, "_run", stopped)
    classifier = linnet.TextClassifier("svm", n_threads=2).fit(*data)
    assert taken == [False] and classifier.learner_.optimality_ <= classifier.learner_.tol
