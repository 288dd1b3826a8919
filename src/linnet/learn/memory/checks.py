"""The parameters of memory-based learning: their names, and which of them go together."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.memory.feature_weights import FeatureWeights, Weighting
from linnet.learn.shared.attributes import AttributeTable
from linnet.learn.shared.checks import LARGEST

__all__ = [
    "SEARCHES", "VOTES", "Metric", "SearchName", "VoteName", "check_parameters", "check_table",
    "choose_weights", "positive",
]  # fmt: skip

Metric: TypeAlias = Literal["overlap", "mvdm", "l1", "l2", "linf", "lk", "cosine"]
VoteName: TypeAlias = Literal["majority", "inverse_linear", "inverse_distance", "exponential_decay"]
SearchName: TypeAlias = Literal["exact", "igtree", "tribl", "tribl2"]

METRICS = ("overlap", "mvdm", "l1", "l2", "linf", "lk", "cosine")
WEIGHTS = ("none", "information_gain", "gain_ratio", "chi2", "shared_variance", "split_info")
VOTES = ("majority", "inverse_linear", "inverse_distance", "exponential_decay")
SEARCHES = ("exact", "igtree", "tribl", "tribl2")


def check_parameters(model: Any) -> None:
    """Refuse parameters of a MemoryBased that cannot work, alone or together."""
    positive("k", model.k)
    positive("depth", model.depth)
    for name, value, allowed in (
        ("metric", model.metric, METRICS),
        ("neighbors", model.neighbors, ("distances", "examples")),
        ("vote", model.vote, VOTES),
        ("search", model.search, SEARCHES),
    ):
        if value not in allowed:
            raise ParameterError(f"{name} must be one of {', '.join(allowed)}; got {value!r}.")
    if isinstance(model.feature_weights, str) and model.feature_weights not in WEIGHTS:
        raise ParameterError(
            f"feature_weights must be one of {', '.join(WEIGHTS)} or an array; "
            f"got {model.feature_weights!r}."
        )
    for name, low in (("alpha", 0.0), ("beta", 0.0), ("p", 1.0)):
        number = getattr(model, name)
        if not isinstance(number, (int, float)) or not low <= number <= LARGEST:
            raise ParameterError(f"{name} must be a number of at least {low}, got {number!r}.")
    if model.search != "exact" and model.neighbors == "examples":
        raise ParameterError('neighbors="examples" needs search="exact".')
    if model.search != "exact" and model.metric not in ("overlap", "mvdm"):
        raise ParameterError(f'search={model.search!r} needs metric="overlap" or "mvdm".')


def check_table(
    table: AttributeTable, names: list[str], metric: Metric, search: SearchName
) -> None:
    """Refuse columns that the metric or the search cannot use."""
    for j, (kind, name) in enumerate(zip(table.kinds, names, strict=True)):
        if search != "exact" and kind == "numeric":
            raise DataError(
                f"Column {name} holds numbers, and search={search!r} follows equal "
                'values. Set kinds="symbolic", or search="exact".'
            )
        if metric not in ("overlap", "mvdm") and table.has_missing(j):
            raise DataError(
                f"Input X contains NaN: column {name} has missing values, which "
                f"metric={metric!r} cannot compare; fill them, or use overlap or mvdm."
            )


def choose_weights(
    asked: Weighting | ArrayLike, weights: FeatureWeights, width: int
) -> NDArray[np.float64]:
    """Return the weights that a name stands for, or those given, checked."""
    if isinstance(asked, str):
        return weights.get(asked)  # type: ignore[arg-type]
    try:
        given = np.array(asked, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(f"feature_weights must be numbers: {error}.") from None
    if given.shape != (width,) or not np.isfinite(given).all() or (given < 0).any():
        raise ParameterError(
            f"feature_weights must be {width} finite numbers that are not negative, "
            f"got an array of shape {given.shape}."
        )
    return given


def positive(name: str, value: object) -> int:
    """Return a positive integer, or say that it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ParameterError(f"{name} must be a positive integer, got {value!r}.")
    return int(value)
