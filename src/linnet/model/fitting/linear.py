"""Linear learners: from examples that are read to the model.

What held-out examples say, the learner itself, its weights without those that do not matter, and
the record.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from linnet.errors import DataWarning
from linnet.learn.flat.narrow import narrowed
from linnet.learn.shared.checks import seed_from
from linnet.learn.shared.declaration import declaration_of
from linnet.learn.shared.sparse_weights import SparseWeights
from linnet.model.decision import Decision
from linnet.model.fitting.label_blocks import ManyLabels
from linnet.model.fitting.linear_form import (
    FoldWalk,
    agreed_parts,
    fit_at,
    fit_labels,
    fit_weighted,
    linear_parts,
    narrow,
)
from linnet.model.fitting.pruning import Evidence, Threshold, some_labels
from linnet.model.fitting.reading import Read
from linnet.model.fitting.tuning import Tuning, held_out_parts, strengths, tune
from linnet.model.model import Model
from linnet.model.scorers.flat import LinearScorer
from linnet.model.scorers.sparse import SparseScorer
from linnet.threads import thread_count

if TYPE_CHECKING:
    from linnet.model.text_classifier import TextClassifier

__all__ = ["attributes_of", "learned", "record_of", "tuned"]

Floats = NDArray[np.float64]
_LABELS = 256  # labels on whose examples C is chosen, where there are twice as many or more
_LARGE = 1 << 32  # bytes of weights that somebody may not have wanted


def learned(
    clf: TextClassifier,
    learner: Any,
    data: Read,
    classes: NDArray[Any],
    gold: NDArray[np.int32],
    weights: Floats | None = None,
    importance: Floats | None = None,
) -> dict[str, Any]:
    """Return what a linear learner makes of examples that are read: the model, itself, its tuning.

    Held-out examples count as much as their sample weight; class weights say what the learner
    should care for, not how frequent the classes are.
    """
    values = strengths(learner) if clf.C == "auto" else []
    several = gold.ndim == 2
    learners, scorer, tuning, threshold = _by_blocks(
        clf, learner, data, gold, weights, values, importance
    ) or _all_at_once(clf, learner, data, gold, weights, values, importance)
    every = [fitted for fitted in learners if fitted is not None] if several else [learners]
    record = record_of(every, data, tuning.sharpness, tuning)
    if threshold is not None:
        record |= _pruning(scorer, threshold)
    decision = Decision(classes, tuning.sharpness, several, clf.abstain, clf.abstain_label)
    model = Model(data.reader, scorer, decision, record, clf.n_threads)
    return attributes_of(model, learners, tuning, data)


def _by_blocks(
    clf: TextClassifier, learner: Any, data: Read, gold: NDArray[np.int32], weights: Floats | None,
    values: list[float], importance: Floats | None,
) -> tuple[Any, Any, Tuning, Threshold | None] | None:  # fmt: skip
    """Fit one-vs-rest to very many labels, some at a time; None where that is not asked for."""
    if not _has_many(gold):
        return None
    parts = held_out_parts(gold, seed_from(clf.random_state), data.copies)
    fit = ManyLabels(learner, data, gold, weights, parts)
    if not fit.suits():
        return None
    if clf.prune is None:
        _warn_of_size(data.matrix.shape[1], fit.n_labels)
    chosen = _chosen_on_some(clf, learner, data, gold, weights, values, FoldWalk, importance)
    tuning, threshold = fit.calibrate(clf.prune, importance)
    W, b = fit.fit(threshold.least)
    scorer = SparseScorer(W, b) if isinstance(W, SparseWeights) else LinearScorer(W, b)
    if values:
        tuning = replace(tuning, C=chosen.C, path=chosen.path)
    return learner, scorer, tuning, None if clf.prune is None else threshold


def _warn_of_size(n_features: int, n_labels: int) -> None:
    """Say what keeps a model small, where a weight for each feature and label takes gigabytes."""
    size = 4 * n_features * n_labels
    if size > _LARGE:
        warnings.warn(
            f"One-vs-rest keeps a weight for each of {n_features:,} features and {n_labels:,} "
            f"labels, {size / 1e9:.1f} GB in all. prune='auto' (--prune) keeps those that matter; "
            "a label tree (LabelTree, --learner labels) also trains in a fraction of the time.",
            DataWarning,
            stacklevel=2,
        )


def _all_at_once(
    clf: TextClassifier, learner: Any, data: Read, gold: NDArray[np.int32], weights: Floats | None,
    values: list[float], importance: Floats | None,
) -> tuple[Any, Any, Tuning, Threshold | None]:  # fmt: skip
    """Fit a linear learner, or one for each of several labels a row."""
    slim = None
    if gold.ndim == 1 and not data.by_labels:
        ours = data.features is not None  # made of texts here, not given by somebody
        slim = narrowed(
            data.matrix, learner, thread_count(clf.n_threads), in_place=ours,
            fold=clf.prune is None,
        )  # fmt: skip
    if slim is not None:
        data = replace(data, matrix=slim.matrix)
    tuning, before, parts = tuned(clf, learner, data, gold, weights, values, FoldWalk, importance)
    learners: Any
    if gold.ndim == 2:
        learners, W, b = fit_labels(learner, data.matrix, gold, weights)
    else:
        learners = _fit_all(data.matrix, gold, weights, parts, learner, before)
        W, b = agreed_parts(learners, data.matrix)
    short = narrow(W)
    if slim is not None:
        short = slim.widened(W, np.float32)
        learners.widen(slim)
    scorer = LinearScorer(short, b)
    if clf.prune is None:
        return learners, scorer, tuning, None
    threshold = _threshold(clf, learner, data, gold, weights, before, parts)
    if threshold.least == 0.0:
        return learners, scorer, tuning, threshold
    few = SparseScorer(SparseWeights.of(scorer.weights, threshold.least), b)
    return learners, few, tuning, threshold


def _threshold(
    clf: TextClassifier, learner: Any, data: Read, gold: NDArray[np.int32],
    weights: Floats | None, before: Any, parts: list[NDArray[np.intp]],
) -> Threshold:  # fmt: skip
    """Return which weights to leave out, by the first of the held-out folds."""
    if not isinstance(clf.prune, str):
        return Threshold(float(clf.prune or 0.0))
    if not parts:
        return Threshold(0.0)
    rest = np.delete(np.arange(len(gold)), parts[0])
    X, importance = data.without(parts[0], gold), None if weights is None else weights[rest]
    if gold.ndim == 2:
        _, W, b = fit_labels(learner, X[rest], gold[rest], importance)
        seen = np.arange(gold.shape[1])
    else:
        if before is None:
            before = clone(learner)
            fit_at(before, None, X[rest], gold[rest], importance)
        W, b = linear_parts(before)
        seen = before.classes_
    evidence = Evidence(gold[parts[0]])
    evidence.add(X[parts[0]], W, b, seen)
    return evidence.threshold()


def _pruning(scorer: Any, threshold: Threshold) -> dict[str, Any]:
    """Return what the record says of weights that were left out."""
    record: dict[str, Any] = {"least_weight": threshold.least}
    if threshold.before is not None:
        record |= {"accuracy_unpruned": threshold.before, "accuracy_pruned": threshold.after}
    if isinstance(scorer, SparseScorer):
        n_features, columns = scorer.weights.shape
        record["weights"] = f"{len(scorer.weights.value):,} of {n_features * columns:,}"
    return record


def tuned(
    clf: Any, learner: Any, data: Read, gold: NDArray[np.int32], weights: Floats | None,
    values: list[float], walk: Any, importance: Floats | None = None,
) -> tuple[Tuning, Any, list[NDArray[np.intp]]]:  # fmt: skip
    """Hold examples out to choose C, which the learner is given, and to calibrate.

    A fit of thousands of labels takes long. Then C is chosen on the examples of some of them, and
    all are fitted once without the held-out examples, to calibrate.
    """
    if values and _has_many(gold):
        chosen = _chosen_on_some(clf, learner, data, gold, weights, values, walk, importance)
        found, before, parts = tuned(clf, learner, data, gold, weights, [], walk, importance)
        return replace(found, C=chosen.C, path=chosen.path), before, parts
    parts = held_out_parts(gold, seed_from(clf.random_state), data.copies)
    walks = [walk(learner, data.without(part, gold), gold, weights, part) for part in parts]
    tuning, before = tune(values, gold, parts, walks, importance)
    if tuning.C is not None:
        learner.set_params(C=tuning.C)
    return tuning, before, parts


def _has_many(gold: NDArray[np.int32]) -> bool:
    return bool(gold.ndim == 1 and gold.max() >= 2 * _LABELS)


def _chosen_on_some(
    clf: Any, learner: Any, data: Read, gold: NDArray[np.int32], weights: Floats | None,
    values: list[float], walk: Any, importance: Floats | None,
) -> Tuning:  # fmt: skip
    """Choose C, which the learner is given, on the examples of some of very many labels."""
    if not values:
        return Tuning()
    seed = seed_from(clf.random_state)
    rows, few = some_labels(gold, _LABELS, seed)
    some, weights = data.matrix[rows], None if weights is None else weights[rows]
    held = held_out_parts(few, seed)
    chosen, _ = tune(
        values, few, held, [walk(learner, some, few, weights, part) for part in held],
        None if importance is None else importance[rows],
    )  # fmt: skip
    if chosen.C is not None:
        learner.set_params(C=chosen.C)
    return chosen


def _fit_all(
    X: Any,
    gold: NDArray[np.int32],
    weights: Floats | None,
    parts: list[NDArray[np.intp]],
    learner: Any,
    before: Any,
) -> Any:
    """Fit on all examples, from where the learner arrived that did not see the held-out ones."""
    goes_on = bool(declaration_of(before).strengths) and hasattr(learner, "begin_at")
    if not goes_on or len(before.classes_) <= gold.max():
        fit_weighted(learner, X, gold, weights)
        return learner
    learner.begin_at(before, np.delete(np.arange(len(gold)), parts[0]), len(gold))
    was = learner.warm_start
    learner.set_params(warm_start=True)
    fit_weighted(learner, X, gold, weights)
    return learner.set_params(warm_start=was)


def attributes_of(model: Model, learner: Any, tuning: Tuning, data: Read) -> dict[str, Any]:
    """Return what a fitted classifier knows."""
    attributes = {"model_": model, "learner_": learner, "tuning_": tuning}
    return attributes if data.features is None else {**attributes, "features_": data.features}


def record_of(
    learners: list[Any], data: Read, sharpness: float | None, tuning: Tuning
) -> dict[str, Any]:
    """Return the training in numbers, ready for JSON."""
    record: dict[str, Any] = {
        "learner": type(learners[0]).__name__ if learners else "none",
        "examples": len(data.copies.original),
        "copies": data.copies.n or None,
        "columns" if data.kind == "row" else "n_features": data.reader.n_features,
        "C": _largest(learners, "C_") or _largest(learners, "C"),
        "optimality": _largest(learners, "optimality_"),
        "iterations": _largest(learners, "n_iter_"),
        "sharpness": sharpness,
        "held_out": tuning.n_held_out or None,
        "held_out_accuracy": tuning.accuracy,
    }
    return {name: value for name, value in record.items() if value is not None}


def _largest(learners: list[Any], name: str) -> int | float | None:
    """Return the largest value of an attribute, a plain number; None where it has no number."""
    try:
        columns = [np.ravel(np.asarray(getattr(learner, name, None))) for learner in learners]
        value = np.concatenate(columns).astype(np.float64).max()
    except (TypeError, ValueError):
        return None
    if not np.isfinite(value):
        return None
    return int(value) if name == "n_iter_" else float(value)
