"""Any learner of linnet as a model file: its parameters and what it has learnt.

Learners hold plain values and arrays (DESIGN §3), so one function writes and one reads them all,
those to come included. What is read is checked before it is used: names, types, shapes, and
whether the learner answers at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np

from linnet.errors import DataError
from linnet.model.file.plain import Arrays, Encoder, decode
from linnet.stored import check, fields_of
from linnet.threads import thread_count

_NOT_STORED = ("_metadata_request",)  # how scikit-learn routes arguments, not what was learnt
_TIMES = "seconds"  # of a history: they tell about the machine, and differ when all else is equal


def learner_to_file(model: Any) -> tuple[dict[str, Any], Arrays, dict[str, Any]]:
    """Return config, arrays and record of a fitted learner.

    Raises
    ------
    NotFittedError
        When there is nothing to save.
    DataError
        When a parameter holds what no file can, such as a function.
    """
    from linnet.learn.shared.not_fitted import EstimatorNotFittedError

    encoder = Encoder()
    config = encode_learner(model, encoder)
    state = _learnt(model)
    if not any(key.endswith("_") for key in state):
        name = type(model).__name__
        raise EstimatorNotFittedError(
            f"This {name} is not fitted yet; call fit with examples, then save it."
        )
    check(state, fields_of(type(model)), model._stored_sizes())  # what could not be loaded again
    record = {
        "n_features": state.get("n_features_in_"),
        "n_classes": len(state["classes_"]) if "classes_" in state else None,
        "n_iter": state.get("n_iter_"),
    }
    return config, encoder.arrays, record


def _learnt(model: Any) -> dict[str, Any]:
    parameters = model.get_params(deep=False)
    state = {
        key: value
        for key, value in vars(model).items()
        if key not in parameters and key not in _NOT_STORED
    }
    if isinstance(history := state.get("history_"), dict):
        state["history_"] = {key: column for key, column in history.items() if key != _TIMES}
    return state


def encode_learner(model: Any, encoder: Encoder, path: str = "") -> dict[str, Any]:
    """Return parameters and state of a learner as JSON, its arrays in the encoder."""
    name, parameters = type(model).__name__, model.get_params(deep=False)
    if _learnt(model) and hasattr(model, "_check_stored"):
        model._check_stored()
    return {
        "parameters": {k: encoder.encode(f"{path}{name}.{k}", v) for k, v in parameters.items()},
        "state": {k: encoder.encode(f"{path}{k}", v) for k, v in _learnt(model).items()},
    }


def decode_learner(
    cls: type[Any], config: dict[str, Any], arrays: Arrays, *, fitted: bool = False
) -> Any:
    """Return the learner that :func:`encode_learner` was given, after checking it."""
    parameters, state = config["parameters"], config["state"]
    model = cls(**{key: decode(node, arrays) for key, node in parameters.items()})
    for key, node in state.items():
        if key.startswith("__") or hasattr(cls, key) or key in parameters:
            raise DataError(f"{key!r} is not learnt by {cls.__name__}")
        vars(model)[key] = decode(node, arrays)
    if not state and not fitted:
        return model  # a parameter, such as the learner that another one trains
    _check(model, state)
    return model


def _check(model: Any, state: Mapping[str, Any]) -> None:
    """Refuse a learner that cannot answer: by its parameters, its fields, and one question."""
    from linnet.learn.flat.base import Learner

    if hasattr(model, "n_threads"):
        thread_count(model.n_threads)
    if hasattr(model, "_check_parameters"):
        model._check_parameters()
    check({key: vars(model)[key] for key in state}, fields_of(type(model)), model._stored_sizes())
    if hasattr(model, "_check_loaded"):
        model._check_loaded()
    if isinstance(model, Learner):
        _check_answer(model)


def _check_answer(model: Any) -> None:
    """Let the learner answer a row without features; what is missing shows now, not later."""
    from scipy.sparse import csr_matrix

    twin = copy(model)
    twin.__dict__.pop("feature_names_in_", None)  # the row has no names
    twin.n_threads = 1
    try:
        with np.errstate(all="ignore"):
            twin.predict(csr_matrix((1, model.n_features_in_)))
    except DataError:
        pass  # a model that has not seen enough to answer may still be kept
