"""The models of MALLET by their definition: priors, smoothing, default feature (SPEC E-04)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import linnet

from .chains import TOY, TOY_TAGS, enumerate_chain
from .risks import Floats, clouds


@pytest.mark.spec("E-04", "M-53")
@pytest.mark.parametrize("variance", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("classes", [2, 3])
def test_maximum_entropy_under_a_gaussian_prior_with_a_default_feature(
    classes: int, variance: float
) -> None:
    X, y = clouds(rows=60, classes=classes)
    ones = np.column_stack([X, np.ones(len(X))])  # the default feature is under the prior too

    def minus_posterior(flat: Floats) -> float:
        scores = ones @ flat.reshape(-1, classes)
        likelihood = scores[np.arange(len(y)), y] - np.logaddexp.reduce(scores, axis=1)
        return float(-likelihood.sum() + (flat**2).sum() / (2 * variance))

    best = minimize(minus_posterior, np.zeros(ones.shape[1] * classes), tol=1e-10)
    scores = ones @ best.x.reshape(-1, classes)
    expected = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    C = 2 * variance if classes == 2 else variance
    model = linnet.MaxEnt(C=C, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-3)


@pytest.mark.spec("E-04", "M-05")
def test_naive_bayes_with_one_added_to_words_and_labels() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (30, 8)), rng.integers(0, 3, 30)
    words = np.array([X[y == k].sum(axis=0) for k in range(3)]) + 1.0
    labels = np.bincount(y) + 1.0
    scores = X @ np.log(words / words.sum(axis=1, keepdims=True)).T + np.log(labels / labels.sum())
    expected = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    model = linnet.MultinomialNB(alpha=1.0, class_prior=labels / labels.sum()).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)


@pytest.mark.spec("E-04", "M-118")
@pytest.mark.parametrize("variance", [1.0, 10.0])
def test_a_conditional_random_field_under_a_gaussian_prior_by_enumeration(variance: float) -> None:
    model = linnet.CRF(C=variance, pairs="all", transitions="all", tol=1e-10, max_iter=5000)
    model.fit(TOY, TOY_TAGS)
    labels, words = model.classes_.tolist(), list(model.vocabulary_)
    L, J = len(labels), len(words)

    def parts(flat: Floats) -> Any:
        sizes = np.cumsum([J * L, L * L, L])
        state, transition, start, stop = np.split(flat, sizes)
        return state.reshape(J, L), transition.reshape(L, L), start, stop

    def minus_posterior(flat: Floats) -> float:
        state, transition, start, stop = parts(flat)
        total = (flat**2).sum() / (2 * variance)
        for sentence, tags in zip(TOY, TOY_TAGS, strict=True):
            rows = np.array([state[words.index(token[0])] for token in sentence])
            paths, scores = enumerate_chain(rows, transition, start, stop)
            gold = paths.index(tuple(labels.index(tag) for tag in tags))
            total += np.logaddexp.reduce(scores) - scores[gold]
        return float(total)

    best = minimize(minus_posterior, np.zeros(J * L + L * L + 2 * L), tol=1e-9)
    _, transition, start, stop = parts(best.x)
    np.testing.assert_allclose(model.transition_, transition, atol=1e-3)
    np.testing.assert_allclose(model.start_, start, atol=1e-3)
    np.testing.assert_allclose(model.stop_, stop, atol=1e-3)
    assert model.history_["objective"][-1] / variance == pytest.approx(best.fun, rel=1e-7)
