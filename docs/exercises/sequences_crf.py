"""One sentence, two tokens: the gradient of a conditional random field by hand.

Question
    The only sentence is "a b", its labels X Y. A CRF has a weight for each label at the start, at
    the stop, after each other, and for each pair of a word and a label that was seen: a with X and
    b with Y. With all weights 0 and C = 1: what is the log-likelihood of the sentence, and what is
    its gradient with respect to the weight of "Y after X"? And what is true of every weight where
    ½‖w‖² minus the log-likelihood is smallest?

Answer
    With weights of 0 all four taggings score 0. So Z = 4, and the log-likelihood is
    -ln 4 = -1.38629. The gradient is what was observed minus what the model expects: "Y after X"
    was observed once, and one tagging of four has it, 1 - 1/4 = 0.75.

    At the optimum the gradient of the whole is 0: w = observed - expected, for every weight, C
    being 1. The model gives X Y the probability 0.59365, so the weight of "Y after X" is
    1 - 0.59365 = 0.40635; "X after Y", which was never observed, gets -0.08363, minus its own
    probability. Three other taggings keep the rest: the penalty does not let go of them.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
from exercise_tools import run

import linnet


def main(output: Path | None = None) -> dict[str, float]:
    """Count, fit, and compare every weight with what was observed minus what is expected."""
    taggings = list(product("XY", repeat=2))
    likelihood = -float(np.log(len(taggings)))
    slope = 1.0 - sum(tags == ("X", "Y") for tags in taggings) / len(taggings)
    sentence = [[["a"], ["b"]]]
    crf = linnet.CRF(C=1.0, tol=1e-12).fit(sentence, [["X", "Y"]])
    pairs = crf.predict_pair_marginals(sentence)[0][0]  # [label of a, label of b]
    first, last = pairs.sum(axis=1), pairs.sum(axis=0)
    gold = np.array([[0.0, 1.0], [0.0, 0.0]])
    apart = max(
        np.abs(crf.transition_ - (gold - pairs)).max(),
        np.abs(crf.start_ - ([1.0, 0.0] - first)).max(),
        np.abs(crf.stop_ - ([0.0, 1.0] - last)).max(),
        np.abs(crf.pair_weight_ - [1 - first[0], 1 - last[1]]).max(),
    )
    found = {
        "log-likelihood at 0": likelihood,
        "gradient of Y after X at 0": slope,
        "P(X Y) at the optimum": float(pairs[0, 1]),
        "weight of Y after X": float(crf.transition_[0, 1]),
        "weight of X after Y": float(crf.transition_[1, 0]),
        "farthest from observed - expected": float(apart),
    }
    for name, value in found.items():
        print(f"{name:34} {value:.5f}")
    return found


if __name__ == "__main__":
    run(main, __doc__)
