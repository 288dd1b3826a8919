"""X-05 (S0 Exercise 1.5): MIRA for several values of lambda.

Question
    Repeat the perceptron exercise with MIRA for several lambda; compare accuracies and
    boundaries.

Answer
    Lambda caps the steps at 1/lambda. While the cap is above the steps that MIRA would take
    anyway, it changes nothing: on the reviews, which are long and so need short steps only,
    every lambda up to 10 gives the same accuracy, 0.8325 on test. When the cap binds at almost
    every step, all steps have the same length and MIRA becomes the perceptron: with
    lambda = 10000 it has 0.8075, the perceptron 0.7975. On the simple data set, too, large
    lambda gives the perceptron's accuracy; small lambda lets single points that lie on the
    wrong side turn the boundary, which costs two test points.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from exercise_tools import accuracies, reviews, run, save

import linnet.lecture as lab

LAMBDAS = (0.01, 0.1, 1.0, 10.0, 100.0, 1e4)


def main(output: Path | None = None) -> dict[str, float]:
    """Solve the exercise; return the numbers printed."""
    sd = lab.SimpleDataSet(nr_examples=200)
    found = _several_lambdas("simple", sd)
    fig, axis = sd.plot_data()
    params = lab.Perceptron().train(sd.train_X, sd.train_y)
    fig, axis = sd.add_line(fig, axis, params, "perceptron", "blue")
    for lam, colour in ((1.0, "green"), (100.0, "orange")):
        params = lab.Mira(regularizer=lam).train(sd.train_X, sd.train_y)
        fig, axis = sd.add_line(fig, axis, params, f"MIRA, λ = {lam:g}", colour)
    save(fig, output, "x05_mira.png")
    corpus = reviews("all")
    return found if corpus is None else found | _several_lambdas("reviews", corpus)


def _several_lambdas(name: str, data: Any) -> dict[str, float]:
    perc = lab.Perceptron()
    params = perc.train(data.train_X, data.train_y)
    train, test = accuracies(perc, params, data)
    print(f"perceptron, {name}: accuracy train {train:.4f} test {test:.4f}")
    found = {f"{name}, perceptron": test}
    for lam in LAMBDAS:
        mira = lab.Mira()
        mira.regularizer = lam  # this is lambda
        params = mira.train(data.train_X, data.train_y)
        train, test = accuracies(mira, params, data)
        print(f"MIRA, {name}, lambda {lam:6g}: accuracy train {train:.4f} test {test:.4f}")
        found[f"{name}, {lam:g}"] = test
    return found


if __name__ == "__main__":
    run(main, __doc__)
