"""Choosing C and calibrating on examples that the weights have not seen (SPEC C-22).

The training data is cut into folds. For each held-out fold the learner walks from a small C to
larger ones, each fit starting where the one before ended, and scores the fold. C is the one of
least held-out log loss, each C with its own best sharpness; the walk ends with the first step that
brings no gain. Large data needs one fold, small data several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from linnet.learn.regularized import RegularizedClassifier
from linnet.pipeline.linear import linear_parts
from linnet.pipeline.probabilities import fit_sharpness, log_loss

__all__ = ["Tuning", "held_out_parts", "strengths", "tune"]

Floats = NDArray[np.float64]
_FEWEST = 20  # examples; below, nothing is held out
_LOOSE = 1e-3  # tolerance of the fits along the path
_PATIENCE = 1


@dataclass
class Tuning:
    """What held-out examples said.

    ``C`` is None for a learner without one. ``path`` has for each C tried its log loss and
    accuracy on held-out examples. ``learner`` is the one fitted last at the chosen C, without the
    examples ``held_out``, when there was one fold.
    """

    C: float | None
    sharpness: float
    n_held_out: int
    accuracy: float
    path: list[dict[str, float]] = field(default_factory=list)
    learner: Any = None
    held_out: NDArray[np.intp] | None = None


def strengths(learner: Any) -> list[float]:
    """Return the values of C to try, ascending; an empty list when there is nothing to choose.

    Examples
    --------
    >>> import linnet
    >>> strengths(linnet.Perceptron())
    []
    """
    if not isinstance(learner, RegularizedClassifier):
        return []
    if getattr(learner, "loss", "log") == "log":
        return [1.0, 4.0, 16.0, 64.0, 256.0]
    return [0.1, 0.3, 1.0, 3.0, 10.0]


def held_out_parts(gold: NDArray[np.int32], seed: int) -> list[NDArray[np.intp]]:
    """Return the rows of each held-out fold, the classes in their proportions.

    Examples
    --------
    >>> [len(part) for part in held_out_parts(np.array([0, 1] * 50, np.int32), 0)]
    [20, 20, 20, 20, 20]
    """
    n = len(gold)
    sizes = np.bincount(gold[:, 0] if gold.ndim == 2 else gold)
    if n < _FEWEST or (gold.ndim == 1 and sizes.max() == n):
        return []
    cut, n_folds = (10, 1) if n >= 20_000 else (5, 1) if n >= 6_000 else (5, 5)
    order = np.random.default_rng(seed).permutation(n)
    if gold.ndim == 1:
        order = order[np.argsort(gold[order], kind="stable")]  # each fold takes every cut-th
    parts = [np.sort(order[fold::cut]) for fold in range(n_folds)]
    return [part for part in parts if _trainable(gold, part)]


def _trainable(gold: NDArray[np.int32], part: NDArray[np.intp]) -> bool:
    rest = np.delete(np.arange(len(gold)), part)
    if gold.ndim == 2:
        return len(rest) > 0
    return len(np.unique(gold[rest])) > 1 and len(part) > 0


def tune(
    values: Sequence[float | None],
    gold: NDArray[np.int32],
    parts: list[NDArray[np.intp]],
    scorer: Callable[[Any, NDArray[np.intp], NDArray[np.intp]], Iterator[tuple[Any, Floats]]],
) -> Tuning:
    """Choose C and the sharpness.

    Parameters
    ----------
    values : list of float
        The C to try, ascending; [None] when there is none to choose.
    parts : list of arrays
        The held-out rows of each fold.
    scorer : callable
        ``scorer(values, rest, part)`` yields (fitted learner, scores of `part`) for each C.
    """
    if not parts:
        return Tuning(None, 1.0, 0, float("nan"))
    everyone = np.concatenate(parts)
    truth = gold[everyone]
    rows = np.arange(len(gold))
    walks = [scorer(values, np.delete(rows, part), part) for part in parts]
    found: list[tuple[float, float, Any]] = []  # (loss, sharpness, learner) of each C
    path: list[dict[str, float]] = []
    for C in values:
        steps = [next(walk) for walk in walks]
        scores = np.vstack([scores for _, scores in steps])
        sharpness = fit_sharpness(scores, truth)
        loss = log_loss(scores, truth, sharpness)
        right = _accuracy(scores, truth)
        path.append({"log_loss": loss, "accuracy": right, **({"C": C} if C is not None else {})})
        found.append((loss, sharpness, steps[0][0] if len(parts) == 1 else None))
        best = int(np.argmin([entry[0] for entry in found]))
        if len(found) - 1 - best >= _PATIENCE:
            break
    return Tuning(
        C=values[best],
        sharpness=found[best][1],
        n_held_out=len(everyone),
        accuracy=path[best]["accuracy"],
        path=path,
        learner=found[best][2],
        held_out=parts[0] if len(parts) == 1 else None,
    )


def walk(
    learner: Any,
    X: Any,
    y: NDArray[Any],
    weights: Floats | None,
    n_classes: int,
    values: Sequence[float | None],
    rest: NDArray[np.intp],
    part: NDArray[np.intp],
) -> Iterator[tuple[Any, Floats]]:
    """Yield (fitted learner, held-out scores) for each C, every fit starting from the last."""
    train, held = X[rest], X[part]
    sample_weight = None if weights is None else weights[rest]
    going = clone(learner)
    if isinstance(going, RegularizedClassifier):
        going.set_params(warm_start=True, tol=max(learner.tol, _LOOSE))
    for C in values:
        if C is not None:
            going.set_params(C=C)
        fit_quietly(going, train, y[rest], sample_weight)
        yield _kept(going), all_scores(going, held, n_classes)


def _kept(learner: Any) -> Any:
    """Return a learner that later fits do not change: they set new arrays."""
    same = clone(learner)
    same.__dict__.update(learner.__dict__)
    return same


def fit_quietly(learner: Any, X: Any, y: NDArray[Any], weights: Floats | None) -> None:
    """Fit on the way to something else: how far from the optimum it stopped is not news."""
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if weights is None:
            learner.fit(X, y)
        else:
            learner.fit(X, y, sample_weight=weights)


def all_scores(learner: Any, X: Any, n_classes: int) -> Floats:
    """Return scores (n, columns); a class that the fold did not see scores below all others."""
    from linnet.learn.inputs import checked_features

    weights, intercept = linear_parts(learner)
    csr = checked_features(X).csr
    scores = np.asarray(csr @ weights + intercept)
    seen = np.asarray(learner.classes_, dtype=np.intp)
    if len(seen) == n_classes:
        return scores
    if scores.shape[1] == 1:  # two of more classes
        scores = np.hstack([-scores / 2, scores / 2])
    full = np.full((len(scores), n_classes), scores.min() - 1.0)
    full[:, seen] = scores
    return full


def _accuracy(scores: Floats, truth: NDArray[np.int32]) -> float:
    if truth.ndim == 2:
        return float(np.mean((scores >= 0) == truth))
    guess = scores[:, 0] >= 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
    return float(np.mean(guess == truth))
