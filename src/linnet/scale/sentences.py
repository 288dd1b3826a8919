"""Taggers over parts: words, features and tags of all, then counts or sums of losses.

Counts of an HMM are added up over the parts and so are those of one machine, bit for bit. A CRF is
the optimum of one machine with its certificate: see :mod:`linnet.scale.losses`.
"""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.data.columns import offsets
from linnet.errors import DataError, ParameterError
from linnet.learn.chain import reads_words
from linnet.learn.chain.elsewhere import ChainElsewhere, SentencesElsewhere
from linnet.learn.chain.online import OnlineTagger
from linnet.learn.chain.online_run import Sentences
from linnet.learn.chain.sentences import Ragged, number_labels, number_words
from linnet.learn.chain.weights import (
    Following,
    PairTable,
    observed_pairs,
    pair_keys,
    pairs_of_keys,
    united_keys,
)
from linnet.learn.crf import CRF
from linnet.learn.hmm.counts import Counts, added_counts, count_gold, count_triples
from linnet.learn.hmm.hmm import HMM
from linnet.learn.shared.elsewhere import Mixing
from linnet.learn.shared.history import History
from linnet.learn.shared.restore import restored_on_error
from linnet.model.chain_scorer import ChainScorer, chain_of
from linnet.model.decision import Decision
from linnet.model.legal import as_scheme, scheme_of
from linnet.model.model import Model
from linnet.model.sequence_fitting import chosen_set, learner_of, record_of
from linnet.model.tokens import TokenReader, Tokens
from linnet.scale.losses import FetchedLosses, Point
from linnet.scale.matrix import added
from linnet.scale.origins import Parts
from linnet.scale.pieces import Piece
from linnet.scale.workers import Cluster
from linnet.text.names import Names
from linnet.text.token_extractor import TokenExtractor
from linnet.text.token_vocabulary import TokenVocabulary

if TYPE_CHECKING:
    from linnet.model.sequence_tagger import SequenceTagger

__all__ = ["fit"]

Floats = NDArray[np.float64]
_BEND = 0.4  # as the core's first guess of the curvature of a CRF
_PAIRS = 512  # of labels that a token is looked at with in the time of a value, or of a weight


def fit(tagger: SequenceTagger, cluster: Cluster, parts: Parts) -> None:
    """Fit a tagger in place."""
    began = perf_counter()
    if tagger.constraints != "auto":
        as_scheme(tagger.constraints)
    learner = learner_of(tagger)
    gold = [tags for piece in cluster.fetch(cluster.each(_tags, parts.pieces)) for tags in piece]
    if not any(gold):
        raise DataError("There are no tokens to learn from; at least one is needed.")
    words = cluster.fetch(cluster.total(_united, _words, parts.pieces))
    used: Any = tagger.features
    with restored_on_error(tagger):
        for name in ("features_", "_increment"):
            tagger.__dict__.pop(name, None)
        if reads_words(learner):
            X: Any = []
            extractor = None
            _fit_hmm(learner, cluster, parts, words, gold)
            seconds = {"features": 0.0}
        else:
            used = chosen_set(tagger.features, gold)
            extractor, X = _sentences(tagger, used, cluster, parts, gold)
            seconds = {"features": perf_counter() - began}
            if not isinstance(learner, (CRF, OnlineTagger)):
                raise ParameterError(_refusal(learner))
            learner.fit(X, gold)
        scorer = ChainScorer(chain_of(learner, X), hasattr(learner, "predict_marginals"))
        if extractor is not None:
            extractor, scorer = scorer.lightened(extractor)
        model = Model(
            TokenReader(extractor, Names.of(words)), scorer,
            Decision(np.asarray(learner.classes_), scheme=scheme_of(tagger.constraints, gold)),
            n_threads=tagger.n_threads,
        )  # fmt: skip
        model.record_ = record_of(used, learner, model, Tokens(([],), _offset(gold)))
        seconds["all"] = perf_counter() - began
        tagger.__dict__.update(model_=model, learner_=learner, seconds_=seconds)


def _refusal(learner: Any) -> str:
    return (
        f"{type(learner).__name__} needs all sentences in one place; over parts of them learn HMM, "
        "CRF, StructuredPerceptron and StructuredMIRA."
    )


def _offset(gold: list[list[str]]) -> NDArray[np.int64]:
    return offsets([len(tags) for tags in gold])


def _tags(piece: Piece) -> list[list[str]]:
    return piece.y


def _words(piece: Piece) -> list[str]:
    return sorted(set(piece.X.strings(0)))


def _united(parts: list[list[str]]) -> list[str]:
    return sorted(set().union(*parts))


def _fit_hmm(
    learner: Any, cluster: Cluster, parts: Parts, words: list[str], gold: list[list[str]]
) -> None:
    """Fit a learner that reads words: an HMM, by its counts."""
    if not isinstance(learner, HMM):
        raise ParameterError(_refusal(learner))
    learner._check_task(gold)
    learner.classes_, _ = number_labels(gold, _offset(gold), learner.classes)
    vocabulary = {word: number for number, word in enumerate(words)}
    triples = learner._counts_triples(len(learner.classes_))
    known = cluster.held((learner.classes_.tolist(), vocabulary, triples))
    counts, in_threes = cluster.fetch(cluster.total(_added, _counts, parts.pieces, known))
    learner._estimate(vocabulary, counts, in_threes)


def _counts(piece: Piece, known: Any) -> tuple[Counts, Floats | None]:
    classes, vocabulary, triples = known
    number = {label: k for k, label in enumerate(classes)}
    gold = np.array([number[tag] for tags in piece.y for tag in tags], np.int32)
    words, sentence = number_words(piece.X.strings(0), vocabulary), piece.X.offset
    weight, sizes = np.ones(len(sentence) - 1), (len(classes), len(vocabulary))
    counts = count_gold(words, gold, sentence, weight, sizes)
    return counts, count_triples(gold, sentence, weight, len(classes)) if triples else None


def _added(parts: list[tuple[Counts, Floats | None]]) -> tuple[Counts, Floats | None]:
    cubes = [cube for _, cube in parts if cube is not None]
    return added_counts([counts for counts, _ in parts]), added(cubes) if cubes else None


def _sentences(
    tagger: SequenceTagger, used: Any, cluster: Cluster, parts: Parts, gold: list[list[str]]
) -> tuple[TokenExtractor, DistributedSentences]:
    """Return the features that enough tokens of all parts have, and the sentences with them."""
    settings = {"features": used, "gazetteers": tagger.gazetteers, "n_threads": 1}
    every = cluster.united(_merged, _vocabulary, parts.pieces, settings)
    kept = cluster.one(_kept, 0, every, int(tagger.min_count))
    rows = cluster.each(_ragged, parts.pieces, kept)
    extractor, transitions = cluster.fetch(kept)
    if not transitions:
        raise ParameterError("templates without B, and so without transitions, need all sentences")
    sizes = np.array(cluster.fetch(cluster.each(_sizes, rows)))
    return extractor, DistributedSentences(
        cluster, rows, sizes, extractor.n_features, _offset(gold)
    )


def _vocabulary(pieces: list[Piece], settings: dict[str, Any]) -> TokenVocabulary:
    vocabulary = TokenVocabulary(**settings)
    for piece in pieces:
        vocabulary.add(list(piece.X.columns), piece.X.offset)
    return vocabulary


def _merged(parts: list[TokenVocabulary]) -> TokenVocabulary:
    whole = TokenVocabulary()
    for part in parts:
        whole.merge(part)
    return whole


def _kept(vocabulary: TokenVocabulary, min_count: int) -> tuple[TokenExtractor, bool]:
    return vocabulary.extractor(min_count), vocabulary.transitions


def _ragged(piece: Piece, kept: tuple[TokenExtractor, bool]) -> list[Any]:
    tokens, (extractor, _) = piece.X, kept
    rows = extractor.rows(list(tokens.columns), tokens.offset, 1)
    return [rows.start, rows.index, None, rows.n_features, tokens.offset]


def _sizes(rows: list[Any]) -> tuple[int, int]:
    return len(rows[4]) - 1, len(rows[1])


def _recut(parts: list[list[Any]], places: list[slice]) -> list[Any]:
    """Return some sentences of each of neighbouring parts as those of one part."""
    lengths, sizes, columns = [], [], []
    for (start, index, _, _, sentence), place in zip(parts, places, strict=True):
        edges = sentence[place.start : place.stop + 1]
        rows = start[edges[0] : edges[-1] + 1]
        lengths.append(np.diff(edges))
        sizes.append(np.diff(rows))
        columns.append(index[rows[0] : rows[-1]])
    starts, sentences = (offsets(np.concatenate(each)) for each in (sizes, lengths))
    return [starts, np.concatenate(columns), None, parts[0][3], sentences]


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
        sizes = np.array(cluster.fetch(cluster.each(_sizes, parts)))
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
        return _Chain(self, pairs, n_labels, following, order, triples)

    def mix(self, learner: Any, examples: Any, history: History) -> Any:
        """Fit an online learner by rounds over the parts."""
        from linnet.scale.mixing import mixed

        gold, weights = self.split(examples.gold, tokens=True), examples.weights
        parts = self.cluster.each(
            _problem, self.rows, gold, self.split(weights, tokens=False),
            self.cluster.held(examples.chain.shape),
        )  # fmt: skip
        return mixed(self.cluster, learner, _round, parts, self.n_sentences, history)


class _Chain(ChainElsewhere):
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
        cluster = sentences.cluster
        problems = cluster.each(
            _problem, sentences.rows, sentences.split(gold, tokens=True),
            sentences.split(cost, tokens=False), cluster.held(self.shape),
        )  # fmt: skip
        seen = cluster.fetch(cluster.total(added, _seen, problems))
        _core.minimize_fetched(
            solver="lbfgs", losses=_FetchedChain(cluster, problems), w=w, problems=1, l2=l2, l1=l1,
            held=len(w), has_hessian=False, guess=np.power(1.0 + seen, -_BEND),
            tolerance=tolerance, max_iterations=max_iterations, memory=6, record=record,
            threads=threads,
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


def _problem(
    rows: list[Any], gold: NDArray[np.int32], cost: Floats, shape: tuple[Any, ...]
) -> ChainProblem:
    return ChainProblem(rows, gold, cost, shape)


def _round(
    part: ChainProblem, learner: Any, weights: Floats, number: int, round_number: int
) -> Any:
    from linnet.scale.mixing import round_of

    if not part.ragged.n_sentences:
        return 0.0 * weights, 0.0 * weights, np.zeros(1), np.zeros(1), np.zeros(1)
    examples = Sentences(part.ragged, part.gold, part.cost, part.chain)
    return round_of(learner, examples, weights, number, round_number)


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


def _pairs(rows: list[Any], gold: NDArray[np.int32], n_labels: int) -> NDArray[np.int64]:
    return pair_keys(observed_pairs(Ragged(*rows), gold, n_labels, every=False), n_labels)
