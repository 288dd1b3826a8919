"""The audit finds a model that sorts by group, and leaves others alone."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from sklearn.metrics import mutual_info_score

from linnet.errors import DataError
from linnet.evaluate import audit, length_groups, wilson_interval


def _random(seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, n)
    guess = np.where(rng.random(n) < 0.7, gold, rng.integers(0, 3, n))
    return gold, guess, rng.choice(["web", "mail", "news"], n, p=[0.5, 0.3, 0.2])


def test_associations_equal_those_of_scipy_and_scikit_learn() -> None:
    gold, guess, group = _random(0)
    found = audit(gold, guess, group, rounds=4000)
    for part, labels in ((found.predictions, guess), (found.truth, gold)):
        names = np.unique(group)
        table = [[int(((group == g) & (labels == k)).sum()) for k in range(3)] for g in names]
        peer = chi2_contingency(table)
        assert part.chi2 == pytest.approx(peer.statistic)
        assert part.p == pytest.approx(peer.pvalue, abs=0.04)
        assert part.mutual_information == pytest.approx(
            mutual_info_score(group, labels) / np.log(2)
        )


def test_groups_have_their_accuracy_and_shares() -> None:
    gold, guess, group = _random(1)
    found = audit(gold, guess, group, rounds=10)
    assert next(iter(found.groups)) == "web"
    for name, score in found.groups.items():
        here = group == name
        hits = int((gold == guess)[here].sum())
        assert score.n == here.sum()
        assert score.accuracy == pytest.approx(hits / score.n)
        assert score.interval == wilson_interval(hits, score.n)
        assert sum(score.shares.values()) == pytest.approx(1.0)
        assert score.shares[2] == pytest.approx((guess[here] == 2).mean())


def test_a_model_that_sorts_by_source_is_found_out() -> None:
    gold, _, group = _random(2)
    found = audit(gold, (group == "web").astype(int), group)
    assert found.predictions.cramers_v == pytest.approx(1.0)
    assert found.predictions.p < 0.001 < found.truth.p
    assert found.mistakes.p < 0.001


def test_a_right_model_is_not_blamed_for_groups_that_differ() -> None:
    rng = np.random.default_rng(3)
    group = rng.integers(0, 2, 500)
    gold = (rng.random(500) < 0.2 + 0.6 * group).astype(int)
    guess = np.where(rng.random(500) < 0.9, gold, 1 - gold)
    found = audit(gold, guess, group)
    assert found.predictions.p < 0.001
    assert found.truth.p < 0.001
    assert found.mistakes.p > 0.01


def test_p_values_hold_their_level() -> None:
    p = np.array(
        [
            [part.p for part in (found.predictions, found.truth, found.mistakes)]
            for found in (audit(*_random(seed, 60), rounds=99, seed=seed) for seed in range(200))
        ]
    )
    for level in (0.05, 0.2):
        rate = (p <= level).mean(axis=0)
        assert (np.abs(rate - level) < 3.5 * np.sqrt(level * (1 - level) / 200)).all(), rate


@pytest.mark.parametrize(
    "gold, guess, group",
    [
        (["a"], ["a"], ["x"]),
        (["a", "b"], ["a", "a"], ["x", "x"]),
        (["a", "a"], ["a", "a"], ["x", "y"]),
        (["a", "b"], ["a", "b"], ["x", "y"]),
        (["a", "b"], ["a", None], ["x", "y"]),
    ],
)
def test_too_little_to_tell_has_p_near_1(gold: list, guess: list, group: list) -> None:
    found = audit(gold, guess, group, rounds=99)
    for part in (found.predictions, found.truth, found.mistakes):
        assert part.p == 1.0
        assert np.isfinite([part.chi2, part.mutual_information, part.cramers_v]).all()
    json.dumps(found.to_dict(), allow_nan=False)


def test_lengths_are_cut_into_parts_of_equal_size() -> None:
    texts = ["x" * n for n in range(1, 101)]
    found = length_groups(texts)
    assert sorted(found.count(name) for name in set(found)) == [25, 25, 25, 25]
    assert found[0] == "1 to 25"
    assert length_groups(["same", "size"]) == ["4", "4"]
    assert length_groups([]) == []


def test_what_cannot_be_audited_is_refused() -> None:
    with pytest.raises(DataError, match="as many"):
        audit(["a"], ["a"], ["x", "y"])
    with pytest.raises(DataError, match="at least one"):
        audit([], [], [])
