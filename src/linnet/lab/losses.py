"""Losses over the margin, and solvers that race on one objective in two dimensions.

The race is over ½|w|² + C Σ loss(y w·x), without intercept, so that w is a point of the plane. A
solver's path is where it stands after each number of iterations. An iteration is a step of a batch
solver, which costs one pass over the data or more, or a whole pass of the others.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import linnet
from linnet.data.gaussian import make_gaussians
from linnet.lab.settings import choice, choices, number, whole
from linnet.reference.losses import LOSSES

__all__ = ["answer"]

Floats: TypeAlias = NDArray[np.float64]
_MARGINS = np.arange(-60, 61) / 20
_ITERATIONS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 18, 25, 40, 70, 120, 250)
_ROUNDS = _ITERATIONS[:12]  # of solvers that do not come to rest
_LINES = 41  # of the grid
_ENOUGH = 1e-9  # of the objective
#: The losses of a race by their names here, and the solvers that can minimise each.
_BATCH = ("gradient_descent", "conjugate_gradient", "lbfgs", "newton")
_SOLVERS = {
    "logistic": (*_BATCH, "dual_cd", "sgd"),
    "squared_hinge": (*_BATCH, "dual_cd", "sgd"),
    "hinge": ("dual_cd", "sgd", "pegasos"),
}
_DEFAULT = ("gradient_descent", "lbfgs", "newton", "dual_cd", "sgd")


def answer(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return values and slopes of all losses at many margins, and the paths of the solvers.

    Parameters
    ----------
    settings : mapping
        loss, C, n, stretch, seed: the objective of the race, whose second feature is multiplied
        by stretch; solvers: which take part.

    Examples
    --------
    >>> told = answer({"solvers": ["newton", "dual_cd"]})
    >>> float(told["losses"]["hinge"]["values"][0]), [one["solver"] for one in told["paths"]]
    (4.0, ['newton', 'dual_cd'])
    """
    losses = {
        name: {"values": loss.value(_MARGINS), "slopes": loss.derivative(_MARGINS)}
        for name, loss in LOSSES.items()
    }
    return {"margins": _MARGINS, "losses": losses, **_race(settings)}


def _race(settings: Mapping[str, Any]) -> dict[str, Any]:
    loss = choice(settings, "loss", "logistic", tuple(_SOLVERS))
    C = number(settings, "C", 1.0, 0.001, 100.0)
    n = whole(settings, "n", 40, 4, 500)
    stretch = number(settings, "stretch", 3.0, 0.1, 10.0)
    seed = whole(settings, "seed", 0, 0, 9999)
    every = tuple(dict.fromkeys(one for group in _SOLVERS.values() for one in group))
    wanted = choices(settings, "solvers", _DEFAULT, every, len(every))
    X, y = make_gaussians(n, [[-1.0, -0.5], [1.0, 0.5]], 1.0, seed=seed)
    X = X * [1.0, stretch]
    paths = [_path(solver, loss, C, X, y) for solver in wanted if solver in _SOLVERS[loss]]
    best = _optimum(loss, C, X, y)
    places = np.concatenate([best["weights"][None], *(one["weights"] for one in paths)])
    lines = [np.linspace(*_span(places[:, k], best["weights"][k]), _LINES) for k in (0, 1)]
    grid = np.stack(np.meshgrid(*lines), axis=-1).reshape(-1, 2)
    return {
        "loss": loss,
        "solvers": _SOLVERS[loss],
        "lines": lines,
        "objective": _objective(loss, C, X, y, grid),
        "best": best,
        "paths": paths,
    }


def _objective(loss: str, C: float, X: Floats, y: NDArray[np.int64], weights: Floats) -> Floats:
    """Return the objective at each row of weights."""
    margins = np.where(y == 1, 1.0, -1.0)[:, None] * (X @ weights.T)
    values: Floats = 0.5 * (weights**2).sum(axis=1) + C * LOSSES[loss].value(margins).sum(axis=0)
    return values


def _learner(loss: str, C: float, **settings: Any) -> Any:
    settings = {"fit_intercept": False, "random_state": 0, "n_threads": 1, **settings}
    if loss == "logistic":
        return linnet.MaxEnt(C, **settings)
    return linnet.SVM(C, loss=loss, **settings)


def _optimum(loss: str, C: float, X: Floats, y: NDArray[np.int64]) -> dict[str, Any]:
    model = _learner(loss, C, tol=1e-12, max_iter=20_000).fit(X, y)
    weights = model.coef_[0]
    return {"weights": weights, "objective": float(_objective(loss, C, X, y, model.coef_)[0])}


def _path(solver: str, loss: str, C: float, X: Floats, y: NDArray[np.int64]) -> dict[str, Any]:
    """Return where a solver stands after each number of iterations, until it has converged."""
    iterations, weights = [0], [np.zeros(2)]
    restless = solver in ("sgd", "pegasos")
    tol, counts = (0.0, _ROUNDS) if restless else (_ENOUGH, _ITERATIONS)
    for count in counts:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it has not converged yet is what is shown
            model = _learner(loss, C, solver=solver, tol=tol, max_iter=count).fit(X, y)
        if model.n_iter_ > iterations[-1]:
            iterations.append(int(model.n_iter_))
            weights.append(model.coef_[0])
        if model.n_iter_ < count:
            break
    places = np.array(weights)
    values = _objective(loss, C, X, y, places)
    return {"solver": solver, "iterations": iterations, "weights": places, "objective": values}


def _span(values: Floats, centre: float) -> tuple[float, float]:
    """Return a range around the optimum that holds most of a path, and the start at 0."""
    far = np.abs(values - centre)
    reach = 1.2 * max(float(np.quantile(far, 0.95)), abs(centre), 1e-3)
    return centre - reach, centre + reach
