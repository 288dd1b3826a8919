"""Explanations: why a text got its label, boundaries as data, and plots of data and training.

Every plot has a twin that returns what it draws as arrays (SPEC P-23); only the plots need
matplotlib, which is imported when the first one is drawn.
"""

from __future__ import annotations

from linnet.explain.boundaries import bayes_boundary, boundary_lines, linear_parameters
from linnet.explain.plots import (
    Boundary,
    add_line,
    compare_all,
    compare_all_data,
    objective_curves,
    plot_curves,
    plot_objectives,
    plot_simple_data,
)
from linnet.explain.regions import Regions, decision_regions, plot_regions
from linnet.explain.text import Contribution, Explanation, render
from linnet.explain.tree_plot import TreeLayout, plot_tree, tree_layout

__all__ = [
    "Boundary",
    "Contribution",
    "Explanation",
    "Regions",
    "TreeLayout",
    "add_line",
    "bayes_boundary",
    "boundary_lines",
    "compare_all",
    "compare_all_data",
    "decision_regions",
    "linear_parameters",
    "objective_curves",
    "plot_curves",
    "plot_objectives",
    "plot_regions",
    "plot_simple_data",
    "plot_tree",
    "render",
    "tree_layout",
]
