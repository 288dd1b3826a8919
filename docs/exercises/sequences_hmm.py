"""Fish can swim: the lattice of a hidden Markov model, summed and maximised by hand.

Question
    Two tags, N and V, begin a sentence with probability 0.6 and 0.4. After N comes N with 0.3 and
    V with 0.7; after V comes N with 0.8 and V with 0.2. What they emit:

              fish   can   swim
        N      0.5   0.4    0.1
        V      0.2   0.3    0.5

    For "fish can swim": how probable are the words, which tagging is the best one, how probable is
    it given the words, and how probable is it that "fish" is N?

Answer
    Forward, α(t) is the probability of the words so far with tag t at the end. The first column is
    0.6 · 0.5 = 0.3 and 0.4 · 0.2 = 0.08. The second adds up both ways to each tag,

        α(N) = (0.3 · 0.3 + 0.08 · 0.8) · 0.4 = 0.0616
        α(V) = (0.3 · 0.7 + 0.08 · 0.2) · 0.3 = 0.0678

    and the third gives 0.007272 and 0.02834: P(fish can swim) = 0.035612.

    Viterbi keeps the better way instead of the sum: 0.3, 0.08; then 0.036 by N and 0.063 by N; then
    0.00504 by V and 0.0126 by N. The best tagging is N N V with probability 0.0126, which is
    0.0126 / 0.035612 = 0.3538 of all: the best tagging need not be a likely one.

    P(fish is N | words) is α · β / P(words) = 0.3 · 0.0834 / 0.035612 = 0.7026: the sum over the
    four taggings that begin with N.
"""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
from exercise_tools import run

import linnet

TAGS, WORDS = ("N", "V"), ("fish", "can", "swim")
START = np.array([0.6, 0.4])
STEP = np.array([[0.3, 0.7], [0.8, 0.2]])
EMIT = np.array([[0.5, 0.4, 0.1], [0.2, 0.3, 0.5]])


def main(output: Path | None = None) -> dict[str, Any]:
    """Solve the exercise by the recursions, by listing all taggings and by linnet."""
    forward = best = START * EMIT[:, 0]
    for column in EMIT.T[1:]:
        forward = (forward @ STEP) * column
        best = (best[:, None] * STEP).max(axis=0) * column
    each = {tags: _joint(tags) for tags in product(range(2), repeat=3)}
    winner = max(each, key=lambda tags: each[tags])
    words = [dict(zip(WORDS, row, strict=True)) for row in EMIT.tolist()]
    hmm = linnet.HMM.from_probabilities(list(TAGS), START.tolist(), STEP.tolist(), words)
    sentence = [list(WORDS)]
    found = {
        "P(words), forward": float(forward.sum()),
        "P(words), eight taggings": sum(each.values()),
        "P(words), linnet": float(np.exp(hmm.log_probability(sentence)[0])),
        "best tagging": " ".join(TAGS[t] for t in winner),
        "best tagging, linnet": " ".join(hmm.predict(sentence)[0]),
        "its probability": float(best.max()),
        "its share of all": float(best.max() / forward.sum()),
        "P(fish is N)": sum(p for tags, p in each.items() if tags[0] == 0) / sum(each.values()),
        "P(fish is N), linnet": float(hmm.predict_marginals(sentence)[0][0, 0]),
    }
    for name, value in found.items():
        print(f"{name:26} {value if isinstance(value, str) else f'{value:.6f}'}")
    return found


def _joint(tags: tuple[int, ...]) -> float:
    """Return P(words, tags)."""
    steps = [STEP[a, b] for a, b in pairwise(tags)]
    return float(START[tags[0]] * np.prod(steps) * np.prod(EMIT[list(tags), range(3)]))


if __name__ == "__main__":
    run(main, __doc__)
