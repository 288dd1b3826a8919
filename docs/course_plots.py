"""Pictures that belong to one page each.

Smoothing, steps, rates, risks, a die; local minima, the Gaussian prior, bias and variance, C.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import linnet
from linnet.data import count_words, tiny
from linnet.decide import conditional_risk
from linnet.explain import plot_curves, prediction_spread
from linnet.explain.style import (
    INK,
    draw_curve,
    draw_grid,
    legend_below,
    legend_inside,
    new_figure,
    new_panels,
    series,
    write_near,
    write_title,
)
from linnet.learn.shared.schedules import Constant, InverseTime, Pegasos, Power
from linnet.reference.gradient_descent import scalar
from linnet.reference.losses import LOSSES


def smoothing() -> Any:
    """Naive Bayes: from maximum likelihood to the prior."""
    reviews = [count_words(text) for text in tiny.REVIEWS.texts]
    test = [count_words(tiny.REVIEW_TEST)]
    alphas = np.logspace(-3, 3, 61)
    shares = [
        linnet.MultinomialNB(alpha=a).fit(reviews, tiny.REVIEWS.labels).predict_proba(test)[0, 1]
        for a in alphas
    ]
    prior = np.full(len(alphas), 0.6)
    curves = {"P(− | review)": (alphas, shares), "prior P(−)": (alphas, prior)}
    fig, axis = plot_curves(curves, "More smoothing draws towards the prior", markers=False)
    axis.set(xscale="log", xlabel="smoothing α", ylabel="probability of a bad review")
    return fig


def mira_steps() -> Any:
    """MIRA: the step against how wrong the guess was."""
    lead = np.linspace(-2.5, 1.5, 81)  # by how much the gold label leads, of a cost of 1
    loss, norm2, C = np.maximum(0.0, 1.0 - lead), 2.0, 1.0
    curves = {
        "perceptron": (lead, np.where(lead <= 0, 1.0, 0.0)),
        "pa": (lead, loss / norm2),
        "pa1 (MIRA), C = 1": (lead, np.minimum(C, loss / norm2)),
        "pa2, C = 1": (lead, loss / (norm2 + 1 / (2 * C))),
    }
    fig, axis = plot_curves(curves, "How far one example moves the weights", markers=False)
    axis.set(xlabel="lead of the gold label before the update", ylabel="step η, for |Δ|² = 2")
    return fig


def rates() -> Any:
    """Schedules: the learning rate of every step."""
    t = np.arange(1, 1001)
    schedules = {
        "Constant(0.1)": Constant(0.1),
        "InverseTime(10)": InverseTime(10.0),
        "Power(1, beta=0.5)": Power(1.0, beta=0.5),
        "Pegasos(0.01, offset=99)": Pegasos(0.01, offset=99),
    }
    curves = {name: (t, kind.rates(0, 1000)) for name, kind in schedules.items()}
    fig, axis = plot_curves(curves, "The learning rate of every step", markers=False)
    axis.set(xscale="log", yscale="log", xlabel="step t", ylabel="learning rate")
    return fig


def risks() -> Any:
    """Decisions: the risk of three actions, and the least of them."""
    p = np.linspace(0.0, 1.0, 201)
    loss = [[0, 10], [1, 0], [0.5, 0.5]]
    risk = np.array([conditional_risk([1 - q, q], loss) for q in p])
    names = ("say 0 (a miss costs 10)", "say 1 (a false alarm costs 1)", "ask (costs 0.5)")
    curves = {name: (p, risk[:, a]) for a, name in enumerate(names)}
    fig, axis = plot_curves(curves, "What each answer is expected to cost", markers=False)
    axis.plot(p, risk.min(axis=1), color=INK, lw=5, alpha=0.25, zorder=0)
    axis.set(xlabel="P(1 | x)", ylabel="conditional risk", ylim=(0, 1.5))
    return fig


def die() -> Any:
    """Maximum entropy: a die under more and more constraints."""
    faces = range(1, 7)
    constraints: dict[str, Any] = {
        "nothing known": {},
        "high: 0.75": {"high": ({4, 5, 6}, 0.75)},
        "mean: 4.5": {"mean": (lambda face: face, 4.5)},
    }
    fig, axes = new_panels(3, 2.6, 2.6, sharey=True)
    for axis, (name, known) in zip(axes, constraints.items(), strict=True):
        model = linnet.MaxEntDistribution().fit(faces, known)
        axis.bar(list(faces), model.probabilities_, color=INK, width=0.7)
        axis.set(xlabel="face", ylim=(0, 0.45))
        write_title(axis, name)
        write_near(axis, f"{model.entropy_:.3f} bits", (3.5, 0.41), (0, 0))
    axes[0].set_ylabel("probability")
    return fig


def minima() -> Any:
    """Optimisers: four descents on a convex and on another objective of one weight."""
    x, y, penalty = np.array([2.0, 0.3, 0.3, 0.3]), np.array([1, -1, -1, -1]), 0.01
    best = linnet.MaxEnt(C=1 / penalty, fit_intercept=False, tol=1e-10).fit(x[:, None], y).coef_
    w = np.linspace(-11, 7, 361)
    fig, axes = new_panels(2, 4.0, 3.4)
    for axis, name in zip(axes, ("logistic", "probability"), strict=True):
        loss = LOSSES[name]

        def value(at: Any, loss: Any = loss) -> Any:
            return penalty / 2 * np.square(at) + loss.value(np.multiply.outer(at, x * y)).sum(-1)

        def slope(at: float, loss: Any = loss) -> float:
            return float(penalty * at + (loss.derivative(at * x * y) * x * y).sum())

        axis.plot(w, value(w), color=INK)
        for number, start in enumerate((-10.0, -4.0, 3.0, 6.0)):
            points = np.array(scalar(slope, start, 1.5, 400))
            look = series(number)
            axis.plot(points, value(points), color=look.colour, marker=".", lw=0.8, ms=5)
            axis.plot(points[0], value(points[0]), look.marker, color=look.colour, ms=7)
            axis.plot(points[-1], value(points[-1]), "o", color=INK, ms=9, fillstyle="none")
        draw_grid(axis)
        axis.set(xlabel="weight w", ylabel="objective")
    write_title(axes[0], f"convex: −ln P(y | x), minimum at {best[0, 0]:.2f}")
    write_title(axes[1], "not convex: 1 − P(y | x)")
    return fig


def gaussian_prior() -> Any:
    """Maximum entropy: what a Gaussian prior makes of examples that a weight can separate."""
    x, y = np.array([2.0, 1.0, 0.5, -0.4, -1.5]), np.array([1, 1, 1, -1, -1])
    w = np.linspace(-2, 6, 801)
    likelihood = np.exp(-LOSSES["logistic"].value(np.multiply.outer(w, x * y)).sum(axis=1))
    fig, axes = new_panels(3, 2.9, 3.4, sharey=True)
    for axis, variance in zip(axes, (0.1, 1.0, 10.0), strict=True):
        prior = np.exp(-(w**2) / (2 * variance))
        curves = {"prior": prior, "likelihood": likelihood, "posterior": prior * likelihood}
        for number, (name, values) in enumerate(curves.items()):
            draw_curve(axis, number, w, values / values.max(), name)
        model = linnet.MaxEnt(C=variance, fit_intercept=False, tol=1e-10).fit(x[:, None], y)
        axis.axvline(model.coef_[0, 0], color=INK, lw=1.0, label="MaxEnt(C=σ²)", zorder=0)
        axis.set(xlabel="weight w", xlim=(-2, 6))
        write_title(axis, f"σ² = {variance:g}: w = {model.coef_[0, 0]:.2f}")
    axes[0].set_ylabel("share of the largest value")
    legend_below(fig, axes[0])
    return fig


def strategies() -> Any:
    """Bias and variance: four ways to study for an exam, measured."""
    from sklearn.datasets import make_moons

    X, y = make_moons(200, noise=0.3, random_state=0)
    exam = make_moons(1000, noise=0.3, random_state=1)
    unread = np.random.default_rng(0).permutation(y)
    smooth = linnet.KernelSVM(kernel="gaussian", gamma=0.7, C=1.0)
    local = linnet.KernelSVM(kernel="gaussian", gamma=0.7, C=100.0)
    studies: dict[str, Any] = {
        "every chapter well: a smooth boundary": (smooth, X, y),
        "a few chapters: 16 examples of 200": (local, X[:16], y[:16]),
        "every chapter roughly: a line, small C": (linnet.MaxEnt(C=0.01), X, y),
        "asleep: labels shuffled": (smooth, X, unread),
    }
    fig, axis = new_figure(5.4, 4.0)
    for number, (name, study) in enumerate(studies.items()):
        spread = prediction_spread(*study, *exam)
        place, look = (spread.bias.mean(), spread.variance.mean()), series(number)
        axis.plot(*place, look.marker, color=look.colour, ms=9, label=name)
        write_near(axis, f"{spread.error.mean():.3f}", place, (0, 12))
    draw_grid(axis)
    legend_inside(axis, "upper left")
    write_title(axis, "Bias and variance; above each point: its error")
    axis.set(xlabel="bias", ylabel="variance", xlim=(0, 0.7), ylim=(0, 0.42))
    return fig


def choice_of_c() -> Any:
    """SVM: accuracies and margin against C, 60 examples of 20 features."""
    rng = np.random.default_rng(1)

    def points(n: int) -> tuple[Any, Any]:
        y = rng.integers(0, 2, n)
        return rng.normal(size=(n, 20)) + np.where(y, 0.25, -0.25)[:, None], y

    train, test = points(60), points(4000)
    values = np.logspace(-3, 2, 21)
    models = [linnet.SVM(C=C, max_iter=100_000, random_state=0).fit(*train) for C in values]
    fig, axes = new_panels(2, 4.0, 3.4)
    for number, (name, part) in enumerate({"training": train, "test": test}.items()):
        draw_curve(axes[0], number, values, [model.score(*part) for model in models], name)
    width = [2 / np.linalg.norm(model.coef_) for model in models]
    draw_curve(axes[1], 2, values, width, "margin 2/|w|")
    for axis in axes:
        draw_grid(axis)
        axis.set(xscale="log", xlabel="C")
    axes[0].set_ylabel("accuracy")
    write_title(axes[0], "C fits the training examples better")
    write_title(axes[1], "and makes the margin narrower")
    legend_inside(axes[0], "center left")
    axes[1].set(yscale="log", ylabel="margin 2/|w|")
    return fig


PICTURES = (
    smoothing, mira_steps, rates, risks, die, minima, gaussian_prior, strategies, choice_of_c,
)  # fmt: skip
