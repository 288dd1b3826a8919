"""X-08 (S0 Exercise 1.8): all models on the simple data set, as its properties vary.

Question
    Run the different models while the number of points, the variance and the balance of the
    classes vary, with one function that plots all boundaries and accuracies. What can be said
    when the amount of data grows, and when the classes become too unbalanced?

Answer
    With more data all models become the same: with a thousand points they are within 0.001 of
    each other and at what is possible. With few they differ, and naive Bayes, whose assumptions
    are true here, is among the best; the perceptron, MIRA and the SVM, which listen to single
    points, are behind. A larger variance costs all of them what it costs the best classifier.
    Imbalance raises accuracy, but only because guessing the frequent class gets better: of the
    rare class, fewer and fewer points are found. With 3 per cent of rare points the best
    possible classifier finds 56 per cent of them; naive Bayes and MaxEnt about as many, the SVM
    fewer, the perceptron and MIRA more, but with more false alarms and the lowest accuracies.
    Accuracy alone no longer tells them apart.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from exercise_tools import run, save

import linnet.lecture as lab
from linnet.explain import Boundary, compare_all_data, plot_curves

SETTINGS = {
    "points": (10, 100, 1000, 10_000),
    "variance": (0.25, 0.5, 1.0, 2.0, 4.0),
    "balance": (0.5, 0.7, 0.9, 0.97),
}
SEEDS = range(5)
TEST_POINTS = 4000


def main(output: Path | None = None) -> dict[str, float]:
    """Solve the exercise; return the numbers printed."""
    fig, _ = lab.compare_all(lab.SimpleDataSet(nr_examples=200))
    save(fig, output, "x08_boundaries.png")
    fig, _ = lab.compare_all(lab.SimpleDataSet(nr_examples=200, balance=0.95))
    save(fig, output, "x08_unbalanced.png")
    found: dict[str, float] = {}
    for quantity, values in SETTINGS.items():
        columns = [_measured(quantity, value) for value in values]
        for measure in ("test accuracy", "rare points found"):
            if measure == "test accuracy" or quantity == "balance":
                curves = {
                    name: [column[measure][name] for column in columns]
                    for name in columns[0][measure]
                }
                _print(f"{measure} by {quantity}", values, curves)
                _plot(measure, quantity, values, curves, output)
                found |= {
                    f"{measure}, {quantity} {value:g}, {name}": share
                    for name, shares in curves.items()
                    for value, share in zip(values, shares, strict=True)
                }
    return found


def _measured(quantity: str, value: float) -> dict[str, dict[str, float]]:
    """Return test accuracy and recall of the second class per model, means over the samples."""
    setting = {"points": 100.0, "variance": 1.0, "balance": 0.5, quantity: value}
    points, variance = int(setting["points"]), setting["variance"]
    total = points + TEST_POINTS
    shares: dict[str, list[float]] = {}
    recalls: dict[str, list[float]] = {}
    for seed in SEEDS:
        sd = lab.SimpleDataSet(
            nr_examples=total,
            g1=[[-1, -1], variance],
            g2=[[1, 1], variance],
            balance=setting["balance"],
            split=[points / total, 0, TEST_POINTS / total],
            seed=seed,
        )
        best = Boundary("best possible", "black", sd.get_bayes_optimal(), 0, 1 - sd.bayes_error())
        for row in [*compare_all_data(sd), best]:
            rare = row.params[0] + sd.test_X[sd.test_y == 1] @ row.params[1:]
            recalls.setdefault(row.name, []).append(float(np.mean(rare.argmax(axis=1))))
            shares.setdefault(row.name, []).append(row.test_accuracy)
    return {"test accuracy": _means(shares), "rare points found": _means(recalls)}


def _means(values: dict[str, list[float]]) -> dict[str, float]:
    return {name: float(np.mean(numbers)) for name, numbers in values.items()}


def _print(title: str, values: tuple[float, ...], curves: dict[str, list[float]]) -> None:
    print(f"\n{title}\n{'':14}" + "".join(f"{value:9g}" for value in values))
    for name, shares in curves.items():
        print(f"{name:14}" + "".join(f"{share:9.4f}" for share in shares))


def _plot(
    measure: str,
    quantity: str,
    values: tuple[float, ...],
    curves: dict[str, list[float]],
    output: Path | None,
) -> None:
    fig, axis = plot_curves({name: (values, shares) for name, shares in curves.items()})
    axis.set(xlabel=quantity, ylabel=measure, xscale="log" if quantity == "points" else "linear")
    save(fig, output, f"x08_{measure}_by_{quantity}.png".replace(" ", "_"))


if __name__ == "__main__":
    run(main, __doc__)
