r"""The modified Huber loss (Zhang 2004).

Problem
    A squared hinge punishes a wrong label by the square of its distance; this loss goes on as a
    straight line from the margin -1 on.
Given
    Margins m = y w.x.
Returned
    Its value, 0 for m >= 1, (1 - m)^2 for -1 <= m < 1, -4m below, and its derivative.
"""

from __future__ import annotations

import numpy as np

from linnet.reference.common import FloatArray
from linnet.reference.losses import MarginLoss

__all__ = ["modified_huber"]


def _value(m: FloatArray) -> FloatArray:
    return np.where(m < -1.0, -4.0 * m, np.maximum(0.0, 1.0 - m) ** 2)


def _derivative(m: FloatArray) -> FloatArray:
    return np.where(m < -1.0, -4.0, -2.0 * np.maximum(0.0, 1.0 - m))


modified_huber = MarginLoss(_value, _derivative)
