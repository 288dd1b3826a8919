"""Sums of losses over parts, and the weights that minimise them with a penalty.

The solvers are those of the core (L-BFGS, Newton's method). Where they ask for a value, a gradient
or a product with the Hessian, each part computes its share where it lies; the shares are added up
in the order of the parts and only the sum travels to the solver. So the optimum comes with the
certificate that it has on one machine.
"""

from __future__ import annotations

from threading import Lock
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.flat.regularised_risk import Task
from linnet.learn.shared.inputs import checked_features
from linnet.scale.workers import Cluster

__all__ = ["FetchedLosses", "Point", "RowProblem", "minimise"]

Floats = NDArray[np.float64]


class Point(NamedTuple):
    """Weights, and a name by which a worker knows that it has been there."""

    name: str
    weights: Floats


class RowProblem:
    """The losses of the rows of a part.

    What an evaluation leaves behind serves the products with the Hessian at the same point. It is
    a memory and no state: at another point it is computed anew, so that the answers are the same
    whoever is asked, and however often.
    """

    def __init__(
        self, rows: sp.csr_matrix, gold: NDArray[np.int32], cost: Floats, n_classes: int,
        loss: str, form: str, bias: float,
    ) -> None:  # fmt: skip
        self._given = (rows, gold, cost, n_classes, loss, form, bias)
        self.columns = 1 if n_classes == 2 else n_classes
        self.problems = self.columns if form == "columns" else 1
        self._losses: Any = None
        if rows.shape[0]:
            features = checked_features(rows)
            self._losses = _core.RowLosses(features.matrix, gold, cost, n_classes, loss, form, bias)
        self._at = ""
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return RowProblem, self._given

    def __sizeof__(self) -> int:
        rows = self._given[0]
        return int(2 * (rows.data.nbytes + rows.indices.nbytes) + rows.indptr.nbytes)

    def evaluate(self, point: Point) -> tuple[Floats, Floats]:
        """Return the losses of each problem, and their gradient."""
        parts, gradient = np.zeros(self.problems), np.zeros_like(point.weights)
        if self._losses is not None:
            with self._lock:
                self._losses.evaluate(*self._tables(point.weights, gradient), parts)
                self._at = point.name
        return parts, gradient

    def value(self, point: Point) -> Floats:
        """Return the losses of each problem."""
        parts = np.zeros(self.problems)
        if self._losses is not None:
            with self._lock:
                self._losses.value(*self._tables(point.weights), parts)
        return parts

    def hessian_times(self, point: Point, direction: Floats) -> Floats:
        """Return the product of the Hessian at a point with a vector."""
        out = np.zeros_like(direction)
        if self._losses is not None:
            with self._lock:
                self._go(point)
                self._losses.hessian_times(*self._tables(direction, out))
        return out

    def hessian_diagonal(self, point: Point) -> Floats:
        """Return the diagonal of the Hessian at a point."""
        out = np.zeros_like(point.weights)
        if self._losses is not None:
            with self._lock:
                self._go(point)
                self._losses.hessian_diagonal(*self._tables(out))
        return out

    def conjugate_sum(self, point: Point, shrink: float) -> Floats:
        """Return the sum of the conjugates of the losses at a point."""
        if self._losses is None:
            return np.zeros(1)
        with self._lock:
            self._go(point)
            return np.array([self._losses.conjugate_sum(shrink)])

    def _go(self, point: Point) -> None:
        """Be at a point."""
        if self._at != point.name:
            gradient, parts = np.empty_like(point.weights), np.empty(self.problems)
            self._losses.evaluate(*self._tables(point.weights, gradient), parts)
            self._at = point.name

    def _tables(self, *vectors: Floats) -> list[Floats]:
        return [vector.reshape(-1, self.columns) for vector in vectors]


class FetchedLosses:
    """The sum of the losses of all parts, as a solver of the core asks for it.

    Parameters
    ----------
    cluster : Cluster
    problems : list of futures
        Of objects with the methods of :class:`RowProblem`.
    """

    def __init__(self, cluster: Cluster, problems: list[Any]) -> None:
        self._cluster, self._problems = cluster, problems
        self._point: Any = None  # the future of where the Hessian is asked for

    def evaluate(self, w: Floats, gradient: Floats, parts: Floats) -> None:
        """Fill in the losses and their gradient."""
        self._point = self._held(w)
        parts[:], gradient[:] = self._total(_evaluate, self._point)

    def value(self, w: Floats, parts: Floats) -> None:
        """Fill in the losses."""
        parts[:] = self._total(_value, self._held(w))

    def hessian_times(self, v: Floats, out: Floats) -> None:
        """Fill in the product of the Hessian with a vector."""
        out[:] = self._total(_hessian_times, self._point, self._cluster.held(v.copy()))

    def hessian_diagonal(self, out: Floats) -> None:
        """Fill in the diagonal of the Hessian."""
        out[:] = self._total(_hessian_diagonal, self._point)

    def conjugate_sum(self, shrink: float) -> float:
        """Return the sum of the conjugates."""
        return float(self._total(_conjugate_sum, self._point, shrink)[0])

    def _held(self, w: Floats) -> Any:
        return self._cluster.held(Point(uuid4().hex, w.copy()))

    def _total(self, function: Any, *arguments: Any) -> Any:
        from linnet.scale.sums import added

        cluster = self._cluster
        return cluster.fetch(cluster.total(added, function, self._problems, *arguments))


def minimise(
    cluster: Cluster, problems: list[Any], task: Task, solver: str, weights: Floats, *, tol: float,
    max_iter: int, threads: int, record: Any,
) -> None:  # fmt: skip
    """Change weights[(J + 1), columns] to those that minimise a task.

    Parameters
    ----------
    problems : list of futures of RowProblem
    """
    rows, columns = weights.shape
    free = 1 if task.bias and not task.penalize_bias else 0
    _core.minimize_fetched(
        solver=solver, losses=FetchedLosses(cluster, problems), w=weights.reshape(-1),
        problems=columns if task.is_binary else 1, l2=task.l2, l1=task.l1,
        held=(rows - free) * columns, has_hessian=True, guess=None, tolerance=tol,
        max_iterations=max_iter, memory=10, record=record, threads=threads,
    )  # fmt: skip


def _evaluate(problem: Any, point: Point) -> tuple[Floats, Floats]:
    result: tuple[Floats, Floats] = problem.evaluate(point)
    return result


def _value(problem: Any, point: Point) -> Floats:
    result: Floats = problem.value(point)
    return result


def _hessian_times(problem: Any, point: Point, direction: Floats) -> Floats:
    result: Floats = problem.hessian_times(point, direction)
    return result


def _hessian_diagonal(problem: Any, point: Point) -> Floats:
    result: Floats = problem.hessian_diagonal(point)
    return result


def _conjugate_sum(problem: Any, point: Point, shrink: float) -> Floats:
    result: Floats = problem.conjugate_sum(point, shrink)
    return result
