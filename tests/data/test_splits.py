"""Splits and folds (SPEC D-14)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data.splits import folds, split
from linnet.errors import DataError, ParameterError

share_lists = st.lists(st.integers(0, 10), min_size=1, max_size=4).filter(any)


@pytest.mark.spec("D-14")
@given(st.integers(0, 200), share_lists, st.integers(0, 5), st.booleans())
def test_parts_are_disjoint_complete_and_repeatable(
    n: int, weights: list[int], seed: int, stratified: bool
) -> None:
    shares = [weight / sum(weights) for weight in weights]
    labels = np.random.default_rng(seed).integers(0, 3, n) if stratified else None
    parts = split(n, shares, seed, labels)
    assert len(parts) == len(shares)
    assert sorted(np.concatenate(parts).tolist()) == list(range(n))
    for part, share, again in zip(parts, shares, split(n, shares, seed, labels), strict=True):
        assert abs(len(part) - share * n) <= 1
        assert (np.diff(part) > 0).all()
        np.testing.assert_array_equal(part, again)


@pytest.mark.spec("D-14")
@given(st.lists(st.sampled_from("aaaab c"), min_size=1, max_size=200), st.integers(0, 5))
def test_stratified_parts_hold_labels_in_proportion(labels: list[str], seed: int) -> None:
    shares = (0.6, 0.2, 0.2)
    sizes = Counter(labels)
    for part, share in zip(split(len(labels), shares, seed, labels), shares, strict=True):
        counts = Counter(labels[i] for i in part)
        for label, size in sizes.items():
            assert abs(counts[label] - share * size) <= 3


def test_even_classes_are_split_evenly() -> None:
    labels = [0] * 50 + [1] * 50
    for part in split(100, (0.8, 0.1, 0.1), seed=3, stratify=labels):
        counts = np.bincount([labels[i] for i in part])
        assert counts[0] == counts[1]


def test_another_seed_gives_another_split() -> None:
    assert split(50, (0.5, 0.5), seed=1)[0].tolist() != split(50, (0.5, 0.5), seed=2)[0].tolist()


@pytest.mark.spec("D-14")
@pytest.mark.parametrize("stratified", [False, True])
def test_folds_are_disjoint_complete_and_repeatable(stratified: bool) -> None:
    labels = [0] * 20 + [1] * 31 if stratified else None
    pairs = folds(51, 5, seed=2, stratify=labels)
    assert sorted(np.concatenate([fold for _, fold in pairs]).tolist()) == list(range(51))
    again = folds(51, 5, seed=2, stratify=labels)
    for (rest, fold), (rest2, fold2) in zip(pairs, again, strict=True):
        assert sorted([*rest, *fold]) == list(range(51))
        np.testing.assert_array_equal(rest, rest2)
        np.testing.assert_array_equal(fold, fold2)
        if labels:
            assert sum(labels[i] == 0 for i in fold) == 4


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: split(-1), ParameterError),
        (lambda: split(5, (0.5, 0.6)), ParameterError),
        (lambda: split(5, (1.5, -0.5)), ParameterError),
        (lambda: split(5, (0.5, 0.5), stratify=[1, 2]), DataError),
        (lambda: folds(5, 1), ParameterError),
        (lambda: folds(5, 6), ParameterError),
        (lambda: folds(4, 3, stratify=[0, 0, 1, 1]), DataError),
    ],
)
def test_impossible_requests_are_refused(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()
