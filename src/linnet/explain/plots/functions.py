"""The lectures' functions of one number: step and logistic, penalties, losses, a descent.

SPEC P-14: 1[z ≥ 0] against σ(z) = 1/(1 + e^{−z}), and σ'(z) = σ(z)(1 − σ(z)).
SPEC P-15: |w| and w². SPEC P-17: losses of the margin, from :mod:`linnet.reference.losses`.
SPEC P-16: θ ← θ − η f'(θ) on f(θ) = θ².
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import ParameterError
from linnet.explain.style import (
    INK,
    draw_curve,
    draw_grid,
    legend_inside,
    new_figure,
    new_panels,
    series,
    write_near,
    write_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "descent_points",
    "logistic_curves",
    "loss_curves",
    "penalty_curves",
    "plot_descent",
    "plot_logistic",
    "plot_losses",
    "plot_penalties",
]

Array = NDArray[np.float64]
_NAMES = {
    "zero_one": "0–1",
    "perceptron": "perceptron",
    "hinge": "hinge",
    "squared_hinge": "squared hinge",
    "logistic": "logistic",
    "squared": "squared",
    "probability": "1 − P(y | x)",
}
_FOUR = ("zero_one", "hinge", "squared_hinge", "logistic")


def logistic_curves(z: ArrayLike) -> dict[str, Array]:
    """Return the step function, the logistic function and its derivative at `z`.

    Examples
    --------
    >>> {name: value.tolist() for name, value in logistic_curves([0.0]).items()}
    {'step': [1.0], 'logistic': [0.5], 'derivative': [0.25]}
    """
    from linnet.reference.losses import sigmoid

    score = np.asarray(z, dtype=np.float64)
    up = sigmoid(score)
    return {"step": (score >= 0).astype(np.float64), "logistic": up, "derivative": up * (1 - up)}


def plot_logistic(reach: float = 8.0) -> tuple[Figure, list[Axes]]:
    """Plot step against logistic probability, and the derivative of the latter (SPEC P-14).

    Parameters
    ----------
    reach : float
        Largest score drawn, on both sides of 0.

    Examples
    --------
    >>> fig, axes = plot_logistic()
    >>> [axis.get_ylabel() for axis in axes]
    ['P(y = 1 | x)', 'dP / d(w·x)']
    """
    z = _around_zero(reach)
    curves = logistic_curves(z)
    fig, axes = new_panels(2, 4.0, 3.2)
    for number, name in enumerate(("step", "logistic")):
        drawn = "steps-post" if name == "step" else "default"
        draw_curve(axes[0], number, z, curves[name], name, drawstyle=drawn)
    look = series(1)
    axes[1].plot(z, curves["derivative"], color=look.colour, linewidth=1.8)
    axes[0].set(xlabel="score w·x", ylabel="P(y = 1 | x)", yticks=[0, 0.25, 0.5, 0.75, 1])
    axes[1].set(xlabel="score w·x", ylabel="dP / d(w·x)", yticks=[0, 0.05, 0.1, 0.15, 0.2, 0.25])
    for axis in axes:
        draw_grid(axis)
    write_title(axes[0], "The logistic function and a step")
    write_title(axes[1], "Its slope, largest where it is unsure")
    legend_inside(axes[0], "center right")
    return fig, axes


def penalty_curves(w: ArrayLike) -> dict[str, Array]:
    """Return the L1 penalty |w| and the L2 penalty w² of one weight.

    Examples
    --------
    >>> {name: value.tolist() for name, value in penalty_curves([-2.0, 0.5]).items()}
    {'L1': [2.0, 0.5], 'L2': [4.0, 0.25]}
    """
    weight = np.asarray(w, dtype=np.float64)
    return {"L1": np.abs(weight), "L2": weight**2}


def plot_penalties(reach: float = 2.0) -> tuple[Figure, Axes]:
    """Plot the L1 and the L2 penalty of a weight (SPEC P-15).

    Parameters
    ----------
    reach : float
        Largest weight drawn, on both sides of 0.

    Examples
    --------
    >>> fig, axis = plot_penalties()
    >>> [line.get_label() for line in axis.lines]
    ['L1: |w|', 'L2: w²']
    """
    w = _around_zero(reach)
    fig, axis = new_figure(5.0, 3.6)
    for number, (name, values) in enumerate(penalty_curves(w).items()):
        draw_curve(axis, number, w, values, f"{name}: {'|w|' if name == 'L1' else 'w²'}")
    draw_grid(axis)
    axis.set(xlabel="weight w", ylabel="penalty", ylim=(0, None))
    write_title(axis, "What a weight costs")
    legend_inside(axis, "upper center")
    return fig, axis


def descent_points(start: float = -1.0, eta: float = 0.2, n_iter: int = 5) -> Array:
    """Return the points gradient descent visits on θ², the first included.

    Parameters
    ----------
    start : float
    eta : float
        Step size; below 1 it converges.
    n_iter : int

    Returns
    -------
    array of shape (n_iter + 1, 2)
        Rows (θ, θ²).

    Examples
    --------
    >>> descent_points()[:, 0].round(5).tolist()
    [-1.0, -0.6, -0.36, -0.216, -0.1296, -0.07776]
    """
    from linnet.reference.gradient_descent import scalar

    theta = np.array(scalar(lambda point: 2 * point, float(start), float(eta), n_iter))
    with np.errstate(over="ignore"):
        points = np.column_stack([theta, theta**2])
    if not np.isfinite(points).all():
        raise ParameterError(f"The descent leaves the numbers with eta = {eta}; use a smaller one.")
    return points


def plot_descent(start: float = -1.0, eta: float = 0.2, n_iter: int = 5) -> tuple[Figure, Axes]:
    """Plot gradient descent on θ², every iteration an arrow (SPEC P-16).

    Parameters are those of :func:`descent_points`.

    Examples
    --------
    >>> fig, axis = plot_descent()
    >>> axis.get_title(loc="left")
    'θ ← θ − 0.2 · 2θ'
    """
    points = descent_points(start, eta, n_iter)
    fig, axis = new_figure(5.4, 3.8)
    reach = 1.15 * float(np.abs(points[:, 0]).max()) or 1.0
    theta = np.linspace(-reach, reach, 201)
    axis.plot(theta, theta**2, color=INK, linewidth=1.4, label="f(θ) = θ²")
    colour = series(0).colour
    for before, after in pairwise(points):
        arrow = {"arrowstyle": "->", "color": colour, "linewidth": 1.3, "shrinkA": 4, "shrinkB": 4}
        axis.annotate("", after, before, arrowprops=arrow | {"connectionstyle": "arc3,rad=-0.25"})
    axis.plot(*points.T, "o", color=colour, markersize=6, label="iterations")
    for at, height in points[:4].tolist():  # the later ones are too close to be named
        text, left = f"{at:g}".replace("-", "−"), at <= 0
        shift, side = (-9 if left else 9, -6), "right" if left else "left"
        write_near(axis, text, (at, height), shift, colour, ha=side)
    draw_grid(axis)
    axis.set(xlabel="θ", ylabel="f(θ)", xlim=(-reach, reach))
    write_title(axis, f"θ ← θ − {eta:g} · 2θ")
    legend_inside(axis, "upper center")
    return fig, axis


def loss_curves(margins: ArrayLike, losses: Sequence[str] = _FOUR) -> dict[str, Array]:
    """Return losses as functions of the margin y w·x.

    Parameters
    ----------
    margins : array
    losses : names
        Of "zero_one", "perceptron", "hinge", "squared_hinge", "logistic", "squared",
        "probability".

    Examples
    --------
    >>> {name: value.tolist() for name, value in loss_curves([-1.0, 0.5]).items()
    ...  if name != "logistic"}
    {'zero_one': [1.0, 0.0], 'hinge': [2.0, 0.5], 'squared_hinge': [4.0, 0.25]}
    """
    from linnet.reference.losses import LOSSES

    unknown = set(losses) - set(LOSSES)
    if unknown:
        raise ParameterError(f"No such loss: {sorted(unknown)}; there are {sorted(LOSSES)}.")
    m = np.asarray(margins, dtype=np.float64)
    return {name: LOSSES[name].value(m) for name in losses}


def plot_losses(reach: float = 3.0, losses: Sequence[str] = _FOUR) -> tuple[Figure, Axes]:
    """Plot losses against the margin (SPEC P-17).

    Parameters
    ----------
    reach : float
        Largest margin drawn, on both sides of 0.
    losses : names
        As in :func:`loss_curves`.

    Examples
    --------
    >>> fig, axis = plot_losses()
    >>> [line.get_label() for line in axis.lines]
    ['0–1', 'hinge', 'squared hinge', 'logistic']
    """
    m = _around_zero(reach)
    fig, axis = new_figure(5.4, 3.8)
    for number, (name, values) in enumerate(loss_curves(m, losses).items()):
        drawn = "steps-post" if name == "zero_one" else "default"
        draw_curve(axis, number, m, values, _NAMES[name], drawstyle=drawn)
    draw_grid(axis)
    axis.set(
        xlabel="margin y w·x",
        ylabel="loss",
        xlim=(-reach, reach),
        ylim=(-0.03 * reach, 1.4 * reach),
    )
    write_title(axis, "Losses over the margin")
    legend_inside(axis, "upper right")
    return fig, axis


def _around_zero(reach: float) -> Array:
    """Return an odd number of points, so that 0 is one of them."""
    if not (np.isfinite(reach) and reach > 0):
        raise ParameterError(f"reach must be positive and finite, got {reach}.")
    return np.linspace(-reach, reach, 401)
