"""What a learner did on one split, and what that cost."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from linnet.comparison.reasons import Why
from linnet.evaluate.unit_counts import unit_counts
from linnet.learn.shared.declaration import declaration_of, ignores_c

__all__ = [
    "Arena",
    "Cost",
    "Outcome",
    "Part",
    "but",
    "flat_work",
    "measured",
    "quiet",
    "score_of",
    "shown_parameters",
]

_SHOWN = ("C", "alpha", "k")
_PASSES = 30  # over the data, of a solver that stops by itself


@dataclass
class Cost:
    """Seconds, and by how many bytes the process grew at most; None if that is unknown."""

    seconds: float = 0.0
    peak_bytes: int | None = None


@dataclass(frozen=True)
class Outcome:
    """The answers of one learner on one split.

    ``sure`` and ``hit`` are the probabilities of the most probable labels and whether those were
    right, of every row or token; None where the learner has no probabilities. ``why`` is None
    unless it was asked for. ``features`` says what the learner was given, and ``tuned`` which
    parameters were chosen on held-out examples.
    """

    guess: list[Any]
    sure: NDArray[np.float64] | None
    hit: NDArray[np.bool_] | None
    training: Cost
    predicting: Cost
    model_bytes: int
    parameters: dict[str, Any] = field(default_factory=dict)
    optimality: float | None = None
    why: Why | None = None
    features: str = ""
    tuned: tuple[str, ...] = ()


class Arena(Protocol):
    """One split, read once for all learners."""

    gold: list[Any]
    metric: str
    n_train: int
    reading: Cost

    @property
    def n_features(self) -> int:
        """The number of features; 0 if no learner has asked for them."""

    def run(self, learner: Any, fixed: dict[str, Any], *, explain: bool = False) -> Outcome:
        """Train a copy of the learner with those parameters fixed, and let it answer."""

    def quick(self, learner: Any) -> float:
        """Fit this very learner and return its score, without calibration or measurement."""

    def guess(self, learner: Any) -> list[Any]:
        """Fit this very learner and return its answers to the test part."""

    def work(self, learner: Any) -> float:
        """Return about how many multiplications a quick fit needs."""

    def parts(self, learner: Any) -> list[Part]:
        """Return folds of the training part, to choose the learner's settings on."""


class Part(Protocol):
    """A fold: what is left to learn from, and what is held out."""

    gold: list[Any]

    def quick(self, learner: Any) -> float:
        """Fit this very learner and return its score on what is held out."""


def but(part: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    """Return the other ones of n rows.

    Examples
    --------
    >>> but(np.array([0, 2]), 4).tolist()
    [1, 3]
    """
    return np.delete(np.arange(n), part)


def score_of(gold: list[Any], guess: list[Any], metric: str) -> float:
    """Return the score of answers.

    Examples
    --------
    >>> score_of(["a", "b"], ["a", "a"], "accuracy")
    0.5
    """
    return unit_counts(gold, [guess], metric)[0].observed()


def flat_work(learner: Any, entries: int, columns: int, n: int) -> float:
    """Return about how many multiplications a learner of n single labels needs to fit.

    Parameters
    ----------
    learner : estimator
    entries : int
        Values of all examples.
    columns : int
        Of weights.
    n : int

    Examples
    --------
    >>> import linnet
    >>> flat_work(linnet.Perceptron(max_iter=5), 1000, 3, 100)
    15000.0
    """
    match declaration_of(learner).training:
        case "counts":
            return float(2 * entries)
        case "rounds":
            return float(entries * columns * learner.max_iter)
        case "solver":
            return float(entries * columns * _PASSES)
    return float(entries * n)


def shown_parameters(learner: Any, fixed: dict[str, Any]) -> dict[str, Any]:
    """Return what a reader wants to know of a learner's parameters, as plain values."""
    known = learner.get_params(deep=False)
    names = [name for name in known if name in _SHOWN or name in fixed]
    if "k" in known:  # of a learner by neighbours, alpha is but a detail
        names = [name for name in names if name != "alpha"]
    if ignores_c(learner):
        names = ["regularizer" if name == "C" else name for name in names]
    return {name: known[name] for name in names if isinstance(known[name], (int, float, str))}


@contextmanager
def measured() -> Iterator[Cost]:
    """Measure the time and, where the system says it, the memory of the block."""
    cost = Cost()
    before = _resident() if _forget_peak() else None
    began = perf_counter()
    yield cost
    cost.seconds = perf_counter() - began
    if before is not None:
        cost.peak_bytes = max(0, _status("VmHWM") - before)


@contextmanager
def quiet(*more: type[Warning]) -> Iterator[None]:
    """Keep solvers quiet that stop early, as the result says how far they came."""
    with warnings.catch_warnings():
        for category in (ConvergenceWarning, *more):
            warnings.simplefilter("ignore", category)
        yield


def _forget_peak() -> bool:
    """Let Linux count the peak of this process anew; elsewhere there is no such thing."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return False
    return os.path.exists("/proc/self/status")


def _resident() -> int:
    return _status("VmRSS")


def _status(name: str) -> int:
    """Return a number of bytes that Linux knows of this process."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
    return 0
