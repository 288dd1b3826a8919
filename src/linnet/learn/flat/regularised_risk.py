r"""Regularised risk minimisation: what maximum entropy and support vector machines share.

.. math:: \min_W\ \tfrac12 \lVert W \rVert^2 + C \sum_i \text{weight}_i \, \ell(x_i W, y_i)

A :class:`Task` says what is minimised; :func:`minimize` says how. Loss, penalty and solver are
independent choices (SPEC C-09, M-92): every solver that can handle an objective reaches the same
optimum, and reports how far from it the result may be.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.shared.checks import check_row_numbers
from linnet.learn.shared.history import History
from linnet.learn.shared.inputs import Features
from linnet.learn.shared.large_pages import large_zeros
from linnet.learn.shared.solvers import GradientDescent, SolverSettings, solver_name

if TYPE_CHECKING:
    from linnet.learn.flat.steps import Steps, Walk

BATCH_SOLVERS = ("newton", "lbfgs", "gradient_descent", "conjugate_gradient")
SCALING_SOLVERS = ("gis", "iis")
# Once dual coordinate descent is foretold to need this many epochs more, a second method joins in.
PATIENCE = 30.0


class FeaturesElsewhere(Features):
    """Rows that are held elsewhere and can be asked for sums of losses."""

    @abstractmethod
    def minimize(
        self, task: Task, solver: str, weights: NDArray[np.float64], *, tol: float, max_iter: int,
        threads: int, record: Any,
    ) -> None:  # fmt: skip
        """Change weights[(J + 1), columns] to those that minimise a task over the rows."""

    @abstractmethod
    def walk(
        self, task: Task, steps: Steps, scaled: NDArray[np.float64], start: Solution | None
    ) -> Walk:
        """Return who goes over the rows by single steps; `scaled` is the weight of each row."""


@dataclass(frozen=True)
class Task:
    """One objective over one data set.

    ``form`` is "columns" (each column a binary problem), "joint" (all classes in one loss) or
    "grouped" (rows come K at a time, one for each label). ``cost`` is C times the weight of each
    example; ``l1`` and ``l2`` are the penalties of one weight. ``kept`` and ``scale`` say how the
    features came from the user's: which rows they are (None: all), and what each column was
    multiplied by (None: 1).
    """

    features: Features
    gold: NDArray[np.int32]
    n_classes: int
    cost: NDArray[np.float64]
    loss: str
    form: str
    bias: float = 0.0
    penalize_bias: bool = True
    l1: float = 0.0
    l2: float = 1.0
    margins: NDArray[np.float64] | None = None
    kept: NDArray[np.bool_] | None = None
    scale: NDArray[np.float64] | None = None

    @property
    def columns(self) -> int:
        """The number of weight columns: one for two classes."""
        return 1 if self.n_classes == 2 or self.form == "grouped" else self.n_classes

    @property
    def is_dual(self) -> bool:
        """Whether dual coordinate descent applies: every weight under the quadratic penalty."""
        penalized = self.l1 == 0.0 and self.l2 == 1.0 and (self.penalize_bias or not self.bias)
        return penalized and self.form != "grouped" and self.loss != "squared"

    @property
    def is_binary(self) -> bool:
        """Whether every column is a binary problem of its own."""
        return self.form == "columns" or (self.form == "joint" and self.n_classes == 2)

    @property
    def is_pairwise(self) -> bool:
        """Whether pairs of dual variables can be moved: the hinge of binary problems."""
        return self.loss == "hinge" and self.is_binary and self.l1 == 0.0 and self.l2 == 1.0

    @property
    def is_smooth(self) -> bool:
        """Whether the loss has the gradient that batch solvers need."""
        return self.loss in ("log", "squared") or (self.loss == "squared_hinge" and self.is_binary)

    def zeros(self) -> NDArray[np.float64]:
        """Return weights of the right shape, (J + 1, columns) or (J, columns) without bias."""
        return large_zeros(self.features.cols + bool(self.bias), self.columns)


@dataclass(frozen=True)
class Solution:
    """Weights[(J + 1), columns], and the dual variables where the solver has them."""

    weights: NDArray[np.float64]
    alpha: NDArray[np.float64] | None
    converged: bool


def choose_solver(task: Task) -> str:
    """Return what solver="auto" means for a task."""
    if task.l1:
        return "lbfgs" if task.form == "grouped" else "newton_cd"
    # Newton is for losses that bend everywhere, or for many more rows than features: where nearly
    # every row can be satisfied, the squared hinge jumps from one quadratic to the next.
    rows = task.features.rows if task.loss != "squared_hinge" else task.features.rows // 4
    few_features = task.features.cols <= 2000 and task.features.cols < rows
    if task.is_dual and not (few_features and task.is_smooth):
        return "dual_cd"
    if task.is_pairwise:
        return "smo"
    return "newton"


def minimize(
    task: Task,
    solver: str | SolverSettings,
    *,
    tol: float,
    max_iter: int,
    seed: int,
    threads: int,
    history: History,
    start: Solution | None = None,
) -> Solution:
    """Minimise the task with one solver.

    Parameters
    ----------
    solver : {"auto", "dual_cd", "smo", "primal_cd", "newton_cd", "newton", "lbfgs", \
"gradient_descent", "conjugate_gradient", "gis", "iis"} or GradientDescent
    tol : float
        Stop when the certified gap is at most ``tol`` times the objective.
    start : Solution, optional
        Where to begin; its dual variables are clipped to the new bounds.
    """
    if isinstance(task.features, FeaturesElsewhere):
        return _fetched(task, solver, tol, max_iter, threads, history, start)
    run = partial(_run, task, tol=tol, seed=seed, threads=threads, history=history)
    chosen = choose_solver(task) if solver == "auto" else solver
    if solver != "auto" or chosen != "dual_cd" or task.loss != "log":
        return run(chosen, max_iter=max_iter, start=start)
    solution = run("dual_cd", max_iter=max_iter, start=start, patience=PATIENCE)
    epochs = int(history.last("iteration"))
    if solution.converged or epochs >= max_iter or history.stopped:
        return solution
    # While the dual is under way the weights it stands for overshoot: from where the losses are
    # flat Newton takes longer than from zero.
    near = history.last("gap") < 0.5 * history.last("objective")
    history.next_solver()
    return run("newton", max_iter=max_iter - epochs, start=solution if near else None)


def _run(
    task: Task,
    solver: str | SolverSettings,
    *,
    tol: float,
    max_iter: int,
    seed: int,
    threads: int,
    history: History,
    start: Solution | None,
    patience: float | None = None,
) -> Solution:
    check_row_numbers(task.features.rows)
    name, alpha = solver_name(solver), None
    if name == "smo":
        from linnet.learn.flat.smo import solve_pairs

        needs = "loss='hinge', penalty='l2' and two classes, 'ovr' or 'ovo'"
        _require(task.is_pairwise, name, needs)
        weights, alpha = solve_pairs(
            task, tol=tol, max_iter=max_iter, threads=threads, history=history, start=start
        )
        return Solution(weights, alpha, has_converged(weights, history, tol))
    fresh = start is None or name == "dual_cd"
    weights = task.zeros() if start is None or fresh else start.weights.copy(order="C")
    if start is not None and fresh and task.bias and len(start.weights):
        weights[-1] = start.weights[-1]  # those of the features follow from the dual variables
    history.follow(weights)
    problem: dict[str, Any] = {
        "x": task.features.matrix, "gold": task.gold, "cost": task.cost,
        "classes": task.n_classes, "weights": weights, "loss": task.loss, "bias": task.bias,
        "tolerance": tol, "record": history.record, "threads": threads,
    }  # fmt: skip
    if name == "dual_cd":
        _require(task.is_dual, name, "an l2 penalty on every weight, the intercept included")
        alpha = _dual_start(task, start)
        if patience is None:  # the descent of the log loss is to end by itself
            patience = np.inf if task.loss == "log" else PATIENCE
        problem["threads"] = task.features.threads(threads, task.columns)
        _core.dual_coordinate_descent(
            **problem, alpha=alpha, joint=task.form == "joint" and task.n_classes > 2,
            margins=task.margins, max_epochs=max_iter, patience=patience, seed=seed,
            visible=history.is_watched,
        )  # fmt: skip
    elif name == "primal_cd":
        _check_batch(task, name)
        _core.primal_coordinate_descent(
            **problem, penalize_bias=task.penalize_bias, l2=task.l2, max_epochs=max_iter, seed=seed
        )
    elif name == "newton_cd":
        _check_batch(task, name)
        _core.newton_coordinate_descent(
            **problem, joint=not task.is_binary, penalize_bias=task.penalize_bias, l2=task.l2,
            l1=task.l1, max_iterations=max_iter,
        )  # fmt: skip
    elif name in (*BATCH_SOLVERS, *SCALING_SOLVERS):
        _check_batch(task, name)
        search = solver if isinstance(solver, GradientDescent) else GradientDescent()
        _core.minimize(
            **problem, solver=name, form="columns" if task.is_binary else task.form,
            penalize_bias=task.penalize_bias, l2=task.l2, l1=task.l1, max_iterations=max_iter,
            memory=10, initial_step=search.initial_step, decrease=search.decrease,
            shrink=search.shrink, visible=history.is_watched,
        )  # fmt: skip
    else:
        raise ParameterError(f"Unknown solver {name!r}.")
    return Solution(weights, alpha, has_converged(weights, history, tol))


def _fetched(
    task: Task, solver: str | SolverSettings, tol: float, max_iter: int, threads: int,
    history: History, start: Solution | None,
) -> Solution:  # fmt: skip
    """Minimise over rows that are elsewhere: a pass over them costs a round of messages."""
    assert isinstance(task.features, FeaturesElsewhere)
    name = solver_name(solver)
    if name == "auto":
        name = "lbfgs" if task.l1 else "newton"
    if name not in ("newton", "lbfgs"):
        raise ParameterError(
            f"solver={name!r} needs all rows in one place; over parts of them work 'newton' and "
            "'lbfgs', which 'auto' chooses from."
        )
    if not task.is_smooth or task.margins is not None:
        raise ParameterError(
            f"loss={task.loss!r} has no gradient that could be added up over parts of the rows; "
            "use MaxEnt, SVM with loss='squared_hinge' and multi_class='ovr', or solver='sgd'."
        )
    _check_batch(task, name)
    weights = task.zeros() if start is None else start.weights.copy(order="C")
    history.follow(weights)
    task.features.minimize(
        task, name, weights, tol=tol, max_iter=max_iter, threads=threads, record=history.record
    )
    return Solution(weights, None, has_converged(weights, history, tol))


def has_converged(weights: NDArray[np.float64], history: History, tol: float) -> bool:
    """Tell whether the gap is within the tolerance; refuse weights that overflowed."""
    objective, gap = abs(history.last("objective")), history.last("gap")
    if not (np.isfinite([objective, gap]).all() and np.isfinite(weights).all()):
        raise DataError("The fit overflowed: scale the features down, or lower C.")
    return bool(gap <= tol * objective + 1e-14 * objective)


def _dual_start(task: Task, start: Solution | None) -> NDArray[np.float64]:
    shape = (task.features.rows, task.columns)
    if start is None or start.alpha is None or start.alpha.shape != shape:
        return np.zeros(shape)
    if task.form == "joint" and task.n_classes > 2:
        rows = np.arange(len(task.gold))
        wrong = np.minimum(start.alpha, 0.0)  # the labels may have changed since
        wrong[rows, task.gold] = 0.0
        if task.loss != "squared_hinge":
            used = -wrong.sum(axis=1)
            wrong *= np.minimum(1.0, task.cost / np.maximum(used, 1e-300))[:, None]
        wrong[rows, task.gold] = -wrong.sum(axis=1)
        return np.ascontiguousarray(wrong)
    cap = np.inf if task.loss == "squared_hinge" else task.cost[:, None]
    return np.ascontiguousarray(np.clip(start.alpha, 0.0, cap))


def _check_batch(task: Task, solver: str) -> None:
    """Refuse a batch solver whose needs the task does not meet."""
    _require(task.is_smooth, solver, "a differentiable loss; try solver='dual_cd'")
    if solver == "primal_cd":
        _require(task.is_binary, solver, "two classes or multi_class='ovr'")
    if solver == "newton_cd":
        _require(task.form != "grouped", solver, "one row an example; try solver='lbfgs'")
    sparse = solver in ("lbfgs", "newton_cd")
    _require(not task.l1 or sparse, solver, "penalty='l2'; for l1 use 'newton_cd' or 'lbfgs'")
    if solver not in SCALING_SOLVERS:
        return
    joint = task.form != "columns" or task.n_classes == 2
    _require(task.loss == "log" and joint, solver, "multi_class='multinomial'")
    if not task.features.non_negative:
        raise DataError(f"solver={solver!r} needs features that are not negative.")


def _require(condition: bool, solver: str, what: str) -> None:
    if not condition:
        raise ParameterError(f"solver={solver!r} needs {what}.")


def pairwise(task: Task, first: int, second: int) -> tuple[Task, NDArray[np.intp]]:
    """Return the two-class task of one pair of classes (SPEC M-89) and the rows it uses."""
    from linnet.learn.shared.inputs import checked_features

    rows = np.flatnonzero((task.gold == first) | (task.gold == second))
    features = checked_features(task.features.csr[rows])
    gold = (task.gold[rows] == second).astype(np.int32)
    return replace(
        task, features=features, gold=gold, n_classes=2, cost=task.cost[rows], form="columns"
    ), rows


def subgradient_gap(task: Task, weights: NDArray[np.float64], threads: int = 1) -> float:
    """Return a bound on objective minus optimum at weights[(J + 1), columns].

    The derivatives of the losses are, with the sign turned, a feasible dual point: its duality gap
    is the bound. It is infinite where a weight has no quadratic penalty or the loss no conjugate,
    and over rows that are elsewhere.
    """
    if isinstance(task.features, FeaturesElsewhere):
        return float("inf")
    if task.l1 or task.l2 != 1.0 or (task.bias and not task.penalize_bias):
        return float("inf")
    gap: float = _core.subgradient_gap(
        x=task.features.matrix, gold=task.gold, cost=task.cost, classes=task.n_classes,
        weights=weights, loss=task.loss, form=task.form, bias=task.bias, margins=task.margins,
        threads=task.features.threads(threads, task.columns),
    )  # fmt: skip
    return gap
