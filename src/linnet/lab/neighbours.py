"""How learners without a hyperplane decide about one point of the plane.

Its nearest examples and their votes; the questions of a tree that lead to its leaf; the support
vectors of a kernel machine, each with its value of the kernel; the densities of both classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import linnet
from linnet.lab.plane.points import Points, drawn
from linnet.lab.settings import choice, number, whole

__all__ = ["answer"]

Floats: TypeAlias = NDArray[np.float64]
_LINES = 41  # of the grid
_AT_LEAST = 4.0  # half the width of what is shown
_SHOWN_TERMS = 200
_MOST = 500  # points


def answer(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what four learners say of the point (x, y), and why.

    Parameters
    ----------
    settings : mapping
        data, n, variance0, variance1, balance, seed, moved, added: the points, as in the plane;
        x, y: the point that is asked about; k, depth, C, gamma: settings of neighbours, tree and
        kernel machine; density: gaussian or parzen, with the width h of its windows.

    Examples
    --------
    >>> told = answer({"x": 1.0, "y": 1.0, "k": 3})
    >>> len(told["neighbours"]["rows"]), told["neighbours"]["votes"]
    (3, [3, 0])
    """
    whole(settings, "n", 60, 4, _MOST)
    points = drawn({"n": 60, "data": "xor", **settings})
    query = np.array(
        [[number(settings, "x", 0.5, -50.0, 50.0), number(settings, "y", 1.0, -50.0, 50.0)]]
    )
    told: dict[str, Any] = {"points": points.X, "labels": points.y}
    if len(np.unique(points.y)) < 2:
        return {**told, "problem": "There is nothing to divide yet: draw both classes."}
    span = max(_AT_LEAST, 1.05 * float(np.abs(np.concatenate([points.X, query])).max()))
    lines = np.linspace(-span, span, _LINES)
    grid = np.stack(np.meshgrid(lines, lines), axis=-1).reshape(-1, 2)
    return {
        **told,
        "span": span,
        "lines": lines,
        "neighbours": _neighbours(settings, points, query, grid),
        "tree": _tree(settings, points, query, grid),
        "kernel": _kernel(settings, points, query, grid),
        "density": _density(settings, points, query, grid),
    }


def _neighbours(
    settings: Mapping[str, Any], points: Points, query: Floats, grid: Floats
) -> dict[str, Any]:
    k = min(whole(settings, "k", 5, 1, 50), len(points.X))
    model = linnet.MemoryBased(k=k, metric="l2", n_threads=1).fit(points.X, points.y)
    distances, rows = model.kneighbors(query)
    voters = points.y[rows[0]]
    return {
        "rows": rows[0],
        "distances": distances[0],
        "votes": [int((voters == one).sum()) for one in (0, 1)],
        "label": int(model.predict(query)[0]),
        "grid": _shown(model.predict_proba(grid)[:, 1] - 0.5),
    }


def _tree(
    settings: Mapping[str, Any], points: Points, query: Floats, grid: Floats
) -> dict[str, Any]:
    depth = whole(settings, "depth", 4, 1, 10)
    model = linnet.DecisionTree(max_depth=depth).fit(points.X, points.y)
    steps = []
    for step in model.decision_path(query[0].tolist()):
        above = int(model.parent_[step.node])
        steps.append(
            {
                "feature": int(model.feature_[above]),
                "threshold": float(model.threshold_[above]),
                "below": bool(query[0, model.feature_[above]] <= model.threshold_[above]),
                "gain": float(model.gain_[above]),
                "counts": model.counts_[step.node],
                "guess": int(step.guess),
            }
        )
    return {
        "root": model.counts_[0],
        "steps": steps,
        "label": int(model.predict(query)[0]),
        "grid": _shown(model.predict_proba(grid)[:, 1] - 0.5),
    }


def _kernel(
    settings: Mapping[str, Any], points: Points, query: Floats, grid: Floats
) -> dict[str, Any]:
    C, gamma = number(settings, "C", 1.0, 1e-3, 1e3), number(settings, "gamma", 0.5, 0.01, 20.0)
    model = linnet.KernelSVM(C, gamma=gamma, n_threads=1).fit(points.X, points.y)
    values = linnet.kernels.gaussian(points.X[model.support_], query, gamma=gamma)[:, 0]
    terms = model.dual_coef_[0] * values
    order = np.argsort(-np.abs(terms), kind="stable")[:_SHOWN_TERMS]
    return {
        "rows": model.support_[order],
        "coef": model.dual_coef_[0][order],
        "values": values[order],
        "terms": terms[order],
        "rest": float(np.delete(terms, order).sum()),
        "intercept": float(model.intercept_[0]),
        "score": float(model.decision_function(query)[0]),
        "label": int(model.predict(query)[0]),
        "grid": _shown(model.decision_function(grid)),
    }


def _density(
    settings: Mapping[str, Any], points: Points, query: Floats, grid: Floats
) -> dict[str, Any]:
    kind = choice(settings, "density", "parzen", ("gaussian", "parzen"))
    h = number(settings, "h", 0.6, 0.05, 5.0)
    make = linnet.ParzenWindows(h=h) if kind == "parzen" else linnet.GaussianBayes(ridge=1e-6)
    model = make.fit(points.X, points.y)
    prior = model.class_log_prior_
    joint = model.predict_joint_log_proba(np.concatenate([query, grid]))
    posterior = model.predict_proba(query)[0]
    return {
        "prior": np.exp(prior),
        "densities": np.exp(joint[0] - prior),
        "posterior": posterior,
        "label": int(model.predict(query)[0]),
        "grid": _shown(joint[1:, 1] - joint[1:, 0]),
        "contours": [_shown(np.exp(column)) for column in (joint[1:] - prior).T],
    }


def _shown(values: Floats) -> list[float]:
    """Return what is drawn, in as many digits as a picture can show."""
    return [float(f"{value:.4g}") for value in values.tolist()]
