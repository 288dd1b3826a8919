"""X-07 (S0 Exercise 1.7): support vector machines by stochastic subgradients.

Question
    Repeat the maximum entropy exercise with SVMs for several lambda; compare accuracies and
    boundaries.

Answer
    For lambda = 1 the ten passes come within half a per cent of the optimum. For smaller lambda
    they do not with the same first step of 1: the error of the early, long steps fades as t to
    the power of minus (first step times lambda), so the first step has to grow as 1/lambda;
    with it the objective comes within ten per cent for lambda = 0.1. Below that, ten passes are
    too few on the reviews in any case. Optima found exactly show what lambda itself does on the
    reviews: test accuracies of 0.8175, 0.8650, 0.8400 and 0.8400 for lambda = 1, 0.1, 0.01 and
    0.001; from 0.01 on the training part is separated. On the simple data set the boundaries of
    SVM and MaxEnt with lambda = 1 are close to each other: both are kept near the line through
    the middle of the class means.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from exercise_tools import accuracies, reviews, run, save

import linnet
import linnet.lecture as lab
from linnet.lecture import MeanLoss

LAMBDAS = (1.0, 0.1, 0.01, 0.001)


def main(output: Path | None = None) -> dict[str, float]:
    """Solve the exercise; return the numbers printed."""
    sd = lab.SimpleDataSet(nr_examples=200)
    found = _several_lambdas("simple", sd)
    fig, axis = sd.plot_data()
    for lam, colour in ((1.0, "purple"), (0.001, "green")):
        params = lab.SVM(regularizer=lam).train(sd.train_X, sd.train_y)
        fig, axis = sd.add_line(fig, axis, params, f"SVM, λ = {lam:g}", colour)
    params = lab.MaxEnt_batch().train(sd.train_X, sd.train_y)
    fig, axis = sd.add_line(fig, axis, params, "MaxEnt, λ = 1", "orange")
    save(fig, output, "x07_svm.png")
    corpus = reviews("all")
    return found if corpus is None else found | _several_lambdas("reviews", corpus)


def _several_lambdas(name: str, data: Any) -> dict[str, float]:
    found = {}
    print(f"\nSVM online, {name}: accuracies, and by how much the objective exceeds the optimum")
    print("lambda   train    test  first step 1  first step 1/lambda |     optimum  its test")
    for lam in LAMBDAS:
        svm = lab.SVM()
        svm.regularizer = lam  # this is lambda
        params = svm.train(data.train_X, data.train_y)
        train, test = accuracies(svm, params, data)
        steps = lab.SVM(regularizer=lam, initial_step=1 / lam)
        steps.train(data.train_X, data.train_y)
        problem = MeanLoss(data.train_y, lam)
        exact = linnet.SVM(problem.C, tol=1e-7, max_iter=10_000).fit(data.train_X, problem.gold)
        best = float(problem.objectives(exact)[-1])
        excess = [float(learner.objectives[-1]) / best - 1 for learner in (svm, steps)]
        reachable = exact.score(data.test_X, data.test_y)
        print(
            f"{lam:6g} {train:7.4f} {test:7.4f} {excess[0]:13.1%} {excess[1]:20.1%} | "
            f"{best:11.9f} {reachable:9.4f}"
        )
        found[f"{name}, {lam:g}"], found[f"{name}, {lam:g}, optimum"] = test, best
        found[f"{name}, {lam:g}, excess"] = excess[0]
        found[f"{name}, {lam:g}, optimum's test"] = reachable
    return found


if __name__ == "__main__":
    run(main, __doc__)
