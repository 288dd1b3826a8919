"""From settings to all steps of all learners, with what is drawn of each.

The learners run side by side, and one that does not depend on what was changed is not asked again.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet.errors import LinnetError
from linnet.lab.plane.learners import LEARNERS, Path, Settings
from linnet.lab.plane.points import SETTINGS, Points, drawn
from linnet.lab.remembered import Remembered
from linnet.lab.settings import choices

__all__ = ["answer"]

Floats: TypeAlias = NDArray[np.float64]
_FINE, _COARSE, _MANY = 48, 32, 400  # lines of the grid, fewer for many points
_AT_LEAST = 4.0  # half the width of what is shown

_remembered: Remembered[dict[str, Any]] = Remembered(most=24)


def answer(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return points, the best boundary there is, and the steps of each learner.

    Parameters
    ----------
    settings : mapping
        data, n, variance0, variance1, balance, seed, moved, added: the points; learners: one to
        four names; C, rate, k, gamma, depth: settings of the learners.

    Returns
    -------
    dict
        ``points`` and ``labels``; ``span``, the half width shown; ``lines``, the coordinates of a
        grid; ``truth``, the best score there; ``learners``, a list.

    Examples
    --------
    >>> told = answer({"n": 20, "learners": ["svm"]})
    >>> svm = told["learners"][0]
    >>> svm["title"], len(svm["weights"]) == len(svm["text"]), svm["gap"][-1] < 1e-2
    ('Support vector machine', True, True)
    """
    points, wanted = drawn(settings), Settings.of(settings)
    names = choices(settings, "learners", ("perceptron", "svm"), tuple(LEARNERS), 4)
    span = max(_AT_LEAST, float(np.abs(points.X).max(initial=0.0)) * 1.05)
    lines = np.linspace(-span, span, _FINE if len(points.X) <= _MANY else _COARSE)
    grid = np.stack(np.meshgrid(lines, lines), axis=-1).reshape(-1, 2)
    truth = points.truth(grid) if points.clouds else None
    asked = {name: settings.get(name) for name in SETTINGS}

    def learner(name: str) -> dict[str, Any]:
        return _remembered.of(
            [name, asked, wanted.of_learner(name)], lambda: _learner(name, points, wanted, grid)
        )

    with warnings.catch_warnings(), ThreadPoolExecutor(len(names)) as side_by_side:
        warnings.simplefilter("ignore")  # that a solver has not converged is what is shown
        learners = list(side_by_side.map(learner, names))
    return {
        "points": points.X,
        "labels": points.y,
        "span": span,
        "lines": lines,
        "truth": truth if truth is None else truth.astype(np.float32),
        "best": _accuracy(points.truth(points.fresh), points.fresh_labels)
        if points.clouds
        else None,
        "learners": learners,
    }


def _learner(name: str, points: Points, wanted: Settings, grid: Floats) -> dict[str, Any]:
    """Return the steps of a learner as columns; or why it cannot learn from these points."""
    if len(np.unique(points.y)) < 2:
        return {"name": name, "problem": "There is nothing to divide yet: draw both classes."}
    try:
        path = LEARNERS[name](points, wanted)
    except LinnetError as error:
        return {"name": name, "problem": str(error)}
    frames = path.frames
    columns = {
        "name": name,
        "title": path.title,
        "note": path.note,
        "text": [frame.text for frame in frames],
        "example": [frame.example for frame in frames],
        "score": [frame.score for frame in frames],
        "size": [frame.size for frame in frames],
        "gap": [frame.gap for frame in frames],
        "support": [frame.support for frame in frames] if frames[-1].support is not None else None,
    }
    if path.loss is not None:
        return {**columns, **_linear(path, points)}
    return {**columns, **_curved(path, points, grid)}


def _linear(path: Path, points: Points) -> dict[str, Any]:
    """Return weights, objective and accuracies of all steps."""
    weights = np.array([frame.weights for frame in path.frames])
    scores = points.X @ weights[:, :2].T + weights[:, 2]
    test = points.fresh @ weights[:, :2].T + weights[:, 2]
    margins = np.where(points.y == 1, 1.0, -1.0)[:, None] * scores
    losses = {
        "perceptron": lambda: np.maximum(0.0, -margins),
        "hinge": lambda: np.maximum(0.0, 1.0 - margins),
        "logistic": lambda: np.logaddexp(0.0, -margins),
    }[path.loss or ""]()
    objective = path.penalty / 2 * (weights**2).sum(axis=1) + path.cost * losses.sum(axis=0)
    return {
        "loss": path.loss,
        "penalty": path.penalty,
        "weights": weights,
        "objective": objective,
        "accuracy": _accuracy(scores, points.y),
        "test": _accuracy(test, points.fresh_labels) if len(test) else None,
    }


def _curved(path: Path, points: Points, grid: Floats) -> dict[str, Any]:
    """Return scores on the grid, and accuracies, of all steps."""
    predictors = [frame.predictor for frame in path.frames if frame.predictor is not None]
    everywhere = np.concatenate([grid, points.X, points.fresh])
    scores = np.stack([predictor(everywhere) for predictor in predictors], axis=1)
    at = np.split(scores, [len(grid), len(grid) + len(points.X)])
    return {
        "weights": None,
        "grids": at[0].T.astype(np.float32),
        "accuracy": _accuracy(at[1], points.y),
        "test": _accuracy(at[2], points.fresh_labels) if len(at[2]) else None,
    }


def _accuracy(scores: Floats, labels: NDArray[np.int64]) -> Any:
    """Return the share of right decisions, of each column; a score of 0 is class 0 (C-04)."""
    gold = labels == 1
    return ((scores > 0) == (gold if scores.ndim == 1 else gold[:, None])).mean(axis=0)
