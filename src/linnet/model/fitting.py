"""The steps of a fit that are the same for texts, bags, vectors and rows.

Labels, learner, features, what held-out examples say, the learner itself, the record.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from inspect import signature
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import Learner
from linnet.learn.shared.checks import seed_from
from linnet.learn.shared.declaration import declaration_of, ignores_c, settings_of
from linnet.learn.shared.inputs import example_weights
from linnet.learn.shared.sparse_weights import SparseWeights
from linnet.learn.svm import SVM
from linnet.model.ahead import Ahead
from linnet.model.auto import choose_features
from linnet.model.column_fitting import described, read_columns
from linnet.model.columns import column_kinds, table_of
from linnet.model.decision import Decision
from linnet.model.linear import (
    FoldWalk,
    agreed_parts,
    fit_at,
    fit_labels,
    fit_weighted,
    linear_parts,
    own_scores,
)
from linnet.model.model import Model
from linnet.model.pruning import Threshold, choose_threshold, some_labels
from linnet.model.reading import Read, kept_rows, labels_of, read, read_rows, row_count
from linnet.model.row_reader import as_table, takes_numbers
from linnet.model.scorers import LearnerScorer, LinearScorer
from linnet.model.sparse_scorer import SparseScorer
from linnet.model.tuning import Tuning, held_out_parts, strengths, tune
from linnet.threads import thread_count

if TYPE_CHECKING:
    from linnet.model.text_classifier import TextClassifier
    from linnet.text.features import TextFeatures

__all__ = [
    "default_learner", "features_for", "fit_rows", "fit_texts", "kept_whole", "learned",
    "learner_of", "narrow",
]  # fmt: skip

Floats = NDArray[np.float64]
_LABELS = 256  # labels on whose examples C is chosen, where there are twice as many or more
_WIDEST = 1000  # features of vectors that a learner of dense rows takes
_USE = "use MemoryBased(metric='cosine'), KernelSVM, or a linear learner such as SVM"


def default_learner() -> SVM:
    """Return the learner of a TextClassifier that was not given one."""
    return SVM(**settings_of(SVM.declaration.texts))


def fit_texts(clf: TextClassifier, X: Any, y: Any, sample_weight: Any) -> dict[str, Any]:
    """Return the attributes of a fitted TextClassifier, which itself stays as it is."""
    began = perf_counter()
    X = X if clf.columns is None else table_of(X, column_kinds(clf.columns))
    X, y, importance = kept_rows(X, y, sample_weight)
    classes, gold = labels_of(y, row_count(X), order=clf.classes)
    choice = choose_features(clf, X, gold, importance)
    seconds = {"choosing": perf_counter() - began} if choice else {}
    clf = clf if choice is None else choice.classifier
    learner = learner_of(clf)
    weights = class_weights(clf, learner, importance, classes, gold)
    data = _read(clf, learner, X, gold)
    seconds["features"] = perf_counter() - began - seconds.get("choosing", 0.0)
    if isinstance(learner, Learner) and not declaration_of(learner).linear:
        attributes = kept_whole(clf, learner, data, classes, gold, weights)
    else:
        attributes = learned(clf, learner, data, classes, gold, weights, importance)
    if choice is not None:
        attributes["model_"].record_ |= choice.record
    if clf.columns is not None:
        attributes["model_"].record_["features"] = described(clf.columns)
    seconds["all"] = perf_counter() - began
    return {**attributes, "seconds_": seconds}


def _read(clf: TextClassifier, learner: Any, X: Any, gold: NDArray[np.int32]) -> Read:
    """Turn training examples into a matrix: of texts, bags and vectors, or of several columns."""
    if clf.columns is None:
        return read(X, features_for(clf, learner, len(gold)), gold)
    make = partial(features_for, clf, learner, len(gold))
    return read_columns(X, clf.columns, make, learner, gold, thread_count(clf.n_threads))


def fit_rows(clf: Any, X: Any, y: Any, sample_weight: Any) -> dict[str, Any]:
    """Return the attributes of a fitted RowClassifier, which itself stays as it is."""
    began = perf_counter()
    learner, table = learner_of(clf), as_table(X)
    classes, gold = labels_of(y, len(table), "RowClassifier", clf.classes)
    weights = class_weights(clf, learner, sample_weight, classes, gold)
    data = read_rows(table, learner, clf.kinds)
    seconds = {"features": perf_counter() - began}
    attributes = kept_whole(clf, learner, data, classes, gold, weights)
    seconds["all"] = perf_counter() - began
    return {**attributes, "seconds_": seconds}


def features_for(
    clf: TextClassifier, learner: Any, n: int, blocks: list[str] | None = None
) -> TextFeatures:
    """Return what makes features of n texts for a learner; with `blocks`, of one column."""
    features = clf._features(n, blocks)
    reads = declaration_of(learner).reads
    if reads in ("counts", "presence"):
        features.set_params(alternate_sign=False)  # counts are not negative
    if reads == "presence":
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
    """Return what a linear learner makes of examples that are read: the model, itself, its tuning.

    Held-out examples count as much as their sample weight; class weights say what the learner
    should care for, not how frequent the classes are.
    """
    values = strengths(learner) if clf.C == "auto" else []
    several = gold.ndim == 2
    worth = Ahead.is_worth(learner, data.matrix, gold, clf.n_threads)
    ahead = Ahead(learner, partial(_fit_all, data.matrix, gold, weights)) if worth else None
    tuning, before, parts = _tuned(
        clf, learner, data, gold, weights, values, FoldWalk, importance, ahead
    )
    learners: Any
    if several:
        learners, W, b = fit_labels(learner, data.matrix, gold, weights)
    else:
        learners = None if ahead is None else ahead.take(tuning.C)
        if learners is None:
            learners = _fit_all(data.matrix, gold, weights, parts, learner, before)
        W, b = agreed_parts(learners, data.matrix)
    every = [fitted for fitted in learners if fitted is not None] if several else [learners]
    record = _record(every, data, tuning.sharpness, tuning)
    scorer: Any = LinearScorer(narrow(W), b)
    if clf.prune is not None:
        threshold = _threshold(clf, learner, data, gold, weights, before, parts)
        scorer = _sparse(scorer, threshold, record)
    decision = Decision(classes, tuning.sharpness, several, clf.abstain, clf.abstain_label)
    model = Model(data.reader, scorer, decision, record, clf.n_threads)
    return _attributes(model, learners, tuning, data)


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
        seen = None
    else:
        if before is None:
            before = clone(learner)
            fit_at(before, None, X[rest], gold[rest], importance)
        W, b = linear_parts(before)
        seen = before.classes_
    return choose_threshold(W, b, X[parts[0]], gold[parts[0]], seen)


def _sparse(scorer: LinearScorer, threshold: Threshold, record: dict[str, Any]) -> Any:
    """Return the scorer without its small weights, unless all are kept; the record says so."""
    record["least_weight"] = threshold.least
    if threshold.before is not None:
        record |= {"accuracy_unpruned": threshold.before, "accuracy_pruned": threshold.after}
    if threshold.least == 0.0:
        return scorer
    few = SparseWeights.of(scorer.weights, threshold.least)
    record["weights"] = f"{len(few.value):,} of {scorer.weights.size:,}"
    return SparseScorer(few, scorer.intercept)


def kept_whole(
    clf: Any, learner: Any, data: Read, classes: NDArray[Any], gold: NDArray[np.int32],
    weights: Floats | None,
) -> dict[str, Any]:  # fmt: skip
    """Return what a learner that is kept whole makes of examples that are read."""
    if gold.ndim == 2:
        raise ParameterError(
            f"{type(learner).__name__} gives one label a row; for several use a linear learner."
        )
    dense = data.kind != "row" and _needs_dense(learner, data)
    if dense:
        data = Read(data.reader, data.matrix.toarray(), data.copies)
    tuning, sharpness = _calibrated(clf, learner, data, gold, weights)
    if clf.classes is not None:
        if "classes" not in learner.get_params():
            raise ParameterError(f"{type(learner).__name__} takes no order of classes.")
        learner.set_params(classes=classes.tolist())
    fit_weighted(learner, data.matrix, classes[gold], weights)
    record = _record([learner], data, sharpness if tuning.n_held_out else None, tuning)
    if data.kind == "row" and data.reader.vectors is None:
        kinds = getattr(learner, "kinds_", None)
        data.reader.kinds = list(learner.attributes_.kinds if kinds is None else kinds)
        record |= learner._recorded(data.matrix, gold, data.reader.kinds)
    decision = Decision(
        np.asarray(learner.classes_), sharpness, False, clf.abstain, clf.abstain_label
    )
    model = Model(data.reader, LearnerScorer(learner, dense), decision, record, clf.n_threads)
    return _attributes(model, learner, tuning, data)


def _attributes(model: Model, learner: Any, tuning: Tuning, data: Read) -> dict[str, Any]:
    attributes = {"model_": model, "learner_": learner, "tuning_": tuning}
    return attributes if data.features is None else {**attributes, "features_": data.features}


def class_weights(
    clf: Any, learner: Any, importance: Any, classes: NDArray[Any], gold: NDArray[np.int32]
) -> Floats | None:
    """Return the weight of each example in the objective; None when all are 1."""
    if gold.ndim == 2:
        for name in ("class_weight", "abstain"):
            if getattr(clf, name) is not None:
                raise ParameterError(f"{name} is for one label a row; leave it out.")
        return None if importance is None else np.asarray(importance)
    if importance is None and clf.class_weight is None:
        return None
    if "sample_weight" not in signature(learner.fit).parameters:
        raise ParameterError(
            f"{type(learner).__name__} does not weigh examples; leave class_weight and "
            "sample_weight out."
        )
    return example_weights(importance, clf.class_weight, classes, gold)


def learner_of(clf: Any) -> Any:
    """Return the learner, unfitted, with the parameters that it shares with the classifier."""
    learner = clf._unfitted_learner()
    known = learner.get_params()
    if known.get("classes") is not None:
        raise ParameterError(
            f"Give the order of the classes to the {type(clf).__name__}, not to its learner."
        )
    if clf.C != "auto":
        if "C" not in known:
            raise ParameterError(f"{type(learner).__name__} has no C; leave C='auto'.")
        if ignores_c(learner):
            raise ParameterError(
                f"C={clf.C!r} would change nothing: the learner has "
                f"regularizer={known['regularizer']!r} in its place; give one of the two."
            )
        learner.set_params(C=clf.C)
    for name in ("n_threads", "random_state"):
        if name in known and known[name] is None:
            learner.set_params(**{name: getattr(clf, name)})
    return learner


def _tuned(
    clf: Any, learner: Any, data: Read, gold: NDArray[np.int32], weights: Floats | None,
    values: list[float], walk: Any, importance: Floats | None = None, ahead: Ahead | None = None,
) -> tuple[Tuning, Any, list[NDArray[np.intp]]]:  # fmt: skip
    """Hold examples out to choose C, which the learner is given, and to calibrate.

    A fit of thousands of labels takes long. Then C is chosen on the examples of some of them, and
    all are fitted once without the held-out examples, to calibrate.
    """
    if values and gold.ndim == 1 and gold.max() >= 2 * _LABELS:
        seed = seed_from(clf.random_state)
        rows, few = some_labels(gold, _LABELS, seed)
        some, importances = data.matrix[rows], None if weights is None else weights[rows]
        held = held_out_parts(few, seed)
        chosen, _ = tune(
            values, few, held, [walk(learner, some, few, importances, part) for part in held],
            None if importance is None else importance[rows],
        )  # fmt: skip
        if chosen.C is not None:
            learner.set_params(C=chosen.C)
        found, before, parts = _tuned(clf, learner, data, gold, weights, [], walk, importance)
        return replace(found, C=chosen.C, path=chosen.path), before, parts
    parts = held_out_parts(gold, seed_from(clf.random_state), data.copies)
    walks = [walk(learner, data.without(part, gold), gold, weights, part) for part in parts]
    begin = None if ahead is None else partial(ahead.begin, parts)
    tuning, before = tune(values, gold, parts, walks, importance, begin)
    if tuning.C is not None:
        learner.set_params(C=tuning.C)
    return tuning, before, parts


def _calibrated(
    clf: Any, learner: Any, data: Read, gold: NDArray[np.int32], weights: Floats | None
) -> tuple[Tuning, float | None]:
    """Choose C of a linear learner, and the sharpness of one without probabilities of its own."""
    linear = declaration_of(learner).linear
    certain = takes_numbers(learner) or bool(learner._why_not_linear()) or not linear
    if hasattr(learner, "predict_proba") and certain:
        return Tuning(), None
    pairs = getattr(learner, "multi_class", None) == "ovo" and int(gold.max()) > 1
    by_weights = linear and not pairs
    values = strengths(learner) if by_weights and clf.C == "auto" else []
    walk = FoldWalk if by_weights else partial(FoldWalk, scores=own_scores)
    tuning, _, _ = _tuned(clf, learner, data, gold, weights, values, walk)
    return tuning, tuning.sharpness


def _needs_dense(learner: Any, data: Read) -> bool:
    """Tell whether the learner needs dense rows; refuse what would be too wide for it."""
    name, width = type(learner).__name__, data.matrix.shape[1]
    if learner._takes_wide():
        return False
    if data.kind != "vector":
        refusal = f"{name} takes rows of a few values, not texts or bags; {_USE}."
        raise ParameterError(learner._why_not_texts() or refusal)
    if width > _WIDEST:
        raise ParameterError(
            f"{name} takes dense rows of at most {_WIDEST:,} features, X has {width:,}; {_USE}."
        )
    return True


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


def narrow(weights: NDArray[Any]) -> NDArray[np.float32]:
    """Return weights in 32 bits, if they fit."""
    with np.errstate(over="ignore", under="ignore"):
        narrow = np.ascontiguousarray(weights, dtype=np.float32)
    if not np.isfinite(narrow).all():
        raise DataError("A weight is too large for 32 bits: scale the features up, or lower C.")
    return narrow


def _record(
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
