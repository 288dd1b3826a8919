"""Explanations: why a text got its label, boundaries as data, and plots of data and training.

Every plot has a twin that returns what it draws as arrays (SPEC P-23); only the plots need
matplotlib, which is imported when the first one is drawn. All names of :mod:`linnet.explain.plots`
are names of this package too, loaded when one of them is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from linnet.explain.boundaries import (
    bayes_boundary,
    boundary_lines,
    linear_parameters,
)
from linnet.explain.regions import (
    Regions,
    decision_regions,
    plot_regions,
)
from linnet.explain.text import (
    Contribution,
    Explanation,
    render,
)
from linnet.explain.tree_plot import (
    TreeLayout,
    plot_tree,
    tree_layout,
)

if TYPE_CHECKING:
    from linnet.explain.cells import (
        plot_voronoi,
        voronoi_cells,
    )
    from linnet.explain.plots import *  # noqa: F403
    from linnet.explain.spread import Spread, prediction_spread

__all__ = [
    "Contribution",
    "Explanation",
    "Regions",
    "Spread",
    "TreeLayout",
    "bayes_boundary",
    "boundary_lines",
    "decision_regions",
    "linear_parameters",
    "plot_regions",
    "plot_tree",
    "plot_voronoi",
    "prediction_spread",
    "render",
    "tree_layout",
    "voronoi_cells",
]


def __getattr__(name: str) -> Any:
    """Load the plots when one is asked for: explaining a text needs none of them."""
    if name in ("plot_voronoi", "voronoi_cells"):
        return getattr(import_module("linnet.explain.cells"), name)
    if name in ("Spread", "prediction_spread"):
        return getattr(import_module("linnet.explain.spread"), name)
    if not name.startswith("__"):
        plots = import_module("linnet.explain.plots")
        if name in plots.__all__:
            return getattr(plots, name)
    raise AttributeError(f"module 'linnet.explain' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *import_module("linnet.explain.plots").__all__})
