"""What a tagger read from a file must look like before the core works on its arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet.errors import DataError

__all__ = ["check_tagger"]

#: Types and shapes of learnt arrays: L labels, P pairs; None is any length.
_ARRAYS: dict[str, tuple[str, str]] = {
    "background_": ("f8", "L"),
    "pair_label_": ("i4", "P"),
    "pair_weight_": ("f8", "P"),
    "second_": ("f8", "LLL"),
    "start_": ("f8", "L"),
    "stop_": ("f8", "L"),
    "transition_": ("f8", "LL"),
}
_OPTIONAL = ("background_", "second_")


def check_tagger(model: Any) -> None:
    """Refuse a tagger whose arrays do not fit each other.

    Raises
    ------
    DataError
        With the first thing that is wrong.
    """
    state = vars(model)
    classes = np.asarray(state["classes_"])
    if classes.ndim != 1 or len(classes) == 0:
        raise DataError("there are no labels")
    if "learner_" in state:
        return _check_local(model)
    sizes = {"L": len(classes), "P": len(state["pair_label_"])}
    for key, (kind, axes) in _ARRAYS.items():
        if key not in state and key in _OPTIONAL:
            continue
        shape = tuple(sizes[axis] for axis in axes)
        _check_array(key, state[key], kind, shape)
        if kind == "f8" and (np.isnan(state[key]).any() or np.isposinf(state[key]).any()):
            raise DataError(f"{key} holds values that are not numbers")
    if "second_" in state:
        from linnet.learn.second_order import require_few

        require_few(len(classes))
    _check_pairs(state, "pair", _n_rows(state), len(classes))
    _check_vocabulary(state)
    if "suffixes_" in state:
        _check_suffixes(state["suffixes_"], len(classes))
    if type(model).__name__ == "HMM" and "background_" not in state:
        raise DataError("there is no probability of unknown words")


def _check_array(key: str, value: Any, kind: str, shape: tuple[int, ...]) -> None:
    if not isinstance(value, np.ndarray) or value.dtype != np.dtype(kind) or value.shape != shape:
        found = f"shape {np.shape(value)} and type {getattr(value, 'dtype', type(value).__name__)}"
        raise DataError(f"{key} has {found}; expected {shape} of {np.dtype(kind).name}")
    if not value.flags.c_contiguous:
        raise DataError(f"{key} is not stored row by row")


def _n_rows(state: dict[str, Any]) -> int:
    """Return how many features have weights: pairs with previous labels in a MEMM by states."""
    width = state["n_features_in_"]
    if type(width) is not int or width < 0:
        raise DataError(f"the number of features is {width!r}")
    if state.get("states") == "per_state":
        keys = state["state_key_"]
        _check_array("state_key_", keys, "i8", (len(keys),))
        if (np.diff(keys) <= 0).any():
            raise DataError("state_key_ does not ascend")
        return len(keys)
    return width


def _check_pairs(state: dict[str, Any], name: str, rows: int, n_labels: int) -> None:
    start, label = state[f"{name}_start_"], state[f"{name}_label_"]
    _check_array(f"{name}_start_", start, "i8", (rows + 1,))
    if start[0] != 0 or start[-1] != len(label) or (np.diff(start) < 0).any():
        raise DataError(f"{name}_start_ does not fit {name}_label_")
    if len(label) and not (0 <= label.min() and label.max() < n_labels):
        raise DataError(f"{name}_label_ holds a label outside 0 .. {n_labels - 1}")


def _check_vocabulary(state: dict[str, Any]) -> None:
    """Refuse columns that are not those of the features; a Ragged matrix needs no vocabulary."""
    vocabulary = state.get("vocabulary_")
    if vocabulary is None:
        return
    width = state["n_features_in_"]
    columns = np.fromiter(vocabulary.values(), np.int64, len(vocabulary))
    if len(columns) != width or not np.array_equal(np.sort(columns), np.arange(width)):
        raise DataError("vocabulary_ does not number the features")


def _check_suffixes(suffixes: dict[str, Any], n_labels: int) -> None:
    number, count = suffixes["number"], suffixes["counts"]
    state = {"suffix_start_": suffixes["start"], "suffix_label_": suffixes["label"]}
    _check_array("suffixes_.label", suffixes["label"], "i4", (len(count),))
    _check_array("suffixes_.counts", count, "f8", (len(count),))
    _check_pairs(state, "suffix", len(number), n_labels)
    for key in ("share", "size"):
        _check_array(f"suffixes_.{key}", suffixes[key], "f8", (n_labels,))
        if not (np.isfinite(suffixes[key]).all() and (suffixes[key] > 0).all()):
            raise DataError(f"suffixes_.{key} must be positive")
    if not (np.isfinite(count).all() and (count > 0).all()) or not 0 < suffixes["theta"] < np.inf:
        raise DataError("suffixes_ holds counts that are not positive")
    columns = np.fromiter(number.values(), np.int64, len(number))
    if not np.array_equal(np.sort(columns), np.arange(len(number))):
        raise DataError("suffixes_ does not number the endings")
    if len(number) and (np.diff(suffixes["start"]) == 0).any():
        raise DataError("suffixes_ has an ending without a tag")


def _check_local(model: Any) -> None:
    _check_vocabulary(vars(model))
    history, L = model.history, len(model.classes_)
    if type(history) is not int or history < 0:
        raise DataError(f"the history is {history!r}")
    width = model.n_features_in_ + history * (L + 1)
    if model.learner_.n_features_in_ != width:
        raise DataError(f"the learner has {model.learner_.n_features_in_} features, not {width}")
    if not np.isin(model.learner_.classes_, model.classes_).all():
        raise DataError("the learner has other labels")
