"""X-16 (S4): the questions of the slides on binary classification.

Questions and answers
    Which function labelled the badges? "+" when the second letter of the name is a vowel: it
    fits all 36 names. A perceptron over letters, kinds of letter and lengths also labels all 36
    right, but has found another rule: it misses two of the ten new names.

    Can these points on a line be made linearly separable? Yes, by a second feature, x². Of the
    integers from -3 to 3, with + for |x| >= 2, no threshold on x gets more than five right; one
    on x² gets all.

    Why is the margin 2/||w||? Going from the plane w·x + b = -1 to w·x + b = 1 along w/||w||
    takes the distance d with ||w|| d = 2. Making it largest is making ||w||²/2 smallest.

    What is the sigmoid at minus infinity, 0 and infinity? 0, 1/2 and 1.

    Where is the decision boundary of logistic regression? Where P = 1/2, that is w·x = 0: a
    plane.

    Which regulariser R, loss L and hypotheses H? H are the half-spaces. R may be the L2 or L1
    norm; L0, the number of weights, is not convex. L should be convex and bound the 0-1 loss
    from above: hinge, squared hinge, logistic (in bits). Every choice of the two has one
    optimal value, and different solvers find the same.

    Why subgradients? The hinge has a kink at margin 1 and no gradient there. Any slope from -1
    to 0 still keeps its line below the hinge, which is all that descent with falling steps
    needs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from exercise_tools import run

import linnet
from linnet.data import SimpleDataSet, badge_features, load_badges
from linnet.explain import boundary_lines, linear_parameters
from linnet.reference.losses import LOSSES, sigmoid


def main(output: Path | None = None) -> dict[str, float]:
    """Answer the questions; return the numbers printed."""
    limits = sigmoid(np.array([-np.inf, 0.0, np.inf]))
    print(f"Sigmoid at minus infinity, 0, infinity: {limits}")
    return {
        **badges(),
        **points_on_a_line(),
        **margin(),
        **boundary(),
        **choices(),
        **subgradients(),
    }


def badges() -> dict[str, float]:
    """Test the rule on all names (W-23), and let a perceptron look for one."""
    game = load_badges()
    names = game.train_names + game.test_names
    labels = game.train_labels + game.test_labels
    right = sum(
        (name[1] in "aeiou") == (label == "+") for name, label in zip(names, labels, strict=True)
    )
    print(f"Badges: 'second letter is a vowel' is right on {right} of {len(names)} names")
    model = linnet.Perceptron(max_iter=100, random_state=0)
    model.fit([badge_features(name) for name in game.train_names], game.train_labels)
    train = model.score([badge_features(name) for name in game.train_names], game.train_labels)
    test = model.score([badge_features(name) for name in game.test_names], game.test_labels)
    print(f"  perceptron: {train:.3f} of the 36, {test:.3f} of the 10 new names")
    return {"rule": right, "badges train": train, "badges test": test}


def points_on_a_line() -> dict[str, float]:
    """Separate the points by a second feature (W-28)."""
    x = np.arange(-3.0, 4.0)
    positive = np.abs(x) >= 2
    best = max(((sign * (x - cut) > 0) == positive).sum() for cut in x - 0.5 for sign in (-1, 1))
    squared = np.column_stack([x, x**2])
    model = linnet.SVM(C=1e4, max_iter=100_000).fit(squared, positive)
    right = int((model.predict(squared) == positive).sum())
    print(f"Points on a line: {best} of 7 right with x alone, {right} with x and x²")
    return {"x": float(best), "x and x²": float(right)}


def margin() -> dict[str, float]:
    """Measure the margin of two points (W-29, F-03)."""
    points = np.array([[1.0, 1.0], [-1.0, -1.0]])
    model = linnet.SVM(C=1.0, fit_intercept=False, tol=1e-9).fit(points, [1, -1])
    width = 2 / float(np.linalg.norm(model.coef_))
    distance = float(np.linalg.norm(points[0] - points[1]))
    print(f"Margin: 2/||w|| = {width:.6f}, and the two points are {distance:.6f} apart")
    return {"width": width, "distance": distance}


def boundary() -> dict[str, float]:
    """Ask for probabilities on the boundary of logistic regression (W-24)."""
    data = SimpleDataSet(nr_examples=200)
    model = linnet.MaxEnt().fit(data.train_X, data.train_y)
    [segment] = boundary_lines(linear_parameters(model), (-3, 3), (-3, 3))
    shares = model.predict_proba(segment)[:, 1]
    print(f"Boundary: at its two ends in the plot P = {shares}")
    return {"P on the boundary": float(shares[0])}


def choices() -> dict[str, float]:
    """Tabulate the losses (M-91), and solve one choice with several solvers (M-92)."""
    margins = np.array([-1.0, 0.0, 0.5, 1.0, 2.0])
    print("Losses at margin " + "".join(f"{m:8.1f}" for m in margins))
    for name in ("zero_one", "hinge", "squared_hinge", "logistic"):
        values = LOSSES[name].value(margins) / (np.log(2) if name == "logistic" else 1)
        print(f"{name:17}" + "".join(f"{value:8.3f}" for value in values))
    data = SimpleDataSet(nr_examples=200)
    values = [
        float(
            linnet.MaxEnt(solver=solver, tol=1e-9, max_iter=100_000)
            .fit(data.train_X, data.train_y)
            .history_["objective"][-1]
        )
        for solver in ("newton", "lbfgs", "dual_cd", "conjugate_gradient")
    ]
    print("L2 and logistic loss, by four solvers: " + ", ".join(f"{v:.6f}" for v in values))
    return {"spread": max(values) / min(values) - 1}


def subgradients() -> dict[str, float]:
    """Try slopes at the kink of the hinge (M-126)."""
    margins = np.linspace(-5, 5, 1001)
    hinge = LOSSES["hinge"].value(margins)
    legal = {g: bool((g * (margins - 1) <= hinge + 1e-12).all()) for g in (-1.5, -1, -0.5, 0, 0.5)}
    for slope, below in legal.items():
        print(f"Slope {slope:4} at margin 1 stays below the hinge: {below}")
    return {f"slope {slope}": float(below) for slope, below in legal.items()}


if __name__ == "__main__":
    run(main, __doc__)
