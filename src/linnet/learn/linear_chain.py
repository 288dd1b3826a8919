"""A chain of linear scores: what most sequence learners have learned, ready to decode.

.. math:: s(y) = \\text{start}_{y_1} + \\sum_t x_t \\cdot w_{y_t}
          + \\sum_{t > 1} \\text{transition}_{y_{t-1} y_t} + \\text{stop}_{y_n}

NumPy and the core are all that is imported here, so a saved tagger starts fast.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.text.token_extractor import TokenRows

__all__ = ["Allowed", "LinearChain"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ranked = list[tuple[float, NDArray[np.int32]]]


class Allowed(NamedTuple):
    """Which labels may begin, follow each other and end: tables of booleans."""

    start: NDArray[np.bool_]
    transition: NDArray[np.bool_]
    stop: NDArray[np.bool_]


@dataclass(frozen=True)
class LinearChain:
    """Weights of (feature, label) pairs, of label pairs, of starts and of stops.

    Feature j has for the labels ``pair_label[pair_start[j]:pair_start[j + 1]]`` the weights at the
    same places, and 0 for the others. A sentence that no allowed labelling fits is answered as if
    everything were allowed.
    """

    pair_start: Ints
    pair_label: NDArray[np.int32]
    pair_weight: Floats
    transition: Floats
    start: Floats
    stop: Floats

    @classmethod
    def of(cls, learner: Any) -> LinearChain:
        """Return the weights of a fitted learner, rounded to float32, in which they are stored."""
        start, label, weight = learner.pair_start_, learner.pair_label_, learner.pair_weight_
        if 2 * np.count_nonzero(weight) < len(weight):  # an l1 penalty leaves little
            kept = weight != 0
            before = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
            start, label, weight = before[start], label[kept], weight[kept]
        parts = (weight, learner.transition_, learner.start_, learner.stop_)
        return cls(
            np.ascontiguousarray(start, np.int64),
            np.ascontiguousarray(label, np.int32),
            *(np.ascontiguousarray(part.astype(np.float32), np.float64) for part in parts),
        )

    @property
    def n_labels(self) -> int:
        """The number of labels."""
        return len(self.start)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.pair_start) - 1

    @cached_property
    def _pairs(self) -> _core.Pairs:
        """The pairs as the core reads them; checked once, and not part of the stored state."""
        return _core.Pairs(self.pair_start, self.pair_label, self.n_labels)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_pairs"}

    def weighty(self) -> Ints:
        """Return the features that have a weight other than 0, ascending."""
        before = np.concatenate([[0], np.cumsum(self.pair_weight != 0)])
        return np.flatnonzero(np.diff(before[self.pair_start]))

    def take(self, features: Ints) -> LinearChain:
        """Return the chain of some features, ascending, numbered anew."""
        counts = np.diff(self.pair_start)
        kept = np.zeros(len(counts), bool)
        kept[features] = True
        pairs = np.repeat(kept, counts)
        start = np.concatenate([[0], np.cumsum(counts[features])]).astype(np.int64)
        return replace(
            self, pair_start=start, pair_label=self.pair_label[pairs],
            pair_weight=self.pair_weight[pairs],
        )  # fmt: skip

    def decode(
        self, rows: TokenRows, offset: Ints, allowed: Allowed | None, threads: int
    ) -> NDArray[np.int32]:
        """Return the number of each token's label in the best labelling of its sentence."""
        labels = np.empty(int(offset[-1]), np.int32)
        scores = np.empty(len(offset) - 1)
        chain, potentials = self._chain(rows, offset), self._potentials(allowed)
        _core.decode(chain, self.pair_weight, potentials, 0, labels, scores, threads)
        impossible = np.repeat(np.isneginf(scores), np.diff(offset))
        if impossible.any():
            labels[impossible] = self.decode(rows, offset, None, threads)[impossible]
        return labels

    def marginals(
        self, rows: TokenRows, offset: Ints, allowed: Allowed | None, threads: int
    ) -> Floats:
        """Return P(label at token | sentence), shape (tokens, L)."""
        table = np.empty((int(offset[-1]), self.n_labels))
        log_z = np.empty(len(offset) - 1)
        chain, potentials = self._chain(rows, offset), self._potentials(allowed)
        _core.marginals(chain, self.pair_weight, potentials, table, log_z, threads)
        impossible = np.repeat(~np.isfinite(log_z), np.diff(offset))
        if impossible.any() and allowed is not None:
            table[impossible] = self.marginals(rows, offset, None, threads)[impossible]
        return table

    def n_best(
        self, rows: TokenRows, offset: Ints, k: int, allowed: Allowed | None, threads: int
    ) -> list[Ranked]:
        """Return for each sentence its k best labellings, best first, as (score, labels)."""
        state = self.states(rows, offset, threads)
        tables = (self._potentials(allowed), self._potentials(None))
        found: list[Ranked] = []
        for first, last in pairwise(offset.tolist()):
            if first == last:
                found.append([(0.0, np.empty(0, np.int32))])
                continue
            for potentials in tables:
                labels, scores = np.empty((k, last - first), np.int32), np.empty(k)
                n = _core.n_best(state[first:last], potentials, labels, scores)
                if n:
                    break
            found.append(list(zip(scores[:n].tolist(), labels[:n], strict=True)))
        return found

    def states(self, rows: TokenRows, offset: Ints, threads: int) -> Floats:
        """Return the scores of tokens without their neighbours, shape (tokens, L)."""
        out = np.empty((int(offset[-1]), self.n_labels))
        _core.state_scores(self._chain(rows, offset), self.pair_weight, out, threads)
        return out

    def weights_of(self, feature: int) -> Floats:
        """Return the weights of a feature, shape (L,)."""
        own = slice(int(self.pair_start[feature]), int(self.pair_start[feature + 1]))
        weights = np.zeros(self.n_labels)
        weights[self.pair_label[own]] = self.pair_weight[own]
        return weights

    def _chain(self, rows: TokenRows, offset: Ints) -> _core.Chain:
        matrix = _core.Matrix(rows.start, rows.index, None, rows.n_features)
        return _core.Chain(matrix, offset, self._pairs)

    def _potentials(self, allowed: Allowed | None) -> _core.Potentials:
        if allowed is None:
            return _core.Potentials(self.transition, self.start, self.stop)
        return _core.Potentials(
            np.where(allowed.transition, self.transition, -np.inf),
            np.where(allowed.start, self.start, -np.inf),
            np.where(allowed.stop, self.stop, -np.inf),
        )
