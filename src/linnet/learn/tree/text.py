"""A decision tree in words: the path of one row, rules, and a drawing of lines and text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.learn.shared.attributes import MISSING
from linnet.learn.shared.reasons import Reasons

__all__ = ["Step", "branch_text", "draw_text", "path_of", "path_reasons", "rules_of", "summary"]


@dataclass(frozen=True)
class Step:
    """One test on the way to a decision.

    Attributes
    ----------
    node : int
        The node that the test leads to.
    attribute : str
    test : str
        Such as ``"colour = red"`` or ``"size <= 2.5"``.
    guess : object
        The most frequent class of the node.
    counts : dict
        Examples of each class in the node, without those it has none of.
    """

    node: int
    attribute: str
    test: str
    guess: Any
    counts: dict[Any, float]


def branch_text(tree: Any, node: int) -> str:
    """Return the test that leads to a node from its parent."""
    above = int(tree.parent_[node])
    j, branch = int(tree.feature_[above]), int(tree.branch_[node])
    name = tree.names_[j]
    if branch == MISSING:
        return f"{name} is missing"
    if tree.kinds_[j] == "symbolic":
        return f"{name} = {tree.values_[j][branch]}"
    if np.isinf(tree.threshold_[above]):
        return f"{name} is known"
    return f"{name} {'>' if branch else '<='} {tree.threshold_[above]:.6g}"


def summary(tree: Any, node: int) -> str:
    """Return the answer of a node: its class, and how many examples have it."""
    counts = tree.counts_[node]
    best, total = float(counts.max()), float(counts.sum())
    share = f"{best:g}" if best == total else f"{best:g} of {total:g}"
    return f"{tree.classes_[counts.argmax()]} ({share})"


def children(tree: Any) -> list[NDArray[np.intp]]:
    """Return the children of each node."""
    size = len(tree.parent_)
    starts = np.searchsorted(tree.parent_[1:], np.arange(size + 1)) + 1
    return [np.arange(starts[node], starts[node + 1]) for node in range(size)]


def path_of(tree: Any, node: int) -> list[Step]:
    """Return the steps from the root to a node."""
    steps: list[Step] = []
    labels = tree.classes_.tolist()
    while node > 0:
        above, counts = int(tree.parent_[node]), tree.counts_[node]
        steps.append(
            Step(
                node,
                tree.names_[int(tree.feature_[above])],
                branch_text(tree, node),
                labels[int(counts.argmax())],
                {label: float(c) for label, c in zip(labels, counts, strict=True) if c},
            )
        )
        node = above
    return steps[::-1]


def path_reasons(tree: Any, inputs: Any) -> Reasons:
    """Return the tests that lead to the answer for one row, from the root down."""
    node = int(tree.apply(inputs)[0])
    rows, labels = [], tree.classes_.tolist()
    for step in path_of(tree, node):
        shares = ", ".join(f"{label} {count:g}" for label, count in step.counts.items())
        rows.append((step.test, step.guess, shares))
    note = ""
    if tree.feature_[node] >= 0:
        asked = tree.names_[int(tree.feature_[node])]
        note = f"the value of {asked} was not seen here in training, so the last node answers"
    elif not rows:
        note = f"the tree has no test: it always answers {labels[int(tree.counts_[0].argmax())]}"
    return Reasons(
        "the tests that lead to the answer",
        ("test", "most frequent class", "examples"),
        tuple(rows),
        note,
    )


def rules_of(tree: Any) -> list[str]:
    """Return a rule for each leaf, in the order of the drawing."""
    below, rules = children(tree), []
    waiting: list[tuple[int, str]] = [(0, "")]
    while waiting:
        node, tests = waiting.pop()
        if not len(below[node]):
            answer = summary(tree, node)
            rules.append(f"if {tests} then {answer}" if tests else f"always {answer}")
        for child in below[node][::-1].tolist():
            test = branch_text(tree, child)
            waiting.append((child, f"{tests} and {test}" if tests else test))
    if len(below[0]):
        rules.append("else the class of the last node reached")
    return rules


def draw_text(tree: Any, max_depth: int | None = None) -> str:
    """Return one line for each node, children indented below their parents."""
    below, lines = children(tree), []
    waiting: list[tuple[int, str, str]] = [(0, "", "")]
    while waiting:
        node, first, rest = waiting.pop()
        test = f"{branch_text(tree, node)}: " if node else ""
        own = below[node]
        hidden = max_depth is not None and tree.depth_[node] >= max_depth and len(own) > 0
        lines.append(f"{first}{test}{summary(tree, node)}{' …' if hidden else ''}")
        for child in [] if hidden else own[::-1].tolist():
            last = child == own[-1]
            waiting.append(
                (child, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))
            )
    return "\n".join(lines)
