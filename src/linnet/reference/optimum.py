"""What every batch optimiser takes and gives: a function with its gradient, and a result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linnet.reference.common import FloatArray

__all__ = ["Function", "Optimum", "dot", "largest"]

Function = Callable[[FloatArray], tuple[float, FloatArray]]
"""Maps an array of any shape to a value and a gradient of the same shape."""


@dataclass(frozen=True)
class Optimum:
    """Where an optimiser ended.

    Attributes
    ----------
    x : the point.
    values : the function at the start and after each iteration.
    gradient : the gradient at x; for L1 the pseudo-gradient.
    converged : whether its largest entry met the tolerance.
    """

    x: FloatArray
    values: tuple[float, ...]
    gradient: FloatArray
    converged: bool

    @property
    def value(self) -> float:
        """Function at x."""
        return self.values[-1]

    @property
    def n_iter(self) -> int:
        """Number of iterations."""
        return len(self.values) - 1


def dot(a: FloatArray, b: FloatArray) -> float:
    """Inner product of two arrays of the same shape.

    Examples
    --------
    >>> dot(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    11.0
    """
    return float(np.vdot(a, b))


def largest(gradient: FloatArray) -> float:
    """Largest absolute entry, the norm that stopping rules use.

    Examples
    --------
    >>> largest(np.array([1.0, -3.0]))
    3.0
    """
    return float(np.abs(gradient).max(initial=0.0))
