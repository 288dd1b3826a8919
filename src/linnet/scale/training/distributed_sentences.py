"""Sentences in parts on workers: cut anew by their tokens, and handed to who learns from them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import offsets
from linnet.learn.chain.elsewhere import ChainElsewhere, SentencesElsewhere
from linnet.learn.chain.online_run import Sentences
from linnet.learn.chain.sentences import Ragged
from linnet.learn.chain.weights import (
    Following,
    PairTable,
    observed_pairs,
    pair_keys,
    pairs_of_keys,
    united_keys,
)
from linnet.learn.shared.elsewhere import Mixing
from linnet.learn.shared.history import History
from linnet.scale.training.chain_losses import ChainProblem, DistributedChain
from linnet.scale.workers import Cluster

__all__ = ["DistributedSentences", "sizes_of"]

Floats = NDArray[np.float64]


def sizes_of(rows: list[Any]) -> tuple[int, int]:
    """Return how many sentences and how many values a part has."""
    return len(rows[4]) - 1, len(rows[1])


def _recut(parts: list[list[Any]], places: list[slice]) -> list[Any]:
    """Return some sentences of each of neighbouring parts as those of one part."""
    lengths, sizes, columns, values = [], [], [], []
    has_values = any(value is not None for _, _, value, _, _ in parts)
    for (start, index, value, _, sentence), place in zip(parts, places, strict=True):
        edges = sentence[place.start : place.stop + 1]
        rows = start[edges[0] : edges[-1] + 1]
        lengths.append(np.diff(edges))
        sizes.append(np.diff(rows))
        columns.append(index[rows[0] : rows[-1]])
        if has_values:
            every = np.ones(len(index)) if value is None else value
            values.append(every[rows[0] : rows[-1]])
    starts, sentences = (offsets(np.concatenate(each)) for each in (sizes, lengths))
    value = np.concatenate(values) if has_values else None
    return [starts, np.concatenate(columns), value, parts[0][3], sentences]


class DistributedSentences(SentencesElsewhere, Mixing):
    """Sentences in parts on workers.

    Parameters
    ----------
    cluster : Cluster
    rows : list of futures of the fields of Ragged
    sizes : array of shape (parts, 2)
        How many sentences and how many values each part has.
    n_features : int
    sentence : array
        Where each sentence begins, of all parts.
    """

    def __init__(
        self, cluster: Cluster, rows: list[Any], sizes: NDArray[np.int64], n_features: int,
        sentence: NDArray[np.int64],
    ) -> None:  # fmt: skip
        self.cluster, self.rows, self.sizes = cluster, rows, sizes
        self.n_features, self.sentence = n_features, sentence

    def split(self, values: NDArray[Any], *, tokens: bool) -> list[NDArray[Any]]:
        """Cut an array with a value for each token, or sentence, into those of each part."""
        edges = np.cumsum(self.sizes[:, 0])[:-1]
        parts = np.split(values, self.sentence[edges] if tokens else edges)
        return [np.ascontiguousarray(part) for part in parts]

    def recut(self, n: int) -> DistributedSentences:
        """Return the sentences in `n` parts with about as many tokens each.

        The more equal they are, the less do workers wait for each other.
        """
        cluster, n = Cluster(self.cluster.client), min(n, self.n_sentences)
        cuts = np.searchsorted(self.sentence, np.linspace(0, self.sentence[-1], n + 1)[1:-1])
        edges = sorted({0, *cuts.tolist(), self.n_sentences})
        first = offsets(self.sizes[:, 0]).tolist()  # sentence of each part
        rows, places, names = [], [], []
        for begin, end in pairwise(edges):
            some = [k for k in range(len(self.rows)) if first[k] < end and first[k + 1] > begin]
            rows.append([self.rows[k] for k in some])
            spans = [(max(begin, first[k]), min(end, first[k + 1]), first[k]) for k in some]
            places.append([slice(low - at, high - at) for low, high, at in spans])
            names.append(self.cluster.between(slice(some[0], some[-1] + 1)))
        cluster.settle(names)
        parts = cluster.each(_recut, rows, places)
        sizes = np.array(cluster.fetch(cluster.each(sizes_of, parts)))
        return DistributedSentences(cluster, parts, sizes, self.n_features, self.sentence)

    def observed_pairs(self, gold: NDArray[np.int32], n_labels: int) -> PairTable:
        """Return the (feature, label) pairs that occur together."""
        split = self.split(gold, tokens=True)
        parts = self.cluster.total(united_keys, _pairs, self.rows, split, n_labels)
        keys = self.cluster.fetch(parts)
        return pairs_of_keys(keys, self.n_features, n_labels)

    def chain(
        self, pairs: PairTable, n_labels: int, following: Following | None, order: int,
        triples: NDArray[np.uint8] | None,
    ) -> ChainElsewhere:  # fmt: skip
        """Return the sentences with the weights that they have."""
        return DistributedChain(self, pairs, n_labels, following, order, triples)

    def mix(self, learner: Any, examples: Any, history: History) -> Any:
        """Fit an online learner by rounds over the parts."""
        from linnet.scale.training.mixing import mixed

        gold, weights = self.split(examples.gold, tokens=True), examples.weights
        parts = self.cluster.each(
            ChainProblem, self.rows, gold, self.split(weights, tokens=False),
            self.cluster.held(examples.chain.shape),
        )  # fmt: skip
        return mixed(self.cluster, learner, _round, parts, self.n_sentences, history)


def _round(
    part: ChainProblem, learner: Any, weights: Floats, number: int, round_number: int
) -> Any:
    from linnet.scale.training.mixing import round_of

    if not part.ragged.n_sentences:
        return 0.0 * weights, 0.0 * weights, np.zeros(1), np.zeros(1), np.zeros(1)
    examples = Sentences(part.ragged, part.gold, part.cost, part.chain)
    return round_of(learner, examples, weights, number, round_number)


def _pairs(rows: list[Any], gold: NDArray[np.int32], n_labels: int) -> NDArray[np.int64]:
    return pair_keys(observed_pairs(Ragged(*rows), gold, n_labels, every=False), n_labels)
