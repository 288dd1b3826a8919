r"""Linear scores that become probabilities as LIBLINEAR and scikit-learn make them.

Where each label has a question of its own, a logistic regression against all others,

.. math:: p(k \mid x) = \frac{\sigma(s_k)}{\sum_{k'} \sigma(s_{k'})}

and not the softmax of the scores. The answer is the label of largest score either way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.model.decision import Decision, Verdict, probabilities
from linnet.model.scorers.flat import LinearScorer

__all__ = ["OneVsRestScorer", "shares"]

Floats = NDArray[np.float64]


@dataclass
class OneVsRestScorer(LinearScorer):
    """Linear scores, each the log odds of its label against all others."""

    name = "one-vs-rest"

    def judge(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> Verdict:
        """Return the answers for examples."""
        verdict = super().judge(reader, X, decision, threads)
        return Verdict(decision, verdict.scores, shares(verdict.scores), verdict.best)

    def proba(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> Floats:
        """Return the probabilities of examples, shape (n, K)."""
        return shares(self.scores(reader, X, threads))


def shares(scores: Floats) -> Floats:
    """Return sigmoids divided by their sum.

    Examples
    --------
    >>> shares(np.array([[0.0, 0.0, np.log(3.0)]])).round(4).tolist()
    [[0.2857, 0.2857, 0.4286]]
    """
    p = probabilities(scores, 1.0, multilabel=True)
    total = p.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(total > 0, p / total, 1.0 / scores.shape[1]))
