r"""What a trainer of CRFsuite's fits: which weights there are, and how they become a model.

An attribute has a weight for every label it was seen with, a label for every label it was seen
before; there are none for first and last labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.chain import LinearChain
from linnet.learn.chain.weights import Layout

__all__ = ["Problem"]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Problem:
    """Sentences for the core, and the places of the weights.

    Attributes
    ----------
    chain : the core's sentences
    gold : array of shape (tokens,)
    sentence : array of shape (sentences + 1,)
        Where each begins.
    pairs : tuple of arrays
        Which attributes have weights for which labels.
    seen : array of shape (L, L)
        Which label pairs have weights.
    layout : Layout
    """

    chain: _core.Chain
    gold: NDArray[np.int32]
    sentence: Ints
    pairs: tuple[Ints, NDArray[np.int32]]
    seen: NDArray[np.bool_]
    layout: Layout

    @classmethod
    def of(
        cls, rows: Ints, index: NDArray[np.int32], value: NDArray[np.float64],
        gold: NDArray[np.int32], sentence: Ints, shape: tuple[int, int], values: dict[str, Any],
    ) -> Problem:  # fmt: skip
        """Return the problem of tokens whose attributes are rows of a matrix (A, L = shape)."""
        A, L = shape
        least = float(values["feature.minfreq"])
        pairs = _all_pairs(A, L)
        if not values["feature.possible_states"]:
            pairs = _pairs(rows, index, value, gold, A, L, least)
        start, after = _following(gold, sentence, L, least)
        seen = np.zeros((L, L), bool)
        seen[np.repeat(np.arange(L), np.diff(start)), after] = True
        following: tuple[Any, Any] = (start, after)
        if values["feature.possible_transitions"]:
            following, seen = (None, None), np.ones((L, L), bool)
        chain = _core.Chain(_core.Matrix(rows, index, value, A), sentence, *pairs, L, *following)
        return cls(chain, gold, sentence, pairs, seen, Layout(len(pairs[1]), L))

    @property
    def n_sentences(self) -> int:
        """The number of sentences."""
        return len(self.sentence) - 1

    def frozen(self) -> NDArray[np.uint8]:
        """Return 1 for weights that stay 0: of starts, of stops, of label pairs never seen."""
        frozen = np.zeros(self.layout.size, np.uint8)
        L = self.layout.n_labels
        frozen[-2 * L :] = 1
        frozen[-2 * L - L * L : -2 * L] = ~self.seen.ravel()
        return frozen

    def linear_chain(self, w: NDArray[np.float64]) -> LinearChain:
        """Return the chain of these weights."""
        weight, transition, first, last = (part.copy() for part in self.layout.split(w))
        transition[~self.seen] = 0.0
        return LinearChain(*self.pairs, weight, transition, first, last)


def _all_pairs(A: int, L: int) -> tuple[Ints, NDArray[np.int32]]:
    return np.arange(0, A * L + 1, L), np.tile(np.arange(L, dtype=np.int32), A)


def _pairs(
    rows: Ints, index: Any, value: Any, gold: Any, A: int, L: int, least: float
) -> tuple[Ints, NDArray[np.int32]]:
    """Return which attributes were seen with which labels, often enough."""
    together = index.astype(np.int64) * L + np.repeat(gold, np.diff(rows))
    places, owner = np.unique(together, return_inverse=True)
    often = np.bincount(owner, weights=value, minlength=len(places))
    places = places[often >= least]
    start = np.searchsorted(places // L, np.arange(A + 1)).astype(np.int64)
    return start, (places % L).astype(np.int32)


def _following(gold: Any, sentence: Ints, L: int, least: float) -> tuple[Ints, NDArray[np.int32]]:
    """Return which labels were seen after which, often enough."""
    inside = np.ones(len(gold), bool)
    inside[sentence[:-1][sentence[:-1] < len(gold)]] = False
    after = np.flatnonzero(inside)
    pairs = gold[after - 1].astype(np.int64) * L + gold[after]
    places, often = np.unique(pairs, return_counts=True)
    places = places[often >= least]
    start = np.searchsorted(places // L, np.arange(L + 1)).astype(np.int64)
    return start, (places % L).astype(np.int32)
