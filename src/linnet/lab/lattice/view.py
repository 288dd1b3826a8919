"""What the page draws of a sentence's lattices: every number of every cell (SPEC M-111..M-120).

The learners are those of :mod:`linnet.learn` with the numbers that the page shows; decisions,
marginals and the n best come from them. Scores are natural logarithms; None is minus infinity.
An edit of one model computes that one again, and the models are computed side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.lab.lattice.examples import EXAMPLES, MODELS, OWN, Made, random_weights, trained
from linnet.lab.lattice.trellis import Trellis
from linnet.lab.lattice.weights import Weights
from linnet.lab.numbers import Table
from linnet.lab.remembered import Remembered
from linnet.lab.settings import choice, choices, flag, number, text, whole
from linnet.learn.chain.scores import Constraints

__all__ = ["answer"]

Floats = NDArray[np.float64]
RANDOM = "random"
MOST_WORDS, MOST_EDITS, MOST_PATHS, MOST_FACTORS, MOST_LENGTH = 100, 500, 50, 30_000, 40_000
_SOURCE = (
    "example",
    "corpus",
    "alpha",
    "C",
    "tokens",
    "tags",
    "seed",
)  # say which numbers are meant

_remembered: Remembered[dict[str, Any]] = Remembered(most=24)


def answer(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the lattices of a sentence.

    Parameters
    ----------
    settings : dict
        example (a name of ``EXAMPLES``, "own" for tagged sentences in ``corpus``, or "random" for
        ``tokens`` and ``tags``), sentence, models, constraints, forbidden (pairs of labels), edits,
        beam, n_best; all are optional.

    Examples
    --------
    >>> state = answer({"example": "fish"})
    >>> state["lattices"][0]["best"]["labels"], state["lattices"][0]["best"]["score"]
    ([0, 0, 1], -4.374058465024705)
    """
    made, about = _made(settings)
    words = _words(text(settings, "sentence", about["sentence"], MOST_LENGTH))
    labels = made["hmm"].labels
    about["sentence"] = " ".join(words)
    forbidden = _pairs(settings.get("forbidden", []), labels)
    if flag(settings, "constraints"):
        forbidden = list(dict.fromkeys([*about["rule"], *forbidden]))
    allowed = _constraints(forbidden, labels)
    edits = _edits(settings.get("edits", []))
    beam, k = (whole(settings, name, n, 1, MOST_PATHS) for name, n in (("beam", 2), ("n_best", 5)))
    source = {name: settings.get(name) for name in _SOURCE}

    def lattice(model: str) -> dict[str, Any]:
        own = [edit for edit in edits if edit[0] == model]
        return _remembered.of(
            [source, model, own, words, forbidden, beam, k],
            lambda: _lattice(made[model].of(words).edited(own), words, allowed, beam, k),
        )

    with ThreadPoolExecutor(len(MODELS)) as side_by_side:
        lattices = list(
            side_by_side.map(lattice, choices(settings, "models", MODELS, MODELS, len(MODELS)))
        )
    return {
        **about,
        "labels": labels,
        "words": words,
        "forbidden": [list(pair) for pair in forbidden],
        "lattices": lattices,
    }


def _made(settings: Mapping[str, Any]) -> tuple[Made, dict[str, Any]]:
    """Return the three models, and what to say about them."""
    name = choice(settings, "example", "fish", [*EXAMPLES, OWN, RANDOM])
    listed = [{"name": key, "title": example.title} for key, example in EXAMPLES.items()]
    listed.append({"name": OWN, "title": "your own tagged sentences"})
    listed.append({"name": RANDOM, "title": "random numbers, of any size"})
    about: dict[str, Any] = {"example": name, "examples": listed, "spec": "", "rule": []}
    if name in EXAMPLES:
        example = EXAMPLES[name]
        made = example.made()
        about |= {
            "title": example.title, "note": example.note, "sentence": example.sentence,
            "constraint": example.constraint, "spec": example.spec, "corpus": example.corpus,
            "rule": example.forbidden(made["hmm"].labels),
        }  # fmt: skip
        return made, about
    if name == OWN:
        corpus = text(settings, "corpus", "", MOST_LENGTH).strip() or EXAMPLES["counted"].corpus
        alpha = number(settings, "alpha", 0.01, 0.0, 100.0)
        C = number(settings, "C", 10.0, 1e-3, 1e4)
        note = f"Trained on your sentences: HMM with α = {alpha:g}, MEMM and CRF with C = {C:g}."
        about |= {"title": "your own tagged sentences", "note": note, "corpus": corpus}
        about |= {"constraint": "", "sentence": _first_words(corpus)}
        return trained(corpus, alpha=alpha, C=C)(), about
    sizes = whole(settings, "tokens", 40, 1, MOST_WORDS), whole(settings, "tags", 49, 2, 60)
    made = random_weights(*sizes, whole(settings, "seed", 0, 0, 2**31))
    note = "Normally distributed weights; the HMM's are normalised into probabilities."
    about |= {"title": "random numbers", "note": note, "constraint": "", "corpus": ""}
    return made, about | {"sentence": " ".join(made["hmm"].words)}


def _first_words(corpus: str) -> str:
    line = next(line for line in corpus.splitlines() if line.strip())
    return " ".join(token.rpartition("/")[0] for token in line.split())


def _lattice(
    weights: Weights, words: list[str], allowed: Constraints, beam: int, k: int
) -> dict[str, Any]:
    """Return one model's lattice."""
    learner = weights.learner()
    sentence = words if weights.model == "hmm" else [[word] for word in words]
    state, trellis, extra = _scores(weights, learner, sentence, allowed)
    alpha = trellis.forward()
    log_z = trellis.log_partition(alpha)
    possible = log_z > -np.inf
    v, back = trellis.viterbi()
    marginal = None
    ranked: list[dict[str, Any]] = []
    if possible:
        marginal = learner.predict_marginals([sentence], constraints=allowed)[0]
        nearest = learner.predict_nbest([sentence], k, constraints=allowed)[0]
        ranked = [_path(weights, labels, score, log_z) for score, labels in nearest]
    beams = trellis.beam(beam)
    return {
        "model": weights.model,
        "per_state": weights.per_state,
        "vocabulary": weights.words,
        "parameters": {
            name: Table(getattr(weights, name))
            for name in ("start", "transition", "stop", "emission")
        },
        "state": Table(state),
        **extra,
        "alpha": Table(alpha),
        "beta": Table(trellis.backward()),
        "viterbi": Table(v),
        "back": Table(back),
        "marginal": None if marginal is None else Table(marginal),
        "log_z": log_z if possible else None,
        "best": ranked[0] if ranked else None,
        "n_best": ranked,
        "beam": [[list(kept) for kept in row if kept.score > -np.inf] for row in beams],
        "beam_best": _beam_best(beams, log_z) if possible else None,
    }


def _scores(
    weights: Weights, learner: Any, sentence: Any, allowed: Constraints
) -> tuple[Floats, Trellis, dict[str, Any]]:
    """Return the state scores, the trellis, and what else its formulas need.

    A MEMM's factor is e^(state + transition) over ``denominator`` [token, previous label or the
    start]; with a model for each label the whole factors are in ``local``.
    """
    n = len(sentence)
    bar_start, bar, bar_stop = (np.where(part, 0.0, -np.inf) for part in allowed)
    if weights.model != "memm":
        state = learner.decision_function([sentence])[0]
        first = learner.start_ + state[0] + bar_start
        between = (learner.transition_ + bar)[None] + state[1:, None, :]
        return state, Trellis(first, between, learner.stop_ + bar_stop), {}
    L = len(weights.labels)
    if n * L * (L + 1) > MOST_FACTORS and weights.per_state:
        raise ParameterError("a MEMM with a model for each label is shown for shorter sentences")
    with np.errstate(divide="ignore"):
        local = np.log(learner.local_distributions([sentence])[0])
    extra: dict[str, Any] = {}
    state = np.zeros((n, L))
    if weights.per_state:
        extra = {"local": Table(local)}
    else:
        state = learner.decision_function([sentence])[0]
        scores = state[:, None, :] + np.vstack([learner.transition_, learner.start_])
        best = scores.argmax(axis=2)[:, :, None]  # a factor that is surely above 0
        denominator = np.take_along_axis(scores - local, best, axis=2)
        local = scores - denominator
        extra = {"denominator": Table(denominator[:, :, 0])}
    trellis = Trellis(local[0, L] + bar_start, local[1:, :L] + bar, learner.stop_ + bar_stop)
    return state, trellis, extra


def _path(weights: Weights, labels: list[str], score: float, log_z: float) -> dict[str, Any]:
    numbers = [weights.labels.index(label) for label in labels]
    return {"labels": numbers, "score": score, "probability": float(np.exp(score - log_z))}


def _beam_best(beams: list[list[Any]], log_z: float) -> dict[str, Any] | None:
    best = beams[-1][0]
    if best.score == -np.inf:
        return None
    labels, at = [], 0
    for row in reversed(beams):
        labels.append(row[at].label)
        at = row[at].parent
    return {
        "labels": labels[::-1],
        "score": best.score,
        "probability": float(np.exp(best.score - log_z)),
    }


# Reading the settings


def _words(sentence: str) -> list[str]:
    words = sentence.split()
    if not 1 <= len(words) <= MOST_WORDS:
        raise ParameterError(f"a sentence has 1 to {MOST_WORDS} words, got {len(words)}")
    return words


def _pairs(forbidden: Any, labels: list[str]) -> list[tuple[str, str]]:
    """Return the pairs (label or "" for the start, label) that may not be neighbours."""
    if not isinstance(forbidden, list):
        raise ParameterError(f"forbidden must be a list of pairs of labels, got {forbidden!r}")
    pairs = []
    for pair in forbidden:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or pair[1] not in labels:
            raise ParameterError(f"forbidden needs pairs of the labels {labels}, got {pair!r}")
        if pair[0] != "" and pair[0] not in labels:
            raise ParameterError(f"forbidden needs pairs of the labels {labels}, got {pair!r}")
        pairs.append((pair[0], pair[1]))
    return pairs


def _constraints(forbidden: Sequence[tuple[str, str]], labels: list[str]) -> Constraints:
    L = len(labels)
    legal = np.ones((L + 1, L), bool)
    for before, after in forbidden:
        legal[labels.index(before) if before else L, labels.index(after)] = False
    return Constraints(legal[L], legal[:L], np.ones(L, bool))


def _edits(edits: Any) -> list[Sequence[Any]]:
    if not isinstance(edits, list) or len(edits) > MOST_EDITS:
        raise ParameterError(f"edits must be a list of at most {MOST_EDITS} edits")
    for edit in edits:
        if not isinstance(edit, list) or len(edit) not in (5, 6) or edit[0] not in MODELS:
            raise ParameterError(
                f"an edit is [model, part, from, to, value, perhaps the label before], got {edit!r}"
            )
    return edits
