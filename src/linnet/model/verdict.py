"""What a classifier says about some rows: probabilities, and the answer, which scores decide.

The answer is settled before scores become probabilities: calibration and rounding never change it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.learn.decision import ranking

__all__ = ["Verdict", "check_k"]

Floats = NDArray[np.float64]


def check_k(k: Any) -> int:
    """Return the number of labels asked for, if it is one."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ParameterError(f"k must be a positive integer, got {k!r}.")
    return int(k)


@dataclass(frozen=True)
class Verdict:
    """The answers for n rows.

    Attributes
    ----------
    classes : array of shape (K,)
    scores : array of shape (n, 1) for two classes, else (n, K)
        What the classes are ranked by.
    probability : array of shape (n, K)
    best : array of shape (n,)
        The number of each row's answer, also where the model abstains.
    abstain : float or None
        No answer where the probability of the best label is smaller.
    abstain_label : what stands there instead
    multilabel : bool
        Whether a row's answer is every label whose score is not negative.
    """

    classes: NDArray[Any]
    scores: Floats
    probability: Floats
    best: NDArray[np.intp]
    abstain: float | None = None
    abstain_label: Any = None
    multilabel: bool = False

    @property
    def labels(self) -> NDArray[Any]:
        """The answers, shape (n,); of dtype object where the model abstains or has several."""
        if self.multilabel:
            out = np.empty(len(self.scores), dtype=object)
            classes = self.classes.tolist()
            for row, chosen in enumerate(self.scores >= 0):
                out[row] = [classes[k] for k in np.flatnonzero(chosen)]
            return out
        labels: NDArray[Any] = self.classes[self.best]
        if self.abstain is None:
            return labels
        answers = labels.astype(object)
        answers[self.abstained] = self.abstain_label
        return answers

    @property
    def sure(self) -> Floats:
        """The probability of each row's best label."""
        return self.probability[np.arange(len(self.best)), self.best]

    @property
    def abstained(self) -> NDArray[np.bool_]:
        """Whether a row has no answer."""
        if self.abstain is None or self.multilabel:
            return np.zeros(len(self.best), dtype=bool)
        return self.sure < self.abstain

    def top(self, k: int) -> tuple[NDArray[Any], Floats]:
        """Return the k best labels of each row, the answer first, and their probabilities."""
        best = ranking(self.scores, self.best, check_k(k))
        return self.classes[best], np.take_along_axis(self.probability, best, axis=1)
