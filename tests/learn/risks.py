"""What the tests of the regularised learners share: data, and their objective in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.learn.flat import sgd
from linnet.learn.flat.regularised_risk import Task
from linnet.learn.shared.inputs import checked_features
from linnet.learn.shared.solvers import SGD, PegasosSGD
from linnet.reference.losses import LOSSES, log_sum_exp

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def words(
    rows: int = 300, cols: int = 400, classes: int = 2, seed: int = 0, per_row: int = 15
) -> tuple[sp.csr_matrix, Ints]:
    """Sparse counts whose classes overlap, so that no weight vector separates them."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    topics = rng.dirichlet(np.full(cols, 0.1), classes)
    X = np.stack([rng.multinomial(per_row, 0.6 * topics[k] + 0.4 / cols) for k in y])
    return sp.csr_matrix(X.astype(np.float64)), y


def clouds(rows: int = 80, cols: int = 4, classes: int = 2, seed: int = 0) -> tuple[Floats, Ints]:
    """Dense points around one centre a class, overlapping."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    return rng.normal(size=(classes, cols))[y] + rng.normal(size=(rows, cols)), y


def losses(clf: Any, X: Any, y: Any) -> Floats:
    """Return the loss of each row under a fitted MaxEnt or SVM (not one-vs-one)."""
    scores = np.asarray(X @ clf.coef_.T) + clf.intercept_
    gold = np.searchsorted(clf.classes_, y)
    kind = getattr(clf, "loss", "logistic")
    if scores.shape[1] == 1:
        return LOSSES[kind].value(np.where(gold == 1, 1.0, -1.0) * scores[:, 0])
    chosen = np.arange(scores.shape[1]) == gold[:, None]
    if clf.multi_class == "ovr":
        return LOSSES[kind].value(np.where(chosen, scores, -scores)).sum(axis=1)
    own = scores[chosen]
    if kind == "logistic":
        return log_sum_exp(scores) - own
    cost = getattr(clf, "cost", None)
    margins = 1.0 - chosen if cost is None else np.asarray(cost)[gold]
    slack = (scores + margins).max(axis=1) - own
    return slack if kind == "hinge" else slack**2


def penalty(clf: Any) -> float:
    """Return the penalty of the weights of a fitted MaxEnt or SVM."""
    weights = [clf.coef_.ravel()]
    if clf.fit_intercept and clf.penalize_intercept:
        weights.append(clf.intercept_ / clf.intercept_scaling)
    w = np.concatenate(weights)
    ratio = getattr(clf, "l1_ratio", 0.5)
    share = {"l2": 0.0, "l1": 1.0, "elasticnet": ratio, None: None}[clf.penalty]
    if share is None:
        return 0.0
    return float(share * np.abs(w).sum() + (1.0 - share) / 2.0 * (w**2).sum())


def objective(clf: Any, X: Any, y: Any, weights: Any = 1.0) -> float:
    """Return penalty + C sum_i weight_i loss_i of a fitted MaxEnt or SVM."""
    return penalty(clf) + clf.C * float((weights * losses(clf, X, y)).sum())


def folded(X: Any, value: float = 1.0) -> Floats:
    """Return X as a dense array with the feature of the intercept last."""
    dense = X.toarray() if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    return np.hstack([dense, np.full((len(dense), 1), value)])


def task_of(X: Any, gold: np.ndarray, lam: float, form: str = "columns", **options: Any) -> Task:
    """Mean loss plus lam/2 |w|^2, in linnet's terms."""
    features = checked_features(X)
    C = 1.0 if lam == 0 else 1.0 / (lam * len(gold))
    return Task(
        features, gold.astype(np.int32), int(max(2, gold.max() + 1)), np.full(len(gold), C),
        options.pop("loss", "log"), form, l2=float(lam > 0), **options,
    )  # fmt: skip


def fit_sgd(
    task: Task, *, rule: str, max_iter: int = 10, tol: float = 0.0, seed: int = 0,
    threads: int = 1, start: Any = None, history: Any = None, pegasos: bool = False,
    **settings: Any,
) -> sgd.SgdRun:  # fmt: skip
    """Minimise a task by steps, under these settings of the solver."""
    solver = (PegasosSGD if pegasos else SGD)(**settings)
    return sgd.fit_sgd(
        task, solver, rule=rule, max_iter=max_iter, tol=tol, seed=seed, threads=threads,
        start=start, history=history,
    )  # fmt: skip
