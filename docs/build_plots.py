"""Draw the pictures of docs/plots.md: one function a picture, all from data that needs no download.

``python docs/build_plots.py [FOLDER] [--format svg|png]`` writes them, into docs/plots by default.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import course_plots
import growth_plots
import matplotlib
import numpy as np
import sketches
from sklearn.datasets import load_digits, make_moons
from sklearn.model_selection import train_test_split

import linnet
from linnet import explain
from linnet.data import SimpleDataSet, load_vague_adjectives

DOCS = Path(__file__).resolve().parent
LEARNERS: dict[str, Any] = {
    "naive Bayes": linnet.MultinomialNB(),
    "perceptron": linnet.Perceptron(random_state=0),
    "MIRA": linnet.MIRA(random_state=0),
    "MaxEnt": linnet.MaxEnt(C=1.0),
    "SVM": linnet.SVM(C=0.1, random_state=0),
}
NAMES = {
    "lbfgs": "L-BFGS",
    "sgd": "SGD",
    "newton": "Newton",
    "conjugate_gradient": "conjugate gradients",
    "gradient_descent": "gradient descent",
}


@cache
def simple() -> SimpleDataSet:
    """Return the lecture's data set."""
    return SimpleDataSet(nr_examples=200)


@cache
def apart() -> tuple[Any, Any]:
    """Return two classes that a line separates."""
    data = SimpleDataSet(40, [[-1.4, -1.0], 0.35], [[1.2, 1.2], 0.35], seed=3)
    return data.train_X, data.train_y


@cache
def digits() -> tuple[Any, Any, Any, Any]:
    """Return 8 × 8 pictures of digits, cut into training and test part."""
    X, y = load_digits(return_X_y=True)
    train_X, test_X, train_y, test_y = train_test_split(
        X / 16, y, test_size=0.5, random_state=0, stratify=y
    )
    return train_X, test_X, train_y, test_y


def simple_data() -> Any:
    """P-01, P-02."""
    return explain.plot_simple_data(SimpleDataSet(nr_examples=200, g2=[[1, 1], 0.25]))[0]


def all_learners() -> Any:
    """P-03, P-06."""
    return explain.compare_all(simple())[0]


def perceptron_lines() -> Any:
    """P-04."""
    return explain.plot_perceptron_lines(simple())[0]


@cache
def _histories(tol: float, solvers: tuple[str, ...]) -> dict[str, Any]:
    train_X, _, train_y, _ = digits()
    histories = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the slow ones are stopped early, that is the point
        for solver in solvers:
            model = linnet.MaxEnt(solver=solver, tol=tol, max_iter=60, n_threads=1, random_state=0)
            histories[NAMES[solver]] = model.fit(train_X, train_y).history_
    return histories


def objectives() -> Any:
    """P-05."""
    return explain.plot_objectives(_histories(1e-4, ("lbfgs", "sgd")))[0]


def optimisers() -> Any:
    """P-21."""
    solvers = ("newton", "lbfgs", "conjugate_gradient", "gradient_descent", "sgd")
    return explain.plot_optimisers(_histories(1e-10, solvers))[0]


def sweep_variance() -> Any:
    """P-07."""
    return explain.plot_accuracy_sweep(
        explain.accuracy_sweep("variance", [0.25, 0.5, 1.0, 2.0, 4.0])
    )[0]


def sweep_balance() -> Any:
    """P-07."""
    return explain.plot_accuracy_sweep(explain.accuracy_sweep("balance", [0.5, 0.7, 0.9, 0.97]))[0]


def sweep_points() -> Any:
    """P-07."""
    return explain.plot_accuracy_sweep(explain.accuracy_sweep("points", [10, 30, 100, 300, 1000]))[
        0
    ]


def regions() -> Any:
    """P-08."""
    X = np.vstack([SimpleDataSet(60).train_X, SimpleDataSet(60, [[-2, 2], 0.5]).train_X[:15]])
    y = np.r_[SimpleDataSet(60).train_y, np.full(15, 2)]
    model = linnet.GaussianBayes("full").fit(X, y)
    return explain.plot_regions(model, (-4, 4), (-4, 4), 200)[0]


def voronoi() -> Any:
    """P-08."""
    X = np.random.default_rng(2).uniform(-2, 2, (24, 2))
    return explain.plot_voronoi(X, np.where(X[:, 0] + X[:, 1] > 0, "b", "a"), (-2, 2), (-2, 2))[0]


def tree() -> Any:
    """P-09."""
    rows = [
        ("sunny", "high", "weak"), ("sunny", "high", "strong"), ("sunny", "low", "weak"),
        ("sunny", "low", "strong"), ("cloudy", "high", "weak"), ("cloudy", "low", "strong"),
        ("cloudy", "low", "weak"), ("rain", "high", "weak"), ("rain", "low", "weak"),
        ("rain", "high", "strong"), ("rain", "low", "strong"),
    ]  # fmt: skip
    days = [dict(zip(("sky", "humidity", "wind"), row, strict=True)) for row in rows]
    answers = ["stay", "stay", "go", "go", "go", "go", "go", "go", "go", "stay", "stay"]
    return explain.plot_tree(linnet.DecisionTree("information_gain").fit(days, answers))[0]


def hyperplane() -> Any:
    """P-10."""
    return explain.plot_hyperplane([1.0, 2.0], -2.5)[0]


def separating_lines() -> Any:
    """P-10."""
    return explain.plot_separating_lines(*apart())[0]


def maximum_margin() -> Any:
    """P-11."""
    return explain.plot_margin(*apart())[0]


def lift_line() -> Any:
    """P-12."""
    x = np.arange(-3, 4)
    return explain.plot_lift(x, np.where(np.abs(x) >= 2, "|x| ≥ 2", "|x| < 2"))[0]


def lift_plane() -> Any:
    """P-12."""
    rng = np.random.default_rng(0)
    radius = np.r_[rng.uniform(0, 0.9, 30), rng.uniform(1.3, 2, 40)]
    angle = rng.uniform(0, 2 * np.pi, 70)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return explain.plot_lift(X, np.where(radius < 1, "inside", "outside"))[0]


def regression() -> Any:
    """P-13."""
    X, y = load_vague_adjectives()
    return explain.plot_regression(
        X, y, "vague adjectives in the advertisement", "dollars over the asking price"
    )[0]


def logistic() -> Any:
    """P-14."""
    return explain.plot_logistic()[0]


def penalties() -> Any:
    """P-15."""
    return explain.plot_penalties()[0]


def descent() -> Any:
    """P-16."""
    return explain.plot_descent()[0]


def losses() -> Any:
    """P-17."""
    return explain.plot_losses()[0]


def perceptron_update() -> Any:
    """P-18."""
    X = [[-1.2, 0.6], [2, 0.5], [1.5, 1.5], [0.3, 1.8], [-1.5, -1], [-0.5, -1.6], [1, -1.4]]
    return explain.plot_perceptron_update(X, [1, 1, 1, 1, -1, -1, -1], [1.2, 0.3])[0]


def effect_of_c() -> Any:
    """P-19."""
    X, y = apart()
    return explain.plot_effect_of_c(np.vstack([X, [[0.1, 0.4]]]), np.r_[y, 0])[0]


def fits() -> Any:
    """P-20."""
    train = make_moons(80, noise=0.3, random_state=0)
    return explain.plot_fits(train, make_moons(2000, noise=0.3, random_state=1))[0]


def confusion() -> Any:
    """Evaluation."""
    train_X, test_X, train_y, test_y = digits()
    guess = linnet.Perceptron(random_state=0).fit(train_X, train_y).predict(test_X)
    counts = np.zeros((10, 10), int)
    np.add.at(counts, (test_y, guess), 1)
    return explain.plot_confusion(counts, [str(digit) for digit in range(10)])[0]


@cache
def _answers() -> dict[str, tuple[Any, Any]]:
    data = SimpleDataSet(4000, [[-0.6] * 6, 1], [[0.6] * 6, 1], split=[0.05, 0, 0.95])
    answers = {}
    models = {
        "Gaussian Bayes": linnet.GaussianBayes("full"),
        "MaxEnt, C = 1000": linnet.MaxEnt(C=1000),
        "MaxEnt, C = 0.01": linnet.MaxEnt(C=0.01),
    }
    for name, model in models.items():
        p = model.fit(data.train_X, data.train_y).predict_proba(data.test_X)
        answers[name] = (p.max(axis=1), p.argmax(axis=1) == data.test_y)
    return answers


def calibration() -> Any:
    """Evaluation."""
    return explain.plot_calibration(
        {name: explain.reliability(*answers, fewest=20) for name, answers in _answers().items()}
    )[0]


def abstention() -> Any:
    """Evaluation."""
    return explain.plot_abstention(_answers())[0]


def learning_curves() -> Any:
    """Evaluation."""
    train_X, test_X, train_y, test_y = digits()
    sizes, curves = (25, 50, 100, 200, 400, 800), {}
    orders = [np.random.default_rng(seed).permutation(len(train_y)) for seed in range(3)]
    for name, model in LEARNERS.items():
        scores = [
            [model.fit(train_X[o[:n]], train_y[o[:n]]).score(test_X, test_y) for o in orders]
            for n in sizes
        ]
        curves[name] = (sizes, scores)
    return explain.plot_learning_curves(curves)[0]


def forest() -> Any:
    """Evaluation."""
    train_X, test_X, train_y, test_y = digits()
    shares, intervals = [], []
    for model in LEARNERS.values():
        right = model.fit(train_X, train_y).predict(test_X) == test_y
        shares.append(right.mean())
        intervals.append(linnet.evaluate.wilson_interval(int(right.sum()), len(right)))
    low, high = np.array(intervals).T
    return explain.plot_forest(list(LEARNERS), shares, low, high, reference=max(shares))[0]


PICTURES: dict[str, Callable[[], Any]] = {
    picture.__name__: picture
    for picture in (
        simple_data, all_learners, perceptron_lines, perceptron_update, hyperplane,
        separating_lines, maximum_margin, effect_of_c, lift_line, lift_plane, regression, logistic,
        losses, penalties, descent, objectives, optimisers, sweep_variance, sweep_balance,
        sweep_points, regions, voronoi, tree, fits, confusion, calibration, abstention,
        learning_curves, forest, *course_plots.PICTURES, *sketches.PICTURES,
        *growth_plots.PICTURES,
    )
}  # fmt: skip


def build(folder: Path, kind: str = "svg", names: list[str] | None = None) -> None:
    """Write the pictures into a folder."""
    import matplotlib.pyplot as plt

    matplotlib.use("agg")
    folder.mkdir(parents=True, exist_ok=True)
    metadata = {"Date": None} if kind == "svg" else None
    with matplotlib.rc_context({"svg.hashsalt": "linnet"}):
        for name in names or PICTURES:
            figure = PICTURES[name]()
            figure.savefig(folder / f"{name}.{kind}", metadata=metadata)
            plt.close(figure)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DOCS / "plots")
    parser.add_argument("--format", choices=("svg", "png"), default="svg")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="just these pictures")
    chosen = parser.parse_args()
    build(chosen.folder, chosen.format, chosen.only)
