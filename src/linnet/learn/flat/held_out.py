"""Early stopping on examples kept aside, with the best weights restored (SPEC M-42, C-20)."""

from __future__ import annotations

import numpy as np

from linnet import _core
from linnet.data.copies import Copies
from linnet.data.splits import split
from linnet.errors import DataError
from linnet.learn.flat.online_run import Examples
from linnet.learn.shared.decision import winners
from linnet.learn.shared.inputs import checked_features
from linnet.learn.shared.online_run import Floats

__all__ = ["HeldOutAccuracy"]


class HeldOutAccuracy:
    """Judges weights by their accuracy on a stratified part of the examples.

    Parameters
    ----------
    examples : Examples
        Those of weight 0 are used neither to learn nor to judge.
    share : float
        The part kept aside.
    patience : int
        Rounds without a better accuracy before :meth:`is_out`.
    rows_each : int
        Rows of the matrix per example: K under a joint map, else 1.

    Attributes
    ----------
    training : array
        The examples left to learn from.
    scores : list of float
        One accuracy for each call of :meth:`judge`.
    best : array
        The weights of the highest accuracy, the earliest on ties.
    """

    def __init__(
        self,
        examples: Examples,
        *,
        share: float,
        patience: int,
        seed: int,
        bias: float,
        rows_each: int = 1,
        threads: int = 1,
    ) -> None:
        used = examples.used
        copies = Copies.of(examples.features.csr[used]) if rows_each == 1 else None
        shares = (1.0 - share, share)
        kept, aside = split(len(used), shares, seed, examples.gold[used], copies)
        if not len(kept) or not len(aside):
            raise DataError(
                f"{len(used)} examples are too few to keep a share of {share} aside; "
                "turn early_stopping off or change validation_fraction."
            )
        self.training, aside = used[kept], used[aside]
        rows = (aside[:, None] * rows_each + np.arange(rows_each)).ravel()
        self._features = checked_features(examples.features.csr[rows], threads)
        self._gold = examples.gold[aside]
        self._patience, self._bias, self._threads = patience, bias, threads
        self.scores: list[float] = []
        self.best: Floats = np.empty(0)

    def judge(self, weights: Floats) -> None:
        """Score weights and keep them if they are the best so far."""
        scores = np.empty((self._features.rows, weights.shape[1]))
        _core.scores(self._features.matrix, weights, self._bias, scores, self._threads)
        accuracy = float(np.mean(winners(scores.reshape(len(self._gold), -1)) == self._gold))
        if accuracy > max(self.scores, default=-1.0):
            self.best = weights
        self.scores.append(accuracy)

    def is_out(self) -> bool:
        """Tell whether the last rounds brought nothing better."""
        return len(self.scores) - 1 - int(np.argmax(self.scores)) >= self._patience
