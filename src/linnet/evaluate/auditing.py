"""Does a classifier sort by what it should not? By source, by language, by length.

For every group: how often the model is right there, and how often it gives each label. Then three
questions, each with a p-value from random assignments to groups of the same sizes
(:mod:`linnet.evaluate.association`):

1. do the predictions depend on the group?
2. do the true labels, so that a good model's predictions must?
3. given the true label, do the mistakes? χ² of right and wrong is added up over the true labels.

The units are rows; of sentences tokens, of sets of labels the yes or no to each label. Units of one
sentence or row are no independent witnesses, so they are assigned together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.evaluate.association import Association, clustered, single
from linnet.evaluate.intervals import generator
from linnet.evaluate.metrics import wilson_interval
from linnet.evaluate.rows import numbered, plain, sorted_labels, table_of
from linnet.evaluate.units import pairs_of

__all__ = ["Association", "Audit", "GroupScore", "audit", "length_groups"]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class GroupScore:
    """One group: rows, accuracy with its 95 % interval, and the share of each predicted label.

    Of sentences, `n` and `accuracy` count tokens.
    """

    n: int
    accuracy: float
    interval: tuple[float, float]
    shares: dict[Any, float]


@dataclass(frozen=True)
class Audit:
    """What :func:`audit` found.

    Attributes
    ----------
    groups : dict
        Group to :class:`GroupScore`, the largest first.
    predictions, truth : Association
        Of the group with the predicted and with the true label.
    mistakes : Association
        Of the group with being right, given the true label.
    rounds : int
    """

    groups: dict[Any, GroupScore]
    predictions: Association
    truth: Association
    mistakes: Association
    rounds: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; groups and labels become text."""
        rows = {
            str(name): asdict(score)
            | {"interval": list(score.interval)}
            | {"shares": {str(label): share for label, share in score.shares.items()}}
            for name, score in self.groups.items()
        }
        parts = ("predictions", "truth", "mistakes")
        associations = {name: asdict(getattr(self, name)) for name in parts}
        return {"groups": rows, **associations, "rounds": self.rounds}


def audit(
    gold: Sequence[Any],
    guess: Sequence[Any],
    groups: Sequence[Any],
    rounds: int = 2000,
    seed: int = 0,
) -> Audit:
    """Compare how a model treats groups of examples.

    Parameters
    ----------
    gold, guess : sequences of n labels, of lists of tags, or of sets of labels
        None is a row without an answer.
    groups : sequence of n values
        For example the source or the language of each text, or :func:`length_groups`.
    rounds, seed : int
        Of the random tables behind the p-values.

    Examples
    --------
    >>> gold, groups = ["a", "b"] * 50, ["web", "web", "mail", "mail"] * 25
    >>> blind = audit(gold, ["a" if group == "web" else "b" for group in groups], groups)
    >>> blind.predictions.cramers_v, blind.predictions.p < 0.001, blind.truth.p
    (1.0, True, 1.0)
    """
    rng = generator(rounds, seed)
    if not len(gold) or not len(gold) == len(guess) == len(groups):
        raise DataError(
            f"an audit needs as many labels as predictions and groups, at least one; got "
            f"{len(gold)}, {len(guess)} and {len(groups)}"
        )
    truth, said, places = pairs_of(gold, guess)
    if not truth:
        raise DataError("an audit needs at least one token; the sentences are empty")
    owner = np.array([p[0] if isinstance(p, tuple) else p for p in places], np.int64)
    names, [group] = numbered(plain(groups))
    labels, [y] = numbered(truth)
    answers, [z] = numbered(said)
    right = np.array([a == b for a, b in zip(truth, said, strict=True)], np.int64)
    alone = len(owner) == len(gold) and bool((owner == np.arange(len(gold))).all())
    parts = []
    for column, width, n_tables in (
        (z, len(answers), 1),
        (y, len(labels), 1),
        (2 * y + right, 2 * len(labels), len(labels)),  # a table of wrong and right a label
    ):
        tables = _Tables(owner, column, len(names), width, n_tables)
        if alone:
            parts.append(single(tables.of(group), rng, rounds))
        else:
            parts.append(clustered(tables.of, group, rng, rounds))
    scores = _group_scores(plain(gold), plain(guess), (owner, said, right), names, group)
    predictions, truths, mistakes = parts
    return Audit(scores, predictions, truths, mistakes, rounds)


class _Tables:
    """Counts of groups by columns for any assignment of clusters to groups."""

    def __init__(self, owner: Ints, column: Ints, groups: int, width: int, parts: int) -> None:
        pairs, self._times = np.unique(owner * width + column, return_counts=True)
        self._owner, self._column = pairs // width, pairs % width
        self._shape, self._parts = (groups, width), parts

    def of(self, group: Ints) -> list[Ints]:
        """Return the table, cut into its parts, when cluster c is in group[c]."""
        rows, width = self._shape
        place = group[self._owner] * width + self._column
        table = np.bincount(place, weights=self._times, minlength=rows * width)
        return np.split(table.astype(np.int64).reshape(rows, width), self._parts, axis=1)


def length_groups(texts: Sequence[Any], parts: int = 4) -> list[str]:
    """Return for each text a group of texts of about its length, such as "12 to 40".

    Parameters
    ----------
    texts : sequence
        Of texts or of anything else that has a length.
    parts : int
        Number of groups, as equal in size as lengths allow.

    Examples
    --------
    >>> length_groups(["a", "bb", "cccc", "dddddd"], parts=2)
    ['1 to 2', '1 to 2', '4 to 6', '4 to 6']
    """
    length = np.array([len(text) for text in texts], np.int64)
    if not len(length):
        return []
    edges = np.quantile(length, np.arange(1, parts) / parts)
    part = np.searchsorted(edges, length, side="left")
    bounds = {k: (int(length[part == k].min()), int(length[part == k].max())) for k in set(part)}
    names = {k: str(a) if a == b else f"{a} to {b}" for k, (a, b) in bounds.items()}
    return [names[k] for k in part]


def _group_scores(
    gold: list[Any],
    guess: list[Any],
    units: tuple[Ints, list[Any], Ints],
    names: list[Any],
    group: Ints,
) -> dict[Any, GroupScore]:
    """Return the scores of each group, the largest first."""
    owner, said, right = units
    caller = owner
    if isinstance(gold[0], (set, frozenset)):  # a row is right if all its labels are
        right = np.array([set(a) == set(b) for a, b in zip(gold, guess, strict=True)], np.int64)
        owner = np.arange(len(gold))
        caller = np.repeat(owner, [len(row) for row in guess])
        said = [label for row in guess for label in sorted_labels(row)]
    answers, [z] = numbered(said)
    number = np.bincount(group[owner], minlength=len(names))
    hits = np.bincount(group[owner], weights=right, minlength=len(names)).astype(int)
    called = table_of(group[caller], z, len(names), len(answers))
    scores = {}
    for g in np.argsort(-number, kind="stable").tolist():
        n, right_here = int(number[g]), int(hits[g])
        if n:  # a group of empty sentences has no tokens
            shares = {a: c / n for a, c in zip(answers, called[g].tolist(), strict=True) if c}
            interval = wilson_interval(right_here, n)
            scores[names[g]] = GroupScore(n, right_here / n, interval, shares)
    return scores
