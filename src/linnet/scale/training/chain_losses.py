"""The losses of a CRF over sentences in parts, and where they are smallest.

Given are sentences in parts with their right labels, and the pairs (feature, label) that have
weights. Each part gives its sum of -log p(labels | sentence) and its gradient; these are added up
in the order of the parts, and L-BFGS takes the steps: see :mod:`linnet.scale.training.losses`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.chain.elsewhere import ChainElsewhere
from linnet.learn.chain.sentences import Ragged
from linnet.learn.chain.weights import Following, PairTable
from linnet.learn.hmm.counts import count_triples
from linnet.scale.training.losses import FetchedLosses, Point
from linnet.scale.training.sums import added

if TYPE_CHECKING:
    from linnet.learn.shared.solvers import SGD
    from linnet.scale.training.chain_descent import MixedSentences
    from linnet.scale.training.distributed_sentences import DistributedSentences

__all__ = ["ChainProblem", "DistributedChain"]

Floats = NDArray[np.float64]
_BEND = 0.4  # as the core's first guess of the curvature of a CRF
_PAIRS = 512  # of labels that a token is looked at with in the time of a value, or of a weight


class DistributedChain(ChainElsewhere):
    """Sentences in parts and the pairs that have weights."""

    def __init__(
        self, sentences: DistributedSentences, pairs: PairTable, n_labels: int,
        following: Following | None, order: int, triples: NDArray[np.uint8] | None,
    ) -> None:  # fmt: skip
        self._sentences = sentences
        start, after = (None, None) if following is None else following
        flat = None if triples is None else triples.ravel()
        self.shape = (pairs.start, pairs.label, n_labels, start, after, order, flat)
        self.weights = len(pairs.label) + n_labels * (n_labels + 2)
        self.weights += n_labels**3 if order == 2 else 0

    def _worthwhile(self) -> int:
        """Return into how many parts an evaluation is cut: a power of two, by the data alone.

        Each part goes over all the weights, however few sentences it has. It should take at least
        as long over the sentences: over their values, and over all pairs of labels of each token.
        Of more parts than the data came in nobody has a use.
        """
        n_labels, order = self.shape[2], self.shape[5]
        tokens, values = self._sentences.sentence[-1], self._sentences.sizes[:, 1].sum()
        work: int = int(values) + int(tokens) * n_labels ** (order + 1) // _PAIRS
        most = (len(self._sentences.rows) - 1).bit_length()
        return 1 << min(max(0, (work // self.weights).bit_length() - 1), most)

    def minimize(
        self, gold: NDArray[np.int32], cost: Floats, w: Floats, *, l1: float, l2: float,
        tolerance: float, max_iterations: int, record: Any, threads: int,
    ) -> None:  # fmt: skip
        """Change w to the weights that minimise the objective of a CRF."""
        sentences = self._sentences.recut(self._worthwhile())
        cluster, problems = sentences.cluster, self._problems(sentences, gold, cost)
        seen = cluster.fetch(cluster.total(added, _seen, problems))
        _core.minimize_fetched(
            solver="lbfgs", losses=_FetchedChain(cluster, problems), w=w, problems=1, l2=l2, l1=l1,
            held=len(w), has_hessian=False, guess=np.power(1.0 + seen, -_BEND),
            tolerance=tolerance, max_iterations=max_iterations, memory=6, record=record,
            threads=threads,
        )  # fmt: skip

    def walk(
        self, gold: NDArray[np.int32], cost: Floats, solver: SGD, *, start: Floats, seed: int,
        rounds: int, threads: int,
    ) -> MixedSentences:  # fmt: skip
        """Return who goes over the sentences by single steps."""
        from linnet.scale.training.chain_descent import MixedSentences

        sentences = self._sentences
        return MixedSentences(
            sentences.cluster, self._problems(sentences, gold, cost), cost,
            sentences.sizes[:, 0].tolist(), solver, start=start, seed=seed, rounds=rounds,
        )  # fmt: skip

    def _problems(
        self, sentences: DistributedSentences, gold: NDArray[np.int32], cost: Floats
    ) -> list[Any]:
        return sentences.cluster.each(
            ChainProblem, sentences.rows, sentences.split(gold, tokens=True),
            sentences.split(cost, tokens=False), sentences.cluster.held(self.shape),
        )  # fmt: skip


class _FetchedChain(FetchedLosses):
    """The losses of sentences; at a point their conjugate is w·gradient minus the losses."""

    _conjugate = 0.0

    def evaluate(self, w: Floats, gradient: Floats, parts: Floats) -> None:
        """Fill in the losses and their gradient."""
        super().evaluate(w, gradient, parts)
        self._conjugate = float(w @ gradient) - float(parts[0])

    def conjugate_sum(self, shrink: float) -> float:
        """Return the sum of the conjugates; it is convex and 0 at 0, so a share bounds it."""
        return shrink * self._conjugate


class ChainProblem:
    """The losses of the sentences of a part."""

    def __init__(
        self, rows: list[Any], gold: NDArray[np.int32], cost: Floats, shape: tuple[Any, ...]
    ) -> None:
        self._given = (rows, gold, cost, shape)
        ragged = Ragged(*rows)
        self.ragged, self.gold, self.cost, self.shape = ragged, gold, cost, shape
        self.chain = _core.Chain(ragged.matrix, ragged.sentence, *shape)

    def __reduce__(self) -> tuple[Any, ...]:
        return ChainProblem, self._given

    def __sizeof__(self) -> int:
        return int(self.ragged.column.nbytes + self.ragged.start.nbytes + self.gold.nbytes)

    def evaluate(self, point: Point) -> tuple[Floats, Floats]:
        """Return the losses and their gradient."""
        gradient = np.zeros_like(point.weights)
        loss = _core.crf_evaluate(
            self.chain, self.gold, self.cost, 0.0, np.ascontiguousarray(point.weights), gradient, 1
        )
        return np.array([loss]), gradient

    def value(self, point: Point) -> Floats:
        """Return the losses."""
        return self.evaluate(point)[0]


def _seen(problem: ChainProblem) -> Floats:
    """Return how often what each weight belongs to occurs with the right labels."""
    start, label, L, *_, order, _triples = problem.shape
    ragged, gold, cost = problem.ragged, problem.gold, problem.cost
    lengths = np.diff(ragged.sentence)
    each = np.repeat(cost, lengths)  # of a token
    sizes = np.diff(ragged.start)
    keys = ragged.column.astype(np.int64) * L + np.repeat(gold, sizes)
    known = np.repeat(np.arange(len(start) - 1), np.diff(start)) * L + label
    place = np.searchsorted(known, keys)
    pairs = np.bincount(place, np.repeat(each, sizes), len(label))
    filled = lengths > 0
    first, last = ragged.sentence[:-1][filled], ragged.sentence[1:][filled] - 1
    inside = np.ones(len(gold), bool)
    inside[first] = False
    after = np.flatnonzero(inside)
    wide = gold.astype(np.int64)
    steps = np.bincount(wide[after - 1] * L + wide[after], each[after], L * L)
    ends = [np.bincount(gold[at], cost[filled], L) for at in (first, last)]
    rest = [count_triples(gold, ragged.sentence, cost, L).ravel()] if order == 2 else []
    return np.concatenate([pairs, steps, *ends, *rest])
