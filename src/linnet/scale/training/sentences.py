"""Taggers over parts: words, features and tags of all, then counts or sums of losses.

Counts of an HMM are added up over the parts and so are those of one machine, bit for bit. A CRF is
the optimum of one machine with its certificate: see :mod:`linnet.scale.training.losses`.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import offsets
from linnet.errors import DataError, ParameterError
from linnet.learn.chain import reads_words
from linnet.learn.chain.online import OnlineTagger
from linnet.learn.chain.sentences import number_labels, number_words
from linnet.learn.crf import CRF
from linnet.learn.hmm.counts import Counts, added_counts, count_gold, count_triples
from linnet.learn.hmm.hmm import HMM
from linnet.learn.shared.restore import restored_on_error
from linnet.model.decision import Decision
from linnet.model.fitting.sequences import chosen_set, learner_of, record_of
from linnet.model.legal import as_scheme, scheme_of
from linnet.model.model import Model
from linnet.model.readers.tokens import TokenReader, Tokens
from linnet.model.scorers.chain import ChainScorer, chain_of
from linnet.scale.training.distributed_sentences import DistributedSentences, sizes_of
from linnet.scale.training.origins import Parts
from linnet.scale.training.pieces import Piece
from linnet.scale.training.sums import added
from linnet.scale.workers import Cluster
from linnet.text.names import Names
from linnet.text.token_extractor import TokenExtractor
from linnet.text.token_vocabulary import TokenVocabulary

if TYPE_CHECKING:
    from linnet.model.sequence_tagger import SequenceTagger

__all__ = ["fit", "fit_hmm", "refusal", "tags_of", "united", "words_of"]

Floats = NDArray[np.float64]


def fit(tagger: SequenceTagger, cluster: Cluster, parts: Parts) -> None:
    """Fit a tagger in place."""
    began = perf_counter()
    if tagger.constraints != "auto":
        as_scheme(tagger.constraints)
    learner = learner_of(tagger)
    gold, words = tags_of(cluster, parts), words_of(cluster, parts)
    used: Any = tagger.features
    with restored_on_error(tagger):
        for name in ("features_", "_increment"):
            tagger.__dict__.pop(name, None)
        if reads_words(learner):
            X: Any = []
            extractor = None
            fit_hmm(learner, cluster, parts, words, gold)
            seconds = {"features": 0.0}
        else:
            used = chosen_set(tagger.features, gold)
            extractor, X = _sentences(tagger, used, cluster, parts, gold)
            seconds = {"features": perf_counter() - began}
            if not isinstance(learner, (CRF, OnlineTagger)):
                raise ParameterError(refusal(learner))
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


def tags_of(cluster: Cluster, parts: Parts) -> list[list[Any]]:
    """Return the tags of all sentences."""
    gold = [tags for piece in cluster.fetch(cluster.each(_tags, parts.pieces)) for tags in piece]
    if not any(gold):
        raise DataError("There are no tokens to learn from; at least one is needed.")
    return gold


def words_of(cluster: Cluster, parts: Parts) -> list[str]:
    """Return the words of all sentences, sorted."""
    words: list[str] = cluster.fetch(cluster.total(united, _words, parts.pieces))
    return words


def refusal(learner: Any) -> str:
    """Return why a learner cannot learn over parts."""
    return (
        f"{type(learner).__name__} needs all sentences in one place; over parts of them learn HMM, "
        "CRF, also by solver='sgd', StructuredPerceptron and StructuredMIRA."
    )


def _offset(gold: list[list[str]]) -> NDArray[np.int64]:
    return offsets([len(tags) for tags in gold])


def _tags(piece: Piece) -> list[list[str]]:
    return piece.y


def _words(piece: Piece) -> list[str]:
    return sorted(set(piece.X.strings(0)))


def united(parts: list[list[str]]) -> list[str]:
    """Return the names of all parts, sorted."""
    return sorted(set().union(*parts))


def fit_hmm(
    learner: Any, cluster: Cluster, parts: Parts, words: list[str], gold: list[list[str]]
) -> None:
    """Fit a learner that reads words: an HMM, by its counts."""
    if not isinstance(learner, HMM):
        raise ParameterError(refusal(learner))
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
    sizes = np.array(cluster.fetch(cluster.each(sizes_of, rows)))
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
