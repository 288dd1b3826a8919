"""The sentences and models that the lattice begins with: worked examples and tiny corpora.

Either the numbers of one model are given, and the two others are made of the same numbers; or all
three are trained on the same tagged sentences.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.data.label_bias import rib_rob_transitions
from linnet.data.tags import allowed_transitions
from linnet.errors import ParameterError
from linnet.lab.lattice.weights import Weights
from linnet.learn.crf import CRF
from linnet.learn.hmm import HMM
from linnet.learn.memm import MEMM

__all__ = ["EXAMPLES", "MODELS", "OWN", "Example", "random_weights", "trained"]

MODELS = ("hmm", "memm", "crf")
OWN = "own"
Floats = NDArray[np.float64]
Made = dict[str, Weights]

MOST_TOKENS, MOST_LABELS = 2000, 30


class Example(NamedTuple):
    """A sentence, its three models, and what is forbidden when constraints are on.

    ``forbidden`` returns pairs (label, next label); the start is "".
    """

    title: str
    note: str
    sentence: str
    made: Callable[[], Made]
    forbidden: Callable[[list[str]], list[tuple[str, str]]]
    constraint: str
    spec: str
    corpus: str = ""


def _softmax(scores: Floats) -> Floats:
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


@cache
def _fish() -> Made:
    """SPEC F-06: a given HMM; its logarithms are the weights of the others."""
    labels, words = ["N", "V"], ["fish", "swim", "can"]
    start, transition = np.array([0.6, 0.4]), np.array([[0.3, 0.7], [0.8, 0.2]])
    emission = np.array([[0.5, 0.2], [0.1, 0.5], [0.4, 0.3]])
    hmm = Weights("hmm", labels, start, transition, np.ones(2), words, emission, np.ones(2))
    logs = np.log(start), np.log(transition), np.log(emission)
    return {"hmm": hmm, **_weighted(labels, words, *logs)}


def _weighted(
    labels: list[str], words: list[str], start: Floats, transition: Floats, emission: Floats
) -> Made:
    """Return a MEMM and a CRF with the same weights; those of unknown words and stops are 0."""
    zero = np.zeros(len(labels))
    return {
        name: Weights(name, labels, start, transition, zero, words, emission, zero)
        for name in ("memm", "crf")
    }


def _from_weights(
    labels: list[str], words: list[str], emission: Floats, transition: Floats
) -> Made:
    """Make three models of the same weights: the HMM's are normalised into probabilities."""
    zero, one = np.zeros(len(labels)), np.ones(len(labels))
    start, follows, told = _softmax(zero), _softmax(transition), _softmax(emission.T).T
    hmm = Weights("hmm", labels, start, follows, one, words, told, one)
    return {"hmm": hmm, **_weighted(labels, words, zero, transition, emission)}


@cache
def _crf() -> Made:
    """SPEC F-05: the given weights of a CRF."""
    emission, transition = np.array([[1.0, 0.0], [0.0, 0.5]]), np.array([[0.2, -0.8], [-0.1, 0.0]])
    return _from_weights(["A", "B"], ["a", "b"], emission, transition)


@cache
def random_weights(tokens: int, labels: int, seed: int) -> Made:
    """Return three models of the same random weights, for a sentence of that many words."""
    rng = np.random.default_rng(seed)
    names = [f"T{j + 1:02d}" for j in range(labels)]
    words = [f"w{t + 1}" for t in range(tokens)]
    return _from_weights(
        names, words, rng.normal(size=(tokens, labels)), rng.normal(size=(labels, labels))
    )


def read_corpus(corpus: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return the words and the tags of sentences, one a line, as ``word/tag``.

    Examples
    --------
    >>> read_corpus("the/D dog/N")
    ([['the', 'dog']], [['D', 'N']])
    """
    words, tags = [], []
    for number, line in enumerate(corpus.splitlines(), 1):
        pairs = [token.rpartition("/") for token in line.split()]
        for word, _, tag in pairs:
            if not word or not tag:
                raise ParameterError(
                    f"line {number} of the tagged sentences has {word or tag!r}: write word/tag"
                )
        if pairs:
            words.append([word for word, _, _ in pairs])
            tags.append([tag for _, _, tag in pairs])
    if not words:
        raise ParameterError("there are no tagged sentences: write lines such as the/D dog/N")
    n_labels = len({tag for row in tags for tag in row})
    if sum(map(len, words)) > MOST_TOKENS or n_labels > MOST_LABELS:
        raise ParameterError(
            f"the page trains on at most {MOST_TOKENS} tokens with {MOST_LABELS} tags; "
            "use linnet train for more"
        )
    return words, tags


@cache
def _trained(corpus: str, alpha: float, C: float, states: str) -> Made:
    words, tags = read_corpus(corpus)
    features = [[[word] for word in sentence] for sentence in words]
    hmm = HMM(alpha=alpha, unknown="uniform", n_threads=1).fit(words, tags)
    tight: dict[str, Any] = {"tol": 1e-9, "max_iter": 2000, "n_threads": 1}
    memm = MEMM(C=C, states=states, pairs="all", **tight).fit(features, tags)
    crf = CRF(C=C, pairs="all", **tight).fit(features, tags)
    return {
        "hmm": Weights.of_hmm(hmm),
        "memm": Weights.of_learner("memm", memm),
        "crf": Weights.of_learner("crf", crf),
    }


def trained(
    corpus: str, *, alpha: float = 0.01, C: float = 10.0, states: str = "shared"
) -> Callable[[], Made]:
    """Return what trains the three models on tagged sentences."""
    return lambda: _trained(corpus, alpha, C, states)


def _automaton(labels: list[str]) -> list[tuple[str, str]]:
    legal = rib_rob_transitions(labels)
    names = [*labels, ""]
    return [(names[i], names[j]) for i, j in np.argwhere(~legal).tolist()]


def _iob(labels: list[str]) -> list[tuple[str, str]]:
    start, transition, _ = allowed_transitions(labels, "IOB2")
    pairs = [(labels[i], labels[j]) for i, j in np.argwhere(~transition).tolist()]
    return [("", labels[j]) for j in np.flatnonzero(~start).tolist()] + pairs


COUNTED = "the/D dog/N runs/V\nthe/D runs/N\ndogs/N run/V\nthe/D dog/N dog/V"
RIB_ROB = "r/1 i/2 b/3\nr/1 i/2 b/3\nr/1 i/2 b/3\nr/4 o/5 b/3"
NAMES = (
    "Ada/B-PER Lovelace/I-PER saw/O New/B-LOC York/I-LOC\n"
    "Ada/B-PER left/O Rome/B-LOC\nNew/B-LOC York/I-LOC saw/O Ada/B-PER Lovelace/I-PER\n"
    "Rome/B-LOC is/O big/O"
)

EXAMPLES: dict[str, Example] = {
    "fish": Example(
        "fish can swim: a given HMM",
        "The HMM's probabilities are given. The logarithms of the same numbers are the weights of "
        "the MEMM, which normalises at every token, and of the CRF, which normalises once: the CRF "
        "agrees with the HMM, the MEMM need not.",
        "fish can swim",
        _fish,
        lambda labels: [("N", "N")],
        "no N after N",
        "F-06",
    ),
    "crf": Example(
        "a b a: a given CRF",
        "The CRF's weights are given. Token by token A B A would win; with the transitions the "
        "whole A A A does. The MEMM has the same weights; the HMM's are e to the weight, "
        "normalised into probabilities.",
        "a b a",
        _crf,
        lambda labels: [("A", "A")],
        "no A after A",
        "F-05",
    ),
    "bias": Example(
        "r o b: the label bias",
        "Trained on three times r i b (states 1 2 3) and once r o b (4 5 3). After state 1 the "
        "MEMM has seen only state 2, so it goes there whatever the letter: r o b gets 1 2 3. CRF "
        "and HMM let the o count.",
        "r o b",
        trained(RIB_ROB, C=1e3, states="per_state"),
        _automaton,
        "the automaton's arrows: 1→2→3 and 4→5→3",
        "F-13",
        RIB_ROB,
    ),
    "counted": Example(
        "the dog runs: counted",
        "All three are trained on four tagged sentences: the HMM by counting (nothing is added to "
        "the counts), MEMM and CRF with C = 10.",
        "the dog runs",
        trained(COUNTED, alpha=0.0),
        lambda labels: [("N", "N"), ("V", "V")],
        "no N after N, no V after V",
        "F-06",
        COUNTED,
    ),
    "names": Example(
        "York is big: chunk tags",
        "Begin (B-), inside (I-), outside (O). York was only seen inside a name, so without "
        "constraints a model may begin with I-LOC, which is no legal sequence; with them it "
        "cannot.",
        "York is big",
        trained(NAMES, C=10.0),
        _iob,
        "IOB2: I-X only after B-X or I-X",
        "M-109",
        NAMES,
    ),
}
