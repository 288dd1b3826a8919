from linnet.explain.boundaries import bayes_boundary as bayes_boundary
from linnet.explain.boundaries import boundary_lines as boundary_lines
from linnet.explain.boundaries import linear_parameters as linear_parameters
from linnet.explain.cells import plot_voronoi as plot_voronoi
from linnet.explain.cells import voronoi_cells as voronoi_cells
from linnet.explain.plots import *  # noqa: F403
from linnet.explain.regions import Regions as Regions
from linnet.explain.regions import decision_regions as decision_regions
from linnet.explain.regions import plot_regions as plot_regions
from linnet.explain.spread import Spread as Spread
from linnet.explain.spread import prediction_spread as prediction_spread
from linnet.explain.text import Contribution as Contribution
from linnet.explain.text import Explanation as Explanation
from linnet.explain.text import render as render
from linnet.explain.tree_plot import TreeLayout as TreeLayout
from linnet.explain.tree_plot import plot_tree as plot_tree
from linnet.explain.tree_plot import tree_layout as tree_layout
