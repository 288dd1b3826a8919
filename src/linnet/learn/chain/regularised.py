r"""The chain as the structure of regularised learning, shared by CRF and MEMM.

.. math:: \min_w\ \tfrac12 \lVert w \rVert^2 + C \sum_i -\ln p(y_i \mid x_i)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import ParameterError
from linnet.learn.chain.elsewhere import ChainElsewhere
from linnet.learn.chain.scores import Floats
from linnet.learn.chain.tagger import ProbabilisticChain, require_finite
from linnet.learn.chain.weights import PairTable
from linnet.learn.shared.checks import check_choice
from linnet.learn.shared.history import History
from linnet.learn.shared.parameters import parameters
from linnet.learn.shared.regularised import ElasticNet
from linnet.learn.shared.solvers import GradientDescent, solver_name

__all__ = ["PenalisedChain"]

_DEAR = 20  # scores of tokens a weight: from here on a pass costs far more than a vector of weights


@dataclass(frozen=True)
class Learnt:
    """What an earlier fit learnt: where a warm start begins."""

    classes: NDArray[Any]
    pairs: PairTable
    pair_weight: Floats
    transition: Floats
    start: Floats
    stop: Floats
    triple: Floats | None = None

    def has(self, classes: NDArray[Any], pairs: PairTable) -> bool:
        """Tell whether these classes and (feature, label) pairs had weights, and no others."""
        return (
            np.array_equal(self.classes, classes)
            and np.array_equal(self.pairs.start, pairs.start)
            and np.array_equal(self.pairs.label, pairs.label)
        )


@parameters
class PenalisedChain(ElasticNet, ProbabilisticChain):
    """A chain with probabilities, fitted to be likely under a penalty.

    Parameters
    ----------
    pairs : {"observed", "all"}, default="observed"
        Which (feature, label) pairs have a weight: those that occur together in the training
        data, as in CRFsuite, or all.
    classes : list of labels, optional
        The labels in the order in which ``classes_`` and all tables have them; sorted by default.
    solver : {"auto", "lbfgs", "gradient_descent"}, default="auto"
        "auto" is "lbfgs"; with an l1 penalty it works orthant by orthant.
    tol : float, default=1e-3
        Stop when the objective is certified to be within this share of its optimum.
    max_iter : int, default=500

    Attributes
    ----------
    transition_, start_, stop_, pair_start_, pair_label_, pair_weight_
        See :class:`linnet.learn.chain.tagger.ChainClassifier`.
    """

    solvers: ClassVar[tuple[str, ...]] = ("auto", "lbfgs", "gradient_descent")

    pairs: str = "observed"
    classes: Any = None
    tol: float = 1e-3
    max_iter: int = 500

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("pairs", self.pairs, ("observed", "all"))
        if isinstance(self.solver, GradientDescent) and self.solver != GradientDescent():
            raise ParameterError("The gradient descent of a chain has no settings.")
        if self.penalty != "l2" and self.solver not in ("auto", "lbfgs"):
            raise ParameterError(f"penalty={self.penalty!r} needs solver='lbfgs'.")

    def _learnt(self) -> Learnt | None:
        """Return what the last fit learnt, if the next one is to begin there."""
        if not self.warm_start or not hasattr(self, "transition_"):
            return None
        return Learnt(
            self.classes_, PairTable(self.pair_start_, self.pair_label_), self.pair_weight_,
            self.transition_, self.start_, self.stop_, getattr(self, "triple_", None),
        )  # fmt: skip

    def _solve(
        self, chain: _core.Chain, gold: NDArray[np.int32], cost: Floats, w: Floats,
        history: History, frozen: NDArray[np.uint8] | None = None,
    ) -> bool:  # fmt: skip
        """Change `w` to the best weights; the frozen ones stay. Return whether that converged."""
        l1, l2 = self._penalties()
        history.follow(w)
        solver = "lbfgs" if self.solver == "auto" else solver_name(self.solver)
        if isinstance(chain, ChainElsewhere):
            self._fetch(chain, solver, gold, cost, w, history)
            return self._optimality(history) <= self.tol
        dear = len(gold) * len(self.classes_) > _DEAR * len(w)
        memory, tangents = (12, 6) if dear else (6, 1)  # vectors that spare passes
        _core.crf_minimize(
            solver=solver, chain=chain, gold=gold,
            cost=np.ascontiguousarray(cost), frozen=frozen, l2=l2, l1=l1, w=w,
            tolerance=float(self.tol), max_iterations=int(self.max_iter), memory=memory,
            tangents=tangents, visible=history.is_watched,
            record=history.record, threads=self._threads(),
        )  # fmt: skip
        require_finite(w)
        return self._optimality(history) <= self.tol

    def _fetch(
        self, chain: ChainElsewhere, solver: str, gold: NDArray[np.int32], cost: Floats, w: Floats,
        history: History,
    ) -> None:  # fmt: skip
        """Change `w` to the best weights for sentences that are elsewhere."""
        if solver != "lbfgs":
            raise ParameterError(
                f"solver={solver!r} needs all sentences in one place; use 'lbfgs'."
            )
        l1, l2 = self._penalties()
        chain.minimize(
            gold, cost, w, l1=l1, l2=l2, tolerance=float(self.tol),
            max_iterations=int(self.max_iter), record=history.record, threads=self._threads(),
        )  # fmt: skip
        require_finite(w)
