"""They can fish, they can it: what a maximum-entropy Markov model cannot take back.

Question
    Learn a MEMM and a CRF, C = 10 and the word as the only feature, from

        they/P can/M fish/V     they/P can/V it/P     a/D can/N     fish/N swim/V

    and ask both how probable each tag of "can" is in "they can fish" and in "they can it". Before
    you look: which of the two models gives two answers, and why does the other give only one?
    Which tag does each model give to "can" in the two sentences all the same?

Answer
    The MEMM is a product of distributions P(tag | tag before, word). Summed over all that may come
    later, each of the later factors is 1, so the tag of "can" depends on "they" and "can" and on
    nothing behind them: P(M) = 0.393 and P(V) = 0.434 in both sentences.

    The CRF has one distribution over whole taggings. A later word changes the sum of all taggings,
    and with it what is likely before: P(M) = 0.669 where "fish" follows, P(V) = 0.686 before "it".

    The best taggings still agree, P M V and P V P: Viterbi's algorithm compares whole taggings in
    both models, and the factor of the last word can tip the balance. What is lost in the MEMM is
    how sure it may be, and a vote where a state has one way out only (sequences_label_bias.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from exercise_tools import run

import linnet

TAGGED = ("they/P can/M fish/V", "they/P can/V it/P", "a/D can/N", "fish/N swim/V")
ASKED = ("they can fish", "they can it")


def main(output: Path | None = None) -> dict[str, Any]:
    """Learn both models, and return what each says of "can" in the two sentences."""
    pairs = [[token.split("/") for token in sentence.split()] for sentence in TAGGED]
    X = [[[f"word={word}"] for word, _ in sentence] for sentence in pairs]
    y = [[tag for _, tag in sentence] for sentence in pairs]
    asked = [[[f"word={word}"] for word in sentence.split()] for sentence in ASKED]
    found: dict[str, Any] = {}
    for name, learner in (("MEMM", linnet.MEMM(C=10.0)), ("CRF", linnet.CRF(C=10.0))):
        model = learner.fit(X, y)
        tags = model.classes_.tolist()
        marginals, guesses = model.predict_marginals(asked), model.predict(asked)
        for sentence, table, guess in zip(ASKED, marginals, guesses, strict=True):
            of_can = dict(zip(tags, table[1].tolist(), strict=True))
            found[f"{name}, {sentence}"] = of_can
            found[f"{name}, {sentence}, best"] = " ".join(guess)
            listed = "  ".join(f"P({tag}) {p:.3f}" for tag, p in of_can.items())
            print(f"{name:4}  {sentence:13}  {listed}  best: {' '.join(guess)}")
    return found


if __name__ == "__main__":
    run(main, __doc__)
