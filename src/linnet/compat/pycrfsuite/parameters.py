"""The algorithms of CRFsuite and their parameters: names, values and what they are for."""

from __future__ import annotations

from typing import Any

__all__ = ["ALIASES", "PARAMETERS", "canonical"]

#: Other names of algorithms.
ALIASES = {"averaged-perceptron": "ap", "passive-aggressive": "pa"}

_Parameters = dict[str, tuple[Any, str]]
_COMMON: _Parameters = {
    "feature.minfreq": (
        0.0,
        "How often an attribute must be seen with a label.",
    ),
    "feature.possible_states": (False, "Weights for every attribute with every label."),
    "feature.possible_transitions": (False, "Weights for every label after every label."),
}
_UNUSED = "Steers CRFsuite's own search; taken and not used."
_ONLINE: _Parameters = {
    "max_iterations": (100, "The largest number of rounds through all sentences."),
    "epsilon": (0.0, "Training ends after a round whose mean loss is smaller."),
}
#: By algorithm, then by name: the default and what it is for.
PARAMETERS: dict[str, _Parameters] = {
    "lbfgs": {
        **_COMMON,
        "c1": (0.0, "The strength of L1 regularization."),
        "c2": (1.0, "The strength of L2 regularization."),
        "max_iterations": (2147483647, "The largest number of steps."),
        "num_memories": (6, _UNUSED),
        "epsilon": (1e-5, "How near to the minimum training ends."),
        "period": (10, _UNUSED),
        "delta": (1e-5, _UNUSED),
        "linesearch": ("MoreThuente", _UNUSED),
        "max_linesearch": (20, _UNUSED),
    },
    "l2sgd": {
        **_COMMON,
        "c2": (1.0, "The strength of L2 regularization."),
        "max_iterations": (1000, "The largest number of steps."),
        "period": (10, _UNUSED),
        "delta": (1e-6, _UNUSED),
        "calibration.eta": (0.1, _UNUSED),
        "calibration.rate": (2.0, _UNUSED),
        "calibration.samples": (1000.0, _UNUSED),
        "calibration.candidates": (10, _UNUSED),
        "calibration.max_trials": (20, _UNUSED),
    },
    "ap": {**_COMMON, **_ONLINE},
    "pa": {
        **_COMMON,
        "type": (1, "The step: 0 as long as it takes, 1 at most c, 2 softened by 1/(2c)."),
        "c": (1.0, "How long a step may be."),
        "error_sensitive": (True, "Whether a guess costs the root of its wrong labels, or 1."),
        "averaging": (True, "Whether the weights are the mean of those of all steps."),
        **_ONLINE,
    },
    "arow": {
        **_COMMON,
        "variance": (1.0, "The variance of every weight at the beginning."),
        "gamma": (1.0, "The larger, the smaller the steps."),
        **_ONLINE,
    },
}


def canonical(algorithm: str, type: str) -> str:
    """Return the short name of an algorithm.

    Examples
    --------
    >>> canonical("averaged-perceptron", "crf1d")
    'ap'
    """
    short = ALIASES.get(algorithm.lower(), algorithm.lower())
    if short not in PARAMETERS or type != "crf1d":
        raise ValueError(f"Bad arguments: algorithm={algorithm!r} type={type!r}")
    return short
