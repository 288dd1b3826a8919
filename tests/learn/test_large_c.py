"""At a large C, where coordinate descent crawls, every objective ends at a certified optimum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.learn.risks import Ints, objective, words

from linnet import SVM, MaxEnt

TOL = 1e-4
OBJECTIVES: dict[str, tuple[type, dict[str, Any]]] = {
    "log multinomial": (MaxEnt, {"multi_class": "multinomial"}),
    "log ovr": (MaxEnt, {"multi_class": "ovr"}),
    "hinge ovr": (SVM, {"loss": "hinge", "multi_class": "ovr"}),
    "squared hinge ovr": (SVM, {"loss": "squared_hinge", "multi_class": "ovr"}),
    "hinge joint": (SVM, {"loss": "hinge", "multi_class": "crammer_singer"}),
    "squared hinge joint": (SVM, {"loss": "squared_hinge", "multi_class": "crammer_singer"}),
}


def lengths_of_one(classes: int) -> tuple[sp.csr_matrix, Ints]:
    """Rows of length one, as TF-IDF gives them, with contradictions among them."""
    X, y = words(rows=150, cols=100, classes=classes, seed=3)
    X = sp.vstack([X, X[:5]]).tocsr()
    lengths = np.sqrt(X.multiply(X).sum(axis=1))
    return sp.csr_matrix(X.multiply(1.0 / lengths)), np.append(y, (y[:5] + 1) % classes)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("C", [1e4, 1e6])
@pytest.mark.parametrize("classes", [2, 3, 20])
@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_large_c_ends_at_a_certified_optimum(name: str, classes: int, C: float) -> None:
    learner, how = OBJECTIVES[name]
    X, y = lengths_of_one(classes)
    clf = learner(C=C, tol=TOL, random_state=0, **how).fit(X, y)
    value, gap = objective(clf, X, y), clf.history_["gap"][-1]
    assert value == pytest.approx(clf.history_["objective"][-1], rel=1e-9)
    assert 0 <= gap <= TOL * value
    finer = learner(C=C, tol=1e-6, max_iter=3_000, random_state=1, **how).fit(X, y)
    best = objective(finer, X, y)
    assert best >= value - gap - 1e-9 * value, "no point lies below the certificate"


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    ("learner", "C", "how"),
    [
        (MaxEnt, 1.0, {"multi_class": "ovr"}),
        (MaxEnt, 100.0, {"multi_class": "ovr"}),
        (MaxEnt, 100.0, {"multi_class": "multinomial"}),
        (SVM, 1.0, {"loss": "squared_hinge", "multi_class": "ovr"}),
    ],
)
def test_an_l1_certificate_does_not_lag_behind_the_objective(
    learner: type, C: float, how: dict[str, Any], classes: int
) -> None:
    X, y = lengths_of_one(classes)
    how = {"penalty": "l1", "C": C, "fit_intercept": False, **how}
    clf = learner(tol=1e-6, **how).fit(X, y)
    value, gap = objective(clf, X, y), clf.history_["gap"][-1]
    finer = learner(tol=1e-10, max_iter=100_000, **how).fit(X, y)
    assert gap <= 1e-6 * value
    assert value - gap <= objective(finer, X, y) * (1 + 1e-12)
    assert np.count_nonzero(clf.coef_) == np.count_nonzero(finer.coef_)
