"""The settings of solvers that have some: they travel with the solver, not with every learner.

``MaxEnt(solver="sgd")`` takes the defaults, ``MaxEnt(solver=SGD(average=True))`` says more. In a
grid of settings, and on the command line, ``solver__average`` is the same. Nothing here needs more
than NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from linnet.errors import ParameterError
from linnet.estimator import Estimator
from linnet.learn.shared.checks import LARGEST, check_positive, shown

if TYPE_CHECKING:
    from linnet.learn.shared.schedules import Schedule

__all__ = ["SGD", "AdaGrad", "PegasosSGD", "solver_name", "stochastic"]


@dataclass(repr=False)
class SGD(Estimator):
    """Stochastic gradient descent: a step for each example, or for a few.

    Parameters
    ----------
    schedule : Schedule or float, optional
        Learning rates (:mod:`linnet.schedules`). None takes 1/(λ(t + t₀)), with t₀ such that the
        first steps do not overshoot.
    average : {False, True, "before", "after", "listing", "mistakes"}, default=False
        The weights to return: False the last ones, True the mean over all steps, the others as in
        :class:`linnet.Perceptron`.
    shuffle : bool, default=True
        A fresh order every round; False keeps the given order.
    batch_size : int, default=1
        Examples per step; the number of examples gives batch subgradient descent.
    truncate : float, default=0.0
        Shrink every weight but the intercept by this much before each step (M-67).

    Notes
    -----
    ``CRF`` finds its rates by trial and takes a step a sentence: of these settings it has only
    ``shuffle`` and ``average``, True or False, the mean from the second round on.

    Examples
    --------
    >>> import linnet
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> clf = linnet.MaxEnt(solver=linnet.SGD(average=True), random_state=0).fit(X, y)
    >>> clf.predict([[0.0], [3.0]]).tolist()
    ['no', 'yes']
    >>> clf.solver
    SGD(average=True)
    """

    name: ClassVar[str] = "sgd"

    schedule: Schedule | float | None = None
    average: bool | str = False
    shuffle: bool = True
    batch_size: int = 1
    truncate: float = 0.0

    def check(self) -> None:
        """Refuse settings that cannot work."""
        # loaded here, so that a learner that only answers starts without them
        from linnet.learn.shared.online_run import average_kind
        from linnet.learn.shared.schedules import check_schedule

        if self.schedule is not None:
            check_schedule(self.schedule)
        average_kind(self.average)
        check_positive(batch_size=self.batch_size)
        if not 0.0 <= self.truncate <= LARGEST:
            raise ParameterError(
                f"truncate must be finite and not negative, got {shown(self.truncate)}."
            )


@dataclass(repr=False)
class PegasosSGD(SGD):
    """Pegasos, for an SVM with the hinge and two classes, or one-vs-rest (SPEC M-76).

    The rates are 1/(λt) unless there is a schedule, and an example on the margin causes no step.

    Parameters
    ----------
    schedule, average, shuffle, batch_size, truncate
        As in :class:`SGD`.
    projection : bool, default=True
        After each step project the weights on the ball that holds the optimum.

    Examples
    --------
    >>> import linnet
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
    >>> linnet.SVM(solver=linnet.PegasosSGD(batch_size=2), random_state=0).fit(X, y).score(X, y)
    1.0
    """

    name: ClassVar[str] = "pegasos"

    projection: bool = True


@dataclass(repr=False)
class AdaGrad(Estimator):
    """AdaGrad, for streams: a rate of its own for each weight, and no penalty.

    A weight moves by ``rate`` at its first step and ever less afterwards, in proportion to the
    root of the squared gradients it has met (Duchi, Hazan and Singer 2011). It is the default of
    MaxEnt and SVM over a stream (:func:`linnet.fit_stream`); in memory they have solvers that find
    the optimum.

    Parameters
    ----------
    rate : float, default=0.3

    Examples
    --------
    >>> import linnet
    >>> linnet.MaxEnt(solver=linnet.AdaGrad(rate=0.5))
    MaxEnt(solver=AdaGrad(rate=0.5))
    """

    name: ClassVar[str] = "adagrad"

    rate: float = 0.3

    def check(self) -> None:
        """Refuse settings that cannot work."""
        check_positive(rate=self.rate)


_BY_NAME: dict[str, type[SGD]] = {cls.name: cls for cls in (SGD, PegasosSGD)}


def stochastic(solver: object) -> SGD | None:
    """Return the settings of a solver that steps from example to example, else None.

    Examples
    --------
    >>> stochastic("sgd"), stochastic("lbfgs")
    (SGD(), None)
    """
    if isinstance(solver, SGD):
        return solver
    known = _BY_NAME.get(solver) if isinstance(solver, str) else None
    return None if known is None else known()


def solver_name(solver: Any) -> Any:
    """Return the name of a solver, whether it was given by name or with its settings.

    Examples
    --------
    >>> solver_name(SGD(average=True)), solver_name("newton")
    ('sgd', 'newton')
    """
    return solver.name if isinstance(solver, SGD | AdaGrad) else solver
