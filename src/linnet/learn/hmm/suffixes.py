r"""Tags of unknown words by their endings, interpolated as in TnT (Brants 2000, section 2.3).

From the words seen at most `RARE` times count how often each ending goes with each tag, apart for
words that begin with a capital. Going from the empty ending to the longest one that was seen,

.. math:: P(t \mid e_{i}) = \frac{\hat P(t \mid e_i) + \theta\, P(t \mid e_{i-1})}{1 + \theta},

with :math:`\theta` the standard deviation of the shares of the tags. The unknown word then counts
as if it had occurred once, with these shares: :math:`P(w \mid t) = P(t \mid e) / N_t`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.learn.shared.generative import log

__all__ = ["LONGEST", "RARE", "Endings", "count_endings"]

Floats = NDArray[np.float64]

RARE = 10
LONGEST = 8


class Endings(NamedTuple):
    """Counts of (ending, tag): ending e has the tags label[start[e]:start[e + 1]]."""

    number: dict[str, int]
    start: NDArray[np.int64]
    label: NDArray[np.int32]
    counts: Floats
    share: Floats  # of each tag among rare words, none of them 0
    size: Floats  # how often each tag occurs among all words
    theta: float

    def log_probability(self, word: str) -> Floats:
        """Return ln P(word | tag) of an unknown word, shape (L,)."""
        return log(self.shares(word)) - np.log(self.size)

    def shares(self, word: str) -> Floats:
        """Return P(tag | ending of the word), shape (L,)."""
        p = self.share
        for ending in _endings(word):
            e = self.number.get(ending)
            if e is None:
                break
            part = slice(self.start[e], self.start[e + 1])
            seen = np.zeros(len(p))
            seen[self.label[part]] = self.counts[part] / self.counts[part].sum()
            p = (seen + self.theta * p) / (1.0 + self.theta)
        return p


def _endings(word: str) -> list[str]:
    """Return the endings of a word from the empty one on, each with a mark of its capital."""
    mark = "A" if word[:1].isupper() else "a"
    return [mark + word[len(word) - k :] for k in range(min(LONGEST, len(word)) + 1)]


def count_endings(
    words: list[str], start: NDArray[np.int64], label: NDArray[np.int32], count: Floats, L: int
) -> Endings:
    """Count the endings of rare words; word w has the tags label[start[w]:start[w + 1]].

    Examples
    --------
    >>> start, label = np.array([0, 1, 2]), np.array([0, 1], np.int32)
    >>> endings = count_endings(["running", "tables"], start, label, np.ones(2), 2)
    >>> endings.shares("eating").argmax(), endings.shares("chairs").argmax()
    (np.int64(0), np.int64(1))
    """
    totals = np.bincount(label, weights=count, minlength=L)
    sizes = np.diff(start)
    seen = np.bincount(np.repeat(np.arange(len(words)), sizes), weights=count)
    number: dict[str, int] = {}
    rows, which = list[int](), list[int]()
    for w in np.flatnonzero(seen <= RARE).tolist():
        found = [number.setdefault(ending, len(number)) for ending in _endings(words[w])]
        rows += found
        which += [w] * len(found)
    owner = np.asarray(which, np.int64)
    repeats = sizes[owner]
    at = np.repeat(start[owner] - (np.cumsum(repeats) - repeats), repeats)
    at += np.arange(len(at))
    keys = np.repeat(np.asarray(rows, np.int64), repeats) * L + label[at]
    unique, place = np.unique(keys, return_inverse=True)
    counts = np.bincount(place, weights=count[at], minlength=len(unique))
    per_ending = np.bincount(unique // L, minlength=len(number))
    rare = np.zeros(L)
    np.add.at(rare, label[at], np.where(np.repeat(_is_empty(rows, number), repeats), count[at], 0))
    share = (rare + totals / max(totals.sum(), 1e-300)) / (rare.sum() + 1.0)
    return Endings(
        number=number,
        start=np.concatenate([[0], np.cumsum(per_ending)]).astype(np.int64),
        label=(unique % L).astype(np.int32),
        counts=np.asarray(counts, np.float64),
        share=share,
        size=np.asarray(totals, np.float64),
        theta=max(float(np.std(totals / totals.sum(), ddof=1)) if L > 1 else 0.0, 1e-3),
    )


def _is_empty(rows: list[int], number: dict[str, int]) -> NDArray[Any]:
    empty = [number[mark] for mark in ("A", "a") if mark in number]
    return np.isin(np.asarray(rows, np.int64), empty)
