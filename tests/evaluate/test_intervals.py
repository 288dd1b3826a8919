"""Bootstrap intervals cover what they promise to, and are never certain without reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score

from linnet.errors import DataError, ParameterError
from linnet.evaluate import bootstrap_interval, wilson_interval


def _answers(rng: np.random.Generator, n: int, share: float) -> tuple[Any, Any]:
    gold = rng.integers(0, 2, n)
    return gold, np.where(rng.random(n) < share, gold, 1 - gold)


def test_intervals_cover_the_truth_as_often_as_they_promise() -> None:
    rng, trials = np.random.default_rng(1), 250
    for metric in ("accuracy", "macro_f1"):
        covered = 0
        for _ in range(trials):
            found = bootstrap_interval(*_answers(rng, 200, 0.8), metric, rounds=399)
            covered += found.low <= 0.8 <= found.high  # in the limit both scores are 0.8
        assert 0.91 <= covered / trials <= 0.98, metric


def test_the_interval_is_scipys() -> None:
    from scipy.stats import bootstrap

    gold, guess = _answers(np.random.default_rng(2), 300, 0.7)

    def macro(y: Any, said: Any) -> float:
        return float(f1_score(y, said, average="macro"))

    peer = bootstrap(
        (gold, guess),
        macro,
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=200,
        rng=np.random.default_rng(0),
    ).confidence_interval
    found = bootstrap_interval(gold, guess, "macro_f1")
    assert found.score == pytest.approx(macro(gold, guess))
    assert (found.low, found.high) == pytest.approx((peer.low, peer.high), abs=0.015)
    slow = bootstrap_interval(gold, guess, macro, rounds=200)
    assert (slow.low, slow.high) == pytest.approx((peer.low, peer.high), abs=0.02)


def test_for_accuracy_it_is_close_to_wilsons() -> None:
    gold, guess = _answers(np.random.default_rng(3), 2000, 0.85)
    found = bootstrap_interval(gold, guess)
    wilson = wilson_interval(int((gold == guess).sum()), 2000)
    assert (found.low, found.high) == pytest.approx(wilson, abs=0.003)


def test_sentences_are_drawn_whole() -> None:
    """Tokens of a sentence that are right or wrong together make a wide interval."""
    rng = np.random.default_rng(4)
    gold = [["N"] * 20 for _ in range(50)]
    guess = [["N" if rng.random() < 0.7 else "V"] * 20 for _ in gold]
    flat = [tag for row in gold for tag in row], [tag for row in guess for tag in row]
    whole, tokens = bootstrap_interval(gold, guess), bootstrap_interval(*flat)
    assert whole.score == pytest.approx(tokens.score)
    assert whole.high - whole.low > 3 * (tokens.high - tokens.low)


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "micro_f1"])
@pytest.mark.parametrize("n", [1, 2, 40])
def test_all_right_or_all_wrong_is_wilsons(metric: str, n: int) -> None:
    right = bootstrap_interval(["a"] * n, ["a"] * n, metric, rounds=50)
    assert (right.score, (right.low, right.high)) == (1.0, wilson_interval(n, n))
    wrong = bootstrap_interval(["a"] * n, ["b"] * n, metric, rounds=50)
    assert (wrong.score, (wrong.low, wrong.high)) == (0.0, wilson_interval(0, n))


def test_chunks_that_are_nowhere_score_zero() -> None:
    found = bootstrap_interval([["O", "O"], ["B-X", "I-X"]], [["O", "O"]] * 2, "chunk_f1")
    assert found.score == found.low == 0.0
    assert np.isfinite(found.high)


def test_wider_levels_give_wider_intervals_and_seeds_repeat() -> None:
    gold, guess = _answers(np.random.default_rng(5), 100, 0.7)
    narrow, wide = (bootstrap_interval(gold, guess, level=level) for level in (0.8, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high
    assert bootstrap_interval(gold, guess) == bootstrap_interval(gold, guess)


def test_what_has_no_interval_is_refused() -> None:
    with pytest.raises(ParameterError, match="level"):
        bootstrap_interval(["a"], ["a"], level=1.0)
    with pytest.raises(DataError, match="nothing"):
        bootstrap_interval([], [])
    with pytest.raises(DataError, match="1 true labels and 2 predictions"):
        bootstrap_interval(["a"], ["a", "b"], lambda gold, guess: 1.0)
