"""Does a classifier sort by what it should not? By source, by language, by length.

For every group: how often the model is right there, and how often it gives each label. Then three
questions, each with a p-value from random assignments of the same rows to groups of the same sizes:

1. do the predictions depend on the group?
2. do the true labels, so that a good model's predictions must?
3. given the true label, do the mistakes?

For a table of counts O with expected counts E under independence,

    χ² = Σ (O − E)² / E,   I = Σ O/n · log₂(O / E) bits,   V = sqrt(χ² / (n · (min(r, c) − 1))).

The third question adds χ² of right and wrong over the true labels. p is (1 + #{χ²* ≥ χ²}) divided
by (1 + rounds), where tables drawn at random have the same margins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.evaluate.intervals import generator
from linnet.evaluate.metrics import wilson_interval

__all__ = ["Association", "Audit", "GroupScore", "audit", "length_groups"]

Ints = NDArray[np.int64]
_CELLS = 1 << 22  # numbers drawn at a time


@dataclass(frozen=True)
class Association:
    """How far two labellings depend on each other.

    ``mutual_information`` is in bits; ``cramers_v`` runs from 0 (independent) to 1.
    """

    chi2: float
    mutual_information: float
    cramers_v: float
    p: float


@dataclass(frozen=True)
class GroupScore:
    """One group: rows, accuracy with its 95 % interval, and the share of each predicted label."""

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
        found = {name: asdict(getattr(self, name)) for name in parts}
        return {"groups": rows, **found, "rounds": self.rounds}


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
    gold, guess : sequences of n labels
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
    names, group = _numbered(groups)
    labels, y = _numbered(gold)
    answers, said = _numbered(guess)
    right = np.array([g == s for g, s in zip(_plain(gold), _plain(guess), strict=True)], np.int64)
    tables = [_table(group[y == k], right[y == k], len(names), 2) for k in range(len(labels))]
    predicted = _table(group, said, len(names), len(answers))
    order = np.argsort(-predicted.sum(axis=1), kind="stable").tolist()
    hits = np.bincount(group, weights=right, minlength=len(names)).astype(int).tolist()
    return Audit(
        {names[g]: _group_score(hits[g], predicted[g], answers) for g in order},
        _association([predicted], rng, rounds),
        _association([_table(group, y, len(names), len(labels))], rng, rounds),
        _association(tables, rng, rounds),
        rounds,
    )


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


def _group_score(hits: int, called: Ints, answers: list[Any]) -> GroupScore:
    n = int(called.sum())
    shares = {label: int(c) / n for label, c in zip(answers, called, strict=True) if c}
    return GroupScore(n, hits / n, wilson_interval(hits, n), shares)


def _association(tables: list[Ints], rng: np.random.Generator, rounds: int) -> Association:
    """Return how rows and columns depend on each other within all tables together."""
    from scipy.stats import random_table

    used = [table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0] for table in tables]
    free = [table for table in used if min(table.shape) > 1]
    n = sum(int(table.sum()) for table in tables)
    drawn = np.zeros(rounds)
    for table in free:
        cutter = random_table(table.sum(axis=1), table.sum(axis=0))
        step = max(1, _CELLS // table.size)
        for begin in range(0, rounds, step):
            size = min(step, rounds - begin)
            drawn[begin : begin + size] += _chi2(cutter.rvs(size, random_state=rng))
    chi2 = sum(float(_chi2(table[None])[0]) for table in free)
    most = sum(int(table.sum()) * (min(table.shape) - 1) for table in free)
    beyond = int((drawn >= chi2 * (1 - 1e-9)).sum())
    return Association(
        chi2=chi2,
        mutual_information=max(0.0, sum(_nats(table) for table in free) / (n * np.log(2))),
        cramers_v=min(1.0, sqrt(chi2 / most)) if most else 0.0,
        p=(1 + beyond) / (1 + rounds),
    )


def _chi2(tables: NDArray[Any]) -> NDArray[np.float64]:
    """Return χ² of each of R tables, shape (R, rows, columns)."""
    expected = _expected(tables[0])
    answer: NDArray[np.float64] = ((tables - expected) ** 2 / expected).sum(axis=(1, 2))
    return answer


def _nats(table: Ints) -> float:
    ratio = np.where(table > 0, table / _expected(table), 1.0)
    return float((table * np.log(ratio)).sum())


def _expected(table: NDArray[Any]) -> NDArray[np.float64]:
    answer: NDArray[np.float64] = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return answer


def _table(row: Ints, column: Ints, rows: int, columns: int) -> Ints:
    cells = np.bincount(row * columns + column, minlength=rows * columns)
    return cells.reshape(rows, columns).astype(np.int64)


def _numbered(values: Sequence[Any]) -> tuple[list[Any], Ints]:
    """Return the distinct values and the number of each."""
    number: dict[Any, int] = {}
    found = [number.setdefault(value, len(number)) for value in _plain(values)]
    return list(number), np.array(found, np.int64)


def _plain(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)
