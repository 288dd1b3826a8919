"""A tiny corpus learned step by step: every update of every weight, by the library's learners."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.lab.text.corpora import Corpus, bag_of
from linnet.learn.flat.online_run import Examples, FlatRun
from linnet.learn.mira import MIRA
from linnet.learn.naive_bayes import MultinomialNB
from linnet.learn.perceptron import Perceptron
from linnet.learn.shared.inputs import bag_vocabulary, bags_to_csr, checked_features
from linnet.learn.shared.online_run import Rule, Trace

__all__ = ["LEARNERS", "Run", "Update", "trained"]

Floats = NDArray[np.float64]
Bags = list[dict[str, float]]

LEARNERS = {
    "given": "the lecture's weights",
    "nb": "naive Bayes, multinomial",
    "perceptron": "perceptron",
    "mira": "MIRA",
    "slide": "logistic, ascent on P(y|x) as on the slide",
    "log": "logistic, ascent on ln P(y|x)",
}


class Update(NamedTuple):
    """What happened at one text, and the weights after it; the first update is the beginning.

    ``score`` is that before the update.
    """

    round: int
    example: int | None
    score: float
    guess: str
    weights: Floats
    intercept: float


class Run(NamedTuple):
    """The features in the order of their weights, and the updates.

    ``parts`` are ln P(feature | class) and ln P(class) where the learner has them: (J, 2), (2,).
    """

    features: list[str]
    updates: list[Update]
    probabilistic: bool
    parts: tuple[Floats, Floats] | None = None


def trained(
    corpus: Corpus, learner: str, *, rounds: int, alpha: float, C: float, rate: float
) -> Run:
    """Return how a learner goes through a corpus, text after text in their order."""
    bags = [bag_of(corpus.tokens(text)) for text in corpus.texts]
    known = sorted({feature for bag in bags for feature in bag})
    gold = np.array([corpus.classes.index(label) for label in corpus.labels])
    if learner == "given":
        weights = corpus.weights or {}
        names = sorted({*known, *weights})
        table = np.array([weights.get(name, 0.0) for name in names])
        return Run(names, [_begin(table)], False)
    if learner == "nb":
        nb = MultinomialNB(alpha=alpha, n_threads=1).fit(bags, gold)
        parts = nb.feature_log_prob_.T, nb.class_log_prior_
        return Run(known, [_begin(nb.coef_[0], float(nb.intercept_[0]))], True, parts)
    if learner in ("slide", "log"):
        rule = "probability" if learner == "slide" else "log"
        return Run(known, _stochastic(corpus, bags, gold, rule, rounds, rate), True)
    options: dict[str, Any] = {"average": False, "shuffle": False, "fit_intercept": False}
    options |= {"max_iter": rounds, "stop_when_clean": False}
    model = Perceptron(**options) if learner == "perceptron" else MIRA(C=C, **options)
    updates = [_begin(np.zeros(len(known)))]
    for step in model.steps(bags, gold):
        score = 0.0 if step.scores is None else float(np.ravel(step.scores)[0])
        guess, after = corpus.classes[int(step.guess)], step.weights[:, 0].copy()
        updates.append(Update(step.round, step.example, score, guess, after, 0.0))
    return Run(known, updates, False)


def _begin(weights: Floats, intercept: float = 0.0) -> Update:
    return Update(0, None, 0.0, "", weights, intercept)


def _stochastic(
    corpus: Corpus, bags: Bags, gold: NDArray[np.int64], rule: str, rounds: int, rate: float
) -> list[Update]:
    """Take single steps of stochastic gradient ascent, without a penalty (SPEC M-64, A-23)."""
    vocabulary = bag_vocabulary(bags)
    features = checked_features(bags_to_csr(bags, vocabulary))
    examples = Examples(features, gold.astype(np.int32), np.ones(len(gold)))
    run = FlatRun(Rule(rule, "columns", 2), (len(vocabulary), 1), bias=0.0)
    updates = [_begin(np.zeros(len(vocabulary)))]
    for number in range(1, rounds + 1):
        for i in range(len(bags)):
            trace = Trace.empty(1, 1, 1)
            run.go(examples, np.array([i], np.int64), np.array([rate]), trace)
            score = float(trace.scores[0, 0])
            guess = corpus.classes[int(score >= 0)]
            weights = run.last_weights()[:, 0]
            updates.append(Update(number, i, score, guess, weights, 0.0))
    return updates
