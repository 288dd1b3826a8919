"""Probabilities: their form, the search for the sharpness, and whether they mean what they say."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize_scalar

import linnet
from linnet import TextClassifier
from linnet.evaluate.calibration import calibrate
from linnet.model.decision import fit_sharpness, log_loss, probabilities

shapes = st.tuples(st.integers(0, 6), st.integers(1, 5))
scores = shapes.flatmap(lambda shape: arrays(float, shape, elements=st.floats(-1e308, 1e308)))


@given(scores, st.floats(1e-9, 1e9), st.booleans())
@settings(max_examples=150, deadline=None)
def test_probabilities_lie_in_0_to_1_and_rows_sum_to_1(
    s: Any, sharpness: float, multilabel: bool
) -> None:
    p = probabilities(s, sharpness, multilabel=multilabel)
    assert ((p >= 0) & (p <= 1)).all()
    if multilabel:
        assert p.shape == s.shape
    else:
        assert p.shape == (len(s), max(2, s.shape[1]))
        np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)


@given(scores, st.floats(1e-3, 1e3))
@settings(max_examples=150, deadline=None)
def test_a_larger_score_never_has_a_smaller_probability(s: Any, sharpness: float) -> None:
    p = probabilities(s, sharpness, multilabel=False)
    if s.shape[1] == 1:
        assert ((p[:, 1] >= 0.5) | (s[:, 0] < 0)).all()
        return
    order = np.argsort(s, axis=1, kind="stable")
    assert (np.diff(np.take_along_axis(p, order, axis=1), axis=1) >= 0).all()


@pytest.mark.parametrize("columns", [1, 2, 3, 20])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e8])
@pytest.mark.parametrize("multilabel", [False, True])
def test_the_sharpness_is_the_minimum_that_a_general_optimiser_finds(
    columns: int, size: float, multilabel: bool
) -> None:
    draw = np.random.default_rng(columns)
    s = size * draw.normal(size=(200, columns))
    gold: Any = draw.integers(0, max(2, columns), 200).astype(np.int32)
    if multilabel:
        gold = (s / size + draw.normal(size=s.shape) > 0).astype(np.int32)
    elif columns > 1:
        s[np.arange(200), gold] += size
    else:
        s[:, 0] += size * (2 * gold - 1)
    weights = draw.integers(1, 4, 200).astype(float)
    for w in (None, weights):
        found = fit_sharpness(s, gold, w)
        best = minimize_scalar(
            lambda t, w=w: log_loss(s, gold, float(np.exp(t)) / size, w),
            bounds=(-10, 10), method="bounded", options={"xatol": 1e-9},
        )  # fmt: skip
        assert np.log(found * size) == pytest.approx(best.x, abs=1e-4)


def test_the_log_loss_is_the_mean_of_minus_ln_p_with_two_undecided_examples() -> None:
    s = np.array([[2.0, 0.0, -1.0], [0.5, 0.2, 0.1]])
    gold = np.array([0, 2], np.int32)
    p = -np.log(probabilities(s, 0.7, multilabel=False))
    by_hand = np.mean([0.5 * p[i, gold[i]] + 0.5 * p[i].mean() for i in range(2)])
    assert log_loss(s, gold, 0.7) == pytest.approx(by_hand)


def test_a_weight_counts_like_copies_in_the_mean() -> None:
    s, gold = np.random.default_rng(0).normal(size=(6, 3)), np.arange(6, dtype=np.int32) % 3
    weights = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0])
    copies = np.repeat(np.arange(6), weights.astype(int))
    # the softening depends on the number of rows, so compare without it: far from certain scores
    one = log_loss(np.tile(s, (200, 1)), np.tile(gold, 200), 1.0, np.tile(weights, 200))
    two = log_loss(np.tile(s[copies], (200, 1)), np.tile(gold[copies], 200), 1.0)
    assert one == pytest.approx(two, abs=1e-3)


@pytest.mark.parametrize("right", [0, 20])
def test_always_right_and_always_wrong_give_a_finite_sharpness(right: int) -> None:
    s = np.ones((20, 1))
    gold = (np.arange(20) < right).astype(np.int32)
    sharpness = fit_sharpness(s, gold)
    assert 0 < sharpness < np.inf
    assert (sharpness > 2) == (right == 20)


def test_equal_scores_leave_the_sharpness_at_1() -> None:
    assert fit_sharpness(np.zeros((9, 3)), np.zeros(9, np.int32)) == 1.0


# Do they mean what they say?


def errors(clf: TextClassifier, texts: Any, labels: Any) -> tuple[float, float]:
    """Return the expected calibration error, and that of the scores as they are."""
    gold = np.searchsorted(clf.classes_, np.asarray(labels))
    raw = probabilities(
        clf.model_.scorer.scores(clf.model_.reader, texts, 1), 1.0, multilabel=False
    )
    return calibrate(clf.predict_proba(texts), gold).error, calibrate(raw, gold).error


@cache
def on_pydoc(learner: Any) -> TextClassifier:
    corpus = linnet.data.load_pydoc()
    return TextClassifier(learner).fit(corpus.train_texts, corpus.train_labels)


@pytest.mark.parametrize("name", [None, "MaxEnt", "MultinomialNB", "Perceptron", "MIRA"])
def test_probabilities_on_pydoc_are_calibrated_with_any_learner(name: str | None) -> None:
    corpus = linnet.data.load_pydoc()
    clf = on_pydoc(None if name is None else getattr(linnet, name)())
    error, raw = errors(clf, corpus.test_texts, corpus.test_labels)
    print(f"{name}: expected calibration error {error:.4f}, of the scores {raw:.4f}")
    assert error < 0.08
    if name != "MaxEnt":  # whose own scores are log odds
        assert error < raw
