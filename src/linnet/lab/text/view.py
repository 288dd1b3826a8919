"""What the page shows of a text: its features, what each adds, the decision, and its smallest flip.

A score is a sum of weights of words (SPEC M-12), so each word's part in it is known exactly. Every
update of the training is in the answer, with the text's score under the weights of that moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linnet.lab.settings import choice, number, text, whole
from linnet.lab.text.corpora import CORPORA, OWN, Corpus, Token, bag_of, own_corpus
from linnet.lab.text.flipping import Edit, smallest_flip
from linnet.lab.text.training import LEARNERS, Run, Update, trained

__all__ = ["answer"]

MOST_STEPS, MOST_LENGTH = 400, 2000
FIRST = "good: a fine film\nbad: a dull film"


def answer(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a training and a text.

    Parameters
    ----------
    settings : dict
        corpus (a name of ``CORPORA``, or "own" for the lines ``label: text`` in ``texts``),
        learner, text, rounds, alpha of naive Bayes, C of MIRA, rate of the logistic learners;
        all are optional.

    Examples
    --------
    >>> state = answer({"corpus": "reviews"})
    >>> round(state["steps"][-1]["probability"], 9)  # of the second class, +
    0.186391487
    """
    corpus = _corpus(settings)
    first = corpus.learners[0]
    asked = {**settings, "learner": settings.get("learner") or first}
    learner = choice(asked, "learner", first, corpus.learners)
    run = trained(
        corpus, learner,
        rounds=whole(settings, "rounds", 1, 1, MOST_STEPS // len(corpus.texts)),
        alpha=number(settings, "alpha", 1.0, 1e-6, 1e6),
        C=number(settings, "C", 1.0, 1e-6, 1e6),
        rate=number(settings, "rate", 1.0, 1e-6, 1e3),
    )  # fmt: skip
    shown = text(settings, "text", corpus.text, MOST_LENGTH)
    tokens = corpus.tokens(shown)
    place = {feature: j for j, feature in enumerate(run.features)}
    return {
        "corpus": settings.get("corpus", "kyoto"), "title": corpus.title, "note": corpus.note,
        "spec": corpus.spec, "classes": list(corpus.classes), "learner": learner,
        "corpora": [[name, one.title] for name, one in CORPORA.items()] + [[OWN, "your own"]],
        "learners": [[name, LEARNERS[name]] for name in corpus.learners],
        "texts": [_tokens(corpus, one, place) for one in corpus.texts],
        "labels": list(corpus.labels),
        "lines": settings.get("texts") or FIRST,
        "text": {"text": shown, "tokens": _places(tokens, place)},
        "features": run.features,
        "parts": None if run.parts is None else [part.tolist() for part in run.parts],
        "steps": [_step(corpus, run, k, shown, tokens, place) for k in range(len(run.updates))],
    }  # fmt: skip


def _corpus(settings: Mapping[str, Any]) -> Corpus:
    name = choice(settings, "corpus", "kyoto", [*CORPORA, OWN])
    if name == OWN:
        return own_corpus(text(settings, "texts", "", 10**6).strip() or FIRST)
    return CORPORA[name]


def _tokens(corpus: Corpus, text: str, place: Mapping[str, int]) -> dict[str, Any]:
    return {"text": text, "tokens": _places(corpus.tokens(text), place)}


def _places(tokens: list[Token], place: Mapping[str, int]) -> list[list[Any]]:
    """Return for each token where it stands and the number of its feature; None is unknown."""
    return [[token.start, token.end, place.get(token.feature)] for token in tokens]


def _step(
    corpus: Corpus, run: Run, k: int, shown: str, tokens: list[Token], place: Mapping[str, int]
) -> dict[str, Any]:
    update = run.updates[k]
    weights = update.weights.tolist()
    known = [token for token in tokens if token.feature in place]
    words = [weights[place[token.feature]] for token in known]
    score = float(update.intercept + sum(words))
    probability = float(np.exp(-np.logaddexp(0.0, -score))) if run.probabilistic else None
    edits = smallest_flip(score, words, weights)
    return {
        "round": update.round, "example": update.example, "example_score": update.score,
        "guess": update.guess, "factor": _factor(corpus, run, k, place), "weights": weights,
        "intercept": update.intercept, "score": score, "probability": probability,
        "flip": _flip(run, update, shown, known, edits, score, words),
    }  # fmt: skip


def _factor(corpus: Corpus, run: Run, k: int, place: Mapping[str, int]) -> float:
    """Return by how much a count of 1 moved its weight."""
    example = run.updates[k].example
    if example is None:
        return 0.0
    feature, count = next(iter(bag_of(corpus.tokens(corpus.texts[example])).items()))
    before, after = run.updates[k - 1].weights, run.updates[k].weights
    return float((after - before)[place[feature]] / count)


def _flip(
    run: Run, update: Update, shown: str, known: list[Token], edits: list[Edit], score: float,
    words: list[float],
) -> dict[str, Any] | None:  # fmt: skip
    """Return the edits with the text and the score that they lead to."""
    if not edits:
        return None
    changed, end = shown, len(shown)
    for edit in sorted(edits, key=lambda edit: -1 if edit.word is None else -edit.word):
        by = "" if edit.by is None else run.features[edit.by].replace("<#>", "1")
        if edit.word is None:
            changed = f"{changed[:end]} {by}{changed[end:]}"
            score += float(update.weights[edit.by or 0])
            continue
        token = known[edit.word]
        changed = changed[: token.start] + by + changed[token.end :]
        score -= words[edit.word] - (0.0 if edit.by is None else float(update.weights[edit.by]))
    said = [
        [
            edit.kind,
            "" if edit.word is None else known[edit.word].feature,
            "" if edit.by is None else run.features[edit.by],
        ]
        for edit in edits
    ]
    return {"edits": said, "text": " ".join(changed.split()), "score": score}
