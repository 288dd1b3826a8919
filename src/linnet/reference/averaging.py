"""Averages of an online learner's weights, written literally as means of stored vectors.

Given
    w_0, w_1, ..., w_n: the first vector and the vector after each of n single-example steps;
    for each step, whether it changed the weights.
Returned
    A "before"    (1/n) (w_0 + ... + w_{n-1})      the vectors that made the predictions (M-33)
    B "after"     (1/n) (w_1 + ... + w_n)          the vector after every step (M-34)
    C "listing"   (1/(n+1)) (w_1 + ... + w_n)      what the efficient listing computes (M-35)
    D "mistakes"  mean of w_i over the steps i that made an update (M-36)

So B - A = (w_n - w_0)/n and C = n/(n+1) B. S0 Alg. 2 and 3; S1 Eq. 31-38; S2 Alg. 2; A-12..A-16.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from linnet.errors import ParameterError
from linnet.reference.common import FloatArray

__all__ = ["Average", "mean_weights"]

Average = Literal["before", "after", "listing", "mistakes"] | bool


def mean_weights(
    vectors: Sequence[FloatArray], updated: Sequence[bool], average: Average
) -> FloatArray:
    """Combine the stored vectors w_0..w_n as `average` says; False gives w_n, True is "after".

    Examples
    --------
    >>> w = [np.array([v]) for v in (0.0, 2.0, 2.0, 5.0)]
    >>> [float(mean_weights(w, [True, False, True], a)[0])
    ...  for a in ("before", "after", "listing", "mistakes")]
    [1.3333333333333333, 3.0, 2.25, 3.5]
    """
    n = len(updated)
    if average is False or n == 0:
        return vectors[-1]
    after, divisor = vectors[1:], n
    match average:
        case "before":
            after = vectors[:-1]
        case "after" | True:
            pass
        case "listing":
            divisor = n + 1
        case "mistakes":
            after = [w for w, changed in zip(after, updated, strict=True) if changed]
            divisor = max(1, len(after))
        case _:
            raise ParameterError(
                f"average={average!r}: use False, True, 'before', 'after', 'listing' or 'mistakes'"
            )
    total: FloatArray = np.sum(after, axis=0) if after else np.zeros_like(vectors[0])
    return total / divisor
