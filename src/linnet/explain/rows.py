"""Why a row, or a text, has its label, for learners that have no weights to show.

The reasons are a table, and its columns depend on the learner: neighbours with distances and
votes, support vectors with what they add to the score, the tests of a tree, or the terms of a log
density. What is summed up is said in a note.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.data.terminal import escaped

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["RowExplanation", "render_row"]


@dataclass(frozen=True)
class RowExplanation:
    """The label of one example and the reasons for it.

    Attributes
    ----------
    example : str
    label : the label that is explained
    probability : float
    runner_up : the most probable of the other labels
    title : str
        What the reasons are.
    headings : tuple of str
        What the columns of the reasons hold.
    reasons : tuple of tuples
        The strongest first; the tests of a tree from the root down.
    note : str
        What the reasons sum up to.

    Examples
    --------
    >>> import linnet
    >>> tree = linnet.RowClassifier(linnet.DecisionTree()).fit([["a"], ["b"]], ["x", "y"])
    >>> print(tree.explain(["b"]))
    y (probability 1.000; next x): the tests that lead to the answer
    test | most frequent class | examples
    x0 = b | y | y 1
    """

    example: str
    label: Any
    probability: float
    runner_up: Any
    title: str
    headings: tuple[str, ...]
    reasons: tuple[tuple[Any, ...], ...]
    note: str = ""

    def __str__(self) -> str:
        lines = [self.headline(), " | ".join(self.headings)]
        lines += [" | ".join(map(_cell, row)) for row in self.reasons]
        return "\n".join([*lines, self.note] if self.note else lines)

    def __repr__(self) -> str:
        return f"<{self.example}: {self.headline()}>"

    def headline(self) -> str:
        """Return label, probability and the kind of reasons as one line."""
        return (
            f"{self.label} (probability {self.probability:.3f}; next {self.runner_up}): "
            f"{self.title}"
        )

    def lines(self, top: int | None = None) -> list[str]:
        """Return the reasons that speak for the label as headings with values, one a line."""
        at = self.headings.index("contribution") if "contribution" in self.headings else None
        rows = [row for row in self.reasons if at is None or row[at] > 0]
        named = (zip(self.headings, row, strict=True) for row in rows[:top])
        return [", ".join(f"{name} {_cell(value)}" for name, value in pairs) for pairs in named]

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "example": self.example,
            "label": _plain(self.label),
            "probability": self.probability,
            "runner_up": _plain(self.runner_up),
            "title": self.title,
            "reasons": [
                {h: _plain(v) for h, v in zip(self.headings, row, strict=True)}
                for row in self.reasons[:top]
            ],
            "note": self.note,
        }

    def to_html(self, top: int = 15) -> str:
        """Return a self-contained HTML fragment: the example, its label and the reasons."""
        from linnet.explain.page import row_fragment

        return row_fragment(self, top)

    def _repr_html_(self) -> str:
        return self.to_html()


def render_row(explanation: RowExplanation, console: Console, top: int = 15) -> None:
    """Print an explanation: the example, its label, and a table of reasons."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    console.print(Text(escaped(explanation.example)))
    console.print(Text(escaped(explanation.headline())), style="bold")
    table = Table(box=SIMPLE_HEAD)
    rows = explanation.reasons[:top]
    for j, heading in enumerate(explanation.headings):
        numeric = all(isinstance(row[j], (int, float)) for row in rows)
        table.add_column(heading, overflow="ellipsis", justify="right" if numeric else "left")
    for row in rows:
        table.add_row(*(Text(escaped(_cell(cell))) for cell in row))
    if len(explanation.reasons) > top:
        last = [f"{len(explanation.reasons) - top} more", *[""] * (len(rows[0]) - 1)]
        if "contribution" in explanation.headings[1:]:
            at = explanation.headings.index("contribution")
            last[at] = _cell(sum(float(row[at]) for row in explanation.reasons[top:]))
        table.add_row(*last)
    console.print(table)
    if explanation.note:
        console.print(Text(escaped(explanation.note)))


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
