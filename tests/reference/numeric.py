"""Central differences, for every gradient of the reference."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def numeric_gradient(
    f: Callable[[FloatArray], float], x: FloatArray, step: float = 1e-6
) -> FloatArray:
    """Gradient of f at x by central differences, shaped like x."""
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        move = np.zeros_like(x)
        move[index] = step
        gradient[index] = (f(x + move) - f(x - move)) / (2 * step)
    return gradient
