"""Stopping on held-out data (M-42, C-20).

Given
    the weights after each round, and a score on held-out data (larger is better).
Returned
    the round to keep: the first of the best, looking no further once `patience` rounds in a row
    have brought nothing better.

The other two rules of M-42, a fixed number of rounds and a round without update, are arguments of
the learners. S2 "Bias Variance trade-off".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from linnet.errors import DataError
from linnet.reference.common import FloatArray

__all__ = ["best_round"]


def best_round(
    rounds: Iterable[FloatArray], score: Callable[[FloatArray], float], patience: int | None = None
) -> tuple[int, FloatArray]:
    """Index (from 0) and weights of the round to keep; `patience=None` looks at all of them.

    Examples
    --------
    >>> import numpy as np
    >>> after = [np.array([v]) for v in (1.0, 3.0, 2.0, 2.5, 9.0)]
    >>> best_round(after, lambda w: float(w[0]), patience=2)
    (1, array([3.]))
    """
    best: tuple[int, FloatArray] | None = None
    record = float("-inf")
    for index, weights in enumerate(rounds):
        value = score(weights)
        if best is None or value > record:
            best, record = (index, weights), value
        elif patience is not None and index - best[0] >= patience:
            break
    if best is None:
        raise DataError("there are no rounds to choose from")
    return best
