"""Learning rates as objects (SPEC M-125, C-19).

A schedule answers :meth:`~Schedule.rates`: the rates of the steps that come after a given number
of steps. Schedules are frozen, so estimators that hold one can be cloned and pickled.

==================  =====================  ====================================================
class               rate of step t = 1, …  from
==================  =====================  ====================================================
:class:`Constant`   eta                    the lectures' fixed learning rate
:class:`InverseTime`  1 / (C + t - 1)      "1/(C + t)" with t counted from 0 (A-28)
:class:`Power`      eta0 t^-beta           lecture on MaxEnt; beta > 1 may stop short (A-38)
:class:`Pegasos`    1 / (lam (t + offset))  Pegasos, offset 0
:class:`HeldOut`    a rate for each round  raised while the held-out likelihood rises
==================  =====================  ====================================================
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Protocol, Self, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.learn.shared.checks import LARGEST, check_positive, shown

__all__ = ["Constant", "HeldOut", "InverseTime", "Pegasos", "Power", "Schedule", "check_schedule"]


@runtime_checkable
class Schedule(Protocol):
    """What an online learner asks of a schedule."""

    def rates(self, first: int, n: int) -> NDArray[np.float64]:
        """Return the rates of n steps, when ``first`` steps have been made before."""
        ...


def _steps(first: int, n: int) -> NDArray[np.float64]:
    return np.arange(first + 1, first + n + 1, dtype=np.float64)


@dataclass(frozen=True)
class Constant:
    """The same rate at every step.

    Examples
    --------
    >>> Constant(0.5).rates(0, 2)
    array([0.5, 0.5])
    """

    eta: float = 1.0

    def __post_init__(self) -> None:
        check_positive(eta=self.eta)

    def rates(self, first: int, n: int) -> NDArray[np.float64]:
        """Return the rates of n steps, when ``first`` steps have been made before."""
        return np.full(n, float(self.eta))


@dataclass(frozen=True)
class InverseTime:
    """1/C at the first step, then 1/(C + 1), 1/(C + 2) and so on.

    Examples
    --------
    >>> InverseTime(2.0).rates(0, 3)
    array([0.5       , 0.33333333, 0.25      ])
    """

    C: float = 1.0

    def __post_init__(self) -> None:
        check_positive(C=self.C)

    def rates(self, first: int, n: int) -> NDArray[np.float64]:
        """Return the rates of n steps, when ``first`` steps have been made before."""
        return 1.0 / (self.C - 1.0 + _steps(first, n))


@dataclass(frozen=True)
class Power:
    """eta0 t^-beta from t = 1.

    Above beta = 1 the rates have a finite sum, so the weights may stop short of the optimum; a
    warning says so. Between 0.5 and 1 the usual proofs of convergence hold.

    Examples
    --------
    >>> Power(1.0, beta=0.5).rates(0, 4)
    array([1.        , 0.70710678, 0.57735027, 0.5       ])
    """

    eta0: float = 1.0
    beta: float = 1.0

    def __post_init__(self) -> None:
        check_positive(eta0=self.eta0, beta=self.beta)
        if self.beta > 1.0:
            warnings.warn(
                f"beta={self.beta}: the rates have a finite sum and learning may stop short of the "
                "optimum; use a beta from 0.5 to 1.",
                stacklevel=3,
            )

    def rates(self, first: int, n: int) -> NDArray[np.float64]:
        """Return the rates of n steps, when ``first`` steps have been made before."""
        return self.eta0 * _steps(first, n) ** -self.beta


@dataclass(frozen=True)
class Pegasos:
    """1 / (lam (t + offset)) from t = 1; a positive offset tames the first steps.

    Examples
    --------
    >>> Pegasos(0.5).rates(0, 2)
    array([2., 1.])
    """

    lam: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        check_positive(lam=self.lam)
        if not 0.0 <= self.offset <= LARGEST:
            raise ParameterError(f"offset must be finite and not negative, got {self.offset}.")

    def rates(self, first: int, n: int) -> NDArray[np.float64]:
        """Return the rates of n steps, when ``first`` steps have been made before."""
        return 1.0 / (self.lam * (self.offset + _steps(first, n)))


@dataclass(frozen=True)
class HeldOut:
    """One rate for a whole round, adapted between rounds on held-out data.

    The learner keeps ``share`` of its examples aside and calls :meth:`after_round` with the
    likelihood they have after each round: the rate grows by ``up`` while it rises and shrinks by
    ``down`` when it does not. The examples kept aside come from the training part (A-28).

    Examples
    --------
    >>> rate = HeldOut(1.0, up=2.0).after_round(-3.0).after_round(-2.0)
    >>> rate.eta, rate.after_round(-2.5).eta
    (2.0, 1.0)
    """

    eta: float = 1.0
    up: float = 1.1
    down: float = 0.5
    share: float = 0.1
    best: float | None = None

    def __post_init__(self) -> None:
        check_positive(eta=self.eta, up=self.up, down=self.down, share=self.share)
        if self.up < 1.0 or self.down >= 1.0 or self.share >= 1.0:
            raise ParameterError("HeldOut needs up >= 1, down < 1 and share < 1.")

    def rates(self, first: int, n: int) -> NDArray[np.float64]:
        """Return the rates of n steps; they depend on the rounds alone."""
        return np.full(n, float(self.eta))

    def after_round(self, likelihood: float) -> Self:
        """Return the schedule of the next round, given the held-out likelihood after this one."""
        if self.best is None:
            return replace(self, best=likelihood)
        factor = self.up if likelihood > self.best else self.down
        return replace(self, eta=self.eta * factor, best=likelihood)


def check_schedule(schedule: object) -> Schedule:
    """Return a schedule; a plain number means a constant rate.

    Examples
    --------
    >>> check_schedule(0.1)
    Constant(eta=0.1)
    """
    # what isinstance(schedule, Schedule) asks, at a tenth of its time, for every round asks it
    if callable(getattr(schedule, "rates", None)):
        return cast(Schedule, schedule)
    if isinstance(schedule, (int, float, np.number)) and not isinstance(schedule, bool):
        if not -LARGEST <= schedule <= LARGEST:
            raise ParameterError(f"A rate must be finite, got {shown(schedule)}.")
        return Constant(float(schedule))
    raise ParameterError(
        f"A schedule must be a number or have a method rates(first, n), got {schedule!r}."
    )
