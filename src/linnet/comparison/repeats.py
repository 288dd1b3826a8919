"""From the answers of several repeats to one score, one interval and one p-value.

Within a repeat every example is answered once, so its answers can be pooled; across repeats the
same examples come back, and pooling would count each of them several times. So every repeat is
scored and tested by itself. Of R scores, and of the ends of R intervals, the mean is taken: the
mean of R scores varies no more than one of them does. Of R p-values it is

    p = min(1, 2 · median(p_1, …, p_R)),

which rejects true hypotheses at no more than the nominal rate however the repeats depend on each
other (Meinshausen, Meier and Bühlmann 2009); one repeat keeps its p.

Rows of one group are not independent either, so a group is one unit: the list of its labels, as a
sentence is the list of its tags.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from linnet.evaluate.intervals import ScoreInterval
from linnet.evaluate.significance import PairedTest

__all__ = ["mean_interval", "of_repeats", "united_test"]


def of_repeats(
    parts: Sequence[Sequence[Any]], repeats: int, groups: Sequence[Sequence[Any]] = ()
) -> list[list[Any]]:
    """Return the units of each repeat from those of all splits, in order.

    Parameters
    ----------
    parts : list of lists
        The labels, or tags, of each split's test part.
    repeats : int
    groups : list of lists, optional
        The group of each label; then a unit is the list of a group's labels.

    Examples
    --------
    >>> of_repeats([["a"], ["b"], ["b"], ["a"]], 2)
    [['a', 'b'], ['b', 'a']]
    >>> of_repeats([["a", "b"], ["b"]], 1, [["x", "x"], ["y"]])
    [[['a', 'b'], ['b']]]
    """
    size = len(parts) // repeats
    firsts = range(0, len(parts), size)
    pooled = [list(chain(*parts[first : first + size])) for first in firsts]
    if not groups:
        return pooled
    owners = [list(chain(*groups[first : first + size])) for first in firsts]
    return [_by_group(*pair) for pair in zip(pooled, owners, strict=True)]


def _by_group(units: list[Any], owners: list[Any]) -> list[list[Any]]:
    found: dict[Any, list[Any]] = {}
    for unit, owner in zip(units, owners, strict=True):
        found.setdefault(owner, []).append(unit)
    return list(found.values())


def mean_interval(found: Sequence[ScoreInterval]) -> ScoreInterval:
    """Return the mean of scores and of the ends of their intervals."""
    score, low, high = np.mean([(one.score, one.low, one.high) for one in found], axis=0).tolist()
    return replace(found[0], score=score, low=low, high=high)


def united_test(found: Sequence[PairedTest]) -> tuple[float, float]:
    """Return the mean difference and one p-value for all repeats."""
    difference = float(np.mean([test.difference for test in found]))
    if len(found) == 1:
        return difference, found[0].p
    return difference, min(1.0, 2.0 * float(np.median([test.p for test in found])))
