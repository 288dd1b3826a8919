"""The path to a label: at each node, what the features say for the child that is taken."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from linnet.learn.label_tree.growing import Shape
from linnet.learn.label_tree.searching import parents
from linnet.learn.shared.reasons import Named, Reasons

__all__ = ["tree_reasons"]


def tree_reasons(learner: Any, inputs: Any, k: int, named: Named) -> Reasons:
    """Return node by node from the root what each feature adds to the score of the child taken.

    What all children of a node get alike decides nothing, so a contribution is that to the child
    less the mean of those to all children of the node.
    """
    shape = Shape(learner.first_, learner.child_)
    node, place = parents(shape)
    path = [int(np.flatnonzero(shape.child == -1 - k)[0])]
    while place[node[path[-1]]] >= 0:
        path.append(int(place[node[path[-1]]]))
    row = csr_matrix(inputs)
    table = _weights(learner, row.indices)
    scores = row.data @ table + learner.intercept_
    rows: list[tuple[Any, ...]] = []
    total = 0.0
    for depth, c in enumerate(reversed(path), 1):
        v = node[c]
        part = slice(shape.first[v], shape.first[v + 1])
        p = np.exp(scores[part] - np.logaddexp.reduce(scores[part]))[c - shape.first[v]]
        total += float(np.log(p))
        added = row.data * (table[:, c] - table[:, part].mean(axis=1))
        order = np.argsort(-np.abs(added), kind="stable")
        rows += [
            (depth, f"{p:.4f}", named.feature_name(int(row.indices[i])), float(added[i]))
            for i in order.tolist()
            if added[i]
        ]
    return Reasons(
        f"the path to {learner.classes_.tolist()[k]}, node by node from the root",
        ("node", "p(child)", "feature", "contribution"),
        tuple(rows),
        f"the {len(path)} nodes multiply to p = {np.exp(total):.4g}",
    )


def _weights(learner: Any, features: Any) -> Any:
    """Return the weights of some features for all children, shape (features, children)."""
    table = np.zeros((len(features), len(learner.child_)))
    for i, j in enumerate(features.tolist()):
        part = slice(learner.start_[j], learner.start_[j + 1])
        table[i, learner.column_[part]] = learner.weight_[part]
    return table
