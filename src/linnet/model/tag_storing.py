"""A tagger in the one model file: plain values and arrays, and the checks on the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.tags import allowed_transitions
from linnet.errors import DataError, ParameterError
from linnet.learn.linear_chain import LinearChain
from linnet.stored import Array, Each, Fields, Number, Text, check
from linnet.text.names import Names
from linnet.text.stored import checked_array
from linnet.text.token_extractor import TokenExtractor

if TYPE_CHECKING:
    from linnet.model.learner_chain import LearnerChain
    from linnet.model.tag_model import TagModel

__all__ = ["from_file", "to_file"]

Arrays = dict[str, NDArray[Any]]

_WEIGHTS = ("pair_weight", "transition", "start", "stop")
_CHAIN: Fields = {
    "pair_label": Array("i4", "pairs", 0, "L-1"),
    "pair_weight": Array("f4 f2", "pairs"),
    "pair_start": Array("i8", "features+1", 0, "pairs", order="starts"),
    "transition": Array("f4 f2", "L L"),
    "start": Array("f4 f2", "L"),
    "stop": Array("f4 f2", "L"),
}


def to_file(model: TagModel, dtype: str) -> tuple[dict[str, Any], Arrays]:
    """Return configuration and arrays of a model; parts of it have a prefix to their arrays."""
    if dtype not in ("float32", "float16"):
        raise ParameterError(f"dtype must be 'float32' or 'float16', got {dtype!r}.")
    config: dict[str, Any] = {
        "classes": model.classes_.tolist(),
        "scheme": model.scheme,
        "probabilistic": model.probabilistic,
        "features": None,
        "learner": None,
        "columns": [],
    }
    arrays: Arrays = {"words": model.words.data, "words_offset": model.words.offset}
    if model.extractor is not None:
        config["features"], more = model.extractor.to_file()
        arrays |= _above(more, "features.")
    if isinstance(model.chain, LinearChain):
        arrays |= _weights(model.chain, dtype)
    else:
        config["learner"], more = _learner_to_file(model.chain)
        arrays |= _above(more, "learner.")
    for number, column in enumerate(model.column_models, 1):
        inner, more = to_file(column, dtype)
        config["columns"].append({**inner, "record": column.record_})
        arrays |= _above(more, f"column{number}.")
    return config, arrays


def _weights(chain: LinearChain, dtype: str) -> Arrays:
    arrays: Arrays = {"pair_start": chain.pair_start, "pair_label": chain.pair_label}
    for name in _WEIGHTS:
        with np.errstate(over="ignore"):
            arrays[name] = getattr(chain, name).astype(dtype)
        if not np.isfinite(arrays[name]).all():
            raise ParameterError("A weight is too large for float16; use dtype='float32'.")
    return arrays


def _learner_to_file(chain: LearnerChain) -> tuple[dict[str, Any], Arrays]:
    from linnet.model.file.learners import learner_to_file

    config, arrays, _ = learner_to_file(chain.learner)
    return {**config, "class": type(chain.learner).__name__, "width": chain.n_features}, arrays


def from_file(config: dict[str, Any], arrays: Arrays, record: dict[str, Any]) -> TagModel:
    """Check everything a file claims and return the model."""
    columns = []
    for number, inner in enumerate(config["columns"], 1):
        if inner["columns"]:
            raise DataError("a tagger of a column cannot have columns of its own")
        columns.append(_model(inner, _under(arrays, f"column{number}."), inner["record"], []))
    model = _model(config, arrays, record, columns)
    if columns and len(columns) != model.n_columns - 1:
        raise DataError(f"{len(columns)} taggers for {model.n_columns - 1} columns")
    if any(column.n_columns != 1 for column in columns):
        raise DataError("a tagger of a column must look at words alone")
    return model


def _model(
    config: dict[str, Any], arrays: Arrays, record: Any, columns: list[TagModel]
) -> TagModel:
    from linnet.model.learner_chain import reads_words
    from linnet.model.storing import check_record
    from linnet.model.tag_model import TagModel

    classes = _classes(config["classes"])
    extractor = None
    chain: LinearChain | LearnerChain
    if config["features"] is not None:
        extractor = TokenExtractor.from_file(config["features"], _under(arrays, "features."))
    if config["learner"] is None:
        chain = _chain(arrays, len(classes))
    else:
        chain = _learner_from_file(config["learner"], _under(arrays, "learner."), classes)
    if (extractor is None) != reads_words(getattr(chain, "learner", None)):
        raise DataError("the learner does not read what the features make of words")
    if extractor is not None and chain.n_features != extractor.n_features:
        raise DataError(f"{chain.n_features} weights for {extractor.n_features} features")
    scheme, probabilistic = config["scheme"], config["probabilistic"]
    if scheme is not None:
        allowed_transitions(classes, scheme)  # refuses what does not fit together
    Number(bool).check("probabilistic", probabilistic, {})
    learner = getattr(chain, "learner", None)
    if probabilistic and learner is not None and not hasattr(learner, "predict_marginals"):
        raise DataError(f"{type(learner).__name__} has no probabilities")
    check_record(record)
    words = checked_array(arrays, "words", np.uint8)
    return TagModel(
        classes=classes,
        chain=chain,
        extractor=extractor,
        words=Names(words, checked_array(arrays, "words_offset", np.int64)),
        scheme=scheme,
        probabilistic=probabilistic,
        column_models=columns,
        record=record,
    )


def _classes(listed: Any) -> list[str]:
    Each(Text()).check("classes", listed, {})
    if not all(listed):
        raise DataError("a tag must not be empty")
    if not listed or sorted(set(listed)) != listed:
        raise DataError("the tags must be different from each other and sorted, one at least")
    return list(listed)


def _chain(arrays: Arrays, labels: int) -> LinearChain:
    check({name: arrays.get(name) for name in _CHAIN}, _CHAIN, {"L": labels})
    start, label = arrays["pair_start"], arrays["pair_label"]
    fresh = np.zeros(len(label) + 1, bool)
    fresh[start] = True
    if not (fresh[1:-1] | (np.diff(label) > 0)).all():
        raise DataError("the tags of a feature must ascend")
    weights = {name: np.ascontiguousarray(arrays[name], np.float64) for name in _WEIGHTS}
    return LinearChain(start, label, **weights)


def _learner_from_file(config: dict[str, Any], arrays: Arrays, classes: list[str]) -> LearnerChain:
    import linnet
    from linnet.model.file.layout import ModelFile
    from linnet.model.file.learners import learner_from_file
    from linnet.model.learner_chain import LearnerChain

    name, width = config["class"], config["width"]
    if not linnet._HOME.get(name, "").startswith("linnet.learn.") or type(width) is not int:
        raise DataError(f"{name!r} is no learner of linnet")
    file = ModelFile(name, config, {}, arrays, "", "")
    learner = learner_from_file(getattr(linnet, name), file)
    if learner.classes_.tolist() != classes or not hasattr(learner, "predict"):
        raise DataError("the learner has other tags")
    if width != learner.n_features_in_:
        raise DataError(f"{width} features for a learner of {learner.n_features_in_}")
    return LearnerChain(learner, tuple(classes), width)


def _above(arrays: Arrays, prefix: str) -> Arrays:
    return {prefix + name: array for name, array in arrays.items()}


def _under(arrays: Arrays, prefix: str) -> Arrays:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
