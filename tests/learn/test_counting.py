"""Counting and its logarithms in the core against the same in NumPy; large arrays."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from linnet import _core
from linnet.learn.naive_bayes import MultinomialNB
from linnet.learn.naive_bayes.documents import log_ratio, weighted_sum
from linnet.learn.shared.inputs import checked_features
from linnet.learn.shared.large_pages import large_empty, large_zeros


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("features", [1, 5, 8191, 20_000])
def test_log_probabilities_are_those_of_numpy(classes: int, features: int) -> None:
    rng = np.random.default_rng(features + classes)
    counts = np.exp(rng.normal(0, 8, (classes, features))) * rng.integers(0, 2, (classes, features))
    size = counts.sum(axis=1) + 1.0
    plain = log_ratio(counts + 0.25, size[:, None])
    out = np.empty((features, classes))
    odds = np.empty(features) if classes == 2 else None
    totals = [
        _core.log_probabilities(counts, 0.25, np.log(size), out, odds, threads)
        for threads in (1, 2, 3)
    ]
    np.testing.assert_allclose(out.T, plain, rtol=1e-15, atol=2e-15)
    assert totals[0] == totals[1] == totals[2]
    assert totals[0] == pytest.approx(weighted_sum(counts, plain), rel=1e-12)
    if odds is not None:
        np.testing.assert_array_equal(odds, out[:, 1] - out[:, 0])


def test_logarithms_of_all_sizes() -> None:
    """From the smallest normal number to the largest, and next to 1."""
    counts = np.concatenate(
        [np.exp2(np.linspace(-1021, 1023.9, 5000)), 1 + np.linspace(-0.4, 0.5, 5001)]
    )[None, :]
    out = np.empty((counts.shape[1], 1))
    _core.log_probabilities(counts, 0.0, np.zeros(1), out, None, 1)
    plain = np.log(counts[0])
    assert (np.abs(out[:, 0] - plain) <= 2 * np.spacing(np.abs(plain))).all()


def test_totals_do_not_depend_on_threads() -> None:
    counts = np.random.default_rng(0).random((3, 50_001))
    totals = [np.empty(3) for _ in range(3)]
    for threads, out in enumerate(totals, start=1):
        _core.count_totals(counts, out, threads)
        np.testing.assert_array_equal(out, totals[0])
    np.testing.assert_allclose(totals[0], counts.sum(axis=1), rtol=1e-13)


def test_counts_replace_what_was_there() -> None:
    """A class without examples has zeros, whatever its memory held before."""
    rng = np.random.default_rng(1)
    X = sp.random(300, 40, 0.3, "csr", random_state=1)
    gold = rng.integers(0, 3, 300).astype(np.int32)
    gold[gold == 1] = 2
    weights = rng.random(300)
    plain = np.stack([(X.T @ (weights * (gold == k))) for k in range(4)])
    out = np.full((4, 40), 7.0)
    _core.count(checked_features(X).matrix, gold, weights, out, 2)
    np.testing.assert_allclose(out, plain, rtol=1e-12, atol=1e-15)
    assert not out[1].any() and not out[3].any()


def test_a_tiny_alpha_is_still_added() -> None:
    """Numbers without a full set of digits take the way of NumPy."""
    X, y = np.array([[1.0, 0.0], [0.0, 3.0]]), ["a", "b"]
    tiny = MultinomialNB(alpha=1e-310).fit(X, y).feature_log_prob_
    expected = np.log([[1.0, 1e-310 / 1.0], [1e-310 / 3.0, 1.0]])
    np.testing.assert_allclose(tiny, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("shape", [(3,), (5, 2), (1 << 18,), ((1 << 18) + 3, 2)])
def test_large_arrays_are_arrays(shape: tuple[int, ...]) -> None:
    zeros, empty = large_zeros(*shape), large_empty(*shape)
    assert zeros.shape == empty.shape == shape
    assert zeros.dtype == empty.dtype == np.float64
    assert zeros.flags.c_contiguous and empty.flags.c_contiguous and empty.flags.writeable
    assert not zeros.any()
    if zeros.nbytes >= 1 << 21:
        assert zeros.ctypes.data % (1 << 21) == empty.ctypes.data % (1 << 21) == 0
