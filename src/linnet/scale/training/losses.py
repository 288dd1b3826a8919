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
from linnet.scale.training.sums import FewRows, added, dense
from linnet.scale.workers import Cluster

__all__ = ["FetchedLosses", "Point", "RowProblem", "minimise"]

Floats = NDArray[np.float64]
Sum = NDArray[np.float64] | FewRows

_FEW = 0.5  # share of all features up to which those of a part are looked at alone


class Point(NamedTuple):
    """Weights, and a name by which a worker knows that it has been there."""

    name: str
    weights: Floats


class Direction(NamedTuple):
    """A vector as a table: the columns of problems that still move, or all of them (None)."""

    table: Floats
    columns: NDArray[np.intp] | None

    @classmethod
    def of(cls, v: Floats, columns: int) -> Direction:
        """Return a vector without the columns that are 0; it is a copy."""
        table = v.reshape(-1, columns)
        active = np.flatnonzero(table.any(axis=0))
        if len(active) == columns:
            return cls(table.copy(), None)
        return cls(table[:, active], active)


class RowProblem:
    """The losses of the rows of a part.

    What an evaluation leaves behind serves the products with the Hessian at the same point. It is
    a memory and no state: at another point it is computed anew, so that the answers are the same
    whoever is asked, and however often. Where the rows have few of all features, only the weights
    of these are looked at.
    """

    def __init__(
        self, rows: sp.csr_matrix, gold: NDArray[np.int32], cost: Floats, n_classes: int,
        loss: str, form: str, bias: float,
    ) -> None:  # fmt: skip
        self._given = (rows, gold, cost, n_classes, loss, form, bias)
        self.columns = 1 if n_classes == 2 else n_classes
        self.problems = self.columns if form == "columns" else 1
        self._losses: Any = None
        self._ids: NDArray[np.int64] | None = None  # of the weights' rows, if not all
        self._rows = rows.shape[1] + bool(bias)
        if rows.shape[0]:
            narrow, used = _narrowed(rows)
            if used is not None:
                self._ids = np.append(used, rows.shape[1]) if bias else used
            features = checked_features(narrow)
            self._losses = _core.RowLosses(features.matrix, gold, cost, n_classes, loss, form, bias)
        self._at = ""
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return RowProblem, self._given

    def __sizeof__(self) -> int:
        rows = self._given[0]
        return int(2 * (rows.data.nbytes + rows.indices.nbytes) + rows.indptr.nbytes)

    def evaluate(self, point: Point) -> tuple[Floats, Sum]:
        """Return the losses of each problem, and their gradient."""
        parts = np.zeros(self.problems)
        if self._losses is None:
            return parts, self._nothing()
        with self._lock:
            return parts, self._given_back(self._go(point, parts))

    def value(self, point: Point) -> Floats:
        """Return the losses of each problem."""
        parts = np.zeros(self.problems)
        if self._losses is not None:
            with self._lock:
                self._losses.value(self._mine(point.weights), parts)
        return parts

    def hessian_times(self, point: Point, direction: Direction) -> Sum:
        """Return the product of the Hessian at a point with a vector."""
        active = direction.columns
        if self._losses is None:
            return self._nothing(direction.table.shape[1])
        mine = few = direction.table if self._ids is None else direction.table[self._ids]
        if active is not None:
            mine = np.zeros((len(few), self.columns))
            mine[:, active] = few
        out = np.zeros_like(mine)
        with self._lock:
            self._be_at(point)
            self._losses.hessian_times(mine, out)
        return self._given_back(out if active is None else np.ascontiguousarray(out[:, active]))

    def hessian_diagonal(self, point: Point) -> Sum:
        """Return the diagonal of the Hessian at a point."""
        if self._losses is None:
            return self._nothing()
        out = np.zeros((self._rows if self._ids is None else len(self._ids), self.columns))
        with self._lock:
            self._be_at(point)
            self._losses.hessian_diagonal(out)
        return self._given_back(out)

    def conjugate_sum(self, point: Point, shrink: float) -> Floats:
        """Return the sum of the conjugates of the losses at a point."""
        if self._losses is None:
            return np.zeros(1)
        with self._lock:
            self._be_at(point)
            return np.array([self._losses.conjugate_sum(shrink)])

    def _be_at(self, point: Point) -> None:
        if self._at != point.name:
            self._go(point, np.empty(self.problems))

    def _go(self, point: Point, parts: Floats) -> Floats:
        """Evaluate a point; return the gradient."""
        mine = self._mine(point.weights)
        gradient = np.zeros_like(mine)
        self._losses.evaluate(mine, gradient, parts)
        self._at = point.name
        return gradient

    def _mine(self, vector: Floats) -> Floats:
        """Return the rows of a vector, as a table, that belong to features of this part."""
        table = vector.reshape(-1, self.columns)
        return table if self._ids is None else table[self._ids]

    def _given_back(self, table: Floats) -> Sum:
        """Return what belongs to features of this part as what it is among all of them."""
        if self._ids is None:
            return table.reshape(-1)
        return FewRows(self._ids, table, self._rows)

    def _nothing(self, columns: int | None = None) -> FewRows:
        return FewRows(np.zeros(0, np.int64), np.zeros((0, columns or self.columns)), self._rows)


def _narrowed(rows: sp.csr_matrix) -> tuple[sp.csr_matrix, NDArray[np.int64] | None]:
    """Return rows with the columns that occur alone, and which; all, if that is not worth it."""
    has = np.zeros(rows.shape[1], bool)
    has[rows.indices] = True
    used = np.flatnonzero(has)
    if not 0 < len(used) < _FEW * len(has):
        return rows, None
    place = (np.cumsum(has) - 1).astype(np.int32)
    shape = (rows.shape[0], len(used))
    return sp.csr_matrix((rows.data, place[rows.indices], rows.indptr), shape), used


class FetchedLosses:
    """The sum of the losses of all parts, as a solver of the core asks for it.

    Parameters
    ----------
    cluster : Cluster
    problems : list of futures
        Of objects with the methods of :class:`RowProblem`.
    columns : int
        Of the weights, a problem each.
    """

    def __init__(self, cluster: Cluster, problems: list[Any], columns: int = 1) -> None:
        self._cluster, self._problems, self._columns = cluster, problems, columns
        self._point: Any = None  # the future of where the Hessian is asked for

    def evaluate(self, w: Floats, gradient: Floats, parts: Floats) -> None:
        """Fill in the losses and their gradient."""
        self._point = self._held(w)
        losses, total = self._total(_evaluate, self._point)
        parts[:], gradient[:] = losses, dense(total)

    def value(self, w: Floats, parts: Floats) -> None:
        """Fill in the losses."""
        parts[:] = self._total(_value, self._held(w))

    def hessian_times(self, v: Floats, out: Floats) -> None:
        """Fill in the product of the Hessian with a vector; what has stopped does not travel."""
        direction = Direction.of(v, self._columns)
        total = dense(self._total(_hessian_times, self._point, self._cluster.held(direction)))
        if direction.columns is None:
            out[:] = total
        else:
            out[:] = 0.0
            few = total.reshape(direction.table.shape)
            out.reshape(-1, self._columns)[:, direction.columns] = few

    def hessian_diagonal(self, out: Floats) -> None:
        """Fill in the diagonal of the Hessian."""
        out[:] = dense(self._total(_hessian_diagonal, self._point))

    def conjugate_sum(self, shrink: float) -> float:
        """Return the sum of the conjugates."""
        return float(self._total(_conjugate_sum, self._point, shrink)[0])

    def _held(self, w: Floats) -> Any:
        return self._cluster.held(Point(uuid4().hex, w.copy()))

    def _total(self, function: Any, *arguments: Any) -> Any:
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
        solver=solver, losses=FetchedLosses(cluster, problems, columns), w=weights.reshape(-1),
        problems=columns if task.is_binary else 1, l2=task.l2, l1=task.l1,
        held=(rows - free) * columns, has_hessian=True, guess=None, tolerance=tol,
        max_iterations=max_iter, memory=10, record=record, threads=threads,
    )  # fmt: skip


def _evaluate(problem: Any, point: Point) -> tuple[Floats, Sum]:
    result: tuple[Floats, Sum] = problem.evaluate(point)
    return result


def _value(problem: Any, point: Point) -> Floats:
    result: Floats = problem.value(point)
    return result


def _hessian_times(problem: Any, point: Point, direction: Direction) -> Sum:
    result: Sum = problem.hessian_times(point, direction)
    return result


def _hessian_diagonal(problem: Any, point: Point) -> Sum:
    result: Sum = problem.hessian_diagonal(point)
    return result


def _conjugate_sum(problem: Any, point: Point, shrink: float) -> Floats:
    result: Floats = problem.conjugate_sum(point, shrink)
    return result
