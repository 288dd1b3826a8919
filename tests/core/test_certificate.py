"""The certificate at any weights is half the squared norm of the (sub)gradient."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from linnet import _core
from linnet.reference import losses as reference

RNG = np.random.default_rng(7)
ROWS, COLS, BIAS = 24, 5, 1.5
JOINT = {"log": reference.multiclass_log, "hinge": reference.multiclass_hinge}


def gap(X: np.ndarray, gold: np.ndarray, w: np.ndarray, loss: str, form: str, **more: object):
    csr = sp.csr_matrix(X)
    matrix = _core.Matrix(csr.indptr.astype(np.int64), csr.indices, csr.data, X.shape[1])
    options = {"bias": BIAS, "margins": None, "threads": 1, **more}
    return _core.subgradient_gap(
        matrix, gold, COST[: len(gold)], int(gold.max()) + 1, w, loss, form, **options
    )


X = RNG.normal(size=(ROWS, COLS))
COST = RNG.uniform(0.1, 2.0, ROWS)
COST[3] = 0.0


@pytest.mark.parametrize("loss", ["perceptron", "hinge", "squared_hinge", "log", "squared"])
@pytest.mark.parametrize("classes", [2, 3])
def test_by_columns_it_is_that_of_the_binary_problems(loss: str, classes: int) -> None:
    gold = np.arange(ROWS, dtype=np.int32) % classes
    columns = [1] if classes == 2 else range(classes)
    w = RNG.normal(size=(COLS + 1, len(columns)))
    rows = np.column_stack([X, np.full(ROWS, BIAS)])
    sign = np.where(gold[:, None] == np.array(columns), 1.0, -1.0)
    twin = reference.LOSSES["logistic" if loss == "log" else loss]
    residual = COST[:, None] * sign * twin.derivative(sign * (rows @ w))
    expected = 0.5 * ((w + rows.T @ residual) ** 2).sum()
    assert gap(X, gold, w, loss, "columns") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("loss", JOINT)
@pytest.mark.parametrize("form", ["joint", "grouped"])
def test_where_labels_compete_it_is_that_of_the_joint_problem(loss: str, form: str) -> None:
    margins = None if loss == "log" else RNG.uniform(0.5, 2.0, (3, 3)) * (1.0 - np.eye(3))
    rows = np.column_stack([X, np.full(ROWS, BIAS)])
    examples = ROWS if form == "joint" else ROWS // 3
    gold = np.arange(examples, dtype=np.int32) % 3
    w = RNG.normal(size=(COLS + 1, 3 if form == "joint" else 1))
    scores = (rows @ w).reshape(examples, 3)
    residual = np.zeros_like(scores)
    for i, (s, y) in enumerate(zip(scores, gold, strict=True)):
        extra = () if margins is None else (margins[y],)
        residual[i] = COST[i] * JOINT[loss](s, int(y), *extra)[1]
    expected = 0.5 * ((w + rows.T @ residual.reshape(ROWS, -1)) ** 2).sum()
    assert gap(X, gold, w, loss, form, margins=margins) == pytest.approx(expected, rel=1e-12)


def test_a_loss_without_a_conjugate_has_no_certificate() -> None:
    gold = np.arange(ROWS, dtype=np.int32) % 2
    assert gap(X, gold, np.zeros((COLS + 1, 1)), "probability", "columns") == np.inf
