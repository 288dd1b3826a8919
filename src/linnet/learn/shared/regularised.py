r"""Regularised learning: what MaxEnt, SVM, CRF, MEMM and StructuredSVM share.

.. math:: \min_w\ \text{penalty}(w) + C \sum_i \text{weight}_i\,\ell(w; x_i, y_i)

with the penalty :math:`\tfrac12\lVert w\rVert^2` unless another is asked for. An example is a row
with one label or a sentence with one for each token; the objective, its C, the record of the fit
and the certificate at its end mean the same. Nothing here needs more than NumPy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from linnet.errors import ParameterError
from linnet.learn.shared.checks import (
    check_choice,
    check_positive,
    check_tolerance,
    warn_unless_converged,
)
from linnet.learn.shared.history import Examples, History
from linnet.learn.shared.parameters import parameters
from linnet.learn.shared.restore import restored_on_error
from linnet.learn.shared.solvers import (
    SGD,
    SolverSettings,
    solver_name,
    solver_settings,
    stochastic,
)

if TYPE_CHECKING:
    from linnet.typing import Labels, Sentences, Vectors, Weights

__all__ = ["ElasticNet", "Regularised", "SolverChoice"]


@parameters
class Regularised(ABC):
    """Weights that minimise a penalty plus C times the sum of losses.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the penalty; larger fits the training data closer.
    tol : float
        Stop when the objective is certified to be within this share of its optimum.
    max_iter : int
        Iterations of a batch solver, or rounds over the examples.
    n_threads : int, optional
        None uses all cores. The result does not depend on it.
    verbose : int, default=0

    Attributes
    ----------
    classes_ : array
    history_ : dict of arrays
        One entry for each recorded iteration: ``iteration``, ``objective``, ``gap`` (certified
        bound on objective minus optimum), ``gradient_norm``, ``step``, ``seconds``.
    optimality_ : float
        The last gap as a share of the objective: how far from the optimum the fit may be. It is
        infinite where a solver certifies nothing.
    n_iter_ : int
    """

    C: float = field(default=1.0, kw_only=False)
    tol: float = 1e-4
    max_iter: int = 1000
    n_threads: int | None = None
    verbose: int = 0

    @abstractmethod
    def _minimise(self, X: Any, y: Any, sample_weight: Any, history: History) -> bool:
        """Learn from examples; return False if the solver stopped short of what tol asks for."""

    def _check_parameters(self) -> None:
        self._check_strength()
        check_positive(max_iter=self.max_iter)
        check_tolerance(self.tol, zero=self._may_go_on())
        if int(self.max_iter) != self.max_iter:
            raise ParameterError(f"max_iter must be an integer, got {self.max_iter!r}.")

    def _check_strength(self) -> None:
        check_positive(C=self.C)

    def _may_go_on(self) -> bool:
        """Tell whether tol may be 0: make all iterations."""
        return False

    def fit(
        self,
        X: Vectors | Sentences,
        y: Labels,
        sample_weight: Weights | None = None,
        *,
        accuracy_on: Examples | None = None,
    ) -> Self:
        """Fit the weights.

        Parameters
        ----------
        X : examples
            Rows: an array, sparse matrix, data frame or list of feature dictionaries. Sentences: a
            list of them, or Ragged; a sentence is a list of tokens, a token a dictionary or a list
            of feature names.
        y : array of labels, or a list of labels for each sentence
        sample_weight : array of shape (examples,), optional
            Multiplies the C of an example.
        accuracy_on : mapping from names to pairs (X, y), optional
            After each iteration the accuracy on these examples, of tokens for sentences, goes into
            ``history_`` as ``<name>_accuracy``: ``{"train": (X, y), "held_out": (X2, y2)}``.
        """
        with restored_on_error(self):
            self._check_parameters()
            name = type(self).__name__
            limit, tol = int(self.max_iter), self.tol
            history = History(self.verbose, name, accuracy_on, limit=limit, tol=tol)
            converged = self._minimise(X, y, sample_weight, history)
            self.history_ = history.as_dict()
            self.n_iter_ = max(1, int(history.last("iteration")))
            self.optimality_ = self._optimality(history)
            if not history.stopped:  # who ends a fit knows that it is not at its end
                warn_unless_converged(name, history, self.tol, converged)
            return self

    def _optimality(self, history: History) -> float:
        return history.last("gap") / max(abs(history.last("objective")), 1e-300)


@parameters
class SolverChoice(Regularised):
    """A regularised learner with several penalties and solvers, all to the same optimum.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
    solver : str, or the settings of a solver, default="auto"
    warm_start : bool, default=False
        Start from the weights of the previous fit, if features and labels are the same.
    """

    penalties: ClassVar[tuple[str | None, ...]] = ("l2", "l1")
    solvers: ClassVar[tuple[str, ...]] = ("auto",)

    penalty: str | None = "l2"
    solver: str | SolverSettings = "auto"
    warm_start: bool = False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("penalty", self.penalty, self.penalties)
        check_choice("solver", solver_name(self.solver), self.solvers)
        settings, steps = solver_settings(self.solver), stochastic(self.solver)
        if settings is not None:
            settings.check()
        if steps is not None:
            steps.check()
            self._check_stochastic(steps)

    def _check_stochastic(self, settings: SGD) -> None:
        """Refuse settings of a stochastic solver that this learner has no use for."""
        if self.penalty not in ("l2", None):
            raise ParameterError(
                f"solver={settings.name!r} needs penalty='l2' (and truncate= for sparsity)."
            )

    def _penalties(self) -> tuple[float, float]:
        """Return the weights of |w| and of ½ w² in the penalty of one weight."""
        return (0.0, 0.0) if self.penalty is None else (self._l1_share(), 1.0 - self._l1_share())

    def _l1_share(self) -> float:
        return 1.0 if self.penalty == "l1" else 0.0

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; ``solver__average`` is the average of a solver that has one.

        Examples
        --------
        >>> import linnet
        >>> linnet.MaxEnt().set_params(solver="sgd", solver__average=True)
        MaxEnt(solver=SGD(average=True))
        """
        inner = [name for name in params if name.startswith("solver__")]
        if inner:
            solver = params.get("solver", self.solver)
            settings = solver_settings(solver)
            if settings is None:
                raise ParameterError(f"{inner[0]}: the solver {solver!r} has no settings.")
            params = {"solver": settings, **{k: v for k, v in params.items() if k != "solver"}}
        base: Any = super()
        base.set_params(**params)
        return self


@parameters
class ElasticNet(SolverChoice):
    """A regularised learner whose penalty may be a mixture.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet"}, default="l2"
    l1_ratio : float, default=0.5
        Share of l1 in "elasticnet".
    """

    penalties: ClassVar[tuple[str | None, ...]] = ("l2", "l1", "elasticnet")

    l1_ratio: float = 0.5

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not (isinstance(self.l1_ratio, (int, float, np.number)) and 0 <= self.l1_ratio <= 1):
            raise ParameterError(f"l1_ratio must lie in [0, 1], got {self.l1_ratio!r}.")

    def _l1_share(self) -> float:
        return float(self.l1_ratio) if self.penalty == "elasticnet" else super()._l1_share()
