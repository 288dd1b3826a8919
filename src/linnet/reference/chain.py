r"""The chain: scores of the labellings of one sentence (M-108, M-112, M-119).

Problem
    guess(x) = argmax_y score(y), over the L^n labellings of a sentence of n tokens; one label a
    token, so the empty sentence has one labelling, the empty one, with score 0.
Given
    state (n, L), transition (L, L) or one matrix a step (n-1, L, L), start (L,), stop (L,), and
    for order 2 also second (L, L, L). Transitions are read [previous, next].

    score(y) = start[y_1] + sum_t state[t, y_t] + sum_{t>1} transition[y_{t-1}, y_t] + stop[y_n]
               (+ sum_{t>2} second[y_{t-2}, y_{t-1}, y_t])

A score of -inf is legal: it forbids a label or a step, so constraints are data (`constrained`).
Adding the cost of each wrong label to the state scores turns a decoder into the cost-augmented
decoder of MIRA and the SVM (`augmented`, M-123).

Every sequence model of the lecture fills these arrays, and every algorithm below reads them:

    HMM              logarithms of probabilities                      S1 Eq. 71-73
    MEMM             one matrix a step, ln P(t_i | x_i, t_{i-1})      S1 Eq. 74-76
    perceptron, CRF  products of weights and features                 S1 "Generic Perceptron", "CRF"

Ties: of several best labellings the one that is smallest when read from its last label to its
first; that is what Viterbi finds when every maximum takes the lowest index.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.reference.common import FloatArray, IntArray, one_hot

__all__ = ["Chain", "Marginals", "Mask", "Path", "hamming", "point_mass"]


Mask = NDArray[np.bool_]


class Path(NamedTuple):
    """A labelling (n,) and its score."""

    labels: IntArray
    score: float


@dataclass(frozen=True)
class Chain:
    """The scores of one sentence; `Chain.of` fills what is missing with zeros.

    Examples
    --------
    >>> chain = Chain.of(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, -5.0], [0.0, 0.0]]))
    >>> chain.score(np.array([0, 1])), chain.score(np.array([1, 1]))
    (-2.0, 2.0)
    """

    state: FloatArray
    transition: FloatArray
    start: FloatArray
    stop: FloatArray
    second: FloatArray | None = None

    @classmethod
    def of(
        cls,
        state: FloatArray,
        transition: FloatArray | None = None,
        start: FloatArray | None = None,
        stop: FloatArray | None = None,
        second: FloatArray | None = None,
    ) -> Chain:
        """Build a chain, or say which array has the wrong shape or an illegal score."""
        if state.ndim != 2 or state.shape[1] == 0:
            raise DataError(f"state scores have shape {state.shape}: need (tokens, labels)")
        n, L = state.shape
        arrays = {
            "transition": np.zeros((L, L)) if transition is None else transition,
            "start": np.zeros(L) if start is None else start,
            "stop": np.zeros(L) if stop is None else stop,
        }
        shapes = {"transition": [(L, L), (max(n - 1, 0), L, L)], "start": [(L,)], "stop": [(L,)]}
        if second is not None:
            arrays["second"], shapes["second"] = second, [(L, L, L)]
        for name, array in arrays.items():
            if array.shape not in shapes[name]:
                raise DataError(f"{name} scores have shape {array.shape}, not {shapes[name][0]}")
        for name, array in {"state": state, **arrays}.items():
            if np.isnan(array).any() or np.isposinf(array).any():
                raise DataError(f"{name} scores must be finite or -inf")
        return cls(state, **arrays)

    @property
    def n_tokens(self) -> int:
        """Length n of the sentence."""
        return len(self.state)

    @property
    def n_labels(self) -> int:
        """Number L of labels."""
        return int(self.state.shape[1])

    @property
    def order(self) -> int:
        """How many earlier labels a local score looks at: 1, or 2 with `second`."""
        return 1 if self.second is None else 2

    @property
    def steps(self) -> FloatArray:
        """Transition scores of every step, (n-1, L, L): steps[t-1] leads to token t."""
        L = self.n_labels
        return np.broadcast_to(self.transition, (max(self.n_tokens - 1, 0), L, L))

    def scores(self, labellings: IntArray) -> FloatArray:
        """Score each row of (G, n) labels: (G,)."""
        Y, t = labellings, np.arange(self.n_tokens)
        if self.n_tokens == 0:
            return np.zeros(len(Y))
        total = self.start[Y[:, 0]] + self.stop[Y[:, -1]] + self.state[t, Y].sum(axis=1)
        total += self.steps[t[:-1], Y[:, :-1], Y[:, 1:]].sum(axis=1)
        if self.second is not None:
            total += self.second[Y[:, :-2], Y[:, 1:-1], Y[:, 2:]].sum(axis=1)
        return np.asarray(total, dtype=np.float64)

    def score(self, labels: IntArray) -> float:
        """Score one labelling (n,)."""
        return float(self.scores(np.asarray(labels)[None, :])[0])

    def local(self, t: int, before: tuple[int, ...]) -> FloatArray:
        """What each label adds to the score when token t (from 0) follows the labels `before`."""
        scores = self.state[t] + (self.start if t == 0 else self.steps[t - 1][before[-1]])
        if self.second is not None and t >= 2:
            scores = scores + self.second[before[-2], before[-1]]
        last = self.stop if t == self.n_tokens - 1 else 0.0
        return np.asarray(scores + last, dtype=np.float64)

    def constrained(
        self,
        *,
        state: Mask | None = None,
        transition: Mask | None = None,
        start: Mask | None = None,
        stop: Mask | None = None,
    ) -> Chain:
        """Forbid, by a score of -inf, everything that is False in the given masks."""
        masks = {"state": state, "transition": transition, "start": start, "stop": stop}
        arrays = {
            name: np.where(mask, getattr(self, name), -np.inf)
            for name, mask in masks.items()
            if mask is not None
        }
        return replace(self, **arrays)

    def augmented(self, gold: IntArray, cost: FloatArray | None = None) -> Chain:
        """Add cost[label, gold_t] to every state score; 1 for each wrong label by default."""
        rho = 1.0 - np.eye(self.n_labels) if cost is None else cost
        return replace(self, state=self.state + rho[:, gold].T)


@dataclass(frozen=True)
class Marginals:
    """A distribution over labellings, seen through windows of one, two and three tokens.

    Attributes
    ----------
    log_partition : ln Z = ln sum_y e^score(y).
    token : P(y_t), (n, L).
    pair : P(y_{t-1}, y_t), (n-1, L, L).
    triple : P(y_{t-2}, y_{t-1}, y_t), (n-2, L, L, L), for order 2.
    """

    log_partition: float
    token: FloatArray
    pair: FloatArray
    triple: FloatArray | None = None


def point_mass(labels: IntArray, n_labels: int, order: int = 1) -> Marginals:
    """Marginals of the distribution that is certain of one labelling: its indicators.

    Examples
    --------
    >>> certain = point_mass(np.array([1, 0]), 2)
    >>> certain.token, certain.pair
    (array([[0., 1.],
           [1., 0.]]), array([[[0., 0.],
            [1., 0.]]]))
    """
    token = one_hot(labels, n_labels)
    pair = np.einsum("ti,tj->tij", token[:-1], token[1:])
    triple = np.einsum("tij,tk->tijk", pair[:-1], token[2:]) if order == 2 else None
    return Marginals(0.0, token, pair, triple)


def hamming(guess: IntArray, gold: IntArray) -> int:
    """Number of tokens with the wrong label, the cost of a labelling.

    Examples
    --------
    >>> hamming(np.array([0, 1, 1]), np.array([0, 0, 0]))
    2
    """
    return int((np.asarray(guess) != np.asarray(gold)).sum())
