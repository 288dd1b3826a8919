"""Results that the lectures have from corpora, on data that every machine has or can make."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.data import count_words, load_pydoc
from linnet.evaluate import evaluate_sequences
from linnet.learn.shared.schedules import Constant


def titles() -> tuple[list[dict[str, float]], list[int], list[dict[str, float]], list[int]]:
    """Return sentences of the shipped corpus with its two most frequent labels as 1 and -1."""
    corpus = load_pydoc()
    (first, _), (second, _) = Counter(corpus.train_labels).most_common(2)
    sign = {first: 1, second: -1}
    parts: list[Any] = []
    for texts, labels in (
        (corpus.train_texts, corpus.train_labels),
        (corpus.test_texts, corpus.test_labels),
    ):
        kept = [
            (text, sign[label]) for text, label in zip(texts, labels, strict=True) if label in sign
        ]
        parts += [[count_words(text) for text, _ in kept], [label for _, label in kept]]
    return tuple(parts)  # type: ignore[return-value]


def tutorial(bags: list[Any], labels: list[int], rounds: int, sign_rule: bool) -> tuple[Any, Any]:
    """Run the perceptron of the tutorial, a dictionary of weights; return them and the mistakes."""
    weights: dict[str, float] = {}
    mistakes = []
    for _ in range(rounds):
        wrong = 0
        for bag, y in zip(bags, labels, strict=True):
            score = sum(weights.get(word, 0.0) * count for word, count in bag.items())
            right = (1 if score >= 0 else -1) == y if sign_rule else y * score > 0
            if not right:
                wrong += 1
                for word, count in bag.items():
                    weights[word] = weights.get(word, 0.0) + y * count
        mistakes.append(wrong)
    return weights, mistakes


@pytest.mark.spec("R-02", "E-09", "M-29", "M-30", "A-17")
@pytest.mark.parametrize("tie", ["sign", "nonpositive"])
def test_on_the_shipped_sentences_mistakes_and_weights_are_those_of_the_tutorials_program(
    tie: Any,
) -> None:
    train, y, test, test_y = titles()
    weights, mistakes = tutorial(train, y, 5, sign_rule=tie == "sign")
    model = linnet.Perceptron(
        tie=tie, fit_intercept=False, shuffle=False, average=False, max_iter=5,
        stop_when_clean=False,
    ).fit(train, y)  # fmt: skip
    assert model.mistakes_.tolist() == mistakes
    learnt = dict(zip(model.vocabulary_, model.coef_[0].tolist(), strict=True))
    assert {w: v for w, v in learnt.items() if v} == {w: v for w, v in weights.items() if v}
    scores = [sum(weights.get(w, 0.0) * c for w, c in bag.items()) for bag in test]
    expected = [1 if score >= 0 else -1 for score in scores]
    assert model.predict(test).tolist() == expected
    assert (np.array(expected) == test_y).mean() > 0.8


@pytest.mark.spec("R-02", "C-31", "M-64", "A-23")
def test_steps_of_constant_size_are_held_to_single_steps_and_a_bound_not_to_counts() -> None:
    train, y, test, test_y = titles()
    start = linnet.MaxEnt(
        solver=linnet.SGD(schedule=Constant(1.0), shuffle=False), max_iter=1, tol=0,
        fit_intercept=False, C=1e12,
    ).fit(train[:2], [-1, 1])  # fmt: skip
    w1 = {word: -0.5 * count for word, count in train[0].items()}  # residual of P = 1/2
    score = sum(w1.get(word, 0.0) * count for word, count in train[1].items())
    residual = 1 - 1 / (1 + np.exp(-score))
    for word, column in start.vocabulary_.items():
        expected = w1.get(word, 0.0) + residual * train[1].get(word, 0.0)
        assert start.coef_[0, column] == pytest.approx(expected, abs=1e-9)
    whole = linnet.MaxEnt(solver=linnet.SGD(schedule=1.0, shuffle=False), max_iter=5, tol=0, C=1e6)
    whole.fit(train, y)
    majority = max((np.array(test_y) == label).mean() for label in (1, -1))
    assert (whole.predict(test) == test_y).mean() > majority


# --- tagging -----------------------------------------------------------------------------------

ENDINGS = {"V": ("ing", "ed"), "N": ("tion", "ness"), "A": ("ous", "ful"), "R": ("ly",)}


def language(seed: int, sentences: int) -> tuple[list[list[str]], list[list[str]]]:
    """Make sentences whose tags follow a chain; endings tell the tag, stems are mostly new."""
    rng = np.random.default_rng(seed)
    names = list(ENDINGS)
    steps = np.array([[0.1, 0.5, 0.2, 0.2], [0.5, 0.1, 0.1, 0.3], [0.1, 0.8, 0.1, 0.0],
                      [0.5, 0.0, 0.5, 0.0]])  # fmt: skip
    X, y = [], []
    for _ in range(sentences):
        tag, words, tags = int(rng.integers(4)), [], []
        for _ in range(int(rng.integers(3, 9))):
            ending = rng.choice(ENDINGS[names[tag]])
            stem = f"k{rng.zipf(1.3) % 5000:04d}"
            words.append(stem + (ending if rng.random() < 0.9 else ""))
            tags.append(names[tag])
            tag = int(rng.choice(4, p=steps[tag]))
        X.append(words)
        y.append(tags)
    return X, y


@pytest.mark.spec("A-60", "M-121", "T-05", "M-122")
def test_on_a_made_up_language_spelling_helps_unknown_words_and_a_crf_of_words_errs_less() -> None:
    (X, y), (test, gold) = language(0, 150), language(1, 300)
    known = {word for row in X for word in row}
    errors: dict[str, Any] = {}
    for name, learner in (("MEMM", linnet.MEMM()), ("CRF", linnet.CRF())):
        for plus, templates in (("", ["w[0]"]), ("+", ["w[0]", "w.suffix2[0]", "w.suffix3[0]"])):
            tagger = linnet.SequenceTagger(learner, features=templates).fit(X, y)
            guess = tagger.predict(test)
            errors[name + plus] = evaluate_sequences(gold, guess, words=test, known=known)
    for name in ("MEMM", "CRF"):
        assert errors[f"{name}+"].vocabulary.oov_error < 0.8 * errors[name].vocabulary.oov_error
        assert errors[f"{name}+"].error < errors[name].error
    assert errors["CRF"].error < errors["MEMM"].error
