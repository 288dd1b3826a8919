"""How fast is a path of C? linnet with warm starts beside scikit-learn and LIBLINEAR, in one run.

The same nine values of C on the same training and development examples, one thread, the best of
several runs. Faster at another optimum does not count: the largest relative difference of the
objectives, recomputed in NumPy from the weights, stands beside the time.

    python benchmarks/paths.py
    python benchmarks/paths.py --data imdb --repeat 3
"""

from __future__ import annotations

import argparse
import warnings
from time import perf_counter
from typing import Any

import numpy as np

import linnet
from linnet.evaluate import parameter_path
from matrices import load

VALUES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
Fits = list[tuple[float, Any]]


def by_linnet(X: Any, y: Any, held: Any, warm: bool) -> Fits:
    """Return the development accuracy and weights at each C, going on or afresh."""
    found = []
    learner = linnet.MaxEnt(tol=1e-4, multi_class="ovr", n_threads=1, warm_start=warm)
    for C in VALUES:
        own = learner if warm else linnet.MaxEnt(tol=1e-4, multi_class="ovr", n_threads=1)
        own.set_params(C=C).fit(X, y)
        found.append((own.score(*held), (own.coef_.copy(), own.intercept_.copy())))
    return found


def by_liblinear(X: Any, y: Any, held: Any) -> Fits:
    """Return the same by LIBLINEAR's Newton method, a fit from zero for every C."""
    from sklearn.linear_model import LogisticRegression

    found = []
    for C in VALUES:
        own = LogisticRegression(C=C, solver="liblinear", tol=1e-4).fit(X, y)
        found.append((own.score(*held), (own.coef_, own.intercept_)))
    return found


def by_sklearn(X: Any, y: Any, held: Any) -> Fits:
    """Return the same by LogisticRegressionCV, whose path has warm starts."""
    from scipy.sparse import vstack
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.model_selection import PredefinedSplit

    n = X.shape[0]
    fold = np.r_[np.full(n, -1), np.zeros(held[0].shape[0], int)]
    own = LogisticRegressionCV(
        Cs=list(VALUES), cv=PredefinedSplit(fold), solver="lbfgs", max_iter=1000, refit=False,
        n_jobs=1,
    )  # fmt: skip
    own.fit(vstack([X, held[0]]).tocsr(), np.r_[y, held[1]])
    scores = next(iter(own.scores_.values()))[0]
    return [(float(score), None) for score in scores]


def objective(X: Any, y: Any, C: float, weights: Any) -> float:
    """Return ½‖w‖² + C Σ log loss of two classes, the intercept penalised too."""
    coef, intercept = weights
    sign = np.where(y == np.unique(y)[1], 1.0, -1.0)
    margin = sign * (X @ coef[0] + intercept[0])
    penalty = 0.5 * (float(coef[0] @ coef[0]) + float(intercept[0] ** 2))
    return penalty + C * float(np.logaddexp(0.0, -margin).sum())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="imdb")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--repeat", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    data = load(options.data)
    rng = np.random.default_rng(0)
    rows, others = (rng.permutation(len(part))[: options.rows] for part in (data.y, data.y_test))
    X, y, held = data.X[rows], data.y[rows], (data.X_test[others], data.y_test[others])
    ways = {
        "linnet, warm starts": lambda: by_linnet(X, y, held, True),
        "linnet, each afresh": lambda: by_linnet(X, y, held, False),
        "LIBLINEAR, each afresh": lambda: by_liblinear(X, y, held),
        "LogisticRegressionCV": lambda: by_sklearn(X, y, held),
    }
    base, ours = None, np.inf
    print(
        f"{options.data}, {X.shape[0]} examples, {X.shape[1]} features, {len(VALUES)} values of C"
    )
    for name, way in ways.items():
        seconds, found = np.inf, []
        for _ in range(options.repeat):
            began = perf_counter()
            found = way()
            seconds = min(seconds, perf_counter() - began)
        values = [
            None if w is None else objective(X, y, C, w)
            for C, (_, w) in zip(VALUES, found, strict=True)
        ]
        base, ours = base or values, min(ours, seconds)
        gaps = [abs(a / b - 1) for a, b in zip(values, base, strict=True) if a is not None]
        gap = f"{max(gaps):.1e}" if gaps else "-"
        best = max(score for score, _ in found)
        print(
            f"{name:24} {seconds:8.3f} s  ratio {seconds / ours:6.2f}  best {best:.4f}  gap {gap}"
        )
    path = parameter_path(linnet.MaxEnt(n_threads=1), X, y, values=VALUES, development=held)
    print(f"parameter_path chooses C = {path.best:g} at {path.scores.max():.4f}")


if __name__ == "__main__":
    main()
