"""X-15 (S3): gradient descent, maximum entropy, and two similar updates.

Questions and answers
    Where is gradient descent on θ² after five iterations, from -1 with rate 0.2? Every step
    multiplies θ by 1 - 2·0.2 = 0.6: -1, -0.6, -0.36, -0.216, -0.1296, -0.07776.

    What has multinomial logistic regression to do with entropy? Of all distributions whose
    feature expectations equal those of the data, the one of largest entropy is log-linear, and
    it is the log-linear one of largest likelihood. With p(x,0) + p(y,0) = 0.6 both give 0.3 to
    each outcome with 0 and 0.2 to each with 1, which is 1.97 bits, and the weight of the
    feature "0" is ln 1.5. At the optimum of a fit without penalty, expected and observed
    feature values agree; with penalty lambda they differ by exactly lambda w.

    How do the updates of perceptron and logistic regression compare? Both add x times a
    residual: 1[gold] - 1[guess], or 1[gold] - P. The second is a soft version of the first and
    becomes it as the scores grow; only it also goes on correcting examples that are right but
    not certain.
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
            f"Moments, lambda {lam:g}: observed minus expected is at most {np.abs(gap).max():.1e}, "
            f"and lambda w up to {off:.0e}"
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
