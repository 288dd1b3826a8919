"""Learners by the names that the command line gives them, and their parameters by ``--set``."""

from __future__ import annotations

import json
from typing import Any

from linnet.errors import ParameterError

__all__ = ["apply_settings", "flat_learner", "parse_settings"]

#: Short names of classes; every classifier of linnet has its own name as well.
NAMES = {
    "bernoulli": "BernoulliNB",
    "gaussian": "GaussianBayes",
    "kernel": "KernelSVM",
    "kernel_perceptron": "KernelPerceptron",
    "memory": "MemoryBased",
    "nb": "MultinomialNB",
    "parzen": "ParzenWindows",
    "tree": "DecisionTree",
}
#: What suits texts (tried on docstrings) and rows, where the class has another default.
_FOR_TEXTS: dict[str, dict[str, Any]] = {
    "KernelSVM": {"C": 10.0, "multi_class": "ovr"},
    "MemoryBased": {
        "k": 20, "metric": "cosine", "neighbors": "examples", "vote": "inverse_linear",
    },
}  # fmt: skip
_FOR_ROWS: dict[str, dict[str, Any]] = {
    "MemoryBased": {"feature_weights": "gain_ratio"},
    "SVM": {"loss": "squared_hinge", "multi_class": "ovr", "tol": 1e-3},
}


def flat_learner(wanted: str, *, rows: bool) -> Any:
    """Return a new classifier of that name, set up for rows of values or for texts.

    Examples
    --------
    >>> flat_learner("memory", rows=True).feature_weights, flat_learner("tree", rows=True).criterion
    ('gain_ratio', 'gain_ratio')
    """
    import linnet
    from linnet.public import learner_homes

    homes = {name.lower(): name for name in learner_homes()}
    name = NAMES.get(wanted.lower()) or homes.get(wanted.lower())
    learner: Any = None if name is None else getattr(linnet, name)
    if name is None or not _classifies(learner):
        able = [key for key, name in homes.items() if _classifies(getattr(linnet, name))]
        names = ", ".join(sorted({*NAMES, *able}))
        raise ParameterError(f"there is no learner {wanted!r}; there are {names}")
    return learner(**(_FOR_ROWS if rows else _FOR_TEXTS).get(name, {}))


def _classifies(learner: Any) -> bool:
    from sklearn.base import ClassifierMixin

    from linnet.learn.base import Learner

    return isinstance(learner, type) and issubclass(learner, Learner) and issubclass(
        learner, ClassifierMixin
    )  # fmt: skip


def parse_settings(given: list[str] | None) -> dict[str, Any]:
    """Return the parameters that ``--set name=value`` names; a value is JSON, else text.

    Examples
    --------
    >>> parse_settings(["k=5", "metric=mvdm", "average=false", "max_depth=null"])
    {'k': 5, 'metric': 'mvdm', 'average': False, 'max_depth': None}
    """
    found: dict[str, Any] = {}
    for one in given or []:
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            raise ParameterError(f"--set must look like name=value, got {one!r}")
        if name.strip() in found:
            raise ParameterError(f"--set gives {name.strip()} twice")
        try:
            found[name.strip()] = json.loads(value)
        except ValueError:
            found[name.strip()] = value.strip()
    return found


def apply_settings(learner: Any, settings: dict[str, Any]) -> Any:
    """Give the learner its parameters; the error for an unknown one lists those it has."""
    known = learner.get_params(deep=False)
    for name in settings:
        if name not in known:
            names = ", ".join(sorted(known))
            raise ParameterError(
                f"--set {name}: {type(learner).__name__} has no such parameter; it has {names}"
            )
    return learner.set_params(**settings)
