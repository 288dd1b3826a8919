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

__all__ = [
    "SGD",
    "AdaGrad",
    "GradientDescent",
    "PegasosSGD",
    "ProbabilitySGD",
    "SolverSettings",
    "solver_name",
    "solver_settings",
    "stochastic",
]


@dataclass(repr=False)
class SolverSettings(Estimator):
    """What a solver can be told beside its name."""

    name: ClassVar[str]

    def check(self) -> None:
        """Refuse settings that cannot work."""


@dataclass(repr=False)
class SGD(SolverSettings):
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
    batch_size : int or None, default=1
        Examples per step; None takes all of them, which is batch (sub)gradient descent.
    truncate : float, default=0.0
        Shrink every weight but the intercept by this much before each step (M-67).
    record_objective : bool, default=True
        Compute the objective after each round, which scores all examples once more. False computes
        it after the last round alone (NaN in ``history_`` before), unless ``tol`` asks for it.

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
    loss: ClassVar[str | None] = None  # the one that is descended, where not the learner's

    schedule: Schedule | float | None = None
    average: bool | str = False
    shuffle: bool = True
    batch_size: int | None = 1
    truncate: float = 0.0
    record_objective: bool = True

    def check(self) -> None:
        """Refuse settings that cannot work."""
        # loaded here, so that a learner that only answers starts without them
        from linnet.learn.shared.online_run import average_kind
        from linnet.learn.shared.schedules import check_schedule

        if self.schedule is not None:
            check_schedule(self.schedule)
        average_kind(self.average)
        if self.batch_size is not None:
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
    schedule, average, shuffle, batch_size, truncate, record_objective
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
class AdaGrad(SolverSettings):
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


@dataclass(repr=False)
class ProbabilitySGD(SGD):
    """Steps along the gradient of P(y | x) itself, not of its logarithm (SPEC M-64, A-23).

    The step of an example is P(y | x) times that of :class:`SGD`: an example that is badly wrong
    hardly counts. What falls is the sum of 1 - P(y | x), which is not convex, so nothing is
    certified. The lecture's rule has the rate 1, the examples in their order and no penalty.

    Parameters
    ----------
    schedule, average, shuffle, batch_size, truncate, record_objective
        As in :class:`SGD`.

    Examples
    --------
    >>> import linnet
    >>> rule = linnet.ProbabilitySGD(schedule=1.0, shuffle=False)
    >>> clf = linnet.MaxEnt(solver=rule, penalty=None, fit_intercept=False, max_iter=1, tol=0.0)
    >>> clf.fit([[1.0, 0.0], [1.0, 1.0]], [1, -1]).coef_.round(4).tolist()
    [[0.0039, -0.2461]]
    """

    name: ClassVar[str] = "probability_sgd"
    loss: ClassVar[str | None] = "probability"


@dataclass(repr=False)
class GradientDescent(SolverSettings):
    """Gradient descent on all examples, by Armijo's line search or by given steps (M-56, M-57).

    Parameters
    ----------
    schedule : Schedule or float, optional
        The steps η_t (:mod:`linnet.schedules`) of w ← (1 - λη_t) w - η_t (mean gradient), with
        λ = 1/(C M) for M examples. None searches each step: η is shrunk until the objective falls
        by ``decrease`` η‖g‖².
    initial_step, decrease, shrink : float, default=1.0, 1e-4 and 0.5
        Of the search: where it starts, Armijo's c₁, and what a step is multiplied by that gains
        too little. Later searches start from the last step divided by ``shrink``.

    Examples
    --------
    >>> import linnet
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> clf = linnet.MaxEnt(solver=linnet.GradientDescent(shrink=0.3)).fit(X, y)
    >>> bool(clf.optimality_ <= 1e-4)
    True
    >>> steps = linnet.GradientDescent(schedule=0.1)
    >>> clf = linnet.MaxEnt(solver=steps, max_iter=20, tol=0.0).fit(X, y)
    >>> clf.history_["step"].tolist() == [0.1] * 20
    True
    """

    name: ClassVar[str] = "gradient_descent"

    schedule: Schedule | float | None = None
    initial_step: float = 1.0
    decrease: float = 1e-4
    shrink: float = 0.5

    def check(self) -> None:
        """Refuse settings that cannot work."""
        check_positive(initial_step=self.initial_step)
        for name in ("decrease", "shrink"):
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and 0.0 < value < 1.0):
                raise ParameterError(f"{name} must lie between 0 and 1, got {shown(value)}.")

    def scheduled(self) -> SGD | None:
        """Return the solver that takes the steps of the schedule, None where they are searched."""
        if self.schedule is None:
            return None
        return SGD(schedule=self.schedule, shuffle=False, batch_size=None)


_BY_NAME: dict[str, type[SolverSettings]] = {
    cls.name: cls for cls in (SGD, PegasosSGD, ProbabilitySGD, GradientDescent)
}


def solver_settings(solver: object) -> SolverSettings | None:
    """Return the settings of a solver that has some, else None.

    Examples
    --------
    >>> solver_settings("gradient_descent"), solver_settings("lbfgs")
    (GradientDescent(), None)
    """
    if isinstance(solver, SolverSettings):
        return solver
    known = _BY_NAME.get(solver) if isinstance(solver, str) else None
    return None if known is None else known()


def stochastic(solver: object) -> SGD | None:
    """Return the settings of a solver that takes the steps of a schedule, else None.

    Examples
    --------
    >>> stochastic("sgd"), stochastic("lbfgs"), stochastic(GradientDescent(schedule=0.1))
    (SGD(), None, SGD(batch_size=None, schedule=0.1, shuffle=False))
    """
    settings = solver_settings(solver)
    if isinstance(settings, GradientDescent):
        return settings.scheduled()
    return settings if isinstance(settings, SGD) else None


def solver_name(solver: Any) -> Any:
    """Return the name of a solver, whether it was given by name or with its settings.

    Examples
    --------
    >>> solver_name(SGD(average=True)), solver_name("newton")
    ('sgd', 'newton')
    """
    return solver.name if isinstance(solver, SolverSettings) else solver
