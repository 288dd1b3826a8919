"""Learning-rate schedules (M-125).

Each function returns a schedule: a callable from the step number t = 1, 2, 3, ... to a step size.

    constant(eta)        eta
    reciprocal(c)        1/(c + t - 1)     S2 "How to set the learning rate?", which counts t from 0
    power(eta0, beta)    eta0 t^-beta      S0 Section 1.5.1
    inverse_lambda(lam)  1/(lambda t)      Pegasos

S2 also adapts the rate on held-out data: `adapt` raises it while the held-out likelihood rises and
lowers it otherwise. The held-out data is a development part, never the test part (A-28).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

from linnet.errors import ParameterError

__all__ = ["Schedule", "adapt", "constant", "inverse_lambda", "power", "reciprocal"]

Schedule = Callable[[int], float]


def _positive(name: str, value: float) -> None:
    if not value > 0:
        raise ParameterError(f"{name}={value}: must be positive")


def constant(eta: float) -> Schedule:
    """Keep the rate at eta.

    Examples
    --------
    >>> constant(0.5)(10)
    0.5
    """
    _positive("eta", eta)
    return lambda t: eta


def reciprocal(c: float) -> Schedule:
    """1/c, 1/(c+1), 1/(c+2), ...

    Examples
    --------
    >>> [reciprocal(2.0)(t) for t in (1, 2, 3)]
    [0.5, 0.3333333333333333, 0.25]
    """
    _positive("c", c)
    return lambda t: 1.0 / (c + t - 1)


def power(eta0: float = 1.0, beta: float = 1.0) -> Schedule:
    """eta0 t^-beta; above beta = 1 the steps have a finite sum and may stop short (A-38, F-14).

    Examples
    --------
    >>> power(1.0, 0.5)(4)
    0.5
    """
    _positive("eta0", eta0)
    _positive("beta", beta)
    if beta > 1:
        warnings.warn(f"beta={beta}: steps may stop short; use 0.5 to 1", stacklevel=2)
    return lambda t: eta0 * float(t) ** -beta


def inverse_lambda(lam: float) -> Schedule:
    """1/(lambda t).

    Examples
    --------
    >>> inverse_lambda(0.5)(4)
    0.5
    """
    _positive("lam", lam)
    return lambda t: 1.0 / (lam * t)


def adapt(eta: float, before: float, after: float, *, up: float = 1.1, down: float = 0.5) -> float:
    """Return the new rate, given the held-out likelihood before and after a round.

    Examples
    --------
    >>> adapt(1.0, -3.0, -2.0, up=2.0), adapt(1.0, -2.0, -2.5)
    (2.0, 0.5)
    """
    return eta * (up if after > before else down)
