"""Choosing C and calibrating on examples that the weights have not seen (SPEC C-22).

The training data is cut into folds. For each held-out fold the learner walks from one C to the
next, each fit starting where the one before ended, and scores the fold. The walk begins at the
second smallest C, goes up while the held-out log loss falls, each C with its own best sharpness,
and goes down instead if the first step up brought nothing. Large data needs one fold, small data
several. These fits stop early: to rank values of C takes less precision than the final weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from linnet.data.copies import FEWEST, Copies
from linnet.learn.shared.decision import winners
from linnet.learn.shared.declaration import declaration_of, ignores_c
from linnet.model.decision import fit_sharpness, log_loss

__all__ = ["Tuning", "Walk", "held_out_parts", "strengths", "tune"]

Floats = NDArray[np.float64]
# Share of the loss that a step must save. The fits stop early, and so much apart are the losses of
# two that stop in different places.
_GAIN = 3e-3


@dataclass(frozen=True)
class Tuning:
    """What held-out examples said.

    ``C`` is None where there was none to choose, ``accuracy`` where nothing was held out. ``path``
    has for each C tried, ascending, its log loss and accuracy on held-out examples.
    """

    C: float | None = None
    sharpness: float = 1.0
    n_held_out: int = 0
    accuracy: float | None = None
    path: list[dict[str, float]] = field(default_factory=list)


def strengths(learner: Any) -> list[float]:
    """Return the values of C to try, ascending; none when there is nothing to choose.

    That is so for a learner that declares no such values, or whose C is not its default, or which
    has ``regularizer`` in place of C: then the user has chosen.

    Examples
    --------
    >>> import linnet
    >>> strengths(linnet.SVM()), strengths(linnet.SVM(C=2.0)), strengths(linnet.Perceptron())
    ([0.1, 0.3, 1.0, 3.0, 10.0], [], [])
    >>> strengths(linnet.SVM(regularizer=0.1))
    []
    """
    values = declaration_of(learner).strengths
    if not values or ignores_c(learner):
        return []
    if signature(type(learner)).parameters["C"].default != learner.C:
        return []
    return list(values)


def held_out_parts(
    gold: NDArray[np.int32], seed: int, copies: Copies | None = None
) -> list[NDArray[np.intp]]:
    """Return the rows of each held-out fold, the classes in their proportions.

    Copies share a fold, and folds are of one size in different examples. What has more copies than
    a fold has room for is always trained on. Below 20 different examples, as among rows of few
    attributes, equal ones are cut like all others.

    Examples
    --------
    >>> [len(part) for part in held_out_parts(np.array([0, 1] * 50, np.int32), 0)]
    [20, 20, 20, 20, 20]
    """
    if copies is None or not copies.matter:
        copies = Copies(np.arange(len(gold)))
    rows = copies.originals
    n = len(rows)
    if n < FEWEST:
        return []
    cut, n_folds = (10, 1) if n >= 20_000 else (5, 1) if n >= 3_000 else (5, 5)
    order = np.random.default_rng(seed).permutation(n)
    if gold.ndim == 1:
        order = order[np.argsort(gold[rows][order], kind="stable")]  # each fold takes every cut-th
    parts = [np.sort(order[fold::cut]) for fold in range(n_folds)]
    crowd = np.flatnonzero(copies.sizes() > len(gold) / cut)
    parts = [copies.spread(np.setdiff1d(part, crowd)) for part in parts]
    return [part for part in parts if len(part) and _trainable(gold, part)]


def _trainable(gold: NDArray[np.int32], part: NDArray[np.intp]) -> bool:
    """Tell whether two classes are left without the part; several labels a row need none."""
    return gold.ndim == 2 or len(np.unique(np.delete(gold, part))) > 1


class Walk(Protocol):
    """A learner on its way from C to C, without the examples of one fold."""

    def step(self, C: float | None) -> Floats:
        """Fit at C and return the scores of the fold."""

    def stand(self) -> Any:
        """Return the learner as it is, safe from later steps."""


def tune(
    values: Sequence[float],
    gold: NDArray[np.int32],
    parts: list[NDArray[np.intp]],
    walks: Sequence[Walk],
    weights: Floats | None = None,
) -> tuple[Tuning, Any]:
    """Choose C and the sharpness.

    Parameters
    ----------
    values : list of float
        The C to try, ascending; empty when there is none to choose.
    gold : array of shape (n,), or (n, K) for several labels a row
    parts, walks : lists
        The held-out rows of each fold, and the learner that does without them.
    weights : array of shape (n,), optional
        How much each held-out example counts.

    Returns
    -------
    tuning : Tuning
    learner
        With one fold, the learner at the chosen C; else None.
    """
    if not parts:
        return Tuning(), None
    everyone = np.concatenate(parts)
    truth, counts = gold[everyone], None if weights is None else weights[everyone]
    tried: dict[float | None, tuple[dict[str, float], float, Any]] = {}

    def loss_at(C: float | None) -> float:
        scores = np.vstack([walk.step(C) for walk in walks])
        sharpness = fit_sharpness(scores, truth, counts)
        entry = {"C": C} if C is not None else {}
        entry["log_loss"] = log_loss(scores, truth, sharpness, counts)
        entry["accuracy"] = _accuracy(scores, truth, counts)
        tried[C] = (entry, sharpness, walks[0].stand() if len(walks) == 1 else None)
        return entry["log_loss"]

    best = _descend(values, loss_at) if values else None
    if not values:
        loss_at(None)
    entry, sharpness, learner = tried[best]
    path = [tried[C][0] for C in values if C in tried] or [entry]
    return Tuning(best, sharpness, len(everyone), entry["accuracy"], path), learner


def _descend(values: Sequence[float], loss_at: Any) -> float:
    """Return the value where the loss stops falling, first upwards, then downwards."""
    at = min(1, len(values) - 1)
    best, least = at, loss_at(values[at])
    for way in (1, -1):
        while 0 <= best + way < len(values):
            loss = loss_at(values[best + way])
            if loss > (1.0 - _GAIN) * least:
                break
            best, least = best + way, loss
        if best != at:
            break
    return values[best]


def _accuracy(scores: Floats, truth: NDArray[np.int32], weights: Floats | None) -> float:
    if truth.ndim == 2:
        return float(np.average(((scores >= 0) == truth).mean(axis=1), weights=weights))
    return float(np.average(winners(scores) == truth, weights=weights))
