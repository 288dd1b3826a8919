"""An HMM by itself over parts: sentences of words."""

from __future__ import annotations

from typing import Any

from linnet.learn.shared.restore import restored_on_error
from linnet.scale.training.origins import Parts
from linnet.scale.training.sentences import fit_hmm, tags_of, words_of
from linnet.scale.workers import Cluster

__all__ = ["fit"]


def fit(learner: Any, cluster: Cluster, parts: Parts) -> None:
    """Fit a learner that reads words in place."""
    gold, words = tags_of(cluster, parts), words_of(cluster, parts)
    with restored_on_error(learner):
        fit_hmm(learner, cluster, parts, words, gold)
