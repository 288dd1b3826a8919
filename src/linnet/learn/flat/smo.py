r"""Sequential minimal optimisation of linear machines: pairs of dual variables (SPEC M-24, M-80).

.. math::
   \min_{w, b}\ \tfrac12 \lVert w \rVert^2
   + \sum_i \text{cost}_i \max(0, 1 - y_i(w \cdot x_i + b))

A free intercept makes the dual variables of each column satisfy :math:`\sum_i y_i\alpha_i = 0`,
which a step on one of them would break and a step on two keeps. It is the solver of
:class:`linnet.KernelSVM` with the linear kernel.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.flat.regularised_risk import Solution, Task, has_converged
from linnet.learn.shared.history import History

__all__ = ["solve_pairs"]

Floats = NDArray[np.float64]
VIOLATION, FINEST = 1e-3, 1e-13  # of the optimality conditions: the first and the last asked for
CACHE = 200 << 20  # bytes of kernel rows that are kept


def solve_pairs(
    task: Task, *, tol: float, max_iter: int, threads: int, history: History, start: Solution | None
) -> tuple[Floats, Floats]:
    """Return weights[(J + 1), columns] and dual variables[rows, columns].

    The core stops by the largest violation of the optimality conditions; it is asked for a smaller
    one until the duality gap is at most ``tol`` times the objective. An iteration is as many steps
    as there are rows; each call of the core is a row of the history.
    """
    rows, columns = task.features.rows, task.columns
    positive = np.ones(1) if task.n_classes == 2 else np.arange(columns)
    sign = np.where(task.gold[None, :] == positive[:, None], 1.0, -1.0)
    shift = task.bias if task.penalize_bias else 0.0
    beta = _start(task, sign, start)
    results, violation, steps = np.zeros((columns, 6)), VIOLATION, 0.0
    while True:
        _core.kernel_machines(
            task.features.matrix, kernel="linear", gamma=1.0, degree=1, coef0=0.0,
            shift=shift * shift, start=np.arange(columns + 1, dtype=np.int64) * rows,
            ids=np.tile(np.arange(rows, dtype=np.int32), columns), sign=sign.ravel(),
            cost=np.tile(task.cost, columns), beta=beta,
            free_intercept=_has_free_intercept(task), shrinking=True, tolerance=violation,
            max_iterations=max(1, int(max_iter * rows - steps)), cache_bytes=CACHE, precise=True,
            results=results, threads=threads,
        )  # fmt: skip
        steps += float(results[:, 4].max())
        weights = _weights(task, beta.reshape(columns, rows), results[:, 0])
        objective, dual = float(results[:, 1].sum()), float(results[:, 2].sum())
        history.follow(weights)
        history.record(
            max(1, int(np.ceil(steps / rows))), objective, max(0.0, objective - dual),
            float(results[:, 3].max()), 0.0,
        )  # fmt: skip
        over = steps >= max_iter * rows or violation < FINEST
        if over or has_converged(weights, history, tol):
            return weights, np.ascontiguousarray((beta.reshape(columns, rows) * sign).T)
        violation /= 10.0


def _has_free_intercept(task: Task) -> bool:
    return bool(task.bias) and not task.penalize_bias


def _weights(task: Task, beta: Floats, intercepts: Floats) -> Floats:
    """Return the weights that dual variables beta[columns, rows] = y alpha stand for."""
    weights = np.asarray((beta @ task.features.csr).T)
    if task.bias:
        folded = task.bias * beta.sum(axis=1)
        last = intercepts / task.bias if _has_free_intercept(task) else folded
        weights = np.vstack([weights, last])
    return np.ascontiguousarray(weights, dtype=np.float64)


def _start(task: Task, sign: Floats, start: Solution | None) -> Floats:
    """Return y alpha of all columns, one after the other: an earlier fit's, made feasible."""
    if start is None or start.alpha is None or start.alpha.shape != sign.T.shape:
        return np.zeros(sign.size)
    beta = sign * np.clip(start.alpha.T, 0.0, task.cost)
    if _has_free_intercept(task):  # the larger side is scaled down, so that the sum is 0
        for column in beta:
            up, down = column[column > 0].sum(), -column[column < 0].sum()
            column[column > 0] *= min(1.0, down / max(up, 1e-300))
            column[column < 0] *= min(1.0, up / max(down, 1e-300))
    return np.ascontiguousarray(beta.ravel())
