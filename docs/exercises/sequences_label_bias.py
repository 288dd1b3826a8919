"""Rib or rob: the label bias (Lafferty, McCallum and Pereira 2001).

Question
    An automaton writes "rib" by the states 1 2 3 or "rob" by 4 5 3, either with probability 1/2.
    Each letter is replaced by each of the three others with probability q = 1/32. Which share of
    the states must be wrong, however good the model is? A MEMM and a CRF learn from 2,000 words,
    the letter being their only feature. How many states do they get wrong on 500 others, and why?

Answer
    Only the second letter tells the branches apart. It is the other branch's with q, and says
    nothing with 2q, when half of the guesses are wrong: the branch is missed in q + 2q/2 = 1/16 of
    the words. Then two of three states are wrong: 1/24 = 4.2 % of all.

    The CRF is there: 4.5 % of these words. The MEMM gets 31 % wrong. After an "r" it is in state 1
    or 4, about one half each. From state 1 there is one way, to state 2, and its probability given
    the next letter must be 1, whether that letter is an "i" or an "o". So the letter that tells the
    branches apart has no vote, all words get the branch that was more frequent in training, and
    about half of the words have two wrong states of three.
"""

from __future__ import annotations

from pathlib import Path

from exercise_tools import run

import linnet
from linnet.data.label_bias import make_rib_rob, rib_rob_error


def main(output: Path | None = None) -> dict[str, float]:
    """Learn both models and return their shares of wrong states, and what "o" says to each."""
    X, y = make_rib_rob(2000, seed=0)
    X_test, y_test = make_rib_rob(500, seed=1)
    found = {"best possible": rib_rob_error()[0]}
    for name, learner in (("MEMM", linnet.MEMM(C=100.0)), ("CRF", linnet.CRF(C=100.0))):
        model = learner.fit(X, y)
        pairs = [
            (guess, gold)
            for word, states in zip(model.predict(X_test), y_test, strict=True)
            for guess, gold in zip(word, states, strict=True)
        ]
        found[f"{name}, wrong states"] = sum(a != b for a, b in pairs) / len(pairs)
        at_five = model.classes_.tolist().index("5")
        for word in ("rib", "rob"):
            table = model.predict_marginals([[[letter] for letter in word]])[0]
            found[f"{name}, P(branch of o | {word})"] = float(table[1, at_five])
    for name, value in found.items():
        print(f"{name:30} {value:.3f}")
    return found


if __name__ == "__main__":
    run(main, __doc__)
