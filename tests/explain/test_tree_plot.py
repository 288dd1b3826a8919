"""Drawings of decision trees."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

from linnet import DecisionTree
from linnet.errors import DataError
from linnet.explain import plot_tree, tree_layout


def test_a_drawing_has_every_node_once_and_no_two_leaves_on_one_place() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 4, (600, 3)).astype(object), rng.integers(0, 2, 600)
    model = DecisionTree(kinds="symbolic").fit(X, y)
    for depth in (None, 0, 1, 2):
        layout = tree_layout(model, depth)
        assert len({tuple(place) for place in layout.positions.tolist()}) == len(layout.nodes)
        assert len(layout.edges) == len(layout.tests) == len(layout.nodes) - 1
        for parent, child in layout.edges:
            assert layout.positions[parent, 1] == layout.positions[child, 1] + 1
    fig, axis = plot_tree(model, 2)
    texts = [text.get_text() for text in axis.texts]
    assert all(text in texts for text in tree_layout(model, 2).texts)
    matplotlib.pyplot.close(fig)
    deep = DecisionTree().fit(np.arange(3000)[:, None], np.arange(3000) % 2)
    with pytest.raises(DataError, match="pass max_depth"):
        plot_tree(deep)
