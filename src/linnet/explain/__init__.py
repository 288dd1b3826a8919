"""Explanations: why a text got its label, boundaries as data, and plots of data and training.

Every plot has a twin that returns what it draws as arrays (SPEC P-23); only the plots need
matplotlib, which is imported when the first one is drawn.
"""

from __future__ import annotations

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
    from linnet.explain.plots import (
        Abstention,
        Boundary,
        Fit,
        ForestRow,
        Hyperplane,
        LearningCurve,
        Lift,
        Margin,
        PerceptronUpdate,
        RegressionLine,
        Sweep,
        abstention_curve,
        accuracy_sweep,
        add_line,
        compare_all,
        compare_all_data,
        compare_fits,
        confusion_shares,
        descent_points,
        effect_of_c,
        forest_rows,
        hyperplane,
        learning_curve,
        lift,
        logistic_curves,
        loss_curves,
        maximum_margin,
        objective_curves,
        penalty_curves,
        perceptron_lines,
        perceptron_update,
        plot_abstention,
        plot_accuracy_sweep,
        plot_calibration,
        plot_confusion,
        plot_curves,
        plot_descent,
        plot_effect_of_c,
        plot_fits,
        plot_forest,
        plot_hyperplane,
        plot_learning_curves,
        plot_lift,
        plot_logistic,
        plot_losses,
        plot_margin,
        plot_objectives,
        plot_optimisers,
        plot_penalties,
        plot_perceptron_lines,
        plot_perceptron_update,
        plot_regression,
        plot_separating_lines,
        plot_simple_data,
        regression_line,
        relative_gaps,
        reliability,
        separating_lines,
    )
    from linnet.explain.spread import (
        Spread,
        prediction_spread,
    )

__all__ = [
    "Abstention",
    "Boundary",
    "Contribution",
    "Explanation",
    "Fit",
    "ForestRow",
    "Hyperplane",
    "LearningCurve",
    "Lift",
    "Margin",
    "PerceptronUpdate",
    "Regions",
    "RegressionLine",
    "Spread",
    "Sweep",
    "TreeLayout",
    "abstention_curve",
    "accuracy_sweep",
    "add_line",
    "bayes_boundary",
    "boundary_lines",
    "compare_all",
    "compare_all_data",
    "compare_fits",
    "confusion_shares",
    "decision_regions",
    "descent_points",
    "effect_of_c",
    "forest_rows",
    "hyperplane",
    "learning_curve",
    "lift",
    "linear_parameters",
    "logistic_curves",
    "loss_curves",
    "maximum_margin",
    "objective_curves",
    "penalty_curves",
    "perceptron_lines",
    "perceptron_update",
    "plot_abstention",
    "plot_accuracy_sweep",
    "plot_calibration",
    "plot_confusion",
    "plot_curves",
    "plot_descent",
    "plot_effect_of_c",
    "plot_fits",
    "plot_forest",
    "plot_hyperplane",
    "plot_learning_curves",
    "plot_lift",
    "plot_logistic",
    "plot_losses",
    "plot_margin",
    "plot_objectives",
    "plot_optimisers",
    "plot_penalties",
    "plot_perceptron_lines",
    "plot_perceptron_update",
    "plot_regions",
    "plot_regression",
    "plot_separating_lines",
    "plot_simple_data",
    "plot_tree",
    "plot_voronoi",
    "prediction_spread",
    "regression_line",
    "relative_gaps",
    "reliability",
    "render",
    "separating_lines",
    "tree_layout",
    "voronoi_cells",
]


def __getattr__(name: str) -> Any:
    """Load the plots when one is asked for: explaining a text needs none of them."""
    from importlib import import_module

    if name in ("plot_voronoi", "voronoi_cells"):
        return getattr(import_module("linnet.explain.cells"), name)
    if name in ("Spread", "prediction_spread"):
        return getattr(import_module("linnet.explain.spread"), name)
    if name in __all__:
        return getattr(import_module("linnet.explain.plots"), name)
    raise AttributeError(f"module 'linnet.explain' has no attribute {name!r}")
