"""The used columns of a matrix, numbered anew: the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet
from linnet import _core
from linnet.learn.flat.narrow import narrowed
from linnet.learn.svm import SVM


def scattered(rows: int = 400, cols: int = 5000, seed: int = 0) -> Any:
    """Return rows of which some columns are frequent, some rare and most unused."""
    rng = np.random.default_rng(seed)
    ids = rng.permutation(cols)[(rng.zipf(1.4, size=rows * 30) - 1) % 600]
    X = sp.csr_matrix(
        (rng.normal(size=rows * 30), (np.repeat(np.arange(rows), 30), ids)), (rows, cols)
    ).astype(np.float32)
    X.sum_duplicates()
    return X


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("in_place", [True, False])
def test_rows_over_the_used_columns_are_those_of_the_matrix(threads: int, in_place: bool) -> None:
    X = scattered(cols=1 << 18)
    wide = _core.Matrix(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1])
    used = _core.UsedColumns(wide, threads)
    expected = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))
    before = X.copy()
    index = X.indices if in_place else X.indices.copy()
    columns = np.empty(used.used, np.int32)
    used.number(wide, index, columns, threads)
    assert used.few and columns.tolist() == expected.tolist()
    narrow = sp.csr_matrix((X.data, index, X.indptr), (X.shape[0], used.used))
    assert (narrow != before[:, columns]).nnz == 0
    assert all((np.diff(row.indices) > 0).all() for row in narrow)


@pytest.mark.parametrize("cols", [31, 32, 33, 64, 95])
def test_columns_at_the_edge_of_a_word_have_their_numbers(cols: int) -> None:
    total = (1 << 18) + cols
    ids = np.array([0, 30, 31, 32, 33, 63, 64, total - 1], np.int32)
    wide = _core.Matrix(np.array([0, len(ids)]), ids, None, total)
    used = _core.UsedColumns(wide, 1)
    index, columns = ids.copy(), np.empty(used.used, np.int32)
    used.number(wide, index, columns, 1)
    assert index.tolist() == list(range(len(ids))) and columns.tolist() == ids.tolist()


def test_many_used_columns_and_small_matrices_have_no_numbers() -> None:
    some = np.arange(1 << 17, dtype=np.int32)
    half = _core.Matrix(np.array([0, len(some)]), some, None, 1 << 18)
    assert _core.UsedColumns(half, 1).few
    more = np.append(some, np.int32(1 << 17))
    wide = _core.Matrix(np.array([0, len(more)]), more, None, 1 << 18)
    small = _core.Matrix(np.array([0, 1]), more[:1], None, 1000)
    for x in (wide, small):
        used = _core.UsedColumns(x, 1)
        assert not used.few
        with pytest.raises(ValueError, match="not few"):
            used.number(x, more.copy(), np.empty(used.used, np.int32), 1)


def test_another_matrix_is_refused() -> None:
    X = scattered(cols=1 << 18)
    wide = _core.Matrix(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1])
    other = _core.Matrix(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1] + 1)
    used = _core.UsedColumns(wide, 1)
    columns = np.empty(used.used, np.int32)
    with pytest.raises(ValueError, match="another matrix"):
        used.number(other, X.indices, columns, 1)
    with pytest.raises(ValueError, match="a place for each"):
        used.number(wide, X.indices, np.empty(used.used + 1, np.int32), 1)
    with pytest.raises(ValueError, match="too short"):
        used.number(wide, X.indices[:-1].copy(), columns, 1)
    X.indices[0] = np.setdiff1d(np.arange(X.shape[1]), X.indices)[0]  # nobody had it
    with pytest.raises(ValueError, match="another matrix"):
        used.number(wide, X.indices.copy(), columns, 1)


def test_a_matrix_of_many_unused_columns_is_left_as_it_was_and_fitted_as_well() -> None:
    X = scattered(cols=1 << 18)
    y = np.where(np.asarray(X.sum(axis=1)).ravel() > 0, "more", "less")
    kept = X.copy()
    clf = linnet.TextClassifier(SVM(tol=1e-8), C=1.0).fit(X, y)
    assert (X != kept).nnz == 0 and narrowed(X, SVM(), 1) is not None
    plain = SVM(tol=1e-8, C=1.0).fit(X, y)
    assert clf.learner_.coef_.shape == plain.coef_.shape == (1, 1 << 18)
    np.testing.assert_allclose(clf.learner_.coef_, plain.coef_, atol=1e-3)
    assert clf.learner_.n_features_in_ == 1 << 18
    assert (clf.predict(X) == plain.predict(X)).all()


def test_hashed_texts_are_fitted_alike_at_any_number_of_threads() -> None:
    rng = np.random.default_rng(0)
    words = np.array([f"word{k}" for k in range(300)])
    texts = [" ".join(words[(rng.zipf(1.3, size=20) - 1) % 300]) for _ in range(200)]
    y = ["with" if "word7 " in text else "without" for text in texts]
    fitted = [
        linnet.TextClassifier(features="words", hashing=20, n_threads=n).fit(texts, y)
        for n in (1, 2)
    ]
    one, two = (clf.learner_ for clf in fitted)
    assert one.coef_.shape == (1, 1 << 20) and np.count_nonzero(one.coef_) > 0
    assert (one.coef_ == two.coef_).all() and (one.intercept_ == two.intercept_).all()
    assert (fitted[0].predict(texts) == fitted[1].predict(texts)).all()
    np.testing.assert_allclose(
        fitted[0].decision_function(texts).ravel(),
        one.decision_function(fitted[0].features_.transform(texts)).ravel(), atol=1e-4,
    )  # fmt: skip
