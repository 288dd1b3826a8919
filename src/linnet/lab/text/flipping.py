r"""The smallest edit of a text that changes its decision, for a sum of weights of words.

Given the weights w_1 … w_n of a text's words, its score s = b + Σ w_i and the weights of all known
words. An edit removes a word, puts another in its place, or adds one. Each changes the sum by a
number that does not depend on the others, so the fewest edits that turn the sign are those of
largest gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Edit", "smallest_flip"]

MOST_EDITS = 30


class Edit(NamedTuple):
    """``kind`` is "remove", "replace" or "add"; ``word`` is the number of the word it concerns."""

    kind: str
    word: int | None
    by: int | None


def smallest_flip(score: float, words: Sequence[float], known: Sequence[float]) -> list[Edit]:
    """Return as few edits as change the sign of the score; empty if none do.

    Of equally few edits removals come first: they need no other word.

    Examples
    --------
    >>> smallest_flip(1.0, [2.0, -1.0], [2.0, -1.0, -3.0])
    [Edit(kind='remove', word=0, by=None)]
    >>> smallest_flip(5.0, [3.0, 2.0], [3.0, 2.0, -3.0])
    [Edit(kind='replace', word=0, by=2)]
    """
    sign = 1.0 if score > 0 else -1.0
    ahead = sign * score
    gains = [sign * weight for weight in words]
    best = min(range(len(known)), key=lambda k: sign * known[k], default=None)
    gain = 0.0 if best is None else max(0.0, -sign * known[best])
    removals = sorted(range(len(words)), key=lambda i: -gains[i])
    for count in range(1, min(MOST_EDITS, len(words) + MOST_EDITS) + 1):
        removed = removals[:count]
        if len(removed) == count and ahead - sum(gains[i] for i in removed) < 0:
            return [Edit("remove", i, None) for i in removed]
        options = [(gains[i] + gain, "replace", i) for i in removals]
        options += [(gain, "add", len(words))] * count
        chosen = sorted(options, key=lambda option: (-option[0], option[2]))[:count]
        if gain and ahead - sum(option[0] for option in chosen) < 0:
            return [Edit(kind, None if kind == "add" else i, best) for _, kind, i in chosen]
    return []
