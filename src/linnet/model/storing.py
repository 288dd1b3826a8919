"""A text model in the one model file: plain values, arrays, training record."""

from __future__ import annotations

import json
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.stored import Array, Dict, Each, Field, Fields, Label, Number, Text, check
from linnet.text.extractor import Extractor
from linnet.text.settings import Settings

if TYPE_CHECKING:
    from linnet.model.file import ModelFile
    from linnet.model.model import TextModel

__all__ = ["DECISION", "check_record", "from_file", "pruned", "to_file"]

_KINDS = ("text", "bag", "vector")
_WEIGHTS: Fields = {"weights": Array("f4 f2", "J R"), "intercept": Array("f8", "R")}

#: What turns scores into answers, in files of texts and of rows.
SHARPNESS = Number(low=1e-50, high=1e50)
DECISION: dict[str, Field] = {
    "sharpness": replace(SHARPNESS, optional=True),
    "abstain": Number(low=0, high=1, optional=True),
    "abstain_label": Label(optional=True),
}

_COUNT = Number(low=0, optional=True)
_MEASURES = ("gain_ratio", "information_gain", "chi2")

#: How a model was trained, as far as it is computed with; a record may hold more to be shown.
RECORD: dict[str, Field] = {
    "learner": Text(optional=True),
    "features": Text(optional=True),
    **dict.fromkeys(("examples", "sentences", "tokens", "n_features", "iterations"), _COUNT),
    **dict.fromkeys(("C", "optimality", "held_out", "held_out_accuracy"), _COUNT),
    "feature_weights": Dict({name: Each(Number()) for name in _MEASURES}, optional=True),
    "text_column": Label(optional=True),
    "label_column": Label(optional=True),
}


def check_record(record: Any) -> None:
    """Refuse a record of training with something else in the place of a number or a text."""
    if not isinstance(record, dict):
        raise DataError("the record of training is no dictionary")
    check({name: record.get(name) for name in RECORD}, RECORD, {})
    json.dumps(record, ensure_ascii=False).encode()  # refuses texts that nobody can write


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
    from linnet.model.model import TextModel

    config, arrays = file.config, file.arrays
    check_record(file.record)
    kind, multilabel = config["kind"], config["multilabel"]
    if kind not in _KINDS or not isinstance(multilabel, bool):
        raise DataError(f"a model of kind {kind!r} is unknown to this version")
    classes = _classes(config["classes"], multilabel=multilabel)
    extractor = _extractor(config, arrays, kind)
    sizes = {"J": extractor.n_features, "R": len(classes)}
    if len(classes) == 2 and not multilabel:
        sizes["R"] = 1
    check({name: arrays.get(name) for name in _WEIGHTS}, _WEIGHTS, sizes)
    decision = {name: config[name] for name in DECISION}
    check(decision, DECISION | {"sharpness": SHARPNESS}, {})
    return TextModel(
        classes=classes,
        weights=np.ascontiguousarray(arrays["weights"], dtype=np.float32),
        intercept=np.ascontiguousarray(arrays["intercept"]),
        extractor=extractor,
        kind=kind,
        sharpness=float(decision["sharpness"]),
        multilabel=multilabel,
        abstain=decision["abstain"],
        abstain_label=decision["abstain_label"],
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


def _classes(listed: Any, *, multilabel: bool) -> NDArray[Any]:
    if not isinstance(listed, list) or len(listed) < (1 if multilabel else 2):
        raise DataError("there are too few labels")
    for label in listed:
        Label().check("classes", label, {})
    kinds = {type(label) for label in listed}
    if len(kinds) != 1 or not kinds <= {str, int, float, bool}:
        raise DataError("labels must be all texts or all numbers")
    classes = np.array(listed)
    if classes.dtype == object or len(np.unique(classes)) != len(listed):
        raise DataError("labels must be different from each other")
    return classes
