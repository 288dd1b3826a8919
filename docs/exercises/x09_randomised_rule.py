"""X-09 (S1 "Problem: risk under randomized decision rule"): throwing dice does not help.

Question
    A randomised rule takes action a with probability P(a | x). What is its risk? Show that the
    risk is least when all probability is on the action of least conditional risk R(a | x).

Answer
    Given x, the expected loss is the mean of the conditional risks under the rule, so

        R = ∫ [ Σ_a R(a | x) P(a | x) ] p(x) dx

    A mean is never less than the smallest of what is averaged: Σ_a R(a | x) P(a | x) ≥
    min_a R(a | x), with equality exactly when actions that are not of least risk have probability
    0. That holds at every x, hence for the integral. So P(a | x) = 1 for one action of least risk
    is the best there is.

    With the posterior (0.7, 0.3) and the zero-one loss, the Bayes rule errs in 30 of 100 cases;
    guessing each class as often as it occurs errs in 42. The run below tries random rules against
    random losses, and draws the risk of all rules that take the first action with probability q.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from exercise_tools import run, save

from linnet.decide import conditional_risk, randomised_risk, zero_one_loss

POSTERIOR = np.array([0.7, 0.3])
TRIALS = 1000


def main(output: Path | None = None) -> dict[str, float]:
    """Solve the exercise; return the risks."""
    found = {
        "Bayes rule": randomised_risk([1.0, 0.0], POSTERIOR),
        "guess as often as it occurs": randomised_risk(POSTERIOR, POSTERIOR),
        "least loss to the best action": _least_excess(),
        "loss of mixing equal actions": _with_ties(),
    }
    for name, value in found.items():
        print(f"{name:32} {value:.4f}")
    _draw(output)
    return found


def _least_excess() -> float:
    """Return the least of (risk of a random rule) - (risk of the best action) over many tries."""
    rng = np.random.default_rng(0)
    excess = []
    for _ in range(TRIALS):
        proba, rule = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(3))
        loss = rng.uniform(0.0, 10.0, (3, 4))
        best = float(conditional_risk(proba, loss).min())
        excess.append(randomised_risk(rule, proba, loss) - best)
    return min(excess)


def _with_ties() -> float:
    """Return the excess of a rule that mixes two actions of the same least risk: none."""
    loss = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    even = np.array([0.5, 0.5])
    return randomised_risk([0.2, 0.8, 0.0], even, loss) - float(conditional_risk(even, loss).min())


def _draw(output: Path | None) -> None:
    from matplotlib import pyplot

    q = np.linspace(0.0, 1.0, 101)
    rules = np.column_stack([q, 1.0 - q])
    risks = [randomised_risk(rule, POSTERIOR, zero_one_loss(2)) for rule in rules]
    figure, axes = pyplot.subplots()
    axes.plot(q, risks)
    axes.plot([1.0, POSTERIOR[0]], [0.30, 0.42], "o")
    axes.set_xlabel("probability of taking the first action")
    axes.set_ylabel("risk")
    save(figure, output, "x09_randomised_rule.png")


if __name__ == "__main__":
    run(main, __doc__)
