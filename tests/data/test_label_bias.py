"""The noisy automaton: its probabilities, its seeds, and the best that can be done on it."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from linnet.data import make_rib_rob, rib_rob_error, rib_rob_transitions
from linnet.data.label_bias import RIB_ROB
from linnet.errors import ParameterError

BRANCHES = ("123", "453")


def emission(state: str, letter: str, flip: float) -> float:
    return 1 - 3 * flip if RIB_ROB[state] == letter else flip


@pytest.mark.spec("M-120")
def test_letters_come_with_the_probabilities_of_the_paper() -> None:
    n = 40_000
    X, y = make_rib_rob(n, seed=3)
    seen = Counter(
        (state, letter)
        for word, states in zip(X, y, strict=True)
        for [letter], state in zip(word, states, strict=True)
    )
    states = Counter(state for word in y for state in word)
    assert states["3"] == n
    assert abs(states["1"] / n - 0.5) < 0.01
    for state, letter in product(RIB_ROB, "riob"):
        expected = 29 / 32 if RIB_ROB[state] == letter else 1 / 32
        assert abs(seen[state, letter] / states[state] - expected) < 0.008


def test_every_word_takes_one_of_the_two_branches() -> None:
    X, y = make_rib_rob(200, seed=1)
    assert {"".join(states) for states in y} == set(BRANCHES)
    assert {len(word) for word in X} == {3}


def test_the_same_seed_draws_the_same_words_and_another_one_others() -> None:
    assert make_rib_rob(50, seed=4) == make_rib_rob(50, seed=4)
    assert make_rib_rob(50, seed=4) != make_rib_rob(50, seed=5)


def test_without_noise_the_letters_are_those_of_the_states() -> None:
    X, y = make_rib_rob(50, flip=0.0)
    assert [[letter for [letter] in word] for word in X] == [[RIB_ROB[s] for s in w] for w in y]


@pytest.mark.parametrize("flip", [0.0, 1 / 32, 0.1, 0.25])
def test_the_smallest_error_is_that_of_enumerating_all_words(flip: float) -> None:
    labels = words = 0.0
    for word in product("riob", repeat=3):
        joint = [
            0.5 * np.prod([emission(s, c, flip) for s, c in zip(path, word, strict=True)])
            for path in BRANCHES
        ]
        words += min(joint)
        labels += min(joint) * 2 / 3  # the branches share their last state
    assert rib_rob_error(flip) == pytest.approx((labels, words))


def test_transitions_are_those_of_the_two_branches_in_any_order_of_the_states() -> None:
    names = ["3", "5", "4", "2", "1"]
    legal = rib_rob_transitions(names)
    found = {((*names, "^")[i], names[j]) for i, j in np.argwhere(legal)}
    assert found == {("^", "1"), ("^", "4"), *zip("1245", "2353", strict=True)}


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ParameterError, match="flip must be from 0 to 1/4, got 0.3"):
        make_rib_rob(3, flip=0.3)
    with pytest.raises(ParameterError, match="flip"):
        rib_rob_error(float("nan"))
    with pytest.raises(ParameterError, match="must not be negative, got -1"):
        make_rib_rob(-1)
    with pytest.raises(ParameterError, match="the states are"):
        rib_rob_transitions(["1", "2"])
    assert make_rib_rob(0) == ([], [])
