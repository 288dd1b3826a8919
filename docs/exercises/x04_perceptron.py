"""X-04 (S0 Exercise 1.4): the perceptron on the simple data set and on the reviews.

Question
    Report both accuracies of the perceptron, plot its boundary, and plot the intermediate
    weight vectors every five rounds. What do you observe? Then train it on the Amazon reviews.

Answer
    The classes overlap, so the data are not separable and the plain perceptron never settles:
    its normal vector wanders between 54 and 71 degrees, and the test accuracy between 0.84 and
    0.93 with it. The average of all vectors stays within about a degree of the best direction,
    45 degrees, and between 0.92 and 0.93. The reviews, with more features than examples, are
    separable, and training accuracy passes 0.99; test accuracy is about 0.80 plain and
    averaged, and the small difference between the two means nothing on 400 reviews.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from exercise_tools import accuracies, reviews, run, save
from numpy.typing import NDArray

import linnet.lecture as lab


def main(output: Path | None = None) -> dict[str, float]:
    """Solve the exercise; return the numbers printed."""
    sd = lab.SimpleDataSet(nr_examples=200)
    perc = lab.Perceptron(nr_rounds=20)
    params = perc.train(sd.train_X, sd.train_y)
    train, test = accuracies(perc, params, sd)
    print(f"Perceptron, simple data set: accuracy train {train:.3f} test {test:.3f}")
    fig, axis = sd.plot_data()
    fig, axis = sd.add_line(fig, axis, params, "perceptron, averaged", "blue")
    found = {"train": train, "test": test}
    print("rounds  plain: train   test  direction | averaged: train   test  direction")
    for rounds, colour in ((5, "orange"), (10, "green"), (15, "purple"), (20, "red")):
        plain = perc.params_per_round[rounds - 1]
        averaged = lab.Perceptron(nr_rounds=rounds).train(sd.train_X, sd.train_y)
        cells = [(*accuracies(perc, p, sd), _direction(p)) for p in (plain, averaged)]
        print(f"{rounds:6d}" + " |   ".join("{:14.3f} {:6.3f} {:8.1f}°".format(*c) for c in cells))
        found[f"plain {rounds}"], found[f"averaged {rounds}"] = cells[0][2], cells[1][2]
        fig, axis = sd.add_line(fig, axis, plain, f"after round {rounds}", colour)
    save(fig, output, "x04_perceptron.png")

    corpus = reviews("all")
    if corpus is not None:
        for averaged in (False, True):
            perc = lab.Perceptron(averaged=averaged)
            params = perc.train(corpus.train_X, corpus.train_y)
            train, test = accuracies(perc, params, corpus)
            name = "averaged" if averaged else "plain"
            print(f"Perceptron, {name}, Amazon books: accuracy train {train:.4f} test {test:.4f}")
            found[f"reviews, {name}"] = test
    return found


def _direction(params: NDArray[np.float64]) -> float:
    """Return the direction of the normal vector in degrees; the best one has 45."""
    normal = params[1:, 1] - params[1:, 0]
    return float(np.degrees(np.arctan2(normal[1], normal[0])))


if __name__ == "__main__":
    run(main, __doc__)
