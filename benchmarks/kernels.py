"""How fast are kernel machines? linnet and LIBSVM (scikit-learn's SVC) side by side, in one run.

    python benchmarks/kernels.py                  # digits, binary, dense; a9a needs LINNET_DATA
    python benchmarks/kernels.py digits --repeat 20

Gaussian kernel, C = 1, gamma "scale", tolerance 1e-3 and 200 MB of cache for all. Printed are the
seconds of the best run and their ratio to SVC's, the dual objective reached, and the accuracy on
rows that were kept aside.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits, load_svmlight_file
from sklearn.svm import SVC

import linnet
from linnet import kernels
from real_data import data_root
from timing import best_of

Rows = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Task:
    name: str
    X: Rows
    y: Labels
    X_test: Rows
    y_test: Labels


def split(name: str, X: Rows, y: Labels, rows: int) -> Task:
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:rows], order[rows:]
    return Task(name, X[train], y[train], X[test], y[test])


def digits() -> Task:
    X, y = load_digits(return_X_y=True)
    return Task("digits", X, y, X, y)


def generated(name: str, make: Callable[[np.random.Generator, int], Rows]) -> Task:
    """Return 8,529 rows of 300 features whose classes no plane separates well."""
    rng = np.random.default_rng(0)
    X = make(rng, 10_000)
    product = (X[:, :100] @ rng.normal(size=100)) * (X[:, 100:200] @ rng.normal(size=100))
    score = X @ rng.normal(size=300) + 0.3 * product + rng.normal(size=len(X))
    return split(name, X, (score > np.median(score)).astype(np.int64), 8_529)


def binary(rng: np.random.Generator, rows: int) -> Rows:
    return (rng.random((rows, 300)) < 0.3 * rng.random(300)).astype(np.float64)


def dense(rng: np.random.Generator, rows: int) -> Rows:
    return rng.normal(size=(rows, 300))


def a9a() -> Task:
    X, y = load_svmlight_file(str(data_root() / "a9a" / "a9a.gz"), n_features=123)
    return split("a9a", X.toarray()[:12_000], (y[:12_000] > 0).astype(np.int64), 10_000)


TASKS: dict[str, Callable[[], Task]] = {
    "digits": digits,
    "binary": lambda: generated("binary 0/1", binary),
    "dense": lambda: generated("dense", dense),
    "a9a": a9a,
}


def dual_objective(model: Any, gram: Rows, y: Labels) -> float:
    """Return the sum of the dual objectives of all pairs, from the coefficients of either tool."""
    full = np.zeros((len(model.dual_coef_), len(y)))
    full[:, model.support_] = model.dual_coef_
    total = 0.0
    for a, b in combinations(range(len(model.classes_)), 2):
        rows = np.flatnonzero((y == a) | (y == b))
        beta = np.where(y[rows] == a, full[b - 1, rows], full[a, rows])
        total += float(np.abs(beta).sum() - 0.5 * beta @ gram[np.ix_(rows, rows)] @ beta)
    return total


def report(task: Task, repeat: int) -> None:
    contenders: dict[str, Callable[[], Any]] = {
        "SVC": lambda: SVC(cache_size=200),
        "linnet, 1 thread": lambda: linnet.KernelSVM(n_threads=1),
        "linnet, 2 threads": lambda: linnet.KernelSVM(n_threads=2),
    }
    print(f"{task.name}: {task.X.shape[0]} rows, {task.X.shape[1]} features")
    fits = {
        name: best_of(repeat, lambda make=make: make().fit(task.X, task.y))
        for name, make in contenders.items()
    }
    gram = kernels.gaussian(task.X, gamma=fits["linnet, 1 thread"][1].gamma_)
    theirs = fits["SVC"][0]
    for name, (seconds, model) in fits.items():
        print(
            f"  {name:18} {seconds:8.4f} s  {theirs / seconds:6.2f} x  "
            f"dual {dual_objective(model, gram, task.y):14.6f}  "
            f"support vectors {len(model.support_):5d}  "
            f"accuracy {model.score(task.X_test, task.y_test):.4f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("tasks", nargs="*", default=list(TASKS), help=", ".join(TASKS))
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    for name in arguments.tasks:
        report(TASKS[name](), arguments.repeat)


if __name__ == "__main__":
    main()
