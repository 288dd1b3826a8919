"""What speaks for each label of one token: the tagger's own reasons, or those of its weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.learn.chain.reasons import (
    END,
    ChainReasons,
    Floats,
    Near,
    Parts,
    columns_of,
    triple_parts,
)
from linnet.text.token_extractor import TokenExtractor, TokenRows

if TYPE_CHECKING:
    from linnet.model.model import Model

__all__ = ["chain_reasons"]


def chain_reasons(model: Model, rows: Any) -> ChainReasons:
    """Return the reasons of a tagger for some sentences.

    Raises
    ------
    ParameterError
        If the score of a labelling is no such sum.
    """
    learner: Any = None if model.scorer.is_linear else model.chain.learner
    reasons: ChainReasons | None = None
    if hasattr(learner, "_reasons"):
        reasons = learner._reasons(rows, model.extractor)
    if reasons is not None:
        return reasons
    return _Linear(model.scorer.linear("explanation"), model.extractor, rows)


@dataclass(frozen=True)
class _Linear:
    """A chain of linear scores."""

    chain: Any
    extractor: TokenExtractor
    rows: TokenRows

    def features(self, t: int, before: int) -> Parts:
        columns, names = columns_of(self.rows, t), self.extractor.names
        if self.rows.value is None:
            return [(names[j], self.chain.weights_of(j)) for j in columns]
        values = self.rows.value[self.rows.start[t] : self.rows.start[t + 1]].tolist()
        return [
            (names[j], v * self.chain.weights_of(j)) for j, v in zip(columns, values, strict=True)
        ]

    def left(self, before: int) -> Floats:
        return np.asarray(self.chain.start if before == END else self.chain.transition[before])

    def right(self, t: int, after: int) -> Floats:
        return np.asarray(self.chain.stop if after == END else self.chain.transition[:, after])

    def triples(self, t: int, near: Near) -> list[Floats]:
        return triple_parts(self.chain.triple, near)
