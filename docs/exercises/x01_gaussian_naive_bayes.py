"""X-01 (S0 Exercise 1.1): naive Bayes on two Gaussian classes.

Question
    Draw training and test points from N((-1, -1), s² I) and N((1, 1), s² I). Estimate means and
    priors, report both accuracies and plot the boundary. What changes with the variance s², the
    balance of the classes and the number of points?

Answer
    The estimates are the class averages and frequencies, and a hundred points are enough to
    bring the boundary close to the best one. What is left is the error that no classifier
    avoids. It grows with the variance, for the classes then overlap more, and shrinks when one
    class is rare, for then always guessing the other is already good; the boundary moves
    towards the mean of the rare class. Few points make the estimates scatter: with ten,
    training accuracy is perfect and test accuracy a percent below what is possible; with more
    the two approach each other and the limit.
"""

from __future__ import annotations

from pathlib import Path

from exercise_tools import accuracies, run, save

import linnet.lecture as lab


def main(output: Path | None = None) -> dict[str, float]:
    """Solve the exercise; return the numbers printed."""
    sd = lab.SimpleDataSet(
        nr_examples=200, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5]
    )
    gnb = lab.GaussianNaiveBayes()
    params = gnb.train(sd.train_X, sd.train_y)
    train, test = accuracies(gnb, params, sd)
    print(f"Estimated means\n{gnb.means.round(3)}")
    print(f"Estimated priors {gnb.prior.round(3)}")
    print(f"Gaussian naive Bayes, simple data set: accuracy train {train:.3f} test {test:.3f}")
    fig, axis = sd.plot_data()
    fig, axis = sd.add_line(fig, axis, params, "naive Bayes", "red")
    save(fig, output, "x01_naive_bayes.png")

    found = {"train": train, "test": test}
    print("\nvariance  balance  points   train    test    best possible")
    for variance in (0.25, 0.5, 1.0, 2.0, 4.0):
        found[f"variance {variance:g}"] = _row(variance, 0.5, 10_000)
    for balance in (0.7, 0.9, 0.99):
        found[f"balance {balance:g}"] = _row(1.0, balance, 10_000)
    for points in (10, 100, 1000, 100_000):
        found[f"points {points}"] = _row(1.0, 0.5, points)
    return found


def _row(variance: float, balance: float, points: int) -> float:
    """Train on `points` points, test on 20 000 and print a line; return the test accuracy."""
    total = points + 20_000
    sd = lab.SimpleDataSet(
        total,
        [[-1, -1], variance],
        [[1, 1], variance],
        balance,
        [points / total, 0, 20_000 / total],
        seed=1,
    )
    gnb = lab.GaussianNaiveBayes(variance)
    train, test = accuracies(gnb, gnb.train(sd.train_X, sd.train_y), sd)
    best = 1 - sd.bayes_error()
    print(f"{variance:8g} {balance:8g} {points:7d} {train:7.3f} {test:7.3f} {best:10.3f}")
    return test


if __name__ == "__main__":
    run(main, __doc__)
