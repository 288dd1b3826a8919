"""The steps of a fit that ends in a RowModel: labels, inputs, calibration, learner, record."""

from __future__ import annotations

from inspect import signature
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from linnet.data.copies import Copies
from linnet.errors import DataError, ParameterError
from linnet.learn.base import Learner, LinearClassifier
from linnet.learn.checks import seed_from
from linnet.learn.density import GaussianBayes, ParzenWindows
from linnet.learn.feature_weights import FeatureWeights
from linnet.learn.inputs import encode_labels, example_weights, require_two_classes
from linnet.learn.kernel_base import KernelClassifier
from linnet.learn.memory import MemoryBased
from linnet.learn.regularized import RegularizedClassifier
from linnet.model.reading import Read
from linnet.model.row_model import RowModel
from linnet.model.row_reader import RowVectors, as_table, takes_numbers, takes_rows
from linnet.model.tuning import OneLabelWalk, Tuning, held_out_parts, strengths, tune

__all__ = ["fit_features", "fit_rows", "keeps_its_learner"]

Floats = NDArray[np.float64]
_WIDEST = 1000  # features of vectors that a learner of dense rows takes
_USE = "use MemoryBased(metric='cosine'), KernelSVM, or a linear learner such as SVM"


def keeps_its_learner(learner: Any) -> bool:
    """Tell learners whose decision is no weight for each feature.

    Examples
    --------
    >>> import linnet
    >>> keeps_its_learner(linnet.KernelSVM()), keeps_its_learner(linnet.SVM())
    (True, False)
    """
    if isinstance(learner, (GaussianBayes, ParzenWindows)):
        return True
    return isinstance(learner, Learner) and not isinstance(learner, LinearClassifier)


def fit_rows(clf: Any, learner: Any, X: Any, y: Any, sample_weight: Any) -> dict[str, Any]:
    """Return the attributes of a fitted RowClassifier, which itself stays as it is."""
    began = perf_counter()
    table = as_table(X)
    classes, gold = _labels(y, len(table))
    weights = _weights(clf, learner, sample_weight, classes, gold)
    vectors = None
    inputs: Any = table
    if takes_rows(learner):
        if clf.kinds is not None:
            learner.set_params(kinds=clf.kinds)
    else:
        vectors = RowVectors.fit(table, clf.kinds)
        if takes_numbers(learner):
            vectors.require_numbers(type(learner).__name__)
        inputs = vectors.matrix(table)
    copies = Copies.of(table)
    tuning, sharpness = _calibrated(clf, learner, inputs, gold, weights, copies)
    _fit(learner, inputs, classes[gold], weights)
    kinds = list(learner.kinds_ if hasattr(learner, "kinds_") else _kinds(learner, vectors))
    record = _record(learner, copies, tuning)
    if isinstance(learner, MemoryBased) and vectors is None:
        record["feature_weights"] = _feature_weights(table, gold, kinds)
    model = RowModel(
        learner=learner,
        names=table.names,
        kinds=kinds,
        vectors=vectors,
        sharpness=sharpness,
        abstain=clf.abstain,
        abstain_label=clf.abstain_label,
        record={**record, "columns": len(table.names)},
        n_threads=clf.n_threads,
    )
    seconds = {"all": perf_counter() - began}
    return {"model_": model, "learner_": learner, "tuning_": tuning, "seconds_": seconds}


def fit_features(
    clf: Any, learner: Any, data: Read, classes: NDArray[Any], gold: NDArray[np.int32],
    sample_weight: Floats | None, began: float,
) -> dict[str, Any]:  # fmt: skip
    """Return the attributes of a TextClassifier whose learner is not linear."""
    if gold.ndim == 2:
        raise ParameterError(
            f"{type(learner).__name__} gives one label a row; for several use a linear learner."
        )
    dense = _check_features(learner, data)
    seconds = {"features": perf_counter() - began}
    weights = _weights(clf, learner, sample_weight, classes, gold)
    inputs = data.matrix.toarray() if dense else data.matrix
    tuning, sharpness = _calibrated(clf, learner, inputs, gold, weights, data.copies)
    _fit(learner, inputs, classes[gold], weights)
    record = _record(learner, data.copies, tuning)
    model = RowModel(
        learner=learner,
        kind=data.kind,
        extractor=None if data.kind == "vector" else data.extractor,
        dense=dense,
        sharpness=sharpness,
        abstain=clf.abstain,
        abstain_label=clf.abstain_label,
        record={**record, "n_features": int(data.matrix.shape[1])},
        n_threads=clf.n_threads,
    )
    seconds["all"] = perf_counter() - began
    found = {"model_": model, "learner_": learner, "tuning_": tuning, "seconds_": seconds}
    return found if data.features is None else {**found, "features_": data.features}


def _check_features(learner: Any, data: Read) -> bool:
    """Tell whether the learner needs dense rows; refuse what would be too wide for it."""
    name, width = type(learner).__name__, data.matrix.shape[1]
    sparse = isinstance(learner, KernelClassifier)
    if isinstance(learner, MemoryBased):
        sparse = learner.metric in ("cosine", "l2")
        if not sparse and data.kind != "vector":
            raise ParameterError(
                f"Texts are compared as vectors, and metric={learner.metric!r} compares values; "
                "set metric='cosine' or 'l2'."
            )
    if sparse:
        return False
    if data.kind != "vector":
        raise ParameterError(f"{name} takes rows of a few values, not texts or bags; {_USE}.")
    if width > _WIDEST:
        raise ParameterError(
            f"{name} takes dense rows of at most {_WIDEST:,} features, X has {width:,}; {_USE}."
        )
    return True


def _labels(y: Any, rows: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
    if y is None:
        raise DataError("RowClassifier requires y to be passed, but the target y is None.")
    classes, gold = encode_labels(y, rows)
    require_two_classes(classes, "RowClassifier")
    plain = classes.tolist()
    strange = next((v for v in plain if not isinstance(v, (str, bool, int, float))), None)
    if strange is not None:
        raise DataError(f"Labels must be texts or numbers, got {strange!r}; convert them.")
    return np.array(plain), gold


def _weights(
    clf: Any, learner: Any, sample_weight: Any, classes: NDArray[Any], gold: NDArray[np.int32]
) -> Floats | None:
    if sample_weight is None and clf.class_weight is None:
        return None
    if "sample_weight" not in signature(learner.fit).parameters:
        raise ParameterError(
            f"{type(learner).__name__} does not weigh examples; leave class_weight and "
            "sample_weight out."
        )
    return example_weights(sample_weight, clf.class_weight, classes, gold)


def _fit(learner: Any, X: Any, y: NDArray[Any], weights: Floats | None) -> None:
    if weights is None:
        learner.fit(X, y)
    else:
        learner.fit(X, y, sample_weight=weights)


def _calibrated(
    clf: Any, learner: Any, X: Any, gold: NDArray[np.int32], weights: Floats | None, copies: Copies
) -> tuple[Tuning, float | None]:
    """Choose C of a linear learner, and the sharpness of one without probabilities of its own."""
    linear = isinstance(learner, LinearClassifier) and not keeps_its_learner(learner)
    own = takes_numbers(learner) or getattr(learner, "alpha", None) == 0 or not linear
    if hasattr(learner, "predict_proba") and own:
        return Tuning(), None
    values = strengths(learner) if isinstance(learner, RegularizedClassifier) else []
    if clf.C != "auto":
        values = []
    parts = held_out_parts(gold, seed_from(clf.random_state), copies)
    walk = OneLabelWalk if linear and not _pairs(learner, gold) else _ScoreWalk
    walks = [walk(learner, X, gold, weights, part) for part in parts]
    tuning, _ = tune(values if walk is OneLabelWalk else [], gold, parts, walks)
    if tuning.C is not None:
        learner.set_params(C=tuning.C)
    return tuning, tuning.sharpness


def _pairs(learner: Any, gold: NDArray[np.int32]) -> bool:
    return getattr(learner, "multi_class", None) == "ovo" and int(gold.max()) > 1


class _ScoreWalk:
    """The held-out scores of a learner that has no weights to look at."""

    def __init__(
        self, learner: Any, X: Any, gold: NDArray[np.int32], weights: Floats | None,
        part: NDArray[np.intp],
    ) -> None:  # fmt: skip
        rest = np.delete(np.arange(len(gold)), part)
        self._learner, self._X, self._gold, self._held = (
            clone(learner),
            X[rest],
            gold[rest],
            X[part],
        )
        self._weights = None if weights is None else weights[rest]
        self._n_classes = int(gold.max()) + 1

    def step(self, C: float | None) -> Floats:
        """Fit without the fold and return its scores; a class not seen scores below all others."""
        _fit(self._learner, self._X, self._gold, self._weights)
        own = np.asarray(self._learner.decision_function(self._held), dtype=np.float64)
        if own.ndim == 1 and self._n_classes == 2:
            return own[:, None]
        scores = np.column_stack([-own / 2, own / 2]) if own.ndim == 1 else own
        full = np.full((len(scores), self._n_classes), scores.min() - 1.0)
        full[:, self._learner.classes_.astype(np.intp)] = scores
        return full

    def stand(self) -> Any:
        """Return the learner as it is."""
        return self._learner


def _kinds(learner: Any, vectors: RowVectors | None) -> list[Any]:
    return list((learner.attributes_ if vectors is None else vectors.attributes).kinds)


def _feature_weights(table: Any, gold: NDArray[np.int32], kinds: list[Any]) -> dict[str, Any]:
    found = FeatureWeights.from_data(table, gold, kinds=kinds)
    return {
        name: [round(float(v), 9) for v in getattr(found, name)]
        for name in ("gain_ratio", "information_gain", "chi2")
    }


def _record(learner: Any, copies: Copies, tuning: Tuning) -> dict[str, Any]:
    """Return the training in numbers, ready for JSON."""
    record: dict[str, Any] = {
        "learner": type(learner).__name__,
        "examples": len(copies.original),
        "copies": copies.n or None,
        "C": _number(learner, "C"),
        "optimality": _number(learner, "optimality_"),
        "iterations": _number(learner, "n_iter_"),
        "sharpness": tuning.sharpness if tuning.n_held_out else None,
        "held_out": tuning.n_held_out or None,
        "held_out_accuracy": tuning.accuracy,
    }
    return {name: value for name, value in record.items() if value is not None}


def _number(learner: Any, name: str) -> float | int | None:
    value = getattr(learner, name, None)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
        return None
    return value
