"""Tests of significance: they agree with their definitions, with peers, and hold their level."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from linnet.errors import DataError, ParameterError
from linnet.evaluate import (
    accuracy,
    approximate_randomisation,
    corrected,
    evaluate,
    evaluate_sequences,
    mcnemar,
    paired_bootstrap,
)
from linnet.evaluate.rounds import CountedScores
from linnet.evaluate.unit_counts import unit_counts
from linnet.reference import significance as reference

Test = Callable[..., Any]
TESTS = (mcnemar, approximate_randomisation, paired_bootstrap)
each_test = pytest.mark.parametrize("test", TESTS, ids=lambda test: test.__name__)

labels = st.lists(st.sampled_from("abc"), min_size=1, max_size=30)


@st.composite
def answers(draw: st.DrawFn) -> tuple[list[str], list[str], list[str]]:
    gold = draw(labels)
    other = st.lists(st.sampled_from("abc"), min_size=len(gold), max_size=len(gold))
    return gold, draw(other), draw(other)


def _alike(rng: np.random.Generator, n: int, share: float = 0.8) -> list[np.ndarray[Any, Any]]:
    """Return a truth and two models that are right equally often, independently."""
    gold = rng.integers(0, 3, n)
    return [gold, *(np.where(rng.random(n) < share, gold, (gold + 1) % 3) for _ in range(2))]


# --- what is counted --------------------------------------------------------------------------


@given(answers())
@settings(max_examples=60)
def test_scores_equal_those_of_the_report_and_of_scikit_learn(
    rows: tuple[list[str], list[str], list[str]],
) -> None:
    gold, guess, other = rows
    report = evaluate(gold, guess)
    for name in ("accuracy", "macro_f1", "micro_f1"):
        found, _ = unit_counts(gold, [guess, other], name)
        assert found.observed() == pytest.approx(getattr(report, name))
    macro = f1_score(gold, guess, average="macro", zero_division=0)
    assert unit_counts(gold, [guess], "macro_f1")[0].observed() == pytest.approx(macro)


def test_rows_without_an_answer_count_as_in_the_report() -> None:
    gold, guess = ["a", "b", "b", "a"], ["a", None, "b", "b"]
    report = evaluate(gold, guess)
    for name in ("accuracy", "macro_f1", "micro_f1"):
        score = unit_counts(gold, [guess], name)[0].observed()
        assert score == pytest.approx(getattr(report, name))


def test_sets_of_labels_count_as_in_the_report() -> None:
    gold = [{"a"}, {"a", "b"}, set(), {"c"}]
    guess = [{"a"}, {"b"}, {"c"}, {"c", "a"}]
    report = evaluate(gold, guess)
    for name in ("accuracy", "macro_f1", "micro_f1"):
        score = unit_counts(gold, [guess], name)[0].observed()
        assert score == pytest.approx(getattr(report, name))


def test_sentences_count_as_in_the_report_on_sequences() -> None:
    rng = np.random.default_rng(0)
    tags = np.array(["B-NP", "I-NP", "B-VP", "I-VP", "O"])
    gold = [tags[rng.integers(0, 5, rng.integers(0, 9))].tolist() for _ in range(60)]
    guess = [[tag if rng.random() < 0.8 else "O" for tag in row] for row in gold]
    report = evaluate_sequences(gold, guess)
    assert report.chunks is not None
    score = {name: unit_counts(gold, [guess], name)[0] for name in ("accuracy", "chunk_f1")}
    assert score["accuracy"].observed() == pytest.approx(report.accuracy)
    assert score["chunk_f1"].observed() == pytest.approx(report.chunks.f1)
    macro = np.mean([tag.f1 for tag in report.tags.values()])
    assert unit_counts(gold, [guess], "macro_f1")[0].observed() == pytest.approx(macro)
    assert len(score["chunk_f1"].kind) == 60


# --- agreement --------------------------------------------------------------------------------


def test_mcnemar_equals_statsmodels_and_scipy() -> None:
    import statsmodels.stats.contingency_tables as stats
    from scipy.stats import binomtest

    for both, a_only, b_only, neither in ((50, 9, 2, 4), (3, 1, 0, 0), (400, 60, 35, 80)):
        n = both + a_only + b_only + neither
        a = [1] * (both + a_only) + [0] * (b_only + neither)
        b = [1] * both + [0] * a_only + [1] * b_only + [0] * neither
        table = [[both, a_only], [b_only, neither]]
        exact, rough = mcnemar([1] * n, a, b), mcnemar([1] * n, a, b, exact=False)
        assert exact.p == pytest.approx(stats.mcnemar(table, exact=True).pvalue)
        assert exact.p == pytest.approx(binomtest(a_only, a_only + b_only).pvalue)
        peer = stats.mcnemar(table, exact=False, correction=True)
        assert rough.p == pytest.approx(peer.pvalue)
        assert exact.difference == pytest.approx((a_only - b_only) / n)


@pytest.mark.parametrize("method", ["holm", "bonferroni", "benjamini_hochberg"])
def test_corrections_equal_those_of_statsmodels(method: str) -> None:
    import statsmodels.stats.multitest as multiple

    name = "fdr_bh" if method == "benjamini_hochberg" else method
    for seed in range(5):
        p = np.random.default_rng(seed).random(12) ** 3
        peer = multiple.multipletests(p, method=name)[1]
        np.testing.assert_allclose(corrected(p, method), peer, rtol=1e-12)


def test_corrections_of_few_p_values() -> None:
    for method in ("holm", "bonferroni", "benjamini_hochberg"):
        assert corrected([], method).tolist() == []
        assert corrected([0.04], method).tolist() == [0.04]
        assert corrected([1.0, 1.0], method).tolist() == [1.0, 1.0]


def _score(gold: Any, guess: Any, metric: str) -> float:
    return unit_counts(list(gold), [list(guess)], metric)[0].observed()


@given(answers())
@settings(max_examples=40)
def test_mcnemar_equals_the_reference(rows: tuple[list[str], list[str], list[str]]) -> None:
    assert mcnemar(*rows).p == pytest.approx(reference.mcnemar_p(*rows))


def test_random_exchanges_approach_all_exchanges_of_the_reference() -> None:
    gold = list("abcabcab")
    a, b = list("abcabcac"), list("abaabbcb")
    for metric in ("accuracy", "macro_f1"):
        found = approximate_randomisation(gold, a, b, metric, rounds=40_000)
        exact = reference.randomisation_p(gold, a, b, lambda y, x, m=metric: _score(y, x, m))
        assert 0.01 < exact < 0.99
        assert found.p == pytest.approx(exact, abs=4 * np.sqrt(exact / 40_000))


def test_drawing_kinds_is_drawing_units() -> None:
    from scipy.stats import ks_2samp

    gold, a, b = (part.tolist() for part in _alike(np.random.default_rng(23), 40))
    rng = np.random.default_rng(0)

    def macro(y: Any, x: Any) -> float:
        return _score(y, x, "macro_f1")

    units = reference.bootstrap_differences(gold, a, b, macro, 800, rng)
    kinds = CountedScores(*unit_counts(gold, [a, b], "macro_f1")).resampled(rng, 4000)
    assert ks_2samp(units, kinds).pvalue > 0.001
    d = macro(gold, a) - macro(gold, b)
    found = paired_bootstrap(gold, a, b, "macro_f1")
    assert found.p == pytest.approx(reference.bootstrap_p(units, d), abs=0.07)


def test_exchanging_rows_approaches_the_exact_test_of_mcnemar() -> None:
    gold, a, b = _alike(np.random.default_rng(3), 300)
    exact = mcnemar(gold, a, b).p
    assert approximate_randomisation(gold, a, b, rounds=50_000).p == pytest.approx(exact, abs=0.01)


def test_scipys_permutation_test_and_bootstrap_give_the_same() -> None:
    from scipy.stats import bootstrap, permutation_test

    gold, a, b = _alike(np.random.default_rng(5), 200)
    right = (a == gold).astype(float), (b == gold).astype(float)

    def gap(x: Any, y: Any, axis: int = -1) -> Any:
        return np.mean(x, axis=axis) - np.mean(y, axis=axis)

    rng = np.random.default_rng(0)
    peer = permutation_test(
        right, gap, permutation_type="samples", n_resamples=5000, rng=rng, vectorized=True
    )
    assert approximate_randomisation(gold, a, b).p == pytest.approx(peer.pvalue, abs=0.03)
    spread = bootstrap(
        right, gap, paired=True, method="percentile", n_resamples=5000, rng=rng, vectorized=True
    ).confidence_interval
    found = paired_bootstrap(gold, a, b).interval
    assert found == pytest.approx((spread.low, spread.high), abs=0.012)


def test_a_function_gives_what_its_name_gives() -> None:
    gold, a, b = (part.tolist() for part in _alike(np.random.default_rng(7), 80))

    def share(truth: Any, guess: Any) -> float:
        return accuracy(truth, guess)

    for test in (approximate_randomisation, paired_bootstrap):
        named, function = test(gold, a, b, rounds=4000), test(gold, a, b, share, rounds=4000)
        assert named.scores == function.scores
        assert named.p == pytest.approx(function.p, abs=0.04)
    assert (
        approximate_randomisation(gold, a, b, accuracy).p == approximate_randomisation(gold, a, b).p
    )


# --- level ------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1"])
def test_equal_models_are_told_apart_at_the_nominal_rate(metric: str) -> None:
    rng, trials = np.random.default_rng(11), 250
    found: dict[str, list[float]] = {"exchange": [], "bootstrap": [], "mcnemar": []}
    for _ in range(trials):
        gold, a, b = _alike(rng, 250)
        found["exchange"].append(approximate_randomisation(gold, a, b, metric, rounds=299).p)
        found["bootstrap"].append(paired_bootstrap(gold, a, b, metric, rounds=299).p)
        found["mcnemar"].append(mcnemar(gold, a, b).p)
    for name, p in found.items():
        for level in (0.05, 0.2):
            rate = float(np.mean(np.array(p) <= level))
            error = 3.3 * np.sqrt(level * (1 - level) / trials)
            lower = 0.6 * level - error if name == "mcnemar" else level - error - 0.02
            assert lower <= rate <= level + error + 0.005, (name, level, rate)


def test_equal_taggers_are_told_apart_at_the_nominal_rate() -> None:
    rng, trials, rejected = np.random.default_rng(13), 120, 0
    gold = [["B-NP", "I-NP", "O", "B-VP"][: rng.integers(1, 5)] for _ in range(80)]
    for _ in range(trials):
        a, b = (
            [[tag if rng.random() < 0.85 else "O" for tag in row] for row in gold] for _ in range(2)
        )
        rejected += approximate_randomisation(gold, a, b, "chunk_f1", rounds=299).p <= 0.1
    assert abs(rejected / trials - 0.1) < 3.3 * np.sqrt(0.09 / trials)


def test_the_intervals_of_a_difference_cover_it_as_often_as_they_promise() -> None:
    rng, trials = np.random.default_rng(17), 250
    covered = {"mcnemar": 0, "bootstrap": 0}
    for _ in range(trials):
        gold = np.zeros(200, int)
        a, b = (rng.random(200) < 0.2).astype(int), (rng.random(200) < 0.3).astype(int)
        for name, found in (
            ("mcnemar", mcnemar(gold, a, b)),
            ("bootstrap", paired_bootstrap(gold, a, b, rounds=499)),
        ):
            assert found.interval is not None
            covered[name] += found.interval[0] <= 0.1 <= found.interval[1]
    for count in covered.values():
        assert 0.915 <= count / trials <= 0.98


# --- edges ------------------------------------------------------------------------------------


@each_test
@given(rows=answers())
@settings(max_examples=25)
def test_p_values_and_intervals_are_always_sound(
    test: Test, rows: tuple[list[str], list[str], list[str]]
) -> None:
    gold, a, b = rows
    options = {} if test is mcnemar else {"rounds": 99}
    found, turned = test(gold, a, b, **options), test(gold, b, a, **options)
    assert 0 < found.p <= 1
    assert found.difference == pytest.approx(-turned.difference)
    assert found.difference == pytest.approx(accuracy(gold, a) - accuracy(gold, b))
    if found.interval is not None:
        low, high = found.interval
        assert -1 <= low <= high <= 1


@each_test
def test_equal_answers_have_p_1(test: Test) -> None:
    for gold, guess in (
        (["a", "b"], ["a", "b"]),
        (["a", "b"], ["b", "a"]),
        (["a"] * 20, ["a"] * 20),
        (["a"], ["b"]),
    ):
        found = test(gold, guess, guess)
        assert (found.difference, found.p) == (0.0, 1.0)


@each_test
def test_two_examples_are_never_enough(test: Test) -> None:
    assert test(["a", "b"], ["a", "b"], ["b", "a"]).p >= 0.25


@pytest.mark.parametrize("n", [2, 30, 1000])
def test_an_interval_is_never_certain(n: int) -> None:
    gold, wrong = ["a", "b"] * (n // 2), ["b", "a"] * (n // 2)
    for a, b, truth in ((gold, wrong, 1.0), (gold, gold, 0.0), (wrong, wrong, 0.0)):
        for found in (mcnemar(gold, a, b), paired_bootstrap(gold, a, b, rounds=99)):
            assert found.interval is not None
            low, high = found.interval
            assert -1 <= low < truth or (low < high and truth == 1.0)
            assert high - low > 1 / n


def test_perfect_against_hopeless_has_the_least_p_value() -> None:
    gold, wrong = ["a", "b"] * 50, ["b", "a"] * 50
    assert mcnemar(gold, gold, wrong).p == pytest.approx(2 / 2**100)
    assert approximate_randomisation(gold, gold, wrong, rounds=999).p == 0.001
    assert mcnemar(gold, gold, wrong).scores == (1.0, 0.0)


def test_mcnemar_by_hand() -> None:
    found = mcnemar(["x"] * 12, ["x"] * 9 + ["y"] * 3, ["y"] * 7 + ["x"] * 5)
    a_only, b_only = 7, 3
    assert found.p == pytest.approx(2 * sum(comb(10, k) for k in range(4)) / 2**10)
    assert found.difference == pytest.approx((a_only - b_only) / 12)


def test_the_same_seed_gives_the_same_answer() -> None:
    gold, a, _ = _alike(np.random.default_rng(19), 400)
    b = np.where(np.arange(400) % 30 == 0, gold, a)  # a little better
    b[1::25] = (gold[1::25] + 1) % 3
    for test in (approximate_randomisation, paired_bootstrap):
        assert test(gold, a, b, seed=5) == test(gold, a, b, seed=5)
        assert test(gold, a, b, seed=5).p != test(gold, a, b, seed=6).p


def test_what_cannot_be_tested_is_refused() -> None:
    with pytest.raises(DataError, match="3 true labels and 2"):
        mcnemar(["a"] * 3, ["a"] * 2, ["a"] * 3)
    with pytest.raises(DataError, match="nothing"):
        approximate_randomisation([], [], [])
    with pytest.raises(ParameterError, match="accuracy, macro_f1"):
        paired_bootstrap(["a"], ["a"], ["a"], "f1")
    with pytest.raises(ParameterError, match="rounds"):
        paired_bootstrap(["a"], ["a"], ["a"], rounds=0)
    with pytest.raises(DataError, match="no true label"):
        mcnemar(["a", None], ["a", "b"], ["a", "b"])
    with pytest.raises(DataError, match="approximate_randomisation"):
        mcnemar([["a"]], [["a"]], [["a"]])
    with pytest.raises(DataError, match="needs sentences"):
        paired_bootstrap(["a"], ["a"], ["a"], "chunk_f1")
    with pytest.raises(DataError, match="use metric='accuracy'"):
        paired_bootstrap([["N"]], [["V"]], [["N"]], "chunk_f1")
    with pytest.raises(DataError, match="finite"):
        paired_bootstrap(["a"], ["a"], ["a"], lambda gold, guess: float("nan"))
    with pytest.raises(ParameterError, match="holm"):
        corrected([0.1], "none")
    with pytest.raises(DataError, match="between 0 and 1"):
        corrected([0.1, float("nan")])
