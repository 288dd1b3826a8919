"""Too simple, about right, too flexible: decision regions side by side (SPEC P-20).

A classifier that under-fits is wrong in training already; one that over-fits is right in training
and draws its regions around single points, for which new points make it pay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from linnet.explain.regions import plot_regions
from linnet.explain.style import draw_points, limits_of, new_panels, plane_points, write_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Fit", "compare_fits", "plot_fits"]

Examples = tuple[ArrayLike, ArrayLike]


@dataclass(frozen=True)
class Fit:
    """A fitted model with its accuracies."""

    name: str
    model: Any
    train_accuracy: float
    test_accuracy: float


def compare_fits(
    train: Examples, test: Examples, models: Mapping[str, Any] | None = None
) -> list[Fit]:
    """Fit models of growing flexibility and measure them.

    Parameters
    ----------
    train, test : (X, y)
        Points of the plane with labels.
    models : mapping, optional
        Name to estimator; by default a line, a smooth and a very local kernel machine.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> fits = compare_fits(make_moons(60, noise=0.3, random_state=0),
    ...                     make_moons(500, noise=0.3, random_state=1))
    >>> fits[0].train_accuracy < fits[2].train_accuracy > fits[2].test_accuracy
    True
    """
    from sklearn.base import clone

    fits = []
    for name, learner in (models or _three()).items():
        model = clone(learner).fit(*plane_points(*train))
        scores = [float(model.score(*plane_points(*part))) for part in (train, test)]
        fits.append(Fit(name, model, *scores))
    return fits


def _three() -> dict[str, Any]:
    from linnet.learn.kernel import KernelSVM
    from linnet.learn.maxent import MaxEnt

    return {
        "under-fitting: a line": MaxEnt(),
        "about right: smooth": KernelSVM(kernel="gaussian", gamma=0.7, C=1.0),
        "over-fitting: very local": KernelSVM(kernel="gaussian", gamma=40.0, C=1000.0),
    }


def plot_fits(
    train: Examples, test: Examples, models: Mapping[str, Any] | None = None, steps: int = 80
) -> tuple[Figure, list[Axes]]:
    """Plot the regions of each model, with training points and both accuracies (SPEC P-20).

    Parameters are those of :func:`compare_fits`; `steps` is the fineness of the regions.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> data = make_moons(40, noise=0.3, random_state=0)
    >>> fig, axes = plot_fits(data, data, steps=20)
    >>> len(axes)
    3
    """
    points, labels = plane_points(*train)
    limits = limits_of(points, 0.08)
    fits = compare_fits(train, test, models)
    fig, axes = new_panels(len(fits), 3.4, 3.7, sharey=True)
    for axis, fit in zip(axes, fits, strict=True):
        plot_regions(fit.model, limits["xlim"], limits["ylim"], steps, axis, legend=False)
        draw_points(axis, points, labels, markersize=5.0)
        write_title(
            axis,
            f"{fit.name}\ntraining {fit.train_accuracy:.3f}, test {fit.test_accuracy:.3f}",
            size=9.5,
        )
        if axis is not axes[0]:
            axis.set_ylabel("")
    return fig, axes
