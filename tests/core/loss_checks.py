"""The numeric checks that every loss passes: each part against what it is by definition."""

from __future__ import annotations

import numpy as np

from .compiled import Floats, Losses

H = 1e-6
MARGINS = np.linspace(-3.03, 3.07, 41)  # none at a kink
FINE = np.linspace(-14.0, 14.0, 28001)
CLASSES = 4


def check_margin_loss(losses: Losses, name: str) -> None:
    """Check derivative and curvature by differences, conjugate and dual step by search."""
    parts = losses.parts("margin", name)
    ask = losses.margin
    slope = (ask(name, "value", MARGINS + H) - ask(name, "value", MARGINS - H)) / (2 * H)
    derivative = ask(name, "derivative", MARGINS)
    np.testing.assert_allclose(derivative, slope, atol=1e-7)
    if "curvature" in parts:
        bend = (ask(name, "derivative", MARGINS + H) - ask(name, "derivative", MARGINS - H)) / (
            2 * H
        )
        np.testing.assert_allclose(ask(name, "curvature", MARGINS), bend, atol=1e-6)
    if "conjugate" in parts:
        _check_conjugate(losses, name, derivative)
    if "dual_step" in parts:
        _check_dual_step(losses, name)


def _check_conjugate(losses: Losses, name: str, derivative: Floats) -> None:
    ask = losses.margin
    most = float(ask(name, "most", 0.0))
    a = np.linspace(0.0, min(most, 5.0), 26)
    conjugate = ask(name, "conjugate", a)
    fine = ask(name, "value", FINE)
    best = (-a[:, None] * FINE - fine).max(axis=1)
    np.testing.assert_allclose(conjugate, best, atol=1e-5)
    # Fenchel and Young: never below 0, and 0 where a is the slope
    young = ask(name, "value", MARGINS) + ask(name, "conjugate", -derivative)
    np.testing.assert_allclose(young - derivative * MARGINS, 0.0, atol=1e-9)


def _check_dual_step(losses: Losses, name: str) -> None:
    ask = losses.margin
    most = min(float(ask(name, "most", 0.0)), 8.0)
    rng = np.random.default_rng(0)
    for cost in (0.3, 2.0):
        start = rng.uniform(0.01, 0.99 * min(most, 1.0), 12) * cost
        margin, q = rng.normal(0.0, 2.0, 12), rng.uniform(0.1, 3.0, 12)
        step = ask(name, "dual_step", start, margin, cost, q)
        assert (step >= 0.0).all() and (step <= most * cost).all()

        def energy(b: Floats, k: int, *, cost: float = cost, s: Floats = start) -> Floats:
            moved = 0.5 * q[k] * (b - s[k]) ** 2 + margin[k] * b  # noqa: B023
            return moved + cost * ask(name, "conjugate", b / cost)

        for k in range(len(step)):
            grid = energy(np.linspace(0.0, most * cost, 400), k)
            assert energy(step[k : k + 1], k)[0] <= grid.min() + 1e-9
        if "dual_share" in losses.parts("margin", name):
            share = ask(name, "dual_share", start, margin, cost, q)
            exact = cost * (ask(name, "value", margin) + ask(name, "conjugate", start / cost))
            np.testing.assert_allclose(share, exact + start * margin, rtol=0.1, atol=1e-12)


def check_joint_loss(losses: Losses, name: str) -> None:
    """Check residual and curvature by differences, conjugate and dual step by search."""
    parts = losses.parts("joint", name)
    rng = np.random.default_rng(1)
    scores = rng.normal(0.0, 1.5, (10, CLASSES))
    for gold in (0, 2):
        residual = losses.joint(name, "residual", gold, scores, CLASSES)
        np.testing.assert_allclose(residual, _slopes(losses, name, gold, scores), atol=1e-7)
        np.testing.assert_allclose(residual.sum(axis=1), 0.0, atol=1e-12)
        if "curve" in parts:
            _check_curve(losses, name, gold, scores, rng.normal(size=scores.shape))
        if "conjugate" in parts:
            _check_joint_conjugate(losses, name, gold, scores, residual)
        if "dual_step" in parts:
            _check_block(losses, name, gold, scores, residual)
        if "rival" in parts:
            value = losses.joint(name, "value", gold, scores, CLASSES)[:, 0]
            _, violation, acts = losses.joint(name, "rival", gold, scores, CLASSES).T
            np.testing.assert_allclose(np.where(acts, violation, 0.0), value, rtol=1e-12)


def _slopes(losses: Losses, name: str, gold: int, scores: Floats) -> Floats:
    up, down = (
        np.concatenate([scores + sign * H * unit for unit in np.eye(CLASSES)]) for sign in (1, -1)
    )
    higher, lower = (losses.joint(name, "value", gold, s, CLASSES)[:, 0] for s in (up, down))
    return ((higher - lower) / (2 * H)).reshape(CLASSES, -1).T


def _check_curve(losses: Losses, name: str, gold: int, scores: Floats, v: Floats) -> None:
    curved = losses.joint(name, "curve", gold, np.hstack([scores, v]), CLASSES)
    up, down = (
        losses.joint(name, "residual", gold, scores + sign * H * v, CLASSES) for sign in (1, -1)
    )
    np.testing.assert_allclose(curved, (up - down) / (2 * H), atol=1e-7)
    diagonal = losses.joint(name, "diagonal", gold, np.hstack([scores, v]), CLASSES)
    for k, unit in enumerate(np.eye(CLASSES)):
        rows = np.hstack([scores, np.broadcast_to(unit, scores.shape)])
        column = losses.joint(name, "curve", gold, rows, CLASSES)[:, k]
        np.testing.assert_allclose(diagonal[:, k], column, atol=1e-12)


def _check_joint_conjugate(
    losses: Losses, name: str, gold: int, scores: Floats, residual: Floats
) -> None:
    value = losses.joint(name, "value", gold, scores, CLASSES)[:, 0]
    conjugate = losses.joint(name, "conjugate", gold, -residual, CLASSES)[:, 0]
    young = value + conjugate - np.einsum("ik,ik->i", residual, scores)
    np.testing.assert_allclose(young, 0.0, atol=1e-9)
    others = value[None, :] + conjugate[:, None] - residual @ scores.T
    assert (others >= -1e-9).all()


def _check_block(losses: Losses, name: str, gold: int, scores: Floats, residual: Floats) -> None:
    cost, q = 0.7, 1.3
    alpha = -0.5 * cost * residual[::-1]  # the derivatives at other scores are feasible
    rest = np.broadcast_to([cost, q], (len(scores), 2))
    rows = np.hstack([scores, alpha, rest])

    def energy(b: Floats, at: slice) -> Floats:
        conjugate = losses.joint(name, "conjugate", gold, b / cost, CLASSES)[:, 0]
        moved = 0.5 * q * ((b - alpha[at]) ** 2).sum(axis=1) + (b * scores[at]).sum(axis=1)
        return moved + cost * conjugate

    share = losses.joint(name, "share", gold, rows, CLASSES)[:, 0]
    value = losses.joint(name, "value", gold, scores, CLASSES)[:, 0]
    conjugate = losses.joint(name, "conjugate", gold, alpha / cost, CLASSES)[:, 0]
    exact = cost * (value + conjugate) + (alpha * scores).sum(axis=1)
    np.testing.assert_allclose(share, exact, atol=1e-12)
    step = losses.joint(name, "dual_step", gold, rows, CLASSES)
    np.testing.assert_allclose(step.sum(axis=1), 0.0, atol=1e-12)
    rng = np.random.default_rng(2)
    for k in range(len(step)):
        p = rng.dirichlet(np.ones(CLASSES), 200)
        feasible = cost * (np.eye(CLASSES)[gold] - p)
        way = rng.uniform(0.0, 1.0, (200, 1)) ** 3
        mixed = (1.0 - way) * step[k] + way * feasible
        at = slice(k, k + 1)
        assert energy(step[at], at)[0] <= energy(mixed, at).min() + 1e-9
