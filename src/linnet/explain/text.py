"""Why a text got its label: exact contributions of features, traced back to its words.

A linear model's score is a sum, score = intercept + Σ_j value_j · weight_j, so the share of every
feature is known exactly. A feature remembers the characters it came from; its contribution is
divided evenly over its occurrences, and within each over the characters that are not white space.
What overlapping n-grams give to a character adds up, so the numbers under the words of a text,
with the intercept and the features that have no place in the text, sum to the score again.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from itertools import islice
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.terminal import escaped

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

__all__ = ["Contribution", "Explanation", "Word", "render", "visible"]

_WORD = re.compile(r"\S+")
_CONTROLS = {c: "�" for c in (*range(32), *range(127, 160)) if c not in (9, 10)}
_NAMED, _SHOWN = 8, 60  # features, and characters of the text, in one line
_FAINT = 0.04  # share of the strongest word below which a word stays uncoloured


@dataclass(frozen=True)
class Contribution:
    """One feature's part in a score: value times weight, and where it stands in the text.

    ``spans`` are (start, end) character offsets of its occurrences; empty for a feature that
    does not come from characters.
    """

    feature: str
    value: float
    weight: float
    contribution: float
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Word:
    """A stretch of text without white space and what its characters add to the score."""

    text: str
    start: int
    end: int
    contribution: float


@dataclass(frozen=True)
class Explanation:
    """Why a model gives `text` the label `label`.

    ``score`` is that of `label` (``runner_up`` is the next probable one) and equals the intercept
    plus the sum of all contributions. ``contributions`` are sorted, the strongest first.

    Examples
    --------
    >>> explanation = Explanation(
    ...     text="a dull film", label="neg", runner_up="pos", score=1.5, probability=0.82,
    ...     intercept=0.25, contributions=(
    ...         Contribution("dull", 1.0, 1.5, 1.5, ((2, 6),)),
    ...         Contribution("dull film", 1.0, -0.25, -0.25, ((2, 11),)),
    ...     ))
    >>> [(word.text, word.contribution) for word in explanation.words()]
    [('a', 0.0), ('dull', 1.375), ('film', -0.125)]
    """

    text: str
    label: Any
    runner_up: Any
    score: float
    probability: float
    intercept: float
    contributions: tuple[Contribution, ...]

    def words(self) -> list[Word]:
        """Return the words of the text with what each adds to the score."""
        weight = _character_weights(self.text, self.contributions)
        total = np.concatenate([[0.0], np.cumsum(weight)])
        return [
            Word(word.group(), *word.span(), _tidy(total[word.end()] - total[word.start()]))
            for word in _WORD.finditer(self.text)
        ]

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return plain values for JSON, with the `top` strongest features (None = all)."""
        return {
            "text": self.text,
            "label": _plain(self.label),
            "runner_up": _plain(self.runner_up),
            "score": float(self.score),
            "probability": float(self.probability),
            "intercept": float(self.intercept),
            "contributions": [
                {
                    "feature": part.feature,
                    "value": float(part.value),
                    "weight": float(part.weight),
                    "contribution": float(part.contribution),
                    "spans": [list(span) for span in part.spans],
                }
                for part in self.contributions[:top]
            ],
        }

    def __repr__(self) -> str:
        parts = (f"{part.feature} {part.contribution:+.3f}" for part in self.contributions)
        reasons = ", ".join(islice(parts, _NAMED)) + ", …" * (len(self.contributions) > _NAMED)
        text = shorten(str(self.text), _SHOWN, placeholder=" …")
        return (
            f"<{text!r} is {self.label!r} with probability {self.probability:.3f}, "
            f"not {self.runner_up!r}: {reasons or 'no feature is known'}>"
        )

    def to_html(self, top: int = 15) -> str:
        """Return a self-contained HTML fragment: the coloured text and the strongest features.

        The rest of the features is one row, so that the table sums to the score.
        """
        from linnet.explain.page import text_fragment

        return text_fragment(self, _html_words(self), top)

    def _repr_html_(self) -> str:
        return self.to_html()


def render(explanation: Explanation, console: Console, top: int = 10) -> None:
    """Print the text with its words coloured, then the strongest features.

    Parameters
    ----------
    explanation : Explanation
    console : rich.console.Console
        Where to print; without a terminal the text stays plain and the table says it all.
    top : int
        Number of features in the table.

    Examples
    --------
    >>> from rich.console import Console
    >>> part = Contribution("dull", 1.0, 1.5, 1.5, ((2, 6),))
    >>> explanation = Explanation("a dull film", "neg", "pos", 1.75, 0.85, 0.25, (part,))
    >>> render(explanation, Console(width=60))
    neg (probability 0.850, score +1.7500; next pos)
    <BLANKLINE>
    a dull film
    ...
    """
    from rich.text import Text

    following = "" if explanation.runner_up is None else f"; next {explanation.runner_up}"
    console.print(
        Text.assemble(
            (escaped(str(explanation.label)), "bold"),
            f" (probability {explanation.probability:.3f}, score {explanation.score:+.4f}"
            f"{escaped(following)})\n",
        )
    )
    console.print(_coloured(explanation), soft_wrap=True)
    console.print(_table(explanation, top))


def visible(text: str) -> str:
    """Replace control characters, which could steer a terminal, by U+FFFD, one for one.

    Where places in the text do not matter, :func:`linnet.data.terminal.escaped` says more.
    """
    return text.translate(_CONTROLS)


def _character_weights(text: str, contributions: tuple[Contribution, ...]) -> NDArray[np.float64]:
    """Return what every character of the text adds to the score, shape (len(text),)."""
    weight = np.zeros(len(text))
    dark = np.array([not c.isspace() for c in text], dtype=bool)
    for part in contributions:
        for start, end in part.spans:
            inside = dark[start:end]
            share = part.contribution / len(part.spans)
            if inside.any():
                weight[start:end][inside] += share / inside.sum()
    return weight


def _strengths(words: list[Word]) -> list[float]:
    """Scale the words' contributions to [-1, 1]; too weak ones become 0."""
    peak = max((abs(word.contribution) for word in words), default=0.0)
    if not peak:
        return [0.0] * len(words)
    scaled = [word.contribution / peak for word in words]
    return [value if abs(value) >= _FAINT else 0.0 for value in scaled]


def _ground(strength: float) -> tuple[int, int, int]:
    """Return a light green or red; black text on it keeps a contrast above 7 : 1."""
    fade = round(205 - 105 * min(abs(strength), 1.0))
    return (fade, 235, fade) if strength > 0 else (255, fade + 45, fade + 45)


def _coloured(explanation: Explanation) -> Text:
    from rich.style import Style
    from rich.text import Text

    text = Text(visible(explanation.text))
    words = explanation.words()
    for word, strength in zip(words, _strengths(words), strict=True):
        if strength:
            red, green, blue = _ground(strength)
            style = Style.parse(f"black on rgb({red},{green},{blue})")
            text.stylize(style + Style(underline=strength < 0), word.start, word.end)
    return text


def _table(explanation: Explanation, top: int) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD)
    table.add_column("feature", overflow="ellipsis")
    for heading in ("value", "weight", "contribution"):
        table.add_column(heading, justify="right", no_wrap=True)
    for part in explanation.contributions[:top]:
        table.add_row(
            Text(escaped(part.feature)),
            f"{part.value:.4g}",
            f"{part.weight:+.4f}",
            f"{part.contribution:+.4f}",
        )
    rest = explanation.contributions[top:]
    if rest:
        others = sum(part.contribution for part in rest)
        table.add_row(f"{len(rest)} more features", "", "", f"{others:+.4f}")
    table.add_row("intercept", "", "", f"{explanation.intercept:+.4f}")
    table.add_row("score", "", "", f"{explanation.score:+.4f}", style="bold")
    return table


def _html_words(explanation: Explanation) -> str:
    words = explanation.words()
    pieces, at = [], 0
    for word, strength in zip(words, _strengths(words), strict=True):
        pieces.append(html.escape(explanation.text[at : word.start]))
        shown = html.escape(visible(word.text))
        if strength:
            ground = "#{:02x}{:02x}{:02x}".format(*_ground(strength))
            line = "underline" if strength < 0 else "none"
            shown = (
                f'<span style="background:{ground};color:#111;text-decoration:{line}" '
                f'title="{word.contribution:+.4f}">{shown}</span>'
            )
        pieces.append(shown)
        at = word.end
    return "".join(pieces) + html.escape(explanation.text[at:])


def _tidy(value: float) -> float:
    """Return the value without the dust of adding and subtracting."""
    return float(round(value, 12)) + 0.0


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
