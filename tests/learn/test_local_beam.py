"""Beam search over prefixes: MaxEnt whose context is all labels before, and any other learner."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import linnet
from linnet.errors import ParameterError
from linnet.learn.flat.base import LinearClassifier

from .chains import TOY, TOY_TAGS, sentences

LEARNERS = [
    linnet.MaxEnt(),
    linnet.MaxEnt(multi_class="ovr"),
    linnet.Perceptron(random_state=0),
    linnet.MIRA(random_state=0),
    linnet.SVM(),
    linnet.SVM(multi_class="ovo"),
    linnet.MultinomialNB(),
    LogisticRegression(),
    DecisionTreeClassifier(random_state=0, min_samples_leaf=3),
]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: repr(one)[:30])


def local_scores(tagger: linnet.LocalTagger, token: Any, before: list[int]) -> Any:
    """Return ln P(label | token, labels before), or the learner's scores: asked with one row."""
    L, J, h = len(tagger.classes_), len(tagger.vocabulary_), tagger.history
    row = np.zeros((1, J + h * (L + 1)))
    row[0, [tagger.vocabulary_[name] for name in token if name in tagger.vocabulary_]] = 1
    for back in range(1, h + 1):
        label = before[-back] if len(before) >= back else L
        row[0, J + (back - 1) * (L + 1) + label] = 1
    if hasattr(tagger.learner_, "predict_proba"):
        with np.errstate(divide="ignore"):
            return np.log(tagger.learner_.predict_proba(row)[0])
    scores = tagger.learner_.decision_function(row)[0]
    return np.array([0.0, scores]) if np.ndim(scores) == 0 else scores


def score_of(tagger: linnet.LocalTagger, sentence: Any, labels: Any) -> float:
    return float(
        sum(
            local_scores(tagger, token, list(labels[:t]))[labels[t]]
            for t, token in enumerate(sentence)
        )
    )


def searched(tagger: linnet.LocalTagger, sentence: Any, width: int) -> tuple[list[int], float]:
    """Search a beam in the plainest way (SPEC M-115, A-58)."""
    kept: list[tuple[float, list[int]]] = [(0.0, [])]
    for token in sentence:
        reached = [
            (score + float(here), [*labels, label])
            for score, labels in kept
            for label, here in enumerate(local_scores(tagger, token, labels))
        ]
        kept = sorted(reached, key=lambda one: -one[0])[:width]  # ties: the earlier one
    return kept[0][1], kept[0][0]


@pytest.mark.spec("M-115")
@pytest.mark.parametrize("labels", [2, 3])
def test_the_lectures_case_maxent_whose_context_is_the_whole_prefix(labels: int) -> None:
    X, y = sentences(0, 60, labels=labels, longest=5)
    tagger = linnet.LocalTagger(linnet.MaxEnt(), history=5, search="beam").fit(X, y)
    assert tagger.beam == 5
    new = [sentence for sentence in sentences(1, 10, labels=labels, longest=5)[0] if sentence]
    for sentence in new:
        paths = list(product(range(labels), repeat=len(sentence)))
        totals = np.array([score_of(tagger, sentence, path) for path in paths])
        assert np.exp(totals).sum() == pytest.approx(1.0)  # P(T | W) by the chain rule
        best = tagger.classes_[list(paths[int(totals.argmax())])].tolist()
        all_kept = tagger.chain([sentence], beam=labels ** (len(sentence) - 1))
        assert tagger.classes_[all_kept.labels].tolist() == best
        assert all_kept.scores[0] == pytest.approx(totals.max())
        for width in (1, 2, 5):
            found = tagger.chain([sentence], beam=width)
            want, score = searched(tagger, sentence, width)
            assert found.labels.tolist() == want
            assert found.scores[0] == pytest.approx(score)
            assert found.scores[0] == pytest.approx(score_of(tagger, sentence, found.labels))
        assert tagger.predict([sentence]) == tagger.predict([sentence], beam=5)


@pytest.mark.spec("M-115", "M-110")
@every_learner
@pytest.mark.parametrize("history", [1, 3])
@pytest.mark.parametrize("labels", [2, 3])
def test_a_beam_over_any_learner_is_the_plain_one_and_a_beam_of_one_is_greedy(
    learner: Any, history: int, labels: int
) -> None:
    X, y = sentences(2, 40, labels=labels)
    tagger = linnet.LocalTagger(learner, history=history).fit(X, y)
    new, _ = sentences(3, 8, labels=labels)
    assert tagger.predict(new, beam=1) == tagger.predict(new)
    chain = tagger.chain(new, beam=3)
    for s, sentence in enumerate(new):
        labels_of = chain.labels[chain.sentence[s] : chain.sentence[s + 1]]
        assert chain.scores[s] == pytest.approx(searched(tagger, sentence, 3)[1], abs=1e-9)
        assert chain.scores[s] == pytest.approx(score_of(tagger, sentence, labels_of), abs=1e-9)


@pytest.mark.spec("M-113", "M-115")
def test_with_one_label_of_history_it_is_the_beam_of_a_memm() -> None:
    X, y = sentences(3, 60)
    learner = linnet.MaxEnt(fit_intercept=False, tol=1e-10)
    local = linnet.LocalTagger(learner, history=1, search="beam", beam=4).fit(X, y)
    memm = linnet.MEMM(pairs="all", tol=1e-10, max_iter=5000).fit(X, y)
    assert local.predict(X) == memm.predict(X, beam=4)


@pytest.mark.parametrize("learner", [linnet.Perceptron(random_state=0), linnet.MIRA()])
def test_online_learners_are_searched_by_the_core(
    learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = sentences(4, 30)
    tagger = linnet.LocalTagger(learner, history=2).fit(X, y)
    want = tagger.predict(X)
    assert tagger._is_linear()

    def asked(*_: Any) -> None:
        raise AssertionError("the learner was asked place by place")

    monkeypatch.setattr(type(tagger.learner_), "predict", asked)
    monkeypatch.setattr(tagger, "_is_linear", lambda: True)
    assert tagger.predict(X) == want


def test_no_words_stay_no_words_and_a_long_sentence_is_no_trouble() -> None:
    tagger = linnet.LocalTagger(history=2, search="beam").fit([*TOY, []], [*TOY_TAGS, []])
    assert tagger.predict([]) == []
    assert [len(part) for part in tagger.predict([[], TOY[0], []])] == [0, 3, 0]
    slow = linnet.LocalTagger(LogisticRegression(), history=2, search="beam").fit(TOY, TOY_TAGS)
    assert [len(part) for part in slow.predict([[], TOY[0], TOY[1] * 9, []])] == [0, 3, 18, 0]
    assert len(tagger.predict([TOY[0] * 3_333])[0]) == 9_999


def test_it_comes_back_from_a_file(tmp_path: Path) -> None:
    X, y = sentences(5, 30)
    tagger = linnet.LocalTagger(history=3, search="beam", beam=2).fit(X, y)
    linnet.save(tagger, tmp_path / "m.linnet")
    back = linnet.load(tmp_path / "m.linnet")
    assert back.predict(X) == tagger.predict(X)
    assert repr(back) == repr(tagger)


class Borrowed(LinearClassifier):
    """A linear learner of another package: the weights of a perceptron."""

    n_threads = None

    def fit(self, X: Any, y: Any) -> Borrowed:
        flat = linnet.Perceptron(random_state=0).fit(X, y)
        self._read(X, reset=True)
        self.classes_, self.coef_, self.intercept_ = flat.classes_, flat.coef_, flat.intercept_
        return self


@pytest.mark.parametrize("history", [0, 1])
def test_a_linear_learner_of_another_package_comes_back_by_its_weights(
    history: int, tmp_path: Path
) -> None:
    words = [["the", "dog", "runs"], ["a", "dog", "sleeps"], ["dogs", "run"]] * 3
    tags = [["D", "N", "V"], ["D", "N", "V"], ["N", "V"]] * 3
    tagger = linnet.SequenceTagger(linnet.LocalTagger(Borrowed(), history=history))
    tagger.fit(words, tags).save(tmp_path / "m.linnet")
    back = linnet.load(tmp_path / "m.linnet")
    others = [*words, ["dogs", "sleep", "the", "dog"]]
    assert back.predict(others) == tagger.predict(others)
    if history:
        weights = back.chain.learner.learner_
        assert weights.coef_.tobytes() == tagger.learner_.learner_.coef_.tobytes()


def test_bad_requests_are_refused() -> None:
    for wrong in ({"search": "depth"}, {"beam": 0}, {"beam": 1.5}):
        with pytest.raises(ParameterError):
            linnet.LocalTagger(history=1, **wrong).fit(TOY, TOY_TAGS)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="beam"):
        linnet.LocalTagger(history=1).fit(TOY, TOY_TAGS).predict(TOY, beam=-1)
    with pytest.raises(ParameterError, match="classifier"):
        linnet.LocalTagger(LinearClassifier(), history=1).fit(TOY, TOY_TAGS)
