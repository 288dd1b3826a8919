"""Pictures that belong to one page each: smoothing, steps, rates, risks, a die."""

from __future__ import annotations

from typing import Any

import numpy as np

import linnet
from linnet.data import count_words, tiny
from linnet.decide import conditional_risk
from linnet.explain import plot_curves
from linnet.explain.style import INK, new_panels, write_near, write_title
from linnet.learn.shared.schedules import Constant, InverseTime, Pegasos, Power


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
    fig, axis = plot_curves(curves)
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
    fig, axis = plot_curves(curves)
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
    fig, axis = plot_curves({name: (t, kind.rates(0, 1000)) for name, kind in schedules.items()})
    axis.set(xscale="log", yscale="log", xlabel="step t", ylabel="learning rate")
    return fig


def risks() -> Any:
    """Decisions: the risk of three actions, and the least of them."""
    p = np.linspace(0.0, 1.0, 201)
    loss = [[0, 10], [1, 0], [0.5, 0.5]]
    risk = np.array([conditional_risk([1 - q, q], loss) for q in p])
    names = ("say 0 (a miss costs 10)", "say 1 (a false alarm costs 1)", "ask (costs 0.5)")
    fig, axis = plot_curves({name: (p, risk[:, a]) for a, name in enumerate(names)})
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


PICTURES = (smoothing, mira_steps, rates, risks, die)
