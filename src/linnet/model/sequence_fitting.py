"""How a SequenceTagger is fitted: features, the learner, its weights as a model."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linnet.data.tags import are_chunk_tags
from linnet.errors import DataError, ParameterError
from linnet.estimator import clone
from linnet.learn.linear_chain import LinearChain
from linnet.learn.sentences import Ragged
from linnet.model.chain_scorer import ChainScorer
from linnet.model.decision import Decision
from linnet.model.learner_chain import LearnerChain, reads_words
from linnet.model.legal import scheme_of
from linnet.model.model import Model
from linnet.model.tokens import TokenReader, Tokens
from linnet.text.names import Names
from linnet.text.token_features import TokenFeatures

if TYPE_CHECKING:
    from linnet.model.sequence_tagger import SequenceTagger

__all__ = ["Rows", "fitted", "learned", "learner_of", "reads_words", "rows_of", "words_of"]

_MOST_VALUES = 256  # a column with more is no column of tags
_ISLANDS = 0.6  # share of O above which chunks are entities


def fitted(
    tagger: SequenceTagger,
    tokens: Tokens,
    gold: list[list[str]],
    sample_weight: Any,
    lines: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Fit and return the attributes of the estimator; `lines` say where sentences start."""
    if not tokens.n_tokens:
        raise DataError("There are no tokens to learn from; at least one is needed.")
    began = perf_counter()
    learner = learner_of(tagger)
    data = words_of(tokens) if reads_words(learner) else rows_of(tagger, tokens, gold)
    seconds = {"features": perf_counter() - began}
    model = learned(tagger, learner, tokens, gold, data, sample_weight, lines)
    if data.features is not None:
        model.column_models = tuple(_column_models(tagger, tokens))
    used = tagger.features if data.features is None else data.features.features
    model.record_ = _record(used, learner, model, tokens)
    seconds["all"] = perf_counter() - began
    attributes = {"learner_": learner, "model_": model, "seconds_": seconds}
    return attributes if data.features is None else {**attributes, "features_": data.features}


class Rows(NamedTuple):
    """What a learner reads of tokens: their features, or the words themselves."""

    X: Any
    features: TokenFeatures | None = None


def words_of(tokens: Tokens) -> Rows:
    """Return the words, for a learner that reads them."""
    return Rows(tokens.words())


def rows_of(tagger: SequenceTagger, tokens: Tokens, gold: list[list[str]]) -> Rows:
    """Return the features of tokens."""
    features = TokenFeatures(
        chosen_set(tagger.features, gold), min_count=tagger.min_count, gazetteers=tagger.gazetteers,
        n_threads=tagger.n_threads,
    )  # fmt: skip
    rows = features.fit_transform(tokens.columns, tokens.offset)
    return Rows(Ragged(rows.start, rows.index, None, rows.n_features, tokens.offset), features)


def chosen_set(features: Any, gold: list[list[str]]) -> Any:
    """Return what to look at: with "auto", the set "ner" for tags of entities.

    Chunks of a syntactic analysis cover most of a text, entities are islands in it. So chunk tags
    of which more than 60 % are O are entities. (Of CoNLL-2000 13 % are O, where "chunking" is
    better, of the slots of SNIPS 50 %, where "pos" and "ner" are level, of German time expressions
    97 %, where "ner" is better.)

    Examples
    --------
    >>> chosen_set("auto", [["O", "O", "B-PER", "O"]]), chosen_set("auto", [["B-NP", "B-VP", "O"]])
    ('ner', 'auto')
    """
    if not isinstance(features, str) or features != "auto":
        return features
    counts = Counter(itertools.chain.from_iterable(gold))
    outside = counts["O"] / max(1, counts.total())
    return "ner" if outside > _ISLANDS and are_chunk_tags(counts) else features


def learned(
    tagger: SequenceTagger,
    learner: Any,
    tokens: Tokens,
    gold: list[list[str]],
    data: Rows,
    sample_weight: Any = None,
    lines: Sequence[int] | None = None,
) -> Model:
    """Fit the learner on tokens that are read and return the model."""
    features = data.features
    transitions = True if features is None else features.transitions_
    chain = _fit(learner, data.X, gold, sample_weight, transitions)
    extractor = None if features is None else features.extractor_
    if isinstance(chain, LinearChain) and extractor is not None:
        weighty = chain.weighty()
        if len(weighty) < chain.n_features:  # what weighs nothing need not be looked for
            chain, extractor = chain.take(weighty), extractor.take(weighty)
    return Model(
        TokenReader(extractor, Names.of(sorted(set(tokens.strings(0))))),
        ChainScorer(chain, hasattr(learner, "predict_marginals")),
        Decision(np.asarray(learner.classes_), scheme=scheme_of(tagger.constraints, gold, lines)),
        n_threads=tagger.n_threads,
    )


def learner_of(tagger: SequenceTagger) -> Any:
    """Return an unfitted learner that uses as many threads as the tagger."""
    if tagger.learner is None:
        from linnet.learn.crf import CRF

        learner: Any = CRF()
    else:
        learner = clone(tagger.learner)
    if tagger.n_threads is not None and getattr(learner, "n_threads", 0) is None:
        learner.set_params(n_threads=tagger.n_threads)
    return learner


def _fit(
    learner: Any, X: Any, gold: list[list[str]], sample_weight: Any, transitions: bool
) -> LinearChain | LearnerChain:
    options = {} if sample_weight is None else {"sample_weight": sample_weight}
    if not transitions:
        return _fit_without_transitions(learner, X, gold, sample_weight)
    learner.fit(X, gold, **options)
    if hasattr(learner, "pair_weight_") and not hasattr(learner, "_tables"):
        return LinearChain.of(learner)
    local = _local_chain(learner, X)
    if local is not None:
        return local
    width = len(learner.vocabulary_) if isinstance(X, list) else X.n_features
    return LearnerChain(learner, tuple(learner.classes_.tolist()), width)


def _fit_without_transitions(
    learner: Any, X: Ragged, gold: list[list[str]], sample_weight: Any
) -> LinearChain:
    """Fit each token as a sentence of its own; what starts and stops weigh is a bias."""
    lengths = np.diff(X.sentence)
    alone = X._replace(sentence=np.arange(len(X.start), dtype=np.int64))
    options = {}
    if sample_weight is not None:
        options["sample_weight"] = np.repeat(np.asarray(sample_weight, np.float64), lengths)
    learner.fit(alone, [[tag] for tags in gold for tag in tags], **options)
    if not hasattr(learner, "pair_weight_") or hasattr(learner, "_tables"):
        raise ParameterError(
            f"{type(learner).__name__} always has transitions; add a line B to the template."
        )
    bias = learner.start_ + learner.stop_
    learner.start_, learner.stop_ = bias, np.zeros_like(bias)
    learner.transition_ = np.tile(bias, (len(bias), 1))
    return LinearChain.of(learner)


def _local_chain(learner: Any, X: Any) -> LinearChain | None:
    """Return a flat linear classifier of tokens as a chain: its intercepts are the transitions."""
    flat = getattr(learner, "learner_", None)
    if flat is None or getattr(learner, "history", None) != 0 or not learner._is_linear():
        return None
    weights, bias = np.asarray(flat.coef_), np.asarray(flat.intercept_)
    if len(weights) == 1:  # of two classes the second one's
        weights, bias = np.vstack([0 * weights, weights]), np.array([0.0, bias[0]])
    L, J = weights.shape
    owner, label = np.nonzero(weights.T)
    start = np.searchsorted(owner, np.arange(J + 1)).astype(np.int64)
    pairs = np.asarray(weights.T[owner, label].astype(np.float32), np.float64)
    between = np.asarray(np.tile(bias, (L, 1)).astype(np.float32), np.float64)
    return LinearChain(
        start, label.astype(np.int32), pairs, between, between[0].copy(), np.zeros(L)
    )


def _column_models(tagger: SequenceTagger, tokens: Tokens) -> list[Model]:
    """Return taggers of the columns after the words; none where a column cannot be learned."""
    if not tagger.supply_columns or len(tokens.columns) == 1:
        return []
    values = [tokens.cut(tokens.strings(c)) for c in range(1, len(tokens.columns))]
    kinds = [{cell for row in rows for cell in row} for rows in values]
    if any(len(kind) > _MOST_VALUES or "" in kind for kind in kinds):
        return []
    from linnet.learn.structured import StructuredPerceptron
    from linnet.model.sequence_tagger import SequenceTagger

    models = []
    for rows in values:
        learner = StructuredPerceptron(max_iter=5, random_state=0, n_threads=tagger.n_threads)
        helper = SequenceTagger(learner, features="pos", constraints=None)
        models.append(
            helper.set_params(n_threads=tagger.n_threads).fit(tokens.first(1), rows).model_
        )
    return models


def _record(used: Any, learner: Any, model: Model, tokens: Tokens) -> dict[str, Any]:
    optimality = float(getattr(learner, "optimality_", np.nan))
    named = isinstance(used, (str, os.PathLike))
    record = {
        "learner": type(learner).__name__,
        "C": getattr(learner, "C", None),
        "features": os.fspath(used) if named else "given",
        "sentences": len(tokens.offset) - 1,
        "tokens": tokens.n_tokens,
        "n_features": model.n_features,
        "iterations": getattr(learner, "n_iter_", None),
        "optimality": optimality if np.isfinite(optimality) else None,
    }
    return {name: value for name, value in record.items() if value is not None}
