"""The steps of a fit that are the same for texts, bags, vectors and rows.

Labels, learner, features; what is kept of a learner that is not linear.
"""

from __future__ import annotations

from functools import partial
from inspect import signature
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.learn.flat.base import Learner
from linnet.learn.shared.declaration import declaration_of, ignores_c, settings_of
from linnet.learn.shared.inputs import example_weights
from linnet.learn.shared.watching import tell_ahead
from linnet.learn.svm import SVM
from linnet.model.decision import Decision
from linnet.model.fitting.auto import choose_features
from linnet.model.fitting.columns import described, read_columns
from linnet.model.fitting.linear import attributes_of, learned, record_of, tuned
from linnet.model.fitting.linear_form import FoldWalk, fit_weighted, own_scores
from linnet.model.fitting.reading import Read, kept_rows, labels_of, read, read_rows, row_count
from linnet.model.fitting.tuning import Tuning, strengths
from linnet.model.model import Model
from linnet.model.readers.column_values import column_kinds, table_of
from linnet.model.readers.rows import as_table, takes_numbers
from linnet.model.scorers.flat import LearnerScorer
from linnet.threads import thread_count

if TYPE_CHECKING:
    from linnet.model.text_classifier import TextClassifier
    from linnet.text.features import TextFeatures

__all__ = [
    "default_learner", "features_for", "fit_rows", "fit_texts", "kept_whole", "learner_of",
]  # fmt: skip

Floats = NDArray[np.float64]
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
    tell_ahead(type(learner).__name__, f"features of {len(gold):,} examples")
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
    record = record_of([learner], data, sharpness if tuning.n_held_out else None, tuning)
    if data.kind == "row" and data.reader.vectors is None:
        kinds = getattr(learner, "kinds_", None)
        data.reader.kinds = list(learner.attributes_.kinds if kinds is None else kinds)
        record |= learner._recorded(data.matrix, gold, data.reader.kinds)
    decision = Decision(
        np.asarray(learner.classes_), sharpness, False, clf.abstain, clf.abstain_label
    )
    model = Model(data.reader, LearnerScorer(learner, dense), decision, record, clf.n_threads)
    return attributes_of(model, learner, tuning, data)


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
    tuning, _, _ = tuned(clf, learner, data, gold, weights, values, walk)
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
