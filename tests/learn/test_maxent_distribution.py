"""The distribution of largest entropy: the lecture's numbers, certificates, contradictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import null_space
from scipy.optimize import minimize

import linnet
from linnet import MaxEntDistribution
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.learn.maxent_distribution import entropy
from linnet.reference.iterative_scaling import generalised
from linnet.reference.maximum_entropy import divergence_bits, entropy_bits, maximum_entropy

DIE = range(1, 7)


@pytest.mark.spec("W-13", "M-70")
def test_a_total_of_six_tenths_is_shared_evenly() -> None:
    pairs = [(a, b) for a in "xy" for b in (0, 1)]
    model = MaxEntDistribution().fit(pairs, {"b = 0": (lambda pair: pair[1] == 0, 0.6)})
    np.testing.assert_allclose(model.probabilities_, [0.3, 0.2, 0.3, 0.2], atol=1e-12)
    assert model.entropy_ == pytest.approx(1.970951, abs=1e-6)
    assert model.weights_["b = 0"] == pytest.approx(np.log(1.5), abs=1e-10)
    assert model.probability(("x", 0)) == pytest.approx(0.3)


@pytest.mark.spec("W-14", "A-61", "M-70")
def test_the_die() -> None:
    fair = MaxEntDistribution().fit(DIE)
    np.testing.assert_allclose(fair.probabilities_, 1 / 6)
    assert fair.entropy_ == pytest.approx(2.584963, abs=1e-6) and fair.n_iter_ == 0
    loaded = MaxEntDistribution().fit(DIE, {"high": ({4, 5, 6}, 30 / 40)})
    np.testing.assert_allclose(loaded.probabilities_, [1 / 12] * 3 + [1 / 4] * 3, atol=1e-12)
    assert loaded.entropy_ == pytest.approx(2.396241, abs=1e-6)
    assert loaded.weights_["high"] == pytest.approx(1.098612, abs=1e-6)
    both = MaxEntDistribution().fit(DIE, [({1, 2, 3}, 0.25), ({4, 5, 6}, 0.75)])
    np.testing.assert_allclose(both.probabilities_, loaded.probabilities_, atol=1e-12)
    assert sum(both.weights_.values()) == pytest.approx(0, abs=1e-9)  # the smallest such weights


@pytest.mark.spec("M-70", "M-60")
def test_two_other_ways_to_the_optimum_agree() -> None:
    F = np.random.default_rng(0).uniform(size=(3, 8))
    t = F @ np.random.default_rng(1).dirichlet(np.ones(8))
    model = MaxEntDistribution().fit(range(8), list(zip(F, t, strict=True)))
    p, w = maximum_entropy(F, t)
    np.testing.assert_allclose(model.probabilities_, p, atol=1e-10)
    np.testing.assert_allclose(list(model.weights_.values()), w, rtol=1e-7)
    scaled = generalised(F.T[None], t, n_iter=200_000, tolerance=1e-9)
    scores = scaled.weights @ F
    np.testing.assert_allclose(np.exp(scores) / np.exp(scores).sum(), p, atol=1e-4)
    primal = minimize(
        lambda q: float(q @ np.log(q)),
        np.full(8, 1 / 8),
        jac=lambda q: np.log(q) + 1,
        bounds=[(1e-9, 1)] * 8,
        constraints=[{"type": "eq", "fun": lambda q: np.append(F @ q - t, q.sum() - 1)}],
        options={"ftol": 1e-14},
    )
    assert entropy(primal.x) == pytest.approx(model.entropy_, abs=1e-6)


@pytest.mark.spec("M-70")
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 9), st.integers(1, 5))
def test_primal_and_dual_certify_the_answer(seed: int, n: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    F = rng.integers(-3, 4, size=(d, n)).astype(float) * 10.0 ** rng.integers(-3, 4, (d, 1))
    t = F @ rng.dirichlet(np.ones(n))
    model = MaxEntDistribution().fit(list(range(n)), list(zip(F, t, strict=True)))
    spread = np.where(np.ptp(F, axis=1) > 0, np.ptp(F, axis=1), 1)
    assert (np.abs(F @ model.probabilities_ - t) <= 1e-9 * spread).all()
    assert model.probabilities_.sum() == pytest.approx(1, abs=1e-12)
    w = np.array(list(model.weights_.values()))
    dual = (model.log_partition_ - w @ t) / np.log(2)
    assert dual == pytest.approx(model.entropy_, abs=1e-8)  # no gap: the optimum
    assert model.entropy_ == pytest.approx(entropy_bits(model.probabilities_))


def test_targets_on_the_edge_force_zeros() -> None:
    model = MaxEntDistribution().fit(DIE, {"mean": (lambda i: i, 6.0)})
    assert model.probabilities_.tolist() == [0, 0, 0, 0, 0, 1] and model.entropy_ == 0
    model = MaxEntDistribution().fit(DIE, {"odd": ({1, 3, 5}, 0.0), "low": ({1, 2}, 0.5)})
    np.testing.assert_allclose(model.probabilities_, [0, 0.5, 0, 0.25, 0, 0.25], atol=1e-12)
    assert model.possible_.tolist() == [False, True] * 3
    # neither target is on an edge of its own: only together they leave 2 no room
    model = MaxEntDistribution().fit([1, 2, 3], {"1": ({1}, 0.4), "not 3": ({1, 2}, 0.4)})
    np.testing.assert_allclose(model.probabilities_, [0.4, 0, 0.6], atol=1e-10)
    assert model.possible_.tolist() == [True, False, True]


def test_contradictions_are_named() -> None:
    with pytest.raises(DataError, match=r"constraint mean = 7 \(its values go from 1 to 6\)"):
        MaxEntDistribution().fit(DIE, {"high": ({4, 5, 6}, 0.5), "mean": (lambda i: i, 7.0)})
    with pytest.raises(DataError, match=r"together: low = 0.7, high = 0.6\. Each set") as error:
        MaxEntDistribution().fit(
            DIE,
            {"mean": (lambda i: i, 3.0), "low": ({1, 2}, 0.7), "high": ({5, 6}, 0.6)},
        )
    assert "mean" not in str(error.value)
    with pytest.raises(DataError, match=r"constraint one = 2"):
        MaxEntDistribution().fit(DIE, {"one": (np.ones(6), 2.0)})
    MaxEntDistribution().fit(DIE, {"one": (np.ones(6), 1.0)})


@pytest.mark.parametrize(
    ("outcomes", "constraints", "what"),
    [
        ([], None, "no outcomes"),
        ([1, 1], None, "occurs twice"),
        ([[1], [2]], None, "hashable"),
        (DIE, {"a": 3}, "a must be a pair"),
        (DIE, {"a": ({7}, 0.5)}, "a names 7, which is not among the outcomes"),
        (DIE, {"a": ([1, 2], 0.5)}, "one finite value for each of the 6 outcomes"),
        (DIE, {"a": ([np.nan] * 6, 0.5)}, "one finite value"),
        (DIE, {"a": (["x"] * 6, 0.5)}, "must be numbers"),
        (DIE, {"a": ({1}, np.inf)}, "must be finite"),
    ],
)
def test_what_makes_no_problem_is_refused(outcomes: Any, constraints: Any, what: str) -> None:
    with pytest.raises(DataError, match=what):
        MaxEntDistribution().fit(outcomes, constraints)


def test_parameters_and_use_before_fitting_are_checked() -> None:
    for setting in ({"tol": 0}, {"tol": "x"}, {"max_iter": 0}):
        with pytest.raises(ParameterError):
            MaxEntDistribution(**setting).fit(DIE)
    with pytest.raises(NotFittedError):
        MaxEntDistribution().probability(1)
    model = MaxEntDistribution().fit(DIE)
    assert model.expectation(lambda i: i) == pytest.approx(3.5)
    assert model.expectation({1, 2, 3}) == pytest.approx(0.5)
    with pytest.raises(DataError, match="7 is not among"):
        model.probability(7)


# --- nearest to a base distribution -------------------------------------------------------------


@pytest.mark.spec("M-70")
def test_nothing_known_leaves_the_base_as_it_is_and_a_share_is_split_in_its_proportions() -> None:
    base = [1.0, 2.0, 3.0, 0.0, 4.0, 10.0]
    model = MaxEntDistribution(base=base).fit(DIE)
    np.testing.assert_allclose(model.probabilities_, np.array(base) / 20, atol=1e-15)
    assert model.divergence_ == pytest.approx(0, abs=1e-15) and model.n_iter_ == 0
    model = MaxEntDistribution(base=base).fit(DIE, {"high": ({4, 5, 6}, 0.5)})
    expected = [1 / 12, 2 / 12, 3 / 12, 0, 4 / 28, 10 / 28]  # each half keeps its proportions
    np.testing.assert_allclose(model.probabilities_, expected, atol=1e-12)
    assert model.possible_.tolist() == [True, True, True, False, True, True]
    by_name = MaxEntDistribution(base=dict(zip(DIE, base, strict=True)))
    by_name.fit(DIE, {"high": ({4, 5, 6}, 0.5)})
    assert by_name.probabilities_.tobytes() == model.probabilities_.tobytes()


@pytest.mark.spec("M-70")
def test_a_uniform_base_is_the_largest_entropy() -> None:
    known = {"mean": (lambda i: i, 4.5), "high": ({4, 5, 6}, 0.7)}
    plain = MaxEntDistribution().fit(DIE, known)
    even = MaxEntDistribution(base=np.ones(6)).fit(DIE, known)
    np.testing.assert_allclose(even.probabilities_, plain.probabilities_, atol=1e-12)
    assert plain.divergence_ == pytest.approx(np.log2(6) - plain.entropy_, abs=1e-12)
    assert even.divergence_ == pytest.approx(plain.divergence_, abs=1e-12)
    np.testing.assert_array_equal(plain.base_, np.full(6, 1 / 6))


@pytest.mark.spec("M-70")
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 9), st.integers(1, 4))
def test_divergence_and_dual_certify_the_nearest_distribution(seed: int, n: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    F = rng.integers(-3, 4, size=(d, n)).astype(float)
    t = F @ rng.dirichlet(np.ones(n))
    q = rng.dirichlet(np.full(n, 2.0))
    model = MaxEntDistribution(base=q).fit(list(range(n)), list(zip(F, t, strict=True)))
    p, w = model.probabilities_, np.array(list(model.weights_.values()))
    assert (np.abs(F @ p - t) <= 1e-9 * np.maximum(1, np.ptp(F, axis=1))).all()
    dual = (w @ t - model.log_partition_) / np.log(2)
    assert dual == pytest.approx(model.divergence_, abs=1e-7)  # no gap: the optimum
    assert model.divergence_ == pytest.approx(divergence_bits(p, q), abs=1e-9)
    if model.possible_.all():
        twin, _ = maximum_entropy(F, t, q, tolerance=1e-11)
        np.testing.assert_allclose(p, twin, atol=1e-8)
    for direction in null_space(np.vstack([F, np.ones(n)])).T:  # all else that is feasible
        for step in (-1e-3, 1e-3):
            other = p + step * direction
            if (other >= 0).all():
                assert divergence_bits(other, q) >= model.divergence_ - 1e-9


@pytest.mark.parametrize(
    ("base", "what"),
    [
        ([1, 2], "6 finite weights"),
        ([1, 1, 1, 1, 1, -1], "6 finite weights"),
        ([0] * 6, "no outcome any weight"),
        (["a"] * 6, "must hold numbers"),
        ({1: 1.0}, "none for 2"),
        (dict.fromkeys(range(1, 8), 1.0), "one for something else"),
    ],
)
def test_what_is_no_base_is_refused(base: Any, what: str) -> None:
    with pytest.raises(DataError, match=what):
        MaxEntDistribution(base=base).fit(DIE)


def test_a_base_without_an_outcome_may_leave_the_constraints_no_room() -> None:
    known = {"six": ({6}, 0.5)}
    with pytest.raises(DataError, match=r"six = 0\.5"):
        MaxEntDistribution(base=[1, 1, 1, 1, 1, 0]).fit(DIE, known)


@pytest.mark.spec("C-02")
def test_outcomes_are_drawn_as_often_as_they_are_probable() -> None:
    model = MaxEntDistribution(base=[1, 2, 3, 0, 4, 10]).fit(DIE, {"high": ({4, 5, 6}, 0.5)})
    drawn = model.sample(20_000, random_state=0)
    assert drawn == model.sample(20_000, random_state=0) != model.sample(20_000, random_state=1)
    for outcome, p in zip(DIE, model.probabilities_, strict=True):
        assert abs(drawn.count(outcome) / 20_000 - p) <= 4 * np.sqrt(p * (1 - p) / 20_000)
    with pytest.raises(NotFittedError):
        MaxEntDistribution().sample()


@pytest.mark.spec("C-28")
def test_a_distribution_with_a_base_comes_back_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "p.linnet"
    model = MaxEntDistribution(base=[1.0, 2.0, 3.0, 0.0, 4.0, 10.0])
    model.fit(DIE, {"high": ({4, 5, 6}, 0.5)})
    linnet.save(model, path)
    twin = linnet.load(path)
    assert twin.probabilities_.tobytes() == model.probabilities_.tobytes()
    assert twin.base_.tobytes() == model.base_.tobytes()
    assert twin.divergence_ == model.divergence_


@pytest.mark.spec("C-28")
def test_a_distribution_comes_back_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "p.linnet"
    pairs = [(a, b) for a in "xy" for b in (0, 1)]
    model = MaxEntDistribution().fit(pairs, {"b = 0": (lambda pair: pair[1] == 0, 0.6)})
    linnet.save(model, path)
    twin = linnet.load(path)
    assert twin.outcomes_ == pairs and twin.weights_ == model.weights_
    assert twin.probabilities_.tobytes() == model.probabilities_.tobytes()
    assert twin.probability(("y", 1)) == model.probability(("y", 1))
