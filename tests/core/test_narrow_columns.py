"""The used columns of a matrix, numbered anew: the same rows, in another order of columns."""

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


def tier(rows: Any) -> Any:
    """Return the plain twin of how frequent columns are: 64 rows or more, 8, 2, or 1."""
    return np.select([rows >= 64, rows >= 8, rows >= 2], [0, 1, 2], 3)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("in_place", [True, False])
def test_rows_over_the_used_columns_are_those_of_the_matrix(threads: int, in_place: bool) -> None:
    X = scattered()
    wide = _core.Matrix(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1])
    used = _core.NarrowColumns(wide, threads)
    rows = np.bincount(X.indices, minlength=X.shape[1])
    first_row = np.zeros(X.shape[1], int)  # of those that one row has: they come in its order
    first_row[X.indices] = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    expected = np.flatnonzero(rows)
    tiers = tier(rows[expected])
    expected = expected[np.lexsort((expected, (tiers == 3) * first_row[expected], tiers))]
    before = X.toarray()
    index, value = (X.indices, X.data) if in_place else (X.indices.copy(), X.data.copy())
    columns = np.empty(used.used, np.int32)
    used.rows(wide, index, value, columns, threads)
    assert columns.tolist() == expected.tolist()
    narrow = sp.csr_matrix((value, index, X.indptr), (X.shape[0], used.used))
    assert (narrow.toarray() == before[:, columns]).all()
    assert all((np.diff(row.indices) > 0).all() for row in narrow)


def test_another_matrix_is_refused() -> None:
    X = scattered()
    wide = _core.Matrix(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1])
    other = _core.Matrix(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1] + 1)
    used = _core.NarrowColumns(wide, 1)
    columns = np.empty(used.used, np.int32)
    with pytest.raises(ValueError, match="another matrix"):
        used.rows(other, X.indices, X.data, columns, 1)
    with pytest.raises(ValueError, match="a place for each"):
        used.rows(wide, X.indices, X.data, np.empty(used.used + 1, np.int32), 1)
    with pytest.raises(ValueError, match="too short"):
        used.rows(wide, X.indices[:-1].copy(), X.data, columns, 1)
    single = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]) == 1)[0]
    X.indices[0] = single  # twice now, where it was counted once
    with pytest.raises(ValueError, match="another matrix"):
        used.rows(wide, X.indices, X.data, columns, 1)


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
