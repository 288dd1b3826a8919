"""Sparse matrices that point out of themselves: refused before anything follows them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet
from linnet.errors import DataError
from linnet.learn.kernel.feature_maps import with_squares
from linnet.learn.shared.inputs import checked_features
from linnet.model.readers.features import VectorReader


def dense() -> Any:
    return np.random.default_rng(0).integers(0, 3, (12, 6)).astype(float) + np.eye(12, 6)


def wide(value: int) -> sp.csr_matrix:
    X = sp.csr_matrix(dense())
    X.indices = X.indices.astype(np.int64)
    X.indices[0] = value
    return X


def narrow(value: int) -> sp.csr_matrix:
    X = sp.csr_matrix(dense())
    X.indices[0] = value
    return X


def pointers(change: Callable[[Any], Any], form: str = "csr") -> Any:
    X = sp.csr_matrix(dense()).asformat(form)
    X.indptr = change(X.indptr.copy())
    return X


def falling(start: Any) -> Any:
    start[4] = start[2] - 1
    return start


def beyond(start: Any) -> Any:
    start[-1] = 10**6
    return start


def column_of(form: str, value: int) -> Any:
    X = sp.csr_matrix(dense()).asformat(form)
    (X.col if form == "coo" else X.indices)[0] = value
    return X


def real_ids() -> sp.csr_matrix:
    X = sp.csr_matrix(dense())
    X.indices = X.indices.astype(np.float64)
    return X


BROKEN: dict[str, Callable[[], Any]] = {
    "a wide id that is in range once cut": lambda: wide(2**32 + 3),
    "a wide id": lambda: wide(6),
    "a wide negative id": lambda: wide(-(2**32) + 1),
    "a narrow id": lambda: narrow(6),
    "a negative id": lambda: narrow(-1),
    "falling pointers": lambda: pointers(falling),
    "a last pointer beyond the values": lambda: pointers(beyond),
    "a first pointer that is not 0": lambda: pointers(lambda p: p + 1),
    "a negative first pointer": lambda: pointers(lambda p: p - 1),
    "too few pointers": lambda: pointers(lambda p: p[:-1]),
    "ids that are no integers": real_ids,
    "falling pointers of columns": lambda: pointers(falling, "csc"),
    "a row of a matrix by columns": lambda: column_of("csc", 12),
    "a column of a matrix by triples": lambda: column_of("coo", 6),
    "a negative column of a matrix by triples": lambda: column_of("coo", -2),
    "a block": lambda: column_of("bsr", 10**6),
}
USES: dict[str, Callable[[Any], Any]] = {
    "reading": checked_features,
    "slicing": lambda X: linnet.MaxEnt(solver="sgd").fit(X, Y),
    "fitting": lambda X: linnet.MultinomialNB().fit(X, Y),
    "a dense copy": lambda X: linnet.ParzenWindows().fit(dense(), Y).predict(X),
    "a Gram matrix": lambda X: linnet.KernelSVM(kernel="precomputed").fit(X, Y),
    "a map": with_squares,
    "rows of a model": lambda X: VectorReader(6).rows(X, None),
    "rows of a narrower model": lambda X: VectorReader(4).rows(X, None),
    "rows of a wider model": lambda X: VectorReader(8).rows(X, None),
}
Y = np.arange(12) % 2


def test_no_use_of_a_broken_matrix_follows_it() -> None:
    """Each use of each matrix says what is wrong; in a process of its own, which must survive."""
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout.splitlines()) == (0, []), done.stdout + done.stderr


def test_whole_matrices_of_every_form_are_read() -> None:
    X = sp.csr_matrix(dense())
    long = X.copy()
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    for other in (long, X.tocsc(), X.tocoo(), X.tobsr(), X.tolil(), X.todok()):
        assert (checked_features(other).csr.toarray() == dense()).all()


@pytest.mark.parametrize("what", ["a wide id", "a narrow id", "a column of a matrix by triples"])
def test_the_message_says_that_the_matrix_points_outside(what: str) -> None:
    with pytest.raises(DataError, match="points outside its own columns or rows"):
        checked_features(BROKEN[what]())


def _walk() -> None:
    for use, follow in USES.items():
        for what, make in BROKEN.items():
            try:
                follow(make())
            except DataError:
                continue
            except Exception as error:
                print(f"{use}, {what}: {type(error).__name__}: {error}")
            else:
                print(f"{use}, {what}: not refused")


if __name__ == "__main__":
    _walk()
