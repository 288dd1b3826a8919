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
from linnet.errors import DataError
from linnet.estimator import clone
from linnet.learn.chain import reads_words
from linnet.learn.chain.sentences import Ragged
from linnet.learn.shared.known import suited_learner
from linnet.learn.shared.watching import stage, tell_ahead
from linnet.model.decision import Decision
from linnet.model.legal import scheme_of
from linnet.model.model import Model
from linnet.model.readers.tokens import TokenReader, Tokens
from linnet.model.scorers.chain import ChainScorer
from linnet.text.names import Names
from linnet.text.token_features import TokenFeatures

if TYPE_CHECKING:
    from linnet.model.sequence_tagger import SequenceTagger

__all__ = [
    "Rows",
    "fitted",
    "learned",
    "learner_of",
    "reads_words",
    "record_of",
    "rows_of",
    "words_of",
]

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
    tell_ahead(type(learner).__name__, f"features of {tokens.n_tokens:,} tokens")
    data = words_of(tokens) if reads_words(learner) else rows_of(tagger, tokens, gold)
    seconds = {"features": perf_counter() - began}
    model = learned(tagger, learner, tokens, gold, data, sample_weight, lines)
    if data.features is not None:
        model.column_models = tuple(_column_models(tagger, tokens))
    used = tagger.features if data.features is None else data.features.features
    model.record_ = record_of(used, learner, model, tokens)
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
    scorer = ChainScorer.fit(learner, data.X, gold, sample_weight, transitions=transitions)
    extractor = None if features is None else features.extractor_
    if extractor is not None:
        extractor, scorer = scorer.lightened(extractor)
    return Model(
        TokenReader(extractor, Names.of(sorted(set(tokens.strings(0))))),
        scorer,
        Decision(np.asarray(learner.classes_), scheme=scheme_of(tagger.constraints, gold, lines)),
        n_threads=tagger.n_threads,
    )


def learner_of(tagger: SequenceTagger) -> Any:
    """Return an unfitted learner that uses as many threads as the tagger."""
    if tagger.learner is None:
        from linnet.learn.crf import CRF

        learner: Any = CRF()
    elif isinstance(tagger.learner, str):
        learner = suited_learner(tagger.learner, "sequences")
    else:
        learner = clone(tagger.learner)
    if tagger.n_threads is not None and getattr(learner, "n_threads", 0) is None:
        learner.set_params(n_threads=tagger.n_threads)
    return learner


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
    for column, rows in enumerate(values, start=2):
        learner = StructuredPerceptron(max_iter=5, random_state=0, n_threads=tagger.n_threads)
        helper = SequenceTagger(learner, features="pos", constraints=None)
        helper.set_params(n_threads=tagger.n_threads)
        with stage(f"supply column {column}, round"):
            models.append(helper.fit(tokens.first(1), rows).model_)
    return models


def record_of(used: Any, learner: Any, model: Model, tokens: Tokens) -> dict[str, Any]:
    """Return the training in numbers, ready for JSON."""
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
