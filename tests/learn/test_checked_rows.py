"""Rows that many fits ask for: looked at once, and a fit begins where the one before left off."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from linnet import MIRA, SVM, MaxEnt, MultinomialNB, Perceptron
from linnet.errors import DataError
from linnet.learn.shared.inputs import CheckedRows

TIGHT: dict[str, Any] = {
    "solver": "dual_cd", "tol": 1e-9, "max_iter": 20_000, "random_state": 0, "warm_start": True,
}  # fmt: skip
WALKERS: dict[str, Any] = {
    "hinge": SVM(**TIGHT),
    "squared hinge": SVM(loss="squared_hinge", **TIGHT),
    "one-vs-rest": SVM(loss="squared_hinge", multi_class="ovr", **TIGHT),
    "log": MaxEnt(**TIGHT),
    "log, one-vs-rest": MaxEnt(multi_class="ovr", **TIGHT),
    "no intercept": SVM(loss="squared_hinge", fit_intercept=False, **TIGHT),
}
each_walker = pytest.mark.parametrize("name", WALKERS)


LINEAR = [
    MultinomialNB(), Perceptron(random_state=0), MIRA(random_state=0), MaxEnt(penalty="l1"),
]  # fmt: skip


def rows(classes: int, n: int = 60, wide: int = 12, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = sp.random(n, wide, 0.5, format="csr", random_state=rng)
    return X, np.arange(n) % classes


def reached(clf: Any) -> float:
    return float(clf.history_["objective"][-1])


def objectives(clf: Any, steps: list[tuple[float, Any, Any]]) -> tuple[list[float], Any]:
    """Fit at each (C, X, y), from where the fit before ended."""
    found = []
    for C, X, y in steps:
        clf.set_params(C=C).fit(X, y)
        found.append(reached(clf))
    return found, clf.coef_


@pytest.mark.spec("C-22", "C-24")
@each_walker
@pytest.mark.parametrize("classes", [2, 3])
def test_a_walk_over_checked_rows_is_one_over_rows(name: str, classes: int) -> None:
    X, y = rows(classes)
    known, strengths = CheckedRows(X, goes_on=True), (0.3, 1.0, 3.0, 10.0, 1.0, 1.0)
    ours = objectives(clone(WALKERS[name]), [(C, known, y) for C in strengths])
    plain = objectives(clone(WALKERS[name]), [(C, X, y) for C in strengths])
    np.testing.assert_allclose(ours[0], plain[0], rtol=1e-8)
    np.testing.assert_allclose(ours[1], plain[1], rtol=1e-3, atol=1e-4)


@each_walker
def test_a_fit_that_begins_at_its_end_sees_it(name: str) -> None:
    X, y = rows(2)
    known, clf = CheckedRows(X, goes_on=True), clone(WALKERS[name])
    first = clf.fit(known, y).coef_.copy()
    again = clf.fit(known, y)
    assert list(again.history_["iteration"]) == [0] and (again.coef_ == first).all()


def signed(clf: Any, y: Any) -> Any:
    """Return what multiplies the rows: W = X^T A."""
    one_vs_rest = clf.multi_class == "ovr"
    return np.where(np.arange(3) == y[:, None], 1.0, -1.0 if one_vs_rest else 1.0) * clf.dual_coef_


@pytest.mark.spec("C-24")
@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.1, 1.0, 10.0]),
            st.sampled_from(["labels", "intercept", "form", "cold", "another", "stay", "weights"]),
        ),
        min_size=2, max_size=5,
    )
)  # fmt: skip
def test_nothing_is_taken_for_what_it_was_not(steps: list[tuple[float, str]]) -> None:
    """Between two fits labels, intercept, form, dual variables or learner may change."""
    X, y = rows(3)
    known = CheckedRows(X, goes_on=True)
    clf = SVM(loss="squared_hinge", **{**TIGHT, "tol": 1e-6})
    plain = clone(clf)
    for C, change in steps:
        weights, scale, form = None, clf.intercept_scaling, clf.multi_class
        if change == "labels":
            y = (y + 1) % 3
        elif change == "intercept":
            scale = 3.0 - scale
        elif change == "form":
            form = "ovr" if form != "ovr" else "crammer_singer"
        elif change == "cold":
            clf, plain = clone(clf), clone(plain)
        elif change == "another":
            clone(clf).set_params(C=7.0).fit(known, (y + 1) % 3)
        elif change == "weights":
            weights = 0.5 + (np.arange(len(y)) % 4)
        for model, features in ((clf, known), (plain, X)):
            model.set_params(C=C, intercept_scaling=scale, multi_class=form)
            model.fit(features, y, sample_weight=weights)
        assert reached(clf) == pytest.approx(reached(plain), rel=2e-6)
        np.testing.assert_allclose(clf.coef_, (X.T @ signed(clf, y)).T, rtol=0.0, atol=1e-10)


@pytest.mark.spec("C-24")
@pytest.mark.parametrize("threads", [1, 2])
def test_rounded_weights_begin_where_they_are_known(threads: int) -> None:
    """So many columns that sweeps work on rounded weights; the certificate has the exact ones."""
    rng = np.random.default_rng(1)
    X = sp.random(3000, 70_000, 0.002, format="csr", random_state=rng, dtype=np.float32)
    y = (X @ rng.normal(size=70_000) > 0).astype(int)
    clf = SVM(loss="squared_hinge", tol=1e-3, random_state=0, warm_start=True, n_threads=threads)
    known, plain = CheckedRows(X, threads, goes_on=True), clone(clf)
    for C in (0.3, 1.0, 3.0):
        clf.set_params(C=C).fit(known, y)
        plain.set_params(C=C).fit(X, y)
        sign = np.where(y == 1, 1.0, -1.0)[:, None]
        np.testing.assert_allclose(clf.coef_[0], (X.T @ (sign * clf.dual_coef_))[:, 0], atol=1e-10)
        assert clf.history_["gap"][-1] <= 1e-3 * reached(clf)
        # the fits before left off at their first certificate, where the weights are made anew
        assert (clf.coef_ == plain.coef_).all() and reached(clf) == reached(plain)


def test_one_thread_and_two_give_the_same_bits() -> None:
    rng = np.random.default_rng(2)
    X = sp.random(4000, 3000, 0.1, format="csr", random_state=rng, dtype=np.float32)
    y = (X @ rng.normal(size=3000) > 0).astype(int)
    ends = []
    for threads in (1, 2):
        known = CheckedRows(X, threads, goes_on=True)
        clf = SVM(loss="squared_hinge", random_state=0, warm_start=True, n_threads=threads)
        ends.append(objectives(clf, [(C, known, y) for C in (0.3, 1.0, 3.0)]))
    assert ends[0][0] == ends[1][0] and (ends[0][1] == ends[1][1]).all()


def test_fits_at_the_same_time_do_not_meet() -> None:
    X, y = rows(2, n=2000, wide=200)
    known, alone = CheckedRows(X, goes_on=True), SVM(loss="squared_hinge", **TIGHT).fit(X, y)
    fitted = [clone(alone) for _ in range(4)]
    threads = [threading.Thread(target=clf.fit, args=(known, y)) for clf in fitted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for clf in fitted:
        assert (clf.coef_ == alone.coef_).all()


def test_a_fit_that_was_broken_off_leaves_nothing() -> None:
    X, y = rows(2)
    known, clf = CheckedRows(X, goes_on=True), SVM(loss="squared_hinge", **TIGHT)
    clf.fit(known, y)
    with pytest.raises(DataError, match="overflowed"):
        clone(clf).fit(known, y, sample_weight=np.full(len(y), 1e300))
    again = clf.set_params(C=3.0).fit(known, y)
    assert reached(again) == pytest.approx(reached(clone(clf).fit(X, y)), rel=1e-8)


@pytest.mark.parametrize("clf", LINEAR)
def test_every_linear_learner_takes_them(clf: Any) -> None:
    X, y = rows(3)
    known = CheckedRows(X)
    ours, plain = clone(clf).fit(known, y), clone(clf).fit(X, y)
    assert (ours.coef_ == plain.coef_).all()
    assert (ours.predict(known) == plain.predict(X)).all() and ours.n_features_in_ == X.shape[1]
    np.testing.assert_allclose(known @ ours.coef_.T, X @ ours.coef_.T, rtol=1e-12, atol=1e-12)


def test_what_is_wrong_with_rows_is_said_at_once() -> None:
    with pytest.raises(DataError, match="NaN"):
        CheckedRows([[np.nan, 1.0]])
