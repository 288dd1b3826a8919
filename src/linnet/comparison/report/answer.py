"""The top of the report: who wins, on which data, and how to see it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linnet.comparison.figures import METRIC, duration, percent
from linnet.comparison.report.markup import Markup, element, isolated, joined
from linnet.comparison.table import by_reason, fairness
from linnet.data.copies import in_words

if TYPE_CHECKING:
    from linnet.comparison.result import Comparison

__all__ = ["headline", "top"]


def headline(found: Comparison) -> str:
    """Return the answer in a few words."""
    if len(found.rows) == 1:
        return f"{found.rows[0].name}, alone"
    return f"{found.winner} wins" if found.winner else "No winner"


def top(found: Comparison, title: str | None, command: str | None) -> Markup:
    """Return the header of the page."""
    return element(
        "header",
        element("p", isolated(title or "Comparison of learners", 120), class_="kicker"),
        element("h1", isolated(headline(found), 80)),
        element("p", _rest(found.verdict()), class_="lead"),
        _data(found),
        element("p", "To see it again:", class_="again"),
        element("pre", element("code", command or found.card.get("call", "")), tabindex="0"),
    )


def _rest(verdict: str) -> str:
    """Return what the headline has not said yet.

    Examples
    --------
    >>> _rest("No winner: all 3 learners reach accuracy 90.00 %.")
    'All 3 learners reach accuracy 90.00 %.'
    """
    before, colon, after = verdict.partition(": ")
    if not colon or before.split()[-1] not in ("winner", "wins"):
        return verdict
    plain = after.startswith(("all ", "accuracy ", "chunk "))
    return after[0].upper() + after[1:] if plain else after


def _data(found: Comparison) -> Markup:
    card = found.card
    size = f"{card['n']:,} {card['kind']}"
    if card["n_tokens"]:
        size += f" of {card['n_tokens']:,} tokens"
    if card["copies"]:
        size += "; " + in_words(card["copies"], card["n"], card["kind"])
    guesser = "the most frequent label" if card["kind"] == "examples" else "each word's usual tag"
    facts: list[tuple[str, str | Markup]] = [
        ("Data", size),
        (
            "Split",
            f"{card['splits']}: {card['n_train']:,} to learn from, {card['n_test']:,} to test",
        ),
        ("Labels", _labels(found)),
        ("Without learning", f"{percent(card['baseline'])} {METRIC[found.metric]} ({guesser})"),
        ("Features", f"{card['n_features']:,}, made in {duration(card['feature_seconds'])}"),
        ("Seed", str(card["seed"])),
        ("All in", duration(found.seconds)),
    ]
    facts += [(what.capitalize(), says) for what, says in fairness(found)[:-1]]
    facts += [(f"Left out: {', '.join(names)}", why) for why, names in by_reason(found).items()]
    pairs = (element("div", element("dt", name), element("dd", said)) for name, said in facts)
    return element("dl", *pairs, class_="facts")


def _labels(found: Comparison) -> Markup:
    """Return the number of labels, and the most frequent ones with their counts."""
    card = found.card
    named = [
        joined((isolated(label, 24), f" {count:,}")) for label, count in card["labels"].items()
    ]
    rest = card["n_labels"] - len(named)
    parts = joined([*named, f"and {rest:,} more"] if rest > 0 else named, ", ")
    return joined((f"{card['n_labels']:,}: ", parts))
