"""A text model in the one model file: plain values, arrays, training record."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.text.extractor import Extractor
from linnet.text.settings import Settings

if TYPE_CHECKING:
    from linnet.persist import ModelFile
    from linnet.pipeline.model import TextModel

__all__ = ["from_file", "pruned", "to_file"]

_KINDS = ("text", "bag", "vector")


def to_file(
    model: TextModel, dtype: str, max_features: int | None
) -> tuple[dict[str, Any], dict[str, NDArray[Any]], dict[str, Any]]:
    """Return configuration, arrays and record of a model."""
    if dtype not in ("float32", "float16"):
        raise ParameterError(f"dtype must be 'float32' or 'float16', got {dtype!r}.")
    if max_features is not None:
        model = pruned(model, max_features)
    with np.errstate(over="ignore"):
        weights = model.weights_.astype(dtype)
    if not np.isfinite(weights).all():
        raise ParameterError("A weight is too large for float16; use dtype='float32'.")
    config, arrays = model.extractor.to_file()
    config |= {
        "kind": model.kind,
        "classes": model.classes_.tolist(),
        "sharpness": model.sharpness_,
        "multilabel": model.multilabel,
        "abstain": model.abstain,
        "abstain_label": model.abstain_label,
    }
    return config, arrays | {"weights": weights, "intercept": model.intercept_}, model.record_


def pruned(model: TextModel, max_features: int) -> TextModel:
    """Return the model with only the features of largest weight, in any class."""
    if isinstance(max_features, bool) or not isinstance(max_features, int) or max_features < 1:
        raise ParameterError(f"max_features must be a positive integer, got {max_features!r}.")
    names = model.extractor.names
    if names is None:
        raise ParameterError(
            "Only a model with named features can be pruned, not one of hash buckets or of "
            "vectors; leave max_features out."
        )
    if max_features >= model.n_features:
        return model
    strength = np.abs(model.weights_).max(axis=1)
    if model.extractor.scale is not None:
        strength = strength * np.abs(model.extractor.scale)
    kept = np.sort(np.argpartition(-strength, max_features - 1)[:max_features])
    reader, scale = model.extractor, model.extractor.scale
    extractor = Extractor.with_names(reader.settings, names.take(kept), reader.tokenize)
    small = copy(model)
    small.__dict__.pop("_column_of", None)
    small.extractor = extractor.scaled(None if scale is None else scale[kept])
    small.weights_ = np.ascontiguousarray(model.weights_[kept])
    small.record_ = {
        **model.record_, "n_features": max_features, "pruned_from": model.n_features,
    }  # fmt: skip
    return small


def from_file(file: ModelFile) -> TextModel:
    """Check everything a file claims and return the model."""
    from linnet.pipeline.model import TextModel

    config, arrays = file.config, file.arrays
    kind, multilabel = config["kind"], config["multilabel"]
    if kind not in _KINDS or not isinstance(multilabel, bool):
        raise DataError(f"a model of kind {kind!r} is unknown to this version")
    classes = _classes(config["classes"], multilabel=multilabel)
    extractor = _extractor(config, arrays, kind)
    weights, intercept = arrays["weights"], arrays["intercept"]
    _check_weights(weights, intercept, 1 if len(classes) == 2 and not multilabel else len(classes))
    if len(weights) != extractor.n_features:
        raise DataError(f"{len(weights)} weights for {extractor.n_features} features")
    sharpness, abstain, other = config["sharpness"], config["abstain"], config["abstain_label"]
    if not _is_number(sharpness) or not 0 < sharpness < np.inf:
        raise DataError(f"the sharpness {sharpness!r} is not a positive number")
    if abstain is not None and not (_is_number(abstain) and 0 <= abstain <= 1):
        raise DataError(f"the abstaining threshold {abstain!r} is not a probability")
    if other is not None and not isinstance(other, (str, int, float)):
        raise DataError(f"the label of abstaining cannot be {other!r}")
    return TextModel(
        classes=classes,
        weights=np.ascontiguousarray(weights, dtype=np.float32),
        intercept=np.ascontiguousarray(intercept),
        extractor=extractor,
        kind=kind,
        sharpness=float(sharpness),
        multilabel=multilabel,
        abstain=abstain,
        abstain_label=other,
        record=file.record,
    )


def _extractor(config: dict[str, Any], arrays: dict[str, NDArray[Any]], kind: str) -> Extractor:
    settings = config["settings"]
    for name, default in Settings().to_config().items():
        wanted = list if isinstance(default, tuple) else type(default)
        if type(settings[name]) is not wanted:
            raise DataError(f"the setting {name} cannot be {settings[name]!r}")
    if type(config["seed"]) is not int:
        raise DataError(f"the seed cannot be {config['seed']!r}")
    extractor = Extractor.from_file(config, arrays)
    if (kind == "bag" and extractor.names is None) or (kind == "vector" and extractor.names):
        raise DataError(f"a model of kind {kind!r} does not fit its features")
    return extractor


def _check_weights(weights: NDArray[Any], intercept: NDArray[Any], columns: int) -> None:
    if weights.dtype not in (np.float16, np.float32) or intercept.dtype != np.float64:
        raise DataError("weights must be float16 or float32, intercepts float64")
    if weights.ndim != 2 or weights.shape[1] != columns or intercept.shape != (columns,):
        raise DataError(
            f"weights of shape {weights.shape} and intercepts of shape {intercept.shape} do not "
            f"fit labels that need {columns} of them"
        )
    if not (np.isfinite(weights).all() and np.isfinite(intercept).all()):
        raise DataError("a weight is not finite")


def _classes(listed: Any, *, multilabel: bool) -> NDArray[Any]:
    if not isinstance(listed, list) or len(listed) < (1 if multilabel else 2):
        raise DataError("there are too few labels")
    kinds = {type(label) for label in listed}
    if len(kinds) != 1 or not kinds <= {str, int, float, bool}:
        raise DataError("labels must be all texts or all numbers")
    classes = np.array(listed)
    if classes.dtype == object or len(np.unique(classes)) != len(listed):
        raise DataError("labels must be different from each other")
    return classes


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
