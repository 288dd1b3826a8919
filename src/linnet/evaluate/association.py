"""How far two labellings depend on each other, and how often chance alone would do as much.

For a table of counts O with expected counts E under independence,

    χ² = Σ (O − E)² / E,   I = Σ O/n · log₂(O / E) bits,   V = sqrt(χ² / (n · (min(r, c) − 1))).

p is (1 + #{χ²* ≥ χ²}) / (1 + rounds), where χ²* is of units assigned at random to groups of the
same sizes. Single units give tables with the same margins, which are drawn as such; units that come
in clusters, such as the tokens of a sentence, are assigned to groups together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Association", "clustered", "single"]

Floats = NDArray[np.float64]
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


def single(tables: list[Ints], rng: np.random.Generator, rounds: int) -> Association:
    """Return how rows and columns depend on each other within all tables of single units."""
    from scipy.stats import random_table

    free = _free(tables)
    drawn = np.zeros(rounds)
    for table in free:
        cutter = random_table(table.sum(axis=1), table.sum(axis=0))
        step = max(1, _CELLS // table.size)
        for begin in range(0, rounds, step):
            size = min(step, rounds - begin)
            drawn[begin : begin + size] += _chi2(cutter.rvs(size, random_state=rng))
    return _association(tables, free, drawn)


def clustered(
    tabulate: Callable[[Ints], list[Ints]],
    group: Ints,
    rng: np.random.Generator,
    rounds: int,
) -> Association:
    """Return the same for units that stay together.

    Parameters
    ----------
    tabulate : function
        From the group of each cluster to the tables.
    group : array of shape (clusters,)
    rng, rounds
        Of the random assignments.
    """
    tables = tabulate(group)
    free = _free(tables)
    drawn = np.zeros(rounds)
    if free:
        for number in range(rounds):
            chance = _free(tabulate(rng.permutation(group)))
            drawn[number] = sum(float(_chi2(table[None])[0]) for table in chance)
    return _association(tables, free, drawn)


def _association(tables: list[Ints], free: list[Ints], drawn: Floats) -> Association:
    n = sum(int(table.sum()) for table in tables)
    chi2 = sum(float(_chi2(table[None])[0]) for table in free)
    most = sum(int(table.sum()) * (min(table.shape) - 1) for table in free)
    beyond = int((drawn >= chi2 * (1 - 1e-9)).sum())
    return Association(
        chi2=chi2,
        mutual_information=max(0.0, sum(_nats(table) for table in free) / (n * np.log(2))),
        cramers_v=min(1.0, sqrt(chi2 / most)) if most else 0.0,
        p=(1 + beyond) / (1 + len(drawn)),
    )


def _free(tables: list[Ints]) -> list[Ints]:
    """Return the tables without empty rows and columns, those with one of either left out."""
    used = [table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0] for table in tables]
    return [table for table in used if min(table.shape) > 1]


def _chi2(tables: NDArray[Any]) -> Floats:
    """Return χ² of each of R tables, shape (R, rows, columns)."""
    expected = _expected(tables[0])
    answer: Floats = ((tables - expected) ** 2 / expected).sum(axis=(1, 2))
    return answer


def _nats(table: Ints) -> float:
    ratio = np.where(table > 0, table / _expected(table), 1.0)
    return float((table * np.log(ratio)).sum())


def _expected(table: NDArray[Any]) -> Floats:
    answer: Floats = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return answer
