"""Nearest neighbours of sparse vectors: common and rare columns, many rows, batches, Ctrl-C."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet import MemoryBased


def mixed(rows: int, seed: int) -> sp.csr_matrix:
    """Return vectors with columns that all, some and few rows have, and one that none has."""
    rng = np.random.default_rng(seed)
    share = np.r_[np.ones(3), np.full(20, 0.3), np.full(400, 0.01), 0.0]
    X = rng.normal(0.3, 1.0, (rows, len(share))) * (rng.random((rows, len(share))) < share)
    return sp.csr_matrix(X)


def brute(metric: str, X: sp.csr_matrix, T: sp.csr_matrix) -> NDArray[np.float64]:
    a, b = T.toarray(), X.toarray()
    if metric == "l2":
        return np.sqrt(np.maximum(0, (a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T))
    norms = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(b, axis=1)
    return 1 - np.divide(a @ b.T, norms, out=np.zeros_like(norms), where=norms > 0)


@pytest.mark.spec("M-95", "M-96")
@pytest.mark.parametrize("metric", ["cosine", "l2"])
@pytest.mark.parametrize("rows", [1, 255, 256, 700])
def test_the_index_finds_what_brute_force_finds(metric: Any, rows: int) -> None:
    X, T = mixed(rows, 0), mixed(40, 1)
    T = sp.vstack([T, sp.csr_matrix((1, T.shape[1]))]).tocsr()
    k = min(9, rows)
    model = MemoryBased(k, metric, neighbors="examples").fit(X, np.arange(rows) % 3)
    distances, found = model.kneighbors(T)
    expected = brute(metric, X, T)
    np.testing.assert_allclose(distances, np.sort(expected, axis=1)[:, :k], atol=1e-7)
    np.testing.assert_allclose(np.take_along_axis(expected, found, 1), distances, atol=1e-7)


def test_more_rows_than_are_scored_at_once_are_all_found() -> None:
    rng = np.random.default_rng(2)
    n = 33_000
    X = sp.random(n, 60, 0.03, format="csr", random_state=rng) + sp.csr_matrix(
        (np.full(n, 0.1), (np.arange(n), np.zeros(n, int))), shape=(n, 60)
    )
    X = sp.csr_matrix(X)
    T = sp.random(10, 60, 0.2, format="csr", random_state=rng)
    T = sp.vstack([T, X[[0, 32_767, 32_768, n - 1]]]).tocsr()
    distances, found = MemoryBased(5, "cosine").fit(X, np.arange(n) % 2).kneighbors(T)
    expected = brute("cosine", X, T)
    np.testing.assert_allclose(distances, np.sort(expected, axis=1)[:, :5], atol=1e-9)
    assert found.max() > 32_768
    assert (np.diff(distances, axis=1) >= 0).all()


def test_an_answer_does_not_depend_on_the_batch_or_the_threads() -> None:
    X, T = mixed(600, 3), mixed(300, 4)
    y = np.arange(600) % 4
    model = MemoryBased(7, "cosine", vote="inverse_distance", n_threads=1).fit(X, y)
    together = model.predict_proba(T)
    alone = np.vstack([model.predict_proba(T[i]) for i in range(40)])
    np.testing.assert_array_equal(alone, together[:40])
    np.testing.assert_array_equal(model.set_params(n_threads=3).predict_proba(T), together)


def test_equal_vectors_are_at_one_distance_and_ordered_by_row() -> None:
    one = mixed(1, 5)
    X = sp.vstack([mixed(300, 6), *[one] * 50]).tocsr()
    model = MemoryBased(1, "l2").fit(X, ["other"] * 300 + ["a"] * 20 + ["b"] * 30)
    distances, found = model.kneighbors(one, k=50)
    assert distances[0].tolist() == [0.0] * 50
    assert found[0].tolist() == list(range(300, 350))
    assert model.predict(one).tolist() == ["b"]  # all fifty vote, though k is 1
    first = MemoryBased(21, "l2", neighbors="examples").fit(X, model.predict(X))
    assert first.kneighbors(one)[1][0].tolist() == list(range(300, 321))


@pytest.mark.parametrize("metric", ["overlap", "mvdm", "cosine"])
def test_a_model_that_has_answered_is_pickled_as_one_that_has_not(metric: Any) -> None:
    X = np.arange(12).reshape(6, 2) % 5
    model = MemoryBased(1, metric).fit(X, list("aabbcc"))
    fresh = pickle.dumps(model)
    expected = model.predict(X)
    assert len(pickle.dumps(model)) == len(fresh)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), expected)


SCRIPT = """
import time
import numpy as np, scipy.sparse as sp
from linnet import MemoryBased

rng = np.random.default_rng(0)
symbols = rng.integers(0, 60, (10_000, 12)).astype(str)
asked = rng.integers(0, 60, (10_000, 12)).astype(str)
vectors = sp.random(40_000, 2_000, 0.02, format="csr", random_state=0)
for parameters, X, T in (
    (dict(metric="mvdm", k=11, n_threads=2), symbols, asked),
    (dict(metric="overlap", k=11, n_threads=1), symbols, asked),
    (dict(metric="overlap", neighbors="examples", k=5, n_threads=2), symbols, asked),
    (dict(metric="cosine", k=20, n_threads=2), vectors, vectors),
    (dict(metric="l2", k=20, n_threads=1), vectors, vectors),
):
    model = MemoryBased(**parameters).fit(X, np.arange(X.shape[0]) % 3)
    model.predict(T[:1])
    print("ready", flush=True)
    try:
        model.predict(T)
        print("finished", time.time(), flush=True)
    except KeyboardInterrupt:
        print("interrupted", time.time(), flush=True)
    print("usable", model.predict(T[:3]).shape, flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_signal_stops_a_search_and_the_interpreter_goes_on(
    start_process: Callable[..., Any],
) -> None:
    process = start_process(
        [sys.executable, "-W", "ignore", "-c", SCRIPT], stdout=subprocess.PIPE, text=True
    )
    for search in range(5):
        assert process.stdout.readline() == "ready\n", search
        time.sleep(0.3)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        word, when = process.stdout.readline().split()
        assert word == "interrupted", search
        assert float(when) - sent < 3.0, search
        assert process.stdout.readline() == "usable (3,)\n", search
    assert process.wait(timeout=30) == 0
