"""Explanations of HMM and MEMM taggers are exact differences of log probabilities."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import ParameterError
from linnet.learn.chain.sentences import Ragged
from linnet.model.reasons.chain import chain_reasons

SENTENCES = [
    ["the", "dog", "runs"],
    ["the", "old", "dog", "sleeps"],
    ["dogs", "run"],
    ["a", "runner", "runs", "the", "run"],
    ["old", "dogs", "sleep"],
]
TAGS = [
    ["D", "N", "V"],
    ["D", "A", "N", "V"],
    ["N", "V"],
    ["D", "N", "V", "D", "N"],
    ["A", "N", "V"],
]
LEARNERS = {
    "hmm": linnet.HMM(),
    "hmm with stop": linnet.HMM(stop=True, unknown="uniform"),
    "hmm unsmoothed": linnet.HMM(alpha=0.0),
    "memm": linnet.MEMM(C=10.0),
    "memm per state": linnet.MEMM(C=10.0, states="per_state"),
    "hmm of order 2": linnet.HMM(order=2),
    "memm of order 2": linnet.MEMM(C=10.0, order=2),
}
NEW = ["the", "old", "runner", "sleeps"]


def fitted(name: str) -> linnet.SequenceTagger:
    return linnet.SequenceTagger(LEARNERS[name]).fit(SENTENCES, TAGS)


def log_probability(tagger: linnet.SequenceTagger, words: list[str], tags: list[str]) -> float:
    """ln P(words, tags) of an HMM, ln P(tags | words) of a MEMM: factor by factor."""
    learner: Any = tagger.learner_
    if isinstance(learner, linnet.HMM):
        return float(learner.log_probability([words], [tags])[0])
    model, number = tagger.model_, {tag: i for i, tag in enumerate(learner.classes_.tolist())}
    tokens = model.reader.complete([words])
    rows = model.reader.rows(tokens, 1)
    X = Ragged(rows.start, rows.index, None, rows.n_features, tokens.offset)
    [local] = learner.local_distributions(X)
    y = [len(number), *(number[tag] for tag in tags)]
    if learner.order == 2:
        two = [len(number), *y[:-2]]
        steps = zip(two, y[:-1], y[1:], strict=True)
        return float(sum(np.log(local[t, a, b, c]) for t, (a, b, c) in enumerate(steps)))
    return float(sum(np.log(local[t, a, b]) for t, (a, b) in enumerate(pairwise(y))))


@pytest.mark.spec("C-27", "M-111", "M-113")
@pytest.mark.parametrize("name", [name for name in LEARNERS if "unsmoothed" not in name])
def test_a_margin_is_the_difference_of_two_log_probabilities_and_the_sum_of_its_parts(
    name: str,
) -> None:
    tagger = fitted(name)
    guess = tagger.predict([NEW])[0]
    best = log_probability(tagger, NEW, guess)
    choices = tagger.explain(" ".join(NEW)).tokens
    assert [choice.tag for choice in choices] == guess
    for t, choice in enumerate(choices):
        others = {
            tag: log_probability(tagger, NEW, [*guess[:t], tag, *guess[t + 1 :]])
            for tag in tagger.classes_.tolist()
            if tag != choice.tag
        }
        assert choice.runner_up == max(others, key=lambda tag: others[tag])
        assert choice.margin == pytest.approx(best - others[choice.runner_up], abs=1e-9)
        parts = sum(part.contribution for part in (*choice.features, *choice.neighbours))
        assert parts == pytest.approx(choice.margin, abs=1e-9)
        assert choice.margin >= 0 and 0 < choice.probability <= 1


def test_an_impossible_tag_loses_by_a_finite_margin() -> None:
    choices = fitted("hmm unsmoothed").explain("the dog runs\nthe zzz").tokens
    assert [choice.word for choice in choices] == ["the", "dog", "runs", "the", "zzz"]
    for choice in choices:
        assert np.isfinite(choice.margin)
        assert all(np.isfinite(p.contribution) for p in (*choice.features, *choice.neighbours))


def test_an_hmm_names_the_word_and_says_when_it_is_unknown() -> None:
    names = [choice.features[0].feature for choice in fitted("hmm").explain("the cat").tokens]
    assert names == ["w[0]=the", "unknown w[0]=cat, by its ending"]
    choice = fitted("hmm with stop").explain("the cat").tokens[1]
    assert choice.features[0].feature == "unknown w[0]=cat"
    assert {part.feature for part in choice.neighbours} == {"D → N", "N → $"}


@pytest.mark.spec("M-120", "F-13")
@pytest.mark.parametrize("word", ["rib", "rob"])
def test_the_letter_after_a_deaf_state_speaks_neither_for_it_nor_against_it(word: str) -> None:
    words, tags = [list("rib")] * 3 + [list("rob")], [list("123")] * 3 + [list("453")]
    memm = linnet.MEMM(C=1e3, states="per_state", pairs="all", tol=1e-8, max_iter=5000)
    tagger = linnet.SequenceTagger(memm, features=["w[0]"]).fit(words, tags)
    assert tagger.explain([*word]).tokens[0].tag == "1"
    model = tagger.model_
    reasons = chain_reasons(model, model.reader.rows(model.reader.complete([[*word]]), 1))
    assert reasons.right(0, after=1)[0] > -0.1  # ln P(2 | 1, letter): sure, i or o
    assert reasons.right(0, after=1)[3] < -2  # ln P(2 | 4, letter)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_tagger_from_a_file_explains_the_same(name: str, tmp_path: Path) -> None:
    tagger = fitted(name)
    tagger.save(tmp_path / "m.linnet")
    loaded = linnet.load(tmp_path / "m.linnet")
    told, again = tagger.explain("the dog runs"), loaded.explain("the dog runs")
    for one, other in zip(told.tokens, again.tokens, strict=True):
        assert (one.tag, one.runner_up) == (other.tag, other.runner_up)
        assert one.margin == pytest.approx(other.margin, abs=1e-4)


def test_no_words_have_no_reasons() -> None:
    assert fitted("hmm").explain([]).tokens == () == fitted("memm").explain([]).tokens


def test_a_local_tagger_with_history_is_no_sum_and_says_so() -> None:
    learner = linnet.LocalTagger(linnet.Perceptron(random_state=0), history=1)
    tagger = linnet.SequenceTagger(learner).fit(SENTENCES, TAGS)
    with pytest.raises(ParameterError, match="no chain of linear scores"):
        tagger.explain("the dog")
