"""Why each token of a sentence has its tag, and not the next best one.

The score of a sequence of tags is a sum over tokens and neighbours. Change the tag of one token and
leave the others: the difference of the two scores is a sum over the features of that token and its
one or two neighbours,

    margin = Σ_j value_j · (weight_{j,tag} − weight_{j,runner-up}) + neighbours,

so the share of every feature is known exactly. The runner-up is the tag with the smallest margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from linnet.data.terminal import escaped
from linnet.explain.text import Contribution

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["TagChoice", "TagExplanation", "render_tags"]


@dataclass(frozen=True)
class TagChoice:
    """One token's tag and what speaks for it, rather than for the runner-up.

    Attributes
    ----------
    word, tag : str
    runner_up : str or None
        None when there is no other tag.
    margin : float
        Score of the sentence minus its score with the runner-up here: the sum of all contributions.
    probability : float or None
        P(tag at this token | sentence), where the model has probabilities.
    features : tuple of Contribution
        Of this token's features, the strongest first.
    neighbours : tuple of Contribution
        Of the tags before and after, such as ``DT → NN``; ``^`` and ``$`` are the ends.
    """

    word: str
    tag: str
    runner_up: str | None
    margin: float
    probability: float | None
    features: tuple[Contribution, ...]
    neighbours: tuple[Contribution, ...]


@dataclass(frozen=True)
class TagExplanation:
    """Why a tagger gives a sentence its tags, token by token.

    Examples
    --------
    >>> import linnet
    >>> sentences, tags = [["I", "ran"], ["we", "sat"]], [["P", "V"], ["P", "V"]]
    >>> tagger = linnet.SequenceTagger().fit(sentences, tags)
    >>> choice = tagger.explain("I sat").tokens[1]
    >>> choice.tag, choice.runner_up
    ('V', 'P')
    >>> parts = sum(part.contribution for part in choice.features + choice.neighbours)
    >>> abs(parts - choice.margin) < 1e-9
    True
    """

    tokens: tuple[TagChoice, ...]
    against: tuple[str, ...] | None = field(default=None, compare=False)  # what was asked for

    def __repr__(self) -> str:
        return f"<{' '.join(f'{choice.word}/{choice.tag}' for choice in self.tokens)}>"

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return plain values for JSON, with the `top` strongest features (None = all)."""
        return {"tokens": [_plain(choice, top) for choice in self.tokens]}

    def to_html(self, top: int = 15, gold: Sequence[str] | None = None) -> str:
        """Return a self-contained HTML fragment: the sentence with its tags in colour.

        Parameters
        ----------
        top : int
            Not used: a word shows its strongest reasons when it is pointed at.
        gold : list of str, optional
            The true tags; wrong ones are struck out. By default those of ``explain(against=…)``.
        """
        from linnet.errors import DataError
        from linnet.explain.page import tag_fragment

        gold = self.against if gold is None else gold
        if gold is not None and len(gold) != len(self.tokens):
            raise DataError(f"There are {len(self.tokens)} words and {len(gold)} true tags.")
        return tag_fragment(self, gold)

    def _repr_html_(self) -> str:
        return self.to_html()


def _plain(choice: TagChoice, top: int | None) -> dict[str, Any]:
    answer = asdict(choice)
    for name in ("features", "neighbours"):
        rows = getattr(choice, name)[: top if name == "features" else None]
        answer[name] = [
            {
                "name": p.feature,
                "value": p.value,
                "weight": p.weight,
                "contribution": p.contribution,
            }
            for p in rows
        ]
    return answer


def render_tags(explanation: TagExplanation, console: Console, top: int = 3) -> None:
    """Print a table: word, tag, runner-up, margin, and the strongest reasons."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD)
    for heading in ("word", "tag", "not"):
        table.add_column(heading, overflow="ellipsis")
    table.add_column("margin", justify="right", no_wrap=True)
    table.add_column("because of", overflow="ellipsis", ratio=1)
    for choice in explanation.tokens:
        parts = sorted(
            (*choice.features, *choice.neighbours), key=lambda part: -abs(part.contribution)
        )
        reasons = "   ".join(f"{escaped(p.feature)} {p.contribution:+.2f}" for p in parts[:top])
        probability = "" if choice.probability is None else f" {100 * choice.probability:.0f} %"
        table.add_row(
            Text(escaped(choice.word)),
            Text(escaped(choice.tag) + probability),
            Text(escaped(choice.runner_up or "")),
            f"{choice.margin:+.2f}",
            Text(reasons),
        )
    console.print(table)
