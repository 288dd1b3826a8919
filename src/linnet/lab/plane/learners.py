"""The learners of the plane, each as its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import linnet
from linnet.lab.plane.points import Points
from linnet.lab.settings import number, whole

__all__ = ["LEARNERS", "Frame", "Path", "Settings"]

Floats: TypeAlias = NDArray[np.float64]
_ROUNDS = 10
_WATCHED, _WATCHED_OF_MANY, _MANY = 200, 40, 400  # examples that are shown one by one
_DEPENDS = {
    "perceptron": ("rate",),
    "mira": ("C",),
    "maxent": ("C",),
    "maxent_sgd": ("C", "rate"),
    "svm": ("C",),
    "neighbours": ("k",),
    "tree": ("depth",),
    "kernel_svm": ("C", "gamma"),
}
_EPOCHS = (1, 2, 3, 5, 8, 13, 21, 40, 100, 1000)  # of the dual, shown one by one


@dataclass(frozen=True)
class Settings:
    """What the sliders say."""

    C: float
    rate: float
    k: int
    gamma: float
    depth: int

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Settings:
        """Return the settings of learners."""
        return cls(
            C=number(settings, "C", 1.0, 1e-3, 1e3),
            rate=number(settings, "rate", 1.0, 1e-3, 100.0),
            k=whole(settings, "k", 5, 1, 50),
            gamma=number(settings, "gamma", 0.5, 0.01, 20.0),
            depth=whole(settings, "depth", 4, 1, 10),
        )

    def of_learner(self, name: str) -> dict[str, float]:
        """Return the settings that one learner depends on."""
        return {setting: getattr(self, setting) for setting in _DEPENDS.get(name, ())}


@dataclass(frozen=True)
class Frame:
    """A learner after one step.

    Attributes
    ----------
    text : str
        What happened.
    weights : array of shape (3,), or None
        w₁, w₂ and the intercept of a linear learner.
    predictor : function of points, or None
        The score of class 1 against class 0, of any other learner.
    example : int or None
        The point that was looked at; `score` is its score before the step, `size` the step's.
    gap : float or None
        How far the objective is certified to be from its least value at most.
    support : array of int, or None
    """

    text: str
    weights: Floats | None = None
    predictor: Callable[[Floats], Floats] | None = None
    example: int | None = None
    score: float | None = None
    size: float | None = None
    gap: float | None = None
    support: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Path:
    """The steps of a learner, and the objective of linear ones: penalty·½|w|² + cost·Σ loss(m)."""

    title: str
    frames: list[Frame]
    loss: str | None = None
    cost: float = 1.0
    penalty: float = 0.0
    note: str = ""


def _plane(model: Any) -> Floats:
    return np.append(model.coef_[0], model.intercept_[0])


def _online(points: Points, make: Callable[..., Any]) -> Iterator[Frame]:
    """Show the first examples one by one, then the rounds."""
    yield Frame("all weights are 0", np.zeros(3))
    n = len(points.X)
    most = _WATCHED if n <= _MANY else _WATCHED_OF_MANY
    for step in islice(make().steps(points.X, points.y), most):
        moved = f"a step of {step.step_size:.4g}" if step.step_size else "no change"
        yield Frame(
            f"round {step.round}, point {step.example}: {moved}", step.weights[:, 0].copy(),
            example=step.example, score=float(step.scores[0]), size=step.step_size,
        )  # fmt: skip
    for snapshot in make(snapshot_every=1).fit(points.X, points.y).snapshots_:
        if snapshot.round * n > most:
            weights = np.append(snapshot.last_coef[0], snapshot.last_intercept[0])
            yield Frame(f"after round {snapshot.round}", weights)


def _perceptron(points: Points, wanted: Settings) -> Path:
    def make(**more: Any) -> Any:
        return linnet.Perceptron(
            _ROUNDS, average=False, learning_rate=wanted.rate, random_state=0, n_threads=1, **more
        )

    note = "A rate only scales the weights: the boundary does not depend on it."
    return Path("Perceptron", list(_online(points, make)), "perceptron", note=note)


def _mira(points: Points, wanted: Settings) -> Path:
    def make(**more: Any) -> Any:
        return linnet.MIRA(
            wanted.C, max_iter=_ROUNDS, average=False, random_state=0, n_threads=1, **more
        )

    note = "The smallest change that puts the point right by 1, no longer than C allows."
    return Path("MIRA", list(_online(points, make)), "hinge", note=note)


def _iterations(
    points: Points, make: Callable[..., Any], counts: tuple[int, ...], unit: str
) -> Iterator[tuple[str, Any]]:
    """Fit with each number of iterations, up to the one that converges."""
    for count in counts:
        model = make(max_iter=count).fit(points.X, points.y)
        yield f"after {unit} {model.n_iter_}", model
        if model.n_iter_ < count:
            return


def _maxent(points: Points, wanted: Settings) -> Path:
    def make(**more: Any) -> Any:
        return linnet.MaxEnt(wanted.C, solver="newton", tol=1e-6, n_threads=1, **more)

    frames = [Frame("all weights are 0", np.zeros(3))]
    for text, model in _iterations(points, make, tuple(range(1, 16)), "iteration"):
        if not frames[1:]:
            frames[0] = Frame("all weights are 0", np.zeros(3), gap=_last(model, "gap", 0))
        frames.append(Frame(text, _plane(model), gap=_last(model, "gap")))
    return Path("Maximum entropy", frames, "logistic", wanted.C, 1.0, "Newton's method.")


def _maxent_sgd(points: Points, wanted: Settings) -> Path:
    def make(**more: Any) -> Any:
        solver = linnet.SGD(schedule=wanted.rate)
        return linnet.MaxEnt(wanted.C, solver=solver, tol=0.0, random_state=0, n_threads=1, **more)

    frames = [Frame("all weights are 0", np.zeros(3))]
    for text, model in _iterations(points, make, tuple(range(1, _ROUNDS + 1)), "round"):
        frames.append(Frame(text, _plane(model)))
    note = "Stochastic gradients with a constant rate: a large one never comes to rest."
    return Path("Maximum entropy, online", frames, "logistic", wanted.C, 1.0, note)


def _svm(points: Points, wanted: Settings) -> Path:
    def make(**more: Any) -> Any:
        return linnet.SVM(wanted.C, solver="dual_cd", tol=1e-4, random_state=0, n_threads=1, **more)

    none = np.empty(0, np.int64)
    frames = [Frame("all weights are 0", np.zeros(3), gap=wanted.C * len(points.X), support=none)]
    for text, model in _iterations(points, make, _EPOCHS, "epoch"):
        gap = _duality_gap(points, wanted.C, _plane(model), model.dual_coef_[:, 0])
        frames.append(Frame(text, _plane(model), gap=gap, support=model.support_))
    note = "Coordinate descent in the dual. Ringed points are the support vectors."
    return Path("Support vector machine", frames, "hinge", wanted.C, 1.0, note)


def _duality_gap(points: Points, C: float, w: Floats, alpha: Floats) -> float:
    """Return ½|w|² + C Σ max(0, 1 - m) minus Σ α - ½|Σ y α x|²: no weights do better by more."""
    signs = np.where(points.y == 1, 1.0, -1.0)
    X = np.column_stack([points.X, np.ones(len(points.X))])
    primal = 0.5 * w @ w + C * np.maximum(0.0, 1.0 - signs * (X @ w)).sum()
    dual = alpha.sum() - 0.5 * (((signs * alpha) @ X) ** 2).sum()
    return max(0.0, float(primal - dual))


def _last(model: Any, column: str, row: int = -1) -> float:
    return float(model.history_[column][row])


def _naive_bayes(points: Points, wanted: Settings) -> Path:
    model = linnet.GaussianNB(n_threads=1).fit(points.X, points.y)

    def score(X: Floats) -> Floats:
        joint = model.predict_joint_log_proba(X)
        difference: Floats = joint[:, 1] - joint[:, 0]
        return difference

    note = "A mean and a variance for each class and feature, in closed form."
    return Path("Gaussian naive Bayes", [Frame("counted once", predictor=score)], note=note)


def _neighbours(points: Points, wanted: Settings) -> Path:
    k = min(wanted.k, len(points.X))
    model = linnet.MemoryBased(k=k, metric="l2", n_threads=1).fit(points.X, points.y)

    note = "The examples are the model; the nearest vote."
    return Path(
        f"{k} nearest neighbours", [Frame("all are kept", predictor=_share_of(model))], note=note
    )


def _tree(points: Points, wanted: Settings) -> Path:
    frames = []
    for depth in range(wanted.depth + 1):
        model = linnet.DecisionTree(max_depth=depth).fit(points.X, points.y)
        levels = "no question" if depth == 0 else f"questions of level {depth}"
        frames.append(Frame(levels, predictor=_share_of(model)))
    return Path("Decision tree", frames, note="Each level asks one question more.")


def _share_of(model: Any) -> Callable[[Floats], Floats]:
    def score(X: Floats) -> Floats:
        share: Floats = model.predict_proba(X)[:, 1] - 0.5
        return share

    return score


def _kernel_svm(points: Points, wanted: Settings) -> Path:
    model = linnet.KernelSVM(wanted.C, gamma=wanted.gamma, n_threads=1).fit(points.X, points.y)
    gap = float(model.certificate_["gap"])
    support = np.sort(model.support_)
    frames = [Frame("solved", predictor=model.decision_function, gap=gap, support=support)]
    note = "A Gaussian kernel: the boundary may bend around its support vectors."
    return Path("Kernel machine", frames, note=note)


#: What a panel may show, by its name.
LEARNERS: dict[str, Callable[[Points, Settings], Path]] = {
    "perceptron": _perceptron,
    "mira": _mira,
    "maxent": _maxent,
    "maxent_sgd": _maxent_sgd,
    "svm": _svm,
    "naive_bayes": _naive_bayes,
    "neighbours": _neighbours,
    "tree": _tree,
    "kernel_svm": _kernel_svm,
}
