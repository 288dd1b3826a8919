"""Drawings of decision trees, and the same as data (SPEC M-107, P-09, P-23).

Leaves stand side by side, one unit apart, and every other node in the middle above its children.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.explain.style import COLOURS, INK, QUIET, new_figure, write_title
from linnet.learn.tree.text import branch_text, children, summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["TreeLayout", "plot_tree", "tree_layout"]

_MIDDLE: dict[str, Any] = {"ha": "center", "va": "center"}
_CLEAR = {"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none"}
_BOX = {"boxstyle": "round,pad=0.35", "facecolor": "white", "linewidth": 1.2}


@dataclass(frozen=True)
class TreeLayout:
    """Where the nodes of a drawing stand and what is written at them.

    Attributes
    ----------
    nodes : array of shape (n,)
        Node numbers of the tree.
    positions : array of shape (n, 2)
        Across, and minus the depth.
    texts : list of str
        Answer and, unless it is drawn as a leaf, the attribute tested.
    edges : array of shape (n - 1, 2)
        Places of parent and child in these lists.
    tests : list of str
        The test on each edge.
    """

    nodes: NDArray[np.intp]
    positions: NDArray[np.float64]
    texts: list[str]
    edges: NDArray[np.intp]
    tests: list[str]


def tree_layout(tree: Any, max_depth: int | None = None) -> TreeLayout:
    """Return the drawing of a fitted :class:`~linnet.DecisionTree` as data.

    Examples
    --------
    >>> from linnet.learn.tree import DecisionTree
    >>> layout = tree_layout(DecisionTree().fit([["a"], ["b"]], ["x", "y"]))
    >>> layout.positions.tolist(), layout.tests
    ([[0.5, 0.0], [0.0, -1.0], [1.0, -1.0]], ['x0 = a', 'x0 = b'])
    """
    tree._require_fitted("counts_")
    deepest = np.inf if max_depth is None else max_depth
    shown = np.flatnonzero(tree.depth_ <= deepest)  # a prefix: nodes are breadth first
    below = children(tree)
    across = np.zeros(len(shown))
    for place, node in enumerate(_leaves_in_order(tree, below, deepest)):
        across[node] = place
    for node in shown[::-1].tolist():
        if len(below[node]) and tree.depth_[node] < deepest:
            across[node] = across[below[node][[0, -1]]].mean()
    texts = []
    for node in shown.tolist():
        tested = len(below[node]) and tree.depth_[node] < deepest
        attribute = f"{tree.names_[int(tree.feature_[node])]}?\n" if tested else ""
        texts.append(f"{attribute}{summary(tree, node)}")
    edges = np.column_stack([tree.parent_[shown[1:]], shown[1:]]).astype(np.intp)
    tests = [branch_text(tree, node) for node in shown[1:].tolist()]
    return TreeLayout(shown, np.column_stack([across, -tree.depth_[shown]]), texts, edges, tests)


def _leaves_in_order(tree: Any, below: list[NDArray[np.intp]], deepest: float) -> list[int]:
    leaves, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        if not len(below[node]) or tree.depth_[node] >= deepest:
            leaves.append(node)
        else:
            waiting.extend(below[node][::-1].tolist())
    return leaves


def plot_tree(
    tree: Any, max_depth: int | None = None, axis: Axes | None = None
) -> tuple[Figure, Axes]:
    """Draw a fitted :class:`~linnet.DecisionTree`; :func:`tree_layout` is the same as data.

    Parameters
    ----------
    tree : DecisionTree
    max_depth : int, optional
        Draw no deeper.
    axis : matplotlib axes, optional

    Returns
    -------
    fig, axis

    Raises
    ------
    DataError
        When more than 2000 nodes would be drawn.

    Examples
    --------
    >>> from linnet.learn.tree import DecisionTree
    >>> fig, axis = plot_tree(DecisionTree().fit([["a"], ["b"]], ["x", "y"]))
    >>> [text.get_text() for text in axis.texts][-1]
    'y (1)'
    """
    layout = tree_layout(tree, max_depth)
    if len(layout.nodes) > 2000:
        raise DataError(f"{len(layout.nodes)} nodes do not fit on a page; pass max_depth.")
    if axis is None:
        leaf = max(1.3, 0.3 + 0.1 * max(map(len, layout.tests), default=0))  # inches
        width = min(60.0, leaf * (float(layout.positions[:, 0].max()) + 1))
        _, axis = new_figure(max(width, 2.5), 1.1 - 1.25 * float(layout.positions[:, 1].min()))
        write_title(axis, "Questions, answers and how many of the examples give them")
    for (parent, child), test in zip(layout.edges.tolist(), layout.tests, strict=True):
        ends = layout.positions[[parent, child]]
        axis.plot(*ends.T, color=QUIET, linewidth=1, zorder=1)
        place = 0.4 * ends[0] + 0.6 * ends[1]  # nearer to the child, where edges are farther apart
        axis.text(place[0], place[1], test, fontsize=8, color=INK, bbox=_CLEAR, **_MIDDLE)
    inner = set(layout.edges[:, 0].tolist())
    for place, (where, text) in enumerate(zip(layout.positions, layout.texts, strict=True)):
        box = _BOX | {"edgecolor": COLOURS["blue" if place in inner else "red"][0]}
        axis.text(where[0], where[1], text, fontsize=8.5, color=INK, bbox=box, **_MIDDLE)
    axis.set(xlim=(-0.5, layout.positions[:, 0].max() + 0.5))
    axis.set(ylim=(layout.positions[:, 1].min() - 0.4, 0.4))
    axis.set_axis_off()
    return axis.figure, axis  # type: ignore[return-value]
