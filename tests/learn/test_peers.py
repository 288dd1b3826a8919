"""The same problems given to LIBLINEAR and scikit-learn: never a worse objective, the same labels.

Objectives are compared by our own formula at the weights each tool returns (SPEC E-06). A fit is
certified to within tol of the optimum, so it may be worse than a peer by that share, no more.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from linnet.data import SentimentCorpus, count_words, load_iris, load_pydoc, read_svmlight
from linnet.learn.maxent import MaxEnt
from linnet.learn.shared.inputs import bag_vocabulary, bags_to_csr
from linnet.learn.svm import SVM

from .risks import objective

Model = MaxEnt | SVM
Data = tuple[sp.csr_matrix, Any, sp.csr_matrix]  # training rows, their labels, test rows
APART = 1e-4  # the peers stop by rules of their own, and must have come this near to ours
TOL = 1e-8
L1_TOL = 1e-6  # rounding stops the l1 squared hinge at some 4e-7: its bound is linear in the slope

# LIBLINEAR's solvers and the learner that minimises the same objective.
LIBLINEAR: dict[int, Model] = {
    0: MaxEnt(multi_class="ovr", solver="newton"),
    1: SVM(loss="squared_hinge", multi_class="ovr", solver="dual_cd"),
    2: SVM(loss="squared_hinge", multi_class="ovr", solver="newton"),
    3: SVM(multi_class="ovr"),
    4: SVM(),
    5: SVM(loss="squared_hinge", multi_class="ovr", penalty="l1"),
    6: MaxEnt(multi_class="ovr", penalty="l1"),
    7: MaxEnt(multi_class="ovr", solver="dual_cd"),
}


@pytest.fixture(scope="module")
def data(data_dir: Callable[[str], Path]) -> Callable[[str], Data]:
    read: dict[str, Data] = {}

    def load(name: str) -> Data:
        if name not in read:
            read[name] = LOADERS[name](data_dir)
        return read[name]

    return load


def a9a(data_dir: Callable[[str], Path]) -> Data:
    X, y = read_svmlight(data_dir("a9a") / "a9a.gz")[:2]
    X = sp.csr_matrix(X)
    return X[:8000], y[:8000], X[8000:12000]


def books(data_dir: Callable[[str], Path]) -> Data:
    corpus = SentimentCorpus(folder=data_dir("amazon_books"))
    return corpus.train_X, corpus.train_y, corpus.test_X


def iris(_: Any) -> Data:
    flowers = load_iris()
    X = sp.csr_matrix((flowers.X - flowers.X.mean(axis=0)) / flowers.X.std(axis=0))
    return X, flowers.y, X


def pydoc(_: Any) -> Data:
    corpus = load_pydoc()
    bags = [count_words(text) for text in corpus.train_texts[:1200]]
    vocabulary = bag_vocabulary(bags)
    rest = bags_to_csr([count_words(text) for text in corpus.test_texts[:400]], vocabulary)
    _, y = np.unique(corpus.train_labels[:1200], return_inverse=True)
    return bags_to_csr(bags, vocabulary), y, rest


LOADERS: dict[str, Callable[[Any], Data]] = {
    "a9a": a9a, "amazon_books": books, "iris": iris, "pydoc": pydoc
}  # fmt: skip

# Crammer and Singer's machine with two columns (LIBLINEAR's solver 4) is another problem.
SAME_PROBLEM = [
    (name, solver)
    for name in LOADERS
    for solver in LIBLINEAR
    if solver != 4 or name not in ("a9a", "amazon_books")
]


def twin_of(model: Model, weights: Any, y: Any) -> Any:
    """Return the learner with the weights of a peer, [columns, J + 1], the intercept last."""
    twin = type(model)(**model.get_params())
    twin.classes_, twin.n_features_in_ = np.unique(y), weights.shape[1] - 1
    twin.coef_, twin.intercept_ = weights[:, :-1], weights[:, -1]
    return twin


def compare(model: Model, weights: Any, data: Data) -> None:
    """Fit the learner; hold its objective and its labels against the peer's weights."""
    X, y, rest = data
    ours = model.fit(X, y)
    peer = twin_of(model, weights, y)
    mine, theirs = objective(ours, X, y), objective(peer, X, y)
    assert ours.optimality_ <= ours.tol
    assert mine <= theirs * (1 + ours.tol)
    assert theirs - mine <= APART * theirs
    scores = ours.decision_function(rest)
    if scores.ndim > 1:
        top = np.sort(scores, axis=1)
        scores = top[:, -1] - top[:, -2]
    clear = np.abs(scores) >= 1e-3
    np.testing.assert_array_equal(ours.predict(rest)[clear], peer.predict(rest)[clear])


def liblinear_weights(data: Data, solver: int, C: float, tolerance: float) -> Any:
    import liblinear.liblinearutil as util  # Windows has no wheel of it

    X, y, _ = data
    model = util.train(y.astype(np.float64), X, f"-s {solver} -c {C} -B 1 -e {tolerance} -q")
    # columns follow the labels in order of appearance; two classes have the first as positive
    order = np.argsort([model.label[k] for k in range(model.nr_class)])
    one = model.nr_class == 2 and solver != 4
    flat = np.ctypeslib.as_array(model.w, ((X.shape[1] + 1) * (1 if one else model.nr_class),))
    if one:
        return flat[None, :].copy() * (1.0 if order[0] == 1 else -1.0)
    return flat.reshape(-1, model.nr_class).T[order].copy()


@pytest.mark.slow
@pytest.mark.spec("E-06", "M-82", "M-83", "M-84", "M-85", "M-88", "M-74")
@pytest.mark.skipif(os.name == "nt", reason="liblinear-official has no wheel for Windows")
@pytest.mark.parametrize(("name", "solver"), SAME_PROBLEM)
def test_liblinear_finds_no_better_model(
    data: Callable[[str], Data], name: str, solver: int
) -> None:
    C = 0.01 if name == "a9a" else 0.1
    tolerance = {0: 1e-7, 2: 1e-7, 5: 1e-5, 6: 1e-5}.get(solver, 1e-4)
    weights = liblinear_weights(data(name), solver, C, tolerance)
    model = LIBLINEAR[solver]
    tol = L1_TOL if solver == 5 else TOL
    model.set_params(C=C, tol=tol, max_iter=100_000, random_state=0)
    compare(model, weights, data(name))


@pytest.mark.slow
@pytest.mark.spec("M-52", "M-59")
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", LOADERS)
def test_logistic_regression_of_scikit_learn_finds_no_better_model(
    data: Callable[[str], Data], name: str
) -> None:
    X, y, _ = data(name)
    peer = LogisticRegression(C=0.1, tol=1e-5, max_iter=10_000).fit(X, y)
    weights = np.column_stack([peer.coef_, peer.intercept_])
    model = MaxEnt(C=0.1, penalize_intercept=False, tol=TOL, max_iter=10_000)
    compare(model, weights, data(name))


@pytest.mark.slow
@pytest.mark.spec("M-82", "M-83")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_linear_svc_of_scikit_learn_finds_no_better_model(
    data: Callable[[str], Data], name: str, loss: str
) -> None:
    X, y, _ = data(name)
    C = 0.01 if name == "a9a" else 0.1
    peer = LinearSVC(C=C, loss=loss, tol=1e-5, max_iter=100_000, random_state=0).fit(X, y)
    weights = np.column_stack([peer.coef_, peer.intercept_])
    model = SVM(C=C, loss=loss, multi_class="ovr", tol=TOL, max_iter=100_000, random_state=0)
    compare(model, weights, data(name))
