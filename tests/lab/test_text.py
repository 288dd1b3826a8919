"""The text view's numbers: the slides', the reference's, and the smallest flips by enumeration."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data import count_words
from linnet.data.tiny import PEOPLE, REVIEW_TEST, REVIEWS, UPDATES
from linnet.errors import ParameterError
from linnet.lab.text import answer
from linnet.lab.text.flipping import smallest_flip
from linnet.reference import mira, naive_bayes, perceptron, sgd


def weights(state: dict[str, Any], step: int = -1) -> dict[str, float]:
    return dict(zip(state["features"], state["steps"][step]["weights"], strict=True))


def counts(state: dict[str, Any], texts: tuple[str, ...]) -> Any:
    """Return the texts as rows of counts, in the page's order of features."""
    bags = [count_words(text) for text in texts]
    return np.array([[bag.get(name, 0.0) for name in state["features"]] for bag in bags])


@pytest.mark.spec("W-06", "A-21")
def test_the_perceptron_makes_the_slides_updates() -> None:
    state = answer({"corpus": "kyoto", "learner": "perceptron"})
    first, second = state["steps"][1:]
    assert (first["example_score"], first["guess"], first["factor"]) == (0.0, "+1", -1.0)
    assert weights(state, 1)[","] == -2 and weights(state, 1)["Kyoto"] == -1
    assert (second["example_score"], second["guess"]) == (-4.0, "-1")
    assert weights(state) == {
        **dict.fromkeys(["A", "site", "located", "Maizuru", ","], -1.0),
        **dict.fromkeys(["in", "Kyoto"], 0.0),
        **dict.fromkeys(["Shoken", "monk", "born"], 1.0),
    }


@pytest.mark.spec("W-07", "A-22", "A-23")
def test_the_logistic_learner_makes_the_slides_updates() -> None:
    state = answer({"corpus": "kyoto", "learner": "slide"})
    factors = [step["factor"] for step in state["steps"]]
    assert factors == pytest.approx([0.0, -0.25, 0.196611933], abs=1e-9)
    assert weights(state)[","] == pytest.approx(-0.303388, abs=5e-7)
    assert weights(state)["in"] == pytest.approx(-0.053388, abs=5e-7)
    shown = [step["probability"] for step in state["steps"]]
    assert shown == pytest.approx([0.5, 0.268941, 0.544797], abs=5e-7)
    log = answer({"corpus": "kyoto", "learner": "log"})
    assert weights(log)[","] == pytest.approx(-0.119203, abs=5e-7)


@pytest.mark.parametrize("rounds", [1, 4])
@pytest.mark.parametrize("learner", ["perceptron", "mira", "slide", "log"])
def test_every_online_learner_ends_with_the_weights_of_the_reference(
    learner: str, rounds: int
) -> None:
    state = answer({"corpus": "kyoto", "learner": learner, "rounds": rounds})
    X, y = counts(state, UPDATES.texts), np.array(UPDATES.labels)
    if learner == "perceptron":
        expected = perceptron.binary(X, y, n_rounds=rounds).last
    elif learner == "mira":
        expected = mira.binary(X, y, n_rounds=rounds).last
    else:
        ascend = sgd.probability if learner == "slide" else sgd.logistic
        expected = ascend(X, y, n_rounds=rounds).weights
    np.testing.assert_allclose(state["steps"][-1]["weights"], expected, atol=1e-9)


@pytest.mark.spec("W-05")
@pytest.mark.parametrize(("alpha", "p"), [(1.0, 2523 / 3101), (0.1, 0.988478), (10.0, 0.633858)])
def test_naive_bayes_gives_the_review_its_probability(alpha: float, p: float) -> None:
    state = answer({"corpus": "reviews", "alpha": alpha})
    (step,) = state["steps"]
    assert 1 - step["probability"] == pytest.approx(p, abs=5e-7)
    unknown = [REVIEW_TEST[a:b] for a, b, j in state["text"]["tokens"] if j is None]
    assert unknown == ["with", "originality"]


@pytest.mark.spec("W-05")
def test_naive_bayes_has_the_parts_of_the_reference() -> None:
    state = answer({"corpus": "reviews"})
    gold = np.array([("-", "+").index(label) for label in REVIEWS.labels])
    model = naive_bayes.multinomial(counts(state, REVIEWS.texts), gold, 2)
    by_feature, prior = state["parts"]
    np.testing.assert_allclose(np.array(by_feature), model.log_words, atol=1e-9)
    np.testing.assert_allclose(prior, model.log_prior, atol=1e-9)


@pytest.mark.spec("W-09")
def test_the_given_weights_score_the_three_people() -> None:
    scores = [
        answer({"corpus": "people", "text": text})["steps"][0]["score"] for text in PEOPLE.texts
    ]
    assert scores == [3.0, -4.0, 2.0]


def test_the_score_is_the_sum_of_what_the_words_add() -> None:
    state = answer({"corpus": "reviews", "learner": "log", "rounds": 3, "text": "very fun fun x"})
    for step in state["steps"]:
        added = [step["weights"][j] for _, _, j in state["text"]["tokens"] if j is not None]
        assert step["score"] == pytest.approx(step["intercept"] + sum(added), abs=1e-12)


def test_the_flipped_text_has_the_score_that_was_promised() -> None:
    for corpus, learner in product(("kyoto", "reviews"), ("perceptron", "mira", "log")):
        state = answer({"corpus": corpus, "learner": learner, "rounds": 2})
        step = state["steps"][-1]
        if step["flip"] is None:
            continue
        again = answer(
            {"corpus": corpus, "learner": learner, "rounds": 2, "text": step["flip"]["text"]}
        )
        assert again["steps"][-1]["score"] == pytest.approx(step["flip"]["score"], abs=1e-9)
        assert step["flip"]["score"] * step["score"] <= 0


def possible(score: float, words: list[float], known: list[float], count: int) -> bool:
    """Tell whether so many edits can turn the sign, trying all of them."""
    sign = 1.0 if score > 0 else -1.0
    for removed in range(count + 1):
        for places in combinations(range(len(words)), removed):
            left = score - sum(words[i] for i in places)
            for added in product([0.0, *known], repeat=count):
                # an edit removes a word, adds one, or does both in one place
                if sign * (left + sum(added)) < 0:
                    return True
    return False


scores = st.integers(-4, 4).map(float)


@given(st.lists(scores, min_size=1, max_size=4), st.lists(scores, min_size=1, max_size=3), scores)
def test_no_smaller_edit_flips_a_decision(
    words: list[float], known: list[float], bias: float
) -> None:
    score = bias + sum(words)
    edits = smallest_flip(score, words, known)
    fewest = next((k for k in range(1, 4) if possible(score, words, known, k)), None)
    assert fewest is None or len(edits) == fewest
    for edit in edits:
        score -= 0.0 if edit.word is None else words[edit.word]
        score += 0.0 if edit.by is None else known[edit.by]
    assert not edits or score * (bias + sum(words)) <= 0


def test_texts_of_your_own_are_learned() -> None:
    state = answer({"corpus": "own", "texts": "x: a b\ny: c", "learner": "nb", "text": "c"})
    assert state["classes"] == ["x", "y"]
    assert state["steps"][0]["probability"] > 0.5


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"corpus": "none"}, "corpus must be one of"),
        ({"learner": "svm"}, "learner must be one of"),
        ({"rounds": 0}, "rounds must lie between 1 and 200"),
        ({"text": 1}, "text must be text"),
        ({"text": "a" * 3000}, "at most 2000"),
        ({"corpus": "own", "texts": "no colon"}, "line 1 of the texts must be label: text"),
        ({"corpus": "own", "texts": "a: b"}, "two labels"),
        ({"corpus": "reviews", "alpha": -1}, "alpha must lie"),
    ],
)
def test_settings_that_cannot_work_are_named(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        answer(asked)
