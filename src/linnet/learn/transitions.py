r"""Which pairs of neighbouring labels have a weight (SPEC M-119).

With L labels there are L² transitions, of which a corpus shows few: the Brown corpus has 459 tags
and 7,776 pairs of neighbours out of 210,681. The others can be left without a weight, as CRFsuite
leaves them: they score 0 and stay possible, so every labelling has a probability and no sentence is
without an answer. Forward and backward then take time in the number of weights,

.. math:: \sum_i a_i e^{t_{ij}} = \sum_i a_i + \sum_{(i, j)\ \text{seen}} a_i (e^{t_{ij}} - 1)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_FOR_ALL", "TRANSITIONS", "Following", "observed_transitions", "wanted_transitions"]

TRANSITIONS = ("auto", "observed", "all")
MOST_FOR_ALL = 50  # labels up to which "auto" is "all"


class Following(NamedTuple):
    """Label i may weigh together with each label of ``next[start[i]:start[i + 1]]`` after it."""

    start: NDArray[np.int64]
    next: NDArray[np.int32]


def observed_transitions(
    gold: NDArray[np.int32], sentence: NDArray[np.int64], n_labels: int
) -> Following:
    """Return the pairs of labels that stand next to each other in some sentence.

    Examples
    --------
    >>> gold, sentence = np.array([0, 1, 1, 0], np.int32), np.array([0, 3, 4])
    >>> start, following = observed_transitions(gold, sentence, 2)
    >>> start.tolist(), following.tolist()
    ([0, 1, 2], [1, 1])
    """
    inner = np.ones(max(0, len(gold) - 1), dtype=bool)  # pairs t, t + 1 within a sentence
    edges = sentence[1:-1]
    inner[edges[(edges > 0) & (edges < len(gold))] - 1] = False
    pairs = np.unique(gold[:-1][inner].astype(np.int64) * n_labels + gold[1:][inner])
    counts = np.bincount(pairs // n_labels, minlength=n_labels)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Following(start, (pairs % n_labels).astype(np.int32))


def wanted_transitions(
    choice: Any, gold: NDArray[np.int32], sentence: NDArray[np.int64], n_labels: int
) -> Following | None:
    """Return the transitions that get a weight, or None for all of them."""
    if choice == "all" or (choice == "auto" and n_labels <= MOST_FOR_ALL):
        return None
    return observed_transitions(gold, sentence, n_labels)
