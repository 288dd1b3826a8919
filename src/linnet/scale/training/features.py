"""Taggers' learners by themselves over parts: sentences of features, numbered over all parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet.data.columns import offsets
from linnet.errors import ParameterError
from linnet.learn.chain.online import OnlineTagger
from linnet.learn.chain.sentences import checked, read_sentences
from linnet.learn.crf import CRF
from linnet.learn.shared.restore import restored_on_error
from linnet.scale.training.distributed_sentences import DistributedSentences, sizes_of
from linnet.scale.training.origins import Parts
from linnet.scale.training.pieces import Piece
from linnet.scale.training.sentences import refusal, tags_of, united
from linnet.scale.workers import Cluster

__all__ = ["fit"]


def fit(learner: Any, cluster: Cluster, parts: Parts) -> None:
    """Fit a learner of sentences in place."""
    if not isinstance(learner, (CRF, OnlineTagger)):
        raise ParameterError(refusal(learner))
    gold = tags_of(cluster, parts)
    names = cluster.fetch(cluster.total(united, _names, parts.pieces))
    vocabulary = {name: number for number, name in enumerate(names)}
    rows = cluster.each(_ragged, parts.pieces, cluster.held(vocabulary))
    sizes = np.array(cluster.fetch(cluster.each(sizes_of, rows)))
    sentence = offsets([len(tags) for tags in gold])
    X: Any = DistributedSentences(cluster, rows, sizes, len(vocabulary), sentence)
    with restored_on_error(learner):
        learner.fit(X, gold)
        learner.vocabulary_ = vocabulary


def _names(piece: Piece) -> list[str]:
    return list(read_sentences(piece.X, None)[1])


def _ragged(piece: Piece, vocabulary: dict[str, int]) -> list[Any]:
    return list(checked(read_sentences(piece.X, vocabulary)[0]))
