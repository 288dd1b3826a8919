"""X-15 (S3): gradient descent, maximum entropy, and two similar updates.

Questions and answers
    Gradient descent on θ² starts at -1 with rate 0.2: where is it after five iterations? The
    slope is 2θ, so every step multiplies θ by 1 - 0.2·2 = 0.6. It goes through -0.6, -0.36,
    -0.216 and -0.1296 to -0.07776.

    What has multinomial logistic regression to do with entropy? Among all distributions that
    expect each feature as often as the data show it, one has the largest entropy. It is
    log-linear, and it is also the log-linear distribution under which the data are most likely.
    In the lecture's example there are four outcomes, x0, x1, y0 and y1, and six of ten end in 0.
    Then the two that end in 0 get 0.3 each and the two that end in 1 get 0.2 each: 1.97 bits.
    The weight of "ends in 0" is ln(0.3 / 0.2) = ln 1.5. So a fit without a penalty ends where
    expected and observed features agree; with a penalty of strength lambda, observed minus
    expected is lambda w.

    How does the update of the perceptron differ from that of logistic regression? Both add x
    times a residual. The perceptron's is 1[gold] - 1[guess]: all or nothing, and nothing when
    the guess is right. The other is 1[gold] - P: it also corrects an example that is right but
    not certain, by a little. As the scores grow, P approaches 1[guess], and the two agree.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from exercise_tools import run

import linnet
from linnet.data import SimpleDataSet
from linnet.lecture import MaxEnt_batch
from linnet.reference import gradient_descent, losses, maxent

OUTCOMES = ("x0", "x1", "y0", "y1")


def main(output: Path | None = None) -> dict[str, float]:
    """Answer the questions; return the numbers printed."""
    path = gradient_descent.scalar(lambda theta: 2 * theta, -1.0, 0.2, 5)
    print("Gradient descent: " + ", ".join(f"{theta:.5f}" for theta in path))
    return {"theta": path[-1], **largest_entropy(), **moments(), **updates()}


def largest_entropy() -> dict[str, float]:
    """Fit a log-linear model to ten outcomes of which six end in 0 (W-13)."""
    seen = ["x0"] * 5 + ["y0"] + ["x1"] + ["y1"] * 3

    def feature(_: object, outcome: str) -> dict[str, float]:
        return {"0": 1.0} if outcome.endswith("0") else {}

    model = linnet.MaxEnt(penalty=None, joint_map=feature, tol=1e-12).fit([None] * 10, seen)
    p = model.predict_proba([None])[0]
    entropy = -float(p @ np.log2(p))
    weight = float(model.coef_[0, 0])
    shown = ", ".join(f"p({name}) = {share:.6f}" for name, share in zip(OUTCOMES, p, strict=True))
    print(f"Largest entropy: {shown}; {entropy:.6f} bits; weight {weight:.6f}")
    return {"p(x0)": float(p[0]), "p(x1)": float(p[1]), "bits": entropy, "weight": weight}


def moments() -> dict[str, float]:
    """Compare expected and observed features at the optimum (M-55)."""
    data = SimpleDataSet(nr_examples=200)
    X, y = np.column_stack([np.ones(len(data.train_X)), data.train_X]), data.train_y
    found = {}
    for lam in (1e-9, 0.1):
        W = MaxEnt_batch(lam).train(data.train_X, y)
        gap = maxent.observations(X, y, 2) - maxent.expectations(X, W)
        off = float(np.abs(gap - lam * W).max())
        print(
            f"Moments, lambda {lam:g}: observed minus expected is at most {np.abs(gap).max():.1e} "
            f"and differs from lambda w by at most {off:.0e}"
        )
        found[f"gap {lam:g}"], found[f"off {lam:g}"] = float(np.abs(gap).max()), off
    return found


def updates() -> dict[str, float]:
    """Print both residuals for one example as the scores grow (M-44, M-63)."""
    scores, gold, apart = np.array([0.5, 1.0, -0.5]), 0, 0.0
    for scale in (1.0, 10.0, 100.0):
        hard = -losses.multiclass_perceptron(scale * scores, gold)[1]
        soft = -losses.multiclass_log(scale * scores, gold)[1]
        apart = float(np.abs(hard - soft).max())
        print(
            f"Updates at scores times {scale:3g}: perceptron {hard + 0.0}, "
            f"logistic {soft.round(4) + 0.0}"
        )
    return {"updates apart": apart}


if __name__ == "__main__":
    run(main, __doc__)
