"""The steps of a fit: labels, learner, features, tuning, weights, record."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.checks import sample_weights, seed_from
from linnet.learn.inputs import encode_labels, example_weights, require_two_classes
from linnet.learn.naive_bayes import BernoulliNB, MultinomialNB
from linnet.learn.regularized import RegularizedClassifier
from linnet.learn.svm import SVM
from linnet.model.linear import agreed_parts, own_learner
from linnet.model.model import TextModel
from linnet.model.multilabel import LabelsWalk, fit_labels, label_lists, label_table
from linnet.model.reading import Read, read, row_count, rows_of
from linnet.model.row_fitting import fit_features, keeps_its_learner
from linnet.model.tuning import (
    OneLabelWalk,
    Tuning,
    fit_weighted,
    held_out_parts,
    strengths,
    tune,
)

if TYPE_CHECKING:
    from linnet.model.text_classifier import TextClassifier
    from linnet.text.features import TextFeatures

__all__ = [
    "default_learner",
    "features_for",
    "fitted",
    "labels_of",
    "learned",
    "learner_of",
]

Floats = NDArray[np.float64]


def default_learner() -> SVM:
    """Return the learner of a TextClassifier that was not given one."""
    return SVM(loss="squared_hinge", multi_class="ovr", tol=1e-3)


def fitted(clf: TextClassifier, X: Any, y: Any, sample_weight: Any) -> dict[str, Any]:
    """Return the attributes of a fitted TextClassifier, which itself stays as it is."""
    began = perf_counter()
    X, y, importance = _kept_rows(X, y, sample_weight)
    classes, gold = labels_of(y, row_count(X))
    weights = _weights(clf, importance, classes, gold)
    learner = learner_of(clf)
    data = read(X, features_for(clf, learner, len(gold)), gold)
    if keeps_its_learner(learner):
        return fit_features(clf, learner, data, classes, gold, importance, began)
    read_seconds = perf_counter() - began
    found = learned(clf, learner, data, classes, gold, weights, importance)
    found["seconds_"] = {"features": read_seconds, "all": perf_counter() - began}
    return found if data.features is None else {**found, "features_": data.features}


def features_for(clf: TextClassifier, learner: Any, n: int) -> TextFeatures:
    """Return what makes features of n texts for a learner."""
    features = clf._features(n)
    if isinstance(learner, (BernoulliNB, MultinomialNB)):
        features.set_params(alternate_sign=False)  # they count, and counts are not negative
    if isinstance(learner, BernoulliNB):
        features.set_params(weighting="binary", norm=None)
    return features


def learned(
    clf: TextClassifier,
    learner: Any,
    data: Read,
    classes: NDArray[Any],
    gold: NDArray[np.int32],
    weights: Floats | None = None,
    importance: Floats | None = None,
) -> dict[str, Any]:
    """Return what a learner makes of examples that are read: the model, itself, its tuning."""
    seed = seed_from(clf.random_state)
    tuning, before, parts = _tuned(clf, learner, data, gold, weights, importance, seed)
    if tuning.C is not None:
        learner.set_params(C=tuning.C)
    learners: Any
    if gold.ndim == 2:
        learners, W, b = fit_labels(learner, data.matrix, gold, weights)
    else:
        learners = _fit_all(learner, data.matrix, gold, weights, before, parts)
        W, b = agreed_parts(learners, data.matrix)
    model = TextModel(
        classes=classes,
        weights=_narrow(W),
        intercept=b,
        extractor=data.extractor,
        kind=data.kind,
        sharpness=tuning.sharpness,
        multilabel=gold.ndim == 2,
        abstain=clf.abstain,
        abstain_label=clf.abstain_label,
        record=_record(learners, data, len(gold), tuning),
        n_threads=clf.n_threads,
    )
    return {"model_": model, "learner_": learners, "tuning_": tuning}


def _kept_rows(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Floats | None]:
    """Leave out the examples of weight 0, and return the weights of the others."""
    if y is None:
        raise DataError("TextClassifier requires y to be passed, but the target y is None.")
    if not hasattr(X, "__len__") and not hasattr(X, "shape") and hasattr(X, "__iter__"):
        X = list(X)
    rows = row_count(X)
    if not rows:
        raise DataError("X has 0 samples; a classifier needs examples of at least 2 classes.")
    y = y if hasattr(y, "__len__") else list(y)
    if len(y) != rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {rows} rows, "
            f"y has {len(y)} labels."
        )
    if sample_weight is None:
        return X, y, None
    weights = sample_weights(sample_weight, rows)
    kept = np.flatnonzero(weights > 0)
    if len(kept) < rows:
        X, y, weights = rows_of(X, kept), rows_of(y, kept), weights[kept]
    return X, y, weights


def labels_of(y: Any, rows: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the labels and, for each row, its number; or a table of 0 and 1."""
    lists = label_lists(y)
    if lists is not None:
        return label_table(lists)
    classes, gold = encode_labels(y, rows)
    require_two_classes(classes, "TextClassifier")
    plain = classes.tolist()
    strange = next((v for v in plain if not isinstance(v, (str, bool, int, float))), None)
    if strange is not None:
        raise DataError(f"Labels must be texts or numbers, got {strange!r}; convert them.")
    return np.array(plain), gold  # of the type that a model file gives back


def _weights(
    clf: TextClassifier,
    importance: Floats | None,
    classes: NDArray[Any],
    gold: NDArray[np.int32],
) -> Floats | None:
    """Return the weight of each example in the objective; None when all are 1."""
    if gold.ndim == 2:
        for name in ("class_weight", "abstain"):
            if getattr(clf, name) is not None:
                raise ParameterError(f"{name} is for one label a row; leave it out.")
        return importance
    if clf.class_weight is None:
        return importance
    return example_weights(importance, clf.class_weight, classes, gold)


def learner_of(clf: TextClassifier) -> Any:
    """Return the learner, unfitted, with the parameters that it shares with the classifier."""
    learner = default_learner() if clf.learner is None else own_learner(clf.learner)
    known = learner.get_params()
    if clf.C != "auto":
        if "C" not in known:
            raise ParameterError(f"{type(learner).__name__} has no C; leave C='auto'.")
        learner.set_params(C=clf.C)
    for name in ("n_threads", "random_state"):
        if name in known and known[name] is None:
            learner.set_params(**{name: getattr(clf, name)})
    return learner


def _tuned(
    clf: TextClassifier,
    learner: Any,
    data: Read,
    gold: NDArray[np.int32],
    weights: Floats | None,
    importance: Floats | None,
    seed: int,
) -> tuple[Tuning, Any, list[NDArray[np.intp]]]:
    """Hold examples out to choose C and to calibrate.

    Held-out examples count as much as their sample weight; class weights say what the learner
    should care for, not how frequent the classes are.
    """
    values = strengths(learner) if clf.C == "auto" else []
    parts = held_out_parts(gold, seed, data.copies)
    kind = OneLabelWalk if gold.ndim == 1 else LabelsWalk
    walks = [kind(learner, data.matrix, gold, weights, part) for part in parts]
    tuning, before = tune(values, gold, parts, walks, importance)
    return tuning, before, parts


def _fit_all(
    learner: Any,
    X: Any,
    gold: NDArray[np.int32],
    weights: Floats | None,
    before: Any,
    parts: list[NDArray[np.intp]],
) -> Any:
    """Fit on all examples, from where the learner arrived that did not see the held-out ones."""
    if not isinstance(before, RegularizedClassifier) or len(before.classes_) <= gold.max():
        fit_weighted(learner, X, gold, weights)
        return learner
    duals = before.dual_coef_
    if duals is not None:  # an example that was not seen has the dual variable 0
        full = np.zeros((len(gold), duals.shape[1]))
        full[np.delete(np.arange(len(gold)), parts[0])] = duals
        duals = full
    learner.__dict__.update(
        classes_=before.classes_, coef_=before.coef_, intercept_=before.intercept_,
        dual_coef_=duals, n_features_in_=before.n_features_in_,
    )  # fmt: skip
    was = learner.warm_start
    learner.set_params(warm_start=True)
    fit_weighted(learner, X, gold, weights)
    return learner.set_params(warm_start=was)


def _narrow(weights: Floats) -> NDArray[np.float32]:
    with np.errstate(over="ignore", under="ignore"):
        narrow = np.ascontiguousarray(weights, dtype=np.float32)
    if not np.isfinite(narrow).all():
        raise DataError("A weight is too large for 32 bits: scale the features up, or lower C.")
    return narrow


def _record(learners: Any, data: Read, examples: int, tuning: Tuning) -> dict[str, Any]:
    """Return the training in numbers, ready for JSON."""
    every = (
        [own for own in learners if own is not None] if isinstance(learners, list) else [learners]
    )
    record: dict[str, Any] = {
        "learner": type(every[0]).__name__ if every else "none",
        "examples": examples,
        "copies": data.copies.n or None,
        "n_features": int(data.matrix.shape[1]),
        "C": _largest(every, "C"),
        "optimality": _largest(every, "optimality_"),
        "iterations": _largest(every, "n_iter_"),
        "sharpness": tuning.sharpness,
        "held_out": tuning.n_held_out or None,
        "held_out_accuracy": tuning.accuracy,
    }
    return {name: value for name, value in record.items() if value is not None}


def _largest(learners: list[Any], name: str) -> int | float | None:
    """Return the largest value of an attribute, a plain number; None where it has no number."""
    try:
        found = np.concatenate([np.ravel(np.asarray(getattr(own, name, None))) for own in learners])
        value = found.astype(np.float64).max()
    except (TypeError, ValueError):
        return None
    if not np.isfinite(value):
        return None
    return int(value) if name == "n_iter_" else float(value)
