"""Columns that one row has to itself become one, and rows keep their products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet
from linnet import _core
from linnet.learn.flat.narrow import narrowed
from linnet.learn.maxent import MaxEnt
from linnet.learn.svm import SVM

COLS = 1 << 18


def rows_with_own(rows: int = 300, own: int = 12, seed: int = 0) -> Any:
    """Return rows of 20 columns of a hundred, and about so many that no other row has."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 2 * own + 1, size=rows)
    counts[:2] = 0  # rows without any
    columns = rng.permutation(COLS)
    free, shared = columns[100:], columns[:100]
    index, start = [], [0]
    for count in counts:
        taken, free = free[:count], free[count:]
        index.append(np.sort(np.append(taken, rng.choice(shared, 20, replace=False))))
        start.append(start[-1] + len(index[-1]))
    value = rng.normal(size=start[-1]).astype(np.float32)
    return sp.csr_matrix((value, np.concatenate(index).astype(np.int32), start), (rows, COLS))


def matrix_of(X: Any) -> _core.Matrix:
    return _core.Matrix(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1])


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("in_place", [True, False])
def test_rows_keep_their_products(threads: int, in_place: bool) -> None:
    X = rows_with_own()
    before, products = X.copy(), (X @ X.T).toarray()
    narrow = narrowed(X, SVM(), threads, in_place=in_place)
    assert narrow is not None and isinstance(narrow.columns, _core.OwnColumns)
    assert in_place or (X != before).nnz == 0
    matrix = narrow.matrix
    assert matrix.shape == (300, 100 + 300) and matrix.nnz < before.nnz / 1.5
    np.testing.assert_allclose((matrix @ matrix.T).toarray(), products, atol=1e-4)
    shared = np.flatnonzero(np.bincount(before.indices, minlength=COLS) > 1)
    assert (matrix[:, :100] != before[:, shared]).nnz == 0
    assert all((np.diff(row.indices) > 0).all() for row in matrix)
    assert (matrix != narrowed(before, SVM(), 1).matrix).nnz == 0  # the same bits


@pytest.mark.parametrize("own", [0, 12])
@pytest.mark.parametrize("in_place", [True, False])
def test_column_ids_of_64_bits_are_read_as_well(own: int, in_place: bool) -> None:
    X = rows_with_own(own=own)
    expected = narrowed(X, SVM(), 1)
    wide = sp.csr_matrix(X.shape, dtype=np.float32)
    wide.data, wide.indices, wide.indptr = X.data, X.indices.astype(np.int64), X.indptr
    found = narrowed(wide, SVM(), 1, in_place=in_place)
    assert wide.indices.dtype == np.int64 and expected is not None and found is not None
    assert (found.matrix != expected.matrix).nnz == 0


@pytest.mark.parametrize("columns", [1, 3])
def test_weights_are_those_of_the_rows_coefficients(columns: int) -> None:
    X = rows_with_own()
    narrow = narrowed(X, SVM(), 2)
    assert narrow is not None
    amounts = np.random.default_rng(1).normal(size=(300, columns))
    weights = narrow.matrix.T @ amounts
    expected = X.T.astype(np.float64) @ amounts
    np.testing.assert_allclose(narrow.widened(weights, np.float64), expected, atol=1e-5)
    assert narrow.widened(weights, np.float32).dtype == np.float32
    np.testing.assert_allclose(narrow.widened(weights, np.float32), expected, atol=1e-5)


def test_columns_of_zeros_and_of_values_too_large_are_no_columns() -> None:
    X = rows_with_own(20)
    own = np.flatnonzero(np.bincount(X.indices, minlength=COLS) == 1)
    alone = np.isin(X.indices, own)
    nothing = X.copy()
    nothing.data[alone] = 0.0
    narrow = narrowed(nothing, SVM(), 1)
    assert narrow is not None and narrow.matrix.nnz == X.nnz - alone.sum()
    assert np.isfinite(narrow.widened(np.ones((narrow.matrix.shape[1], 1)), np.float64)).all()
    X.data[alone] = 3e38  # the root of their squares is no number of 32 bits
    kept = X.copy()
    narrow = narrowed(X, SVM(), 1)
    assert narrow is not None and not isinstance(narrow.columns, _core.OwnColumns)
    assert (X != kept).nnz == 0
    with pytest.raises(linnet.errors.DataError, match="divide them"):
        narrowed(X, SVM(), 1, in_place=True)


def test_few_own_columns_and_learners_that_see_columns_are_left_alone() -> None:
    few = rows_with_own(own=2)
    assert not _core.OwnColumns(matrix_of(few), 1).many
    X = rows_with_own()
    for learner in (MaxEnt(penalty="l1"), SVM(solver="sgd"), SVM(penalty="l1")):
        narrow = narrowed(X, learner, 1)
        assert narrow is not None and not isinstance(narrow.columns, _core.OwnColumns)
    assert narrowed(X, MaxEnt(prior_variance=np.ones(COLS)), 1) is None
    folded = narrowed(X, SVM(), 1, fold=False)
    assert folded is not None and not isinstance(folded.columns, _core.OwnColumns)


def test_another_matrix_is_refused() -> None:
    X = rows_with_own()
    own = _core.OwnColumns(matrix_of(X), 1)
    start, index, value = np.empty(301, np.int64), X.indices.copy(), X.data.copy()
    with pytest.raises(ValueError, match="another matrix"):
        own.fold(matrix_of(X[:-1]), start, index, value, 1)
    with pytest.raises(ValueError, match="too short"):
        own.fold(matrix_of(X), start[:-1].copy(), index, value, 1)
    few = _core.OwnColumns(matrix_of(rows_with_own(own=2)), 1)
    with pytest.raises(ValueError, match="not many"):
        few.fold(matrix_of(X), start, index, value, 1)
    doubles = _core.Matrix(X.indptr.astype(np.int64), X.indices, X.data.astype(float), COLS)
    with pytest.raises(ValueError, match="32 bits"):
        own.fold(doubles, start, index, value, 1)


@pytest.mark.parametrize(
    "learner", [SVM(tol=1e-8), SVM(loss="squared_hinge", tol=1e-8), MaxEnt(tol=1e-8)]
)
@pytest.mark.parametrize("classes", [2, 4])
def test_a_classifier_finds_what_it_finds_among_all_columns(learner: Any, classes: int) -> None:
    X = rows_with_own()
    rng = np.random.default_rng(2)
    upper = np.asarray(X[:, : COLS // 2].sum(axis=1)).ravel() > 0
    y = np.array(["a", "b", "c", "d"])[upper + 2 * rng.integers(classes // 2, size=300)]
    clf = linnet.TextClassifier(learner, C=1.0).fit(X, y)
    plain = type(learner)(**{**learner.get_params(), "C": 1.0}).fit(X, y)
    assert clf.learner_.coef_.shape == plain.coef_.shape
    np.testing.assert_allclose(clf.learner_.coef_, plain.coef_, atol=2e-3)
    assert (clf.predict(X) == plain.predict(X)).mean() > 0.99
