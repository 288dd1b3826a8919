"""A text model in the one model file: plain values, arrays, training record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.text.extractor import Extractor

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
        raise ParameterError("Only a model with a vocabulary can be pruned; hashed buckets stay.")
    if max_features >= model.n_features:
        return model
    strength = np.abs(model.weights_).max(axis=1)
    if model.extractor.scale is not None:
        strength = strength * model.extractor.scale
    kept = np.sort(np.argpartition(-strength, max_features - 1)[:max_features])
    extractor = Extractor.with_names(model.extractor.settings, names.take(kept))
    scale = model.extractor.scale
    small = object.__new__(type(model))
    small.__dict__.update(model.__dict__)
    small.__dict__.pop("_columns_by_name", None)
    small.extractor = extractor.scaled(None if scale is None else scale[kept])
    small.weights_ = np.ascontiguousarray(model.weights_[kept])
    small.record_ = {**model.record_, "pruned_from": model.n_features}
    return small


def from_file(file: ModelFile) -> TextModel:
    """Check everything a file claims and return the model."""
    from linnet.pipeline.model import TextModel

    config, arrays = file.config, file.arrays
    kind, classes = config["kind"], _classes(config["classes"])
    weights, intercept = arrays["weights"], arrays["intercept"]
    multilabel, sharpness = config["multilabel"], config["sharpness"]
    if kind not in _KINDS or not isinstance(multilabel, bool):
        raise DataError(f"a model of kind {kind!r} is unknown to this version")
    extractor = Extractor.from_file(config, arrays)
    columns = 1 if len(classes) == 2 and not multilabel else len(classes)
    if weights.ndim != 2 or weights.shape[1] != columns or intercept.shape != (columns,):
        raise DataError(f"weights of shape {weights.shape} do not fit {len(classes)} labels")
    if weights.dtype not in (np.float16, np.float32) or intercept.dtype != np.float64:
        raise DataError("weights must be float16 or float32, intercepts float64")
    if kind == "vector":
        extractor = replace(extractor, names=None)
    elif len(weights) != extractor.n_features:
        raise DataError(f"{len(weights)} weights for {extractor.n_features} features")
    if not (np.isfinite(weights).all() and np.isfinite(intercept).all()):
        raise DataError("a weight is not finite")
    if not isinstance(sharpness, (int, float)) or not 0 < sharpness < 1e6:
        raise DataError(f"the sharpness {sharpness!r} is not a positive number")
    abstain = config["abstain"]
    if abstain is not None and not (isinstance(abstain, (int, float)) and 0 <= abstain <= 1):
        raise DataError(f"the abstaining threshold {abstain!r} is not a probability")
    return TextModel(
        classes=classes,
        weights=np.ascontiguousarray(weights, dtype=np.float32),
        intercept=np.ascontiguousarray(intercept),
        extractor=extractor,
        kind=kind,
        sharpness=float(sharpness),
        multilabel=multilabel,
        abstain=abstain,
        abstain_label=config["abstain_label"],
        record=file.record,
    )


def _classes(listed: Any) -> NDArray[Any]:
    if not isinstance(listed, list) or not listed:
        raise DataError("there are no labels")
    kinds = {type(label) for label in listed}
    if len(kinds) != 1 or not kinds <= {str, int, float, bool}:
        raise DataError("labels must be all texts or all numbers")
    classes = np.array(listed)
    if len(set(listed)) != len(listed) or classes.ndim != 1 or classes.dtype == object:
        raise DataError("labels must be different from each other")
    return classes
