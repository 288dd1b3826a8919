"""Two threads share a row, or one makes it alone: the clock decides, and the result is the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from linnet import MIRA, SVM, MaxEnt, Perceptron
from linnet.learn.flat.online_run import FlatRun
from linnet.learn.shared.inputs import WORTH_THREADS

LEARNERS: dict[str, Any] = {
    "dual, squared hinge": SVM(loss="squared_hinge", multi_class="ovr", tol=1e-4),
    "dual, hinge": SVM(multi_class="ovr", tol=1e-2),
    "dual, log": MaxEnt(multi_class="ovr", tol=1e-4),
    "perceptron": Perceptron(max_iter=4, stop_when_clean=False),
    "MIRA": MIRA(max_iter=4, average=False),
    "SGD": SVM(solver="sgd", tol=0.0, max_iter=4),
}


def long_rows(seed: int = 0) -> tuple[Any, Any]:
    """Return rows that are worth two threads."""
    rng = np.random.default_rng(seed)
    rows, cols, per_row = 4000, 3000, 300
    index = np.sort(rng.permuted(np.tile(np.arange(cols), (rows, 1)), axis=1)[:, :per_row], axis=1)
    X = sp.csr_matrix(
        (rng.random(rows * per_row).astype(np.float32) / 10, index.ravel().astype(np.int32),
         np.arange(0, rows * per_row + 1, per_row)), (rows, cols),
    )  # fmt: skip
    y = (X @ rng.normal(size=cols) + 0.3 * rng.normal(size=rows) > 0).astype(np.int64)
    assert X.nnz >= WORTH_THREADS
    return X, y


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    return long_rows()


@pytest.mark.spec("C-02", "C-24")
@pytest.mark.parametrize("name", LEARNERS)
def test_one_thread_and_two_give_the_same_bits(name: str, data: tuple[Any, Any]) -> None:
    X, y = data
    one, two = (clone(LEARNERS[name]).set_params(n_threads=n, random_state=3) for n in (1, 2))
    one.fit(X, y)
    two.fit(X, y)
    assert one.n_iter_ == two.n_iter_ > 2  # so that the second pass was made by two threads
    assert (one.coef_ == two.coef_).all() and (one.intercept_ == two.intercept_).all()


def test_passes_are_made_in_the_way_that_was_faster(
    data: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from linnet.learn.flat import online_run

    clock, passes, seconds = 0.0, [], {1: 1.0, 2: 3.0}
    ask = online_run._core.online_pass

    def online_pass(**arguments: Any) -> Any:
        nonlocal clock
        passes.append(arguments["threads"])
        clock += seconds[arguments["threads"]]
        return ask(**arguments)

    monkeypatch.setattr(online_run, "perf_counter", lambda: clock)
    monkeypatch.setattr(online_run._core, "online_pass", online_pass)
    X, y = data
    Perceptron(max_iter=4, stop_when_clean=False, n_threads=2).fit(X, y)
    assert passes == [1, 2, 1, 1]
    passes.clear()
    seconds[2] = 0.5
    Perceptron(max_iter=4, stop_when_clean=False, n_threads=2).fit(X, y)
    assert passes == [1, 2, 2, 2]
    assert FlatRun._alone == 0.0  # each run looks for itself


def wider(X: Any, step: int) -> Any:
    """Return the same features as every step-th column of a matrix with many unused ones."""
    return sp.csr_matrix((X.data, X.indices * step, X.indptr), (X.shape[0], X.shape[1] * step))


@pytest.mark.spec("C-24")
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("name", ["dual, squared hinge", "dual, log", "joint", "many classes"])
def test_unused_columns_change_no_bit(
    name: str, fit_intercept: bool, data: tuple[Any, Any]
) -> None:
    X, y = data[0][:600], data[1][:600]
    if name == "joint":
        learner, y = SVM(tol=1e-3), np.arange(600) % 3
    elif name == "many classes":
        learner, y = SVM(loss="squared_hinge", multi_class="ovr", tol=1e-2), np.arange(600) % 40
    else:
        learner = clone(LEARNERS[name])
    learner.set_params(fit_intercept=fit_intercept, random_state=0)
    plain = clone(learner).fit(X, y)
    wide = clone(learner).fit(wider(X, 200), y, accuracy_on={"train": (wider(X, 200), y)})
    assert (wide.coef_[:, ::200] == plain.coef_).all()
    assert (wide.intercept_ == plain.intercept_).all()
    assert np.count_nonzero(wide.coef_) == np.count_nonzero(plain.coef_)
    assert wide.history_["objective"].tolist() == plain.history_["objective"].tolist()
    assert wide.history_["train_accuracy"][-1] == (plain.predict(X) == y).mean()
    more = clone(wide).set_params(warm_start=True, C=2.0).fit(wider(X, 200), y)
    assert more.set_params(C=4.0).fit(wider(X, 200), y).optimality_ <= learner.tol


@pytest.mark.spec("C-24", "C-30")
@pytest.mark.parametrize("ones", [True, False])
def test_columns_of_a_single_row_are_solved_as_any_other(ones: bool, data: tuple[Any, Any]) -> None:
    y = data[1][:600]
    own = sp.csr_matrix((np.full(1800, 0.1), (np.arange(1800) % 600, np.arange(1800))))
    X = sp.hstack([own, data[0][:600]], "csr").astype(np.float32)
    if ones:  # without values
        X.data[:] = 1.0
    learner = SVM(loss="squared_hinge", multi_class="ovr", tol=1e-6, C=0.1, random_state=0)
    plain = clone(learner).fit(X, y)
    one, two = (clone(learner).set_params(n_threads=n).fit(wider(X, 100), y) for n in (1, 2))
    assert (one.coef_ == two.coef_).all()
    assert np.count_nonzero(one.coef_) == np.count_nonzero(one.coef_[:, ::100]) > 1800
    signed = np.where(y == 1, 1.0, -1.0) * one.dual_coef_[:, 0]
    np.testing.assert_allclose(one.coef_[0, ::100], X.T @ signed, rtol=1e-9, atol=1e-12)
    assert one.optimality_ <= 1e-6
    best = plain.history_["objective"][-1]
    assert one.history_["objective"][-1] == pytest.approx(best, rel=2e-6)
