"""Plots of data, boundaries, training and evaluation, one idea a module (SPEC P-01 to P-21).

They are drawn with pyplot, so they appear in a notebook or by ``plt.show()``, and need no display
to be saved. What a function draws, another one returns as data (P-23). matplotlib is imported when
the first plot is drawn. :mod:`linnet.explain.style` holds what they have in common.
"""

from __future__ import annotations

from linnet.explain.plots.comparison import (
    Boundary,
    Sweep,
    accuracy_sweep,
    compare_all,
    compare_all_data,
    plot_accuracy_sweep,
)
from linnet.explain.plots.confidence import (
    abstention_curve,
    plot_abstention,
    plot_calibration,
    reliability,
)
from linnet.explain.plots.confusion import (
    confusion_shares,
    plot_confusion,
)
from linnet.explain.plots.curves import (
    objective_curves,
    plot_curves,
    plot_objectives,
    plot_optimisers,
    relative_gaps,
)
from linnet.explain.plots.fitting import (
    Fit,
    compare_fits,
    plot_fits,
)
from linnet.explain.plots.functions import (
    descent_points,
    logistic_curves,
    loss_curves,
    penalty_curves,
    plot_descent,
    plot_logistic,
    plot_losses,
    plot_penalties,
)
from linnet.explain.plots.lines import (
    Hyperplane,
    hyperplane,
    plot_hyperplane,
    plot_separating_lines,
    separating_lines,
)
from linnet.explain.plots.margin import (
    Margin,
    effect_of_c,
    maximum_margin,
    plot_effect_of_c,
    plot_margin,
)
from linnet.explain.plots.perceptron import (
    PerceptronUpdate,
    perceptron_lines,
    perceptron_update,
    plot_perceptron_lines,
    plot_perceptron_update,
)
from linnet.explain.plots.points import (
    add_line,
    plot_simple_data,
)
from linnet.explain.plots.regression import (
    RegressionLine,
    plot_regression,
    regression_line,
)
from linnet.explain.plots.scores import (
    ForestRow,
    LearningCurve,
    forest_rows,
    learning_curve,
    plot_forest,
    plot_learning_curves,
)
from linnet.explain.plots.separability import (
    Lift,
    lift,
    plot_lift,
)
from linnet.explain.style import COLOURS

__all__ = [
    "COLOURS",
    "Boundary",
    "Fit",
    "ForestRow",
    "Hyperplane",
    "LearningCurve",
    "Lift",
    "Margin",
    "PerceptronUpdate",
    "RegressionLine",
    "Sweep",
    "abstention_curve",
    "accuracy_sweep",
    "add_line",
    "compare_all",
    "compare_all_data",
    "compare_fits",
    "confusion_shares",
    "descent_points",
    "effect_of_c",
    "forest_rows",
    "hyperplane",
    "learning_curve",
    "lift",
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
    "plot_regression",
    "plot_separating_lines",
    "plot_simple_data",
    "regression_line",
    "relative_gaps",
    "reliability",
    "separating_lines",
]
