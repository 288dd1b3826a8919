"""A fit tells whoever watches of every iteration, and ends when asked to, with what it has."""

from __future__ import annotations

import warnings
from itertools import groupby
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.learn.shared.watching import FitStep

ROWS = np.random.default_rng(0).normal(size=(200, 20))
GOLD = np.where(ROWS[:, 0] + np.random.default_rng(1).normal(size=200) > 0, "b", "a")
TOKENS = [[[f"w{(3 * s + t * t) % 7}", "bias"] for t in range(2 + s % 4)] for s in range(40)]
TAGS = [["ABC"[(s + t) % 3] for t in range(2 + s % 4)] for s in range(40)]

FLAT = [
    linnet.MaxEnt(tol=1e-9), linnet.MaxEnt(tol=1e-9, solver="lbfgs"),
    linnet.SVM(C=100.0, loss="hinge", tol=1e-9, random_state=10),
    linnet.MaxEnt(solver="sgd", tol=1e-12), linnet.Perceptron(max_iter=50),
    linnet.MIRA(max_iter=50),
]  # fmt: skip
CHAINS = [
    linnet.CRF(tol=1e-9), linnet.CRF(solver="sgd", tol=1e-12), linnet.MEMM(tol=1e-9),
    linnet.StructuredPerceptron(max_iter=50), linnet.StructuredSVM(tol=1e-9),
]  # fmt: skip


def watched(learner: Any, X: Any, y: Any, stop_at: int = 10**9) -> list[FitStep]:
    steps: list[FitStep] = []

    def tell(step: FitStep) -> bool:
        steps.append(step)
        return len(steps) < stop_at

    with warnings.catch_warnings(), linnet.watch(tell):
        warnings.simplefilter("ignore")
        learner.fit(X, y)
    return steps


@pytest.mark.parametrize("learner", FLAT + CHAINS, ids=repr)
def test_every_iteration_is_told_and_the_fit_ends_when_asked(learner: Any) -> None:
    X, y = (ROWS, GOLD) if learner in FLAT else (TOKENS, TAGS)
    whole = watched(learner, X, y)
    assert whole[-1].learner == type(learner).__name__
    assert all(step.limit is not None and step.iteration <= step.limit for step in whole)
    assert len(whole) > 3
    part = watched(learner, X, y, stop_at=2)
    assert len(part) == 2 < len(whole)
    assert learner.n_iter_ <= max(1, part[-1].iteration)
    assert len(learner.predict(X)) == len(X)


def test_a_certified_gap_is_shown_as_a_share_and_closes() -> None:
    steps = watched(linnet.MaxEnt(tol=1e-6, solver="lbfgs"), ROWS, GOLD)
    gaps = [step.gap for step in steps]
    assert gaps[-1] is not None and gaps[0] is not None and gaps[-1] <= 1e-6 < gaps[0]
    assert "gap " in str(steps[-1]) and " % · " in str(steps[3]) + " · "
    assert all(
        ("gap " in str(step)) == (step.gap <= 1.0) for step in steps
    )  # above it says nothing
    assert f"fit {steps[-1].iteration}/≤1,000 · objective" in str(steps[-1])


def test_fits_on_the_way_to_c_say_so() -> None:
    texts = ["a good film", "a bad film", "good", "bad"] * 20
    steps = watched(linnet.TextClassifier("maxent"), texts, ["+", "-", "+", "-"] * 20)
    stages = [step.stage for step in steps]
    assert stages[0] == "choose C" and stages[-1] == "fit"


def test_who_asks_is_told_what_comes_before_the_iterations() -> None:
    texts, labels = ["a good film", "a bad film"] * 20, ["+", "-"] * 20
    steps: list[FitStep] = []
    with linnet.watch(steps.append, ahead=True):
        linnet.TextClassifier().fit(texts, labels)
        linnet.SequenceTagger().fit([["He", "ran"]] * 8, [["A", "B"]] * 8)
    early = [str(step) for step in steps if step.is_ahead]
    assert early == ["features of 40 examples", "features of 16 tokens"]
    assert all(step.limit is not None for step in steps if not step.is_ahead)


@pytest.mark.parametrize("learner", ["nb", "perceptron"])
def test_fits_of_a_learner_without_c_are_for_calibrating(learner: str) -> None:
    texts = ["a good film", "a bad film", "good", "bad"] * 20
    steps = watched(linnet.TextClassifier(learner), texts, ["+", "-", "+", "-"] * 20)
    assert [stage for stage, _ in groupby(step.stage for step in steps)] == ["calibrate", "fit"]


def test_watching_changes_no_bit_and_ends_with_its_block() -> None:
    alone = linnet.MaxEnt().fit(ROWS, GOLD).coef_
    seen = linnet.MaxEnt()
    assert watched(seen, ROWS, GOLD)
    assert seen.coef_.tobytes() == alone.tobytes()
    steps: list[FitStep] = []
    with linnet.watch(steps.append):
        pass
    seen.fit(ROWS, GOLD)
    assert steps == []


def test_who_ends_a_fit_is_not_told_to_go_on() -> None:
    with warnings.catch_warnings(), linnet.watch(lambda step: False):
        warnings.simplefilter("error")
        assert linnet.MaxEnt(tol=1e-12).fit(ROWS, GOLD).n_iter_ == 1
