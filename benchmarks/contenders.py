"""linnet and its peers behind one face: a name, and fit(data, tolerance) -> weights [J, columns].

Each contender brings a ladder of its own tolerances, from loose to tight; the benchmark walks down
the ladder until the objective is good enough. All see the same numbers, each in the format it reads
as it is: LIBLINEAR its own problem structure, scikit-learn doubles, linnet floats; making these is
not counted.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matrices import Split

Fit = Callable[[Split, float], NDArray[np.float64]]
# linnet's tolerance is what is certified, which with L1 is far more than what is left: at a
# certified 0.4 the objective is within 1e-4.
LADDER = (0.5, 0.3, 0.1, 0.03, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6)


@dataclass(frozen=True)
class Contender:
    """One tool with one solver."""

    tool: str  # "linnet", "LIBLINEAR" or "scikit-learn"
    name: str
    fit: Fit
    ladder: Sequence[float]


def columns(coef: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(coef, dtype=np.float64).T


def linnet_contenders(objective: str) -> list[Contender]:
    import linnet

    kinds: dict[str, Callable[[float], Any]] = {
        "logistic": lambda tol: linnet.MaxEnt(multi_class="ovr", fit_intercept=False, tol=tol),
        "multinomial": lambda tol: linnet.MaxEnt(fit_intercept=False, tol=tol),
        "L2-loss": lambda tol: linnet.SVM(
            loss="squared_hinge", multi_class="ovr", fit_intercept=False, tol=tol
        ),
        "hinge": lambda tol: linnet.SVM(multi_class="ovr", fit_intercept=False, tol=tol),
        "Crammer–Singer": lambda tol: linnet.SVM(fit_intercept=False, tol=tol),
        "L1 logistic": lambda tol: linnet.MaxEnt(
            penalty="l1", multi_class="ovr", fit_intercept=False, tol=tol
        ),
        "L1 L2-loss": lambda tol: linnet.SVM(
            penalty="l1", loss="squared_hinge", multi_class="ovr", fit_intercept=False, tol=tol
        ),
    }

    def fit(data: Split, tol: float) -> NDArray[np.float64]:
        learner = kinds[objective](tol).set_params(C=data.C, random_state=0, max_iter=100_000)
        return columns(learner.fit(as_floats(data), data.y).coef_)

    return [Contender("linnet", f"linnet {objective}", fit, LADDER)]


_converted: dict[tuple[str, str], Any] = {}


def converted(data: Split, tool: str, make: Callable[[], Any]) -> Any:
    """Return a data set in the format of a tool, made when it is first asked for."""
    if (data.name, tool) not in _converted:
        _converted[data.name, tool] = make()
    return _converted[data.name, tool]


def as_floats(data: Split) -> Any:
    return converted(data, "linnet", lambda: data.X.astype(np.float32))


def _liblinear(solver: int) -> Fit:
    from liblinear.liblinearutil import parameter, problem, train

    def fit(data: Split, tol: float) -> NDArray[np.float64]:
        own = converted(data, "LIBLINEAR", lambda: problem(data.y.tolist(), data.X))
        model = train(own, parameter(f"-s {solver} -c {data.C} -e {tol} -q"))
        labels = model.get_labels()
        width = 1 if len(labels) == 2 and solver != 4 else len(labels)
        weights = np.ctypeslib.as_array(model.w, shape=(data.X.shape[1], width)).copy()
        if width == 1:
            return weights if labels[0] == 1 else -weights
        return weights[:, np.argsort(labels)]

    return fit


LIBLINEAR = {
    "logistic": {7: (1, 0.3, 0.1, 0.01, 1e-3), 0: (0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5)},
    "L2-loss": {1: (3, 1, 0.3, 0.1, 0.03, 0.01), 2: (0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5)},
    "hinge": {3: (3, 1, 0.3, 0.1, 0.03, 0.01, 3e-3)},
    "Crammer–Singer": {4: (3, 1, 0.3, 0.1, 0.03, 0.01)},
    "L1 logistic": {6: (0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5)},
    "L1 L2-loss": {5: (0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5)},
}


def liblinear_contenders(objective: str) -> list[Contender]:
    return [
        Contender("LIBLINEAR", f"LIBLINEAR -s {solver}", _liblinear(solver), ladder)
        for solver, ladder in LIBLINEAR.get(objective, {}).items()
    ]


def sklearn_contenders(objective: str, n_classes: int) -> list[Contender]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    def fit_with(make: Callable[[float], Any]) -> Fit:
        def fit(data: Split, tol: float) -> NDArray[np.float64]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = make(tol).set_params(C=data.C).fit(data.X, data.y)
            return columns(model.coef_)

        return fit

    def logistic(solver: str) -> Callable[[float], Any]:
        settings = {"fit_intercept": False, "max_iter": 10_000, "random_state": 0}
        return lambda tol: LogisticRegression(solver=solver, tol=tol, **settings)

    ladder = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
    # Its own logistic regression of several classes is the multinomial one.
    if objective == ("logistic" if n_classes == 2 else "multinomial"):
        solvers = ["lbfgs"] if n_classes > 2 else ["lbfgs", "newton-cg", "saga", "liblinear"]
        return [
            Contender("scikit-learn", f"scikit-learn {name}", fit_with(logistic(name)), ladder)
            for name in solvers
        ]
    if objective == "L2-loss":
        make = fit_with(
            lambda tol: LinearSVC(
                tol=tol, fit_intercept=False, dual=True, max_iter=100_000, random_state=0
            )
        )
        return [Contender("scikit-learn", "scikit-learn LinearSVC", make, (3, 1, 0.3, 0.1, 0.01))]
    return []
