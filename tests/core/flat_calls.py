"""Good calls of what reads a matrix of rows: solvers, counting, trees, kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet import _core

from .arrays import (
    F32,
    F64,
    GOLD,
    I32,
    I64,
    INDEX,
    START,
    U8,
    Call,
    flat,
    ints,
    kernel,
    matrix,
    rule,
    zeros,
)


def row_losses() -> dict[str, Any]:
    return flat(classes=3, loss="log", form="columns", bias=1.0)


def evaluated() -> _core.RowLosses:
    losses = _core.RowLosses(**row_losses())
    losses.evaluate(zeros(4, 3), zeros(4, 3), zeros(3))
    return losses


class Fetched:
    """The losses of rows that are here, as those elsewhere are asked for."""

    def __init__(self) -> None:
        self._losses = _core.RowLosses(**row_losses())

    def evaluate(self, w: Any, gradient: Any, parts: Any) -> None:
        self._losses.evaluate(w.reshape(4, 3), gradient.reshape(4, 3), parts)

    def value(self, w: Any, parts: Any) -> None:
        self._losses.value(w.reshape(4, 3), parts)

    def hessian_times(self, v: Any, out: Any) -> None:
        self._losses.hessian_times(v.reshape(4, 3), out.reshape(4, 3))

    def hessian_diagonal(self, out: Any) -> None:
        self._losses.hessian_diagonal(out.reshape(4, 3))

    def conjugate_sum(self, shrink: float) -> float:
        return self._losses.conjugate_sum(shrink)


def fetched_calls() -> dict[str, Call]:
    """Return the good calls of what minimises over rows that are elsewhere."""
    fetched = {
        "losses": Fetched(),
        "w": zeros(12),
        "problems": 3,
        "l2": 1.0,
        "l1": 0.0,
        "held": 12,
        "has_hessian": True,
        "guess": np.ones(12),
        "tolerance": 0.1,
        "max_iterations": 3,
        "memory": 2,
        "record": None,
        "threads": 1,
    }
    point, gradient, parts = zeros(4, 3), zeros(4, 3), zeros(3)
    return {
        "RowLosses": (_core.RowLosses, row_losses()),
        "RowLosses.evaluate": (
            _core.RowLosses(**row_losses()).evaluate,
            {"w": point, "gradient": gradient, "parts": parts},
        ),
        "RowLosses.value": (
            _core.RowLosses(**row_losses()).value,
            {"w": point, "parts": parts},
        ),
        "RowLosses.hessian_times": (evaluated().hessian_times, {"v": point, "out": gradient}),
        "RowLosses.hessian_diagonal": (evaluated().hessian_diagonal, {"out": gradient}),
        "minimize_fetched": (_core.minimize_fetched, {"solver": "lbfgs", **fetched}),
        "minimize_fetched by Newton": (_core.minimize_fetched, {"solver": "newton", **fetched}),
    }


def own_rows() -> tuple[_core.Matrix, _core.OwnColumns]:
    """Return two rows that have four columns to themselves each, and those columns, folded."""
    index, start = ints(0, 1, 2, 3, 9, 4, 5, 6, 7, 9), ints(0, 5, 10, kind=I64)
    rows = _core.Matrix(start, index, np.ones(10, F32), 1 << 18)
    own = _core.OwnColumns(rows, 1)
    own.fold(rows, zeros(3, kind=I64), index.copy(), np.ones(10, F32), 1)
    return rows, own


def flat_calls() -> dict[str, Call]:
    floats = np.arange(1.0, 7.0)
    wide = _core.Matrix(START, INDEX, floats, 1 << 18)  # of which three columns are used
    lone, own = own_rows()
    state = ints(0, 0, 1, 0, 1, 0, kind=F64)
    solver = {
        "classes": 3,
        "weights": zeros(4, 3),
        "loss": "log",
        "form": "joint",
        "bias": 1.0,
        "penalize_bias": True,
        "l2": 1.0,
    }
    stops = {"tolerance": 0.1, "record": None, "threads": 1}
    machine = {
        "start": ints(0, 2, 4, kind=I64),
        "ids": ints(0, 1, 2, 3),
        "sign": ints(1, -1, 1, -1, kind=F64),
        "cost": np.ones(4),
        "beta": zeros(4),
        "free_intercept": False,
        "shrinking": True,
        "tolerance": 0.1,
        "max_iterations": 9,
        "cache_bytes": 1 << 20,
        "precise": False,
        "results": zeros(2, 6),
        "threads": 1,
    }
    rounds = {
        "gold": GOLD,
        "classes": 3,
        "shuffle": False,
        "seed": 0,
        "tie": "sign",
        "stop_when_clean": True,
        "cache_bytes": 1 << 20,
        "beta": zeros(4, 3),
        "late": zeros(4, 3),
        "mistakes": zeros(2, kind=I64),
    }
    return {
        "Matrix": (_core.Matrix, {"start": START, "index": INDEX, "value": floats, "cols": 3}),
        "Matrix.with_values": (matrix().with_values, {"value": floats}),
        "inspect": (
            _core.inspect,
            {"x": matrix(floats), "narrow": zeros(6, kind=F32), "threads": 1},
        ),
        "count_columns": (
            _core.count_columns,
            {"index": INDEX.copy(), "out": zeros(3, kind=np.uint32), "threads": 1},
        ),
        "UsedColumns.number": (
            _core.UsedColumns(wide, 1).number,
            {"x": wide, "index": INDEX.copy(), "columns": zeros(3, kind=I32), "threads": 1},
        ),
        "OwnColumns.fold": (
            _core.OwnColumns(lone, 1).fold,
            {
                "x": lone,
                "start": zeros(3, kind=I64),
                "index": zeros(10, kind=I32),
                "value": zeros(10, kind=F32),
                "threads": 1,
            },
        ),
        "OwnColumns.spread": (
            own.spread,
            {"weights": zeros(3, 2), "out": zeros(1 << 18, 2), "threads": 1},
        ),
        "sort_rows": (
            _core.sort_rows,
            {"x": matrix(floats), "index": INDEX.copy(), "value": floats.copy(), "threads": 1},
        ),
        "scores": (
            _core.scores,
            {"x": matrix(), "weights": zeros(4, 2), "bias": 1.0, "out": zeros(4, 2), "threads": 1},
        ),
        "permutation": (_core.permutation, {"out": zeros(4, kind=I64), "seed": 0, "round": 0}),
        "minimize": (
            _core.minimize,
            {
                "solver": "lbfgs",
                **flat(**solver),
                "l1": 0.0,
                "max_iterations": 3,
                "memory": 2,
                "initial_step": 1.0,
                "decrease": 1e-4,
                "shrink": 0.5,
                "visible": True,
                **stops,
            },
        ),
        "objective": (_core.objective, {**flat(**solver), "gradient": zeros(4, 3), "threads": 1}),
        "subgradient_gap": (
            _core.subgradient_gap,
            flat(
                classes=3,
                weights=zeros(4, 3),
                loss="hinge",
                form="joint",
                bias=1.0,
                margins=np.ones((3, 3)),
                threads=1,
            ),
        ),
        "primal_coordinate_descent": (
            _core.primal_coordinate_descent,
            flat(
                classes=3,
                weights=zeros(4, 3),
                loss="squared_hinge",
                bias=1.0,
                penalize_bias=True,
                l2=1.0,
                max_epochs=2,
                seed=0,
                **stops,
            ),
        ),
        "newton_coordinate_descent": (
            _core.newton_coordinate_descent,
            flat(
                classes=3,
                weights=zeros(4, 3),
                loss="log",
                joint=True,
                bias=1.0,
                penalize_bias=True,
                l2=1.0,
                l1=0.1,
                max_iterations=2,
                **stops,
            ),
        ),
        "newton_coordinate_descent of columns": (
            _core.newton_coordinate_descent,
            flat(
                classes=3,
                weights=zeros(4, 3),
                loss="squared_hinge",
                joint=False,
                bias=1.0,
                penalize_bias=False,
                l2=1.0,
                l1=0.1,
                max_iterations=2,
                **stops,
            ),
        ),
        "dual_coordinate_descent": (
            _core.dual_coordinate_descent,
            flat(
                classes=3,
                alpha=zeros(4, 3),
                weights=zeros(4, 3),
                loss="hinge",
                joint=True,
                bias=1.0,
                margins=np.ones((3, 3)),
                max_epochs=2,
                patience=30.0,
                seed=0,
                visible=True,
                **stops,
            ),
        ),
        "Rule": (
            _core.Rule,
            {"name": "mira", "form": "joint", "classes": 3, "cost": np.ones((3, 3))},
        ),
        "online_pass": (
            _core.online_pass,
            flat(
                rule=rule(),
                order=np.arange(4),
                rates=np.ones(4),
                norms=np.ones(4),
                weights=zeros(4, 3),
                sums=zeros(4, 3),
                state=state.copy(),
                bias=1.0,
                penalize_bias=True,
                averaging="after",
                decay=0.0,
                truncation=0.0,
                radius=0.0,
                batch=1,
                trace=(zeros(4, 3), zeros(4, kind=I32), zeros(4), zeros(4)),
                threads=1,
            ),
        ),
        "adagrad_pass": (
            _core.adagrad_pass,
            {
                key: value
                for key, value in flat(
                    rule=_core.Rule(name="log", form="joint", classes=3),
                    rate=0.5,
                    table=zeros(4, 6, kind=F32),
                    bias=1.0,
                    scores=zeros(4, 3),
                ).items()
                if key != "threads"
            },
        ),
        "online_weights": (
            _core.online_weights,
            {
                "weights": zeros(4, 3),
                "sums": zeros(4, 3),
                "state": state.copy(),
                "count": 2.0,
                "has_bias": True,
                "out": zeros(4, 3),
                "threads": 1,
            },
        ),
        "total_loss": (
            _core.total_loss,
            flat(rule=rule(), weights=zeros(4, 3), bias=1.0, threads=1),
        ),
        "squared_norms": (
            _core.squared_norms,
            {"x": matrix(), "bias": 1.0, "out": zeros(4), "threads": 1},
        ),
        "count": (
            _core.count,
            {
                "x": matrix(),
                "gold": GOLD,
                "weight": np.ones(4),
                "counts": zeros(3, 3),
                "threads": 1,
            },
        ),
        "count_totals": (
            _core.count_totals,
            {"counts": np.ones((3, 5)), "totals": zeros(3), "threads": 1},
        ),
        "log_probabilities": (
            _core.log_probabilities,
            {
                "counts": np.ones((2, 5)),
                "alpha": 1.0,
                "log_size": zeros(2),
                "out": zeros(5, 2),
                "odds": zeros(5),
                "threads": 1,
            },
        ),
        "squared_deviations": (
            _core.squared_deviations,
            {
                "x": matrix(),
                "gold": GOLD,
                "weight": np.ones(4),
                "mean": zeros(3, 3),
                "total": np.ones(3),
                "out": zeros(3, 3),
                "threads": 1,
            },
        ),
        "gaussian_exponents": (
            _core.gaussian_exponents,
            {
                "x": matrix(),
                "mean": zeros(2, 3),
                "precision": zeros(2, 3),
                "out": zeros(4, 2),
                "threads": 1,
            },
        ),
        "grow_tree": (
            _core.grow_tree,
            {
                "codes": np.array([[0, 1, 0, 1], [2, 1, 0, -2]], I32),
                "values": ints(2, 3),
                "ordered": ints(0, 1, kind=U8),
                "gold": GOLD,
                "weight": np.ones(4),
                "classes": 3,
                "ratio": False,
                "min_leaf": 1.0,
                "max_depth": -1,
                "nodes": zeros(6, 8, kind=I32),
                "gain": zeros(8),
                "leaf": zeros(4, kind=I32),
            },
        ),
        "kernel_gram": (
            _core.kernel_gram,
            {"x": matrix(), "z": matrix(), **kernel(out=zeros(4, 4), threads=1)},
        ),
        "kernel_machines": (
            _core.kernel_machines,
            {"data": matrix(), **kernel(shift=0.0), **machine},
        ),
        "kernel_machines of a table": (
            _core.kernel_machines,
            {"data": np.eye(4), **kernel(shift=0.0), **machine},
        ),
        "kernel_perceptron": (
            _core.kernel_perceptron,
            {"data": matrix(), **kernel(shift=0.0), **rounds},
        ),
        "subsequence_gram": (
            _core.subsequence_gram,
            {
                "s": ints(1, 2, 3),
                "s_start": ints(0, 1, 3, kind=I64),
                "t": ints(1, 2),
                "t_start": ints(0, 2, kind=I64),
                "length": 2,
                "decay": 0.5,
                "normalize": True,
                "out": zeros(2, 1),
                "threads": 1,
            },
        ),
        **fetched_calls(),
    }
