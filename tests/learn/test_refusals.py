"""What cannot be used is refused: linnet's own errors, with a reason and what to do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet
from linnet.errors import DataError, LinnetError, NotFittedError, ParameterError
from linnet.learn.maxent import MaxEnt
from linnet.learn.shared.checks import seed_from
from linnet.learn.shared.inputs import checked_features
from linnet.learn.svm import SVM
from linnet.threads import thread_count

from .risks import clouds

X2, Y2 = clouds(rows=40, cols=3)
X3, Y3 = clouds(rows=40, cols=3, classes=3)


def broken(**changes: tuple[int, int]) -> sp.csr_matrix:
    X = sp.csr_matrix(X2.copy())
    for name, (position, value) in changes.items():
        getattr(X, name)[position] = value
    return X


def short() -> sp.csr_matrix:
    X = sp.csr_matrix(X2.copy())
    X.data = X.data[:50]
    return X


DATA: dict[str, tuple[Callable[[], Any], str]] = {
    "nan": (lambda: MaxEnt().fit(np.where(X2 > 1, np.nan, X2), Y2), "NaN"),
    "infinity": (lambda: MaxEnt().fit(sp.csr_matrix([[np.inf], [1.0]]), [0, 1]), "infinity"),
    "complex": (lambda: MaxEnt().fit(X2 * 1j, Y2), "[Cc]omplex"),
    "text": (lambda: MaxEnt().fit([["a"], ["b"]], [0, 1]), "could not convert string"),
    "one class": (lambda: SVM().fit(X2, ["x"] * 40), r"2 classes.*1 class \('x'\)"),
    "no rows": (lambda: MaxEnt().fit(np.zeros((0, 3)), []), "0 sample"),
    "no columns": (lambda: MaxEnt().fit(np.zeros((3, 0)), [0, 1, 1]), r"0 feature\(s\)"),
    "one dimension": (lambda: MaxEnt().fit(X2[0], Y2), "2D array"),
    "three dimensions": (lambda: MaxEnt().fit(X2[None], Y2), "dim"),
    "sparse, one dimension": (lambda: MaxEnt().fit(sp.coo_array(X2[0]), Y2), "2D"),
    "width": (lambda: MaxEnt().fit(X2, Y2).predict(X2[:, :2]), "2 features.*expecting 3"),
    "column too large": (lambda: MaxEnt().fit(broken(indices=(4, 99)), Y2), "broken"),
    "column negative": (lambda: MaxEnt().fit(broken(indices=(4, -1)), Y2), "broken"),
    "pointers fall": (lambda: MaxEnt().fit(broken(indptr=(4, 0)), Y2), "broken"),
    "pointers start late": (lambda: MaxEnt().fit(broken(indptr=(0, 2)), Y2), "broken"),
    "pointers start below 0": (lambda: MaxEnt().fit(broken(indptr=(0, -9)), Y2), "broken"),
    "pointers run over": (lambda: MaxEnt().fit(broken(indptr=(40, 10**6)), Y2), "broken"),
    "too few values": (lambda: MaxEnt().fit(short(), Y2), "broken.*50 values"),
    "no y": (lambda: SVM().fit(X2, None), "requires y"),
    "lengths": (lambda: SVM().fit(X2, Y2[:5]), "40 rows.*5 labels"),
    "continuous y": (lambda: SVM().fit(X2, X2[:, 0]), "Unknown label type"),
    "nan in y": (lambda: SVM().fit(X2, np.where(Y2 == 1, np.nan, 0.0)), "NaN"),
    "two columns of y": (lambda: SVM().fit(X2, np.zeros((40, 2))), "1d array"),
    "negative weight": (lambda: MaxEnt().fit(X2, Y2, -np.ones(40)), "not negative"),
    "negative number as weight": (lambda: MaxEnt().fit(X2, Y2, -1.0), "not negative"),
    "weights all 0": (lambda: MaxEnt().fit(X2, Y2, np.zeros(40)), "zero"),
    "weights in two dimensions": (lambda: MaxEnt().fit(X2, Y2, np.ones((40, 1))), "1D"),
    "number of weights": (lambda: MaxEnt().fit(X2, Y2, [1.0, 2.0]), "2 values for 40 rows"),
    "weights of text": (lambda: MaxEnt().fit(X2, Y2, ["a"] * 40), "numbers"),
    "dictionaries after arrays": (lambda: MaxEnt().fit(X2, Y2).predict([{"a": 1}]), "arrays"),
    "lists after dictionaries": (
        lambda: MaxEnt().fit([{"a": 1}, {"b": 1}], [0, 1]).predict([[1.0, 2.0]]),
        "Row 0 is a list",
    ),
    "a row that is no dictionary": (lambda: MaxEnt().fit([{"a": 1}, 3], [0, 1]), "Row 1 is a int"),
    "names of two kinds": (lambda: MaxEnt().fit([{"a": 1, 2: 1}, {}], [0, 1]), "names"),
    "values that are no numbers": (lambda: MaxEnt().fit([{"a": b"x"}, {}], [0, 1]), "numbers"),
    "negative features for scaling": (lambda: MaxEnt(solver="gis").fit(X2, Y2), "not negative"),
}


@pytest.mark.parametrize(("call", "reason"), DATA.values(), ids=DATA.keys())
def test_data_that_cannot_be_used_are_refused(call: Callable[[], Any], reason: str) -> None:
    with pytest.raises(DataError, match=f"(?s){reason}"):
        call()


PARAMETERS: dict[str, tuple[MaxEnt | SVM, str]] = {
    "C zero": (MaxEnt(C=0), "C must be positive"),
    "C text": (MaxEnt(C="1"), "C must be a positive number"),  # type: ignore[arg-type]
    "C nan": (SVM(C=float("nan")), "C must be positive and finite"),
    "tol": (SVM(tol=-1.0), "tol must be positive"),
    "max_iter zero": (MaxEnt(max_iter=0), "max_iter must be positive"),
    "max_iter a half": (MaxEnt(max_iter=0.5), "integer"),  # type: ignore[arg-type]
    "solver": (MaxEnt(solver="simplex"), "solver must be one of 'auto', 'dual_cd'"),
    "solver of the other": (SVM(solver="gis"), "solver must be one of"),
    "penalty": (MaxEnt(penalty="l3"), "penalty must be one of 'l2', 'l1'"),
    "multi_class": (MaxEnt(multi_class="crammer_singer"), "'multinomial', 'ovr'"),
    "scheme": (SVM(multi_class="multinomial"), "'crammer_singer', 'ovr', 'ovo'"),
    "loss": (SVM(loss="log"), "'hinge', 'squared_hinge'"),
    "l1_ratio": (MaxEnt(l1_ratio=2.0), r"l1_ratio must lie in \[0, 1\]"),
    "l1_ratio text": (MaxEnt(l1_ratio="a"), r"l1_ratio must lie"),  # type: ignore[arg-type]
    "intercept_scaling": (SVM(intercept_scaling=0.0), "intercept_scaling must be positive"),
    "n_threads": (SVM(n_threads=0), "n_threads must be None or a positive integer"),
    "random_state": (SVM(random_state=-1), "random_state"),
    "random_state text": (SVM(random_state="seed"), "seed"),
    "class_weight": (SVM(class_weight="even"), "'balanced'"),
    "class_weight unknown": (SVM(class_weight={0: 1, 7: 2}), r"not in y: \[7\]"),
    "class_weight negative": (SVM(class_weight={0: -1.0}), "not negative"),
    "class_weight text": (SVM(class_weight={0: "a"}), "class_weight"),
    "class_weight all 0": (SVM(class_weight={0: 0, 1: 0}), "zero for every class"),
    "prior length": (MaxEnt(prior_variance=[1.0, 2.0]), r"shape \(3,\)"),
    "prior sign": (MaxEnt(prior_variance=[1.0, 0.0, 1.0]), "positive"),
    "prior text": (MaxEnt(prior_variance="wide"), "numbers"),
    "prior and l1": (MaxEnt(prior_variance=1.0, penalty="l1"), "penalty='l2'"),
    "hinge, free intercept by dual descent": (
        SVM(penalize_intercept=False, solver="dual_cd"),
        "intercept included",
    ),
    "hinge by newton": (SVM(solver="newton"), "differentiable loss.*dual_cd"),
    "l1 by newton": (MaxEnt(penalty="l1", solver="newton"), "lbfgs"),
    "l1 by dual descent": (MaxEnt(penalty="l1", solver="dual_cd"), "l2 penalty"),
    "hinge with l1": (SVM(penalty="l1"), "squared_hinge"),
    "free intercept by dual descent": (
        MaxEnt(penalize_intercept=False, solver="dual_cd"),
        "intercept included",
    ),
    "pegasos": (SVM(solver="pegasos", loss="squared_hinge"), "hinge"),
    "cost of two classes": (SVM(cost=[[0, 1], [1, 0]]), "more than 2 classes"),
    "sgd with l1": (MaxEnt(solver="sgd", penalty="l1"), "penalty='l2'"),
}


@pytest.mark.parametrize(("model", "reason"), PARAMETERS.values(), ids=PARAMETERS.keys())
def test_parameters_that_cannot_work_are_refused(model: MaxEnt | SVM, reason: str) -> None:
    with pytest.raises(ParameterError, match=f"(?s){reason}"):
        model.fit(X2, Y2)


@pytest.mark.spec("M-48")
@pytest.mark.parametrize(
    ("cost", "reason"),
    [(np.ones((3, 3)), "zero diagonal"), (np.eye(3) - 1, "not negative"),
     (1 - np.eye(2), r"shape \(3, 3\)"), ("dear", "numbers"), ([[0, 1, 2], [1, 0]], "numbers"),
     (np.full((3, 3), np.inf), "finite")],
)  # fmt: skip
def test_a_cost_matrix_must_be_square_not_negative_and_zero_on_the_diagonal(
    cost: Any, reason: str
) -> None:
    with pytest.raises(ParameterError, match=reason):
        SVM(cost=cost).fit(X3, Y3)
    with pytest.raises(ParameterError, match="crammer_singer"):
        SVM(cost=1 - np.eye(3), multi_class="ovr").fit(X3, Y3)


def test_joint_losses_refuse_solvers_that_need_a_gradient() -> None:
    with pytest.raises(ParameterError, match="dual_cd"):
        SVM(loss="squared_hinge", solver="newton").fit(X3, Y3)
    with pytest.raises(ParameterError, match="multinomial"):
        MaxEnt(solver="gis", multi_class="ovr").fit(np.abs(X3), Y3)
    with pytest.raises(ParameterError, match="'ovo'"):
        SVM(solver="sgd", multi_class="ovo").fit(X3, Y3)


@pytest.mark.parametrize("model", [MaxEnt(), SVM()])
def test_a_model_must_be_fitted_before_it_is_used(model: Any) -> None:
    for method in ("predict", "decision_function", "predict_proba"):
        if hasattr(model, method):
            with pytest.raises(NotFittedError, match="not fitted yet"):
                getattr(model, method)(X2)
    with pytest.raises(LinnetError):
        _ = model.n_nonzero_


def test_the_helpers_refuse_what_is_not_a_number_of_threads_or_a_seed() -> None:
    assert thread_count(3) == 3 and thread_count(None) >= 1 and seed_from(5) == 5
    assert seed_from(None) >= 0 and 0 <= seed_from(np.random.RandomState(0)) < 2**31
    for bad in (True, 1.5, -2, "2"):
        with pytest.raises(ParameterError):
            thread_count(bad)  # type: ignore[arg-type]
    assert checked_features(X2).non_negative is False


def test_a_broken_matrix_does_not_harm_the_process() -> None:
    script = (
        "import numpy as np, scipy.sparse as sp, linnet\n"
        "for position, value in ((0, -50), (0, 10**6), (40, 10**7), (7, -3), (7, 10**8)):\n"
        "    X = sp.csr_matrix(np.ones((40, 9)))\n"
        "    X.indptr[position] = value\n"
        "    try:\n"
        "        linnet.MaxEnt().fit(X, np.arange(40) % 2)\n"
        "    except linnet.errors.DataError:\n"
        "        print('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, "refused\n" * 5), done.stderr


@pytest.mark.parametrize(
    "learner",
    [
        linnet.SVM(),
        linnet.MaxEnt(solver="lbfgs"),
        linnet.MaxEnt(solver="iis"),
        linnet.KernelSVM(),
        linnet.KernelPerceptron(),
        linnet.DecisionTree(),
        linnet.MemoryBased(),
        linnet.MemoryBased(metric="cosine"),
    ],
)
def test_more_rows_than_have_numbers_are_refused(
    learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0, 1, 0]
    learner.fit(X, y)
    monkeypatch.setattr("linnet.learn.shared.checks.MOST_NUMBERS", 2)
    with pytest.raises(DataError, match="X has 3 rows.*numbers at most.*online"):
        learner.fit(X, y)
    linnet.Perceptron().fit(X, y)


def test_more_threads_than_a_machine_can_use_are_not_asked_for() -> None:
    assert thread_count(10**30) == thread_count(5000)
