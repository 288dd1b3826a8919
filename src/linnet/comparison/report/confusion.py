"""What a learner takes for what, how well it finds each label, and the examples behind a cell."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.comparison.reasons import LABELS, marked
from linnet.comparison.report.markup import Markup, element, isolated, joined, short
from linnet.comparison.report.tables import cell, heading, more, name_cell, scrolling, table
from linnet.evaluate.units import Cell, confusion_cells

if TYPE_CHECKING:
    from linnet.comparison.answers import Answers, LearnerAnswers

__all__ = ["Confusion", "Texts", "confusion_of", "label_scores", "matrix", "worst"]

_BUDGET = 500_000  # bytes of examples in all
_WORST, _OF_EACH = 6, 3


class Texts:
    """The examples that the page shows, each once."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._place: dict[int, int] = {}
        self._words = answers.words() if answers.tagged else None
        self._starts = np.cumsum([0, *map(len, self._words or ())])
        self._bytes = 0
        self.shown: list[str] = []

    def spelled(self, row: int) -> str:
        """Return an example, or a token among its neighbours, on one line."""
        if self._words is None:
            return short(self._answers.examples([row])[0])
        s = int(np.searchsorted(self._starts, row, side="right")) - 1
        return short(marked(self._words[s], row - int(self._starts[s])))

    def number(self, row: int) -> int | None:
        """Return the number of an example on the page; None when there is no more room."""
        if row not in self._place:
            if self._bytes > _BUDGET:
                return None
            text = self.spelled(row)
            self._bytes += len(text.encode()) + 3
            self._place[row] = len(self.shown)
            self.shown.append(text)
        return self._place[row]


@dataclass(frozen=True)
class Confusion:
    """The cells of one learner over the labels shown; the last one stands for all others.

    `rows` leads from (truth, guess) to the rows behind it, the surest first.
    """

    labels: list[Any]
    n_others: int
    rows: dict[tuple[int, int], list[int]]
    sure: Any

    def counts(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the matrix, rows = truth."""
        n = len(self.labels) + (self.n_others > 0)
        found = np.zeros((n, n), np.int64)
        for place, rows in self.rows.items():
            found[place] = len(rows)
        return found

    def names(self) -> list[str]:
        """Return the names of rows and columns."""
        names = [str(label) for label in self.labels]
        return [*names, f"{self.n_others} others"] if self.n_others else names


def confusion_of(answers: Answers, own: LearnerAnswers) -> Confusion:
    """Return the confusion of a learner, of tags token by token."""
    gold, guess = answers.gold, own.guess
    if answers.tagged:
        gold, guess = list(chain.from_iterable(gold)), list(chain.from_iterable(guess))
    counts = Counter(gold)
    unknown = Counter(guess)
    ranked = [label for label, _ in counts.most_common()]
    ranked += [label for label, _ in unknown.most_common() if label not in counts]
    shown = ranked if len(ranked) <= LABELS else ranked[: LABELS - 1]
    number = {label: place for place, label in enumerate(shown)}
    rows: dict[tuple[int, int], list[int]] = {}
    cells: list[Cell] = confusion_cells(gold, guess, own.sure)
    for one in cells:
        key = number.get(one.truth, len(shown)), number.get(one.guess, len(shown))
        rows.setdefault(key, []).extend(one.rows)
    return Confusion(shown, len(ranked) - len(shown), rows, own.sure)


def matrix(found: Confusion, learner: int, name: str) -> Markup:
    """Return the matrix as a table; the darker a cell, the larger its share of the row."""
    counts, names = found.counts(), found.names()
    totals = counts.sum(axis=1)
    head = [heading("truth ↓ answer →", class_="left corner")]
    head += [heading(element("span", isolated(label, 22)), class_="upright") for label in names]
    rows = []
    for i, label in enumerate(names):
        cells = [_count(int(counts[i, j]), int(totals[i]), i, j) for j in range(len(names))]
        rows.append([name_cell(label, 24, class_="left"), *cells])
    says = f"What {name} takes for what. Right answers are on the diagonal, in bold."
    inner = table(says, head, rows, "confusion")
    boxed = scrolling(inner, f"Confusion of {name}")
    return element("div", boxed, class_="matrix", data_learner=learner)


def _count(count: int, total: int, i: int, j: int) -> Markup:
    if not count:
        return element("td", "·", class_="zero")
    share = 0.05 + 0.4 * count / max(total, 1)
    kind = "right" if i == j else None
    return element("td", f"{count:,}", class_=kind, data_at=f"{i},{j}", style=f"--s:{share:.2f}")


def worst(found: Confusion, texts: Texts) -> Markup:
    """Return the most frequent mistakes with some examples, the surest first."""
    names = found.names()
    wrong = sorted(
        ((len(rows), place) for place, rows in found.rows.items() if place[0] != place[1]),
        key=lambda one: (-one[0], one[1]),
    )
    if not wrong:
        return element("p", "No answer was wrong.")
    parts = []
    for count, (i, j) in wrong[:_WORST]:
        said = joined(
            (isolated(names[i], 32), " taken for ", isolated(names[j], 32), f": {count:,}")
        )
        rows = found.rows[i, j][:_OF_EACH]
        examples = [element("li", _example(texts.spelled(row), row, found.sure)) for row in rows]
        parts.append(element("li", element("p", said), element("ul", *examples, class_="texts")))
    rest = more(len(wrong) - _WORST, "kinds of mistake")
    return joined((element("ol", *parts, class_="worst"), rest))


def _example(text: str, row: int, sure: Any) -> Markup:
    said = None if sure is None else element("small", f" sure {float(sure[row]):.2f}")
    return joined((element("bdi", text, dir="auto"), said))


def label_scores(names: list[str], scores: list[Any], caption: str, unit: str) -> Markup:
    """Return precision, recall and F1 of the most frequent labels or types."""
    order = sorted(range(len(names)), key=lambda k: -_support(scores[k]))
    head = [heading("label", class_="left"), "precision", "recall", "F1", unit]
    rows = [
        [
            name_cell(names[k], 32, class_="left"),
            *(
                cell(f"{100 * v:.1f}")
                for v in (scores[k].precision, scores[k].recall, scores[k].f1)
            ),
            cell(f"{_support(scores[k]):,}"),
        ]
        for k in order[:LABELS]
    ]
    inner = scrolling(table(caption, head, rows, "labels"), caption)
    return joined((inner, more(len(order) - LABELS, "labels")))


def _support(score: Any) -> int:
    return int(getattr(score, "support", getattr(score, "gold", 0)))
