"""Accuracy and its confidence interval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.errors import DataError, ParameterError
from linnet.evaluate import accuracy, wilson_interval


@pytest.mark.spec("M-28")
def test_accuracy_is_one_minus_the_share_of_errors() -> None:
    assert accuracy([1, 2, 3, 4], [1, 2, 3, 0]) == 0.75
    assert accuracy(["a"], ["a"]) == 1.0
    assert accuracy(["a", "b"], ["b", "a"]) == 0.0


@pytest.mark.spec("M-28")
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1), st.randoms())
def test_accuracy_does_not_depend_on_the_order(pairs: list[tuple[int, int]], random) -> None:
    before = accuracy(*zip(*pairs, strict=True))
    random.shuffle(pairs)
    assert accuracy(*zip(*pairs, strict=True)) == before


@pytest.mark.parametrize("truth, predicted", [([1, 2], [1]), ([], []), ([[1], [2]], [[1], [2]])])
def test_accuracy_refuses_what_cannot_be_paired(truth: list, predicted: list) -> None:
    with pytest.raises(DataError):
        accuracy(truth, predicted)


@pytest.mark.parametrize("correct, n", [(0, 1), (3, 10), (50, 50), (999, 1000)])
def test_the_wilson_interval_holds_the_roots_of_its_equation(correct: int, n: int) -> None:
    z = 1.959963984540054
    share = correct / n
    for p in wilson_interval(correct, n):
        assert (share - p) ** 2 == pytest.approx(z**2 * p * (1 - p) / n, abs=1e-12)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_share_and_grows_with_the_level(case: tuple[int, int]) -> None:
    correct, n = case
    low, high = wilson_interval(correct, n)
    wide_low, wide_high = wilson_interval(correct, n, level=0.99)
    assert 0 <= wide_low <= low <= correct / n <= high <= wide_high <= 1


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    draws = rng.binomial(40, 0.9, size=300)
    covered = [low <= 0.9 <= high for low, high in (wilson_interval(int(k), 40) for k in draws)]
    assert 0.9 <= np.mean(covered) <= 1.0


def test_the_interval_refuses_impossible_counts_and_levels() -> None:
    for correct, n in ((1, 0), (-1, 5), (6, 5)):
        with pytest.raises(DataError):
            wilson_interval(correct, n)
    with pytest.raises(ParameterError):
        wilson_interval(1, 2, level=1.0)
